#include "runtime/base/error.h"

#include <utility>

namespace trainwarden {

std::string_view name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return "InvalidInput";
    case ErrorCode::kInvalidPolicy:
      return "InvalidPolicy";
    case ErrorCode::kInvalidConfig:
      return "InvalidConfig";
    case ErrorCode::kBadResponse:
      return "BadResponse";
    case ErrorCode::kConnection:
      return "Connection";
    case ErrorCode::kTimeout:
      return "Timeout";
    case ErrorCode::kTls:
      return "Tls";
    case ErrorCode::kThrottled:
      return "Throttled";
    case ErrorCode::kServiceFault:
      return "ServiceFault";
    case ErrorCode::kNotFound:
      return "NotFound";
    case ErrorCode::kConflict:
      return "Conflict";
    case ErrorCode::kAccessDenied:
      return "AccessDenied";
    case ErrorCode::kUnauthenticated:
      return "Unauthenticated";
    case ErrorCode::kLimitExceeded:
      return "LimitExceeded";
    case ErrorCode::kRejected:
      return "Rejected";
    case ErrorCode::kDeadline:
      return "Deadline";
    case ErrorCode::kTooLarge:
      return "TooLarge";
    case ErrorCode::kStateUnavailable:
      return "StateUnavailable";
    case ErrorCode::kUnavailable:
      return "Unavailable";
    case ErrorCode::kInternal:
      return "Internal";
  }
  return "Internal";
}

bool retryable(ErrorCode code) {
  switch (code) {
    case ErrorCode::kConnection:
    case ErrorCode::kTimeout:
    case ErrorCode::kThrottled:
    case ErrorCode::kServiceFault:
      return true;
    default:
      return false;
  }
}

Error Error::in(std::string_view context) && {
  std::string text;
  text.reserve(context.size() + 2 + message.size());
  text.append(context).append(": ").append(message);
  return {code, std::move(text)};
}

}  // namespace trainwarden
