// The Query protocol: forms in, XML out.
#include <gtest/gtest.h>

#include <string>

#include "tests/localaws/http/query_form.h"
#include "tests/localaws/http/query_xml.h"

namespace trainwarden::localaws::query_test {
namespace {

TEST(QueryFormTest, DecodesNamesAndValues) {
  const Form form = parse_form("a=b+c%20d&%41=%c3%a4&empty=&bare&broken=%4&a=second");
  ASSERT_EQ(form.size(), 6U);
  EXPECT_EQ(form_value(form, "a"), "b c d");
  EXPECT_EQ(form_value(form, "A"), "ä");
  EXPECT_EQ(form_value(form, "empty"), "");
  EXPECT_EQ(form_value(form, "broken"), "%4");
  EXPECT_TRUE(parse_form("").empty());
}

TEST(QueryFormTest, BecomesTheInputThatTheShapeDescribes) {
  const Shape attribute = object({required("DataType", text()), optional("StringValue", text())});
  const Shape shape = object(
      {optional("Name", text()), optional("Count", integer()), optional("Threshold", number()),
       optional("On", boolean()), optional("Off", boolean()), optional("Wrong", integer()),
       optional("Names", list(text(), {}, {})),
       optional("Metrics",
                list(object({optional("Id", text()), optional("Values", list(number(), {}, {}))}),
                     {}, {})),
       optional("Attributes", map(text(), text(), {})),
       optional("MessageAttributes", map(text(), attribute, {}))});
  const auto input = form_input(
      parse_form(
          "Name=3&Count=3&Threshold=1e-3&On=true&Off=false&Wrong=x&Unknown=1"
          "&Names.member.2=b&Names.member.10=c&Names.member.1=a"
          "&Metrics.member.1.Id=m1&Metrics.member.1.Values.member.1=4"
          "&Attributes.entry.1.key=k&Attributes.entry.1.value=v"
          "&MessageAttributes.entry.1.Name=rule&MessageAttributes.entry.1.Value.DataType=String"
          "&MessageAttributes.entry.1.Value.StringValue=x"),
      shape);
  const auto expected = json::Document::parse(
      R"({"Name":"3","Count":3,"Threshold":0.001,"On":true,"Off":false,"Wrong":"x",
          "Names":["a","b","c"],"Metrics":[{"Id":"m1","Values":[4]}],"Attributes":{"k":"v"},
          "MessageAttributes":{"rule":{"DataType":"String","StringValue":"x"}}})");
  ASSERT_TRUE(expected);
  EXPECT_TRUE(json::equal(input.root(), expected->root())) << json::to_text(input.root());
}

TEST(QueryFormTest, NamesOfManyLevelsAreDropped) {
  std::string name = "Name";
  for (int i = 0; i < 1'000'000; ++i) name += ".a";
  const auto input = form_input(parse_form(name + "=x"), object({optional("Name", text())}));
  EXPECT_EQ(input.root().size(), 0U);
}

TEST(QueryXmlTest, WritesListsTimesAndWhatXmlReserves) {
  const QueryFrame frame{"List", "http://example.com/", "id-1"};
  EXPECT_EQ(query_answer(frame, R"({"Names":["a<b","&"],"None":[],"Gone":null,"Yes":true,)"
                                R"("StateUpdatedTimestamp":1783000000.5,"Value":2.5})"),
            "<ListResponse xmlns=\"http://example.com/\"><ListResult><Names><member>a&lt;b</member>"
            "<member>&amp;</member></Names><None></None><Yes>true</Yes>"
            "<StateUpdatedTimestamp>2026-07-02T13:46:40.500Z</StateUpdatedTimestamp>"
            "<Value>2.5</Value></ListResult><ResponseMetadata><RequestId>id-1</RequestId>"
            "</ResponseMetadata></ListResponse>\n");
  EXPECT_EQ(query_answer(frame, "").find("Result>"), std::string::npos);
  EXPECT_EQ(query_error(frame, "Sender", "NotFound", "\"x\""),
            "<ErrorResponse xmlns=\"http://example.com/\"><Error><Type>Sender</Type>"
            "<Code>NotFound</Code><Message>&quot;x&quot;</Message></Error>"
            "<RequestId>id-1</RequestId></ErrorResponse>\n");
}

}  // namespace
}  // namespace trainwarden::localaws::query_test
