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
  // An end is final, and Describe may lag behind it; but a name may have a later job.
  const rules::JobEvent& event = subject.sources.event();
  return event.training_job_status && rules::is_terminal(*event.training_job_status) &&
         event.creation_time && same_creation(event, job);
}

}  // namespace

Result<void> each_alarm(
    const JobRef& job, const Apis& apis,
    const std::function<void(const rules::AlarmName& name, json::Value alarm)>& each) {
  return apis.cloudwatch.describe_alarms(
      {rules::alarm_prefix(job.name.view()), {}},
      [&](json::Value alarm) -> Result<bool> {
        const auto name = rules::read_alarm(alarm).name;
        if (name && name->job == job.name.view()) each(*name, alarm);
        return true;
      },
      apis.context);
}

Result<std::vector<std::string>> delete_alarms_of(const JobRef& job, const Apis& apis) {
  TRY(std::vector<std::string> names, names_of_alarms(job, apis));
  if (!names.empty()) CHECK_OK(apis.cloudwatch.delete_alarms(names, apis.context));
  return names;
}

AlarmChanges delete_alarms_of_ended(const Subject& subject, bool gone,
                                    std::optional<std::vector<std::string>> listed) {
  AlarmChanges changes;
  auto names = listed ? Result<std::vector<std::string>>(*std::move(listed))
                      : names_of_alarms(subject.job, subject.apis);
  if (!names) {
    changes.error = names.error();
    return changes;
  }
  if (names->empty()) return changes;
  const auto ended = gone ? Result<bool>(true) : has_ended(subject);
  if (!ended) {
    changes.error = ended.error();
    return changes;
  }
  if (!*ended) return changes;
  const auto deleted = subject.apis.cloudwatch.delete_alarms(*names, subject.apis.context);
  if (deleted)
    changes.deleted = *std::move(names);
  else
    changes.error = deleted.error();
  return changes;
}

}  // namespace trainwarden::actions
