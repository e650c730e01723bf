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
  const std::string path = where.path();
  return path.empty() ? std::string(what) : fmt::format("{}: {}", path, what);
}

}  // namespace

std::string JsonPath::path() const {
  std::string path = start_;
  for (const Part& part : steps_) {
    if (!part.is_member)
      path += fmt::format("[{}]", part.index);
    else if (!plain(part.member))
      path += fmt::format("[\"{}\"]", part.member);
    else
      path.append(path.empty() ? "" : ".").append(part.member);
  }
  return path;
}

void Diagnostics::error(const JsonPath& where, std::string_view what) {
  if (!enough()) errors_.push_back({ErrorCode::kInvalidPolicy, text(where, what)});
}

void Diagnostics::warning(const JsonPath& where, std::string_view what) {
  if (warnings_.size() < kMaxErrors) warnings_.push_back(text(where, what));
}

}  // namespace trainwarden::rules
