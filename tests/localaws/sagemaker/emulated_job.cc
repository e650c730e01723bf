#include "tests/localaws/sagemaker/emulated_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace trainwarden::localaws {
namespace {

using json::Value;

// Numbers from here on are milliseconds; in seconds this is the year 5138.
constexpr double kMillisFrom = 1e11;

sys_millis from_number(double number) {
  const double millis = number >= kMillisFrom ? number : number * 1000;
  return sys_millis(std::chrono::milliseconds(std::llround(millis)));
}

Result<std::optional<sys_millis>> optional_instant(Value document, std::string_view name) {
  const auto found = document.find_present(name);
  if (!found) return std::nullopt;
  TRY(const sys_millis instant, instant_from(*found, name));
  return instant;
}

Result<std::string> text_or(Value document, std::string_view name, std::string_view otherwise) {
  const auto found = document.find_present(name);
  if (!found) return std::string(otherwise);
  TRY(const std::string_view text, found->string(name));
  return std::string(text);
}

Result<StatusTransition> transition_from(Value value) {
  constexpr std::string_view kWhere = "SecondaryStatusTransitions[]";
  CHECK_OK(value.object(kWhere));
  TRY(const std::string status, text_or(value, "Status", "Training"));
  TRY(const std::string message, text_or(value, "StatusMessage", ""));
  TRY(const Value start, value.member("StartTime", kWhere));
  TRY(const sys_millis began, instant_from(start, "SecondaryStatusTransitions[].StartTime"));
  TRY(const std::optional<sys_millis> end, optional_instant(value, "EndTime"));
  return StatusTransition{.status = status, .start = began, .end = end, .message = message};
}

Result<JobState> state_from(Value document, sys_millis now) {
  JobState state;
  TRY(state.secondary, text_or(document, "SecondaryStatus", "Training"));
  TRY(state.status, text_or(document, "TrainingJobStatus", status_of(state.secondary)));
  TRY(state.failure_reason, text_or(document, "FailureReason", ""));
  TRY(const std::optional<sys_millis> created, optional_instant(document, "CreationTime"));
  state.created = created.value_or(now);
  TRY(const std::optional<sys_millis> modified, optional_instant(document, "LastModifiedTime"));
  state.last_modified = modified.value_or(state.created);
  TRY(state.training_start, optional_instant(document, "TrainingStartTime"));
  TRY(state.training_end, optional_instant(document, "TrainingEndTime"));
  if (const auto transitions = document.find_present("SecondaryStatusTransitions")) {
    CHECK_OK(transitions->array("SecondaryStatusTransitions"));
    for (const Value element : transitions->elements()) {
      TRY(StatusTransition transition, transition_from(element));
      state.transitions.push_back(std::move(transition));
    }
  }
  return state;
}

// The tags that a person wrote: what tags_from would leave out is an error.
Result<Tags> checked_tags(Value value) {
  if (!value.is_array() && !value.is_object())
    return fail(ErrorCode::kInvalidInput,
                fmt::format("`Tags`: expected a list of Key and Value, or a map, found {}",
                            value.excerpt()));
  for (const json::Member member : value.members())
    CHECK_OK(member.value.string(fmt::format("Tags.{}", member.name)));
  for (const Value element : value.elements()) {
    for (const std::string_view name : {"Key", "Value"}) {
      TRY(const Value text, element.member(name, "Tags[]"));
      CHECK_OK(text.string(fmt::format("Tags[].{}", name)));
    }
  }
  return tags_from(value);
}

}  // namespace

void put_tag(Tags& tags, std::string_view key, std::string_view value) {
  const auto found =
      std::find_if(tags.begin(), tags.end(), [&](const auto& tag) { return tag.first == key; });
  if (found == tags.end())
    tags.emplace_back(key, value);
  else
    found->second = value;
}

Tags tags_from(Value value) {
  Tags out;
  for (const json::Member member : value.members())
    if (member.value.is_string()) put_tag(out, member.name, member.value.as_string());
  for (const Value element : value.elements()) {
    const auto key = element.find_present("Key");
    const auto text = element.find_present("Value");
    if (key && key->is_string())
      put_tag(out, key->as_string(), text && text->is_string() ? text->as_string() : "");
  }
  return out;
}

bool is_epoch_seconds(Value value) { return value.is_number() && value.as_number() < kMillisFrom; }

Result<sys_millis> instant_from(Value value, std::string_view where) {
  if (value.is_number()) return from_number(value.as_number());
  TRY(const std::string_view text, value.string(where));
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return from_number(number);
  std::string dated(text);
  if (dated.size() > 10 && dated[10] == ' ') dated[10] = 'T';
  auto parsed = parse_rfc3339(dated);
  if (!parsed) return fail(std::move(parsed).error().in(where));
  return sys_millis(*parsed);
}

Result<Job> placed_job(std::string_view name, std::string_view arn, json::Document document,
                       sys_millis now) {
  CHECK_OK(document.root().object("the job"));
  TRY(JobState state, state_from(document.root(), now));
  TRY(std::string own_arn, text_or(document.root(), "TrainingJobArn", arn));
  Tags tags;
  if (const auto found = document.root().find_present("Tags")) {
    TRY(tags, checked_tags(*found));
  }
  return Job{.name = std::string(name),
             .arn = std::move(own_arn),
             .document = std::move(document),
             .tags = std::move(tags),
             .machine = JobMachine(std::move(state), JobTiming{}),
             .placed = true};
}

}  // namespace trainwarden::localaws
