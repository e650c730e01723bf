#include "handlers/rules/patterns/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

bool plain(std::string_view member) {
  return !member.empty() && std::ranges::all_of(member, [](char c) {
    return is_alphanumeric(c) || c == '_' || c == '-' || c == '$' || c == ':';
  });
}

std::string text(const JsonPath& where, std::string_view what) {
  return where.path().empty() ? std::string(what) : fmt::format("{}: {}", where.path(), what);
}

}  // namespace

JsonPath::Step::Step(JsonPath& where, std::string_view member)
    : where_(where), size_(where.path_.size()) {
  if (plain(member)) {
    if (size_ != 0) where.path_ += '.';
    where.path_ += member;
  } else {
    where.path_ += fmt::format("[\"{}\"]", member);
  }
}

JsonPath::Step::Step(JsonPath& where, std::size_t index)
    : where_(where), size_(where.path_.size()) {
  where.path_ += fmt::format("[{}]", index);
}

void Diagnostics::error(const JsonPath& where, std::string_view what) {
  if (!enough()) errors_.push_back({ErrorCode::kInvalidPolicy, text(where, what)});
}

void Diagnostics::warning(const JsonPath& where, std::string_view what) {
  if (warnings_.size() < kMaxErrors) warnings_.push_back(text(where, what));
}

}  // namespace trainwarden::rules
