// P1: the verdicts of the reference matcher (event-ruler) in
// ../shared/vectors/event-patterns.jsonl.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "handlers/rules/patterns/pattern.h"

namespace trainwarden::rules::pattern_vectors_test {
namespace {

TEST(PatternP1, AgreesWithTheReferenceMatcher) {
  const std::filesystem::path path = "../shared/vectors/event-patterns.jsonl";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "3051 cases need " << path.string() << ", which is not here";
  std::ifstream in(path);
  int ran = 0;
  int invalid = 0;
  for (std::string line; std::getline(in, line);) {
    const auto document = json::Document::parse(line);
    ASSERT_TRUE(document) << document.error().message << "\n" << line;
    const json::Value root = document->root();
    const json::Value pattern = *root.find("pattern");
    ++ran;
    const bool valid = root.find("valid")->as_boolean();
    const auto compiled = compile_pattern(pattern);
    EXPECT_EQ(compiled.has_value(), valid) << line << "\n"
                                           << (compiled ? "" : compiled.error().message);
    if (!compiled) {
      ++invalid;
      EXPECT_EQ(compiled.error().code, ErrorCode::kInvalidPolicy);
      continue;
    }
    const Fields event = Fields::of(*root.find("event"), Fields::Nulls::kLeaves);
    EXPECT_EQ(compiled->matches(event), root.find("match")->as_boolean()) << line;
  }
  std::cout << ran << " cases ran, " << invalid << " are invalid patterns\n";
  EXPECT_GE(ran, 3051);
}

}  // namespace
}  // namespace trainwarden::rules::pattern_vectors_test
