#include "handlers/rules/weekly/week_totals.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "handlers/rules/job/fnv1a.h"
#include "handlers/rules/job/job_at.h"
#include "handlers/rules/job/job_tags.h"

namespace trainwarden::rules {
namespace {

void add_sum(Sum& to, const Sum& other) {
  to.jobs += other.jobs;
  to.without_price += other.without_price;
  to.bounds += other.bounds;
  to.hours += other.hours;
  for (std::size_t i = 0; i < to.split.size(); ++i) to.split[i] += other.split[i];
}

void add_job(WeekSum& to, const TrainingJob& job, const JobBill& bill) {
  const auto end = static_cast<std::size_t>(by_end(job.status));
  Split split = {};
  split[end] = bill.usd.value_or(0);
  add_to(job.has_ended() ? to.ended : to.running, bill, split);
  if (!job.has_ended()) return;
  add_to(to.by_end[end], bill, split);
  double machines = 0;
  for (const Instances& some : job.instances) machines += std::max(some.count, 0.0);
  to.machine_hours += bill.hours.value_or(0) * machines;
}

}  // namespace

Sum WeekSum::wasted() const {
  Sum out = of(Spending::kFailed);
  add_sum(out, of(Spending::kStopped));
  return out;
}

void WeekSum::add(const WeekSum& other) {
  add_sum(ended, other.ended);
  add_sum(running, other.running);
  for (std::size_t i = 0; i < by_end.size(); ++i) add_sum(by_end[i], other.by_end[i]);
  machine_hours += other.machine_hours;
}

void WeekTotals::add(const Sources& search) {
  const TrainingJob* const job = search.job();
  if (job == nullptr) return;
  if (const auto end = end_of_job(*job)) {
    if (*end < report_.from || *end >= report_.until) return;
  } else if (!job->has_ended()) {
    if (job->created && *job->created >= report_.until) return;
    if (!running_.insert(fnv1a(job->name)).second) return;
  }
  const JobBill bill = bill_of(*job, prices_, report_.until);
  const auto tags = search.known(Source::kTags);
  add_job(of_team(tags ? team_of(*tags) : std::string_view()), *job, bill);
  add_job(report_.all, *job, bill);
}

WeekSum& WeekTotals::of_team(std::string_view team) {
  if (team.empty()) return report_.no_team;
  const auto found = teams_.find(team);
  return found != teams_.end() ? found->second : teams_[std::string(team)];
}

WeekReport WeekTotals::take() {
  for (auto& [team, sum] : teams_) report_.teams.push_back({team, sum});
  const auto weight = [](const TeamWeek& one) {
    return std::tuple(one.sum.ended.usd(), one.sum.running.usd(), one.sum.ended.jobs,
                      one.sum.running.jobs);
  };
  std::ranges::stable_sort(report_.teams, std::ranges::greater(), weight);
  return std::move(report_);
}

}  // namespace trainwarden::rules
