#include "handlers/rules/state/attributes.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

// A value of the wrong type is shown in an error, and an empty document stands in for it.
json::Value nothing() {
  static const json::Document empty =
      json::Document::build([](json::Sink& sink) { sink.begin_object().end_object(); });
  return empty.root();
}

}  // namespace

AttributeReader::AttributeReader(json::Value map, std::string where, std::optional<Error>& first)
    : map_(map), where_(std::move(where)), first_(&first) {}

void AttributeReader::refuse(std::string_view name, std::string_view expected,
                             std::string_view found) {
  if (*first_) return;
  *first_ = Error{ErrorCode::kUnavailable,
                  fmt::format("{}: `{}`: expected {}, found {}", where_, name, expected, found)};
}

std::optional<json::Value> AttributeReader::take(std::string_view name, std::string_view type) {
  asked_.emplace_back(name);
  const auto found = map_.find(name);
  if (!found) {
    refuse(name, fmt::format("an attribute of type {}", type), "none");
    return std::nullopt;
  }
  const auto value = found->size() == 1 ? found->find(type) : std::nullopt;
  if (!value)
    refuse(name, fmt::format("an attribute of type {}", type),
           fmt::format("`{}`", found->excerpt()));
  return value;
}

std::string AttributeReader::text(std::string_view name) {
  const auto value = take(name, "S");
  if (!value) return {};
  if (value->is_string()) return std::string(value->as_string());
  refuse(name, "a text", fmt::format("`{}`", value->excerpt()));
  return {};
}

std::int64_t AttributeReader::number(std::string_view name) {
  const auto value = take(name, "N");
  if (!value) return 0;
  const auto number = value->is_string() ? whole_number(value->as_string(), 0) : std::nullopt;
  if (!number) refuse(name, "a whole number", fmt::format("`{}`", value->excerpt()));
  return number.value_or(0);
}

bool AttributeReader::flag(std::string_view name) {
  const auto value = take(name, "BOOL");
  if (!value) return false;
  if (value->is_boolean()) return value->as_boolean();
  refuse(name, "true or false", fmt::format("`{}`", value->excerpt()));
  return false;
}

sys_seconds AttributeReader::time(std::string_view name) {
  constexpr std::int64_t kLatest = 253'402'300'799;  // the year 9999
  const std::int64_t seconds = number(name);
  if (seconds > kLatest) refuse(name, "epoch seconds", fmt::format("`{}`", seconds));
  return sys_seconds(std::chrono::seconds(std::min(seconds, kLatest)));
}

std::vector<std::string> AttributeReader::texts(std::string_view name) {
  std::vector<std::string> out;
  const auto list = take(name, "L");
  if (!list) return out;
  for (const json::Value element : list->elements()) {
    const auto text = element.size() == 1 ? element.find("S") : std::nullopt;
    if (text && text->is_string())
      out.emplace_back(text->as_string());
    else
      refuse(name, "texts", fmt::format("`{}`", element.excerpt()));
  }
  if (!list->is_array()) refuse(name, "a list", fmt::format("`{}`", list->excerpt()));
  return out;
}

AttributeReader AttributeReader::map(std::string_view name) {
  auto value = take(name, "M");
  if (value && !value->is_object()) {
    refuse(name, "a map", fmt::format("`{}`", value->excerpt()));
    value.reset();
  }
  return {value.value_or(nothing()), fmt::format("{}.{}", where_, name), *first_};
}

std::vector<std::string> AttributeReader::names() const {
  std::vector<std::string> out;
  for (const json::Member member : map_.members()) out.emplace_back(member.name);
  return out;
}

void AttributeReader::expect_no_others() {
  for (const json::Member member : map_.members())
    if (std::ranges::find(asked_, member.name) == asked_.end())
      refuse(member.name, "no such attribute", fmt::format("`{}`", member.value.excerpt()));
}

AttributeWriter& AttributeWriter::text(std::string_view name, std::string_view value) {
  sink_.key(name).begin_object().member("S", value).end_object();
  return *this;
}

AttributeWriter& AttributeWriter::number(std::string_view name, std::int64_t value) {
  sink_.key(name).begin_object().member("N", fmt::to_string(value)).end_object();
  return *this;
}

AttributeWriter& AttributeWriter::flag(std::string_view name, bool value) {
  sink_.key(name).begin_object().member("BOOL", value).end_object();
  return *this;
}

AttributeWriter& AttributeWriter::time(std::string_view name, sys_seconds value) {
  return number(name, value.time_since_epoch().count());
}

AttributeWriter& AttributeWriter::texts(std::string_view name,
                                        const std::vector<std::string>& values) {
  sink_.key(name).begin_object().key("L").begin_array();
  for (const std::string& value : values) sink_.begin_object().member("S", value).end_object();
  sink_.end_array().end_object();
  return *this;
}

AttributeWriter& AttributeWriter::begin_map(std::string_view name) {
  sink_.key(name).begin_object().key("M").begin_object();
  return *this;
}

AttributeWriter& AttributeWriter::end_map() {
  sink_.end_object().end_object();
  return *this;
}

}  // namespace trainwarden::rules
