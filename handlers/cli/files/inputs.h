// The files that `explain` reads: an event as Lambda gets it, and AWS's answers about its job.
#pragma once

#include <string>
#include <string_view>

#include "handlers/rules/facts/source.h"
#include "handlers/rules/job/training_job.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// Reads the file of that name, or standard input for `-`.
Result<std::string> read_file_or_input(const std::string& path);

// Reads the value of an option: the file of that name, or standard input for `-`. A value that
// begins like JSON is the text itself.
Result<std::string> read_argument(const std::string& argument);

// What a text that is not JSON looks like, and what to do: "; this looks like YAML …". Empty where
// that cannot be told.
std::string_view what_it_looks_like(std::string_view text);

// Parses a "SageMaker Training Job State Change" event of EventBridge, or an SNS event with one
// alarm message. kInvalidInput, naming the member.
Result<rules::JobEvent> read_event(std::string_view text);

// Parses DescribeTrainingJob's answer, an object.
Result<json::Document> read_job(std::string_view text);

// Parses tags: {"key": "value"}, ListTags's answer ({"Tags": [{"Key", "Value"}]}), or its list
// alone. Returns them in the first form.
Result<json::Document> read_tags(std::string_view text);

// Turns the end of a job's log, as text, into the document of Source::kLogs.
Result<json::Document> read_logs(std::string_view text);

// Parses {"spot_timeouts_24h": 3}: members of the group `fleet`, each a number; those that are not
// given count as 0. Returns the document of Source::kFleet.
Result<json::Document> read_fleet(std::string_view text);

// RFC 3339 or epoch seconds.
Result<sys_seconds> read_now(std::string_view text);

// The state change event that would have brought the job into the state that its description shows.
rules::JobEvent event_of_job(const rules::TrainingJob& job);

}  // namespace trainwarden::cli
