#include "tests/localaws/service/shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace trainwarden::localaws {
namespace {

using json::Type;
using json::Value;
using Kind = Shape::Kind;

constexpr std::size_t kShown = 200;

// Java counts UTF-16 units; a length in code points differs only beyond the basic plane.
std::int64_t code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

std::string member_path(std::string_view path, std::string_view name) {
  std::string out(path);
  if (!out.empty()) out += '.';
  const std::size_t first = out.size();
  out += name;
  if (out[first] >= 'A' && out[first] <= 'Z')
    out[first] = static_cast<char>(out[first] - 'A' + 'a');
  return out;
}

std::string_view java_name(Kind kind) {
  switch (kind) {
    case Kind::kString:
      return "a String";
    case Kind::kInteger:
      return "an Integer";
    case Kind::kNumber:
      return "a Double";
    case Kind::kBoolean:
      return "a Boolean";
    case Kind::kTime:
      return "a Timestamp";
    case Kind::kList:
    case Kind::kMap:
    case Kind::kObject:
      break;
  }
  return "a value";
}

bool has_type(Kind kind, Value value) {
  switch (kind) {
    case Kind::kString:
      return value.is_string();
    case Kind::kInteger:
      return value.as_integer().has_value();
    case Kind::kNumber:
      return value.is_number();
    case Kind::kBoolean:
      return value.is_boolean();
    case Kind::kTime:
      return value.is_number() || value.is_string();
    case Kind::kList:
      return value.is_array();
    case Kind::kMap:
    case Kind::kObject:
      return value.is_object();
  }
  return false;
}

AwsError wrong_type(Kind kind, Value found) {
  std::string text;
  switch (found.type()) {
    case Type::kObject:
      text = "Start of structure or map found where not expected.";
      break;
    case Type::kArray:
      text = "Start of list found where not expected";
      break;
    case Type::kString:
    case Type::kNumber:
    case Type::kBoolean:
    case Type::kNull: {
      const std::string_view token = found.is_string() ? "STRING_VALUE"
                                     : found.is_boolean()
                                         ? (found.as_boolean() ? "TRUE_VALUE" : "FALSE_VALUE")
                                         : "NUMBER_VALUE";
      if (kind == Kind::kList)
        text = "Expected list or null";
      else if (kind == Kind::kMap || kind == Kind::kObject)
        text = "Unexpected field type";
      else
        text = fmt::format("{} can not be converted to {}", token, java_name(kind));
      break;
    }
  }
  return {400, "SerializationException", std::move(text)};
}

class Validator {
 public:
  Answer<void> check(const Shape& shape, Value value, const std::string& path) {
    if (!has_type(shape.kind, value)) return std::unexpected(wrong_type(shape.kind, value));
    switch (shape.kind) {
      case Kind::kString:
        check_text(shape, value.as_string(), path);
        return {};
      case Kind::kInteger:
        check_number(shape, value, path);
        return {};
      case Kind::kNumber:
      case Kind::kBoolean:
      case Kind::kTime:
        return {};
      case Kind::kList:
        return check_list(shape, value, path);
      case Kind::kMap:
        return check_map(shape, value, path);
      case Kind::kObject:
        return check_object(shape, value, path);
    }
    return {};
  }

  Answer<void> result() const {
    if (problems_.empty()) return {};
    std::string text = fmt::format("{} validation error{} detected: ", problems_.size(),
                                   problems_.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      if (i > 0) text += "; ";
      text += problems_[i];
    }
    return invalid(std::move(text));
  }

 private:
  void problem(std::string shown, const std::string& path, std::string_view constraint) {
    if (shown.size() > kShown) shown = shown.substr(0, kShown) + "...";
    problems_.push_back(fmt::format("Value '{}' at '{}' failed to satisfy constraint: {}", shown,
                                    path, constraint));
  }

  void check_length(const Shape& shape, std::int64_t length, const std::string& shown,
                    const std::string& path) {
    if (shape.max && length > *shape.max)
      problem(shown, path,
              fmt::format("Member must have length less than or equal to {}", *shape.max));
    if (shape.min && length < *shape.min)
      problem(shown, path,
              fmt::format("Member must have length greater than or equal to {}", *shape.min));
  }

