#include "handlers/rules/policy/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "handlers/rules/job/instance_types.h"
#include "handlers/rules/patterns/nearest.h"

namespace trainwarden::rules {

std::nullopt_t Reader::unexpected(std::string_view what, json::Value found,
                                  std::string_view advice) {
  diagnostics.error(where, fmt::format("expected {}, found `{}`{}", what, found.excerpt(), advice));
  return std::nullopt;
}

void Reader::check_members(json::Value object, std::span<const std::string_view> known) {
  for (json::Member member : object.members()) {
    const auto is_it = [name = member.name](std::string_view one) {
      return one.size() == name.size() && one == name;  // most differ in length
    };
    if (std::ranges::any_of(known, is_it)) continue;
    JsonPath::Step step(where, member.name);
    diagnostics.error(where, fmt::format("expected {}, found `{}`{}", one_of(known), member.name,
                                         did_you_mean(member.name, known)));
  }
}

bool Reader::check_object(json::Value value, std::string_view what) {
  if (value.is_object()) return true;
  unexpected(fmt::format("{} (an object)", what), value);
  return false;
}

std::optional<json::Value> Reader::require(json::Value object, std::string_view member) {
  std::optional<json::Value> value = object.find(member);
  if (!value) {
    diagnostics.error(where, fmt::format("expected the member `{}`, found none", member));
  }
  return value;
}

std::optional<std::string_view> Reader::string(json::Value object, std::string_view member) {
  const auto value = object.find(member);
  if (!value) return std::nullopt;
  if (value->is_string()) return value->as_string();
  JsonPath::Step step(where, member);
  return unexpected("a string", *value);
}

std::optional<bool> Reader::boolean(json::Value object, std::string_view member) {
  const auto value = object.find(member);
  if (!value) return std::nullopt;
  if (value->is_boolean()) return value->as_boolean();
  JsonPath::Step step(where, member);
  return unexpected("true or false", *value);
}

std::optional<double> Reader::number(json::Value object, std::string_view member) {
  const auto value = object.find(member);
  if (!value) return std::nullopt;
  if (value->is_number()) return value->as_number();
  JsonPath::Step step(where, member);
  return unexpected("a number", *value);
}

std::optional<std::int64_t> Reader::integer(json::Value object, std::string_view member,
                                            std::int64_t least, std::int64_t most) {
  const auto value = object.find(member);
  if (!value) return std::nullopt;
  const auto whole = value->is_number() ? value->as_integer() : std::nullopt;
  if (whole && *whole >= least && *whole <= most) return whole;
  JsonPath::Step step(where, member);
  return unexpected(fmt::format("a whole number from {} to {}", least, most), *value);
}

bool Reader::instance_type(std::string_view text) {
  if (!is_instance_type(text)) {
    diagnostics.error(where, fmt::format("expected {}, found `{}`{}", kInstanceTypeForm, text,
                                         did_you_mean_type(text)));
    return false;
  }
  if (const auto doubt = doubt_of_instance_type(text)) diagnostics.warning(where, *doubt);
  return true;
}

std::optional<std::size_t> Reader::choice(json::Value object, std::string_view member,
                                          std::span<const std::string_view> names) {
  const auto value = object.find(member);
  if (!value) return std::nullopt;
  const std::string_view text = value->is_string() ? value->as_string() : std::string_view();
  const auto at = std::ranges::find(names, text);
  if (at != names.end() && value->is_string()) {
    return static_cast<std::size_t>(at - names.begin());
  }
  JsonPath::Step step(where, member);
  diagnostics.error(where, fmt::format("expected {}, found `{}`{}", one_of(names), value->excerpt(),
                                       did_you_mean(text, names)));
  return std::nullopt;
}

}  // namespace trainwarden::rules
