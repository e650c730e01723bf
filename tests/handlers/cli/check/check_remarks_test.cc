// Lines, columns, JSON and exit codes of `trainwarden check` (P2).
#include "handlers/cli/check/check_remarks.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/cli/check/check_command.h"
#include "tests/handlers/cli/arguments.h"
#include "tests/handlers/cli/stdio_file.h"

namespace trainwarden::cli::check_remarks_test {
namespace {

// What check prints of that text; "FILE" stands for the file's name.
Printed checked(std::string_view text, bool json = false, bool strict = false) {
  std::string path = ::testing::TempDir() + "check_remarks_test_XXXXXX";
  const int fd = ::mkstemp(path.data());
  if (fd < 0) throw std::runtime_error("cannot create " + path);
  {
    const File file(::fdopen(fd, "w"));
    std::fwrite(text.data(), 1, text.size(), file.get());
  }
  Printed out = check({.path = path, .json = json, .strict = strict});
  std::remove(path.c_str());
  for (std::size_t at = out.output.find(path); at != std::string::npos; at = out.output.find(path))
    out.output.replace(at, path.size(), "FILE");
  return out;
}

constexpr std::string_view kSound = R"({"version": 1, "rules": [
  {"name": "r", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"a": ["b"]}},
   "actions": ["stop"]}]})";
constexpr std::string_view kDoubtful = R"({"version": 1, "rules": [
  {"name": "r", "match": {"job": {"TrainingJobStatus": ["InProgres"]}}, "actions": ["stop"]}]})";
constexpr std::string_view kWrong = R"({"version": 1, "rules": [
  {"name": "ä/b", "match": {"job": {"TrainingJobStatuss": ["x"]}}, "actions": ["stopp"]}]})";

TEST(CheckP2, EveryMistakeHasItsLineAndColumn) {
  const Printed printed = checked(kWrong);
  EXPECT_EQ(printed.status, 1);
  EXPECT_TRUE(printed.output.starts_with(
      "FILE:2:37: error: rules[0].match.job.TrainingJobStatuss: expected a leaf of "))
      << printed.output;
  EXPECT_TRUE(printed.output.contains("\nFILE:2:80: error: rules[0].actions[0]: expected "))
      << printed.output;
  EXPECT_TRUE(printed.output.ends_with("\nFILE: 2 errors\n")) << printed.output;
}

TEST(CheckP2, SoHasEveryWarning) {
  const Printed printed = checked(kDoubtful);
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(printed.output.starts_with(
      "FILE:2:57: warning: rules[0].match.job.TrainingJobStatus[0]: `InProgres` is not a known "))
      << printed.output;
  EXPECT_TRUE(printed.output.contains("\nFILE: sound; 1 rule, mode observe, hash "))
      << printed.output;
}

TEST(CheckP2, AWarningOnAWholeRuleStandsWhereTheRuleBegins) {
  const Printed printed = checked(
      "// policy\r\n{\"version\": 1, \"rules\": [\r\n  /* ü */ {\"name\": \"r\",\r\n"
      "\"match\": {\"job\": {\"TrainingJobStatus\": [\"Completed\"],\r\n"
      "\"SecondaryStatus\": [\"Training\"]}}, \"actions\": [\"stop\"]}]}");
  EXPECT_TRUE(printed.output.starts_with("FILE:3:11: warning: rules[0] (r): never matches: "))
      << printed.output;
}

TEST(CheckP2, TextThatIsNotJsonHasAPlaceToo) {
  EXPECT_EQ(checked("{\n \"ü\": x}").output,
            "FILE:2:7: error: not valid JSON: invalid value\nFILE: 1 error\n");
  EXPECT_EQ(checked("{\"version\": 1,\n \"version\": 1}").output,
            "FILE:2:2: error: member `version` is there twice\nFILE: 1 error\n");
  EXPECT_EQ(checked("").status, 1);
}

TEST(CheckP2, LongLinesAreBrokenForATerminalOnly) {
  const std::string path = "tests/fuzz/seeds/policy/watches.json";
  const std::string whole = check({.path = path}).output;
  const std::string broken = check({.path = path, .screen = {.columns = 60}}).output;
  EXPECT_EQ(whole.find("\n   "), std::string::npos);
  EXPECT_GT(std::ranges::count(broken, '\n'), std::ranges::count(whole, '\n'));
}

TEST(CheckP2, JsonIsOneDocument) {
  const Printed printed = checked(kWrong, true);
  EXPECT_EQ(printed.status, 1);
  const auto document = json::Document::parse(printed.output);
  ASSERT_TRUE(document) << printed.output;
  const json::Value errors = *document->root().find("errors");
  ASSERT_EQ(errors.size(), 2U);
  const json::Value first = *errors.elements().begin();
  EXPECT_EQ(first.find("severity")->as_string(), "error");
  EXPECT_EQ(first.find("path")->as_string(), "/rules/0/match/job/TrainingJobStatuss");
  EXPECT_EQ(first.find("rule")->as_string(), "ä/b");
  EXPECT_EQ(first.find("line")->as_integer(), 2);
  EXPECT_EQ(first.find("column")->as_integer(), 37);
  EXPECT_TRUE(first.find("message")->as_string().starts_with("expected a leaf of "));
  EXPECT_EQ(document->root().find("warnings")->size(), 0U);
  EXPECT_EQ(document->root().find("notes")->size(), 0U);
}

