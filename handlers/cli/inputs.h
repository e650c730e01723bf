// The files that `explain` reads: an event as Lambda gets it, and what AWS would say of its job.
#pragma once

#include <string>
#include <string_view>

#include "handlers/rules/facts/source.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// What an option names: a file's text, standard input's where it is `-`; what begins as JSON does
// is the text itself.
Result<std::string> read_argument(const std::string& argument);

// A "SageMaker Training Job State Change" of EventBridge, or an SNS event with one alarm message.
// kInvalidInput, naming the member.
Result<rules::JobEvent> read_event(std::string_view text);

// DescribeTrainingJob's answer: an object.
Result<json::Document> read_job(std::string_view text);

// Tags as {"key": "value"}, as ListTags answers ({"Tags": [{"Key", "Value"}]}), or its list alone.
// The document is of the first form.
Result<json::Document> read_tags(std::string_view text);

// The end of a job's log, as text; the document of Source::kLogs.
Result<json::Document> read_logs(std::string_view text);

// {"spot_timeouts_24h": 3}: members of the group `fleet`, each a number; what is not given counts
// as 0. The document of Source::kFleet.
Result<json::Document> read_fleet(std::string_view text);

// RFC 3339 or epoch seconds.
Result<sys_seconds> read_now(std::string_view text);

}  // namespace trainwarden::cli
