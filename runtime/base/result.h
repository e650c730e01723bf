// Result<T> is a value or an Error; TRY takes the value or returns the error to the caller.
#pragma once

#include <expected>
#include <utility>

#include "runtime/base/error.h"

namespace trainwarden {

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error{code, std::move(message)});
}

inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }

}  // namespace trainwarden

#define TRAINWARDEN_CONCAT2(a, b) a##b
#define TRAINWARDEN_CONCAT(a, b) TRAINWARDEN_CONCAT2(a, b)

// TRY(auto value, expression): on success declares or assigns value, else returns the error.
#define TRY(lhs, ...) TRAINWARDEN_TRY(TRAINWARDEN_CONCAT(try_result_, __LINE__), lhs, __VA_ARGS__)
#define TRAINWARDEN_TRY(result, lhs, ...)                                             \
  auto result = (__VA_ARGS__);                                                        \
  if (!result) return std::unexpected<trainwarden::Error>(std::move(result).error()); \
  lhs = std::move(result).value()

// CHECK_OK(expression): for a Result<void>.
#define CHECK_OK(...)                                                            \
  do {                                                                           \
    if (auto try_status = (__VA_ARGS__); !try_status)                            \
      return std::unexpected<trainwarden::Error>(std::move(try_status).error()); \
  } while (false)
