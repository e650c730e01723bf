// Shared by all readers of a policy's JSON: returns members and values of the right kind, or
// reports an error with the path, what was expected and what was found.
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

  // Reports "expected {what}, found `…`{advice}" at the reader's current path; always nullopt.
  std::nullopt_t unexpected(std::string_view what, json::Value found, std::string_view advice = {});

  // Reports unknown members, each with the nearest known name.
  void check_members(json::Value object, std::span<const std::string_view> known);
  // False after reporting an error.
  bool check_object(json::Value value, std::string_view what);

  // The member, or nullopt after reporting an error.
  std::optional<json::Value> require(json::Value object, std::string_view member);

  // The value of an optional member; nullopt if it is missing, or after reporting an error.
  std::optional<std::string_view> string(json::Value object, std::string_view member);
  std::optional<bool> boolean(json::Value object, std::string_view member);
  std::optional<double> number(json::Value object, std::string_view member);
  // A whole number between least and most.
  std::optional<std::int64_t> integer(json::Value object, std::string_view member,
                                      std::int64_t least, std::int64_t most);
  // The index of the name that the value equals.
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
  // Whether the text at the current path has an instance type's form. Reports an error if not, and
  // warns of an unknown type.
  bool instance_type(std::string_view text);
};

}  // namespace trainwarden::rules
