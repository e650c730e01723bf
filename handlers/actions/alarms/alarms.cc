#include "handlers/actions/alarms/alarms.h"

#include <utility>

#include "handlers/actions/fetch/gather.h"
#include "handlers/rules/alarms/described_alarm.h"

namespace trainwarden::actions {
namespace {

Result<std::vector<std::string>> names_of_alarms(const JobRef& job, const Apis& apis) {
  std::vector<std::string> names;
  CHECK_OK(each_alarm(job, apis, [&](const rules::AlarmName& name, json::Value /*alarm*/) {
    names.push_back(name.str());
  }));
  return names;
}

Result<bool> has_ended(const Subject& subject) {
  const rules::TrainingJob* const known = subject.sources.job();
  if (known != nullptr && known->has_ended()) return true;
  const auto found =
      subject.apis.sagemaker.describe_training_job(subject.job.name, subject.apis.context);
  if (!found && found.error().code == ErrorCode::kNotFound) return true;
  if (!found) return fail(found.error());
  const rules::TrainingJob job = rules::read_training_job(found->root());
  if (job.has_ended()) return true;
  // An end in an event is final even if Describe lags behind it, unless the name belongs to a later
  // job.
  const rules::JobEvent& event = subject.sources.event();
  return event.training_job_status && rules::is_terminal(*event.training_job_status) &&
         event.creation_time && same_creation(event, job);
}

AlarmChanges delete_these(std::vector<std::string> names, const Apis& apis) {
  AlarmChanges changes;
  if (names.empty()) return changes;
  const auto deleted = delete_alarms(names, apis);
  if (!deleted && deleted.error().code != ErrorCode::kThrottled)
    changes.error = deleted.error();
  else
    (deleted ? changes.deleted : changes.left) = std::move(names);
  return changes;
}

AlarmChanges not_listed(const Error& error, const JobRef& job, const Apis& apis) {
  if (!is_left_to_sweep(error)) return {.error = error};
  return {.left = {rules::alarm_prefix(job.name.view(), apis.config.alarm_prefix)}};
}

}  // namespace

bool is_left_to_sweep(const Error& error) {
  return error.code == ErrorCode::kThrottled || error.code == ErrorCode::kTooLarge;
}

Result<void> each_alarm(
    const JobRef& job, const Apis& apis,
    const std::function<void(const rules::AlarmName& name, json::Value alarm)>& each) {
  return apis.cloudwatch.describe_alarms(
      {rules::alarm_prefix(job.name.view(), apis.config.alarm_prefix), {}},
      [&](json::Value alarm) -> Result<bool> {
        const auto name = rules::read_alarm(alarm, apis.config.alarm_prefix).name;
        if (name && name->job == job.name.view()) each(*name, alarm);
        return true;
      },
      apis.context);
}

AlarmChanges delete_alarms_of(const JobRef& job, const Apis& apis) {
  auto names = names_of_alarms(job, apis);
  return names ? delete_these(*std::move(names), apis) : not_listed(names.error(), job, apis);
}

Result<void> delete_alarms(std::span<const std::string> names, const Apis& apis) {
  return apis.cloudwatch.delete_alarms(names, apis.context);
}

AlarmChanges delete_alarms_of_ended(const Subject& subject, bool gone) {
  const SweepAlarmView* const sweep_alarms = subject.apis.sweep_alarms;
  if (sweep_alarms != nullptr && sweep_alarms->listed(subject.job.name.view())) return {};
  auto names = names_of_alarms(subject.job, subject.apis);
  if (!names) return not_listed(names.error(), subject.job, subject.apis);
  if (names->empty()) return {};
  const auto ended = gone ? Result<bool>(true) : has_ended(subject);
  if (!ended) return {.error = ended.error()};
  return *ended ? delete_these(*std::move(names), subject.apis) : AlarmChanges();
}

}  // namespace trainwarden::actions
