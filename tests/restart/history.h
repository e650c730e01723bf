// One history of a job under a policy: events and sweeps are delivered to a function in some order,
// and the function may die at any call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "handlers/actions/handle/handle_job.h"
#include "handlers/actions/restart/copy.h"
#include "handlers/actions/restart/restart.h"
#include "tests/support/aws/in_process_aws.h"

namespace trainwarden::testing {

inline constexpr const char* kJob = "train-7";

// rules: those of the policy.
rules::Policy policy(const std::string& rules, const std::string& mode);
inline rules::Policy enforcing(const std::string& rules) { return policy(rules, "enforce"); }

class History {
 public:
  explicit History(const std::string& rules, const std::string& mode = "enforce")
      : owned_(policy(rules, mode)), policy_(*owned_) {}
  explicit History(const rules::Policy& policy) : policy_(policy) {}

  InProcessAws& aws() { return aws_; }
  ManualClock& clock() { return clock_; }
  actions::Config& config() { return config_; }

  // The job in that state, with a checkpoint, running for two hours. more: further members of the
  // Describe document, each with a comma before it.
  void place(const std::string& status, const std::string& secondary, const std::string& more = "",
             const std::string& name = kJob);
  void transition(const std::string& secondary, const std::string& reason = "",
                  const std::string& name = kJob);

  // The event of a state that the job is or was in. nullopt where the function died.
  std::optional<actions::Record> deliver(const std::string& status, const std::string& secondary,
                                         const std::string& job = kJob);
  // What a sweep does: every job that runs, and every job that ended within the last 26 hours.
  // False where the function died.
  bool sweep();

  // As the state function does, or as the alarm function, which makes no copies.
  std::optional<actions::Record> handle(const rules::JobEvent& event, bool copies = true);

  // A person's command.
  actions::ActionOutcome restart_by_hand(const rules::Restart& options = {});

  // The jobs that are copies of that job.
  std::vector<std::string> copies_of(const std::string& job);

 private:
  aws::Client client();

  ManualClock clock_{sys_millis(std::chrono::milliseconds(1783000000000))};
  InProcessAws aws_{clock_};
  std::optional<rules::Policy> owned_;
  const rules::Policy& policy_;
  actions::Config config_;
};

// The result of the first decision's action of that kind; "-" where there is none.
std::string result_of(const actions::Record& record,
                      rules::ActionKind kind = rules::ActionKind::kRestart);
std::string intent_of(const actions::Record& record);

}  // namespace trainwarden::testing
