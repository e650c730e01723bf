// Amazon SageMaker, as far as training jobs and their tags go: the jobs of one account and region.
// Single-threaded; the caller holds the lock. Every change of a job's state is told to the
// listener, at once and in order, as EventBridge would be.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/json/json.h"
#include "tests/localaws/sagemaker/emulated_job.h"
#include "tests/localaws/sagemaker/job_history.h"
#include "tests/localaws/sagemaker/tuners.h"
#include "tests/localaws/service/aws_error.h"
#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

class SageMaker final : public Service {
 public:
  using Listener = std::function<void(const Job&)>;

  // search_lag: Search sees the jobs, and their tags, as they were so long ago.
  SageMaker(std::string region, std::string account, Listener changed,
            std::chrono::milliseconds search_lag = {});

  Answer<std::string> call(std::string_view operation, json::Value input, sys_millis now) override;

  // Lets time pass for all jobs.
  void advance(sys_millis now);

  // Control: a job as a Describe document says it, in place of a namesake. Tells nobody.
  Result<void> place(std::string_view name, std::string_view document, sys_millis now);
  // Control: any transition. kNotFound where there is no such job.
  Result<void> transition(std::string_view name, JobMachine::Forced forced, sys_millis at,
                          sys_millis now);
  // Control: a tuning or AutoML job as a document says it: its status, ARN and CreationTime, and
  // what Describe gives back; missing: InProgress, by its name, now. It launches nothing by itself.
  Result<void> place_tuner(TunerType type, std::string_view name, std::string_view document,
                           sys_millis now);
  const Tuner* find_tuner(TunerType type, std::string_view name) const;
  const Job* find(std::string_view name) const;
  std::size_t size() const { return jobs_.size(); }
  void clear();
  // From now on Search refuses a NextToken with other MaxResults than it was given for.
  void fix_pages() { fixed_pages_ = true; }

 private:
  Answer<std::string> create(json::Value input, sys_millis now);
  Answer<std::string> describe(json::Value input) const;
  Answer<std::string> stop(json::Value input, sys_millis now);
  Answer<std::string> update(json::Value input, sys_millis now);
  Answer<std::string> list_jobs(json::Value input) const;
  Answer<std::string> list_tags(json::Value input) const;
  Answer<std::string> add_tags(json::Value input, sys_millis now);
  Answer<std::string> delete_tags(json::Value input, sys_millis now);
  Answer<std::string> delete_job(json::Value input, sys_millis now);
  Answer<std::string> search(json::Value input, sys_millis now);
  // sagemaker_tuners.cc
  Answer<std::string> call_tuner(std::string_view operation, json::Value input, sys_millis now);
  Answer<std::string> create_tuner(json::Value input, sys_millis now);
  Answer<std::string> stop_tuner(Tuner& tuner, sys_millis now);
  void advance(Tuner& tuner, sys_millis now);
  void launch(Tuner& tuner, sys_millis now);
  Answer<Tuner*> named_tuner(TunerType type, std::string_view name);

  void tell(Job& job, sys_millis now);  // of a change of state
  std::string arn_of(std::string_view name) const;
  // The job of a "TrainingJobName" or "ResourceArn" member; "Requested resource not found."
  Answer<const Job*> named(json::Value input) const;
  Answer<const Job*> tagged(json::Value input) const;

  std::string region_;
  std::string account_;
  Listener changed_;
  std::map<std::string, Job, std::less<>> jobs_;
  std::map<std::pair<TunerType, std::string>, Tuner> tuners_;
  JobHistory history_;
  bool fixed_pages_ = false;
  sys_millis next_step_ = sys_millis::max();  // no job moves by itself before
};

// What the service model cannot say: members that exclude or need each other (CreateTrainingJob).
Answer<void> check_create(json::Value input);

}  // namespace trainwarden::localaws
