#include "handlers/rules/state/copy_item.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongestName = 63;
constexpr std::size_t kDigits = 8;

// Eight digits of which one is a letter: the first such in the digest.
std::string_view digits_of(std::string_view digest) {
  for (std::size_t at = 0; at + kDigits <= digest.size(); ++at)
    if (std::ranges::any_of(digest.substr(at, kDigits), is_letter))
      return digest.substr(at, kDigits);
  return digest.substr(0, kDigits);
}

}  // namespace

Step<CopyItem, bool> remember_copy(const std::optional<CopyItem>& found, const CopyItem& copy) {
  if (!found) return {copy, true};
  return {*found, found->parent == copy.parent && found->generation == copy.generation};
}

std::string copy_name_seed(std::string_view original_arn, sys_millis original_created) {
  return fmt::format("{}\n{}", original_arn, original_created.time_since_epoch().count());
}

std::string next_copy_name(std::string_view original, std::string_view digest) {
  auto [stem, n] = name_parts(original);
  const std::string end = fmt::format("-r{}-{}", n + 1, digits_of(digest));
  stem = stem.substr(0, kLongestName - end.size());
  while (stem.ends_with('-')) stem.remove_suffix(1);
  return std::string(stem) + end;
}

Lineage lineage_by_item(const std::optional<CopyItem>& item, const JobTags& tags,
                        std::string_view job_name) {
  Lineage out = lineage_of(tags, job_name);
  if (!item) return out;
  out.generation = item->generation;
  out.root = item->root;
  out.parent = item->parent;
  return out;
}

Result<std::optional<Stored<CopyItem>>> parse_copy_item(std::string_view id,
                                                        std::optional<json::Value> attributes) {
  return parse_if_stored<CopyItem>(id, attributes, [](ItemReader& in, CopyItem& item) {
    item = {in.text("root"), in.text("parent"), in.number("generation"), in.time("at")};
  });
}

json::Document copy_attributes(const CopyItem& item, sys_seconds now) {
  return stored_attributes(now, [&](json::Sink& out) {
    out.member("root", item.root).member("parent", item.parent);
    out.member("generation", item.generation).member("at", epoch_seconds(item.at));
  });
}

}  // namespace trainwarden::rules
