#include "handlers/rules/failure/torchrun.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "handlers/rules/failure/code_forms.h"
#include "handlers/rules/failure/speaker.h"

namespace trainwarden::rules {
namespace {

// `rank : 3 (local_rank: 3)`
bool is_rank(std::string_view lower) {
  return (lower.starts_with("rank :") || lower.starts_with("rank:")) &&
         lower.contains("(local_rank:");
}

}  // namespace

TorchrunTable::TorchrunTable(const FailureText& text) {
  enum class In { kNothing, kRoot, kOthers };
  // Only a log that speaks of a root cause has the table.
  if (std::ranges::none_of(text.lines(),
                           [](const Line& line) { return (line.words & kRootWord) != 0; }))
    return;
  In in = In::kNothing;
  Root root;
  std::vector<Entries> others;
  const auto close = [&](std::size_t end) {
    root.entry.end = end;
    if (in == In::kOthers) others.push_back(root.entry);
    // Each host has its table: the first of their root causes is the job's.
    if (in == In::kRoot &&
        (!names_a_root() || (root.when && root_.when && *root.when < *root_.when)))
      root_ = root;
    in = In::kNothing;
  };
  for (std::size_t i = 0; i < text.lines().size(); ++i) {
    const std::string_view lower = text.lower(text.lines()[i]);
    const bool begins_root = lower.starts_with("root cause") && lower.ends_with(':');
    const bool begins_others = lower == "failures:" || lower == "other failures:";
    if (begins_root || begins_others || is_rule(lower)) {
      close(i);
      root = {{i, i}, {}, {}, {}};
      if (begins_root) in = In::kRoot;
      if (begins_others) in = In::kOthers;
    } else if (in == In::kRoot && lower.starts_with("time")) {
      root.when = moment_of(lower);
    } else if (in == In::kRoot && is_rank(lower)) {
      const std::size_t on_host = lower.find("(local_rank:");
      root.rank = rank_of(lower.substr(0, on_host));
      root.local_rank = local_rank_of(lower.substr(on_host));
    }
  }
  close(text.lines().size());
  if (names_a_root()) others_ = std::move(others);
}

bool TorchrunTable::of_root(const FailureText& text, std::size_t line) const {
  if (!names_a_root()) return false;
  if (root_.entry.begin <= line && line < root_.entry.end) return true;
  const Line& of = text.lines()[line];
  const std::string_view prefix = text.shown().substr(of.begin, of.body - of.begin);
  if (const auto rank = rank_of(prefix)) return rank == root_.rank;
  if (const auto local = local_rank_of(prefix)) return local == root_.local_rank;
  return false;
}

bool TorchrunTable::of_another(std::size_t line) const {
  return std::ranges::any_of(others_,
                             [line](const Entries& e) { return e.begin <= line && line < e.end; });
}

}  // namespace trainwarden::rules
