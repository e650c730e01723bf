// The arguments of an export.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/handlers/cli/arguments.h"
#include "tests/handlers/cli/export/export_fixture.h"

namespace trainwarden::cli::export_arguments_test {
namespace {

using std::chrono::days;
using std::chrono::hours;

TEST(ExportArguments, AreCheckedAndCanBeGivenAgain) {
  const auto read = [](const std::vector<std::string>& words) {
    return read_export(Arguments(words).get());
  };
  const auto given = read({"--for", "{\"a\": 'b'}", "--last", "2w", "--profile", "my team"});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->span, days(14));
  EXPECT_EQ(command_to_go_on(*given, *read_day("2026-11-20")),
            R"(trainwarden export --for '{"a": '\''b'\''}' --last 2w --profile 'my team')"
            " --after 2026-11-20 >> FILE");
  EXPECT_EQ(*read_span("12h"), hours(12));
  for (const char* const wrong : {"", "d", "0d", "-1d", "90", "90x", "456d", "66w", "1.5d"})
    EXPECT_FALSE(read_span(wrong)) << wrong;
  EXPECT_FALSE(read_day("20.11.2026"));
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{},
                                             {"--for"},
                                             {"--for", "{}", "--resume"},
                                             {"--for", "{}", "x"},
                                             {"--for", "{}", "--after", "2026-11-20", "--out", "f"},
                                             {"--for", "/no/such/file"}})
    EXPECT_FALSE(read(wrong));
}

}  // namespace
}  // namespace trainwarden::cli::export_arguments_test
