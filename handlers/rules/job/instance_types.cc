#include "handlers/rules/job/instance_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "handlers/rules/job/aws_tables.h"
#include "handlers/rules/job/instances.h"
#include "handlers/rules/patterns/nearest.h"
#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kPrefix = "ml.";
constexpr std::size_t kLongest = 64;

constexpr std::array<std::string_view, 14> kSizes = {
    "medium",   "large",    "xlarge",   "2xlarge",  "4xlarge",  "8xlarge",  "9xlarge",
    "12xlarge", "16xlarge", "18xlarge", "24xlarge", "32xlarge", "48xlarge", "metal"};

bool is_word(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

// "p5.48xlarge" of "ml.p5.48xlarge"
std::string_view without_prefix(std::string_view type) {
  if (type.starts_with(kPrefix)) type.remove_prefix(kPrefix.size());
  return type;
}

std::string_view family_part(std::string_view type) {
  return without_prefix(type).substr(0, without_prefix(type).find('.'));
}

std::string_view size(std::string_view type) { return type.substr(type.rfind('.') + 1); }

bool is_size(std::string_view text) {
  if (text == "medium" || text == "large" || text == "metal") return true;
  while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  return text == "xlarge";
}

bool has_accelerators(std::string_view type) {
  const auto kind = accelerator(type);
  return kind && *kind != "none";
}

// The types with accelerators.
std::vector<std::string_view> listed_types() {
  std::vector<std::string_view> out;
  for (const InstanceTypeRow& row : instance_type_rows())
    if (has_accelerators(row.type)) out.push_back(row.type);
  return out;
}

}  // namespace

bool is_instance_type(std::string_view text) {
  if (!text.starts_with(kPrefix) || text.size() > kLongest) return false;
  const std::string_view rest = without_prefix(text);
  const std::size_t dot = rest.find('.');
  return dot != std::string_view::npos && is_lower(rest.front()) && is_word(rest.substr(0, dot)) &&
         is_word(rest.substr(dot + 1));
}

std::string did_you_mean_type(std::string_view text) {
  // The sizes of a family without accelerators are not listed, but they have names in common.
  if (is_instance_type(text) && !has_accelerators(text)) {
    const std::string_view meant = nearest(size(text), kSizes);
    return meant.empty()
               ? std::string()
               : fmt::format("; did you mean `{}{}.{}`?", kPrefix, family_part(text), meant);
  }
  // A different kind of machine is not a typing error.
  const std::string_view found = without_prefix(text);
  std::vector<std::string_view> same_kind = listed_types();
  std::erase_if(same_kind, [found](std::string_view type) {
    return found.empty() || without_prefix(type).front() != to_lower(found.front());
  });
  return did_you_mean(text, same_kind);
}

std::optional<std::string> doubt_of_instance_type(std::string_view text) {
  if (is_instance_type(text) && is_size(size(text)) &&
      (!has_accelerators(text) || std::ranges::count(listed_types(), text) > 0))
    return std::nullopt;
  return fmt::format("`{}` is not a known instance type{}", text, did_you_mean_type(text));
}

}  // namespace trainwarden::rules
