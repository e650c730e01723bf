#include "handlers/rules/patterns/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/ascii.h"
#include "runtime/json/locate.h"

namespace trainwarden::rules {
namespace {

bool plain(std::string_view member) {
  return !member.empty() && std::ranges::all_of(member, [](char c) {
    return is_alphanumeric(c) || c == '_' || c == '-' || c == '$' || c == ':';
  });
}

Remark remark_at(const JsonPath& where, std::string_view what) {
  return {where.path(), where.pointer(), std::string(what)};
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

std::string JsonPath::pointer() const {
  std::string pointer;
  for (const Part& part : steps_) {
    if (part.is_member)
      pointer += json::pointer_step(part.member);
    else
      pointer += fmt::format("/{}", part.index);
  }
  return pointer;
}

std::string Remark::text() const {
  return path.empty() ? message : fmt::format("{}: {}", path, message);
}

void Diagnostics::error(const JsonPath& where, std::string_view what) {
  if (!enough()) errors_.push_back(remark_at(where, what));
}

void Diagnostics::warning(const JsonPath& where, std::string_view what) {
  if (warnings_.size() < kMaxErrors) warnings_.push_back(remark_at(where, what));
}

void Diagnostics::refusal(const JsonPath& where, std::string_view what) {
  if (warnings_.size() >= kMaxErrors) return;
  warnings_.push_back(remark_at(where, what));
  warnings_.back().is_refusal = true;
}

}  // namespace trainwarden::rules
