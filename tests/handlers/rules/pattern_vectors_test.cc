// The verdicts of the reference matcher (event-ruler) in ../shared/vectors/event-patterns.jsonl, as
// far as this version has the operators that a case uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

#include "handlers/rules/pattern.h"

namespace trainwarden::rules {
namespace {

constexpr std::array<std::string_view, 7> kLater = {
    "anything-but", "cidr", "equals-ignore-case", "numeric", "prefix", "suffix", "wildcard"};

// Whether the pattern uses an operator that this version refuses on purpose.
bool uses_later(json::Value pattern) {
  for (json::Member member : pattern.members()) {
    if (member.name == "$or" || uses_later(member.value)) return true;
    for (json::Value test : member.value.elements()) {
      for (json::Member op : test.members()) {
        if (std::ranges::find(kLater, op.name) != kLater.end()) return true;
      }
    }
  }
  return false;
}

TEST(PatternP1, AgreesWithTheReferenceMatcher) {
  const std::filesystem::path path = "../shared/vectors/event-patterns.jsonl";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is missing: 0 cases ran";
  std::ifstream in(path);
  int ran = 0;
  int later = 0;
  for (std::string line; std::getline(in, line);) {
    const auto document = json::Document::parse(line);
    ASSERT_TRUE(document) << document.error().message << "\n" << line;
    const json::Value root = document->root();
    const json::Value pattern = *root.find("pattern");
    if (uses_later(pattern)) {
      ++later;
      continue;
    }
    ++ran;
    const bool valid = root.find("valid")->as_boolean();
    const auto compiled = compile_pattern(pattern);
    ASSERT_EQ(compiled.has_value(), valid) << line << "\n"
                                           << (compiled ? "" : compiled.error().message);
    if (!valid) continue;
    const Fields event = Fields::of(*root.find("event"), Fields::Nulls::kLeaves);
    EXPECT_EQ(compiled->matches(event), root.find("match")->as_boolean()) << line;
  }
  std::cout << ran << " cases ran, " << later << " are of later operators\n";
  EXPECT_GT(ran, 300);
}

}  // namespace
}  // namespace trainwarden::rules
