#include "handlers/rules/weekly/week_totals.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/job_at.h"
#include "handlers/rules/job/job_tags.h"
#include "runtime/base/fnv1a.h"

namespace trainwarden::rules {
namespace {

void add_sum(Sum& to, const Sum& other) {
  to.jobs += other.jobs;
  to.without_price += other.without_price;
  to.bounds += other.bounds;
  to.hours += other.hours;
  for (std::size_t i = 0; i < to.split.size(); ++i) to.split[i] += other.split[i];
}

Split all_to(Spending spending, const JobBill& bill) {
  Split out = {};
  out[static_cast<std::size_t>(spending)] = bill.usd.value_or(0);
  return out;
}

void add_ended_job(WeekSum& to, const TrainingJob& job, const JobBill& bill) {
  const Spending end = by_end(job.status);
  const Split split = all_to(end, bill);
  add_to(to.ended, bill, split);
  add_to(to.by_end[static_cast<std::size_t>(end)], bill, split);
  const double machines =
      at_most(job, [](const Instances& some) { return std::max(some.count, 0.0); });
  to.machine_hours += bill.hours.value_or(0) * machines;
}

void add_running_job(WeekSum& to, const JobBill& bill) {
  add_to(to.running, bill, all_to(Spending::kNotOver, bill));
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
  const auto tags = search.known(Source::kTags);
  const std::string_view team = tags ? team_of(*tags) : std::string_view();
  const std::uint64_t key = fnv1a(job->name);
  const auto end = job->ended();
  if (job->has_ended() && (!end || *end < report_.until)) {
    running_.erase(key);  // Search had not heard of its end
    if (!end || *end >= report_.from) add_ended(*job, team);
  } else if (!job->created || *job->created < report_.until) {
    if (!running_.contains(key))
      running_.emplace(key, RunningJob{std::string(team), bill_at_end_of_week(*job)});
  }
}

void WeekTotals::add_ended(const TrainingJob& job, std::string_view team) {
  const JobBill bill = bill_of(job, prices_, report_.until);
  add_ended_job(of_team(team), job, bill);
  add_ended_job(report_.all, job, bill);
}

JobBill WeekTotals::bill_at_end_of_week(const TrainingJob& job) const {
  if (!job.has_ended()) return bill_of(job, prices_, report_.until);
  const json::Document then = job_at(job, report_.until);
  return bill_of(read_training_job(then.root()), prices_, report_.until);
}

WeekSum& WeekTotals::of_team(std::string_view team) {
  if (team.empty()) return report_.no_team;
  const auto found = teams_.find(team);
  return found != teams_.end() ? found->second : teams_[std::string(team)];
}

WeekReport WeekTotals::take() {
  for (const auto& [name, job] : running_) {
    add_running_job(of_team(job.team), job.bill);
    add_running_job(report_.all, job.bill);
  }
  for (auto& [team, sum] : teams_) report_.teams.push_back({team, sum});
  const auto weight = [](const TeamWeek& one) {
    return std::tuple(one.sum.ended.usd(), one.sum.running.usd(), one.sum.ended.jobs,
                      one.sum.running.jobs);
  };
  std::ranges::stable_sort(report_.teams, std::ranges::greater(), weight);
  return std::move(report_);
}

}  // namespace trainwarden::rules
