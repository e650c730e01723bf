#include "awsapi/attributes.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <string>

#include "runtime/base/digits.h"
#include "runtime/base/leading_double.h"

namespace trainwarden::aws {
namespace {

std::string number_text(json::Value number) {
  if (const auto integer = number.as_integer()) return fmt::format("{}", *integer);
  return fmt::format("{}", number.as_number());
}

std::optional<double> decimal(std::string_view text) {
  const LeadingDouble number = leading_double(text);
  if (number.size == 0 || number.size != text.size() || !std::isfinite(number.value))
    return std::nullopt;
  return number.value;
}

std::unexpected<Error> wrong_attribute(std::string_view where, std::string_view expected,
                                       std::string_view found) {
  return fail(ErrorCode::kBadResponse,
              fmt::format("`{}`: expected {}, found `{}`", where, expected, found));
}

// The single member of a typed value, such as {"S": "text"}.
Result<json::Member> only_member(json::Value value, std::string_view where) {
  if (value.size() != 1 || !value.is_object())
    return wrong_attribute(where, "one of S, N, BOOL, NULL, L and M", json::describe(value.type()));
  return *value.members().begin();
}

Result<void> check_attribute(json::Value value, const std::string& where) {
  TRY(const json::Member typed, only_member(value, where));
  const json::Value inner = typed.value;
  if (typed.name == "S" && inner.is_string()) return {};
  if ((typed.name == "BOOL" || typed.name == "NULL") && inner.is_boolean()) return {};
  if (typed.name == "N" && inner.is_string()) {
    const auto number = decimal(inner.as_string());
    if (number && std::isfinite(*number)) return {};
    return wrong_attribute(where, "a number", inner.excerpt());
  }
  if (typed.name == "L" && inner.is_array()) {
    std::size_t index = 0;
    for (const json::Value element : inner.elements())
      CHECK_OK(check_attribute(element, fmt::format("{}[{}]", where, index++)));
    return {};
  }
  if (typed.name == "M" && inner.is_object()) {
    for (const auto& [name, member] : inner.members())
      CHECK_OK(check_attribute(member, fmt::format("{}.{}", where, name)));
    return {};
  }
  return wrong_attribute(where, "S, N, BOOL, NULL, L or M with a value of its kind", typed.name);
}

void write_number(json::Sink& sink, std::string_view text) {
  if (const auto integer = whole_number(text))
    sink.integer(*integer);
  else
    sink.number(*decimal(text));
}

// The value must have passed check_attribute().
void write_plain(json::Sink& sink, json::Value value) {
  const json::Member typed = *value.members().begin();
  const json::Value inner = typed.value;
  if (typed.name == "S") {
    sink.string(inner.as_string());
  } else if (typed.name == "N") {
    write_number(sink, inner.as_string());
  } else if (typed.name == "BOOL") {
    sink.boolean(inner.as_boolean());
  } else if (typed.name == "L") {
    sink.begin_array();
    for (const json::Value element : inner.elements()) write_plain(sink, element);
    sink.end_array();
  } else if (typed.name == "M") {
    sink.begin_object();
    for (const auto& [name, member] : inner.members()) {
      sink.key(name);
      write_plain(sink, member);
    }
    sink.end_object();
  } else {
    sink.null();
  }
}

}  // namespace

void write_attribute(json::Sink& sink, json::Value value) {
  sink.begin_object();
  switch (value.type()) {
    case json::Type::kNull:
      sink.member("NULL", true);
      break;
    case json::Type::kBoolean:
      sink.member("BOOL", value.as_boolean());
      break;
    case json::Type::kNumber:
      sink.member("N", number_text(value));
      break;
    case json::Type::kString:
      sink.member("S", value.as_string());
      break;
    case json::Type::kArray:
      sink.key("L").begin_array();
      for (const json::Value element : value.elements()) write_attribute(sink, element);
      sink.end_array();
      break;
    case json::Type::kObject:
      sink.key("M").begin_object();
      for (const auto& [name, member] : value.members()) {
        sink.key(name);
        write_attribute(sink, member);
      }
      sink.end_object();
      break;
  }
  sink.end_object();
}

Result<json::Document> read_attributes(json::Value item, std::string_view where) {
  if (!item.is_object()) return wrong_attribute(where, "an object", json::describe(item.type()));
  for (const auto& [name, value] : item.members())
    CHECK_OK(check_attribute(value, fmt::format("{}.{}", where, name)));
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    for (const auto& [name, value] : item.members()) {
      sink.key(name);
      write_plain(sink, value);
    }
    sink.end_object();
  });
}

}  // namespace trainwarden::aws
