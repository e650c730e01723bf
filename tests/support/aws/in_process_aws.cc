#include "tests/support/aws/in_process_aws.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/support/transcript.h"

namespace trainwarden::testing {
namespace {

using localaws::Address;
using localaws::Job;

constexpr std::array<std::string_view, 12> kWriting = {"StopHyperParameterTuningJob",
                                                       "StopAutoMLJob",
                                                       "AddTags",
                                                       "DeleteTags",
                                                       "StopTrainingJob",
                                                       "CreateTrainingJob",
                                                       "DeleteTrainingJob",
                                                       "PutMetricAlarm",
                                                       "DeleteAlarms",
                                                       "SetAlarmState",
                                                       "Publish",
                                                       "UpdateTrainingJob"};

std::string_view text(json::Value object, std::string_view name) {
  const auto value = object.find_present(name);
  return value && value->is_string() ? value->as_string() : std::string_view();
}

bool running(const Job& job) { return !localaws::ended(job.machine.state().status); }

std::string_view checkpoint(const Job& job) {
  const auto config = job.document.root().find_present("CheckpointConfig");
  return config ? text(*config, "S3Uri") : std::string_view();
}

localaws::HttpRequest received(const http::Request& request, sys_millis now) {
  localaws::HttpRequest out{.method = request.method,
                            .target = std::string(http::target(request.url)),
                            .headers = {},
                            .body = request.body,
                            .received = now,
                            .gone = {}};
  for (const http::Header& header : request.headers)
    out.headers.push_back({header.name, header.value});
  return out;
}

http::Response on_the_wire(localaws::HttpResponse response) {
  http::Response out{response.status, {}, std::move(response.body)};
  for (localaws::Header& header : response.headers)
    out.headers.push_back({std::move(header.name), std::move(header.value)});
  return out;
}

}  // namespace

InProcessAws::InProcessAws(ManualClock& clock, std::chrono::milliseconds index_lag,
                           std::string_view table_region, std::chrono::milliseconds search_lag)
    : clock_(clock),
      sagemaker_(
          kRegion, kAccount,
          [this](const Job& job) {
            const auto& state = job.machine.state();
            events.push_back({job.name, state.status, state.secondary, state.created});
          },
          search_lag),
      sns_(kRegion, kAccount, [](std::string_view /*function*/, const std::string& /*event*/) {}),
      cloudwatch_({kRegion, kAccount},
                  [this](const localaws::CloudWatch::Notice& notice, sys_millis now) {
                    sns_.publish({.id = {},
                                  .time = now,
                                  .topic_arn = std::string(notice.action),
                                  .subject = notice.subject,
                                  .body = notice.message,
                                  .attributes = {}});
                  }),
      ssm_(kRegion, kAccount),
      logs_(kRegion, kAccount),
      dynamodb_(table_region, kAccount, index_lag) {
  for (const char* const topic : {kPeople, kAlarmTopic}) sns_.add_topic(topic, "");
  advance();  // a state that is set holds until the next full minute
}

void InProcessAws::place(const PlacedJob& job) {
  const auto placed = sagemaker_.place(job.name, document(job, clock_.now()), clock_.now());
  EXPECT_TRUE(placed) << placed.error().message;
}

void InProcessAws::enter(const std::string& job, const std::string& secondary,
                         const std::string& reason) {
  EXPECT_TRUE(sagemaker_.transition(
      job, {.secondary = secondary, .status = {}, .failure_reason = reason, .message = {}},
      clock_.now(), clock_.now()));
}

localaws::Answer<std::string> InProcessAws::call(std::string_view operation,
                                                 std::string_view input) {
  const auto parsed = json::Document::parse(input);
  if (!parsed) return localaws::refuse(400, "SerializationException", parsed.error().message);
  for (localaws::Service* const service : std::initializer_list<localaws::Service*>{
           &sagemaker_, &cloudwatch_, &sns_, &ssm_, &logs_, &dynamodb_}) {
    const localaws::Shape* const shape = service->input(operation);
    if (shape == nullptr) continue;
    if (auto valid = localaws::validate(*shape, parsed->root()); !valid)
      return std::unexpected(valid.error());
    return service->call(operation, parsed->root(), clock_.now());
  }
  return localaws::refuse(404, "UnknownOperationException", std::string(operation));
}

bool InProcessAws::tag_job(std::string_view job, std::string_view key, std::string_view value) {
  const auto request = json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("ResourceArn", arn_of(job));
    sink.key("Tags").begin_array().begin_object().member("Key", key).member("Value", value);
    sink.end_object().end_array().end_object();
  });
  return sagemaker_.call("AddTags", request.root(), clock_.now()).has_value();
}

void InProcessAws::pass(std::chrono::milliseconds time) {
  clock_.advance(time);
  advance();
}

void InProcessAws::advance() {
  sagemaker_.advance(clock_.now());
  cloudwatch_.advance(clock_.now());
}

std::string InProcessAws::status(std::string_view job) const {
  const Job* const found = find(job);
  return found == nullptr ? "(no such job)" : found->machine.state().status;
}

std::string InProcessAws::tag(std::string_view job, std::string_view key) const {
  const Job* const found = find(job);
  if (found == nullptr) return "(no such job)";
  for (const auto& [name, value] : found->tags)
    if (name == key) return value;
  return "";
}

std::vector<std::string> InProcessAws::alarms() const {
  std::vector<std::string> out;
  for (const auto& [name, alarm] : cloudwatch_.alarms()) out.push_back(name);
  return out;
}

const localaws::Alarm* InProcessAws::alarm(std::string_view name) const {
  const auto found = cloudwatch_.alarms().find(name);
  return found == cloudwatch_.alarms().end() ? nullptr : &found->second;
}

