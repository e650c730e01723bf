// What jobs that are over have cost, and what a policy would have done to them: what a backtest
// finds and a report shows. Data only: totals.h adds them up, and the command line writes them.
// What is not known is absent, never 0, never a "no".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// What a stop would have been, in the light of how the job went on without it.
enum class StopVerdict : std::uint8_t {
  kRule,     // all that it rests on was fixed when the job was created: its money is never "kept"
  kWrong,    // it would have destroyed work
  kRight,    // nothing came after it but cost
  kUnknown,  // what came after it does not tell
};

// By what the verdict was found, in the order in which it is looked for.
enum class StopGround : std::uint8_t {
  kFixedAtCreation,  // kRule
  kCompleted,        // kWrong: the job completed
  kMetricCameBack,   // kWrong: the breach ended before the job did
  kBreachLasted,     // kRight: the breach lasted until the job's end
  kReachedLimit,     // kRight: the job ran into its own limit
  kFailedForGood,    // kRight: it failed for a reason whose verdict is `no`
  kFailed,           // kUnknown: it failed for another reason
  kStopped,          // kUnknown: somebody stopped it
  kRunsStill,        // kUnknown: it had not ended when the export was made
  kNotTold,          // kUnknown: what would tell is missing
};

// One stop (for good, or for a restart) that the policy would have made.
struct ReplayedStop {
  std::size_t rule = 0;    // its index in the policy
  std::string watch = {};  // of an alarm; else empty
  sys_seconds at = {};
  Trigger trigger = Trigger::kState;
  bool restarts = false;  // to run it again: it would have gone on as a copy
  StopVerdict verdict = StopVerdict::kUnknown;
  StopGround ground = StopGround::kNotTold;
  std::optional<double> before_usd = {};  // paid until then
  std::optional<double> after_usd = {};   // paid from then to the job's real end
  // From the first moment of what the rule found (a breach's first datapoint) to the stop; absent
  // where it is no trouble that begins.
  std::optional<std::chrono::seconds> noticed_after = {};
  bool rests_on_tags = false;  // which are today's, not those of that moment
  std::vector<Because> because = {};
};

// Something else that the policy would have done: told people, tagged, copied after a failure.
struct ReplayedAction {
  std::size_t rule = 0;
  ActionKind action = ActionKind::kNotify;
  sys_seconds at = {};
  bool behind = false;  // of a job that a stop by what it is had ended before (JobFinding::behind)
};

// A stop that would have been asked for, and a limit or guard holds back; or a rule that could not
// be decided on.
struct HeldBack {
  std::size_t rule = 0;
  sys_seconds at = {};
  Reason reason = {};
};
struct Undecidable {
  enum class Cause : std::uint8_t {
    kSkipped,        // errors
    kOtherPolicy,    // the export was made for another one, and left out what the rule names
    kNotExported,    // sources
    kMetricTooOld,   // watch: CloudWatch no longer kept its metric
    kMetricMissing,  // watch: the export does not have its metric
  };
  std::size_t rule = 0;
  Cause cause = Cause::kNotExported;
  SourceSet sources = {};
  std::vector<SourceError> errors = {};
  std::string watch = {};
};

// A metric of a job, for its picture: thinned to at most 400 values, the mean of all hosts.
struct Curve {
  std::string watch = {};
  std::string metric = {};
  std::int64_t period_seconds = 60;
  sys_seconds begin = {};
  std::vector<std::optional<double>> values = {};
};

struct JobFinding {
  std::string name = {};
  std::string arn = {};
  std::string owner = {};  // as notices find it, else whom another tag names; empty: no such tag
  std::string team = {};
  std::vector<std::pair<std::string, std::string>> tags = {};  // those that are not AWS's or ours
  std::string machines = {};  // "2 x ml.p5.48xlarge"; empty where it has none of its own
  double machine_count = 0;
  bool spot = false;
  JobStatus status = JobStatus::kUnknown;
  std::string state = {};  // "Failed/MaxRuntimeExceeded"
  sys_seconds created = {};
  std::optional<sys_seconds> trained_from = {};
  std::optional<sys_seconds> ended = {};   // absent: it ran when the export was made
  std::optional<double> paid_hours = {};   // of the job, not of each machine
  std::optional<double> usd = {};          // absent: a machine has no price
  bool usd_is_bound = false;               // an upper bound: no spot_factor
  std::optional<double> spot_saving = {};  // 1 - billable / training time, 0 … 1, of a spot job
  std::optional<double> interruptions = {};
  std::optional<int> generation = 0;  // 0: no copy; absent: its tags do not tell
  std::string parent = {};            // of a copy
  // What Trainwarden did to it in fact, by its tags, which prove nothing: "stop", "restart"; and
  // by which rule.
  std::string did = {};
  std::string did_rule = {};
  std::optional<Verdict> failure = {};  // of a failed job whose diagnosis is known
  std::string failure_evidence = {};

  // What the policy would have done; all empty without a policy.
  std::optional<ReplayedStop> stop = {};  // the first: after it nothing more happens to the job
  // The first stop that a rule asked for, whether or not a limit held it back.
  std::optional<ReplayedStop> asked = {};
  // A stop by what the job is comes before all else that the policy says of it, so that one wrong
  // rule would leave nothing to judge the others by. They are judged as if it had not come: the
  // first stop of each other rule, up to one that rests on what the job did.
  std::vector<ReplayedStop> behind = {};
  std::vector<ReplayedAction> actions = {};
  std::vector<HeldBack> held_back = {};
  std::vector<Undecidable> undecidable = {};
  std::vector<Curve> curves = {};  // of the costliest jobs only
};

struct RuleOfPolicy {
  std::string name = {};
  Mode mode = Mode::kObserve;  // as the file has it: the replay takes every rule as enforced
  bool stops = false;
  bool restarts = false;
  bool rests_on_tags = false;
};

// How far back the export can tell anything of a watch.
struct WatchCoverage {
  std::string watch = {};
  std::string metric = {};
  std::int64_t period_seconds = 60;
  int days = 0;              // for which CloudWatch keeps it, of the days asked for
  std::size_t judged = 0;    // jobs whose metric is there
  std::size_t not_kept = 0;  // too old
  std::size_t missing = 0;   // asked for in vain, or not part of the export
};

// A tag key that the policy names and no job of the export has, beside one that is spelt nearly so.
struct MissingKey {
  std::string key = {};
  // Those that name it, in the policy's order; an empty name is the policy's own `unless`.
  std::vector<std::string> rules = {};
  std::string near = {};
  std::size_t jobs = 0;  // that have `near`
};

struct Findings {
  std::string policy = {};  // the file's name; empty: a report without one
  std::string policy_hash = {};
  std::vector<RuleOfPolicy> rules = {};
  std::vector<WatchCoverage> watches = {};
  std::vector<MissingKey> missing_keys = {};
  sys_seconds since = {};
  sys_seconds until = {};
  std::string account = {};
  std::string region = {};
  std::optional<sys_seconds> prices_asked = {};  // AWS's list, of which day
  bool complete = true;                          // false: the export was cut
  std::size_t bad_lines = 0;                     // that are no line of an export
  std::vector<JobFinding> jobs = {};             // the oldest first
};

}  // namespace trainwarden::rules
