// One history of a job under a policy: events and sweeps are delivered to the functions in some
// order, and a function may die at any call.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/handle/handle_job.h"
#include "handlers/actions/sweep/sweep.h"
#include "handlers/rules/state/job_item.h"
#include "tests/support/aws/in_process_aws.h"

namespace trainwarden::testing {

inline constexpr const char* kJob = "train-7";

// rules: those of the policy. members: further ones of the policy, each with a comma after it.
rules::Policy policy(const std::string& rules, const std::string& mode = "enforce",
                     const std::string& members = "");

// A notice that people got.
struct SentNotice {
  std::string job;  // empty of what operators are told
  std::string rule;
  std::string outcome;
  std::string text;  // subject and message
};

class History {
 public:
  explicit History(const std::string& rules, const std::string& mode = "enforce",
                   const std::string& members = "")
      : History(std::nullopt, policy(rules, mode, members)) {}
  // policy: must last.
  explicit History(const rules::Policy& policy) : policy_(&policy) { configure(); }

  InProcessAws& aws() { return aws_; }
  ManualClock& clock() { return clock_; }
  const std::vector<std::string>& calls() const { return aws_.calls; }
  actions::Config& config() { return config_; }
  // Another policy is in force from now on.
  void enforce(const std::string& rules, const std::string& mode = "enforce");

  // The job in that state, with a checkpoint, running for two hours. more: further members of the
  // Describe document, each with a comma before it.
  void place(const std::string& status, const std::string& secondary, const std::string& more = "",
             const std::string& name = kJob);
  void transition(const std::string& secondary, const std::string& reason = "",
                  const std::string& name = kJob);

  // The event of a state that the job is or was in. nullopt where the function died.
  std::optional<actions::Record> deliver(const std::string& status, const std::string& secondary,
                                         const std::string& job = kJob);
  // As the state function does, or as the alarm function, which makes no copies.
  std::optional<actions::Record> handle(const rules::JobEvent& event, bool copies = true);
  std::optional<actions::SweepReport> sweep();
  // The next delivery or sweep is the last one's repetition by Lambda, which keeps the request id.
  void repeat() { repeats_ = true; }
  // A sweep every quarter of an hour.
  void sweep_on(int times);

  // What the function of one invocation has, through that transport and clock.
  std::optional<actions::Record> handle_with(http::Transport& transport, Clock& clock,
                                             const rules::JobEvent& event,
                                             const std::string& request, bool copies = true);
  std::optional<actions::SweepReport> sweep_with(http::Transport& transport, Clock& clock,
                                                 const std::string& request);
  rules::JobEvent event(const std::string& status, const std::string& secondary,
                        const std::string& job = kJob);

  // Whether a function did anything to a job: tagged it, stopped it, made it.
  bool acted() const;
  // The jobs that are copies of that job.
  std::vector<std::string> copies_of(const std::string& job) const;
  std::vector<SentNotice> notices() const;
  // How many notices of that outcome about that job.
  std::ptrdiff_t notices(std::string_view outcome, std::string_view job = kJob) const;
  // A person asks for it.
  void stop_by_hand(const std::string& job = kJob);
  // What the table holds of the job, as it is there now.
  rules::JobItem item(const std::string& job = kJob);
  bool is_due(const std::string& job = kJob) { return rules::due_since(item(job)).has_value(); }
  // The table's content, and the table with another content: as a restored one.
  std::string table() { return aws_.dynamodb().items_json(); }
  void restore(const std::string& content);

 private:
  History(std::nullopt_t, rules::Policy policy) : owned_(std::move(policy)), policy_(&*owned_) {
    configure();
  }
  void configure();
  std::string next_request();

  ManualClock clock_{sys_millis(std::chrono::milliseconds(1783000000000))};
  InProcessAws aws_{clock_, std::chrono::seconds(3)};  // how far the table's index lags behind
  std::optional<rules::Policy> owned_;
  const rules::Policy* policy_;
  actions::Config config_;
  int requests_ = 0;
  bool repeats_ = false;
};

// The result of the first decision's action of that kind; "-" where there is none.
std::string result_of(const actions::Record& record,
                      rules::ActionKind kind = rules::ActionKind::kRestart);
// What became of a restart that was begun earlier.
std::string end_of(const actions::Record& record);
std::string end_of(const std::optional<actions::Record>& record);

}  // namespace trainwarden::testing
