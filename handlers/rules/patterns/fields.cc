#include "handlers/rules/patterns/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainwarden::rules {
namespace {

constexpr std::size_t kShown = 60;

// The longest prefix of at most size bytes that does not end inside a character.
std::string_view cut(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

}  // namespace

Scalar Scalar::of(json::Value value) {
  Scalar out;
  out.type = value.type();
  switch (out.type) {
    case json::Type::kString:
      out.text = value.as_string();
      break;
    case json::Type::kNumber:
      out.number = value.as_number();
      break;
    case json::Type::kBoolean:
      out.boolean = value.as_boolean();
      break;
    default:
      break;
  }
  return out;
}

std::string Scalar::excerpt() const {
  switch (type) {
    case json::Type::kString: {
      std::string_view shown = cut(text, kShown);
      return shown.size() == text.size() ? std::string(text) : fmt::format("{}…", shown);
    }
    case json::Type::kNumber:
      return fmt::format("{}", number);
    case json::Type::kBoolean:
      return boolean ? "true" : "false";
    default:
      return "null";
  }
}

class Fields::Flattener {
 public:
  Flattener(Fields& out, Nulls nulls) : out_(out), nulls_(nulls) {}

  void object(json::Value value, std::int32_t element) {
    for (json::Member member : value.members()) {
      const std::size_t size = path_.size();
      if (!path_.empty()) path_ += '.';
      path_ += member.name;
      any(member.value, element);
      path_.resize(size);
    }
  }

 private:
  void any(json::Value value, std::int32_t element) {
    if (value.is_object()) {
      object(value, element);
    } else if (value.is_array()) {
      array(value, element);
    } else if (!value.is_null() || nulls_ == Nulls::kLeaves) {
      leaf(value, element);
    }
  }

  // Scalars of an array belong to no element of it: any of them may match beside any other leaf.
  void array(json::Value value, std::int32_t element) {
    const std::uint32_t id = arrays_++;
    std::uint32_t index = 0;
    for (json::Value item : value.elements()) {
      if (item.is_object() || item.is_array()) {
        out_.elements_.push_back({element, id, index});
        any(item, static_cast<std::int32_t>(out_.elements_.size() - 1));
      } else {
        any(item, element);
      }
      ++index;
    }
  }

  void leaf(json::Value value, std::int32_t element) {
    // Elements of one array share their path: store it once where they follow each other.
    if (out_.fields_.empty() || out_.path(out_.fields_.back()) != path_) {
      offset_ = static_cast<std::uint32_t>(out_.paths_.size());
      out_.paths_ += path_;
    }
    const auto order = static_cast<std::uint32_t>(out_.fields_.size());
    out_.fields_.push_back(
        {offset_, static_cast<std::uint32_t>(path_.size()), element, order, Scalar::of(value)});
  }

  Fields& out_;
  const Nulls nulls_;
  std::string path_;
  std::uint32_t arrays_ = 0;
  std::uint32_t offset_ = 0;
};

Fields Fields::of(json::Value object, Nulls nulls) {
  Fields out;
  Flattener(out, nulls).object(object, kNoElement);
  std::ranges::sort(out.fields_, {},
                    [&out](const Field& f) { return std::pair(out.path(f), f.order); });
  return out;
}

std::span<const Fields::Field> Fields::at(std::string_view path) const {
  auto range =
      std::ranges::equal_range(fields_, path, {}, [this](const Field& f) { return this->path(f); });
  return {range.begin(), range.end()};
}

}  // namespace trainwarden::rules
