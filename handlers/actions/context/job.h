// A job under decision, and the clients and permissions with which actions reach AWS on its behalf.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "awsapi/cloudwatch.h"
#include "awsapi/dynamodb.h"
#include "awsapi/logs.h"
#include "awsapi/s3.h"
#include "awsapi/sagemaker.h"
#include "awsapi/service_quotas.h"
#include "awsapi/sns.h"
#include "handlers/actions/setup/config.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"

namespace trainwarden::actions {

struct JobRef {
  aws::JobName name;
  std::string arn;  // before Describe; empty: not known. Describe's counts more
};

struct ActionOutcome;
struct AlarmChanges;
struct Apis;
struct Copied;
struct PendingCopy;
struct Subject;

// What only the state function may do. The alarm function has neither this code nor the
// permissions, and leaves such actions to the state function.
struct Powers {
  using Act = ActionOutcome (*)(const Subject& subject, const rules::Decision& decision,
                                const rules::Action& action);
  using Clear = AlarmChanges (*)(const Subject& subject, bool gone);
  using Delete = Result<void> (*)(std::span<const std::string> names, const Apis& apis);
  using Copy = Result<Copied> (*)(const PendingCopy& pending, const Subject& subject);
  Act watch = nullptr;           // creates alarms
  Act release = nullptr;         // releases warm pools (release.h)
  Clear clear_alarms = nullptr;  // of a job that has ended
  Copy copy = nullptr;           // creates jobs and passes their roles (copy.h)
  Delete delete_alarms = nullptr;
};

// What a sweep knows of alarms, and when it puts them. Its one listing of all alarms replaces a
// listing for each job. It puts alarms after stops and copies, no faster than CloudWatch accepts
// them.
struct SweepAlarmView {
  std::function<bool(std::string_view job)> listed;       // whether all of the job's were
  std::function<bool(std::string_view job)> in_alarm;     // whether one of the job's is
  std::function<bool(std::string_view alarm)> named;      // of those that were listed
  std::function<bool(std::uint64_t fingerprint)> stands;  // of those that were listed
  // Waits until the next alarm may be put. False if none may; alarms that were not put are left to
  // the next sweep.
  std::function<bool()> wait_to_put;
};

// Everything that acts or asks goes through here; one per invocation.
struct Apis {
  // request: the id of the invocation, which Lambda's retries keep. account: the function's own,
  // for sweeps, which no event tells of a job.
  Apis(aws::Client& client, Clock& the_clock, const aws::CallContext& the_context,
       const Config& the_config, const Powers& the_powers = {}, std::string_view the_request = {},
       std::string_view the_account = {})
      : sagemaker(client),
        cloudwatch(client),
        sns(client),
        logs(client),
        s3(client),
        quotas(client),
        clock(the_clock),
        context(the_context),
        config(the_config),
        powers(the_powers),
        request(the_request),
        account(the_account) {
    if (config.table) table.emplace(client, *config.table);
    context.reads = &reads;
  }
  Apis(const Apis&) = delete;
  Apis& operator=(const Apis&) = delete;
  ~Apis() = default;

  aws::SageMaker sagemaker;
  aws::CloudWatch cloudwatch;
  aws::Sns sns;
  aws::Logs logs;
  aws::S3 s3;
  aws::ServiceQuotas quotas;
  Clock& clock;
  mutable aws::ReadBudget reads;
  aws::CallContext context;
  const Config& config;
  Powers powers;
  std::string request;
  std::string account;                 // empty if not known
  std::optional<aws::DynamoDb> table;  // the state table; without it nothing may be done
  // Items as this invocation last wrote or read them, by id. Only a base for the next write, which
  // fails if somebody else wrote since. nullopt: there was no item.
  mutable std::map<std::string, std::optional<aws::Item>, std::less<>> last_items = {};

  mutable const SweepAlarmView* sweep_alarms = nullptr;  // of a sweep

  // The names of tuners by ARN, as found by this invocation.
  mutable std::map<std::string, std::string, std::less<>> tuner_names = {};

  // What is read from now on is read for another job, or for another look at it: within bounds of
  // its own.
  void begin_look() const { reads.begin(context.deadline.left(clock.steady_now())); }

  // By the services' clock, which counts for what is remembered and for a job's age and end.
  sys_millis service_now() const { return by_service(clock.now()); }
  sys_seconds now() const { return std::chrono::floor<std::chrono::seconds>(service_now()); }
  sys_millis by_service(sys_millis ours) const { return ours + sagemaker.client().skew(); }
};

struct ActivePolicy {
  const rules::Policy& policy;
  rules::Mode ceiling;

  // The weaker of the two. It counts for what is of no single rule (P3): who is told, and copies
  // that wait for their turn.
  rules::Mode mode() const { return std::min(policy.mode(), ceiling); }
  // Whether any rule is enforced: without one nothing is written but what was told.
  bool enforces() const {
    return std::ranges::any_of(policy.rules(), [this](const rules::Rule& rule) {
      return effective_mode(policy, rule, ceiling) == rules::Mode::kEnforce;
    });
  }
};

// The job under decision, and everything that an action may look at.
struct Subject {
  const ActivePolicy& rules;
  const JobRef& job;
  const rules::Sources& sources;  // what was decided on; sources.event() is the trigger
  const Apis& apis;
  // A sweep continues a restart that was requested at the job's end (rules/state/queue_item.h).
  bool queued = false;
};

}  // namespace trainwarden::actions
