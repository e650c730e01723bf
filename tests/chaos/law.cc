#include "tests/chaos/law.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::chaos {
namespace {

using std::chrono::seconds;

struct Machine {
  std::string_view type;
  std::optional<double> usd_per_hour;
  long gpus;
};

constexpr std::array<Machine, 3> kMachineTypes = {{{"ml.g5.12xlarge", 7.0, 4},
                                                   {"ml.p4d.24xlarge", 30.0, 8},
                                                   {"ml.g4dn.xlarge", std::nullopt, 1}}};

int strength(std::string_view mode) {
  if (mode == "observe") return 0;
  return mode == "notify" ? 1 : 2;
}

std::string match_of(const Rule& rule) {
  const std::string running = R"("job":{"TrainingJobStatus":["InProgress"]},)";
  switch (rule.breach) {
    case Breach::kNoOwner:
      return running + R"("tags":{"owner":[{"exists":false}]})";
    case Breach::kMachine:
      return running + fmt::format(R"("resources":{{"instance_types":["{}"]}})", rule.type);
    case Breach::kMachines:
      return running + fmt::format(R"("resources":{{"instance_count":[{{"numeric":[">",{}]}}]}})",
                                   rule.number);
    case Breach::kCost:
      return running + fmt::format(R"("cost":{{"max_usd":[{{"numeric":[">",{}]}}]}})", rule.number);
    case Breach::kLong:
      return running + fmt::format(R"("runtime":{{"training_seconds":[{{"numeric":[">",{}]}}]}})",
                                   rule.number);
    case Breach::kFailed:
      return R"("job":{"TrainingJobStatus":["Failed"]},)"
             R"("failure":{"kind":["InternalServerError","CapacityError"]})";
    case Breach::kInterrupted:
      return fmt::format(
          R"("job":{{"SecondaryStatus":["Interrupted"]}},"resources":{{"spot":[true]}},)"
          R"("spot":{{"interruptions":[{{"numeric":[">=",{}]}}]}})",
          rule.number);
    case Breach::kIdle:
    case Breach::kSilent:
      return fmt::format(R"("alarm":{{"watch":["{}"],"state":["ALARM"]}})", rule.rule_name());
    case Breach::kExpired:
      return running + R"("until":{"stop-at":[{"numeric":["<=",0]}]})";
    case Breach::kStale:
      return fmt::format(R"("job":{{"SecondaryStatus":["Training"]}},)"
                         R"("checkpoint":{{"age_seconds":[{{"numeric":[">",{}]}}]}})",
                         rule.number);
    case Breach::kTuner:
      return running + R"("tags":{"cost_center":[{"exists":false}]})";
    case Breach::kPool:
      return fmt::format(
          R"("event":{{"trigger":["sweep"]}},"job":{{"TrainingJobStatus":["Completed","Failed",)"
          R"("Stopped"],"WarmPoolStatus":{{"Status":["Available"]}}}},)"
          R"("warm_pool":{{"idle_seconds":[{{"numeric":[">=",{}]}}]}})",
          kPoolIdles.count());
    case Breach::kMemory:
      return R"("job":{"TrainingJobStatus":["Failed"]},"failure":{"label":["oom_gpu"]})";
  }
  return {};
}

std::string action_of(const Rule& rule) {
  if (rule.breach == Breach::kFailed)
    return fmt::format(R"({{"restart":{{"limit":{},"min_progress_seconds":60}}}})", rule.limit);
  if (rule.breach == Breach::kInterrupted)
    return fmt::format(R"({{"restart":{{"spot":false,"limit":{}}}}})", rule.limit);
  if (rule.breach == Breach::kTuner) return R"({"stop":{"tuning_job":true}})";
  if (rule.breach == Breach::kPool) return R"("release")";
  if (rule.breach == Breach::kMemory) return R"("notify")";
  if (rule.grace > 0) return fmt::format(R"({{"stop":{{"grace_seconds":{}}}}})", rule.grace);
  return R"("stop")";
}

bool fault_of_aws(const std::string& reason) {
  return reason.starts_with("InternalServerError:") || reason.starts_with("CapacityError:");
}

// How often the job had been interrupted by then.
long interruptions(const Truth& job, sys_millis time) {
  return std::ranges::count_if(job.steps, [&](const Truth::Step& step) {
    return step.at <= time && step.secondary == "Interrupted";
  });
}

// What is measured of a job that works again is some minutes old.
constexpr std::chrono::minutes kMeasuredLate{12};

bool is_idle(const Truth& job, const Truth::Step& step, sys_millis time) {
  return step.secondary == "Training" && time - step.at >= kWarmUp &&
         std::ranges::any_of(job.idle, [&](const Truth::Idleness& one) {
           return std::min(time, one.to) - std::max(one.from, step.at) >= kPeriods * kPeriod &&
                  time < one.to + kMeasuredLate;
         });
}

// Of objects that were there before, the age counts from when Training began.
bool is_stale(const Truth& job, const Truth::Step& step, sys_millis time, seconds more_than) {
  const auto after = std::ranges::upper_bound(job.written, time);
  return step.secondary == "Training" && after != job.written.begin() &&
         time - std::max(*(after - 1), step.at) >= more_than;
}

// Silence proves something after a datapoint of the same segment.
bool is_silent(const Truth& job, const Truth::Step& step, sys_millis time) {
  if (!job.silent_from) return false;
  const bool was_heard = std::ranges::any_of(
      job.heard, [&](sys_millis at) { return at >= step.at && at < *job.silent_from; });
  return step.secondary == "Training" && was_heard && time - step.at >= kWarmUp &&
         time - *job.silent_from >= kPeriods * kPeriod;
}

// MaxRuntime counts from when the machines are there.
bool trained_for(const Truth& job, sys_millis time, seconds more_than) {
  const auto begun = std::ranges::find_if(job.steps, [](const Truth::Step& step) {
    return step.secondary == "Downloading" || step.secondary == "Training";
  });
  return begun != job.steps.end() && time - begun->at >= more_than;
}

// In that step of the job's, at that time.
bool breached(const Rule& rule, const Truth& job, const Truth::Step& step, sys_millis time) {
  if (rule.spares && job.has_tag("spare", time)) return false;
  const bool running = step.status == "InProgress";
  switch (rule.breach) {
    case Breach::kNoOwner:
      return running && !job.has_tag("owner", time);
    case Breach::kMachine:
      return running && job.type == rule.type;
    case Breach::kMachines:
      return running && job.count > rule.number;
    case Breach::kCost: {
      const auto price = usd_per_hour(job.type);
      const double hours = static_cast<double>(job.max_runtime.count()) / 3600;
      return running && price && *price * job.count * hours > static_cast<double>(rule.number);
    }
    case Breach::kLong:
      return running && trained_for(job, time, seconds(rule.number));
    case Breach::kFailed:
      return step.status == "Failed" && fault_of_aws(job.failure_reason);
    case Breach::kInterrupted:
      return step.secondary == "Interrupted" && job.spot && interruptions(job, time) >= rule.number;
    case Breach::kIdle:
      return running && is_idle(job, step, time);
    case Breach::kSilent:
      return running && is_silent(job, step, time);
    case Breach::kExpired:
      return running && job.stop_at && time >= *job.stop_at;
    case Breach::kStale:
      return running && is_stale(job, step, time, seconds(rule.number));
    case Breach::kTuner:
      return running && !job.has_tag("cost_center", time);
    case Breach::kPool:
      return job.keep_alive > kPoolIdles && !running && step.status != "Stopping" &&
             time >= step.at + kPoolIdles && time < step.at + job.keep_alive;
    case Breach::kMemory:
      return step.status == "Failed" && job.lacks_memory &&
             job.failure_reason.starts_with("AlgorithmError:");  // which names no cause itself
  }
  return false;
}

}  // namespace

