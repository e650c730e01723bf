// An error as an AWS service answers it: HTTP status, code and message, word for word where known.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace trainwarden::localaws {

struct AwsError {
  int status;
  std::string code;
  std::string message;
  std::string members = {};  // further ones of the answer: a JSON object, or empty
};

template <class T>
using Answer = std::expected<T, AwsError>;

inline std::unexpected<AwsError> refuse(int status, std::string code, std::string message) {
  return std::unexpected<AwsError>(AwsError{status, std::move(code), std::move(message)});
}

inline std::unexpected<AwsError> invalid(std::string message) {
  return refuse(400, "ValidationException", std::move(message));
}

}  // namespace trainwarden::localaws
