#include "handlers/cli/lineage/lineage_tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "handlers/cli/terminal/amounts.h"
#include "handlers/cli/terminal/text.h"

namespace trainwarden::cli {
namespace {

// A job that is gone has a key of its own, since a later job may have its name.
struct Key {
  std::string name;
  bool gone = false;

  auto operator<=>(const Key&) const = default;
};

bool began_before(const LineageJob& one, const LineageJob& other) {
  return !one.created || !other.created || *one.created <= *other.created;
}

const LineageJob* find(const LineageJobs& jobs, std::string_view name) {
  const auto found = jobs.find(name);
  return found == jobs.end() ? nullptr : &found->second;
}

// The job of that name, if it can be the one that the tags of `of` mean.
const LineageJob* find_ancestor(const LineageJobs& jobs, std::string_view name,
                                const LineageJob& of) {
  const LineageJob* const found = find(jobs, name);
  return found != nullptr && began_before(*found, of) ? found : nullptr;
}

// The first job of the lineage.
Key line_of(const LineageJobs& jobs, const LineageJob& job) {
  const LineageJob* first = &job;
  for (std::size_t i = 0; i < jobs.size(); ++i) {  // tags may form a cycle
    const LineageJob* const parent = find_ancestor(jobs, first->parent, *first);
    if (parent == nullptr) break;
    first = parent;
  }
  return {first->root, find_ancestor(jobs, first->root, *first) == nullptr};
}

// Leaves out jobs, and their copies, that merely have the same name as a job in the lineage of
// `asked`.
void keep_line(LineageJobs& jobs, const Key& line) {
  std::set<std::string, std::less<>> reused;
  for (const auto& [name, job] : jobs)
    if (find(jobs, job.parent) != find_ancestor(jobs, job.parent, job)) reused.insert(job.parent);
  reused.insert(line.name);
  std::vector<std::string> others;
  for (const auto& [name, job] : jobs)
    if (const Key other = line_of(jobs, job); other != line && reused.contains(other.name))
      others.push_back(name);
  for (const std::string& name : others) jobs.erase(name);
}

class Tree {
 public:
  Tree(const LineageJobs& jobs, const Key& line) : jobs_(jobs) {
    if (line.gone) parents_[line] = {};
    for (const auto& [name, job] : jobs) {
      const Key key{name};
      parents_[key] = job.parent.empty() || job.parent == name ? Key() : parent_of(job);
      if (parents_[key].gone) parents_.emplace(parents_[key], Key());
      if (!job.child.empty() && find(jobs, job.child) == nullptr) parents_[{job.child, true}] = key;
    }
    for (const auto& [key, parent] : parents_) {
      children_[parent].push_back(key);
      width_ = std::max(width_, key.name.size());
    }
    for (auto& [parent, keys] : children_)
      std::ranges::sort(keys, {}, [&](const Key& key) {
        const LineageJob* const job = key.gone ? nullptr : find(jobs_, key.name);
        return std::pair(job != nullptr ? job->created : std::nullopt, key.name);
      });
    width_ += 2 * (parents_.size() - 1);
  }

  std::string print() && {
    print_children({}, 0);
    // Jobs whose tags form a cycle have no root and were not printed above.
    for (const auto& [key, parent] : parents_) print_job(key, 0);
    if (parents_.size() > 1) print_sum();
    return std::move(out_);
  }

 private:
  Key parent_of(const LineageJob& job) const {
    return {job.parent, find_ancestor(jobs_, job.parent, job) == nullptr};
  }

  void print_children(const Key& parent, std::size_t depth) {
    const auto found = children_.find(parent);
    if (found == children_.end()) return;
    for (const Key& key : found->second) print_job(key, depth);
  }

  void print_job(const Key& key, std::size_t depth) {
    if (!printed_.insert(key).second) return;
    if (key.gone) {
      ++gone_;
      print_row(key.name, "gone", depth, std::nullopt);
    } else {
      const LineageJob& job = *find(jobs_, key.name);
      hours_ += job.hours;
      if (job.usd) usd_ = usd_.value_or(0) + *job.usd;
      if (!job.usd && job.hours > 0) ++without_price_;
      print_row(key.name, job.state, depth, job.hours);
      usd_is_bound_ = usd_is_bound_ || job.usd_is_bound;
      if (job.usd) print_cost(*job.usd, job.usd_is_bound);
      if (job.spot_saved) out_ += fmt::format("  spot saved {:.0f} %", *job.spot_saved * 100);
    }
    out_ += '\n';
    if (!key.gone) print_seam(find(jobs_, key.name)->seam, depth);
    print_children(key, depth + 1);
  }

  void print_cost(double usd, bool is_bound) {
    out_ += is_bound ? fmt::format(" at most {:.2f} USD", usd) : fmt::format(" {:>12.2f} USD", usd);
  }

  void print_seam(const std::vector<SeamMetric>& seam, std::size_t depth) {
    const auto text = [](const std::optional<SeamValue>& value, std::string_view none) {
      return value ? fmt::format("{:.6g} at {}", value->value, rfc3339(value->time))
                   : std::string(none);
    };
    for (const SeamMetric& metric : seam)
      out_ += fmt::format("{:{}}{}: {}, then {}\n", "", 2 * depth + 4, printable(metric.name),
                          text(metric.before, "no value before"), text(metric.after, "none yet"));
  }

  void print_row(std::string_view name, std::string_view state, std::size_t depth,
                 std::optional<double> hours) {
    out_ += fmt::format("{:{}}{:{}}  {:<32} {:>8} h", "", 2 * depth, printable(name),
                        width_ - 2 * depth, printable(state),
                        hours ? fmt::format("{:.1f}", *hours) : "?");
  }

  // If a cost is unknown, the sum is a lower bound, or only "about" right where costs are upper
  // bounds. The row says which.
  void print_sum() {
    print_row("together", "", 0, hours_);
    std::string missing;
    if (usd_ && without_price_ > 0)
      missing = counted(without_price_, "job", "jobs") + " without a price";
    if (gone_ > 0) missing += fmt::format("{}{} gone", missing.empty() ? "" : ", ", gone_);
    if (usd_ && missing.empty()) print_cost(*usd_, usd_is_bound_);
    if (usd_ && !missing.empty())
      out_ +=
          fmt::format(" {} {:.2f} USD ({})", usd_is_bound_ ? "about" : "at least", *usd_, missing);
    if (!usd_ && !missing.empty()) out_ += fmt::format(" at least ({})", missing);
    out_ += '\n';
  }

  const LineageJobs& jobs_;
  std::map<Key, Key> parents_;  // no name: no known parent
  std::map<Key, std::vector<Key>> children_;
  std::set<Key> printed_;
  std::size_t width_ = 8;
  double hours_ = 0;
  std::optional<double> usd_;
  bool usd_is_bound_ = false;
  std::size_t without_price_ = 0;
  int gone_ = 0;
  std::string out_;
};

}  // namespace

std::string lineage_tree(LineageJobs jobs, std::string_view asked) {
  const LineageJob* const job = find(jobs, asked);
  if (job == nullptr) return {};
  const Key line = line_of(jobs, *job);
  keep_line(jobs, line);
  return Tree(jobs, line).print();
}

}  // namespace trainwarden::cli
