// A failure's text as lines: blanks, control characters and letters' case.
#include "handlers/rules/failure/failure_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trainwarden::rules::failure_text_test {
namespace {

std::string shown(std::string_view line) {
  return std::string(FailureText::of_log(std::vector<std::string_view>{line}).shown());
}

std::string lower(std::string_view line) {
  return std::string(FailureText::of_log(std::vector<std::string_view>{line}).lower());
}

TEST(FailureText, SeveralBlanksAreOneWhereverTheyStand) {
  for (const std::string_view line :
       {"a b cd", "a  b cd", "a b  cd", "  a b cd", "a b cd  ", "a   b     cd ", " a  b  cd "})
    EXPECT_EQ(shown(line), "a b cd\n") << line;
  EXPECT_EQ(shown("   "), "");
}

TEST(FailureText, ATabIsABlank) { EXPECT_EQ(shown("a\tb \t c"), "a b c\n"); }

TEST(FailureText, ColoursAreNotShown) { EXPECT_EQ(shown("\x1b[31mred\x1b[0m line"), "red line\n"); }

// F9: a shell's word goes on where a bar of progress ended without a line break.
TEST(FailureText, F9_WhatAShellSaysBehindABarIsALineOfItsOwn) {
  EXPECT_EQ(shown(" 41/296 [==>....] - ETA: 365s - loss: 2.1371Killed"),
            "41/296 [==>....] - ETA: 365s - loss: 2.1371\nKilled\n");
  EXPECT_EQ(shown("reading:  20% [#   ] eta 28:34:54 \\Terminated"),
            "reading: 20% [# ] eta 28:34:54 \\\nTerminated\n");
  EXPECT_EQ(shown("step 12 of 90, loss 0.5Segmentation fault (core dumped)"),
            "step 12 of 90, loss 0.5\nSegmentation fault (core dumped)\n");
  for (const std::string_view line :
       {"the worker was Killed", "state=Killed", "Killed", "TaskKilled", "the job_Terminated"})
    EXPECT_EQ(shown(line), std::string(line) + "\n") << line;
}

TEST(FailureText, OnlyLettersOfAsciiHaveALowerCase) {
  std::string all;
  std::string expected;
  // Every byte that stands for itself in a text, at every place in a word of the machine.
  for (int shift = 0; shift < 8; ++shift) {
    for (int c = 0x21; c < 0x100; ++c) {
      if (c == '"' || c == '\\' || c == 0x7f) continue;
      all += static_cast<char>(c);
      expected += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    all += 'x';
    expected += 'x';
  }
  EXPECT_EQ(lower("x" + all), "x" + expected + "\n");
}

TEST(FailureText, AReasonIsBrokenWhereItsLogHadLines) {
  const FailureText text = FailureText::of_reason(
      "AlgorithmError: ExecuteUserScriptError: ExitCode 1 ErrorMessage \"ValueError: a [1,2] b\" "
      "Traceback (most recent call last): File \"t.py\", line 3, in f x() KeyError: 1 "
      "2024-03-22 15:18:20 the end");
  std::vector<std::string> lines;
  for (const Line& line : text.lines())
    lines.emplace_back(text.shown().substr(line.begin, line.end - line.begin));
  const std::vector<std::string> expected = {"AlgorithmError: ExecuteUserScriptError:",
                                             "ExitCode 1",
                                             "ErrorMessage \" ",
                                             "ValueError: a [1,2] b\"",
                                             "Traceback (most recent call last):",
                                             "File \"t.py\", line 3, in f x()",
                                             "KeyError: 1",
                                             "2024-03-22 15:18:20 the end"};
  EXPECT_EQ(lines, expected);
}

}  // namespace
}  // namespace trainwarden::rules::failure_text_test
