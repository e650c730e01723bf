#include "awsapi/sagemaker.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "awsapi/request_body.h"
#include "runtime/base/ascii.h"
#include "runtime/json/utf8.h"

namespace trainwarden::aws {
namespace {

bool is_name(std::string_view text, std::size_t longest) {
  const auto allowed = [](char c) { return is_alphanumeric(c) || c == '-'; };
  return !text.empty() && text.size() <= longest && std::ranges::all_of(text, allowed) &&
         is_alphanumeric(text.front()) && is_alphanumeric(text.back());
}

Call sagemaker_call(std::string_view operation, std::string_view target,
                    const std::function<void(json::Sink&)>& members) {
  return {.service = &kSageMaker,
          .operation = operation,
          .body = request_body(members),
          .target = std::string(target)};
}

// A request for one page of a list. named_by: the request's member that says what is listed or
// looked for.
Call list_call(std::string_view operation, json::Value request, std::string_view named_by,
               std::string_view token) {
  const auto named = request.find_present(named_by);
  return {.service = &kSageMaker,
          .operation = operation,
          .body = with_member(request, "NextToken", token),
          .target = named && named->is_string() ? std::string(named->as_string()) : std::string()};
}

using TagList = std::vector<std::pair<std::string, std::string>>;

// Reads one page; returns the token of the next, empty after the last.
Result<std::string> read_tag_page(json::Value page, TagList& tags) {
  // An answer without the list says nothing about the tags; a job without tags has an empty list.
  TRY(const json::Value listed, page.member("Tags", "ListTags"));
  CHECK_OK(listed.array("ListTags.Tags"));
  for (const json::Value tag : listed.elements()) {
    TRY(const json::Value key, tag.member("Key", "Tags[]"));
    TRY(const std::string_view key_text, key.string("Tags[].Key"));
    TRY(const json::Value value, tag.member("Value", "Tags[]"));
    TRY(const std::string_view value_text, value.string("Tags[].Value"));
    tags.emplace_back(key_text, value_text);
  }
  const auto token = page.find_present("NextToken");
  if (!token) return std::string();
  TRY(const std::string_view text, token->string("ListTags: NextToken"));
  return std::string(text);
}

json::Document as_document(const TagList& tags) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    for (const auto& [key, value] : tags) sink.member(key, value);
    sink.end_object();
  });
}

// SageMaker's wrong answers are the service's fault, not bad input.
Error bad_answer(Error error) { return {ErrorCode::kBadResponse, std::move(error.message)}; }

bool allowed_in_tag(std::uint32_t code) {
  if (code < 0x80) {
    const char c = static_cast<char>(code);
    return is_alphanumeric(c) || std::string_view(" _.:/=+-@").find(c) != std::string_view::npos;
  }
  return json::is_letter(code);
}

}  // namespace

std::string JobNameTag::check(std::string_view text) {
  constexpr std::size_t kMax = 63;
  return is_name(text, kMax) ? "" : "1 to 63 letters, digits and inner hyphens";
}

std::string TunerNameTag::check(std::string_view text) {
  constexpr std::size_t kMax = 32;
  return is_name(text, kMax) ? "" : "1 to 32 letters, digits and inner hyphens";
}

std::string tag_value(std::string_view text) {
  std::string out;
  for (std::size_t count = 0; count < kMaxTagValue && !text.empty(); ++count) {
    const json::Character next = json::first_character(text);
    if (allowed_in_tag(next.code))
      out += text.substr(0, next.bytes);
    else
      out += ' ';
    text.remove_prefix(next.bytes);
  }
  return out;
}

Call SageMaker::describe_training_job_call(const JobName& job) {
  return sagemaker_call("DescribeTrainingJob", job.view(),
                        [&](json::Sink& sink) { sink.member("TrainingJobName", job.view()); });
}

