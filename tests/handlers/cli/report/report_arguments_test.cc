#include "handlers/cli/report/report_arguments.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "handlers/rules/policy/policy.h"
#include "tests/handlers/cli/arguments.h"
#include "tests/report/made_up.h"

namespace trainwarden::cli::report_arguments_test {
namespace {

Result<ReportInputs> read(const std::vector<std::string>& words) {
  return read_report(Arguments(words).get());
}

constexpr const char* kPolicy = R"({"version": 1, "rules": []})";

TEST(ReportArguments, AreReadInAnyOrder) {
  const auto given =
      read({"jobs.jsonl", "--html", "out.html", "--policy", kPolicy, "--region", "eu-central-1"});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->file, "jobs.jsonl");
  EXPECT_EQ(given->form.html, "out.html");
  EXPECT_TRUE(given->has_policy);
  EXPECT_EQ(given->wanted.policy, kPolicy);
  EXPECT_EQ(given->wanted.aws.region, "eu-central-1");
}

TEST(ReportArguments, WithoutAnyAllOfNinetyDaysIsAskedFor) {
  const auto given = read({});
  ASSERT_TRUE(given);
  EXPECT_FALSE(given->has_policy);
  EXPECT_EQ(given->wanted.span, std::chrono::days(90));
  // What is exported then is decided by a policy that is one, and that acts on nothing.
  const auto policy = rules::parse_policy(given->wanted.policy);
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->mode(), rules::Mode::kObserve);
  ASSERT_EQ(policy->rules().size(), 1U);
  EXPECT_FALSE(policy->rules()[0].has(rules::ActionKind::kStop));
  // The command that goes on after a cut is one that a person can give.
  EXPECT_TRUE(command_to_go_on(given->wanted, std::nullopt).ends_with("--resume"));
}

TEST(ReportArguments, StandardInputIsAFile) {
  const auto given = read({"-", "--json"});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->file, "-");
  EXPECT_TRUE(given->form.json);
}

TEST(ReportArguments, MistakesAreToldWithWhatWasExpected) {
  const std::vector<std::pair<std::vector<std::string>, std::string_view>> cases = {
      {{"--jsn"}, "unknown option `--jsn`; did you mean `--json`?"},
      {{"a", "b"}, "expected one export, found `b` too"},
      {{""}, "empty argument"},
      {{"--html"}, "--html needs a value"},
      {{"--html", ""}, "--html needs a value"},
      {{"--last", "soon"}, "expected days such as 90d"},
      {{"--last", "30d", "jobs.jsonl"}, "the file has its own days"},
      {{"--json", "--html", "x"}, "two forms"},
      {{"--policy", "/nowhere/policy.json"}, "/nowhere/policy.json"}};
  for (const auto& [words, expected] : cases) {
    const auto given = read(words);
    ASSERT_FALSE(given) << expected;
    EXPECT_NE(given.error().message.find(expected), std::string::npos) << given.error().message;
  }
}

TEST(FindingsForm, APageIsWrittenAndReplacedAndJsonHoldsNoControlCharacter) {
  const std::string path =
      (std::filesystem::path(::testing::TempDir()) / "findings_form_test.html").string();
  for (const std::size_t jobs : {9U, 2U}) {
    const auto output = output_of(made_up::fleet(jobs), {.html = path});
    ASSERT_TRUE(output) << output.error().message;
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_TRUE(text.str().starts_with("<!doctype html>"));
    EXPECT_TRUE(text.str().ends_with("</html>\n"));
  }
  std::filesystem::remove(path);
  EXPECT_FALSE(output_of(made_up::findings(), {.html = "/nowhere/x.html"}));
  const auto json = output_of(made_up::hostile(), {.json = true});
  ASSERT_TRUE(json);
  for (const char c : json->substr(0, json->size() - 1))
    ASSERT_GE(static_cast<unsigned char>(c), 0x20);
  EXPECT_EQ(json->find("\u202E"), std::string::npos);
  EXPECT_TRUE(json::Document::parse(*json));
}

}  // namespace
}  // namespace trainwarden::cli::report_arguments_test