TEST(CheckP2, JsonOfASoundPolicyHasWarningsAndNotes) {
  const auto sound = json::Document::parse(checked(kSound, true).output);
  ASSERT_TRUE(sound);
  EXPECT_EQ(sound->root().find("errors")->size(), 0U);
  EXPECT_EQ(sound->root().find("warnings")->size(), 0U);
  const auto doubtful = json::Document::parse(checked(kDoubtful, true).output);
  ASSERT_EQ(doubtful->root().find("warnings")->size(), 1U);
  const json::Value warning = *doubtful->root().find("warnings")->elements().begin();
  EXPECT_EQ(warning.find("severity")->as_string(), "warning");
  EXPECT_EQ(warning.find("path")->as_string(), "/rules/0/match/job/TrainingJobStatus/0");
  EXPECT_EQ(warning.find("rule")->as_string(), "r");
  const auto broken = json::Document::parse(checked("{", true).output);
  ASSERT_EQ(broken->root().find("errors")->size(), 1U);
  const json::Value error = *broken->root().find("errors")->elements().begin();
  EXPECT_EQ(error.find("path")->as_string(), "");
  EXPECT_FALSE(error.find("rule"));
}

TEST(CheckP2, ARuleWithoutANameAndWhatIsInNoRuleHaveNone) {
  for (const auto& remark : mistakes_of(R"({"version": 2, "rules": [{"name": 7, "match": 1}, 8]})"))
    EXPECT_FALSE(remark.rule) << remark.path;
  const auto mistakes = mistakes_of(
      R"({"version": 1, "rules": [{"name": "a", "match": {"tags": {"x": ["y"]}}, "actions": ["stop"]},
                                  {"name": "b", "match": {"tags": {"x": []}}, "actions": ["stop"]}]})");
  ASSERT_EQ(mistakes.size(), 1U);
  EXPECT_EQ(mistakes[0].rule, "b");
  EXPECT_EQ(mistakes[0].path, "/rules/1/match/tags/x");
}

// F16: what a rule does beside InstancePreferences is no mistake, and is said.
TEST(CheckF16, WhatRulesDoBesidePreferencesIsNoted) {
  const auto notes = [](std::string_view rule) {
    const Printed printed = checked(
        R"({"version": 1, "rules": [{"name": "r", )" + std::string(rule) + "}]}", false, true);
    EXPECT_EQ(printed.status, 0) << printed.output;
    std::string out;
    for (const char* const what :
         {"`instance_types` changes nothing of them", "which AWS refuses beside them",
          "resources.instance_types has the types of all"})
      out += printed.output.contains(what) ? 'y' : 'n';
    return out;
  };
  const std::string ends = R"("match": {"job": {"TrainingJobStatus": ["Failed"]}}, )";
  EXPECT_EQ(notes(ends + R"("actions": [{"restart": {"instance_types": ["ml.g5.xlarge"]}}])"),
            "ynn");
  EXPECT_EQ(notes(ends + R"("actions": [{"restart": {"spot": true}}])"), "nyn");
  EXPECT_EQ(notes(ends + R"("actions": [{"restart": {"spot": false}}])"), "nnn");
  const auto named = [&](std::string_view path) {
    return notes(
        R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"a": ["b"]}, )" +
        std::string(path) + R"(}, "actions": ["notify"])");
  };
  EXPECT_EQ(notes(R"("match": {"job": {"TrainingJobStatus": ["InProgress"], "ResourceConfig":
                      {"InstanceType": ["ml.g5.xlarge"]}}}, "actions": ["notify"])"),
            "nny");
  EXPECT_EQ(named(R"("resources": {"instance_types": ["ml.g5.xlarge"]})"), "nnn");
}

TEST(CheckP2, StrictTakesWarningsForMistakes) {
  EXPECT_EQ(checked(kSound, false, true).status, 0);
  EXPECT_EQ(checked(kDoubtful, false, true).status, 1);
  EXPECT_EQ(checked(kDoubtful, true, true).status, 1);
  EXPECT_EQ(checked(kDoubtful, true).status, 0);
  EXPECT_EQ(checked(kWrong, false, true).status, 1);
  EXPECT_TRUE(checked(kDoubtful, false, true)
                  .output.ends_with("FILE: 1 warning, which --strict takes for mistakes\n"));
  // A note is none.
  const Printed note = checked(R"({"version": 1, "rules": [{"name": "r", "match": {"job":
      {"TrainingJobStatus": ["Failed"]}}, "actions": ["restart"]}]})",
                               false, true);
  EXPECT_TRUE(note.output.contains("FILE:1:26: note: ")) << note.output;
  EXPECT_EQ(note.status, 0);
}

TEST(CheckP2, AFileThatCannotBeReadIsNoMistakeOfAPolicy) {
  const Printed printed = check({.path = "/nonexistent/policy.json", .json = true});
  EXPECT_EQ(printed.status, 2);
  EXPECT_TRUE(printed.output.empty());
}

TEST(CheckP2, Arguments) {
  const auto read = [](const std::vector<std::string>& words) {
    return read_check(Arguments(words).get());
  };
  EXPECT_EQ(read({"p.json"})->path, "p.json");
  EXPECT_EQ(read({"-"})->path, "-");
  EXPECT_TRUE(read({"--json", "p.json", "--strict"})->strict);
  EXPECT_TRUE(read({"p.json", "--json"})->json);
  EXPECT_FALSE(read({"p.json"})->strict);
  for (const auto& words :
       {std::vector<std::string>{}, {"--json"}, {"a", "b"}, {"--jso", "a"}, {"a", "-x"}})
    EXPECT_FALSE(read(words));
}

}  // namespace
}  // namespace trainwarden::cli::check_remarks_test