  void check_text(const Shape& shape, std::string_view found, const std::string& path) {
    const std::string shown(found);
    if (!shape.values.empty() &&
        std::find(shape.values.begin(), shape.values.end(), found) == shape.values.end()) {
      std::string set;
      for (const std::string_view allowed : shape.values)
        set.append(set.empty() ? "" : ", ").append(allowed);
      problem(shown, path, fmt::format("Member must satisfy enum value set: [{}]", set));
    }
    check_length(shape, code_points(found), shown, path);
    if (shape.pattern.matches != nullptr && !shape.pattern.matches(found))
      problem(
          shown, path,
          fmt::format("Member must satisfy regular expression pattern: {}", shape.pattern.text));
  }

  void check_number(const Shape& shape, Value value, const std::string& path) {
    const std::int64_t found = value.as_integer().value_or(0);
    if (shape.max && found > *shape.max)
      problem(std::to_string(found), path,
              fmt::format("Member must have value less than or equal to {}", *shape.max));
    if (shape.min && found < *shape.min)
      problem(std::to_string(found), path,
              fmt::format("Member must have value greater than or equal to {}", *shape.min));
  }

  Answer<void> check_list(const Shape& shape, Value value, const std::string& path) {
    check_length(shape, static_cast<std::int64_t>(value.size()), json::to_text(value), path);
    std::size_t index = 0;
    for (const Value element : value.elements()) {
      ++index;
      if (auto ok = check(shape.inner[0], element, fmt::format("{}.{}.member", path, index)); !ok)
        return ok;
    }
    return {};
  }

  Answer<void> check_map(const Shape& shape, Value value, const std::string& path) {
    check_length(shape, static_cast<std::int64_t>(value.size()), json::to_text(value), path);
    for (const json::Member member : value.members()) {
      check_text(shape.inner[0], member.name, path);
      if (auto ok = check(shape.inner[1], member.value, fmt::format("{}.{}", path, member.name));
          !ok)
        return ok;
    }
    return {};
  }

  Answer<void> check_object(const Shape& shape, Value value, const std::string& path) {
    for (const Field& field : shape.fields) {
      const std::string inner = member_path(path, field.name);
      const auto found = value.find_present(field.name);
      if (!found) {
        if (field.required)
          problems_.push_back(fmt::format(
              "Value null at '{}' failed to satisfy constraint: Member must not be null", inner));
        continue;
      }
      if (auto ok = check(field.shape, *found, inner); !ok) return ok;
    }
    return {};
  }

  std::vector<std::string> problems_;
};

Shape of(Kind kind, std::optional<std::int64_t> min, std::optional<std::int64_t> max) {
  return {
      .kind = kind, .min = min, .max = max, .pattern = {}, .values = {}, .fields = {}, .inner = {}};
}

}  // namespace

Shape text(std::optional<std::int64_t> min, std::optional<std::int64_t> max, Pattern pattern) {
  Shape shape = of(Kind::kString, min, max);
  shape.pattern = pattern;
  return shape;
}

Shape choice(std::initializer_list<std::string_view> values) {
  Shape shape = of(Kind::kString, {}, {});
  shape.values = values;
  return shape;
}

Shape integer(std::optional<std::int64_t> min, std::optional<std::int64_t> max) {
  return of(Kind::kInteger, min, max);
}

Shape number() { return of(Kind::kNumber, {}, {}); }

Shape boolean() { return of(Kind::kBoolean, {}, {}); }

Shape time() { return of(Kind::kTime, {}, {}); }

Shape list(Shape element, std::optional<std::int64_t> min, std::optional<std::int64_t> max) {
  Shape shape = of(Kind::kList, min, max);
  shape.inner.push_back(std::move(element));
  return shape;
}

Shape map(Shape key, Shape value, std::optional<std::int64_t> max) {
  Shape shape = of(Kind::kMap, {}, max);
  shape.inner.push_back(std::move(key));
  shape.inner.push_back(std::move(value));
  return shape;
}

Shape object(std::vector<Field> fields) {
  Shape shape = of(Kind::kObject, {}, {});
  shape.fields = std::move(fields);
  return shape;
}

Answer<void> validate(const Shape& shape, json::Value value) {
  Validator validator;
  if (auto ok = validator.check(shape, value, ""); !ok) return ok;
  return validator.result();
}

}  // namespace trainwarden::localaws