const char* name(Breach breach) {
  constexpr std::array<const char*, kBreaches> kNames = {
      "no-owner", "machine", "machines", "cost",  "long",  "failed", "interrupted",
      "idle",     "silent",  "expired",  "stale", "tuner", "pool",   "memory"};
  return kNames.at(static_cast<std::size_t>(breach));
}

const std::string& weaker(const std::string& a, const std::string& b) {
  return strength(b) < strength(a) ? b : a;
}

std::optional<double> usd_per_hour(const std::string& type) {
  const auto* const found = std::ranges::find(kMachineTypes, type, &Machine::type);
  return found == kMachineTypes.end() ? std::nullopt : found->usd_per_hour;
}

long gpus_of(const std::string& type) {
  const auto* const found = std::ranges::find(kMachineTypes, type, &Machine::type);
  return found == kMachineTypes.end() ? 0 : found->gpus;
}

std::string Rule::to_json() const {
  return fmt::format(R"({{"name":"{}",{}"match":{{{}}},{}"actions":[{}{}],"message":"It is {}."}})",
                     rule_name(), mode.empty() ? "" : fmt::format(R"("mode":"{}",)", mode),
                     match_of(*this), spares ? R"("unless":{"tags":{"spare":["yes"]}},)" : "",
                     action_of(*this), notify && breach != Breach::kMemory ? R"(,"notify")" : "",
                     rule_name());
}

