#include "runtime/base/environment.h"

#include <fmt/core.h>

#include <cstring>

namespace trainwarden {

std::unexpected<Error> malformed_variable(std::string_view name, std::string_view expected,
                                          std::string_view found) {
  std::size_t shown = 200;
  if (shown < found.size()) {  // not within a character of UTF-8
    while (shown > 0 && (static_cast<unsigned char>(found[shown]) & 0xC0U) == 0x80U) --shown;
  }
  return fail(ErrorCode::kInvalidConfig,
              fmt::format("environment variable {}: expected {}, found `{}`", name, expected,
                          found.substr(0, shown)));
}

std::optional<std::string_view> Environment::get(std::string_view name) const {
  const char first = name.empty() ? '=' : name.front();
  for (const char* const* entry = envp_; entry != nullptr && *entry != nullptr; ++entry) {
    if (**entry != first) continue;  // most of them
    // Compares without computing the lengths of all the others. The name has no NUL, at which
    // strncmp() would end.
    if (std::strncmp(*entry, name.data(), name.size()) == 0 && (*entry)[name.size()] == '=') {
      const std::string_view value(*entry + name.size() + 1);
      if (value.empty()) return std::nullopt;
      return value;
    }
  }
  return std::nullopt;
}

Result<std::string_view> Environment::require(std::string_view name, std::string_view hint) const {
  if (auto value = get(name)) return *value;
  return fail(ErrorCode::kInvalidConfig, "environment variable " + std::string(name) +
                                             " is not set: expected " + std::string(hint));
}

}  // namespace trainwarden
