// The process environment, read once in main. An empty variable counts as unset, as in AWS's SDKs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.h"

namespace trainwarden {

// kInvalidConfig: "environment variable NAME: expected …, found `…`". Not for secrets: the message
// shows `found`.
std::unexpected<Error> malformed_variable(std::string_view name, std::string_view expected,
                                          std::string_view found);

class Environment {
 public:
  // envp as main's environ: NAME=VALUE strings that outlive this object, ended by a null pointer.
  explicit Environment(const char* const* envp) : envp_(envp) {}

  std::optional<std::string_view> get(std::string_view name) const;

  // kInvalidConfig, naming the variable, if it is unset. hint says what it should hold.
  Result<std::string_view> require(std::string_view name, std::string_view hint) const;

 private:
  const char* const* envp_;
};

}  // namespace trainwarden