std::string Law::mode_of(const Rule& rule) const {
  const std::string& both = weaker(ceiling, mode);
  return rule.mode.empty() ? both : weaker(both, rule.mode);
}

const Rule* Law::find(Breach breach) const {
  const auto found = std::ranges::find(rules, breach, &Rule::breach);
  return found == rules.end() ? nullptr : &*found;
}

bool Law::watches() const { return std::ranges::any_of(rules, &Rule::watches); }

std::string Law::to_json() const {
  std::string all;
  const auto add = [&all](const std::string& rule) { all += (all.empty() ? "" : ",") + rule; };
  std::string watches;
  std::string watched;
  for (const Rule& rule : rules) {
    if (!rule.watches()) continue;
    const char* const comma = watches.empty() ? "" : ",";
    const char* const what =
        rule.breach == Breach::kIdle
            ? R"("statistic":"Maximum","at_most":1,"per_gpu":true,"missing":"notBreaching")"
            : R"("statistic":"SampleCount","below":1,"missing":"breaching")";
    watches += fmt::format(
        R"({}"{}":{{"metric":"GPUUtilization",{},"period_seconds":{},"periods":{},"hosts":"every",)"
        R"("warmup_seconds":{}}})",
        comma, rule.rule_name(), what, kPeriod.count(), kPeriods, kWarmUp.count());
    watched += fmt::format(R"({}"{}")", comma, rule.rule_name());
  }
  if (!watches.empty())
    add(fmt::format(R"({{"name":"watch","match":{{"job":{{"SecondaryStatus":["Training"]}}}},)"
                    R"("actions":[{{"watch":[{}]}}]}})",
                    watched));
  for (const Rule& rule : rules) add(rule.to_json());
  std::string prices;
  for (const Machine& machine : kMachineTypes)
    if (machine.usd_per_hour)
      prices += fmt::format(R"({}"{}":{})", prices.empty() ? "" : ",", machine.type,
                            *machine.usd_per_hour);
  return fmt::format(
      R"({{"version":1,"mode":"{}","notify":{{"format":"json"}},"limits":{{"stops_per_sweep":{},)"
      R"("stops_per_hour":{},"silent_stops_per_hour":{},"restarts_per_hour":{}}},"prices":{{{}}},)"
      R"("watches":{{{}}},"rules":[{}]}})",
      mode, stops_per_sweep, stops_per_hour, silent_stops_per_hour, restarts_per_hour, prices,
      watches, all);
}

const Truth::Step* Truth::at(sys_millis time) const {
  const auto after = std::ranges::upper_bound(steps, time, {}, &Step::at);
  return after == steps.begin() ? nullptr : &*(after - 1);
}

bool Truth::lives(sys_millis time) const {
  const Step* const step = at(time);
  return step != nullptr && (step->status == "InProgress" || step->status == "Stopping");
}

std::optional<sys_millis> Truth::ended() const {
  const Step& last = steps.back();
  return last.status == "InProgress" || last.status == "Stopping" ? std::nullopt
                                                                  : std::optional(last.at);
}

bool Truth::has_tag(const std::string& key, sys_millis time) const {
  bool there = false;
  for (const Tagging& one : tagged)
    if (one.key == key && one.at <= time) there = one.there;
  return there;
}

bool holds(const Rule& rule, const Truth& job, sys_millis time) {
  const Truth::Step* const step = job.at(time);
  return step != nullptr && breached(rule, job, *step, time);
}

// Two steps may be of the same millisecond.
bool held(const Rule& rule, const Truth& job, sys_millis from, sys_millis to) {
  for (std::size_t i = 0; i < job.steps.size(); ++i) {
    const sys_millis begun = std::max(from, job.steps[i].at);
    const sys_millis over = i + 1 < job.steps.size() ? std::min(to, job.steps[i + 1].at) : to;
    if (begun > over) continue;
    if (breached(rule, job, job.steps[i], begun) || breached(rule, job, job.steps[i], over))
      return true;
  }
  return false;
}

}  // namespace trainwarden::chaos
