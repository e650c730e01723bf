#include "handlers/rules/job/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "handlers/rules/job/members.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

// The names of one kind's members.
struct TunerMembers {
  std::string_view list;
  std::string_view name;
  std::string_view arn;
  std::string_view status;
};

TunerMembers members_of(TunerKind kind) {
  if (kind == TunerKind::kAutoMlJob)
    return {"AutoMLJobSummaries", "AutoMLJobName", "AutoMLJobArn", "AutoMLJobStatus"};
  return {"HyperParameterTuningJobSummaries", "HyperParameterTuningJobName",
          "HyperParameterTuningJobArn", "HyperParameterTuningJobStatus"};
}

Tuner::State tuner_state(std::string_view status) {
  using State = Tuner::State;
  static constexpr std::array<std::pair<std::string_view, State>, 6> kStates = {
      {{"Stopping", State::kStopping},
       {"Stopped", State::kStopped},
       {"Completed", State::kCompleted},
       {"Failed", State::kFailed},
       {"Deleting", State::kFailed},
       {"DeleteFailed", State::kFailed}}};
  return named(kStates, status, State::kRuns);
}

std::unexpected<Error> without(std::string_view member) {
  return fail(ErrorCode::kBadResponse, fmt::format("`{}`: expected one, found none", member));
}

Result<Tuner> read_one(TunerKind kind, json::Value answer) {
  const TunerMembers members = members_of(kind);
  const auto text = [&](std::string_view member) {
    return std::string(string_of(answer, member).value_or(""));
  };
  Tuner out{.kind = kind,
            .name = text(members.name),
            .arn = text(members.arn),
            .status = text(members.status)};
  if (out.name.empty()) return without(members.name);
  if (out.arn.empty()) return without(members.arn);
  if (out.status.empty()) return without(members.status);
  out.state = tuner_state(out.status);
  const auto created = number_of(answer, "CreationTime");
  constexpr double kLatest = 253'402'300'799.0;  // the year 9999
  if (!created || *created < 0 || *created > kLatest) return without("CreationTime");
  out.created = sys_millis(std::chrono::milliseconds(std::llround(*created * 1000)));
  out.changed = time_of(answer, "LastModifiedTime");
  if (const auto counters = answer.find_present("TrainingJobStatusCounters"))
    if (const auto running = number_of(*counters, "InProgress"))
      out.running = static_cast<std::int64_t>(std::clamp(*running, 0.0, 1e6));
  return out;
}

}  // namespace

std::string_view name(TunerKind kind) {
  return kind == TunerKind::kAutoMlJob ? "AutoML job" : "tuning job";
}

std::optional<TunerRef> tuner_of(const TrainingJob& job) {
  if (!job.auto_ml_job_arn.empty())
    return TunerRef{TunerKind::kAutoMlJob, std::string(job.auto_ml_job_arn)};
  if (!job.tuning_job_arn.empty())
    return TunerRef{TunerKind::kTuningJob, std::string(job.tuning_job_arn)};
  return std::nullopt;
}

std::string_view name_in(std::string_view arn) { return arn.substr(arn.rfind('/') + 1); }

bool is_same_arn(std::string_view a, std::string_view b) { return equal_ignoring_case(a, b); }

Result<std::vector<Tuner>> read_tuners(TunerKind kind, json::Value page) {
  const std::string_view list = members_of(kind).list;
  const auto found = page.find_present(list);
  if (!found || !found->is_array()) return without(list);
  std::vector<Tuner> out;
  for (const json::Value one : found->elements()) {
    TRY(Tuner tuner, read_one(kind, one));
    out.push_back(std::move(tuner));
  }
  return out;
}

Result<Tuner> read_tuning_job(json::Value describe) {
  TRY(Tuner out, read_one(TunerKind::kTuningJob, describe));
  if (const auto several = describe.find_present("TrainingJobDefinitions");
      several && several->size() > 0)
    out.definitions = static_cast<std::int64_t>(several->size());
  else if (describe.find_present("TrainingJobDefinition"))
    out.definitions = 1;
  return out;
}

}  // namespace trainwarden::rules
