#include "handlers/rules/facts/until.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>

#include "runtime/base/day.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kDateSize = 10;  // 2026-12-24
constexpr std::size_t kTimeSize = 20;  // 2026-12-24T18:00:00Z

// What parse_rfc3339 takes beyond RFC 3339's own form: a blank for the T, an offset without its
// colon.
bool is_strict(std::string_view text) {
  if (text.size() < kTimeSize) return false;
  if (text[kDateSize] != 'T' && text[kDateSize] != 't') return false;
  constexpr std::size_t kColonFromEnd = 3;
  const char last = text.back();
  return last == 'Z' || last == 'z' || text[text.size() - kColonFromEnd] == ':';
}

}  // namespace

std::optional<sys_seconds> time_of_tag(std::string_view value) {
  if (value.size() == kDateSize) {
    const auto begin = parse_rfc3339_day(value);
    if (!begin) return std::nullopt;
    return *begin + std::chrono::days(1);
  }
  if (!is_strict(value)) return std::nullopt;
  const auto time = parse_rfc3339(value);
  return time ? std::optional(*time) : std::nullopt;
}

void write_until(json::Value tags, sys_seconds now, json::Sink& sink) {
  for (const json::Member tag : tags.members()) {
    if (!tag.value.is_string()) continue;
    if (const auto time = time_of_tag(tag.value.as_string()))
      sink.member(tag.name, (*time - now).count());
  }
}

}  // namespace trainwarden::rules
