#include "handlers/cli/terminal/indented.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/handlers/rules/support.h"

namespace trainwarden::cli::indented_test {
namespace {

TEST(Indented, BreaksWhatDoesNotFitIntoALine) {
  const std::string text(90, 'x');
  const auto value = rules::test::doc(R"({"a": [1, {"b": []}], ")" + text + R"(": ["y\"", {}]})");
  EXPECT_EQ(indented(value.root()), "{\n  \"a\": [1, {\"b\": []}],\n  \"" + text +
                                        "\": [\n    \"y\\\"\",\n    {}\n  ]\n}\n");
  EXPECT_EQ(indented(rules::test::doc("[]").root()), "[]\n");
}

}  // namespace
}  // namespace trainwarden::cli::indented_test
