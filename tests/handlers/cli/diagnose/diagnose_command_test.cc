// `trainwarden diagnose`.
#include "handlers/cli/diagnose/diagnose_command.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/handlers/cli/stdio_file.h"

namespace trainwarden::cli::diagnose_command_test {
namespace {

struct Line {
  std::string_view in, out;
  bool broken;
};

constexpr Line kLines[] = {
    {R"({"id": 7, "failure_reason": "CapacityError: Unable to provision requested ML compute capacity.", "log_tail": []})",
     R"({"id":7,"failure_reason":"CapacityError: Unable to provision requested ML compute capacity.","log_tail":[],"label":"capacity","resume":"yes","evidence":"CapacityError: Unable to provision requested ML compute capacity."})",
     false},
    // What it says already gives way; the rest is kept.
    {R"({"label": "?", "failure_reason": null, "log_tail": ["a", "KeyError: 'b'"], "note": {"x": [1]}})",
     R"({"failure_reason":null,"log_tail":["a","KeyError: 'b'"],"note":{"x":[1]},"label":"user_code","resume":"no","evidence":"KeyError: 'b'"})",
     false},
    {R"({"log_tail": "a\nKeyError: 'b'\n"})",
     R"({"log_tail":"a\nKeyError: 'b'\n","label":"user_code","resume":"no","evidence":"KeyError: 'b'"})",
     false},
    {R"({"failure_reason": ""})",
     R"({"failure_reason":"","label":"unknown","resume":"once","evidence":""})", false},
    {R"({"id": 1, "failure_reason": 7})",
     R"({"id":1,"failure_reason":7,"error":"`failure_reason`: expected a string, found `7`"})",
     true},
    {R"({"log_tail": ["a", null]})",
     R"({"log_tail":["a",null],"error":"`log_tail[1]`: expected a string, found `null`"})", true},
    {R"({"log_tail": {}})",
     R"({"log_tail":{},"error":"`log_tail`: expected a list of texts, found `{}`"})", true},
    {R"({"id": 1})",
     R"({"id":1,"error":"expected `failure_reason` or `log_tail`, found `{\"id\":1}`"})", true},
    {R"([1])",
     R"({"error":"expected an object with `failure_reason` and `log_tail`, found `[1]`","line":"[1]"})",
     true},
};

TEST(DiagnoseCommand, AnswersALine) {
  for (const Line& line : kLines) {
    const Answered out = diagnose_line(line.in);
    EXPECT_EQ(out.line, line.out);
    EXPECT_EQ(out.broken, line.broken);
  }
}

// F11: the line that counts, what it was read as, the signature and its reason, and what lost.
TEST(DiagnoseCommand, F11_TellsWhy) {
  const Answered out = diagnose_line(
      R"({"log_tail": ["NVRM: GPU 3 has fallen off the bus.", "KeyError: 'b'"], "why": "?"})",
      true);
  EXPECT_FALSE(out.broken);
  const auto first = out.line.find(R"("why":[{"label":"hardware","resume":"yes")");
  ASSERT_NE(first, std::string::npos) << out.line;
  EXPECT_NE(out.line.find(R"("read_as":"kernel or driver","id":"hardware.gpu_lost")", first),
            std::string::npos)
      << out.line;
  EXPECT_NE(out.line.find(R"("label":"user_code","resume":"no","line":"KeyError: 'b'")", first),
            std::string::npos)
      << out.line;
  EXPECT_EQ(out.line.find(R"("why":"?")"), std::string::npos);
  // Without it, nothing more is said.
  EXPECT_EQ(diagnose_line(R"({"log_tail": ["a"]})").line.find("why"), std::string::npos);
}

// F10: a policy's own signatures count first.
TEST(DiagnoseCommand, F10_OwnSignaturesCount) {
  const std::vector<rules::OwnSignature> own = {
      {"licence*busy", rules::FailureLabel::kService, rules::RunAgain::kYes, ""}};
  EXPECT_NE(diagnose_line(R"({"log_tail": ["ValueError: licence busy"]})", false, own)
                .line.find(R"("label":"service","resume":"yes")"),
            std::string::npos);
  EXPECT_NE(diagnose_line(R"({"log_tail": ["ValueError: licence free"]})", false, own)
                .line.find(R"("label":"user_code","resume":"no")"),
            std::string::npos);
}

TEST(DiagnoseCommand, WhatIsNoJsonIsKeptBesideTheError) {
  const Answered out = diagnose_line("{\xff");
  EXPECT_TRUE(out.broken);
  EXPECT_TRUE(out.line.starts_with(R"({"error":")")) << out.line;
  EXPECT_TRUE(out.line.ends_with("\"line\":\"{\xef\xbf\xbd\"}")) << out.line;
}

TEST(DiagnoseCommand, ABrokenLineIsToldByNumberAndDoesNotEndTheRun) {
  const File in(std::tmpfile());
  const File out(std::tmpfile());
  const File errors(std::tmpfile());
  ASSERT_TRUE(in && out && errors);
  std::fputs("\n{\"failure_reason\": \n{\"log_tail\": [\"CUDA out of memory.\"]}", in.get());
  std::rewind(in.get());
  EXPECT_EQ(diagnose_lines(in.get(), out.get(), errors.get()), 1);
  const std::string lines = content(out.get());
  EXPECT_TRUE(lines.starts_with(R"({"error":)")) << lines;
  EXPECT_TRUE(
      lines.ends_with("\"label\":\"oom_gpu\",\"resume\":\"no\",\"evidence\":\"CUDA out of "
                      "memory.\"}\n"))
      << lines;
  EXPECT_TRUE(content(errors.get()).starts_with("trainwarden: line 2: ")) << content(errors.get());
}

TEST(DiagnoseCommand, AnOutputThatCannotBeWrittenIsToldAndDoesNotAbort) {
  const File in(std::tmpfile());
  const File errors(std::tmpfile());
  const File full(std::fopen("/dev/full", "w"));
  ASSERT_TRUE(in && errors && full);
  for (int i = 0; i < 1000; ++i) std::fputs("{\"failure_reason\": \"x\"}\n", in.get());
  std::rewind(in.get());
  EXPECT_EQ(diagnose_lines(in.get(), full.get(), errors.get()), 2);
  EXPECT_EQ(content(errors.get()), "trainwarden: the output cannot be written\n");
}

}  // namespace
}  // namespace trainwarden::cli::diagnose_command_test
