// One training job: what CreateTrainingJob (or the control endpoint) gave, its tags and its
// machine.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/json/json.h"
#include "tests/localaws/job_machine.h"

namespace trainwarden::localaws {

// In the order in which they were added, as ListTags gives them.
using Tags = std::vector<std::pair<std::string, std::string>>;

void put_tag(Tags& tags, std::string_view key, std::string_view value);

struct Job {
  std::string name;
  std::string arn;
  json::Document document;  // the request, or the placed Describe document
  Tags tags;
  JobMachine machine;
};

// A value of CreateTrainingJob's or Describe's "Tags": a list of Key and Value, or a map.
Tags tags_from(json::Value value);

// An instant as AWS's documents write it: epoch seconds or milliseconds, a number or digits in a
// string, or RFC 3339 with "T" or a space.
Result<sys_millis> instant_from(json::Value value, std::string_view where);

// The job as a placed Describe document says it: state, times and transitions are taken as they
// are; what is missing is InProgress/Training, created now.
Result<Job> placed_job(std::string_view name, std::string arn, json::Document document,
                       sys_millis now);

}  // namespace trainwarden::localaws
