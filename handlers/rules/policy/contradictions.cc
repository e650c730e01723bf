#include "handlers/rules/policy/contradictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/facts/silence.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/policy/cost_doubts.h"
#include "handlers/rules/policy/remarks.h"
#include "handlers/rules/policy/unheard_alarms.h"

namespace trainwarden::rules {
namespace {

Scalar number(double value) { return {json::Type::kNumber, false, value, {}}; }

constexpr std::array<std::string_view, 1> kFailed = {"Failed"};

// Whether every value that the condition asks for is one of the documented statuses.
bool all_documented(const Condition& condition) {
  const auto known = known_values(Group::kJob, condition.path);
  return std::ranges::all_of(condition.tests, [known](const Test& test) {
    return test.kind == Test::Kind::kText && std::ranges::find(known, test.text) != known.end();
  });
}

bool statuses_exclude_each_other(const Conjunction& conjunction) {
  const Condition* const status = conjunction.find(Group::kJob, "TrainingJobStatus");
  const Condition* const secondary = conjunction.find(Group::kJob, "SecondaryStatus");
  if (status == nullptr || secondary == nullptr) return false;
  if (!all_documented(*status) || !all_documented(*secondary)) return false;
  return std::ranges::none_of(status->tests, [secondary](const Test& one) {
    return std::ranges::any_of(
        secondary->tests, [&one](const Test& other) { return go_together(one.text, other.text); });
  });
}

// Whether it lets no job through that has left its machines.
bool refuses_ended(const Conjunction& conjunction) {
  static constexpr std::array<std::string_view, 3> kEnded = {"Completed", "Failed", "Stopped"};
  return conjunction.refuses(Group::kJob, "TrainingJobStatus", kEnded);
}

bool refuses_training(const Conjunction& conjunction) {
  static constexpr std::array<std::string_view, 1> kInProgress = {"InProgress"};
  static constexpr std::array<std::string_view, 1> kTraining = {"Training"};
  return conjunction.refuses(Group::kJob, "TrainingJobStatus", kInProgress) ||
         conjunction.refuses(Group::kJob, "SecondaryStatus", kTraining);
}

// Why the alternative never matches; nullopt where nothing is wrong with it.
std::optional<std::string_view> contradiction(const Conjunction& conjunction) {
  if (statuses_exclude_each_other(conjunction)) {
    return "never matches: no job has such a SecondaryStatus with such a TrainingJobStatus";
  }
  // A sweep decides on what is in ALARM (S1).
  static constexpr std::array<std::string_view, 2> kWithAlarm = {"alarm", "sweep"};
  if (conjunction.looks_into(Group::kAlarm) &&
      conjunction.refuses(Group::kEvent, "trigger", kWithAlarm)) {
    return "never matches: only the triggers `alarm` and `sweep` have an alarm";
  }
  if (conjunction.looks_into(Group::kFailure) &&
      conjunction.refuses(Group::kJob, "TrainingJobStatus", kFailed)) {
    return "never matches: only a job whose TrainingJobStatus is Failed has a failure";
  }
  if (const Condition* const silent = conjunction.find(Group::kLogs, kSilentSeconds);
      silent != nullptr && !silent->accepts_absence() && refuses_training(conjunction)) {
    return "never matches: only the logs of a job that trains are silent";
  }
  if ((conjunction.looks_into(Group::kWarmPool) || conjunction.looks_into(Group::kPoolCost)) &&
      refuses_ended(conjunction)) {
    return "never matches: only a job that has ended leaves a warm pool";
  }
  static constexpr std::array<std::string_view, 1> kGpu = {"gpu"};
  static constexpr std::array<std::string_view, 2> kOthers = {"neuron", "none"};
  const auto no_accelerator = [&conjunction](std::span<const std::string_view> kinds) {
    return conjunction.refuses(Group::kAccelerator, "accelerator", kinds);
  };
  const Condition* gpus = conjunction.find(Group::kGpus, "gpus");
  if (gpus != nullptr && !gpus->accepts(number(0)) && no_accelerator(kGpu)) {
    return "never matches: machines without the accelerator `gpu` have no GPUs";
  }
  if (gpus != nullptr && gpus->tests.size() == 1 && gpus->tests[0].kind == Test::Kind::kNumber &&
      gpus->tests[0].number == 0 && no_accelerator(kOthers)) {
    return "never matches: machines with the accelerator `gpu` have GPUs";
  }
  return std::nullopt;
}

// Whether whatever passes the first passes the second.
bool implies(const Condition& first, const Condition& second) {
  return std::ranges::all_of(first.tests, [&second](const Test& test) {
    return std::ranges::find(second.tests, test) != second.tests.end();
  });
}

// Whether the exemption exempts whatever matches.
bool exempts(const Conjunction& match, const Conjunction& unless) {
  return std::ranges::all_of(unless.parts, [&match](const Part& part) {
    return std::ranges::all_of(part.conditions, [&](const Condition& condition) {
      const Condition* same = match.find(part.group, condition.path);
      return same != nullptr && implies(*same, condition);
    });
  });
}

}  // namespace

std::vector<Remark> contradictions(const Policy& policy) {
  std::vector<Remark> out;
  for (std::size_t i = 0; i < policy.rules().size(); ++i) {
    const Rule& rule = policy.rules()[i];
    for (std::size_t n = 0; n < rule.match.any.size(); ++n) {
      const Conjunction& match = rule.match.any[n];
      std::optional<std::string_view> why = contradiction(match);
      const bool exempted = rule.any_exemption(
          [&match](const Conjunction& unless) { return exempts(match, unless); });
      // What calls is an alarm of a job that trains (W4).
      const bool runs = refuses_ended(match) || match.looks_into(Group::kAlarm);
      if (!why && rule.has(ActionKind::kRelease) && runs)
        why = "releases nothing: only a job that has ended leaves a warm pool";
      if (!why && exempted) why = "never holds: `unless` exempts whatever matches";
      if (!why) continue;
      const std::string alternative =
          rule.match.any.size() == 1 ? "" : fmt::format("alternative {} ", n + 1);
      out.push_back(remark(policy, i, fmt::format("{}{}", alternative, *why)));
    }
  }
  return out;
}

std::vector<Remark> warnings_of(const Policy& policy) {
  std::vector<Remark> out(policy.warnings().begin(), policy.warnings().end());
  for (const auto& more : {contradictions(policy), unheard_alarms(policy), cost_doubts(policy)})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace trainwarden::rules
