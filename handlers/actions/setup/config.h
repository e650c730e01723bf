// The functions' configuration from environment variables (policy.md P6), read once in main. A
// malformed value is an error that names the variable; nothing is guessed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "awsapi/dynamodb.h"
#include "handlers/rules/alarms/alarm_name.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/environment.h"
#include "runtime/base/result.h"

namespace trainwarden::actions {

struct Config {
  // TRAINWARDEN_MODE: no rule's mode is stronger (P3). Without a table it is observe.
  rules::Mode ceiling = rules::Mode::kEnforce;
  std::optional<aws::Table> table = {};  // TRAINWARDEN_TABLE, of AWS_REGION
  std::string policy_source;             // TRAINWARDEN_POLICY; empty: beside the bootstrap
  bool alarms = true;                    // TRAINWARDEN_ALARMS: on (default) or off
  std::string alarm_topic;               // TRAINWARDEN_ALARM_TOPIC; empty: any topic is accepted
  // TRAINWARDEN_ALARM_PREFIX: what the names of this stack's alarms begin with, and no other's.
  std::string alarm_prefix = std::string(rules::kAlarmPrefix);
  // TRAINWARDEN_SWEEP_SCHEDULE: how far apart sweeps are at most. A day if it does not tell: it is
  // `none`, or a cron expression that does not come every hour.
  std::chrono::seconds sweep_interval = std::chrono::minutes(15);
  std::string notify_topic;  // TRAINWARDEN_NOTIFY_TOPIC; empty: notices are only logged
  // TRAINWARDEN_PASS_ROLES: role ARNs, each of which may end with `*`; empty: any role.
  std::vector<std::string> pass_roles;
  // TRAINWARDEN_COPY_INSTANCE_TYPES: instance types with `*` and `?`; empty: any, and none at all.
  std::vector<std::string> copy_instance_types = {};
  // TRAINWARDEN_CHECKPOINT_BUCKETS: names, each of which may end with `*`; empty: any bucket.
  std::vector<std::string> checkpoint_buckets = {};

  // kInvalidConfig.
  static Result<Config> from(const Environment& environment);
};

}  // namespace trainwarden::actions
