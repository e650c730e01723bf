// A Secret holds a value that must never be printed: it has no formatter and no stream operator, so
// that printing it does not compile. reveal() is for the one place that needs the bytes.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace trainwarden {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  std::string_view reveal() const { return value_; }
  bool empty() const { return value_.empty(); }

 private:
  std::string value_;
};

}  // namespace trainwarden
