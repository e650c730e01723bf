// Every command words what is wrong with its arguments alike.
#include "handlers/cli/terminal/command_line.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "handlers/cli/backtest/backtest_arguments.h"
#include "handlers/cli/check/check_command.h"
#include "handlers/cli/diagnose/diagnose_arguments.h"
#include "handlers/cli/explain/explain_arguments.h"
#include "handlers/cli/export/export_arguments.h"
#include "handlers/cli/lineage/lineage_command.h"
#include "handlers/cli/prices/prices_command.h"
#include "handlers/cli/report/report_arguments.h"
#include "handlers/cli/restart/restart_arguments.h"
#include "handlers/cli/test/test_arguments.h"
#include "tests/handlers/cli/arguments.h"

namespace trainwarden::cli::command_line_test {
namespace {

using Words = std::vector<std::string>;

template <class Read>
std::string error_of_reading(Read read, const Words& words) {
  const Arguments arguments(words);
  const auto inputs = read(arguments.get());
  if (inputs) return "no error";
  EXPECT_EQ(inputs.error().code, ErrorCode::kInvalidInput);
  return inputs.error().message;
}

std::string error_of(std::string_view command, const Words& words) {
  if (command == "backtest") return error_of_reading(read_backtest, words);
  if (command == "check") return error_of_reading(read_check, words);
  if (command == "diagnose") return error_of_reading(read_diagnose, words);
  if (command == "export") return error_of_reading(read_export, words);
  if (command == "lineage") return error_of_reading(read_lineage, words);
  if (command == "prices") return error_of_reading(read_prices_arguments, words);
  if (command == "report") return error_of_reading(read_report, words);
  if (command == "restart") return error_of_reading(read_restart, words);
  if (command == "test") return error_of_reading(read_test, words);
  const auto explain = [](std::span<char* const> arguments) {
    return read_explain(arguments, {}, {});
  };
  return error_of_reading(explain, words);
}

const std::vector<std::string_view> kCommands = {"backtest", "check",   "diagnose", "explain",
                                                 "export",   "lineage", "prices",   "report",
                                                 "restart",  "test"};

TEST(CommandLine, AnUnknownOptionIsToldWithTheOneThatWasMeant) {
  for (const std::string_view command : kCommands)
    EXPECT_EQ(error_of(command, {"--nonsense"}), "unknown option `--nonsense`") << command;
  for (const auto& [command, found, meant] :
       std::vector<std::array<std::string, 3>>{{"backtest", "--aganst", "--against"},
                                               {"check", "--strickt", "--strict"},
                                               {"diagnose", "--polcy", "--policy"},
                                               {"explain", "--flet", "--fleet"},
                                               {"export", "--resum", "--resume"},
                                               {"lineage", "--polici", "--policy"},
                                               {"prices", "--regoin", "--region"},
                                               {"report", "--htlm", "--html"},
                                               {"restart", "--dryrun", "--dry-run"},
                                               {"test", "--juint", "--junit"}})
    EXPECT_EQ(error_of(command, {found}),
              "unknown option `" + found + "`; did you mean `" + meant + "`?");
}

TEST(CommandLine, AnOptionWithoutItsValue) {
  for (const auto& [command, option] :
       std::vector<std::array<std::string, 2>>{{"backtest", "--html"},
                                               {"diagnose", "--policy"},
                                               {"diagnose", "--file"},
                                               {"explain", "--policy"},
                                               {"explain", "--region"},
                                               {"export", "--for"},
                                               {"lineage", "--policy"},
                                               {"prices", "--region"},
                                               {"report", "--last"},
                                               {"restart", "--spot"},
                                               {"restart", "--limit"},
                                               {"test", "--junit"}}) {
    EXPECT_EQ(error_of(command, {option}), option + " needs a value") << command;
    EXPECT_EQ(error_of(command, {option, ""}), option + " needs a value") << command;
    EXPECT_EQ(error_of(command, {option, option, "x"}), option + " needs a value") << command;
  }
}

constexpr const char* kPolicy =
    R"({"version": 1, "rules": [{"name": "a", "match": {"failure": {"label": [{"exists": true}]}}, "actions": ["notify"]}]})";

TEST(CommandLine, AnOptionThatIsGivenTwice) {
  for (const auto& [command, option, value] :
       std::vector<std::array<std::string, 3>>{{"backtest", "--max-wrong", "0"},
                                               {"diagnose", "--policy", kPolicy},
                                               {"explain", "--policy", kPolicy},
                                               {"explain", "--now", "2026-07-02T13:00:00Z"},
                                               {"export", "--last", "90d"},
                                               {"lineage", "--policy", "ssm:p"},
                                               {"prices", "--region", "eu-west-1"},
                                               {"report", "--profile", "dev"},
                                               {"restart", "--limit", "2"},
                                               {"test", "--junit", "j.xml"}})
    EXPECT_EQ(error_of(command, {option, value, option, value}), option + " is given twice");
}

TEST(CommandLine, AnOptionWithoutAValueMayBeRepeated) {
  EXPECT_EQ(error_of("check", {"--json", "--json", "--nonsense"}), "unknown option `--nonsense`");
}

TEST(CommandLine, AnOptionOfAnotherForm) {
  const std::string html = ::testing::TempDir() + "command_line_test.html";
  for (const auto& [command, words, error] :
       std::vector<std::tuple<std::string_view, Words, std::string_view>>{
           {"backtest",
            {"{}", "--against", "{}", "--html", html},
            "--against is for text or --json; a page shows one policy"},
           {"diagnose",
            {"train-7", "--file", "c"},
            "--file is for use without another name; `train-7` is one"},
           {"explain",
            {"train-7", "--tags", "{}"},
            "--tags is for use without a job's name; of `train-7` AWS is asked"},
           {"export",
            {"--for", "{}", "--after", "2026-11-20", "--out", "f"},
            "--after is for standard output; a file goes on with --resume"},
           {"export",
            {"--for", "{}", "--resume"},
            "--resume is for a file, --out FILE; standard output goes on with --after DAY"},
           {"report",
            {"--last", "30d", "jobs.jsonl"},
            "--last is for what AWS is asked; the file has its own days"}})
    EXPECT_EQ(error_of(command, words), error);
}

TEST(CommandLine, AnArgumentTooMany) {
  for (const auto& [command, words, expected] :
       std::vector<std::tuple<std::string_view, Words, std::string>>{
           {"backtest", {"{}", "b", "c"}, "POLICY and one export"},
           {"check", {"b", "c"}, "one file"},
           {"diagnose", {"b", "c"}, "one job or file"},
           {"explain", {"b", "c"}, "one job"},
           {"lineage", {"b", "c"}, "one job"},
           {"report", {"b", "c"}, "one export"},
           {"restart", {"b", "c"}, "one job"},
           {"test", {"{}", "b", "c"}, "POLICY and CASES"}}) {
    EXPECT_EQ(error_of(command, words), "expected " + expected + ", found `c` too") << command;
    EXPECT_EQ(error_of(command, {""}), "expected " + expected + ", found an empty argument");
  }
  for (const std::string_view command : {"export", "prices"})
    EXPECT_EQ(error_of(command, {"c"}), "expected options only, found `c`");
}

TEST(CommandLine, StandardInputServesOneOption) {
  EXPECT_EQ(error_of("backtest", {"-", "-"}),
            "standard input is the policy or the export, not both");
  EXPECT_EQ(error_of("test", {"-", "-"}), "standard input is the policy or the cases, not both");
}

}  // namespace
}  // namespace trainwarden::cli::command_line_test
