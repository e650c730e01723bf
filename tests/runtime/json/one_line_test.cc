// What others wrote, on one line of ours.
#include "runtime/json/one_line.h"

#include <gtest/gtest.h>

#include "runtime/json/json.h"

namespace trainwarden::json::one_line_test {
namespace {

TEST(OneLine, WhatEndsALineOrTurnsItIsSeenAndDoesNothing) {
  struct Case {
    const char* text;
    const char* line;
  };
  const Case cases[] = {
      {"a\nRule: b", "a\\u000ARule: b"},
      {"a\r\nb", "a\\u000D\\u000Ab"},
      {"a\u0085b", "a\\u0085b"},
      {"a\u2028b\u2029c", "a\\u2028b\\u2029c"},
      {"\x1b[2Ja", "\\u001B[2Ja"},
      {"a\u009b2J", "a\\u009B2J"},
      {"a\x7f", "a\\u007F"},
      {"a\tb\vc\fd", "a\\u0009b\\u000Bc\\u000Cd"},
      {"\u202egnp.exe\u202c", "\\u202Egnp.exe\\u202C"},
      {"\u2066a\u2067b\u2068c\u2069", "\\u2066a\\u2067b\\u2068c\\u2069"},
      {"\u200e\u200f\u061c", "\\u200E\\u200F\\u061C"},
      {"a\xff\x9b\xc3", "a\uFFFD\uFFFD\uFFFD"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(one_line(c.text), c.line);
    EXPECT_EQ(one_line(one_line(c.text)), c.line);
  }
  EXPECT_EQ(one_line(std::string("a\0b", 3)), "a\\u0000b");
}

TEST(OneLine, LettersOfAnyScriptStayAsTheyAre) {
  for (const char* text : {"", "a b", "Zoë’s model… 2 × A100", "\\u000A", "模型", "модель", "מודל",
                           "نموذج", "🙂", "👩\u200d🔬", "a\u00a0b", "\"quoted\\n\""})
    EXPECT_EQ(one_line(text), text);
}

// So a record in a log line says what was found, and stands on that line.
TEST(OneLine, AJsonTextKeepsItsValue) {
  const std::string found = "a\nb\u2028c\u0085d\u202ee\x7f\\u2028 \"";
  Writer writer;
  writer.begin_object().member("x", found).end_object();
  const std::string line = one_line(writer.take());
  for (const char* gone : {"\n", "\u2028", "\u0085", "\u202e", "\x7f"})
    EXPECT_EQ(line.find(gone), std::string::npos);
  const auto read = Document::parse(line);
  ASSERT_TRUE(read) << line;
  EXPECT_EQ(read->root().find("x")->as_string(), found);
}

}  // namespace
}  // namespace trainwarden::json::one_line_test
