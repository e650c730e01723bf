#include "tests/localaws/faults.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace trainwarden::localaws {
namespace {

using json::Value;

Result<std::int64_t> bounded(Value value, std::string_view where, std::int64_t low,
                             std::int64_t high) {
  TRY(const std::int64_t number, value.integer(where));
  if (number < low || number > high)
    return fail(ErrorCode::kInvalidInput,
                fmt::format("`{}`: expected {} to {}, found {}", where, low, high, number));
  return number;
}

Result<std::string> text(Value value, std::string_view where) {
  TRY(const std::string_view found, value.string(where));
  return std::string(found);
}

// The code that AWS gives with that status.
std::string usual_code(int status) {
  switch (status) {
    case 400:
    case 429:
      return "ThrottlingException";
    case 403:
      return "AccessDeniedException";
    case 503:
      return "ServiceUnavailable";
    default:
      return "InternalFailure";
  }
}

std::string usual_message(std::string_view code) {
  if (code == "ThrottlingException") return "Rate exceeded";
  return "A fault that was asked for.";
}

Result<void> set_member(Fault& fault, std::string_view name, Value value) {
  if (name == "operation") {
    TRY(fault.operation, text(value, name));
  } else if (name == "caller") {
    TRY(fault.caller, text(value, name));
  } else if (name == "times") {
    TRY(fault.times, bounded(value, name, 1, std::numeric_limits<std::int32_t>::max()));
  } else if (name == "status") {
    TRY(const std::int64_t status, bounded(value, name, 400, 599));
    fault.status = static_cast<int>(status);
  } else if (name == "code") {
    TRY(fault.code, text(value, name));
  } else if (name == "message") {
    TRY(fault.message, text(value, name));
  } else if (name == "delay_ms") {
    TRY(const std::int64_t delay, bounded(value, name, 0, 600'000));
    fault.delay = std::chrono::milliseconds(delay);
  } else if (name == "cut") {
    TRY(fault.cut, value.boolean(name));
  } else if (name == "duplicate") {
    TRY(fault.duplicate, value.boolean(name));
  } else if (name == "skew_s") {
    TRY(const std::int64_t skew, bounded(value, name, -31'536'000, 31'536'000));
    fault.skew = std::chrono::seconds(skew);
  } else if (name == "kill") {
    TRY(fault.kill, text(value, name));
    if (fault.kill != "before" && fault.kill != "after")
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("`kill`: expected \"before\" or \"after\", found `{}`", fault.kill));
  } else {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("`{}`: not a member of a fault; expected operation, caller, times, "
                            "status, code, message, delay_ms, cut, duplicate, skew_s or kill",
                            name));
  }
  return {};
}

bool meant_for(const Fault& fault, std::string_view operation, std::string_view function) {
  const bool any = fault.operation == "*" && operation != kDeliver;
  if (!any && fault.operation != operation) return false;
  if (fault.caller == "any") return true;
  if (fault.caller == "functions") return !function.empty();
  if (fault.caller == "clients") return function.empty();
  return fault.caller == function;
}

}  // namespace

Result<Fault> parse_fault(Value value) {
  CHECK_OK(value.object("the fault"));
  Fault fault;
  for (const json::Member member : value.members())
    CHECK_OK(set_member(fault, member.name, member.value));
  if (!fault.code.empty() && fault.status == 0) fault.status = 400;
  if (fault.status != 0 && fault.code.empty()) fault.code = usual_code(fault.status);
  if (fault.status != 0 && fault.message.empty()) fault.message = usual_message(fault.code);
  if (fault.status == 0 && fault.delay.count() == 0 && !fault.cut && !fault.duplicate &&
      fault.skew.count() == 0 && fault.kill.empty())
    return fail(
        ErrorCode::kInvalidInput,
        "the fault does nothing: expected status, code, delay_ms, cut, duplicate, skew_s or kill");
  const bool of_calls =
      fault.status != 0 || fault.cut || fault.skew.count() != 0 || !fault.kill.empty();
  if (fault.operation == kDeliver ? of_calls : fault.duplicate)
    return fail(
        ErrorCode::kInvalidInput,
        "deliveries (`operation` Deliver) can be delayed and duplicated, calls all but that");
  return fault;
}

std::optional<Fault> Faults::strike(std::string_view operation, std::string_view function) {
  const auto found = std::find_if(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    return meant_for(fault, operation, function);
  });
  if (found == faults_.end()) return std::nullopt;
  Fault struck = *found;
  if (--found->times == 0) faults_.erase(found);
  return struck;
}

}  // namespace trainwarden::localaws
