// Files for commands that read and write them.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace trainwarden::cli {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

inline std::string content(std::FILE* file) {
  std::string out;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) out += static_cast<char>(c);
  return out;
}

}  // namespace trainwarden::cli
