#include "tests/restart/in_process_aws.h"

#include <fmt/core.h>

#include "tests/support/transcript.h"

namespace trainwarden::testing {
namespace {

using localaws::Job;

std::string_view text(json::Value object, std::string_view name) {
  const auto value = object.find_present(name);
  return value && value->is_string() ? value->as_string() : std::string_view();
}

bool running(const Job& job) { return !localaws::ended(job.machine.state().status); }

std::string_view checkpoint(const Job& job) {
  const auto config = job.document.root().find_present("CheckpointConfig");
  return config ? text(*config, "S3Uri") : std::string_view();
}

http::Response refusal(const localaws::AwsError& error) {
  json::Writer body;
  body.begin_object().member("__type", error.code).member("message", error.message);
  if (const auto members = json::Document::parse(error.members))
    for (const auto& [name, value] : members->root().members()) body.member(name, value);
  body.end_object();
  return {error.status, {}, body.take()};
}

}  // namespace

std::string InProcessAws::tag(std::string_view job, std::string_view key) const {
  const Job* const found = find(job);
  if (found == nullptr) return "(no such job)";
  for (const auto& [name, value] : found->tags)
    if (name == key) return value;
  return "";
}

bool InProcessAws::tag_job(std::string_view job, std::string_view key, std::string_view value) {
  const auto request = json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member(
        "ResourceArn",
        fmt::format("arn:aws:sagemaker:eu-central-1:111122223333:training-job/{}", job));
    sink.key("Tags").begin_array().begin_object().member("Key", key).member("Value", value);
    sink.end_object().end_array().end_object();
  });
  return sagemaker_.call("AddTags", request.root(), clock_.now()).has_value();
}

std::vector<Result<http::Response>> InProcessAws::send(std::span<const http::Request> requests,
                                                       Deadline /*deadline*/) {
  std::vector<Result<http::Response>> answers;
  for (const http::Request& request : requests) answers.push_back(answer(request));
  return answers;
}

Result<http::Response> InProcessAws::answer(const http::Request& request) {
  std::string target;
  for (const http::Header& header : request.headers)
    if (header.name == "X-Amz-Target") target = header.value;
  const std::string operation = target.substr(target.find('.') + 1);
  const int number = static_cast<int>(calls.size());
  calls.push_back(operation);
  bodies.push_back(request.body);
  transcribe(operation, request.body);
  if (death.call == number && !death.after) throw Killed{};
  if (meanwhile) meanwhile(number);
  const auto input = json::Document::parse(request.body);
  if (!input) return refusal({400, "SerializationException", input.error().message});
  localaws::Service& service =
      target.starts_with("DynamoDB_") ? static_cast<localaws::Service&>(dynamodb_) : sagemaker_;
  const auto result = call(service, operation, input->root());
  if (result) check(operation, input->root());
  if (death.call == number && death.after) throw Killed{};
  if (int& lost = lost_answers[operation]; result && lost > 0) {
    --lost;
    return fail(ErrorCode::kTimeout, "no answer in time");
  }
  if (!result) return refusal(result.error());
  return http::Response{200, {}, *result};
}

localaws::Answer<std::string> InProcessAws::call(localaws::Service& service,
                                                 const std::string& operation, json::Value input) {
  if (auto& planned = refusals[operation]; !planned.empty()) {
    const localaws::AwsError error = planned.front();
    planned.erase(planned.begin());
    if (error.status != 200) return std::unexpected(error);
  }
  const localaws::Shape* const shape = service.input(operation);
  if (shape == nullptr) return localaws::refuse(404, "UnknownOperationException", operation);
  if (auto valid = localaws::validate(*shape, input); !valid) return std::unexpected(valid.error());
  return service.call(operation, input, clock_.now());
}

void InProcessAws::check(const std::string& operation, json::Value input) {
  if (operation != "CreateTrainingJob") return;
  const std::string name(text(input, "TrainingJobName"));
  created_.push_back(name);
  create_requests.push_back(json::to_text(input));
  const std::string parent = tag(name, "trainwarden:parent");
  const Job* const original = find(parent);
  if (original == nullptr || running(*original))
    wrong.push_back(fmt::format("{} was started before {} had ended", name, parent));
  const Job& copy = *find(name);
  if (original != nullptr && checkpoint(*original) != checkpoint(copy))
    wrong.push_back(fmt::format("{} does not have the checkpoint of {}", name, parent));
}

}  // namespace trainwarden::testing
