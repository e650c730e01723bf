#include "handlers/rules/job/unknown_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "handlers/rules/job/aws_tables.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kMostUnknown = 32;
constexpr std::size_t kLongestName = 128;

// Says nothing: null, "", and lists and objects of nothing else. A copy leaves it out.
bool says_nothing(json::Value value) {
  if (value.is_null()) return true;
  if (value.is_string()) return value.as_string().empty();
  if (!value.is_array() && !value.is_object()) return false;
  for (const json::Value element : value.elements())
    if (!says_nothing(element)) return false;
  for (const json::Member member : value.members())
    if (!says_nothing(member.value)) return false;
  return true;
}

class Walk {
 public:
  void structure(json::Value value, std::int16_t index, const std::string& path, bool taken) {
    for (const json::Value element : value.elements()) structure(element, index, path, taken);
    for (const json::Member member : value.members()) {
      if (member.value.is_null()) continue;
      const ModelMember* const known = model_member(index, member.name);
      // What a structure that is taken holds is taken too, unless AWS only returns it.
      const bool of_copy = known != nullptr ? taken && known->created : taken;
      const std::string inner =
          fmt::format("{}{}{}", path, path.empty() ? "" : ".", member.name.substr(0, kLongestName));
      if (known == nullptr)
        add(inner, !path.empty() && of_copy && !says_nothing(member.value));
      else if (known->below >= 0)
        structure(member.value, known->below, inner, of_copy);
      else if (known->below == kLeaf && holds_structure(member.value))
        add(inner, of_copy);
    }
  }

  std::vector<UnknownMember> take() { return std::move(out_); }

 private:
  static bool holds_structure(json::Value value) {
    for (const json::Value element : value.elements())
      if (element.is_object()) return true;
    return value.is_object();
  }

  void add(const std::string& path, bool of_copy) {
    const auto at = std::ranges::find(out_, path, &UnknownMember::path);
    if (at != out_.end())
      at->of_copy = at->of_copy || of_copy;
    else if (out_.size() < kMostUnknown)
      out_.push_back({path, of_copy});
  }

  std::vector<UnknownMember> out_;
};

}  // namespace

std::vector<UnknownMember> unknown_members(json::Value describe) {
  Walk walk;
  walk.structure(describe, kDescription, {}, true);
  return walk.take();
}

std::vector<std::string> unknown_paths(json::Value describe, std::string_view below) {
  std::vector<std::string> out;
  if (below.empty()) {
    for (const json::Member member : describe.members())
      if (out.size() < kMostUnknown && !member.value.is_null() &&
          model_member(kDescription, member.name) == nullptr)
        out.emplace_back(member.name.substr(0, kLongestName));
    return out;
  }
  const ModelMember* const known = model_member(kDescription, below);
  const auto value = describe.find(below);
  if (known == nullptr || known->below < 0 || !value) return out;
  Walk walk;
  walk.structure(*value, known->below, std::string(below), true);
  for (UnknownMember& unknown : walk.take()) out.push_back(std::move(unknown.path));
  return out;
}

std::string not_known(std::span<const std::string> paths) {
  std::string out;
  for (const std::string& path : paths) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", path);
  return fmt::format("{} {} not known to this version", out, paths.size() == 1 ? "is" : "are");
}

}  // namespace trainwarden::rules
