// What a request member may be, as AWS's service models say it: type, length, range, pattern,
// values, required members. validate() answers as AWS does: a wrong type is a
// SerializationException, anything else a ValidationException that lists what is wrong ("2
// validation errors detected: …").
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/json/json.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

// The model's regular expression, for messages, and a function that decides it.
struct Pattern {
  std::string_view text;
  bool (*matches)(std::string_view) = nullptr;
};

struct Field;

struct Shape {
  enum class Kind : std::uint8_t {
    kString,
    kInteger,
    kNumber,
    kBoolean,
    kTime,
    kList,
    kMap,
    kObject
  };

  Kind kind;
  std::optional<std::int64_t> min;  // of a string's or collection's length, or of the number
  std::optional<std::int64_t> max;
  Pattern pattern;
  std::vector<std::string_view> values;  // not empty: the enumeration
  std::vector<Field> fields;             // of an object
  std::vector<Shape> inner;              // list: element; map: key, value
};

struct Field {
  std::string_view name;
  Shape shape;
  bool required = false;
};

Shape text(std::optional<std::int64_t> min = {}, std::optional<std::int64_t> max = {},
           Pattern pattern = {});
Shape choice(std::initializer_list<std::string_view> values);
Shape integer(std::optional<std::int64_t> min = {}, std::optional<std::int64_t> max = {});
Shape number();  // a double
Shape boolean();
Shape time();  // epoch seconds, or an ISO 8601 string
Shape list(Shape element, std::optional<std::int64_t> min, std::optional<std::int64_t> max);
Shape map(Shape key, Shape value, std::optional<std::int64_t> max);
Shape object(std::vector<Field> fields);

inline Field required(std::string_view name, Shape shape) { return {name, std::move(shape), true}; }
inline Field optional(std::string_view name, Shape shape) {
  return {name, std::move(shape), false};
}

// Unknown members are ignored and null counts as missing, as services have it.
Answer<void> validate(const Shape& shape, json::Value value);

}  // namespace trainwarden::localaws
