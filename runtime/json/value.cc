#include <fmt/core.h>

#include <cassert>
#include <cmath>

#include "runtime/json/json.h"
#include "runtime/json/rapid.h"
#include "runtime/json/utf8.h"

namespace trainwarden::json {
namespace {

using RapidMember = Node::Member;

constexpr std::size_t kExcerpt = 60;

std::unexpected<Error> wrong_type(std::string_view where, std::string_view expected, Value found) {
  return fail(ErrorCode::kInvalidInput,
              fmt::format("`{}`: expected {}, found `{}`", where, expected, found.excerpt()));
}

}  // namespace

std::string_view describe(Type type) {
  switch (type) {
    case Type::kNull:
      return "null";
    case Type::kBoolean:
      return "a boolean";
    case Type::kNumber:
      return "a number";
    case Type::kString:
      return "a string";
    case Type::kArray:
      return "an array";
    case Type::kObject:
      return "an object";
  }
  return "null";
}

Type Value::type() const {
  switch (node(node_).GetType()) {
    case rapidjson::kNullType:
      return Type::kNull;
    case rapidjson::kFalseType:
    case rapidjson::kTrueType:
      return Type::kBoolean;
    case rapidjson::kNumberType:
      return Type::kNumber;
    case rapidjson::kStringType:
      return Type::kString;
    case rapidjson::kArrayType:
      return Type::kArray;
    case rapidjson::kObjectType:
      return Type::kObject;
  }
  return Type::kNull;
}

bool Value::as_boolean() const {
  assert(is_boolean());
  return node(node_).GetBool();
}

double Value::as_number() const {
  assert(is_number());
  return node(node_).GetDouble();
}

std::string_view Value::as_string() const {
  assert(is_string());
  return {node(node_).GetString(), node(node_).GetStringLength()};
}

std::optional<std::int64_t> Value::as_integer() const {
  const Node& at = node(node_);
  if (at.IsInt64()) return at.GetInt64();
  if (!at.IsDouble()) return std::nullopt;
  constexpr double kTwoTo63 = 9223372036854775808.0;
  const double real = at.GetDouble();
  if (real != std::trunc(real) || real < -kTwoTo63 || real >= kTwoTo63) return std::nullopt;
  return static_cast<std::int64_t>(real);
}

std::size_t Value::size() const {
  const Node& at = node(node_);
  if (at.IsArray()) return at.Size();
  return at.IsObject() ? at.MemberCount() : 0;
}

Elements Value::elements() const {
  const Node& at = node(node_);
  return at.IsArray() ? Elements(at.Begin(), at.End()) : Elements(nullptr, nullptr);
}

Members Value::members() const {
  const Node& at = node(node_);
  if (!at.IsObject() || at.ObjectEmpty()) return {nullptr, nullptr};
  const RapidMember* const first = &*at.MemberBegin();
  return {first, first + at.MemberCount()};
}

std::optional<Value> Value::find(std::string_view name) const {
  const Node& at = node(node_);
  if (!at.IsObject()) return std::nullopt;
  const auto member = at.FindMember(Node(rapidjson::StringRef(name.data(), length(name))));
  if (member == at.MemberEnd()) return std::nullopt;
  return Value(&member->value);
}

std::optional<Value> Value::find_present(std::string_view name) const {
  auto found = find(name);
  return found && found->is_null() ? std::nullopt : found;
}

Result<std::string_view> Value::string(std::string_view where) const {
  if (is_string()) return as_string();
  return wrong_type(where, "a string", *this);
}

Result<double> Value::number(std::string_view where) const {
  if (is_number()) return as_number();
  return wrong_type(where, "a number", *this);
}

Result<std::int64_t> Value::integer(std::string_view where) const {
  if (const auto integer = as_integer()) return *integer;
  return wrong_type(where, "a whole number", *this);
}

Result<bool> Value::boolean(std::string_view where) const {
  if (is_boolean()) return as_boolean();
  return wrong_type(where, "true or false", *this);
}

Result<Value> Value::object(std::string_view where) const {
  if (is_object()) return *this;
  return wrong_type(where, "an object", *this);
}

Result<Value> Value::array(std::string_view where) const {
  if (is_array()) return *this;
  return wrong_type(where, "an array", *this);
}

Result<Value> Value::member(std::string_view name, std::string_view where) const {
  CHECK_OK(object(where));
  if (const auto found = find(name)) return *found;
  return fail(ErrorCode::kInvalidInput, where.empty()
                                            ? fmt::format("`{}` is missing", name)
                                            : fmt::format("`{}.{}` is missing", where, name));
}

std::string Value::excerpt() const {
  std::string text = to_text(*this);
  if (text.size() <= kExcerpt) return text;
  text.resize(utf8_boundary(text, kExcerpt));
  return text + "…";
}

bool equal(Value a, Value b) {
  if (a.type() != b.type() || a.size() != b.size()) return false;
  switch (a.type()) {
    case Type::kNull:
      return true;
    case Type::kBoolean:
      return a.as_boolean() == b.as_boolean();
    case Type::kNumber:
      return a.as_number() == b.as_number();
    case Type::kString:
      return a.as_string() == b.as_string();
    case Type::kArray: {
      const Elements other = b.elements();
      auto twin = other.begin();
      for (const Value element : a.elements()) {
        if (!equal(element, *twin)) return false;
        ++twin;
      }
      return true;
    }
    case Type::kObject:
      for (const auto& [name, value] : a.members()) {
        const auto twin = b.find(name);
        if (!twin || !equal(value, *twin)) return false;
      }
      return true;
  }
  return false;
}

Elements::Iterator& Elements::Iterator::operator++() {
  at_ = static_cast<const Node*>(at_) + 1;
  return *this;
}

Member Members::Iterator::operator*() const {
  const auto& member = *static_cast<const RapidMember*>(at_);
  return {{member.name.GetString(), member.name.GetStringLength()}, Value(&member.value)};
}

Members::Iterator& Members::Iterator::operator++() {
  at_ = static_cast<const RapidMember*>(at_) + 1;
  return *this;
}

}  // namespace trainwarden::json
