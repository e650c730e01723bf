// Test results as JUnit XML, which CI systems read. The CI systems do not agree on all of the
// format; this is the part that all of them read. Whatever the texts hold, the file is well-formed
// XML 1.0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trainwarden::cli {

struct JunitCase {
  enum class Result : std::uint8_t { kPassed, kFailed, kMistake };

  std::string name;
  std::size_t line = 0;  // its line in the suite's file
  Result result = Result::kPassed;
  std::vector<std::string> lines = {};  // what differs, or the mistakes
};

// file: the path as it was given.
std::string junit_text(const std::string& suite, const std::string& file,
                       std::span<const JunitCase> cases);

}  // namespace trainwarden::cli