std::vector<localaws::Message> InProcessAws::notices(std::string_view topic) const {
  std::vector<localaws::Message> out;
  for (const localaws::Message& message : sns_.messages())
    if (message.topic_arn == topic) out.push_back(message);
  return out;
}

void InProcessAws::refuse(const std::string& operation, const localaws::AwsError& error,
                          int times) {
  faults.add({.operation = operation,
              .times = times,
              .status = error.status,
              .code = error.code,
              .message = error.message,
              .kill = {}});
}

void InProcessAws::lose_answer(const std::string& operation, int times) {
  faults.add(
      {.operation = operation, .times = times, .code = {}, .message = {}, .cut = true, .kill = {}});
}

void InProcessAws::slow(const std::string& operation, std::chrono::milliseconds delay, int times) {
  faults.add({.operation = operation,
              .times = times,
              .code = {},
              .message = {},
              .delay = delay,
              .kill = {}});
}

void InProcessAws::spare(const std::string& operation, int times) {
  faults.add({.operation = operation, .times = times, .code = {}, .message = {}, .kill = {}});
}

void InProcessAws::answer_with(const std::string& operation, const std::string& body) {
  odd_[operation].push_back(body);
}

void InProcessAws::before(const std::string& operation, std::function<void()> happens, int nth) {
  happenings_.push_back({operation, nth, std::move(happens)});
}

void InProcessAws::happen(const std::string& operation) {
  std::vector<std::function<void()>> due;  // what happens may make calls of its own
  std::erase_if(happenings_, [&](Happening& one) {
    if (one.operation != operation || --one.left > 0) return false;
    due.push_back(std::move(one.happens));
    return true;
  });
  for (const auto& happens : due) happens();
}

std::vector<Result<http::Response>> InProcessAws::send(std::span<const http::Request> requests,
                                                       Deadline /*deadline*/) {
  batches.push_back(requests.size());
  waited_ = {};
  std::vector<Result<http::Response>> answers;
  for (const http::Request& request : requests) answers.push_back(answer(request));
  return answers;
}

Result<http::Response> InProcessAws::answer(const http::Request& request) {
  const Address address = localaws::address_of(received(request, clock_.now()));
  const std::string& operation = address.operation;
  const int number = static_cast<int>(calls.size());
  calls.push_back(operation);
  requests.push_back(request);
  transcribe(operation, request.body);
  if (death.call == number && !death.after) throw Killed{};
  if (meanwhile) meanwhile(number);
  happen(operation);
  const auto fault = faults.strike(operation, "");
  // Calls that go out together take as long as the slowest of them.
  if (fault && fault->delay > waited_)
    clock_.advance(fault->delay - std::exchange(waited_, fault->delay));
  advance();
  const auto result = fault && fault->status != 0
                          ? localaws::refuse(fault->status, fault->code, fault->message)
                      : alarm_quota.take(operation, clock_.now())
                          ? carry_out(address, request.body)
                          : localaws::Answer<std::string>(std::unexpected(kThrottled));
  if (death.call == number && death.after) throw Killed{};
  if (result && fault && fault->cut) return fail(ErrorCode::kTimeout, "no answer in time");
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.now());
  if (result && result->size() > most_bytes)
    return fail(ErrorCode::kTooLarge, "expected a smaller answer");
  if (!result) return on_the_wire(localaws::write_error(address, result.error(), now));
  return on_the_wire(localaws::write_answer(address, *result, now));
}

localaws::Service* InProcessAws::service_of(const Address& address) {
  if (address.service == nullptr) return nullptr;
  switch (address.service->id) {
    case localaws::ServiceId::kSageMaker:
      return &sagemaker_;
    case localaws::ServiceId::kCloudWatch:
      return &cloudwatch_;
    case localaws::ServiceId::kSns:
      return &sns_;
    case localaws::ServiceId::kSsm:
      return &ssm_;
    case localaws::ServiceId::kDynamoDb:
      return &dynamodb_;
    case localaws::ServiceId::kPricing:
      return nullptr;  // a person's alone
    case localaws::ServiceId::kS3:
      return &s3_;
    case localaws::ServiceId::kServiceQuotas:
      return &quotas_;
    case localaws::ServiceId::kLogs:
      break;
  }
  return &logs_;
}

localaws::Answer<std::string> InProcessAws::carry_out(const Address& address,
                                                      const std::string& body) {
  if (auto& odd = odd_[address.operation]; !odd.empty()) {
    std::string answer = std::move(odd.front());
    odd.pop_front();
    return answer;
  }
  localaws::Service* const service = service_of(address);
  const localaws::Shape* const shape =
      service == nullptr ? nullptr : service->input(address.operation);
  if (shape == nullptr) return localaws::refuse(404, "UnknownOperationException", "");
  const auto input = localaws::read_input(address, *shape, body);
  if (!input) return std::unexpected(input.error());
  if (auto ok = localaws::check_input(address, *shape, input->root()); !ok)
    return std::unexpected(ok.error());
  auto answer = service->call(address.operation, input->root(), clock_.now());
  if (answer && address.operation == "CreateTrainingJob") check(input->root());
  return answer;
}

void InProcessAws::check(json::Value input) {
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

std::ptrdiff_t InProcessAws::count(std::string_view operation) const {
  return std::ranges::count(calls, operation);
}

bool InProcessAws::wrote() const {
  return std::ranges::any_of(calls, [](const std::string& operation) {
    return std::ranges::find(kWriting, operation) != kWriting.end();
  });
}

}  // namespace trainwarden::testing
