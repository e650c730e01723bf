// One training job: what CreateTrainingJob (or the control endpoint) gave, its tags and its
// machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/json/json.h"
#include "tests/localaws/sagemaker/job_machine.h"

namespace trainwarden::localaws {

// In the order in which they were added, as ListTags gives them.
using Tags = std::vector<std::pair<std::string, std::string>>;

void put_tag(Tags& tags, std::string_view key, std::string_view value);

struct WarmPool {
  std::string status;                         // Available, Terminated, Reused or InUse
  std::optional<sys_millis> since = {};       // kept from then on
  std::optional<std::int64_t> retained = {};  // seconds
  std::string reused_by = {};
};

struct Job {
  std::string name;
  std::string arn;
  json::Document document;  // the request, or the placed Describe document
  Tags tags;
  JobMachine machine;
  bool placed = false;  // by the control endpoint: document is Describe's answer, not a request
  std::optional<WarmPool> pool = {};            // since it is not what the document says
  std::optional<std::int64_t> keep_alive = {};  // seconds; likewise
};

// A value of CreateTrainingJob's or Describe's "Tags": a list of Key and Value, or a map.
Tags tags_from(json::Value value);

// An instant as AWS's documents write it: epoch seconds or milliseconds, a number or digits in a
// string, or RFC 3339 with "T" or a space.
Result<sys_millis> instant_from(json::Value value, std::string_view where);
// Whether instant_from reads the value as epoch seconds, as Describe gives times.
bool is_epoch_seconds(json::Value value);

// The job as a placed Describe document says it: state, times, transitions and ARN are taken as
// they are; what is missing is InProgress/Training, created now, and `arn`. Tags are a list of Key
// and Value, or a map of strings; anything else is an error.
Result<Job> placed_job(std::string_view name, std::string_view arn, json::Document document,
                       sys_millis now);

}  // namespace trainwarden::localaws
