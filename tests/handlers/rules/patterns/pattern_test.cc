// P1, hand-made: what patterns match, and which are refused.
#include "handlers/rules/patterns/pattern.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::pattern_test {
namespace {

using test::doc;

struct Case {
  std::string_view why;
  std::string_view pattern;
  std::string_view event;
  bool match;
};

constexpr Case kCases[] = {
    {"equal strings", R"({"a": ["x"]})", R"({"a": "x"})", true},
    {"case counts", R"({"a": ["x"]})", R"({"a": "X"})", false},
    {"one of several values", R"({"a": ["x", "y"]})", R"({"a": "y"})", true},
    {"all members must match", R"({"a": ["x"], "b": ["y"]})", R"({"a": "x", "b": "z"})", false},
    {"a missing member does not match", R"({"a": ["x"]})", R"({"b": "x"})", false},
    {"nesting", R"({"a": {"b": ["x"]}})", R"({"a": {"b": "x"}})", true},
    {"a dot in a name is nesting", R"({"a.b": ["x"]})", R"({"a": {"b": "x"}})", true},
    {"nesting is a dot in a name", R"({"a": {"b": ["x"]}})", R"({"a.b": "x"})", true},
    {"numbers are equal by value", R"({"a": [3]})", R"({"a": 3.0})", true},
    {"exponents too", R"({"a": [300]})", R"({"a": 3e2})", true},
    {"other numbers are not", R"({"a": [3]})", R"({"a": 3.5})", false},
    {"a number is no string", R"({"a": ["3"]})", R"({"a": 3})", false},
    {"a string is no number", R"({"a": [3]})", R"({"a": "3"})", false},
    {"true", R"({"a": [true]})", R"({"a": true})", true},
    {"false is not true", R"({"a": [true]})", R"({"a": false})", false},
    {"true is no string", R"({"a": ["true"]})", R"({"a": true})", false},
    {"null matches null", R"({"a": [null]})", R"({"a": null})", true},
    {"null is not missing", R"({"a": [null]})", R"({})", false},
    {"characters beyond ASCII", R"({"a": ["日本"]})", R"({"a": "日本"})", true},
    {"escapes are the same text", R"({"a": ["é"]})", R"({"a": "\u00e9"})", true},
    {"an array matches by any element", R"({"a": ["x"]})", R"({"a": ["w", "x"]})", true},
    {"also of mixed types", R"({"a": [7]})", R"({"a": ["w", null, 7]})", true},
    {"and not by none", R"({"a": ["x"]})", R"({"a": ["w", "y"]})", false},
    {"an empty array matches nothing", R"({"a": ["x"]})", R"({"a": []})", false},
    {"arrays in arrays", R"({"a": ["x"]})", R"({"a": [["w"], [["x"]]]})", true},
    {"objects in arrays", R"({"a": {"b": ["x"]}})", R"({"a": [{"b": "w"}, {"b": "x"}]})", true},
    {"exists: a leaf", R"({"a": [{"exists": true}]})", R"({"a": ""})", true},
    {"exists: null is a leaf", R"({"a": [{"exists": true}]})", R"({"a": null})", true},
    {"exists: nothing there", R"({"a": [{"exists": true}]})", R"({"b": 1})", false},
    {"exists: a structure is no leaf", R"({"a": [{"exists": true}]})", R"({"a": {"b": 1}})", false},
    {"exists: an empty array is no leaf", R"({"a": [{"exists": true}]})", R"({"a": []})", false},
    {"absent: nothing there", R"({"a": [{"exists": false}]})", R"({"b": 1})", true},
    {"absent: in an empty event", R"({"a": [{"exists": false}]})", R"({})", true},
    {"absent: a structure is no leaf", R"({"a": [{"exists": false}]})", R"({"a": {"b": 1}})", true},
    {"absent: an empty array is no leaf", R"({"a": [{"exists": false}]})", R"({"a": []})", true},
    {"absent: a leaf is there", R"({"a": [{"exists": false}]})", R"({"a": "x"})", false},
    {"absent: null is there", R"({"a": [{"exists": false}]})", R"({"a": null})", false},
    {"absent or a value: absent", R"({"a": [{"exists": false}, "x"]})", R"({})", true},
    {"absent or a value: the value", R"({"a": [{"exists": false}, "x"]})", R"({"a": "x"})", true},
    {"absent or a value: another", R"({"a": [{"exists": false}, "x"]})", R"({"a": "y"})", false},
    {"absent: anywhere in an array", R"({"a": {"b": [{"exists": false}]}})",
     R"({"a": [{"c": 1}, {"b": 2}]})", false},
    {"one element meets both", R"({"a": {"b": [1], "c": [2]}})", R"({"a": [{"b": 1, "c": 2}]})",
     true},
    {"two elements do not", R"({"a": {"b": [1], "c": [2]}})", R"({"a": [{"b": 1}, {"c": 2}]})",
     false},
    {"the last element may", R"({"a": {"b": [1], "c": [2]}})",
     R"({"a": [{"b": 1}, {"c": 2}, {"b": 1, "c": 2}]})", true},
    {"different arrays are free", R"({"a": {"b": [1]}, "d": {"b": [2]}})",
     R"({"a": [{"b": 0}, {"b": 1}], "d": [{"b": 2}, {"b": 3}]})", true},
    {"inner arrays agree too", R"({"a": {"b": {"c": [1], "d": [2]}}})",
     R"({"a": [{"b": [{"c": 1}, {"d": 2}]}]})", false},
    {"scalars of one element's array are free", R"({"a": {"b": ["x"], "c": ["y"]}})",
     R"({"a": [{"b": ["w", "x"], "c": ["z", "y"]}]})", true},
    {"absent in the element that was chosen", R"({"a": {"b": [1], "c": [{"exists": false}]}})",
     R"({"a": [{"b": 1}, {"c": 2}]})", true},
    {"present in the element that was chosen", R"({"a": {"b": [1], "c": [{"exists": false}]}})",
     R"({"a": [{"b": 1, "c": 2}]})", false},
    {"absent is judged before what sorts after it",
     R"({"a": {"b": [{"exists": false}], "c": [2]}})", R"({"a": [{"b": 1}, {"c": 2}]})", false},
};

constexpr Case kOperatorCases[] = {
    {"prefix", R"({"a": [{"prefix": "ml.p"}]})", R"({"a": "ml.p5.48xlarge"})", true},
    {"prefix: not inside", R"({"a": [{"prefix": "p5"}]})", R"({"a": "ml.p5.48xlarge"})", false},
    {"prefix: of a text only", R"({"a": [{"prefix": "1"}]})", R"({"a": 12})", false},
    {"the empty prefix takes texts", R"({"a": [{"prefix": ""}]})", R"({"a": ""})", true},
    {"and nothing else", R"({"a": [{"prefix": ""}]})", R"({"a": true})", false},
    {"prefix in any case", R"({"a": [{"prefix": {"equals-ignore-case": "ML."}}]})",
     R"({"a": "ml.p5"})", true},
    {"suffix", R"({"a": [{"suffix": "xlarge"}]})", R"({"a": "ml.p5.48xlarge"})", true},
    {"suffix: not inside", R"({"a": [{"suffix": "p5"}]})", R"({"a": "ml.p5.48xlarge"})", false},
    {"suffix in any case", R"({"a": [{"suffix": {"equals-ignore-case": "XLarge"}}]})",
     R"({"a": "ml.p5.48xlarge"})", true},
    {"any case", R"({"a": [{"equals-ignore-case": "VISION"}]})", R"({"a": "Vision"})", true},
    {"any case: the whole text", R"({"a": [{"equals-ignore-case": "VISION"}]})",
     R"({"a": "visions"})", false},
    {"any case: letters beyond ASCII", R"({"a": [{"equals-ignore-case": "ÉTÉ"}]})",
     R"({"a": "été"})", true},
    {"any case: one letter that becomes two", R"({"a": [{"equals-ignore-case": "maß"}]})",
     R"({"a": "MASS"})", true},
    {"exactly", R"({"a": [{"exactly": "x"}]})", R"({"a": "x"})", true},
    {"wildcard: in the middle", R"({"a": [{"wildcard": "ml.*.48xlarge"}]})",
     R"({"a": "ml.p5.48xlarge"})", true},
    {"wildcard: nothing", R"({"a": [{"wildcard": "a*b"}]})", R"({"a": "ab"})", true},
    {"wildcard: goes back", R"({"a": [{"wildcard": "*ab*ac"}]})", R"({"a": "aabxabac"})", true},
    {"wildcard: goes back byte by byte", R"({"a": [{"wildcard": "*aab"}]})", R"({"a": "aaab"})",
     true},
    {"wildcard: what it went back over counts", R"({"a": [{"wildcard": "*aab"}]})",
     R"({"a": "abab"})", false},
    {"wildcard: the end counts", R"({"a": [{"wildcard": "*a"}]})", R"({"a": "ab"})", false},
    {"wildcard: the beginning counts", R"({"a": [{"wildcard": "b*"}]})", R"({"a": "ab"})", false},
    {"wildcard: alone", R"({"a": [{"wildcard": "*"}]})", R"({"a": ""})", true},
    {"wildcard: texts only", R"({"a": [{"wildcard": "*"}]})", R"({"a": 7})", false},
    {"wildcard: a star", R"({"a": [{"wildcard": "a\\*b"}]})", R"({"a": "a*b"})", true},
    {"wildcard: only a star", R"({"a": [{"wildcard": "a\\*b"}]})", R"({"a": "axb"})", false},
    {"wildcard: a backslash", R"({"a": [{"wildcard": "a\\\\b"}]})", R"({"a": "a\\b"})", true},
    {"numeric: above", R"({"a": [{"numeric": [">", 3]}]})", R"({"a": 3.5})", true},
    {"numeric: not at", R"({"a": [{"numeric": [">", 3]}]})", R"({"a": 3})", false},
    {"numeric: at", R"({"a": [{"numeric": [">=", 3]}]})", R"({"a": 3.0})", true},
    {"numeric: below", R"({"a": [{"numeric": ["<", 3]}]})", R"({"a": -1e300})", true},
    {"numeric: equal", R"({"a": [{"numeric": ["=", 300]}]})", R"({"a": 3e2})", true},
    {"numeric: between", R"({"a": [{"numeric": [">", 0, "<=", 5]}]})", R"({"a": 5})", true},
    {"numeric: not between", R"({"a": [{"numeric": [">", 0, "<=", 5]}]})", R"({"a": 0})", false},
    {"numeric: as doubles", R"({"a": [{"numeric": ["=", 0.3]}]})", R"({"a": 0.30000000000000004})",
     false},
    {"numeric: large", R"({"a": [{"numeric": [">", 1583444466073]}]})", R"({"a": 1583444466074})",
     true},
    {"numeric: no text", R"({"a": [{"numeric": [">", 0]}]})", R"({"a": "5"})", false},
    {"anything but a text", R"({"a": [{"anything-but": "x"}]})", R"({"a": "y"})", true},
    {"anything but that text", R"({"a": [{"anything-but": "x"}]})", R"({"a": "x"})", false},
    {"anything but a text: a number", R"({"a": [{"anything-but": "1"}]})", R"({"a": 1})", true},
    {"anything but a text: not nothing", R"({"a": [{"anything-but": "x"}]})", R"({})", false},
    {"anything but a text: one of an array", R"({"a": [{"anything-but": "x"}]})",
     R"({"a": ["x", "y"]})", true},
    {"anything but texts", R"({"a": [{"anything-but": ["x", "y"]}]})", R"({"a": "y"})", false},
    {"anything but a number", R"({"a": [{"anything-but": 5}]})", R"({"a": 5.0})", false},
    {"anything but numbers: a text", R"({"a": [{"anything-but": [5, 6]}]})", R"({"a": "5"})", true},
    {"anything but a prefix", R"({"a": [{"anything-but": {"prefix": "ml."}}]})",
     R"({"a": "ml.p5"})", false},
    {"anything but prefixes", R"({"a": [{"anything-but": {"prefix": ["a", "b"]}}]})",
     R"({"a": "c"})", true},
    {"anything but a suffix", R"({"a": [{"anything-but": {"suffix": "5"}}]})", R"({"a": "ml.p5"})",
     false},
    {"anything but in any case", R"({"a": [{"anything-but": {"equals-ignore-case": ["X"]}}]})",
     R"({"a": "x"})", false},
    {"anything but a wildcard", R"({"a": [{"anything-but": {"wildcard": "m*5"}}]})",
     R"({"a": "ml.p5"})", false},
    {"cidr", R"({"a": [{"cidr": "10.0.0.0/8"}]})", R"({"a": "10.255.0.1"})", true},
    {"cidr: outside", R"({"a": [{"cidr": "10.0.0.0/8"}]})", R"({"a": "11.0.0.1"})", false},
    {"cidr: no address", R"({"a": [{"cidr": "10.0.0.0/8"}]})", R"({"a": "10.1"})", false},
    {"cidr: begins at what is written", R"({"a": [{"cidr": "10.0.0.5/8"}]})",
     R"({"a": "10.0.0.4"})", false},
    {"cidr: IPv6", R"({"a": [{"cidr": "2001:db8::/32"}]})", R"({"a": "2001:0DB8:ffff::1"})", true},
    {"cidr: IPv6 outside", R"({"a": [{"cidr": "2001:db8::/32"}]})", R"({"a": "2001:db9::1"})",
     false},
    {"an address as plain text, written otherwise", R"({"a": ["2001:db8::1"]})",
     R"({"a": "2001:DB8:0:0::1"})", true},
    {"another address", R"({"a": ["10.0.0.1"]})", R"({"a": "10.0.0.2"})", false},
    {"what only looks like an address", R"({"a": ["12:30"]})", R"({"a": "12:30"})", true},
    {"an operator beside an address", R"({"a": ["10.0.0.1", {"suffix": ".7"}]})",
     R"({"a": "10.0.0.7"})", true},
    {"one of two alternatives", R"({"$or": [{"a": [1]}, {"b": [2]}]})", R"({"b": 2})", true},
    {"none of two alternatives", R"({"$or": [{"a": [1]}, {"b": [2]}]})", R"({"b": 1})", false},
    {"and what stands beside them", R"({"c": [3], "$or": [{"a": [1]}, {"b": [2]}]})", R"({"b": 2})",
     false},
    {"alternatives deeper down", R"({"d": {"$or": [{"a": [1]}, {"b": [2]}]}})",
     R"({"d": {"b": 2}})", true},
    {"alternatives in alternatives", R"({"$or": [{"a": [1]}, {"$or": [{"b": [2]}, {"c": [3]}]}]})",
     R"({"c": 3})", true},
    {"a path again replaces the first", R"({"a": [1], "$or": [{"a": [2]}, {"b": [2]}]})",
     R"({"a": 2})", true},
    {"only in its alternative", R"({"a": [1], "$or": [{"a": [2]}, {"b": [2]}]})",
     R"({"a": 1, "b": 2})", true},
    {"also after the alternatives", R"({"$or": [{"a": [2]}, {"b": [2]}], "a": [1]})", R"({"a": 2})",
     false},
    {"a dotted path replaces a nested one", R"({"a": {"b": [1]}, "a.b": [2]})",
     R"({"a": {"b": 2}})", true},
};

std::vector<Case> all_cases() {
  std::vector<Case> out(std::begin(kCases), std::end(kCases));
  out.insert(out.end(), std::begin(kOperatorCases), std::end(kOperatorCases));
  return out;
}

TEST(PatternP1, MatchesAsTheReferenceDoes) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(std::string(c.why));
    const json::Document pattern = doc(c.pattern);
    const auto compiled = compile_pattern(pattern.root());
    ASSERT_TRUE(compiled) << compiled.error().message;
    const json::Document event = doc(c.event);
    EXPECT_EQ(compiled->matches(Fields::of(event.root(), Fields::Nulls::kLeaves)), c.match);
  }
}

