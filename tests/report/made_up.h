// Made-up findings, for tests of what is printed of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "handlers/rules/backtest/replay_findings.h"

namespace trainwarden::made_up {

using rules::Findings;
using rules::JobFinding;
using rules::JobStatus;
using rules::ReplayedStop;
using rules::StopGround;
using rules::StopVerdict;

inline constexpr sys_seconds kUntil{std::chrono::seconds(1'795'305'600)};  // 22 Nov 2026

inline Findings findings(bool with_policy = true) {
  Findings out;
  if (with_policy) {
    out.policy = "my-policy.json";
    out.policy_hash = "ad28962f00c0ffee";
    out.rules = {{"stop-idle", rules::Mode::kEnforce, true, false, false},
                 {"required-tags", rules::Mode::kEnforce, true, false, true},
                 {"max-72h", rules::Mode::kObserve, true, false, false},
                 {"lost-machine", rules::Mode::kEnforce, true, true, false}};
    out.watches = {{"gpu-idle", "GPUUtilization", 300, 63, 180, 60, 20}};
  }
  out.since = kUntil - std::chrono::days(90);
  out.until = kUntil;
  out.account = "111122223333";
  out.region = "eu-central-1";
  out.prices_asked = kUntil;
  return out;
}

// It trained for that long, at so many dollars an hour.
inline JobFinding job(std::string name, JobStatus status, std::chrono::hours age,
                      std::chrono::minutes trained, double usd_per_hour) {
  JobFinding out;
  out.arn = "arn:aws:sagemaker:eu-central-1:111122223333:training-job/" + name;
  out.name = std::move(name);
  out.status = status;
  out.state = status == JobStatus::kCompleted ? "Completed"
              : status == JobStatus::kFailed  ? "Failed/Failed"
              : status == JobStatus::kStopped ? "Stopped/Stopped"
                                              : "InProgress/Training";
  out.machines = "2 x ml.g5.12xlarge";
  out.machine_count = 2;
  out.created = kUntil - age;
  out.trained_from = out.created + std::chrono::minutes(5);
  if (status != JobStatus::kInProgress) out.ended = *out.trained_from + trained;
  out.paid_hours = static_cast<double>(trained.count()) / 60;
  out.usd = *out.paid_hours * usd_per_hour;
  return out;
}

// After that share of what the job has trained.
inline ReplayedStop stop(const JobFinding& job, std::size_t rule, double share, StopVerdict verdict,
                         StopGround ground) {
  const double seconds = job.paid_hours.value_or(0) * 3600 * share;
  ReplayedStop out;
  out.rule = rule;
  out.at = *job.trained_from + std::chrono::seconds(static_cast<std::int64_t>(seconds));
  out.verdict = verdict;
  out.ground = ground;
  if (job.usd) {
    out.before_usd = *job.usd * share;
    out.after_usd = *job.usd - *out.before_usd;
  }
  return out;
}

inline rules::Curve idle_from(const JobFinding& job, double share) {
  rules::Curve out{.watch = "gpu-idle", .metric = "GPUUtilization", .begin = *job.trained_from};
  constexpr int kValues = 240;
  out.period_seconds = static_cast<std::int64_t>(*job.paid_hours * 3600 / kValues);
  for (int i = 0; i < kValues; ++i) {
    const bool busy = i < share * kValues;
    if (i % 61 == 60)
      out.values.emplace_back();
    else
      out.values.emplace_back(busy ? 76.0 + i * 37 % 23 : 1.5);
  }
  return out;
}

// A quarter's jobs of a company: teams, failures, stops of every verdict.
inline Findings fleet(std::size_t jobs = 260, bool with_policy = true) {
  static constexpr std::array kTeams = {"speech", "vision", "research", "ranking", ""};
  static constexpr std::array kMachines = {"1 x ml.p5.48xlarge", "2 x ml.p4d.24xlarge",
                                           "4 x ml.g5.12xlarge", "8 x ml.g5.2xlarge"};
  static constexpr std::array kFailures = {
      rules::verdict_of("user_code", "no"), rules::verdict_of("oom_gpu", "no"),
      rules::verdict_of("hardware", "yes"), rules::verdict_of("capacity", "yes"),
      rules::verdict_of("data", "no"),      rules::verdict_of("unknown", "once")};
  Findings out = findings(with_policy);
  std::uint64_t seed = 7;
  const auto random = [&seed](std::uint64_t below) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return (seed >> 33U) % below;
  };
  for (std::size_t i = 0; i < jobs; ++i) {
    const std::size_t team = random(kTeams.size());
    const auto chance = random(100);
    const auto age = std::chrono::hours(jobs < 2 ? 170 : 2158 - 2080 * i / (jobs - 1));
    const JobStatus status = age < std::chrono::hours(90) ? JobStatus::kInProgress
                             : chance < 50                ? JobStatus::kCompleted
                             : chance < 82                ? JobStatus::kFailed
                                                          : JobStatus::kStopped;
    const auto minutes = status == JobStatus::kInProgress
                             ? std::chrono::minutes(age) - std::chrono::minutes(5)
                             : std::chrono::minutes(20 + random(60) * random(80));
    JobFinding one = job(fmt::format("{}-{:03}", team == 4 ? "run" : kTeams[team], i), status, age,
                         minutes, 4 + static_cast<double>(random(40)));
    one.machines = kMachines[random(kMachines.size())];
    one.team = kTeams[team];
    one.owner = fmt::format("person-{}", random(9));
    one.tags = {{"project", fmt::format("p{}", random(4))}};
    if (!one.team.empty()) one.tags.emplace_back("team", one.team);
    one.spot = random(3) == 0;
    if (one.spot) {
      one.spot_saving = 0.4 + static_cast<double>(random(40)) / 100;
      one.interruptions = static_cast<double>(random(4));
    }
    if (status == JobStatus::kFailed) {
      one.failure = kFailures[random(kFailures.size())];
    }
    if (i % 40 == 39) one.usd.reset();
    const auto decided = random(10);
    // The longer a job is, the likelier it idles.
    const std::uint64_t idle = minutes > std::chrono::hours(30) ? 8 : 2;
    if (with_policy && decided < idle && status != JobStatus::kInProgress) {
      const double share = 0.15 + static_cast<double>(random(60)) / 100;
      if (status == JobStatus::kCompleted && random(4) == 0)
        one.stop = stop(one, 0, share, StopVerdict::kWrong, StopGround::kMetricCameBack);
      else if (status == JobStatus::kStopped)
        one.stop = stop(one, 0, share, StopVerdict::kUnknown, StopGround::kStopped);
      else if (status == JobStatus::kFailed)
        one.stop = stop(one, 0, share, StopVerdict::kRight, StopGround::kBreachLasted);
      if (one.stop) {
        one.stop->trigger = rules::Trigger::kAlarm;
        one.stop->noticed_after = std::chrono::minutes(45);
        one.stop->because = {{rules::Group::kAlarm, "watch", "gpu-idle"},
                             {rules::Group::kAlarm, "state", "ALARM"}};
      }
    } else if (with_policy && one.team.empty() && decided < 8) {
      one.stop = stop(one, 1, 0.01, StopVerdict::kRule, StopGround::kFixedAtCreation);
      one.stop->rests_on_tags = true;
    } else if (with_policy && decided == 9 && status == JobStatus::kFailed) {
      one.stop = stop(one, 3, 0.8, StopVerdict::kUnknown, StopGround::kFailed);
      one.stop->restarts = true;
    } else if (with_policy && decided == 9) {
      one.held_back.push_back(
          {0, one.created, {.why = rules::Why::kStopsPerHour, .number = 6, .limit = 5}});
    }
    one.asked = one.stop;
    out.jobs.push_back(std::move(one));
  }
  std::vector<JobFinding*> costliest;
  for (JobFinding& one : out.jobs)
    if (one.usd) costliest.push_back(&one);
  std::ranges::sort(costliest, std::greater{}, [](const JobFinding* one) { return *one->usd; });
  costliest.resize(std::min<std::size_t>(costliest.size(), 12));
  for (JobFinding* const one : costliest) {
    const double share = one->stop && one->stop->rule == 0 && one->usd
                             ? *one->stop->before_usd / *one->usd * 0.9
                             : 1;
    one->curves.push_back(idle_from(*one, share));
  }
  return out;
}

// Twelve days of it, with jobs on seven.
inline Findings weekdays() {
  Findings out = fleet();
  out.since = kUntil - std::chrono::days(12);
  for (std::size_t i = 0; i < out.jobs.size(); ++i)
    out.jobs[i].created = kUntil - std::chrono::days(1 + i % 7);
  return out;
}

// A misspelt tag stops every job when it is created; the other rules are judged behind that.
inline Findings misspelt() {
  Findings out = fleet();
  for (JobFinding& one : out.jobs) {
    if (one.stop) one.behind.push_back(*one.stop);
    one.stop = stop(one, 1, 0.001, StopVerdict::kRule, StopGround::kFixedAtCreation);
    one.asked = one.stop;
    for (rules::Curve& curve : one.curves) curve.watch = "gpu-idle";
  }
  out.missing_keys = {{"projct", {"required-tags"}, "project", out.jobs.size()}};
  return out;
}

inline constexpr std::array kHostile = {
    std::string_view("<script>document.title='ran'</script>"),
    std::string_view("\x1b[31mred\x1b[0m\x9b"
                     "1m"),
    std::string_view("]]></style></svg><img src=x onerror=alert(1)>"),
    std::string_view("'\"><a href=\"javascript:alert(1)\">x</a>"),
    std::string_view("\u202Egnp.exe\u2066\u0085next\nline")};

// Hostile text in every place that somebody else writes.
inline Findings hostile() {
  Findings out = findings();
  for (std::size_t i = 0; i < kHostile.size(); ++i) {
    const std::string bad(kHostile[i]);
    JobFinding one = job(bad, i == 0 ? JobStatus::kCompleted : JobStatus::kFailed,
                         std::chrono::hours(100 + 10 * i), std::chrono::hours(7), 30);
    one.arn = "arn:aws:sagemaker:eu-central-1" + bad + ":111122223333:training-job/" + bad;
    one.owner = one.team = one.machines = one.state = one.parent = one.did = one.did_rule = bad;
    one.failure_evidence = bad;
    one.tags = {{bad, bad}, {"project", bad}};
    one.stop = stop(one, i % 4, 0.4, i == 0 ? StopVerdict::kWrong : StopVerdict::kUnknown,
                    i == 0 ? StopGround::kCompleted : StopGround::kFailed);
    one.stop->because = {{rules::Group::kTags, bad, bad}};
    one.stop->watch = bad;
    one.asked = one.stop;
    one.curves.push_back(idle_from(one, 0.4));
    one.curves.back().metric = bad;
    one.held_back.push_back({0, one.created, {.why = rules::Why::kAlarmState, .name = bad}});
    one.undecidable.push_back(
        {.rule = 1, .cause = rules::Undecidable::Cause::kMetricMissing, .watch = bad});
    out.jobs.push_back(std::move(one));
  }
  for (const std::string_view bad : kHostile)
    out.missing_keys.push_back({std::string(bad), {std::string(bad)}, std::string(bad), 1});
  out.policy = out.policy_hash = out.account = out.region = kHostile[0];
  for (std::size_t i = 0; i < out.rules.size(); ++i) out.rules[i].name = kHostile[i];
  out.watches.front().watch = out.watches.front().metric = kHostile[2];
  return out;
}

}  // namespace trainwarden::made_up
