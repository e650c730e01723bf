#include "handlers/state/state_event.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "handlers/rules/job/members.h"
#include "runtime/base/ascii.h"
#include "runtime/json/json.h"
#include "runtime/lambda/api.h"

namespace trainwarden::state {
namespace {

Result<std::string> text(json::Value object, std::string_view name, std::string_view where = {}) {
  TRY(const json::Value value, object.member(name, where));
  if (value.is_string()) return std::string(value.as_string());
  TRY(const std::string_view found,
      value.string(where.empty() ? std::string(name) : fmt::format("{}.{}", where, name)));
  return std::string(found);
}

Result<void> expect(json::Value event, std::string_view name, std::string_view wanted) {
  TRY(const std::string found, text(event, name));
  if (found == wanted) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("`{}`: expected `{}`, found `{}`", name, wanted, found.substr(0, 80)));
}

Result<std::optional<std::string>> optional_text(json::Value detail, std::string_view name) {
  const auto value = detail.find_present(name);
  if (!value) return std::nullopt;
  if (value->is_string()) return std::string(value->as_string());  // without building the path
  TRY(const std::string_view found, value->string(fmt::format("detail.{}", name)));
  return std::string(found);
}

Result<std::optional<sys_seconds>> creation_time(json::Value detail) {
  const auto value = detail.find_present("CreationTime");
  if (!value || (value->is_string() && value->as_string().empty())) return std::nullopt;
  if (const auto time = rules::read_time(*value)) return *time;
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("`detail.CreationTime`: expected a number or a string of digits, found `{}`",
                  value->excerpt()));
}

// The event's ARN, if it has the event's own region and account and this job's name (ARNs have
// names in lower case); else empty, and the ARN comes from Describe. In AWS's own example of an
// event, the ARN is that of another job.
std::string trusted_arn(const StateEvent& of, std::string_view job_event) {
  std::string middle = ":sagemaker:";
  middle.append(of.region).append(":").append(of.account).append(":training-job/");
  const std::size_t at = job_event.find(middle);
  if (!job_event.starts_with("arn:") || at == std::string_view::npos) return {};
  const std::string_view tail = job_event.substr(at + middle.size());
  return equal_ignoring_case(tail, of.job.name.view()) ? std::string(job_event) : std::string();
}

bool is_of_type(json::Value event, std::string_view wanted) {
  const auto type = event.find_present("detail-type");
  return type && type->is_string() && type->as_string() == wanted;
}

Result<Event> parse_scheduled_event(json::Value event) {
  CHECK_OK(expect(event, "source", "aws.events"));
  ScheduledEvent parsed;
  TRY(parsed.id, text(event, "id"));
  TRY(parsed.region, text(event, "region"));
  TRY(parsed.account, text(event, "account"));
  return parsed;
}

Result<Event> parse_weekly_event(json::Value event) {
  CHECK_OK(expect(event, "source", "aws.events"));
  WeeklyEvent parsed;
  TRY(parsed.id, text(event, "id"));
  TRY(parsed.region, text(event, "region"));
  TRY(parsed.account, text(event, "account"));
  TRY(const std::string time, text(event, "time"));
  const auto read = parse_rfc3339(time);
  if (!read) return fail(Error(read.error()).in("`time`"));
  parsed.time = *read;
  return parsed;
}

Result<Event> parse_state_event(json::Value event) {
  CHECK_OK(expect(event, "source", "aws.sagemaker"));
  CHECK_OK(expect(event, "detail-type", "SageMaker Training Job State Change"));
  TRY(std::string id, text(event, "id"));
  TRY(std::string region, text(event, "region"));
  TRY(std::string account, text(event, "account"));
  TRY(const json::Value detail, event.member("detail", ""));
  TRY(const std::string name, text(detail, "TrainingJobName", "detail"));
  auto job = aws::JobName::parse(name);
  if (!job) return fail(std::move(job).error().in("`detail.TrainingJobName`"));
  TRY(auto training_job_status, optional_text(detail, "TrainingJobStatus"));
  TRY(auto secondary_status, optional_text(detail, "SecondaryStatus"));
  TRY(const auto told_arn, optional_text(detail, "TrainingJobArn"));
  TRY(const auto created, creation_time(detail));

  std::optional<sys_seconds> time;
  if (const auto sent = event.find_present("time"); sent && sent->is_string())
    if (const auto read = parse_rfc3339(sent->as_string())) time = *read;

  StateEvent parsed{.id = id,
                    .region = std::move(region),
                    .account = std::move(account),
                    .job = {*std::move(job), {}},
                    .job_event = {.trigger = rules::Trigger::kState,
                                  .job_name = name,
                                  .training_job_status = std::move(training_job_status),
                                  .secondary_status = std::move(secondary_status),
                                  .creation_time = created,
                                  .id = std::move(id),
                                  .time = time}};
  parsed.job_event.account = parsed.account;
  parsed.job_event.region = parsed.region;
  parsed.job.arn = trusted_arn(parsed, told_arn.value_or(""));
  return parsed;
}

}  // namespace

Result<Event> parse_event(std::string_view payload) {
  TRY(const json::Document document,
      json::Document::parse(payload, json::Syntax::kStrict, lambda::kMaxPayloadValues));
  const json::Value event = document.root();
  if (!event.is_object())
    return fail(ErrorCode::kInvalidInput, fmt::format("expected an EventBridge event, found {}",
                                                      json::describe(event.type())));
  if (is_of_type(event, "Scheduled Event")) return parse_scheduled_event(event);
  if (is_of_type(event, "Trainwarden Weekly Report")) return parse_weekly_event(event);
  return parse_state_event(event);
}

}  // namespace trainwarden::state
