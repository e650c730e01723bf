#include "handlers/rules/policy/entry_changes.h"

#include <fmt/format.h>

#include <string>

namespace trainwarden::rules {
namespace {

void complain(std::string_view expected, std::string_view found, Reader& reader) {
  reader.diagnostics.error(reader.where, fmt::format("expected {}, found {}", expected, found));
}

// What the value is, without the value.
std::string kind_of(json::Value value) {
  if (!value.is_string()) return std::string(json::describe(value.type()));
  return "one of another length or with line breaks";
}

}  // namespace

EntryChanges read_entry_changes(json::Value options, const EntryForm& form, Reader& reader) {
  EntryChanges out;
  const auto entries = options.find(form.name);
  if (!entries) return out;
  JsonPath::Step step(reader.where, form.name);
  if (!entries->is_object() || entries->size() == 0) {
    complain("an object of keys, and strings or null",
             entries->is_object() ? "none" : json::describe(entries->type()), reader);
    return out;
  }
  if (entries->size() > kMostEntries)
    complain(fmt::format("at most {} keys", kMostEntries), fmt::format("{}", entries->size()),
             reader);
  for (const json::Member entry : entries->members()) {
    JsonPath::Step step_in(reader.where, entry.name);
    if (!is_entry_key(form, entry.name)) {
      complain(expected_key(form), "another", reader);
    } else if (entry.value.is_null()) {
      out.emplace(entry.name, std::nullopt);
    } else if (entry.value.is_string() && is_entry_value(form, entry.value.as_string())) {
      out.emplace(entry.name, entry.value.as_string());
    } else {
      complain(expected_value(form), kind_of(entry.value), reader);
    }
  }
  return out;
}

void check_settings(const CopySettings& settings, std::optional<bool> spot, Reader& reader) {
  const auto& [runtime, wait, count, hyperparameters, environment] = settings;
  if (wait && runtime && *wait < *runtime) {
    JsonPath::Step step(reader.where, "max_wait_seconds");
    complain(fmt::format("max_runtime_seconds ({}) or more, since it contains it", *runtime),
             fmt::format("`{}`", *wait), reader);
  }
  if (wait && spot == false) {
    JsonPath::Step step(reader.where, "max_wait_seconds");
    complain("none beside \"spot\": false, since only spot waits", fmt::format("`{}`", *wait),
             reader);
  }
  // What is remembered of a restart until its copy is made has room for as much (A2).
  if (const std::size_t bytes = remembered_bytes(settings); bytes > kMostRememberedBytes)
    complain(fmt::format("hyperparameters and environment of at most {} bytes in all",
                         kMostRememberedBytes),
             fmt::format("{}", bytes), reader);
}

}  // namespace trainwarden::rules
