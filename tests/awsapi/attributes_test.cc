#include "awsapi/attributes.h"

#include <gtest/gtest.h>

namespace trainwarden::aws::attributes_test {
namespace {

std::string typed(std::string_view plain) {
  const auto document = json::Document::parse(plain);
  json::Writer writer;
  write_attribute(writer, document->root());
  return writer.take();
}

std::string plain(std::string_view item) {
  const auto document = json::Document::parse(item);
  const auto attributes = read_attributes(document->root(), "Item");
  return attributes ? json::to_text(attributes->root()) : attributes.error().message;
}

TEST(Attributes, EachKindOfValueHasItsType) {
  const struct {
    const char* plain;
    const char* typed;
  } cases[] = {
      {R"("a")", R"({"S":"a"})"},
      {R"("")", R"({"S":""})"},
      {"0", R"({"N":"0"})"},
      {"-7", R"({"N":"-7"})"},
      {"1783000213000", R"({"N":"1783000213000"})"},
      {"9223372036854775807", R"({"N":"9223372036854775807"})"},
      {"3.0", R"({"N":"3"})"},
      {"0.5", R"({"N":"0.5"})"},
      {"true", R"({"BOOL":true})"},
      {"false", R"({"BOOL":false})"},
      {"null", R"({"NULL":true})"},
      {"[]", R"({"L":[]})"},
      {"{}", R"({"M":{}})"},
      {R"([1,"b",[null]])", R"({"L":[{"N":"1"},{"S":"b"},{"L":[{"NULL":true}]}]})"},
      {R"({"stop":{"at":5,"accepted":true}})",
       R"({"M":{"stop":{"M":{"at":{"N":"5"},"accepted":{"BOOL":true}}}}})"},
  };
  for (const auto& expected : cases) {
    EXPECT_EQ(typed(expected.plain), expected.typed);
    const std::string item = std::string(R"({"x":)") + expected.typed + "}";
    const auto back = json::Document::parse(plain(item));
    const auto sent = json::Document::parse(expected.plain);
    ASSERT_TRUE(back) << plain(item);
    EXPECT_TRUE(json::equal(*back->root().find("x"), sent->root())) << expected.plain;
  }
}

TEST(Attributes, ANumberThatIsNoIntegerIsReadAsADouble) {
  EXPECT_EQ(plain(R"({"x":{"N":"0.1"}})"), R"({"x":0.1})");
  const auto large = json::Document::parse(plain(R"({"x":{"N":"9223372036854775808"}})"));
  EXPECT_DOUBLE_EQ(large->root().find("x")->as_number(), 9223372036854775808.0);
}

TEST(Attributes, WhatHasNoCounterpartIsRefusedByItsPath) {
  const struct {
    const char* item;
    const char* named;
  } cases[] = {
      {R"({"a":{"SS":["x"]}})", "`Item.a`"},
      {R"({"a":{"B":"eA=="}})", "`Item.a`"},
      {R"({"a":{"NS":["1"]}})", "`Item.a`"},
      {R"({"a":{"M":{"b":{"L":[{"S":"x"},{"BS":["eA=="]}]}}}})", "`Item.a.b[1]`"},
      {R"({"a":{}})", "`Item.a`"},
      {R"({"a":{"S":"x","N":"1"}})", "`Item.a`"},
      {R"({"a":"x"})", "`Item.a`"},
      {R"({"a":null})", "`Item.a`"},
      {R"({"a":{"S":1}})", "`Item.a`"},
      {R"({"a":{"N":1}})", "`Item.a`"},
      {R"({"a":{"N":"one"}})", "`Item.a`"},
      {R"({"a":{"N":""}})", "`Item.a`"},
      {R"({"a":{"N":"1 "}})", "`Item.a`"},
      {R"({"a":{"N":"inf"}})", "`Item.a`"},
      {R"({"a":{"N":"1e999"}})", "`Item.a`"},
      {R"({"a":{"BOOL":"true"}})", "`Item.a`"},
      {R"({"a":{"L":{}}})", "`Item.a`"},
      {R"({"a":{"M":[]}})", "`Item.a`"},
      {R"([])", "`Item`"},
  };
  for (const auto& [item, named] : cases) {
    const auto document = json::Document::parse(item);
    const auto attributes = read_attributes(document->root(), "Item");
    ASSERT_FALSE(attributes) << item;
    EXPECT_EQ(attributes.error().code, ErrorCode::kBadResponse) << item;
    EXPECT_NE(attributes.error().message.find(named), std::string::npos)
        << item << ": " << attributes.error().message;
  }
}

}  // namespace
}  // namespace trainwarden::aws::attributes_test
