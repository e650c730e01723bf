// What became of one job, from what AWS reports about it now: how it ended, what Trainwarden did to
// it, why it failed, and how the user can go on. Its tags explain but prove nothing: whoever may
// tag the job can write them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "awsapi/dynamodb.h"
#include "handlers/actions/context/job.h"
#include "handlers/cli/terminal/page.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/failure/own_signature.h"
#include "handlers/rules/state/job_item.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

enum class JobEnd : std::uint8_t {
  kRuns,
  kCompleted,
  kStoppedByRule,
  kStoppedToGoOn,    // so that it can be restarted
  kReachedItsLimit,  // MaxRuntime or MaxWaitTime
  kFailed,
  kStoppedBySomebody,
};

struct JobFailure {
  rules::Verdict verdict;
  std::string evidence;
};

struct JobStory {
  std::string job;
  std::string state;
  std::string machines;  // "2 x ml.p5.48xlarge"; empty where they are not known
  double paid_hours = 0;
  JobEnd end = JobEnd::kRuns;
  std::string rule = {};  // rule, reason, at: from the tags, or the table if it is read
  std::string reason = {};
  std::string at = {};
  std::string parent = {};
  std::string child = {};
  std::string failure_reason = {};
  std::optional<JobFailure> failure = {};
  std::string unread = {};  // what could not be read, and why; empty: nothing
  std::optional<rules::JobItem> item = {};
};

// Fetches the description, the tags and, where FailureReason does not tell why the job failed, the
// end of its log. kNotFound: there is no such job. own: the policy's signatures, which take
// precedence over the built-in ones.
Result<rules::Sources> look_at_job(const aws::JobName& job,
                                   std::span<const rules::OwnSignature> own,
                                   const actions::Apis& apis);

// nullopt if the job has not failed, or if the log that would tell why could not be read.
std::optional<JobFailure> failure_of(const rules::Sources& sources,
                                     std::span<const rules::OwnSignature> own);

JobStory story_of(const rules::Sources& sources, std::span<const rules::OwnSignature> own,
                  sys_seconds now);

// Adds what the functions' state table remembers of the job. It takes precedence over the tags: a
// claim in the tags that the table does not know of is marked as such. If the table cannot be read,
// `unread` says so.
void add_what_is_remembered(const rules::TrainingJob& job, const aws::Table& table,
                            const actions::Apis& apis, JobStory& story);

// The commands with which the user can go on. options: appended to each command.
std::vector<std::string> next_steps(const JobStory& story, std::string_view options);

void print_story(const JobStory& story, std::string_view options, Page& page);
// Writes the members into an open object.
void write_story(json::Sink& sink, const JobStory& story, std::string_view options);

}  // namespace trainwarden::cli