Call SageMaker::list_tags_call(std::string_view arn, std::string_view next_token) {
  return sagemaker_call("ListTags", arn, [&](json::Sink& sink) {
    sink.member("ResourceArn", arn).member("MaxResults", 100);
    if (!next_token.empty()) sink.member("NextToken", next_token);
  });
}

Result<json::Document> SageMaker::describe_training_job(const JobName& job,
                                                        const CallContext& context) const {
  return client_.call(describe_training_job_call(job), context);
}

Result<json::Document> SageMaker::list_tags(std::string_view arn,
                                            const CallContext& context) const {
  TRY(json::Document first, client_.call(list_tags_call(arn), context));
  return list_tags(arn, std::move(first), context);
}

Result<json::Document> SageMaker::list_tags(std::string_view arn, json::Document page,
                                            const CallContext& context) const {
  // A job has at most 50 tags: more pages than this are a service that repeats itself.
  constexpr int kMaxPages = 20;
  TagList tags;
  for (int pages = 0; pages < kMaxPages; ++pages) {
    const auto token = read_tag_page(page.root(), tags);
    if (!token) return fail(bad_answer(token.error()));
    if (token->empty()) return as_document(tags);
    TRY(page, client_.call(list_tags_call(arn, *token), context));
  }
  return fail(ErrorCode::kBadResponse,
              fmt::format("ListTags: expected at most {} pages, found more", kMaxPages));
}

Result<void> SageMaker::add_tags(std::string_view arn, std::span<const Tag> tags,
                                 const CallContext& context) const {
  const Call call = sagemaker_call("AddTags", arn, [&](json::Sink& sink) {
    sink.member("ResourceArn", arn).key("Tags").begin_array();
    for (const auto& [key, value] : tags)
      sink.begin_object().member("Key", key).member("Value", value).end_object();
    sink.end_array();
  });
  CHECK_OK(client_.call(call, context));
  return {};
}

Result<std::string> SageMaker::create_training_job(std::string body, const CallContext& context,
                                                   std::string_view name, Scrub scrub) const {
  TRY(const json::Document answer, client_.call({.service = &kSageMaker,
                                                 .operation = "CreateTrainingJob",
                                                 .body = std::move(body),
                                                 .target = std::string(name),
                                                 .scrub = std::move(scrub)},
                                                context));
  const auto arn = answer.root().find_present("TrainingJobArn");
  if (arn && arn->is_string()) return std::string(arn->as_string());
  return fail(ErrorCode::kBadResponse,
              "CreateTrainingJob: expected `TrainingJobArn` in the answer");
}

bool refuses_metric_definitions(std::string_view message) {
  return message.find("override the metric definitions") != std::string_view::npos;
}

void write_search_filter(json::Sink& sink, std::string_view name, std::string_view comparison,
                         std::string_view value) {
  sink.begin_object().member("Name", name).member("Operator", comparison);
  if (!value.empty()) sink.member("Value", value);
  sink.end_object();
}

Pages SageMaker::search_pages(json::Document request,
                              std::function<Result<bool>(json::Value results)> each,
                              LargeJobs large) {
  const auto list =
      std::make_shared<SearchList>(std::move(request), std::move(each), std::move(large));
  return {.make = [list](std::string_view token) { return list->next(token); },
          .token_member = "NextToken",
          .each = [list](json::Value page) { return list->take(page); },
          .mend = [list](const Error& error, const AskPage& ask) { return list->mend(error, ask); },
          .of_account = true,
          .begins_anew = true};
}

Result<void> SageMaker::search(json::Value request,
                               const std::function<Result<bool>(json::Value results)>& each,
                               const CallContext& context, LargeJobs large) const {
  return client_.pages(
      search_pages(json::Document::build([&](json::Sink& sink) { sink.value(request); }), each,
                   std::move(large)),
      context);
}

Result<void> SageMaker::list_training_jobs(
    json::Value request, const std::function<Result<bool>(json::Value page)>& each,
    const CallContext& context) const {
  return client_.pages(
      [&](std::string_view token) {
        return list_call("ListTrainingJobs", request, "NameContains", token);
      },
      "NextToken", each, context);
}

