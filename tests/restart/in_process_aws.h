// localaws's training jobs and DynamoDB table behind a Transport: what a function does to AWS,
// without a process or a socket between them, and by a clock of the test's own. A call can be the
// function's last: before or after it took effect. Every call is checked for what must never be.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/http/transport.h"
#include "tests/localaws/dynamodb/dynamodb.h"
#include "tests/localaws/sagemaker/sagemaker.h"
#include "tests/support/manual_clock.h"

namespace trainwarden::testing {

// The function died; thrown through everything it was doing.
struct Killed {};

struct Death {
  int call = -1;       // counted from 0 over the whole history; -1: none
  bool after = false;  // the call's effect
};

struct EventTold {
  std::string job;
  std::string status;
  std::string secondary;
  sys_millis created;

  bool operator==(const EventTold&) const = default;
};

class InProcessAws final : public http::Transport {
 public:
  explicit InProcessAws(ManualClock& clock, std::chrono::milliseconds index_lag = {})
      : clock_(clock),
        sagemaker_("eu-central-1", "111122223333",
                   [this](const localaws::Job& job) {
                     const auto& state = job.machine.state();
                     events.push_back({job.name, state.status, state.secondary, state.created});
                   }),
        dynamodb_("eu-central-1", "111122223333", index_lag) {}

  localaws::SageMaker& sagemaker() { return sagemaker_; }
  localaws::DynamoDb& dynamodb() { return dynamodb_; }
  const localaws::Job* find(std::string_view name) const { return sagemaker_.find(name); }
  std::string tag(std::string_view job, std::string_view key) const;
  // Written by somebody else; false where there is no room.
  bool tag_job(std::string_view job, std::string_view key, std::string_view value);
  // Of those jobs that were created by a function.
  const std::vector<std::string>& created() const { return created_; }

  void pass(std::chrono::milliseconds time) {
    clock_.sleep_for(time);
    sagemaker_.advance(clock_.now());
  }

  std::vector<Result<http::Response>> send(std::span<const http::Request> requests,
                                           Deadline deadline) override;

  std::vector<EventTold> events;             // every change of a job's state, in order
  std::vector<std::string> calls;            // operations, in order
  std::vector<std::string> bodies;           // beside them
  std::vector<std::string> wrong;            // what must never be, and was
  std::vector<std::string> create_requests;  // bodies of CreateTrainingJob that succeeded
  Death death;
  // Called before each call with its number: something else may happen meanwhile.
  std::function<void(int)> meanwhile;
  // Refusals by operation, each for as many calls as there are, oldest first.
  std::map<std::string, std::vector<localaws::AwsError>> refusals;
  // Operations whose answer is lost after their effect, as many times.
  std::map<std::string, int> lost_answers;

 private:
  Result<http::Response> answer(const http::Request& request);
  localaws::Answer<std::string> call(localaws::Service& service, const std::string& operation,
                                     json::Value input);
  void check(const std::string& operation, json::Value input);

  ManualClock& clock_;
  localaws::SageMaker sagemaker_;
  localaws::DynamoDb dynamodb_;
  std::vector<std::string> created_;
};

}  // namespace trainwarden::testing
