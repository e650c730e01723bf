// limits.stops_per_sweep (policy.md P7): which of the jobs that rules would stop because of what
// describes them one sweep stops. Each rule is counted by itself, so that the violators of one hold
// back none of another. A rule over the limit stops its dearest jobs if it is mature, else none.
// Pure bookkeeping: it reads nothing and stops nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainwarden::actions {

class SweepLimit {
 public:
  explicit SweepLimit(std::int64_t limit) : limit_(limit) {}

  // rules: indices in the policy. is_mature: rules/state/sweep_item.h. measured: the job is stopped
  // because of a measurement anyway, and does not count.
  void add(const std::string& job, double usd_per_hour, std::span<const std::size_t> rules,
           bool measured, const std::function<bool(std::size_t)>& is_mature);
  // Whether a rule may still stop the job, as far as is known. A later job may turn a yes into a
  // no.
  bool may_pass(const std::string& job) const;
  // How many were added that are not measured.
  std::size_t jobs() const { return cost_.size(); }

  // After all were added: settles which jobs pass. All rules together stop at most three times the
  // limit, the dearest jobs.
  void settle();
  // Of these rules, those that may stop the job.
  std::set<std::size_t> passing(const std::string& job, std::span<const std::size_t> rules,
                                bool measured) const;
  // The limit holds a measured job back, unless its measurement has stopped it.
  void hold(const std::string& job, double usd_per_hour) { cost_.emplace(job, -usd_per_hour); }
  // The jobs that no rule may stop, the dearest first.
  std::vector<std::string> held_back() const;

 private:
  static constexpr std::int64_t kAllRules = 3;

  using DearestFirst = std::set<std::pair<double, std::string>>;  // by minus their cost
  struct OfRule {
    bool is_mature = false;
    std::set<std::string> jobs;
    std::size_t measured = 0;
    DearestFirst dearest;  // of `jobs`, at most the limit
  };

  bool passes(const OfRule& rule, const std::string& job) const;

  std::int64_t limit_;
  std::map<std::size_t, OfRule> rules_;
  std::map<std::string, double> cost_;  // minus it
  std::set<std::string> settled_;
};

}  // namespace trainwarden::actions
