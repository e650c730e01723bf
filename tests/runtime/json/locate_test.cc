// Lines and columns of JSON values, for what `trainwarden check` says (P2).
#include "runtime/json/locate.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace trainwarden::json::locate_test {
namespace {

struct Place {
  std::string_view text;
  std::string_view pointer;
  Position at;
};

TEST(Locate, FindsMembersByTheirNamesAndElementsByTheirValues) {
  constexpr std::string_view kText = "{\n  \"a\": [1, {\"b\": null}],\n  \"c\" : \"x\"\n}";
  const Place places[] = {
      {kText, "", {1, 1}},      {kText, "/a", {2, 3}},          {kText, "/a/0", {2, 9}},
      {kText, "/a/1", {2, 12}}, {kText, "/a/1/b", {2, 13}},     {kText, "/c", {3, 3}},
      {" 7", "", {1, 2}},       {"[[],[ 3 ]]", "/1/0", {1, 7}}, {"{\"\": {\"\": 1}}", "//", {1, 7}},
  };
  for (const Place& c : places) EXPECT_EQ(locate(c.text, c.pointer), c.at) << c.pointer;
}

TEST(Locate, OfWhatIsNotThereItFindsTheNearest) {
  constexpr std::string_view kText = R"({"a": [1, {"b": 2}]})";
  for (const Place& c :
       {Place{kText, "/z", {1, 1}}, Place{kText, "/a/9", {1, 2}}, Place{kText, "/a/x", {1, 2}},
        Place{kText, "/a/-1", {1, 2}}, Place{kText, "/a/1/b/c", {1, 12}},
        Place{kText, "/a/1/c", {1, 11}}, Place{"", "/a", {1, 1}}, Place{"[]", "/0", {1, 1}}})
    EXPECT_EQ(locate(c.text, c.pointer), c.at) << c.pointer;
}

TEST(Locate, LinesMayEndWithCrLf) {
  constexpr std::string_view kText = "{\r\n \"a\": 1,\r\n  \"b\": [\r\n3]}\r\n";
  EXPECT_EQ(locate(kText, "/a"), (Position{2, 2}));
  EXPECT_EQ(locate(kText, "/b"), (Position{3, 3}));
  EXPECT_EQ(locate(kText, "/b/0"), (Position{4, 1}));
}

TEST(Locate, PassesOverComments) {
  constexpr std::string_view kText =
      "// \"a\": 1, {\n{ /* \"a\": { \n */ \"b\": 1, // \"a\"\n \"a\" /* : */ : [/* , */ 1, // ]\n"
      " 2, ]/**/, }";
  EXPECT_EQ(locate(kText, ""), (Position{2, 1}));
  EXPECT_EQ(locate(kText, "/b"), (Position{3, 5}));
  EXPECT_EQ(locate(kText, "/a"), (Position{4, 2}));
  EXPECT_EQ(locate(kText, "/a/0"), (Position{4, 25}));
  EXPECT_EQ(locate(kText, "/a/1"), (Position{5, 2}));
  EXPECT_EQ(locate(kText, "/a/2"), (Position{4, 2}));
}

TEST(Locate, ColumnsCountCharacters) {
  EXPECT_EQ(locate("{\"größe\": \"日本\", \"b\": 1}", "/b"), (Position{1, 17}));
  EXPECT_EQ(locate("{\"größe\": {\"ü\": [1, 2]}}", "/größe/ü/1"), (Position{1, 21}));
  EXPECT_EQ(locate("\xEF\xBB\xBF{\"a\": 1}", "/a"), (Position{1, 2}));
  EXPECT_EQ(locate("\xEF\xBB\xBF{\n\"a\": 1}", "/a"), (Position{2, 1}));
  EXPECT_EQ(position_at("a\U0001F600b", 5), (Position{1, 3}));
  EXPECT_EQ(position_at("ab", 99), (Position{1, 3}));
  EXPECT_EQ(position_at("", 0), (Position{1, 1}));
}

TEST(Locate, NamesMayHaveEscapes) {
  constexpr std::string_view kText = R"({"a\/b": {"m~n": 1, "\u0041": 2, "q\"}": 3, "z": [4]}})";
  EXPECT_EQ(locate(kText, "/a~1b"), (Position{1, 2}));
  EXPECT_EQ(locate(kText, "/a~1b/m~0n"), (Position{1, 11}));
  EXPECT_EQ(locate(kText, "/a~1b/A"), (Position{1, 21}));
  EXPECT_EQ(locate(kText, "/a~1b/q\"}"), (Position{1, 34}));
  EXPECT_EQ(locate(kText, "/a~1b/z/0"), (Position{1, 51}));
}

TEST(Locate, OfTwinsTheLastCounts) {
  EXPECT_EQ(locate(R"({"a": 1, "b": {"a": 2}, "a": 3})", "/a"), (Position{1, 25}));
}

TEST(Locate, EndsOnTextThatIsNoJson) {
  for (const std::string_view text :
       {"{", "[", "{\"a\"", "{\"a\":", "[1", "[,", "[:", "{\"a\" \"b\"}", "\"", "[\"", "[\"\\", "}",
        "/*", "//", "[/", "{\"a\": /", "{\"a\":}", "[}"})
    for (const std::string_view pointer : {"", "/a", "/0", "/a/0", "/1/1"})
      EXPECT_GE(locate(text, pointer).line, 1U) << text;
}

TEST(FaultOf, SaysWhereATextIsNotJson) {
  const auto fault = [](std::string_view text) { return fault_of(text, Syntax::kRelaxed); };
  const std::string_view broken = "{\n \"ä\": x}";
  ASSERT_TRUE(fault(broken));
  EXPECT_EQ(fault(broken)->at, (Position{2, 7}));
  EXPECT_EQ(fault(broken)->detail, "invalid value");
  EXPECT_FALSE(fault("{\"a\": 1, } // fine"));
  EXPECT_TRUE(fault_of("{\"a\": 1, }", Syntax::kStrict));
  EXPECT_EQ(fault("[1] 2")->at, (Position{1, 5}));
}

TEST(FaultOf, SaysWhichMemberIsThereTwice) {
  constexpr std::string_view kText = "{\"r\": [{\"a/b\": {\"x\": 1,\n \"x\": 2}}]}";
  const auto fault = fault_of(kText, Syntax::kRelaxed);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->pointer, "/r/0/a~1b/x");
  EXPECT_EQ(fault->detail, "x");
  EXPECT_FALSE(fault->at);
  EXPECT_EQ(locate(kText, fault->pointer), (Position{2, 2}));
}

}  // namespace
}  // namespace trainwarden::json::locate_test
