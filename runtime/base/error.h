// Errors are values. An Error says what was found, what was expected and where; nothing is thrown
// across a layer. Messages are lower-case, end without a full stop and never hold secrets or
// payloads.
#pragma once

#include <string>
#include <string_view>

namespace trainwarden {

// What went wrong, as far as a caller may act on it. The text is for people.
enum class ErrorCode {
  kInvalidInput,     // an event, argument or document is not what it should be
  kInvalidPolicy,    // the policy cannot be loaded
  kInvalidConfig,    // an environment variable is missing or malformed
  kBadResponse,      // a peer's answer cannot be parsed
  kConnection,       // no connection, or it was lost: the request may have had an effect
  kTimeout,          // no answer in time: the request may have had an effect
  kTls,              // the handshake or the verification of the peer failed
  kThrottled,        // the service asks for fewer requests
  kServiceFault,     // the service failed (5xx)
  kNotFound,         // the named thing does not exist
  kConflict,         // the thing is not in a state that allows the request
  kAccessDenied,     // not allowed
  kUnauthenticated,  // the credentials, the signature or its time were not accepted: no word on
                     // what is allowed
  kLimitExceeded,    // a quota; waiting does not help
  kRejected,         // any other refusal by a service
  kDeadline,         // not enough time was left
  kTooLarge,     // an answer, or a list, is larger than what is read; asking again changes nothing
  kUnavailable,  // facts that a decision rests on could not be fetched
  kStateUnavailable,  // the state table could not be read or written
  kInternal,          // a bug in this program
};

// The code's name as Lambda's errorType suffix wants it: letters only, e.g. "InvalidPolicy".
std::string_view name(ErrorCode code);

// Whether the same request may succeed when sent again as it is.
bool retryable(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;

  // The same error with its context in front: "<context>: <message>".
  Error in(std::string_view context) &&;
};

}  // namespace trainwarden
