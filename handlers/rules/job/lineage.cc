#include "handlers/rules/job/lineage.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kDigits = 8;
constexpr std::size_t kLongestNumber = 6;

}  // namespace

Lineage lineage_of(const JobTags& tags, std::string_view job_name) {
  Lineage out;
  out.parent = tags.parent.value_or("");
  out.root = tags.root.value_or("");
  out.child = tags.child.value_or("");
  if (const auto tagged = whole_number(tags.generation.value_or("0"), 0))
    out.generation = std::max(*tagged, name_parts(job_name).n);
  if (out.root.empty()) out.root = job_name;
  return out;
}

NameParts name_parts(std::string_view job_name) {
  const NameParts none{job_name, 0};
  const std::size_t dash = job_name.rfind('-');
  if (dash == std::string_view::npos) return none;
  const std::string_view digits = job_name.substr(dash + 1);
  const auto is_of_digest = [](char c) { return is_hex_digit(c) && !is_upper(c); };
  if (digits.size() != kDigits || !std::ranges::all_of(digits, is_of_digest) ||
      std::ranges::none_of(digits, is_letter))
    return none;
  const std::size_t begin = job_name.substr(0, dash).rfind("-r");
  if (begin == std::string_view::npos || begin == 0) return none;
  const std::string_view number = job_name.substr(begin + 2, dash - begin - 2);
  const auto n = whole_number(number, 1);
  if (!n || number.size() > kLongestNumber || number.front() == '0') return none;
  return {job_name.substr(0, begin), *n};
}

bool is_named_by_batch(std::string_view job_name) { return job_name.starts_with("AWSBatch"); }

std::vector<std::pair<std::string, std::string>> copy_tags(json::Value tags, const Lineage& lineage,
                                                           std::string_view parent) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const json::Member tag : tags.members()) {
    if (!tag.value.is_string() || is_aws_tag(tag.name) || is_our_tag(tag.name)) continue;
    out.emplace_back(tag.name, tag.value.as_string());
  }
  out.emplace_back(kRootTag, lineage.root);
  out.emplace_back(kParentTag, parent);
  out.emplace_back(kGenerationTag, fmt::format("{}", lineage.generation.value_or(0) + 1));
  return out;
}

}  // namespace trainwarden::rules
