#include "handlers/cli/test/case_facts.h"

#include <array>
#include <string_view>
#include <vector>

#include "handlers/rules/facts/groups.h"

namespace trainwarden::cli {
namespace {

using PathStep = rules::JsonPath::Step;

struct GivenGroup {
  std::string_view name;
  rules::Group group;
  rules::Source source;
  std::string_view optional;  // member that may be missing, as AWS may have none
};

constexpr std::array<GivenGroup, 3> kGivenGroups{
    {{"fleet", rules::Group::kFleet, rules::Source::kFleet, ""},
     {"logs", rules::Group::kLogs, rules::Source::kSilence, "silent_seconds"},
     {"checkpoint", rules::Group::kCheckpoint, rules::Source::kCheckpoint, "age_seconds"}}};

void check_fact(json::Value value, const rules::Fact& fact, rules::Reader& reader) {
  const PathStep step(reader.where, fact.name);
  if (fact.type == rules::LeafType::kBoolean) {
    if (!value.is_boolean()) reader.unexpected("true or false", value);
  } else if (!value.is_number() || value.as_number() < 0) {
    reader.unexpected("a number from 0 on", value);
  }
}

void add_group(json::Value value, const GivenGroup& given, rules::Sources& sources,
               rules::Reader& reader) {
  const PathStep step(reader.where, given.name);
  if (!reader.check_object(value, "facts")) return;
  std::vector<std::string_view> names;
  for (const rules::Fact& fact : rules::facts()) {
    if (fact.group != given.group) continue;
    names.push_back(fact.name);
    const auto member = value.find(fact.name);
    if (member)
      check_fact(*member, fact, reader);
    else if (fact.name != given.optional)
      reader.require(value, fact.name);
  }
  reader.check_members(value, names);
  if (given.source == rules::Source::kCheckpoint && sources.job() != nullptr &&
      sources.job()->checkpoint_uri.empty())
    reader.diagnostics.error(reader.where, "the job has no CheckpointConfig.S3Uri");
  sources.set(given.source, json::Document::build([&](json::Sink& sink) { sink.value(value); }));
}

}  // namespace

void add_case_facts(json::Value facts, rules::Sources& sources, rules::Reader& reader) {
  const PathStep step(reader.where, "facts");
  if (!reader.check_object(facts, "facts")) return;
  std::vector<std::string_view> names;
  for (const GivenGroup& given : kGivenGroups) {
    names.push_back(given.name);
    if (const auto value = facts.find(given.name)) add_group(*value, given, sources, reader);
  }
  reader.check_members(facts, names);
}

}  // namespace trainwarden::cli
