#include "tests/localaws/emulator.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/base/day.h"
#include "tests/localaws/http/peer.h"
#include "tests/localaws/sagemaker/job_view.h"
#include "tests/localaws/service/schedule.h"

namespace trainwarden::localaws {
namespace {

Function make_function(std::string_view name, const Options& options) {
  return Function(std::string(name),
                  fmt::format("arn:aws:lambda:{}:{}:function:trainwarden-{}", options.region,
                              options.account, name),
                  options.timeout, options.concurrency);
}

// "Root=1-…;Parent=…;Sampled=0", in any order.
std::string_view trace_root(std::string_view header) {
  const auto at = header.find("Root=");
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + 5);
  return header.substr(0, header.find(';'));
}

}  // namespace

Emulator::Emulator(Options options, Credentials credentials, trainwarden::Clock& clock)
    : options_(std::move(options)),
      credentials_(std::move(credentials)),
      clock_(clock),
      state_{make_function("state", options_), std::nullopt},
      alarm_{make_function("alarm", options_), std::nullopt},
      sagemaker_(
          options_.region, options_.account,
          [this](const Job& job) {
            deliver(state_, state_change_event(job, options_.region, options_.account));
          },
          options_.search_lag),
      sns_(options_.region, options_.account,
           [this](std::string_view function_arn, std::string event) {
             if (Hosted* hosted = hosted_at(function_arn)) deliver(*hosted, std::move(event));
           }),
      cloudwatch_({options_.region, options_.account},
                  [this](const CloudWatch::Notice& notice, sys_millis now) {
                    sns_.publish({.id = {},
                                  .time = now,
                                  .topic_arn = std::string(notice.action),
                                  .subject = notice.subject,
                                  .body = notice.message,
                                  .attributes = {}});
                  }),
      ssm_(options_.region, options_.account),
      logs_(options_.region, options_.account),
      dynamodb_(options_.region, options_.account, options_.index_lag),
      s3_(options_.region),
      quotas_(options_.region, options_.account),
      alarm_quota_(options_.alarm_calls) {
  sns_.add_topic(
      fmt::format("arn:aws:sns:{}:{}:trainwarden-alarms", options_.region, options_.account),
      alarm_.function.arn());
  if (options_.old_logs) logs_.set_newest_first(Logs::NewestFirst::kRefused);
  if (options_.fixed_pages) sagemaker_.fix_pages();
  if (options_.people) sns_.add_topic(people_topic(options_), {});
}

void Emulator::start_functions(const Places& places, const Environment& environment) {
  const Lock lock(mutex_);
  const auto add = [&](Hosted& hosted, const std::string& program) {
    if (program.empty()) return;
    ProcessSpec spec{program, {}};
    spec.hears = [this, group = fmt::format("/aws/lambda/trainwarden-{}", hosted.function.name())](
                     std::size_t session, std::string_view line) {
      const sys_millis now = clock_.now();
      std::string day = rfc3339_day(std::chrono::floor<std::chrono::seconds>(now));
      std::replace(day.begin(), day.end(), '-', '/');  // as Lambda names streams
      lines_.put({group, fmt::format("{}/[$LATEST]{}", day, session + 1), std::string(line), now});
    };
    for (std::size_t session = 0; session < hosted.function.sessions(); ++session)
      spec.environments.push_back(function_environment(
          hosted.function.name(), session, program, places, options_, credentials_, environment));
    hosted.supervisor.emplace(hosted.function, std::move(spec));
  };
  add(state_, options_.state);
  add(alarm_, options_.alarm);
}

HttpResponse Emulator::handle(const HttpRequest& request) {
  const std::string_view path = request.path();
  if (path.starts_with("/_localaws/runtime/")) return handle_runtime(request);
  if (path.starts_with("/_localaws/") || path == "/_localaws") return handle_control(request);
  return handle_aws(request);
}

void Emulator::tick() {
  const Lock lock(mutex_);
  const sys_millis now = clock_.now();
  sagemaker_.advance(now);
  cloudwatch_.advance(now);
  sweep_when_due(now);
  take_lines();
  for (Hosted* hosted : {&state_, &alarm_}) {
    if (hosted->supervisor) hosted->supervisor->tick(now);
    // Runtimes that someone else started.
    for (std::size_t session = 0; !hosted->supervisor && session < hosted->function.sessions();
         ++session)
      hosted->function.time_out(now, session);
  }
  changed_.notify_all();
}

void Emulator::take_lines() {
  for (FunctionLine& line : lines_.take())
    logs_.append(line.group, line.stream, std::move(line.text), line.at);
}

void Emulator::sweep_when_due(sys_millis now) {
  if (options_.sweep.count() == 0 || (next_sweep_ && now < *next_sweep_)) return;
  if (next_sweep_) deliver(state_, scheduled_event(options_.region, options_.account, now));
  next_sweep_ = now + options_.sweep;
}

void Emulator::stop() {
  const Lock lock(mutex_);
  stopping_ = true;
  for (Hosted* hosted : {&state_, &alarm_})  // before their next ends, which they would complain of
    if (hosted->supervisor) hosted->supervisor->kill();
  changed_.notify_all();
}

Emulator::Hosted* Emulator::hosted(std::string_view name) {
  if (name == "state") return &state_;
  if (name == "alarm") return &alarm_;
  return nullptr;
}

Emulator::Caller Emulator::caller_of(const HttpRequest& request) {
  const std::string_view root = trace_root(request.header("X-Amzn-Trace-Id").value_or(""));
  for (Hosted* hosted : {&state_, &alarm_})
    for (std::size_t session = 0; session < hosted->function.sessions(); ++session)
      if (const auto& current = hosted->function.current(session);
          current && current->trace_root == root)
        return {hosted, session};
  for (Hosted* hosted : {&state_, &alarm_})
    if (hosted->supervisor)
      if (const auto session =
              holder_of(request.peer_port, request.local_port, hosted->supervisor->pids()))
        return {hosted, *session};
  return {};
}

Emulator::Hosted* Emulator::hosted_at(std::string_view function_arn) {
  for (Hosted* hosted : {&state_, &alarm_})
    if (hosted->function.arn() == function_arn) return hosted;
  return nullptr;
}

Service& Emulator::service(ServiceId id) {
  switch (id) {
    case ServiceId::kSageMaker:
      return sagemaker_;
    case ServiceId::kCloudWatch:
      return cloudwatch_;
    case ServiceId::kSns:
      return sns_;
    case ServiceId::kSsm:
      return ssm_;
    case ServiceId::kDynamoDb:
      return dynamodb_;
    case ServiceId::kPricing:
      return pricing_;
    case ServiceId::kS3:
      return s3_;
    case ServiceId::kServiceQuotas:
      return quotas_;
    case ServiceId::kLogs:
      break;
  }
  return logs_;
}

void Emulator::deliver(Hosted& hosted, std::string event) {
  const bool has_target =
      hosted.supervisor.has_value() || hosted.function.api().state() != RuntimeApi::State::kStarted;
  if (!has_target) return;
  const std::optional<Fault> fault = faults_.strike(kDeliver, hosted.function.name());
  const sys_millis at = clock_.now() + (fault ? fault->delay : std::chrono::milliseconds(0));
  if (fault && fault->duplicate) hosted.function.invoke_async(event, at);
  hosted.function.invoke_async(std::move(event), at);
  changed_.notify_all();
}

}  // namespace trainwarden::localaws
