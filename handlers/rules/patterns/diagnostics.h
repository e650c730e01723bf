// What is wrong with a policy: all of it, not only the first thing. A complaint names the path,
// what was found and what was expected. After a thousand errors it stops counting.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/error.h"

namespace trainwarden::rules {

// A path that grows while a document is walked: "rules[2].match.tags["cost.center"]".
class JsonPath {
 public:
  JsonPath() = default;
  explicit JsonPath(std::string_view start) : path_(start) {}

  // Adds a step while it lives.
  class Step {
   public:
    Step(JsonPath& where, std::string_view member);
    Step(JsonPath& where, std::size_t index);
    ~Step() { where_.path_.resize(size_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    JsonPath& where_;
    std::size_t size_;
  };

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// So many mistakes are told at most.
inline constexpr std::size_t kMaxErrors = 1000;

class Diagnostics {
 public:
  void error(const JsonPath& where, std::string_view what);
  void warning(const JsonPath& where, std::string_view what);

  // So much is wrong that the rest need not be read: further errors are not kept.
  bool enough() const { return errors_.size() >= kMaxErrors; }
  bool any_errors() const { return !errors_.empty(); }
  const std::vector<Error>& errors() const { return errors_; }
  std::vector<Error> take_errors() { return std::move(errors_); }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  std::vector<Error> errors_;
  std::vector<std::string> warnings_;
};

}  // namespace trainwarden::rules
