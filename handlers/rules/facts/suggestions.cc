#include "handlers/rules/facts/suggestions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/job/describe_members.h"
#include "handlers/rules/patterns/nearest.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kMostShown = 4;

// What programs call their hyperparameters, and nobody a tag.
constexpr std::array<std::string_view, 20> kHyperParameters = {
    "batch-size", "batch_size",    "dropout",  "epoch",        "epochs",
    "eta",        "eval_steps",    "lr",       "max_depth",    "learning-rate",
    "max_steps",  "learning_rate", "momentum", "num_epochs",   "num_round",
    "num_layers", "optimizer",     "seed",     "warmup_steps", "weight_decay"};

std::string joined(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, "."));
}

// Quoted names, none twice.
class Names {
 public:
  void add(std::string_view name) {
    const std::string quoted = fmt::format("`{}`", name);
    if (count_ == kMostShown || text_.contains(quoted)) return;
    text_ += fmt::format("{}{}", text_.empty() ? "" : ", ", quoted);
    ++count_;
  }
  bool empty() const { return count_ == 0; }
  std::string question() const { return empty() ? "" : did_you_mean_one_of(text_); }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

void add_facts(std::string_view path, Names& out) {
  for (const Fact& fact : facts())
    if (fact.name == path) out.add(fmt::format("{}.{}", name(fact.group), fact.name));
}

// The leaves that end with that name, or that a long beginning of a name stands for.
void add_leaves(std::string_view path, std::string_view before, Names& out) {
  constexpr std::size_t kLongBeginning = 6;
  const std::string suffix = fmt::format(".{}", path);
  const std::string beginning = lower_case(path);
  for (const Leaf& leaf : describe_members())
    if (leaf.path.ends_with(suffix)) out.add(fmt::format("{}{}", before, leaf.path));
  if (!out.empty() || path.size() < kLongBeginning) return;
  for (const Leaf& leaf : describe_members())
    if (!leaf.path.contains('.') && lower_case(leaf.path).starts_with(beginning))
      out.add(fmt::format("{}{}", before, leaf.path));
}

// The structures of DescribeTrainingJob's answer, each once or more.
std::vector<std::string_view> structures() {
  std::vector<std::string_view> out;
  for (const Leaf& leaf : describe_members())
    for (std::size_t dot = leaf.path.find('.'); dot != leaf.path.npos;
         dot = leaf.path.find('.', dot + 1))
      out.push_back(leaf.path.substr(0, dot));
  return out;
}

// The leaf that is nearest to the path, or the leaf below the structure that is nearest to its
// first name; empty where there is none.
std::string near_leaf(std::span<const std::string_view> names) {
  std::vector<std::string_view> leaves;
  for (const Leaf& leaf : describe_members())
    if (!leaf.is_map()) leaves.push_back(leaf.path);
  const std::string path = joined(names);
  if (const std::string_view near = nearest(path, leaves); !near.empty()) return std::string(near);
  const std::string_view structure = nearest(names[0], structures());
  if (structure.empty() || names.size() == 1) return {};
  std::string below = fmt::format("{}.{}", structure, joined(names.subspan(1)));
  return find_describe_member(below) != nullptr ? below : std::string();
}

// A word of AWS's: `InstanceType`, and not `Owner`.
bool is_of_aws(std::string_view name) {
  const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !name.empty() && capital(name.front()) && std::ranges::any_of(name.substr(1), capital);
}

bool is_hyperparameter(std::string_view name) {
  return std::ranges::find(kHyperParameters, name) != kHyperParameters.end();
}

// The group that the name is, in any case; empty for none.
std::string_view group_in_any_case(std::string_view text) {
  const std::string small = lower_case(text);
  for (const std::string_view group : group_names())
    if (group == small) return group;
  return {};
}

}  // namespace

std::string did_you_mean_one_of(const std::string& quoted) {
  return fmt::format("; did you mean {}{}?", quoted.contains(',') ? "one of " : "", quoted);
}

