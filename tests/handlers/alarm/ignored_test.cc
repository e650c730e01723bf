#include "handlers/alarm/ignored.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/files.h"

namespace trainwarden::alarm::ignored_test {
namespace {

TEST(Ignored, R1_EachReasonHasWordsAndADocumentedCode) {
  const std::string manual = testing::read_text("handlers/policy.md");
  const std::size_t begin = manual.find("#### Messages\n");
  ASSERT_NE(begin, manual.npos);
  const std::string section = manual.substr(begin, manual.find("####", begin + 4) - begin);
  std::set<std::string> codes;
  std::set<std::string> texts;
  for (int i = 0; i <= static_cast<int>(Ignored::kLast); ++i) {
    const auto why = static_cast<Ignored::Why>(i);
    const std::string one(code(why));
    EXPECT_TRUE(codes.insert(one).second) << one;
    EXPECT_NE(section.find("`" + one + "`"), section.npos) << one;
    EXPECT_TRUE(texts.insert(text({why, "found"})).second) << one;
  }
  EXPECT_EQ(text({Ignored::Why::kForeignRegion, "eu-central-1"}),
            "foreign region: expected eu-central-1");
}

}  // namespace
}  // namespace trainwarden::alarm::ignored_test
