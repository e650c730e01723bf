#include "handlers/rules/job/members.h"

#include <cmath>

#include "runtime/base/leading_double.h"

namespace trainwarden::rules {

std::optional<sys_seconds> read_time(json::Value value) {
  if (value.is_number()) return from_epoch(value.as_number());
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = value.as_string();
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  const LeadingDouble number = leading_double(text);
  if (number.size == text.size() && std::isfinite(number.value)) return from_epoch(number.value);
  if (Result<sys_seconds> time = parse_rfc3339(text)) return *time;
  return std::nullopt;
}

std::optional<double> number_of(json::Value object, std::string_view member) {
  const auto value = object.find_present(member);
  return value && value->is_number() ? std::optional(value->as_number()) : std::nullopt;
}

std::optional<std::string_view> string_of(json::Value object, std::string_view member) {
  const auto value = object.find_present(member);
  return value && value->is_string() ? std::optional(value->as_string()) : std::nullopt;
}

std::optional<sys_seconds> time_of(json::Value object, std::string_view member) {
  const auto value = object.find_present(member);
  return value ? read_time(*value) : std::nullopt;
}

}  // namespace trainwarden::rules
