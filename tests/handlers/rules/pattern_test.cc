// P1, hand-made: what plain values and `exists` match, and which patterns are refused.
#include "handlers/rules/pattern.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules {
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

TEST(PatternP1, MatchesAsTheReferenceDoes) {
  for (const Case& c : kCases) {
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
    {R"({"a": "x"})", "a: expected a list of values or an object, found a string `\"x\"`"},
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
     "a[0].exist: expected the operator `exists` or plain values, found `exist`; did you mean "
     "`exists`?"},
    {R"({"a": [{"prefix": "x"}]})",
     "a[0].prefix: the operator `prefix` is not supported by this version; expected `exists` or "
     "plain values"},
    {R"({"$or": [{"a": [1]}, {"b": [2]}]})",
     "$or: `$or` is not supported by this version; a rule's `match` may be a list of patterns of "
     "which one must match"},
    {R"({"a": {"b": [1]}, "a.b": [2]})", "[\"a.b\"]: expected each path once, found `a.b` again"},
};

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
}  // namespace trainwarden::rules
