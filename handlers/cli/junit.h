// The results of tests as JUnit's XML, which CI systems read. No two of them agree on all of it;
// this is what all of them read. Whatever the texts hold, the file is well-formed XML 1.0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trainwarden::cli {

struct JunitCase {
  enum class Result : std::uint8_t { kPassed, kFailed, kMistake };

  std::string name;
  std::size_t line = 0;  // of the suite's file
  Result result = Result::kPassed;
  std::vector<std::string> lines = {};  // what differs, or the mistakes
};

// file: as it was given.
std::string junit_text(const std::string& suite, const std::string& file,
                       std::span<const JunitCase> cases);

}  // namespace trainwarden::cli
