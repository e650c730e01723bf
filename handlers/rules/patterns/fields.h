// The leaves of a JSON object, flattened as the reference matcher flattens an event: every string,
// number, boolean and null under its dotted path, together with the array elements it lies in. That
// is what makes matching consistent in arrays of objects: two leaves go together only if they lie
// in the same element of every array they share. Empty objects and arrays have no leaves. Points
// into the Document it was made from, which must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/json/json.h"

namespace trainwarden::rules {

// One leaf's value, detached from how JSON stores it.
struct Scalar {
  json::Type type = json::Type::kNull;
  bool boolean = false;
  double number = 0;
  std::string_view text;

  static Scalar of(std::string_view text) { return {json::Type::kString, false, 0, text}; }
  // value must be neither an object nor an array.
  static Scalar of(json::Value value);

  // For people: strings unquoted, cut to about 60 bytes at a character boundary.
  std::string excerpt() const;
};

class Fields {
 public:
  // Whether a null is a leaf (the reference) or counts as missing (facts, F2).
  enum class Nulls : std::uint8_t { kLeaves, kMissing };

  static constexpr std::int32_t kNoElement = -1;

  struct Field {
    std::uint32_t path_offset;
    std::uint32_t path_size;
    std::int32_t element;  // the innermost array element, or kNoElement
    std::uint32_t order;   // position in the document
    Scalar value;
  };

  // One element of one array; parent is the element around that array, or kNoElement.
  struct Element {
    std::int32_t parent;
    std::uint32_t array;
    std::uint32_t index;
  };

  // No leaves for anything but an object.
  static Fields of(json::Value object, Nulls nulls);

  // All leaves at that path, in document order.
  std::span<const Field> at(std::string_view path) const;
  std::string_view path(const Field& field) const {
    return std::string_view(paths_).substr(field.path_offset, field.path_size);
  }
  const Element& element(std::int32_t id) const { return elements_[static_cast<std::size_t>(id)]; }
  std::span<const Field> all() const { return fields_; }

 private:
  class Flattener;

  std::string paths_;
  std::vector<Element> elements_;
  std::vector<Field> fields_;
};

}  // namespace trainwarden::rules