std::string leaves_below(std::string_view structure, std::size_t most) {
  const std::string prefix = fmt::format("{}.", structure);
  std::string out;
  std::size_t count = 0;
  for (const Leaf& leaf : describe_members()) {
    if (!leaf.path.starts_with(prefix)) continue;
    if (++count > most) return out + ", …";
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", leaf.path);
  }
  return out;
}

bool is_of_event_bridge(std::string_view name) {
  return name == "source" || name == "detail-type" || name == "detail";
}

std::string suggest_for_event(std::span<const std::string_view> names) {
  std::string out =
      "; a pattern for EventBridge has it: leave out `source` and `detail-type`, which are the "
      "same for each job, and write into `job` what stands in `detail`";
  if (names[0] == "detail" && names.size() > 1) {
    const std::string path = joined(names.subspan(1));
    if (path == "Tags" || path.starts_with("Tags."))
      out += fmt::format(", and its tags into `tags`");
    else if (find_describe_member(path) != nullptr)
      out += fmt::format(": `job.{}`", path);
  }
  return out;
}

std::string suggest_group(std::span<const std::string_view> names) {
  const std::string path = joined(names);
  const bool alone = names.size() == 1;
  Names out;
  add_facts(path, out);
  const bool is_fact = !out.empty();
  if (!is_fact) {
    if (const std::string_view near = nearest(names[0], group_names()); !near.empty())
      return fmt::format("; did you mean `{}`?", near);
  }
  if (find_describe_member(path) != nullptr) {
    out.add(fmt::format("job.{}", path));
    if (alone) return out.question();
  }
  if (alone && is_hyperparameter(path)) {
    out.add(fmt::format("job.HyperParameters.{}", path));
    return out.question();
  }
  if (out.empty() && alone && !leaves_below(path, 1).empty()) out.add(fmt::format("job.{}", path));
  if (out.empty()) add_leaves(path, "job.", out);
  constexpr std::size_t kLongWord = 7;  // of shorter ones each is near to another
  if (out.empty() && alone && path.size() >= kLongWord) {
    std::vector<std::string_view> known;
    for (const Fact& fact : facts()) known.push_back(fact.name);
    if (const std::string_view near = nearest(path, known); !near.empty()) add_facts(near, out);
  }
  if (out.empty()) {
    std::string_view structure = alone ? nearest(path, structures()) : std::string_view();
    const std::string leaf = structure.empty() ? near_leaf(names) : std::string(structure);
    if (!leaf.empty()) out.add(fmt::format("job.{}", leaf));
  }
  // A short word may be a tag's key as well.
  const bool exact = is_fact && path.contains('_');
  if (alone && !exact && !is_of_aws(path)) out.add(fmt::format("tags.{}", path));
  return out.question();
}

std::string suggest_member(std::span<const std::string_view> names) {
  const std::string path = joined(names);
  const bool alone = names.size() == 1;
  Names out;
  if (const std::string_view group = group_in_any_case(names[0]); !group.empty()) {
    const std::string rest = alone ? "" : fmt::format(".{}", joined(names.subspan(1)));
    out.add(fmt::format("{}{}", group, rest));
    return out.question();
  }
  add_leaves(path, "", out);
  if (!out.empty()) return out.question();
  if (const std::string near = near_leaf(names); !near.empty()) out.add(near);
  if (out.empty()) {
    std::string_view near = nearest(path, structures());
    if (near.empty()) near = nearest(names[0], structures());
    if (!near.empty()) return did_you_mean_one_of(leaves_below(near, kMostShown));
  }
  if (out.empty()) add_facts(path, out);
  if (out.empty() && alone && is_hyperparameter(path))
    out.add(fmt::format("HyperParameters.{}", path));
  if (out.empty() && alone && !is_of_aws(path)) out.add(fmt::format("tags.{}", path));
  return out.question();
}

std::string suggest_fact(std::string_view path) {
  Names out;
  add_facts(path, out);
  return out.question();
}

}  // namespace trainwarden::rules
