// What a line amounts to: whether it only names, compares or shows what elsewhere means failure.
#include "handlers/rules/failure/wording.h"

#include <gtest/gtest.h>

#include <string_view>

namespace trainwarden::rules::wording_test {
namespace {

constexpr std::string_view kOpeners = " [{:";

TEST(FailureLines, WhatAMessageNamesIsAValue) {
  EXPECT_EQ(named_by(": unknown event '", "preempted'", kOpeners), Named::kAsValue);
  EXPECT_EQ(named_by(": unsupported class: ", "ecc error", kOpeners), Named::kAsValue);
  EXPECT_EQ(named_by(": simulated ", "preemption", kOpeners), Named::kAsValue);
  EXPECT_EQ(named_by(": ", "state == 'preempted'", kOpeners), Named::kCompared);
}

TEST(FailureLines, WhatAMessageReportsHappened) {
  EXPECT_EQ(named_by(": cuda error: ", "uncorrectable ecc error", kOpeners), Named::kNot);
  EXPECT_EQ(named_by(": unexpected status: ", "503", kOpeners), Named::kNot);
  EXPECT_EQ(named_by(": invalid status '", "server busy'", kOpeners), Named::kQuoted);
  // The quotation has ended, an apostrophe begins none, and neither does a nested exception's.
  EXPECT_EQ(named_by(": host 'n1' ", "was preempted", kOpeners), Named::kNot);
  EXPECT_EQ(named_by(": couldn't reach n1: ", "no such host", kOpeners), Named::kNot);
  EXPECT_EQ(named_by(": ('", "connection aborted.'", kOpeners), Named::kNot);
}

TEST(FailureLines, ACommandThatAShellShows) {
  const std::string_view line = "run.sh: line 18: 2324 aborted (core dumped) train --data a";
  EXPECT_EQ(command_in(line), line.find(" (core"));
  EXPECT_EQ(command_in("train.py: line 18: no such file"), std::string_view::npos);
  EXPECT_EQ(command_in("the file has a line : 7"), std::string_view::npos);
}

TEST(FailureLines, Code) {
  const std::string_view raised = "raise valueerror(\"no capacity\") valueerror: no capacity";
  EXPECT_TRUE(in_code(raised, raised.find("no capacity"), line_words(raised)));
  EXPECT_FALSE(in_code(raised, raised.rfind("no capacity"), line_words(raised)));
  EXPECT_TRUE(in_code("if state == 'preempted':", 13, 0));
  EXPECT_FALSE(in_code("if this host was preempted, run it again", 13, 0));
  EXPECT_TRUE(is_frame("file \"a.py\", line 8, in main"));
  EXPECT_FALSE(is_frame("the file \"a.py\" is missing"));
}

TEST(FailureLines, WhatIsSaidToBeHarmless) {
  EXPECT_TRUE(
      harmless(line_words("the caller indicates that this is not a failure, but may mean")));
  EXPECT_FALSE(harmless(line_words("cuda out of memory")));
}

TEST(FailureLines, AnItemOfAListOfGuessesDidNotHappen) {
  constexpr std::string_view kText =
      "it could not start\nthis usually is caused by:\n* a missing library\nsettings\n"
      "* permission denied\nwhat is wrong:\n* no space left";
  EXPECT_TRUE(guessed_in_a_list(kText, kText.find("* a missing")));
  EXPECT_TRUE(guessed_in_a_list(kText, kText.find("* permission")));
  EXPECT_FALSE(guessed_in_a_list(kText, kText.find("settings"))) << "no item";
  EXPECT_FALSE(guessed_in_a_list(kText, kText.find("* no space"))) << "the list tells what is";
  EXPECT_FALSE(guessed_in_a_list("* alone", 0));
}

TEST(FailureLines, WhatNamesThingsOutsideOfAProgram) {
  for (const std::string_view words :
       {"cuda error: unknown error", "gpu 3 is lost", "[errno 107] not connected",
        "reading from s3://bucket", "efa_rdm failed", "get https://host: eof"})
    EXPECT_TRUE(names_the_outside(words)) << words;
  for (const std::string_view words : {"node died: graph node 7", "the default profile",
                                       "an amount of ships", "link down: edge 3"})
    EXPECT_FALSE(names_the_outside(words)) << words;
}

}  // namespace
}  // namespace trainwarden::rules::wording_test
