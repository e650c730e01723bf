// Strings that cannot be mixed up: two Strong types with different tags do not convert to each
// other or to std::string. Tag::check decides what is valid; a Strong value is valid by
// construction.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace trainwarden {

template <class Tag>
class Strong {
 public:
  // Tag::check(text) returns an empty string where text is valid, else what was expected.
  static Result<Strong> parse(std::string_view text) {
    if (std::string expected = Tag::check(text); !expected.empty()) {
      std::string found(text.substr(0, kShown));
      if (text.size() > kShown) found += "…";
      return fail(ErrorCode::kInvalidInput,
                  std::string(Tag::kName) + ": expected " + expected + ", found `" + found + "`");
    }
    return Strong(std::string(text));
  }

  const std::string& str() const { return value_; }
  std::string_view view() const { return value_; }
  auto operator<=>(const Strong&) const = default;

 private:
  static constexpr std::size_t kShown = 80;

  explicit Strong(std::string value) : value_(std::move(value)) {}
  std::string value_;
};

}  // namespace trainwarden
