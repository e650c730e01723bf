// Files in UTF-16 are decoded by their mark, and what is no text is refused (issue 41, 5).
#include "handlers/cli/files/text_encoding.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "handlers/cli/files/input_lines.h"
#include "handlers/cli/files/inputs.h"

namespace trainwarden::cli::text_encoding_test {
namespace {

using namespace std::string_literals;

std::string utf16(std::u16string_view text, bool is_little) {
  std::string out = is_little ? "\xFF\xFE"s : "\xFE\xFF"s;
  for (const char16_t unit : text) {
    const auto low = static_cast<char>(unit & 0xFF);
    const auto high = static_cast<char>(unit >> 8);
    out += is_little ? std::string{low, high} : std::string{high, low};
  }
  return out;
}

constexpr std::u16string_view kText = u"CUDA out of memory: é 組 😀\r\n";
const std::string kSame = "CUDA out of memory: é 組 😀\r\n";

TEST(TextEncoding, Utf16IsDecodedByItsMark) {
  for (const bool is_little : {true, false}) {
    const auto text = utf8_of(utf16(kText, is_little));
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(*text, kSame);
  }
  EXPECT_EQ(utf8_of(utf16(u"", true)), "");
}

TEST(TextEncoding, Utf8StaysAsItIs) {
  for (const std::string& text : {kSame, ""s, "\xEF\xBB\xBFx"s, "a\tb\x7F"s})
    EXPECT_EQ(utf8_of(text), text);
}

TEST(TextEncoding, WhatIsNoTextIsRefusedWithWhatToDo) {
  struct Bad {
    std::string bytes;
    std::string_view says;
  };
  const Bad cases[] = {{"one\ncaf\xE9\n", "found the byte 0xE9 on line 2"},
                       {"\xC3", "found the byte 0xC3 on line 1"},
                       {"\xED\xA0\x80", "found the byte 0xED on line 1"},
                       {"a\0b\0"s, "found NUL bytes, as UTF-16 without its mark has them"},
                       {"\xFF\xFE\0\0a\0\0\0"s, "found UTF-32"},
                       {utf16(u"ab", true) + "c", "UTF-16 that ends with half a character"},
                       {utf16(std::u16string{0xD83D, u'x'}, true), "half a pair at byte 2"},
                       {utf16(std::u16string{0xDE00}, false), "half a pair at byte 2"},
                       {"\xFE\x01", "found the byte 0xFE on line 1"}};
  for (const Bad& bad : cases) {
    const auto text = utf8_of(bad.bytes);
    ASSERT_FALSE(text) << bad.says;
    EXPECT_NE(text.error().message.find(bad.says), std::string::npos) << text.error().message;
    EXPECT_NE(text.error().message.find("save it as UTF-8"), std::string::npos);
  }
}

TEST(TextEncoding, LinesOfAFileAndWholeFilesAlike) {
  const std::string path = ::testing::TempDir() + "/utf16.txt";
  std::ofstream(path, std::ios::binary) << utf16(u"first\nsecond\n", true);
  auto lines = open_lines(path);
  ASSERT_TRUE(lines) << lines.error().message;
  EXPECT_EQ(next_line(**lines)->line, "first");
  EXPECT_EQ(next_line(**lines)->line, "second");
  EXPECT_EQ(read_file_or_input(path), "first\nsecond\n");
  std::ofstream(path, std::ios::binary) << "caf\xE9";
  const auto refused = read_file_or_input(path);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with(path)) << refused.error().message;
  std::ofstream(path, std::ios::binary) << "\xFF\xFEx";
  EXPECT_FALSE(open_lines(path));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace trainwarden::cli::text_encoding_test
