// What a notice says of the job itself: its owner, where it runs, what it costs. What is not known
// is left out, never guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/facts/source.h"
#include "handlers/rules/job/prices.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/policy/until_bounds.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

struct NoticeJob {
  std::string name;
  std::string arn;  // empty: not known; so are account, region and console then
  JobStatus job_status = JobStatus::kUnknown;
  std::string status_text;  // TrainingJobStatus, also one that AWS added since
  std::string status;       // for people: "InProgress/Training", or the first part alone
  std::string account;
  std::string region;
  std::string console;   // a link; empty in partitions whose console we do not know
  std::string machines;  // "8 x ml.p4d.24xlarge"
  std::string team;      // the tag `team`, in any case of its letters
  // The value of the tag that the policy's notify.owner_tag names, else of `owner` (A8), in any
  // case of the key's letters; empty where the job has neither.
  std::string owner = {};
  // Tags that name people: owner, user, username, creator, created_by, email, contact, and the
  // policy's owner_tag; of several spellings of one, the first.
  std::vector<std::pair<std::string, std::string>> people;
  std::optional<std::int64_t> generation = 0;  // 0: not a copy; nullopt: its tags do not tell
  std::string role = {};                       // its RoleArn
  std::string tuning_job;                      // the name of the tuning job that made it
  bool has_tuner = false;                      // a tuning or AutoML job launched it
  // Which rule stopped it or had it restarted, when, why: what the table remembers, by the caller.
  std::string acted_rule;
  std::string acted_at;
  std::string acted_reason;
  // Whom to ask about the policy, and another rule that asks, in the same event, for the job's stop
  // or restart: by the caller.
  std::string contact = {};
  std::string other_rule = {};
  // The tags by which its owner may keep it from that rule for a while (F15), also by the caller,
  // and when the job was looked at.
  std::vector<Extension> extensions = {};
  sys_seconds seen_at = {};
  // Absent without a price for all its machines. Of a spot job whose machines lack a spot_factor
  // they are upper bounds.
  std::optional<double> usd_per_hour;
  std::optional<double> spent_usd;
  bool rate_is_bound = false;
  bool spent_is_bound = false;
  // What managed spot training saved so far, 0 to 1, where SageMaker has told it.
  std::optional<double> spot_saved = {};
  // What it could still have cost up to its MaxRuntime: usd_per_hour times what is left of it, less
  // what a warm pool may cost that is kept after a stop.
  std::optional<double> avoided_usd;
  // What a warm pool may cost that is kept from now, or from the job's end on; absent without one.
  std::optional<double> pool_usd = {};
};

// arn: as far as known before Describe, whose own counts more.
NoticeJob notice_job(std::string_view name, std::string_view arn, const Sources& sources,
                     const Prices& prices, sys_seconds now, std::string_view owner_tag = {});

}  // namespace trainwarden::rules
