#include "handlers/actions/sweep/sweep_limit.h"

#include <algorithm>
#include <iterator>

namespace trainwarden::actions {

void SweepLimit::add(const std::string& job, double usd_per_hour,
                     std::span<const std::size_t> rules, bool measured,
                     const std::function<bool(std::size_t)>& is_mature) {
  if (!measured) cost_.emplace(job, -usd_per_hour);
  for (const std::size_t index : rules) {
    const auto [found, is_new] = rules_.try_emplace(index);
    OfRule& rule = found->second;
    if (is_new) rule.is_mature = is_mature(index);
    if (measured) ++rule.measured;
    if (measured || !rule.jobs.insert(job).second) continue;
    rule.dearest.emplace(cost_.at(job), job);
    if (std::cmp_greater(rule.dearest.size(), limit_))
      rule.dearest.erase(std::prev(rule.dearest.end()));
  }
}

bool SweepLimit::passes(const OfRule& rule, const std::string& job) const {
  if (!rule.jobs.contains(job)) return false;
  return std::cmp_less_equal(rule.jobs.size(), limit_) ||
         (rule.is_mature && rule.dearest.contains({cost_.at(job), job}));
}

bool SweepLimit::may_pass(const std::string& job) const {
  return std::ranges::any_of(rules_, [&](const auto& rule) { return passes(rule.second, job); });
}

void SweepLimit::settle() {
  DearestFirst all;
  for (const auto& [index, rule] : rules_)
    for (const auto& [cost, job] : rule.dearest)
      if (passes(rule, job)) all.emplace(cost, job);
  for (const auto& [cost, job] : all)
    if (std::cmp_less(settled_.size(), kAllRules * limit_)) settled_.insert(job);
}

std::set<std::size_t> SweepLimit::passing(const std::string& job,
                                          std::span<const std::size_t> rules, bool measured) const {
  std::set<std::size_t> out;
  if (measured ? std::cmp_greater_equal(cost_.size(), kAllRules * limit_) : !settled_.contains(job))
    return out;
  for (const std::size_t index : rules) {
    const OfRule& rule = rules_.at(index);
    const std::size_t all = rule.jobs.size() + rule.measured;
    if (measured ? std::cmp_less_equal(all, limit_) : passes(rule, job)) out.insert(index);
  }
  return out;
}

std::vector<std::string> SweepLimit::held_back() const {
  DearestFirst held;
  for (const auto& [job, cost] : cost_)
    if (!settled_.contains(job)) held.emplace(cost, job);
  std::vector<std::string> out;
  out.reserve(held.size());
  for (const auto& [cost, job] : held) out.push_back(job);
  return out;
}

}  // namespace trainwarden::actions
