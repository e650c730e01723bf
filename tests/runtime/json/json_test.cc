#include "runtime/json/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "runtime/json/utf8.h"

namespace trainwarden::json::json_test {
namespace {

std::string round_trip(std::string_view text) {
  const auto document = Document::parse(text);
  return document ? to_text(document->root()) : "error: " + document.error().message;
}

std::string message(std::string_view text, Syntax syntax = Syntax::kStrict) {
  const auto document = Document::parse(text, syntax);
  EXPECT_FALSE(document) << text;
  return document ? "" : document.error().message;
}

TEST(JsonParse, KeepsEveryType) {
  EXPECT_EQ(round_trip(R"( {"a":[1,-2,null,true,false,"x"],"b":{}} )"),
            R"({"a":[1,-2,null,true,false,"x"],"b":{}})");
}

TEST(JsonParse, ConvertsNumbersExactly) {
  const struct {
    const char* text;
    double value;
  } cases[] = {{"0.1", 0.1},
               {"1e3", 1000},
               {"9007199254740993", 9007199254740993.0},
               {"123456789.12345678", 123456789.12345678},
               {"0.30000000000000004", 0.1 + 0.2},
               {"1.7976931348623157e308", 1.7976931348623157e308},
               {"5e-324", 5e-324},
               {"1e-400", 0},
               {"18446744073709551616", 18446744073709551616.0}};
  for (const auto& [text, value] : cases) {
    const auto document = Document::parse(text);
    ASSERT_TRUE(document) << text;
    EXPECT_EQ(document->root().as_number(), value) << text;
  }
}

TEST(JsonParse, KeepsTheSignOfZero) {
  EXPECT_TRUE(std::signbit(Document::parse("-0")->root().as_number()));
  EXPECT_TRUE(std::signbit(Document::parse("-0.0")->root().as_number()));
  EXPECT_FALSE(std::signbit(Document::parse("0")->root().as_number()));
}

TEST(JsonParse, TellsWholeNumbersFromOthers) {
  EXPECT_EQ(Document::parse("3.0")->root().as_integer(), 3);
  EXPECT_EQ(Document::parse("3e2")->root().as_integer(), 300);
  EXPECT_EQ(Document::parse("9223372036854775807")->root().as_integer(), 9223372036854775807LL);
  EXPECT_EQ(Document::parse("9223372036854775808")->root().as_integer(), std::nullopt);
  EXPECT_EQ(Document::parse("3.5")->root().as_integer(), std::nullopt);
}

TEST(JsonParse, RefusesWhatIsNotJson) {
  for (const char* text :
       {"", "{", "[1,]", "{\"a\":1,}", "// no\n1", "nul", "'a'", "[1] [2]", "01", "1.", "+1", "NaN",
        "Infinity", "\"\x01\"", "\"a\nb\"", "{\"a\" 1}", "{a:1}"})
    EXPECT_NE(message(text).find("not valid JSON at line "), std::string::npos) << text;
}

TEST(JsonParse, SaysWhere) {
  EXPECT_EQ(message("{\n \"a\": x}"), "not valid JSON at line 2, column 7: invalid value");
}

TEST(JsonParse, RefusesNumbersBeyondADouble) {
  EXPECT_NE(message("1e999").find("double"), std::string::npos);
  EXPECT_NE(message("[-1e400]").find("double"), std::string::npos);
}

TEST(JsonParse, RefusesInvalidUtf8) {
  for (const char* text :
       {"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe4\xb8\""})
    message(text);
}

TEST(JsonParse, SaysWhereTextIsNoUtf8) {
  EXPECT_EQ(message("[1,\n\"abcdefghij\xff\"]"),
            "not valid JSON at line 2, column 12: invalid encoding in string");
  EXPECT_EQ(message("\xEF\xBB\xBF[1,\n\"\xc3\"]"),
            "not valid JSON at line 2, column 2: invalid encoding in string");
}

TEST(JsonParse, PassesOverAByteOrderMark) {
  EXPECT_EQ(round_trip("\xEF\xBB\xBF{\"a\":1}"), "{\"a\":1}");
  EXPECT_NE(message("\xEF\xBB\xBF{\n x}").find("line 2, column 2"), std::string::npos);
  message("\xEF\xBB\xBF");
  message("[\xEF\xBB\xBF]");
}

TEST(JsonParse, LeavesTheTextAsItWas) {
  const std::string text = R"({"a\u0062":"c\nd","e":[1.5,"f"]})";
  const std::string before = text;
  const auto document = Document::parse(text);
  EXPECT_EQ(text, before);
  EXPECT_EQ(document->root().find("ab")->as_string(), "c\nd");
  const std::string spoilt = text + "x";
  EXPECT_EQ(message(spoilt),
            "not valid JSON at line 1, column 33: the document root must not be "
            "followed by other values");
}

TEST(JsonParse, RefusesHalfASurrogatePair) {
  for (const char* text : {R"("\ud800")", R"("\udc00")", R"("a\udffe b")", R"("\udc00\ud800")",
                           R"("\ud800\u0041")", R"({"\udc00": 1})"})
    EXPECT_NE(message(text).find("surrogate"), std::string::npos) << text;
  for (const char* text : {R"("\ud83d\ude00")", R"("\ud7ff")", R"("\ue000")", "\"\xed\x9f\xbf\""})
    EXPECT_TRUE(Document::parse(text)) << text;
}

TEST(JsonParse, RefusesANulByteAndWhatFollows) {
  message(std::string_view("1\0", 2));
  message(std::string_view("{}\0{}", 5));
}

TEST(JsonParse, RefusesDuplicateMembersWithTheirPath) {
  EXPECT_EQ(message(R"({"a":1,"b":2,"a":3})"), "member `a` is there twice");
  EXPECT_EQ(message(R"({"x":[0,{"y":{"z":1,"z":1}}]})"), "`x[1].y`: member `z` is there twice");
  EXPECT_EQ(message(R"({"\u0061":1,"a":1})"), "member `a` is there twice");
  EXPECT_EQ(message(R"({"abc":1,"b":2,"abd":3,"":4,"abc":5})"), "member `abc` is there twice");
  EXPECT_EQ(message(R"({"":1,"":2})"), "member `` is there twice");
  EXPECT_EQ(round_trip(R"({"abc":1,"b":2,"abd":3,"":4,"ab":5,"a":6})"),
            R"({"abc":1,"b":2,"abd":3,"":4,"ab":5,"a":6})");
}

TEST(JsonParse, AMemberNameOfAnyLengthIsCutInErrors) {
  const std::string name(100'000, 'n');
  EXPECT_LT(message(R"({")" + name + R"(":{"a":1,"a":2}})").size(), 300U);
  EXPECT_LT(message(R"({")" + name + R"(":1,")" + name + R"(":2})").size(), 300U);
}

TEST(JsonParse, RefusesMoreValuesThanAllowed) {
  const auto parse = [](std::string_view text, std::size_t most) {
    return Document::parse(text, Syntax::kStrict, most);
  };
  EXPECT_TRUE(parse(R"([1,"a",null,true,{}])", 6));
  EXPECT_TRUE(parse(R"({"a":[],"b":{}})", 5));
  for (const char* text :
       {R"([1,"a",null,true,{},[]])", R"({"a":[],"b":{},"":0})", R"([[],[],[],[],[],[]])",
        R"([{},{},{},{},{},{}])", "[0,1.5,2,3,4,5,6]"}) {
    const auto refused = parse(text, 6);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
    EXPECT_NE(refused.error().message.find("expected at most 6 values"), std::string::npos)
        << refused.error().message;
  }
}

TEST(JsonParse, SurvivesAMegabyteOfBrackets) {
  EXPECT_NE(message(std::string(1'000'000, '[')).find("128 levels"), std::string::npos);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_NE(message(objects).find("128 levels"), std::string::npos);
}

TEST(JsonParse, Allows128Levels) {
  EXPECT_TRUE(Document::parse(std::string(128, '[') + std::string(128, ']')));
  EXPECT_FALSE(Document::parse(std::string(129, '[') + std::string(129, ']')));
}

TEST(JsonParse, RelaxedAllowsCommentsAndTrailingCommas) {
  const auto document =
      Document::parse("// one\n{ /* two */ \"a\": [1, 2,], } // three", Syntax::kRelaxed);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(to_text(document->root()), R"({"a":[1,2]})");
}

TEST(JsonValue, GettersNameThePathAndBothTypes) {
  const auto document = Document::parse(R"({"a":[]})");
  const Value a = *document->root().find("a");
  EXPECT_EQ(a.string("detail.a").error().message, "`detail.a`: expected a string, found `[]`");
  EXPECT_EQ(a.integer("a").error().message, "`a`: expected a whole number, found `[]`");
  EXPECT_EQ(document->root().member("b", "detail").error().message, "`detail.b` is missing");
  EXPECT_EQ(document->root().member("b", "").error().message, "`b` is missing");
}

TEST(JsonValue, ErrorsShowLittleOfALargeValue) {
  const auto document = Document::parse("\"" + std::string(100'000, 'x') + "\"");
  EXPECT_LT(document->root().number("n").error().message.size(), 150U);
}

TEST(JsonValue, PresentMeansThereAndNotNull) {
  const auto document = Document::parse(R"({"a":null,"b":0})");
  EXPECT_TRUE(document->root().find("a"));
  EXPECT_FALSE(document->root().find_present("a"));
  EXPECT_TRUE(document->root().find_present("b"));
  EXPECT_FALSE(document->root().find("c"));
}

TEST(JsonValue, EqualityIsByMeaning) {
  const auto equal_texts = [](const char* a, const char* b) {
    return equal(Document::parse(a)->root(), Document::parse(b)->root());
  };
  EXPECT_TRUE(equal_texts(R"({"a":1,"b":[1.0]})", R"({"b":[1],"a":1e0})"));
  EXPECT_FALSE(equal_texts("[1,2]", "[2,1]"));
  EXPECT_FALSE(equal_texts(R"({"a":1})", R"({"b":1})"));
  EXPECT_FALSE(equal_texts("1", "\"1\""));
}

TEST(JsonWriter, EscapesAndBalances) {
  Writer writer;
  writer.begin_object().member("q\"", "a\n\x01").member("n", 7).member("t", true).key("l");
  writer.begin_array().null().number(0.1).number(1e22).end_array().end_object();
  EXPECT_EQ(writer.take(), "{\"q\\\"\":\"a\\n\\u0001\",\"n\":7,\"t\":true,\"l\":[null,0.1,1e+22]}");
}

// Eight bytes are looked at together.
TEST(JsonWriter, EscapesWhereverItStands) {
  const struct {
    std::string_view odd;
    std::string_view written;
  } cases[] = {{"\"", "\\\""},      {"\\", "\\\\"}, {"\n", "\\n"},
               {"\x1f", "\\u001F"}, {" ", " "},     {"!", "!"},
               {"#", "#"},          {"[", "["},     {"]", "]"},
               {"\x7f", "\x7f"},    {"é", "é"},     {std::string_view("\0", 1), "\\u0000"}};
  for (const auto& [odd, written] : cases)
    for (std::size_t before = 0; before < 18; ++before)
      for (std::size_t after = 0; after < 18; ++after) {
        Writer writer;
        const std::string head(before, 'a');
        const std::string tail(after, '~');
        writer.string(head + std::string(odd) + tail + std::string(odd));
        EXPECT_EQ(writer.take(),
                  '"' + head + std::string(written) + tail + std::string(written) + '"');
      }
}

TEST(JsonWriter, TakesWhatIsJsonAlready) {
  Writer writer;
  writer.begin_array().number(1);
  writer.raw(R"({"a":[]})").null().end_array();
  EXPECT_EQ(writer.take(), R"([1,{"a":[]},null])");
}

TEST(JsonWriter, WritesDoublesThatReadBackTheSame) {
  for (const double number :
       {0.1, 1.0 / 3, 123456789.12345678, 5e-324, 1.7976931348623157e308, -0.5, 1e16}) {
    Writer writer;
    writer.number(number);
    EXPECT_EQ(Document::parse(writer.take())->root().as_number(), number);
  }
}

TEST(JsonWriter, ReplacesInvalidUtf8) {
  Writer writer;
  writer.string("a\xff\xe4\xb8z");
  EXPECT_EQ(writer.take(), "\"a\uFFFD\uFFFD\uFFFDz\"");
}

TEST(JsonWriter, WritesAWholeValueAsToTextDoes) {
  const struct {
    std::string_view text;
    std::string_view written;
  } cases[] = {
      {" [ ] ", "[]"},
      {"{ }", "{}"},
      {"null", "null"},
      {"[true, false, null]", "[true,false,null]"},
      {"[0, -7, 3.0, 3e0, 9007199254740993, -0.5, 1e300, -0.0]",
       "[0,-7,3,3,9007199254740993,-0.5,1e+300,0]"},
      {R"({"b": {"a": [[], {}]}, "a": ""})", R"({"b":{"a":[[],{}]},"a":""})"},
      {R"(["é€\ud83d\ude00", "/\/", "\u007f"])", "[\"é€😀\",\"//\",\"\x7f\"]"},
      {R"({"\"": "\\ \b\f\n\r\t \u0000 \u001f"})", R"({"\"":"\\ \b\f\n\r\t \u0000 \u001F"})"},
  };
  for (const auto& c : cases) {
    const auto document = Document::parse(c.text);
    ASSERT_TRUE(document) << c.text;
    EXPECT_EQ(to_text(document->root()), c.written);
    Writer writer;
    writer.value(document->root());
    EXPECT_EQ(writer.take(), c.written);
  }
}

TEST(JsonBuild, MakesADocumentThatReadsLikeAParsedOne) {
  const auto source = Document::parse(R"({"x":[1,{"y":null}]})");
  const Document built = Document::build([&](Sink& sink) {
    sink.begin_object().member("copy", source->root()).member("s", "é").end_object();
  });
  EXPECT_EQ(to_text(built.root()), R"({"copy":{"x":[1,{"y":null}]},"s":"é"})");
}

TEST(Utf8, CutsBetweenCharacters) {
  const std::string_view text = "aé€😀";  // 1 + 2 + 3 + 4 bytes
  EXPECT_EQ(utf8_boundary(text, 2), 1U);
  EXPECT_EQ(utf8_boundary(text, 3), 3U);
  EXPECT_EQ(utf8_boundary(text, 9), 6U);
  EXPECT_EQ(utf8_boundary(text, 99), 10U);
}

TEST(Utf8, TellsHowFarTextIsValid) {
  EXPECT_EQ(valid_utf8(""), 0U);
  for (std::size_t before = 0; before < 18; ++before) {
    const std::string head(before, 'a');
    EXPECT_EQ(valid_utf8(head), before);
    EXPECT_EQ(valid_utf8(head + "€" + head), 2 * before + 3);
    for (const char* odd : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xe2\x82"})
      EXPECT_EQ(valid_utf8(head + odd + "zzzzzzzzzzzzzzz"), before);
    EXPECT_EQ(valid_utf8(head + "\xe2\x82"), before);
  }
}

TEST(Utf8, ReadsOneCharacter) {
  struct Case {
    std::string_view text;
    std::uint32_t code;
    std::size_t bytes;
  };
  for (const Case& c : {Case{"a€", 0x61, 1}, Case{"éa", 0xE9, 2}, Case{"€", 0x20AC, 3},
                        Case{"😀", 0x1F600, 4}, Case{"\xff", 0, 1}, Case{"\xc3", 0, 1},
                        Case{"\xc0\x80", 0, 1}, Case{"\xed\xa0\x80", 0, 1}}) {
    EXPECT_EQ(first_character(c.text).code, c.code) << c.text;
    EXPECT_EQ(first_character(c.text).bytes, c.bytes) << c.text;
  }
}

TEST(Utf8, TellsLettersFromSigns) {
  for (const std::uint32_t letter : {0xE9U, 0x3A9U, 0x436U, 0x6771U, 0xC11CU})
    EXPECT_TRUE(is_letter(letter)) << letter;
  for (const std::uint32_t sign : {0U, 0xD7U, 0xF7U, 0x2014U, 0x2026U, 0x1F600U})
    EXPECT_FALSE(is_letter(sign)) << sign;
}

}  // namespace
}  // namespace trainwarden::json::json_test
