// The JSON schema of policies (2020-12), for editors. It is generated from the tables that the
// policy loader uses: groups and facts, DescribeTrainingJob's members, operators, actions, members
// of watches and all else. Only regular expressions, descriptions and a few conditions between
// members are written by hand. handlers/policy.schema.json is the output.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::cli {

json::Document policy_schema();

// The output of `trainwarden schema`.
std::string policy_schema_text();

// Describes one part of the schema, such as `watch.metric` or `group.event`.
struct Description {
  std::string_view of;
  std::string_view text;
};

// Sorted by `of`.
std::span<const Description> schema_descriptions();
// Empty if there is none.
std::string_view schema_description(std::string_view kind, std::string_view name);

}  // namespace trainwarden::cli
