// Exceptions that a line names.
#include "handlers/rules/failure/exceptions.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace trainwarden::rules::exceptions_test {
namespace {

TEST(FailureExceptions, StandInTheOrderOfTheLine) {
  const std::string_view line = "ValueError: bad; KeyError: 'x'; what(): no";
  std::vector<std::size_t> begins;
  for (const FoundException& found : find_exceptions(line)) begins.push_back(found.at);
  EXPECT_EQ(begins, (std::vector{line.find("Value"), line.find("Key"), line.find("what")}));
}

// What they say is read of each, so that a line of nothing else would cost its length times their
// number.
TEST(FailureExceptions, OfOneLineAreNotCountless) {
  for (const std::string_view one :
       {"what(): ", "ValueError: ", "zlib.error: ", "torch.FooError: "}) {
    std::string line;
    for (int i = 0; i < 500; ++i) line += one;
    EXPECT_EQ(find_exceptions(line).size(), 16u) << one;
  }
}

}  // namespace
}  // namespace trainwarden::rules::exceptions_test
