#include "handlers/actions/alarms.h"

#include <utility>

#include "handlers/actions/gather.h"
#include "handlers/rules/job_times.h"

namespace trainwarden::actions {
namespace {

bool is_ended(json::Value describe) {
  const auto status = rules::string_of(describe, "TrainingJobStatus");
  return status && rules::is_terminal(*status);
}

Result<bool> has_ended(const Subject& subject) {
  const auto known = subject.sources.known(rules::Source::kDescribe);
  if (known && is_ended(*known)) return true;
  const auto found =
      subject.apis.sagemaker.describe_training_job(subject.job.name, subject.apis.context);
  if (!found && found.error().code == ErrorCode::kNotFound) return true;
  if (!found) return fail(found.error());
  if (is_ended(found->root())) return true;
  // An end is final, and Describe may lag behind it; but a name may have a later job.
  const rules::JobEvent& event = subject.sources.event();
  return event.training_job_status && rules::is_terminal(*event.training_job_status) &&
         event.creation_time && same_creation(event, found->root());
}

}  // namespace

Result<void> each_alarm(
    const JobRef& job, const Apis& apis,
    const std::function<void(const rules::AlarmName& name, json::Value alarm)>& each) {
  return apis.cloudwatch.describe_alarms(
      {rules::alarm_prefix(job.name.view()), {}},
      [&](json::Value alarm) -> Result<bool> {
        const auto text = rules::string_of(alarm, "AlarmName");
        const auto name = text ? rules::AlarmName::parse(*text) : std::nullopt;
        if (name && name->job == job.name.view()) each(*name, alarm);
        return true;
      },
      apis.context);
}

Result<std::vector<std::string>> delete_alarms_of(const JobRef& job, const Apis& apis) {
  std::vector<std::string> names;
  CHECK_OK(each_alarm(job, apis, [&](const rules::AlarmName& name, json::Value /*alarm*/) {
    names.push_back(name.str());
  }));
  if (!names.empty()) CHECK_OK(apis.cloudwatch.delete_alarms(names, apis.context));
  return names;
}

AlarmChanges delete_alarms_of_ended(const Subject& subject, bool gone) {
  AlarmChanges changes;
  std::vector<std::string> names;
  const auto listed = each_alarm(
      subject.job, subject.apis,
      [&](const rules::AlarmName& name, json::Value /*alarm*/) { names.push_back(name.str()); });
  if (!listed) {
    changes.error = listed.error();
    return changes;
  }
  if (names.empty()) return changes;
  const auto ended = gone ? Result<bool>(true) : has_ended(subject);
  if (!ended) {
    changes.error = ended.error();
    return changes;
  }
  if (!*ended) return changes;
  const auto deleted = subject.apis.cloudwatch.delete_alarms(names, subject.apis.context);
  if (deleted)
    changes.deleted = std::move(names);
  else
    changes.error = deleted.error();
  return changes;
}

}  // namespace trainwarden::actions
