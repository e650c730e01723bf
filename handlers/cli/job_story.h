// What became of one job, by what AWS tells of it now: how it ended, what Trainwarden did to it,
// why it failed, and how a person goes on. Its tags explain and prove nothing: whoever may tag the
// job can write them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "awsapi/dynamodb.h"
#include "handlers/actions/context/job.h"
#include "handlers/cli/page.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/failure/own_signature.h"
#include "handlers/rules/state/job_item.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

enum class EndOfStory : std::uint8_t {
  kRuns,
  kCompleted,
  kStoppedByRule,
  kStoppedToGoOn,    // to be run again
  kReachedItsLimit,  // MaxRuntime or MaxWaitTime
  kFailed,
  kStoppedBySomebody,
};

struct JobFailure {
  std::string label;
  std::string resume;
  std::string evidence;
};

struct JobStory {
  std::string job;
  std::string state;
  std::string machines;  // "2 x ml.p5.48xlarge"; empty where they are not known
  double paid_hours = 0;
  EndOfStory end = EndOfStory::kRuns;
  std::string rule = {};  // this and the next two by its tags, or by the table where that is read
  std::string reason = {};
  std::string at = {};
  std::string parent = {};
  std::string child = {};
  std::string failure_reason = {};
  std::optional<JobFailure> failure = {};
  std::string unread = {};  // what could not be read, and why; empty: nothing
  std::optional<rules::JobItem> item = {};
};

// Describe, the tags, and the end of the log where FailureReason does not tell why it failed.
// kNotFound: there is no such job. own: of the policy, before ours.
Result<rules::Sources> look_at_job(const aws::JobName& job,
                                   std::span<const rules::OwnSignature> own,
                                   const actions::Apis& apis);

// nullopt where it has not failed, or the log that would tell could not be read.
std::optional<JobFailure> failure_of(const rules::Sources& sources,
                                     std::span<const rules::OwnSignature> own, sys_seconds now);

JobStory story_of(const rules::Sources& sources, std::span<const rules::OwnSignature> own,
                  sys_seconds now);

// What the functions' table remembers of it, which counts more than tags: those that say what it
// does not know of are told as such. A table that cannot be read is told in `unread`.
void add_what_is_remembered(const rules::TrainingJob& job, const aws::Table& table,
                            const actions::Apis& apis, JobStory& story);

// The commands with which a person goes on. options: what they are to be given besides.
std::vector<std::string> ways_on(const JobStory& story, std::string_view options);

void print_story(const JobStory& story, std::string_view options, Page& page);
// Members of an object that is open.
void write_story(json::Sink& sink, const JobStory& story, std::string_view options);

}  // namespace trainwarden::cli
