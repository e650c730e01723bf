// P1: texts in any case, wildcards and addresses by themselves.
#include "handlers/rules/patterns/text_match.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "handlers/rules/patterns/address.h"
#include "handlers/rules/patterns/letter_case.h"

namespace trainwarden::rules::text_match_test {
namespace {

struct Letter {
  std::string_view letter, lower, upper;
};

// By UnicodeData.txt and SpecialCasing.txt.
constexpr Letter kLetters[] = {
    {"a", "a", "A"},    {"Z", "z", "Z"},
    {"1", "1", "1"},    {"é", "é", "É"},
    {"É", "é", "É"},    {"ß", "ß", "SS"},
    {"İ", "i̇", "İ"},    {"ı", "ı", "I"},
    {"ÿ", "ÿ", "Ÿ"},    {"Σ", "σ", "Σ"},
    {"ς", "ς", "Σ"},    {"я", "я", "Я"},
    {"Ѐ", "ѐ", "Ѐ"},    {"ა", "ა", "Ა"},
    {"ﬁ", "ﬁ", "FI"},   {"日", "日", "日"},
    {"Ⱥ", "ⱥ", "Ⱥ"},    {"ꟊ", "ꟊ", "Ꟊ"},
    {"ｚ", "ｚ", "Ｚ"}, {"ǅ", "ǆ", "Ǆ"},
    {"ᾳ", "ᾳ", "ΑΙ"},   {"\xEE\x80\x80", "\xEE\x80\x80", "\xEE\x80\x80"},
    {"😀", "??", "??"},
};

TEST(LetterCase, IsUnicodes) {
  for (const Letter& c : kLetters) {
    EXPECT_EQ(cases_of(c.letter).lower, c.lower) << c.letter;
    EXPECT_EQ(cases_of(c.letter).upper, c.upper) << c.letter;
  }
}

TEST(TextMatch, IgnoringCaseTakesWholeCharacters) {
  EXPECT_TRUE(equals_ignore_case("straße", "STRASSE"));
  EXPECT_TRUE(equals_ignore_case("", ""));
  EXPECT_FALSE(equals_ignore_case("", "a"));
  EXPECT_FALSE(equals_ignore_case("strasse", "STRAßE"));  // the pattern's letters are asked
  EXPECT_TRUE(starts_ignore_case("É", "été"));
  EXPECT_FALSE(starts_ignore_case("été", "ét"));
  EXPECT_TRUE(ends_ignore_case("É", "été"));
  EXPECT_TRUE(ends_ignore_case("ß", "MASS"));
  EXPECT_FALSE(ends_ignore_case("xß", "SS"));
}

TEST(TextMatch, ManyWildcardsDoNotMultiply) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  EXPECT_FALSE(matches_wildcard(pattern + "*b", std::string(100'000, 'a')));
  EXPECT_TRUE(matches_wildcard(pattern, std::string(100'000, 'a')));
}

struct Address {
  std::string_view text;
  std::string_view digits;  // "" where it is none
};

constexpr Address kAddresses[] = {
    {"10.0.0.1", "0A000001"},
    {"255.255.255.255", "FFFFFFFF"},
    {"010.000.0.1", "0A000001"},
    {"256.0.0.1", ""},
    {"1.2.3", ""},
    {"1.2.3.4.5", ""},
    {"1..2.3", ""},
    {"1.2.3.4 ", ""},
    {"", ""},
    {"::", "00000000000000000000000000000000"},
    {"::1", "00000000000000000000000000000001"},
    {"2001:db8::8:800:200c:417a", "20010DB80000000000080800200C417A"},
    {"1:2:3:4:5:6:7:8", "00010002000300040005000600070008"},
    {"::ffff:0a00:0001", "0A000001"},
    {"1:2:3:4:5:6:7", ""},
    {"1:2:3:4:5:6:7:8:9", ""},
    {"1::2::3", ""},
    {":1:2:3:4:5:6:7", ""},
    {"12345::", ""},
    {"12:30", ""},
    {"dead.beef", ""},
    {":", ""},
    {":::", ""},
};

TEST(AddressP1, ReadsAddresses) {
  for (const Address& c : kAddresses) {
    EXPECT_EQ(address_digits(c.text).value_or(""), c.digits) << c.text;
  }
}

TEST(AddressP1, AnAddressIsARangeOfItsOwn) {
  for (std::string_view text : {"10.0.0.0", "10.0.0.9", "10.0.0.15", "10.0.0.255", "::f"}) {
    const auto range = address_range(text);
    ASSERT_TRUE(range);
    EXPECT_TRUE(range->contains(*address_digits(text))) << text;
    EXPECT_FALSE(range->contains("0A000001")) << text;
    EXPECT_FALSE(range->contains("0A00000E")) << text;
  }
}

struct Network {
  std::string_view network, digits;
  bool inside;
};

constexpr Network kNetworks[] = {
    {"10.0.0.0/24", "0A0000FF", true},
    {"10.0.0.0/24", "0A000100", false},
    {"10.0.0.0/31", "0A000001", true},
    {"10.0.0.0/31", "0A000002", false},
    {"10.0.0.128/25", "0A000080", true},
    {"10.0.0.128/25", "0A00007F", false},
    {"0.0.0.0/0", "00000000", true},
    {"0.0.0.0/0", "FFFFFFFF", true},
    {"0.0.0.0/0", "8", true},
    {"0.0.0.0/0", "0.5", false},
    {"0.0.0.0/0", "-1", false},
    {"10.0.0.0/8", "0A", false},
    {"10.0.0.0/8/", "0A000000", true},
    {"10.0.0.0/+8", "0A000000", true},
};

TEST(AddressP1, NetworksAreRanges) {
  for (const Network& c : kNetworks) {
    const auto range = network_range(c.network);
    ASSERT_TRUE(range) << c.network;
    EXPECT_EQ(range->contains(c.digits), c.inside) << c.network << " " << c.digits;
  }
}

}  // namespace
}  // namespace trainwarden::rules::text_match_test
