#include "handlers/rules/job/job_tags.h"

#include <algorithm>
#include <array>

#include "handlers/rules/job/members.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

struct Row {
  std::string_view key;
  JobTags::Tag JobTags::* tag;
};

constexpr std::array<Row, 8> kOurs = {{{kRootTag, &JobTags::root},
                                       {kParentTag, &JobTags::parent},
                                       {kGenerationTag, &JobTags::generation},
                                       {kChildTag, &JobTags::child},
                                       {kActionTag, &JobTags::action},
                                       {kRuleTag, &JobTags::rule},
                                       {kReasonTag, &JobTags::reason},
                                       {kAtTag, &JobTags::at}}};

}  // namespace

std::string_view team_of(json::Value tags) {
  constexpr std::string_view kTeam = "team";
  for (const json::Member tag : tags.members()) {
    if (!tag.value.is_string() || !equal_ignoring_case(tag.name, kTeam)) continue;
    const std::string_view value = tag.value.as_string();
    if (value.find_first_not_of(' ') != std::string_view::npos) return value;
  }
  return {};
}

JobTags read_job_tags(json::Value tags) {
  JobTags out;
  for (const json::Member member : tags.members()) {
    if (!member.value.is_string()) continue;
    const auto* const row = std::ranges::find(kOurs, member.name, &Row::key);
    if (row != kOurs.end()) out.*(row->tag) = member.value.as_string();
    if (member.name == kPipelineTag) out.pipeline = member.value.as_string();
    if (member.name == kManagedByTag) out.managed_by = member.value.as_string();
    if (member.name == kExecutionTag) out.execution = member.value.as_string();
  }
  return out;
}

bool is_pipeline_step(const JobTags& tags) { return !tags.pipeline.value_or("").empty(); }

bool is_state_machine_task(const JobTags& tags) {
  return tags.managed_by == kByStepFunctions || !tags.execution.value_or("").empty();
}

bool is_our_tag(std::string_view key) { return key.starts_with(kOurPrefix); }

bool is_aws_tag(std::string_view key) { return begins_ignoring_case(key, "aws:"); }

json::Document search_tags(json::Value training_job) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    if (const auto tags = training_job.find_present("Tags")) {
      for (const json::Value tag : tags->elements()) {
        const auto key = string_of(tag, "Key");
        if (key) sink.member(*key, string_of(tag, "Value").value_or(""));
      }
    }
    sink.end_object();
  });
}

}  // namespace trainwarden::rules