struct Refused {
  std::string_view pattern;
  std::string_view message;
};

constexpr Refused kRefused[] = {
    {R"([])", "expected a pattern (an object), found an array `[]`"},
    {R"("x")", "expected a pattern (an object), found a string `\"x\"`"},
    {R"({})", "expected at least one member, found `{}`"},
    {R"({"a": {}})", "a: expected at least one member, found `{}`"},
    {R"({"a": "x"})",
     "a: expected a list of values or an object, found a string `\"x\"`: the list's brackets are "
     "missing, write `[\"x\"]`"},
    {R"({"a": []})", "a: expected at least one value, found `[]`"},
    {R"({"a": ["x", ["y"]]})",
     "a[1]: expected a string, number, boolean, null or one of the operators, found an array "
     "`[\"y\"]`"},
    {R"({"a": [{}]})",
     "a[0]: expected one operator, such as `{\"exists\": true}`, found an object `{}`"},
    {R"({"a": [{"exists": 1}]})", "a[0].exists: expected true or false, found a number `1`"},
    {R"({"a": [{"exists": true, "prefix": "x"}]})",
     "a[0]: expected one operator, such as `{\"exists\": true}`, found an object "
     "`{\"exists\":true,\"prefix\":\"x\"}`"},
    {R"({"a": [{"exist": true}]})",
     "a[0].exist: expected a plain value or the operator `anything-but`, `cidr`, "
     "`equals-ignore-case`, `exactly`, `exists`, `numeric`, `prefix`, `suffix` or `wildcard`, "
     "found "
     "`exist`; did you mean `exists`?"},
    {R"({"$or": {"a": [1]}})",
     "$or: expected a list of two or more patterns, found an object `{\"a\":[1]}`"},
    {R"({"$or": [{"a": [1]}]})",
     "$or: expected a list of two or more patterns, found an array `[{\"a\":[1]}]`"},
    {R"({"$or": [{"a": [1]}, 7]})", "$or[1]: expected a pattern (an object), found a number `7`"},
    {R"({"$or": [{"a": [1]}, {}]})", "$or[1]: expected at least one member, found `{}`"},
    {R"({"$or": [{"a": [1]}, {"b": {"prefix": ["x"]}}]})",
     "$or[1].b.prefix: `prefix` is the name of an operator, which no member inside `$or` may have"},
    {R"({"a": [{"prefix": 3}]})", "a[0].prefix: expected a string, found a number `3`"},
    {R"({"a": [{"suffix": {"prefix": "x"}}]})",
     "a[0].suffix.prefix: expected `equals-ignore-case`, found `prefix`"},
    {R"({"a": [{"wildcard": "a**b"}]})",
     "a[0].wildcard: expected no two `*` in a row, found them at byte 1 of `a**b`"},
    {R"({"a": [{"wildcard": "a\\b"}]})",
     "a[0].wildcard: expected `\\*` or `\\\\` after a backslash, found another at byte 1 of "
     "`a\\b`"},
    {R"({"a": [{"numeric": [">", 5, "<", 5]}]})",
     "a[0].numeric: expected a lower bound below the upper one, found an array "
     "`[\">\",5,\"<\",5]`"},
    {R"({"a": [{"numeric": ["<", 5, ">", 1]}]})",
     "a[0].numeric: expected one comparison, such as [\">\", 0], or a lower and an upper one, such "
     "as [\">=\", 0, \"<\", 10], found an array `[\"<\",5,\">\",1]`"},
    {R"({"a": [{"anything-but": [1, "x"]}]})",
     "a[0].anything-but: expected a string or a number, or a list of strings only or of numbers "
     "only, found an array `[1,\"x\"]`"},
    {R"({"a": [{"anything-but": {"prefix": ""}}]})",
     "a[0].anything-but.prefix: expected a text that is not empty, since every text begins and "
     "ends "
     "so, found a string `\"\"`"},
    {R"({"a": [{"cidr": "10.0.0.0"}]})",
     "a[0].cidr: expected an address and a number of bits, such as \"10.0.0.0/8\", found "
     "`10.0.0.0`"},
    {R"({"a": [{"cidr": "10.0.0.1/32"}]})",
     "a[0].cidr: expected at most 31 bits of an IPv4 address (for a single address write it "
     "without "
     "a slash), found `10.0.0.1/32`"},
    {R"({"a": [{"cidr": "300.0.0.0/8"}]})",
     "a[0].cidr: expected an IPv4 or IPv6 address before the slash, found `300.0.0.0/8`"},
};

