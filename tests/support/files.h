// Files that tests read: their own, and the project's shared vectors and samples, which may be
// missing.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace trainwarden::testing {

// Tests run in the root of the repository; what is shared lies beside it.
inline const std::filesystem::path kShared = "../shared";

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << "cannot read " << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The files of a folder in the order of their names; empty where there is no such folder.
inline std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace trainwarden::testing
