#include "tests/localaws/dynamodb/attribute_value.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/localaws/dynamodb/decimal.h"
#include "tests/localaws/service/shape.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr int kMaxLevels = 32;

constexpr std::array<std::string_view, 10> kTypes{"S", "N", "BOOL", "NULL", "L",
                                                  "M", "B", "SS",   "NS",   "BS"};
constexpr std::size_t kKept = 6;  // of these, the first

const Shape& value_shape() {
  const auto texts = [] { return list(text(), {}, {}); };
  static const Shape shape =
      object({optional("S", text()), optional("N", text()), optional("BOOL", boolean()),
              optional("NULL", boolean()), optional("L", list(object({}), {}, {})),
              optional("M", map(text(), object({}), {})), optional("B", text()),
              optional("SS", texts()), optional("NS", texts()), optional("BS", texts())});
  return shape;
}

// Unknown members are ignored and null counts as missing, as in all requests.
std::vector<std::string_view> types_of(Value value) {
  std::vector<std::string_view> found;
  for (const std::string_view type : kTypes)
    if (value.find_present(type)) found.push_back(type);
  return found;
}

Answer<void> check(Value value, int level) {
  if (auto ok = validate(value_shape(), value); !ok) return ok;
  const auto types = types_of(value);
  if (types.empty())
    return invalid(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
  if (types.size() > 1)
    return invalid(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
        "supported datatypes");
  if (std::find(kTypes.begin(), kTypes.begin() + kKept, types[0]) == kTypes.begin() + kKept)
    return invalid(fmt::format("localaws keeps no values of the type {}", types[0]));
  if (level > kMaxLevels) return invalid("Nesting Levels have exceeded supported limits");
  const auto [type, inner] = typed(value);
  if (type == "NULL" && !inner.as_boolean())
    return invalid(
        "One or more parameter values were invalid: Null attribute value types must have the value "
        "of true");
  if (type == "N") {
    if (auto number = Decimal::parse(inner.as_string()); !number)
      return std::unexpected(number.error());
  }
  for (const Value element : inner.elements())
    if (auto ok = check(element, level + 1); !ok) return ok;
  for (const json::Member member : inner.members())
    if (auto ok = check(member.value, level + 1); !ok) return ok;
  return {};
}

void write_members(json::Sink& sink, Value attributes) {
  sink.begin_object();
  for (const auto& [name, value] : attributes.members()) {
    sink.key(name);
    write_value(sink, value);
  }
  sink.end_object();
}

std::size_t value_size(Value value) {
  constexpr std::size_t kContainer = 3;
  const auto [type, inner] = typed(value);
  if (type == "S") return inner.as_string().size();
  if (type == "N") return Decimal::parse(inner.as_string())->size();
  std::size_t size = type == "L" || type == "M" ? kContainer : 1;
  for (const Value element : inner.elements()) size += 1 + value_size(element);
  for (const json::Member member : inner.members())
    size += 1 + member.name.size() + value_size(member.value);
  return size;
}

}  // namespace

Answer<void> check_value(Value value) { return check(value, 1); }

TypedValue typed(Value value) {
  const std::string_view type = types_of(value).front();
  return {type, *value.find_present(type)};
}

void write_value(json::Sink& sink, Value value) {
  const auto [type, inner] = typed(value);
  sink.begin_object().key(type);
  if (type == "N") {
    sink.string(Decimal::parse(inner.as_string())->text());
  } else if (type == "L") {
    sink.begin_array();
    for (const Value element : inner.elements()) write_value(sink, element);
    sink.end_array();
  } else if (type == "M") {
    write_members(sink, inner);
  } else {
    sink.value(inner);
  }
  sink.end_object();
}

bool same_value(Value a, Value b) {
  const auto one_form = [](Value value) {
    return json::Document::build([&](json::Sink& sink) { write_value(sink, value); });
  };
  return json::equal(one_form(a).root(), one_form(b).root());
}

Answer<void> check_attributes(Value attributes) {
  for (const json::Member member : attributes.members())
    if (auto ok = check_value(member.value); !ok) return ok;
  return {};
}

json::Document normalised(Value attributes) {
  return json::Document::build([&](json::Sink& sink) { write_members(sink, attributes); });
}

std::size_t size_of(Value attributes) {
  std::size_t size = 0;
  for (const json::Member member : attributes.members())
    size += member.name.size() + value_size(member.value);
  return size;
}

}  // namespace trainwarden::localaws
