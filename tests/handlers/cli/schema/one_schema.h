// What a policy may say stands in four places: the loader's tables, describe_members, the schema
// and policy.md. The cases of OneSchema hold them together: what one of them has, all have. Here is
// what those cases read of the schema and of policy.md.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <initializer_list>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "handlers/rules/policy/policy.h"
#include "runtime/json/json.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::cli::one_schema {

using Names = std::set<std::string>;

inline constexpr const char* kPolicyGuide = "handlers/policy.md";

template <class Rows, class Name>
Names names(const Rows& rows, Name name) {
  Names out;
  for (const auto& row : rows) out.emplace(std::invoke(name, row));
  return out;
}

inline Names members_of(json::Value object) {
  Names out;
  for (json::Member member : object.members()) out.emplace(member.name);
  return out;
}

inline json::Value at(json::Value value, std::initializer_list<std::string_view> path) {
  for (const std::string_view name : path) {
    const auto next = value.find(name);
    if (!next) throw std::runtime_error(fmt::format("no {} in {}", name, value.excerpt()));
    value = *next;
  }
  return value;
}

// What the expression's first group finds.
inline Names all(const std::string& text, const char* expression) {
  const std::regex regex(expression);
  Names out;
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i)
    out.insert((*i)[1].str());
  return out;
}

// The part of policy.md from one text to the next place of another.
inline std::string guide(std::string_view from, std::string_view to) {
  static const std::string text = rules::test::read_file(kPolicyGuide);
  const std::size_t begin = text.find(from);
  const std::size_t end = text.find(to, begin + from.size());
  if (begin == text.npos || end == text.npos)
    throw std::runtime_error(fmt::format("{} has no `{}` before `{}`", kPolicyGuide, from, to));
  return text.substr(begin, end - begin);
}

inline bool loads(const std::string& policy) { return rules::parse_policy(policy).has_value(); }

}  // namespace trainwarden::cli::one_schema
