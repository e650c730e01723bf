#include "handlers/rules/job/copy_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/ascii.h"
#include "runtime/json/json.h"
#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

// Characters, not bytes.
std::size_t characters(std::string_view text) {
  std::size_t out = 0;
  for (; !text.empty(); ++out) text.remove_prefix(json::first_character(text).bytes);
  return out;
}

// What `.` of SageMaker's patterns does not match.
bool breaks_line(std::uint32_t code) {
  return code == '\n' || code == '\r' || code == 0x85 || code == 0x2028 || code == 0x2029;
}

bool has_line_break(std::string_view text) {
  while (!text.empty()) {
    const json::Character next = json::first_character(text);
    if (breaks_line(next.code)) return true;
    text.remove_prefix(next.bytes);
  }
  return false;
}

bool is_identifier(std::string_view key) {
  const auto is_word = [](char c) { return is_alphanumeric(c) || c == '_'; };
  return std::ranges::all_of(key, is_word) && !is_digit(key.front());
}

}  // namespace

bool is_free_map(std::string_view member) {
  return std::ranges::find(kFreeMaps, member, &EntryForm::member) != kFreeMaps.end();
}

bool is_in_free_map(std::string_view path) {
  const std::size_t dot = path.find('.');
  return dot != path.npos && is_free_map(path.substr(0, dot));
}

bool is_entry_key(const EntryForm& form, std::string_view key) {
  if (key.empty() || characters(key) > form.longest_key) return false;
  return form.identifiers ? is_identifier(key) : !has_line_break(key);
}

bool is_entry_value(const EntryForm& form, std::string_view value) {
  return characters(value) <= form.longest_value && (form.line_breaks || !has_line_break(value));
}

std::string expected_key(const EntryForm& form) {
  if (form.identifiers)
    return fmt::format("a name of 1 to {} letters, digits and _, no digit first", form.longest_key);
  return fmt::format("a name of 1 to {} characters without line breaks", form.longest_key);
}

std::string expected_value(const EntryForm& form) {
  return fmt::format("a string of at most {} characters{}, or null to remove the key",
                     form.longest_value, form.line_breaks ? "" : " without line breaks");
}

std::size_t remembered_bytes(const CopySettings& settings) {
  json::Writer writer;
  json::Sink& out = writer;
  out.begin_array();
  for (const EntryChanges* const changes : {&settings.hyperparameters, &settings.environment})
    for (const auto& [key, value] : *changes) out.string(key).string(value.value_or(""));
  out.end_array();
  return writer.take().size();
}

}  // namespace trainwarden::rules
