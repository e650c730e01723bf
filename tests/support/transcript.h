// What tests see of records, notices and requests, byte for byte, for comparing two states of the
// code: with TRAINWARDEN_TRANSCRIPT set, it is added to that file, under the name of the test. Two
// files are compared with cmp: run the same test programs, each from beginning to end, on both.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

namespace trainwarden::testing {

inline void transcribe(std::string_view what, std::string_view text) {
  static const char* const path = std::getenv("TRAINWARDEN_TRANSCRIPT");
  if (path == nullptr) return;
  static std::ofstream out(path, std::ios::binary | std::ios::app);
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  out << (test != nullptr ? test->test_suite_name() : "-") << '.'
      << (test != nullptr ? test->name() : "-") << ' ' << what << ' ' << text << '\n';
}

}  // namespace trainwarden::testing
