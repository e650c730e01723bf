// `trainwarden match` (P1).
#include "handlers/cli/check/match_command.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "tests/handlers/cli/stdio_file.h"

namespace trainwarden::cli::match_command_test {
namespace {

struct Line {
  std::string_view in, out;
  bool broken;
};

constexpr Line kLines[] = {
    {R"({"id": 7, "pattern": {"a": [1]}, "event": {"a": 1.0}})",
     R"({"id":7,"pattern":{"a":[1]},"event":{"a":1},"valid":true,"match":true})", false},
    {R"({"pattern": {"a": ["x"]}, "event": {}, "match": true, "valid": false, "why": "?"})",
     R"({"pattern":{"a":["x"]},"event":{},"valid":true,"match":false})", false},
    {R"({"pattern": {"a": []}, "event": {"a": 1}})",
     R"({"pattern":{"a":[]},"event":{"a":1},"valid":false,"why":"a: expected at least one value, found `[]`"})",
     false},
    {R"({"pattern": {"$or": [{"a": [1]}, {"b": [1]}]}, "event": {"b": 1}})",
     R"({"pattern":{"$or":[{"a":[1]},{"b":[1]}]},"event":{"b":1},"valid":true,"match":true})",
     false},
    {R"({"pattern": {"job": {"nothing of a job": [null]}}, "event": {"job.nothing of a job": null}})",
     R"({"pattern":{"job":{"nothing of a job":[null]}},"event":{"job.nothing of a job":null},"valid":true,"match":true})",
     false},
    {R"([])", R"({"error":"expected an object with `pattern` and `event`, found `[]`"})", true},
};

TEST(MatchP1, AnswersALine) {
  for (const Line& line : kLines) {
    const Answered out = match_line(line.in);
    EXPECT_EQ(out.line, line.out);
    EXPECT_EQ(out.broken, line.broken);
  }
}

TEST(MatchP1, BrokenLinesAreTold) {
  for (std::string_view line :
       {R"({"event": {}})", R"({"pattern": {"a": [1]}})", R"({"pattern": {"a": [1]}, "event": []})",
        R"({"pattern": {"a": [1]}, "event": 7})", "{", "7", R"({"a": 1e999})", "\xff",
        R"({"pattern": {"a": [1], "a": [2]}, "event": {}})"}) {
    const Answered out = match_line(line);
    EXPECT_TRUE(out.broken) << line;
    EXPECT_TRUE(out.line.starts_with(R"({"error":")")) << out.line;
  }
}

TEST(MatchP1, ABrokenLineDoesNotEndTheRun) {
  const File in(std::tmpfile());
  const File out(std::tmpfile());
  const File errors(std::tmpfile());
  ASSERT_TRUE(in && out && errors);
  std::fputs("\n{\"pattern\": \r\n{\"pattern\": {\"a\": [1]}, \"event\": {\"a\": 1}}", in.get());
  std::rewind(in.get());
  EXPECT_EQ(match_lines(in.get(), out.get(), errors.get()), 1);
  const std::string lines = content(out.get());
  EXPECT_TRUE(lines.starts_with(R"({"error":)")) << lines;
  EXPECT_TRUE(lines.ends_with("\"valid\":true,\"match\":true}\n")) << lines;
  EXPECT_TRUE(content(errors.get()).starts_with("trainwarden: line 2: "));
}

}  // namespace
}  // namespace trainwarden::cli::match_command_test
