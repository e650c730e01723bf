#include "handlers/rules/state/item_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainwarden::rules {
namespace {

// Stands in for an object that is none.
json::Value empty_object() {
  static const json::Document empty =
      json::Document::build([](json::Sink& sink) { sink.begin_object().end_object(); });
  return empty.root();
}

}  // namespace

ItemReader::ItemReader(json::Value object, std::string where, std::optional<Error>& first)
    : object_(object), where_(std::move(where)), first_(&first) {}

bool ItemReader::has(std::string_view name, json::Type type) const {
  const auto found = object_.find(name);
  return found && found->type() == type;
}

void ItemReader::refuse(std::string_view name, std::string_view expected, std::string_view found) {
  if (*first_) return;
  *first_ = Error{ErrorCode::kUnavailable,
                  fmt::format("{}: `{}`: expected {}, found {}", where_, name, expected, found)};
}

std::optional<json::Value> ItemReader::take(std::string_view name, json::Type type) {
  asked_.emplace_back(name);
  const auto found = object_.find(name);
  if (found && found->type() == type) return found;
  refuse(name, json::describe(type), found ? fmt::format("`{}`", found->excerpt()) : "none");
  return std::nullopt;
}

std::string ItemReader::text(std::string_view name) {
  const auto value = take(name, json::Type::kString);
  return value ? std::string(value->as_string()) : std::string();
}

std::int64_t ItemReader::number(std::string_view name) {
  const auto value = take(name, json::Type::kNumber);
  if (!value) return 0;
  const auto number = value->as_integer();
  if (number && *number >= 0) return *number;
  refuse(name, "a whole number, 0 or more", fmt::format("`{}`", value->excerpt()));
  return 0;
}

bool ItemReader::flag(std::string_view name) {
  const auto value = take(name, json::Type::kBoolean);
  return value && value->as_boolean();
}

sys_seconds ItemReader::time(std::string_view name) {
  constexpr std::int64_t kLatest = 253'402'300'799;  // the year 9999
  const std::int64_t seconds = number(name);
  if (seconds > kLatest) refuse(name, "epoch seconds", fmt::format("`{}`", seconds));
  return sys_seconds(std::chrono::seconds(std::min(seconds, kLatest)));
}

std::vector<std::string> ItemReader::texts(std::string_view name) {
  std::vector<std::string> out;
  const auto list = take(name, json::Type::kArray);
  if (!list) return out;
  for (const json::Value element : list->elements()) {
    if (element.is_string())
      out.emplace_back(element.as_string());
    else
      refuse(name, "texts", fmt::format("`{}`", element.excerpt()));
  }
  return out;
}

ItemReader ItemReader::object(std::string_view name) {
  const auto value = take(name, json::Type::kObject);
  return {value.value_or(empty_object()), fmt::format("{}.{}", where_, name), *first_};
}

std::vector<std::string> ItemReader::names() const {
  std::vector<std::string> out;
  for (const json::Member member : object_.members()) out.emplace_back(member.name);
  return out;
}

void ItemReader::expect_no_others() {
  for (const json::Member member : object_.members())
    if (std::ranges::find(asked_, member.name) == asked_.end())
      refuse(member.name, "no such attribute", fmt::format("`{}`", member.value.excerpt()));
}

}  // namespace trainwarden::rules