Call SageMaker::list_training_jobs_call(const ListPlace& place, std::string_view token) {
  return sagemaker_call("ListTrainingJobs", {}, [&](json::Sink& sink) {
    sink.member("MaxResults", 100).member("SortBy", "CreationTime");
    sink.member("SortOrder", place.ascending ? "Ascending" : "Descending");
    if (place.second && place.ascending) sink.member(place.sort_by + "After", *place.second - 1);
    if (place.second && !place.ascending) sink.member(place.sort_by + "Before", *place.second + 1);
    if (!token.empty()) sink.member("NextToken", token);
  });
}

Result<void> SageMaker::update_training_job(const JobName& job, int keep_alive_seconds,
                                            const CallContext& context) const {
  const Call call = sagemaker_call("UpdateTrainingJob", job.view(), [&](json::Sink& sink) {
    sink.member("TrainingJobName", job.view()).key("ResourceConfig").begin_object();
    sink.member("KeepAlivePeriodInSeconds", keep_alive_seconds).end_object();
  });
  CHECK_OK(client_.call(call, context));
  return {};
}

Result<void> SageMaker::stop_training_job(const JobName& job, const CallContext& context) const {
  const Call call = sagemaker_call("StopTrainingJob", job.view(), [&](json::Sink& sink) {
    sink.member("TrainingJobName", job.view());
  });
  const OwnCalls calls(context);
  const auto stopped = client_.call(call, calls.context());
  if (stopped) return {};
  if (calls.made().empty() || !calls.made().back().unclear) return fail(stopped.error());
  return fail(ErrorCode::kTimeout,
              fmt::format("{}; an attempt before that, which was not answered, may have stopped it",
                          stopped.error().message));
}

Result<void> SageMaker::list_hyper_parameter_tuning_jobs(
    json::Value request, const std::function<Result<bool>(json::Value page)>& each,
    const CallContext& context) const {
  return client_.pages({.make =
                            [&](std::string_view token) {
                              return list_call("ListHyperParameterTuningJobs", request,
                                               "NameContains", token);
                            },
                        .token_member = "NextToken",
                        .each = each,
                        .of_account = true},
                       context);
}

Result<void> SageMaker::list_auto_ml_jobs(json::Value request,
                                          const std::function<Result<bool>(json::Value page)>& each,
                                          const CallContext& context) const {
  return client_.pages({.make =
                            [&](std::string_view token) {
                              return list_call("ListAutoMLJobs", request, "NameContains", token);
                            },
                        .token_member = "NextToken",
                        .each = each,
                        .of_account = true},
                       context);
}

Result<json::Document> SageMaker::describe_hyper_parameter_tuning_job(
    const TunerName& tuner, const CallContext& context) const {
  const Call call = sagemaker_call(
      "DescribeHyperParameterTuningJob", tuner.view(),
      [&](json::Sink& sink) { sink.member("HyperParameterTuningJobName", tuner.view()); });
  return client_.call(call, context);
}

Result<void> SageMaker::stop_hyper_parameter_tuning_job(const TunerName& tuner,
                                                        const CallContext& context) const {
  const Call call = sagemaker_call(
      "StopHyperParameterTuningJob", tuner.view(),
      [&](json::Sink& sink) { sink.member("HyperParameterTuningJobName", tuner.view()); });
  CHECK_OK(client_.call(call, context));
  return {};
}

Result<void> SageMaker::stop_auto_ml_job(const TunerName& tuner, const CallContext& context) const {
  const Call call = sagemaker_call("StopAutoMLJob", tuner.view(), [&](json::Sink& sink) {
    sink.member("AutoMLJobName", tuner.view());
  });
  CHECK_OK(client_.call(call, context));
  return {};
}

}  // namespace trainwarden::aws
