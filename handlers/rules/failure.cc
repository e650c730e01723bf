#include "handlers/rules/failure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "handlers/rules/job_times.h"
#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct Told {
  std::string_view kind;
  Diagnosis diagnosis;
};

// Kinds that leave no doubt about the cause.
const std::array<Told, 5>& told_by_kind() {
  static const std::array<Told, 5> kTold = {
      {{"CapacityError", {"capacity", "yes", {}}},
       {"InsufficientCapacityError", {"capacity", "yes", {}}},
       {"EC2InsufficientCapacityError", {"capacity", "yes", {}}},
       {"InsufficientInstanceCapacity", {"capacity", "yes", {}}},
       {"InternalServerError", {"service", "yes", {}}}}};
  return kTold;
}

}  // namespace

std::string_view failure_kind(std::string_view reason) {
  const std::size_t colon = reason.find(':');
  const std::string_view word = reason.substr(0, colon);
  if (word.empty() || !is_letter(word[0])) return {};
  const bool one_word =
      std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); });
  return one_word ? word : std::string_view();
}

std::optional<int> exit_code(std::string_view reason) {
  std::string text(reason);
  std::ranges::transform(text, text.begin(), lower);
  for (std::size_t at = text.find("exit"); at != std::string::npos;
       at = text.find("exit", at + 1)) {
    std::size_t i = at + 4;
    const auto skip = [&](std::string_view what) {
      while (i < text.size() && what.find(text[i]) != std::string_view::npos) ++i;
    };
    skip(" _");
    if (text.compare(i, 4, "code") != 0) continue;
    i += 4;
    skip(" :=");
    int code = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), code);
    if (error == std::errc()) return code;
  }
  return std::nullopt;
}

Diagnosed diagnose(json::Value describe, Diagnosis& out) {
  const std::string_view secondary = string_of(describe, "SecondaryStatus").value_or("");
  if (secondary == "MaxRuntimeExceeded" || secondary == "MaxWaitTimeExceeded") {
    out = {"timeout", "once", std::string(secondary)};
    return Diagnosed::kTold;
  }
  if (string_of(describe, "TrainingJobStatus") != "Failed") return Diagnosed::kNoFailure;
  const std::string_view reason = string_of(describe, "FailureReason").value_or("");
  const std::string_view kind = failure_kind(reason);
  const auto at = std::ranges::find(told_by_kind(), kind, &Told::kind);
  if (at == told_by_kind().end()) return Diagnosed::kAskTheLogs;
  out = at->diagnosis;
  constexpr std::size_t kLongest = 200;
  out.evidence = reason.substr(0, json::utf8_boundary(reason, kLongest));
  // A request that no zone can fulfil will not be fulfilled by patience alone.
  if (reason.find("due to your request configuration") != std::string_view::npos) {
    out.resume = "once";
  }
  return Diagnosed::kTold;
}

}  // namespace trainwarden::rules