// What is no pattern, whichever operator it uses.
constexpr std::string_view kMoreRefused[] = {
    R"({"a": [{"numeric": []}]})",
    R"({"a": [{"numeric": 7}]})",
    R"({"a": [{"numeric": ["<"]}]})",
    R"({"a": [{"numeric": ["!", 7]}]})",
    R"({"a": [{"numeric": ["<", "7"]}]})",
    R"({"a": [{"numeric": ["=", 1, "<", 3]}]})",
    R"({"a": [{"numeric": [">", 1, ">", 3]}]})",
    R"({"a": [{"numeric": [">", 1, "<", 3, "<", 5]}]})",
    R"({"a": [{"anything-but": []}]})",
    R"({"a": [{"anything-but": {}}]})",
    R"({"a": [{"anything-but": null}]})",
    R"({"a": [{"anything-but": [true]}]})",
    R"({"a": [{"anything-but": {"numeric": [">", 1]}}]})",
    R"({"a": [{"anything-but": {"prefix": 1}}]})",
    R"({"a": [{"anything-but": {"prefix": []}}]})",
    R"({"a": [{"anything-but": {"prefix": ["a", ""]}}]})",
    R"({"a": [{"anything-but": {"wildcard": "**"}}]})",
    R"({"a": [{"anything-but": {"prefix": "a", "suffix": "b"}}]})",
    R"({"a": [{"equals-ignore-case": 7}]})",
    R"({"a": [{"prefix": {"equals-ignore-case": 7}}]})",
    R"({"a": [{"prefix": {}}]})",
    R"({"a": [{"wildcard": "a\\"}]})",
    R"({"a": [{"cidr": 7}]})",
    R"({"a": [{"cidr": "/8"}]})",
    R"({"a": [{"cidr": "10.0.0.0/-1"}]})",
    R"({"a": [{"cidr": "10.0.0.0/x"}]})",
    R"({"a": [{"cidr": "2001:db8::/128"}]})",
    R"({"a": [{"cidr": "2001:db8/32"}]})",
    R"({"a": [{"prefix": "x", "suffix": "y"}]})",
};

