// What reading a policy's JSON needs everywhere: members and values of the right kind, or a
// complaint that names the path, what was expected and what was found.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/patterns/diagnostics.h"
#include "handlers/rules/policy/member_form.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

struct Reader {
  JsonPath where = {};
  Diagnostics diagnostics = {};

  // "expected {what}, found `…`" at the place where the reader is; always nullopt.
  std::nullopt_t unexpected(std::string_view what, json::Value found);

  // Complains about members that are not known, each with the nearest that is.
  void check_members(json::Value object, std::span<const std::string_view> known);
  // False after a complaint.
  bool check_object(json::Value value, std::string_view what);

  // The member, or nullopt after a complaint.
  std::optional<json::Value> require(json::Value object, std::string_view member);

  // The value of a member that is given; nullopt where it is not, or after a complaint.
  std::optional<std::string_view> string(json::Value object, std::string_view member);
  std::optional<bool> boolean(json::Value object, std::string_view member);
  std::optional<double> number(json::Value object, std::string_view member);
  // A whole number between least and most.
  std::optional<std::int64_t> integer(json::Value object, std::string_view member,
                                      std::int64_t least, std::int64_t most);
  // Which of the names it is.
  std::optional<std::size_t> choice(json::Value object, std::string_view member,
                                    std::span<const std::string_view> names);
  // The same by a row of a table; inlined, so that the tables themselves stay out of the functions.
  [[gnu::always_inline]] std::optional<std::int64_t> integer(json::Value object,
                                                             const MemberForm& form) {
    return integer(object, form.name, form.least, form.most);
  }
  // Which of its choices, or its fallback.
  template <class Enum>
  [[gnu::always_inline]] Enum choice(json::Value object, const MemberForm& form) {
    return static_cast<Enum>(
        choice(object, form.name, form.choices).value_or(static_cast<std::size_t>(*form.fallback)));
  }
  // Whether the text at the place where the reader is has an instance type's form; complains where
  // not, and warns of one that is not known.
  bool instance_type(std::string_view text);
};

}  // namespace trainwarden::rules