TEST(PatternP1, RefusesWhatIsNoPatternOfAnyOperator) {
  for (std::string_view text : kMoreRefused) {
    const json::Document pattern = doc(text);
    EXPECT_FALSE(compile_pattern(pattern.root())) << text;
  }
}

TEST(PatternP1, RefusesAlternativesWithoutEnd) {
  std::string text = "{";
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    text += R"("o)" + n + R"(": {"$or": [{"a": [1]}, {"b": [1]}]},)";
  }
  text += "}";
  const json::Document pattern = doc(text);
  const auto compiled = compile_pattern(pattern.root());
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().message,
            "o9.$or[1]: expected at most 1000 alternatives in all, found more");
}

TEST(PatternP1, RefusesWhatIsNoPattern) {
  for (const Refused& c : kRefused) {
    SCOPED_TRACE(std::string(c.pattern));
    const json::Document pattern = doc(c.pattern);
    const auto compiled = compile_pattern(pattern.root());
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().code, ErrorCode::kInvalidPolicy);
    EXPECT_EQ(compiled.error().message, c.message);
  }
}

// Paths in UTF-16 order: a supplementary character (surrogates) before U+FF5E.
TEST(PatternP1, ConditionsAreOrderedAsUtf16) {
  EXPECT_TRUE(path_less("a", "b"));
  EXPECT_TRUE(path_less("a", "a.b"));
  EXPECT_FALSE(path_less("a", "a"));
  EXPECT_TRUE(path_less("z", "é"));
  EXPECT_TRUE(path_less("\xF0\x9F\x98\x80", "\xEF\xBD\x9E"));  // U+1F600, U+FF5E
  EXPECT_FALSE(path_less("\xEF\xBD\x9E", "\xF0\x9F\x98\x80"));
  EXPECT_TRUE(path_less("\xED\x9F\xBF", "\xF0\x9F\x98\x80"));  // U+D7FF
}

// Scalars of one array are interchangeable: that the rest fails is found out once, not once for
// each.
TEST(PatternP1, LongArraysOfScalarsDoNotMultiply) {
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) many += "\"x\",";
  many += "]";
  const json::Document event = doc(R"({"a": )" + many + R"(, "b": )" + many + R"(, "c": )" + many +
                                   R"(, "d": )" + many + R"(, "e": 1})");
  const json::Document pattern =
      doc(R"({"a": ["x"], "b": ["x"], "c": ["x"], "d": ["x"], "e": [2]})");
  EXPECT_FALSE(
      compile_pattern(pattern.root())->matches(Fields::of(event.root(), Fields::Nulls::kLeaves)));
}

}  // namespace
}  // namespace trainwarden::rules::pattern_test
