// The control endpoints: what a test or a demo does that no AWS call can. Unsigned, on loopback.
// Every answer is JSON; errors are {"message"} with 400 or 404.
#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "tests/localaws/emulator.h"
#include "tests/localaws/service/crypto.h"
#include "tests/localaws/service/patterns.h"
#include "tests/localaws/service/schedule.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::string_view kPrefix = "/_localaws/";

HttpResponse answer(int status, std::string body) {
  return {
      .status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

HttpResponse done() { return answer(200, "{}"); }

HttpResponse problem(int status, std::string_view message) {
  json::Writer out;
  out.begin_object().member("message", message).end_object();
  return answer(status, out.take());
}

HttpResponse problem(const Error& error) {
  return problem(error.code == ErrorCode::kNotFound ? 404 : 400, error.message);
}

Result<std::string> text_member(Value body, std::string_view name) {
  const auto found = body.find_present(name);
  if (!found) return std::string();
  TRY(const std::string_view text, found->string(name));
  return std::string(text);
}

bool valid_name(std::string_view name) {
  return name.size() <= 63 && patterns::kTrainingJobName.matches(name);
}

HttpResponse name_problem(std::string_view name) {
  return problem(400, fmt::format("`{}`: expected a training job's name", name));
}

HttpResponse counted(std::size_t count) {
  json::Writer out;
  out.begin_object().member("count", count).end_object();
  return answer(200, out.take());
}

struct AskedTransition {
  JobMachine::Forced forced;
  sys_millis at;
};

Result<AskedTransition> parse_transition(std::string_view body, sys_millis now) {
  TRY(const json::Document document, json::Document::parse(body));
  const Value root = document.root();
  CHECK_OK(root.object("the transition"));
  for (const json::Member member : root.members())
    if (member.name != "SecondaryStatus" && member.name != "TrainingJobStatus" &&
        member.name != "FailureReason" && member.name != "StatusMessage" && member.name != "at")
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("`{}`: expected SecondaryStatus, TrainingJobStatus, FailureReason, "
                              "StatusMessage or at",
                              member.name));
  AskedTransition asked{.forced = {}, .at = now};
  TRY(asked.forced.secondary, text_member(root, "SecondaryStatus"));
  TRY(asked.forced.status, text_member(root, "TrainingJobStatus"));
  TRY(asked.forced.failure_reason, text_member(root, "FailureReason"));
  TRY(asked.forced.message, text_member(root, "StatusMessage"));
  if (asked.forced.secondary.empty())
    return fail(ErrorCode::kInvalidInput, "`SecondaryStatus`: expected a status, found nothing");
  if (const auto at = root.find_present("at")) {
    TRY(asked.at, instant_from(*at, "at"));
  }
  return asked;
}

std::string_view state_word(const Function& function, bool hosted) {
  using State = RuntimeApi::State;
  if (function.given_up()) return "failed";
  const auto any = [&function](std::initializer_list<State> states) {
    for (std::size_t session = 0; session < function.sessions(); ++session)
      for (const State state : states)
        if (function.api(session).state() == state) return true;
    return false;
  };
  if (any({State::kRunning, State::kAnswered})) return "busy";
  if (any({State::kReady})) return "ready";
  return hosted ? "starting" : "absent";
}

long processes(const std::vector<pid_t>& pids) {
  return std::count_if(pids.begin(), pids.end(), [](pid_t pid) { return pid > 0; });
}

}  // namespace

HttpResponse Emulator::handle_control(const HttpRequest& request) {
  std::string_view path = request.path();
  path.remove_prefix(std::min(kPrefix.size(), path.size()));
  const std::string& method = request.method;
  if (path == "health" && method == "GET") return health();
  if (path == "calls" && method == "GET") {
    const Lock lock(mutex_);
    return answer(200, calls_.as_json());
  }
  if (path == "messages" && method == "GET") return messages();
  if (path == "dead-letters" && method == "GET") return dead_letters();
  if (path == "faults" && method == "POST") return add_faults(request);
  if (path == "reset" && method == "POST") return reset();
  if (path.starts_with("invoke/") && method == "POST") {
    Hosted* hosted = this->hosted(path.substr(7));
    return hosted == nullptr ? problem(404, "expected /_localaws/invoke/state or …/alarm")
                             : invoke(request.body, *hosted);
  }
  if (path.starts_with("deliver/") && method == "POST") {
    Hosted* hosted = this->hosted(path.substr(8));
    if (hosted == nullptr) return problem(404, "expected /_localaws/deliver/state or …/alarm");
    const Lock lock(mutex_);
    deliver(*hosted, request.body);
    return done();
  }
  if (path == "sweep" && method == "POST")
    return invoke(scheduled_event(options_.region, options_.account, clock_.now()), state_);
  if (path == "report" && method == "POST")
    return invoke(weekly_event(options_.region, options_.account, clock_.now()), state_);
  if (path == "jobs" && method == "PUT") return place_jobs(request);
  if (path == "alarms" && method == "GET") {
    const Lock lock(mutex_);
    return answer(200, cloudwatch_.alarms_json());
  }
  if (path == "alarms" && method == "PUT") return call_each("PutMetricAlarm", request);
  if (path == "items" && method == "GET") {
    const Lock lock(mutex_);
    return answer(200, dynamodb_.items_json());
  }
  if (path == "quotas" && method == "PUT") {
    const Lock lock(mutex_);
    const auto set = quotas_.set_all(request.body);
    return set ? counted(*set) : problem(set.error());
  }
  if (path == "metrics" && method == "PUT") return call_each("PutMetricData", request);
  for (const auto& [prefix, type] :
       {std::pair<std::string_view, TunerType>("tuning-jobs/", TunerType::kTuningJob),
        {"automl-jobs/", TunerType::kAutoMlJob}})
    if (path.starts_with(prefix) && method == "PUT")
      return place_tuner(request, type, path.substr(prefix.size()));
  if (path.starts_with("jobs/")) {
    path.remove_prefix(5);
    if ((method == "PUT" || method == "POST") && path.find('/') == std::string_view::npos)
      return place_job(request, path);
    if (method == "POST" && path.ends_with("/transition"))
      return transition_job(request, path.substr(0, path.find('/')));
  }
  return problem(404, fmt::format("no control endpoint: {} {}", method, request.path()));
}

HttpResponse Emulator::place_job(const HttpRequest& request, std::string_view name) {
  if (!valid_name(name)) return name_problem(name);
  const Lock lock(mutex_);
  if (auto placed = sagemaker_.place(name, request.body, clock_.now()); !placed)
    return problem(placed.error());
  json::Writer out;
  out.begin_object().member("TrainingJobArn", sagemaker_.find(name)->arn).end_object();
  return answer(200, out.take());
}

HttpResponse Emulator::place_tuner(const HttpRequest& request, TunerType type,
                                   std::string_view name) {
  const Lock lock(mutex_);
  if (auto placed = sagemaker_.place_tuner(type, name, request.body, clock_.now()); !placed)
    return problem(placed.error());
  return done();
}

// {name: document, …}; of a wrong one the error says which, and those before it are placed.
HttpResponse Emulator::place_jobs(const HttpRequest& request) {
  const auto document = json::Document::parse(request.body);
  if (!document) return problem(document.error());
  if (!document->root().is_object()) return problem(400, "expected an object of jobs by name");
  const Lock lock(mutex_);
  std::size_t count = 0;
  for (const json::Member job : document->root().members()) {
    if (!valid_name(job.name)) return name_problem(job.name);
    auto placed = sagemaker_.place(job.name, json::to_text(job.value), clock_.now());
    if (!placed) return problem(std::move(placed).error().in(job.name));
    ++count;
  }
  return counted(count);
}

// A list of requests of one of CloudWatch's operations, unsigned.
HttpResponse Emulator::call_each(std::string_view operation, const HttpRequest& request) {
  const auto document = json::Document::parse(request.body);
  if (!document) return problem(document.error());
  if (!document->root().is_array())
    return problem(400, fmt::format("expected a list of {}'s requests", operation));
  const Lock lock(mutex_);
  std::size_t count = 0;
  for (const Value input : document->root().elements()) {
    const auto valid = validate(*cloudwatch_.input(operation), input);
    if (!valid) return problem(400, fmt::format("[{}]: {}", count, valid.error().message));
    const auto done = cloudwatch_.call(operation, input, clock_.now());
    if (!done) return problem(400, fmt::format("[{}]: {}", count, done.error().message));
    ++count;
  }
  return counted(count);
}

HttpResponse Emulator::transition_job(const HttpRequest& request, std::string_view name) {
  const Lock lock(mutex_);
  auto asked = parse_transition(request.body, clock_.now());
  if (!asked) return problem(asked.error());
  if (auto ok = sagemaker_.transition(name, std::move(asked->forced), asked->at, clock_.now()); !ok)
    return problem(ok.error());
  changed_.notify_all();
  return done();
}

HttpResponse Emulator::invoke(std::string event, Hosted& hosted) {
  Lock lock(mutex_);
  Function& function = hosted.function;
  if (!hosted.supervisor && !function.ever_asked())
    return problem(404,
                   fmt::format("no {0} function: start localaws with --{0} PATH", function.name()));
  const std::string id = function.invoke_sync(std::move(event), clock_.now());
  changed_.notify_all();
  while (!stopping_) {
    if (auto result = function.take_result(id)) {
      HttpResponse response = answer(result->failed ? 502 : 200, std::move(result->body));
      response.headers.push_back({"x-amzn-RequestId", id});
      if (result->failed) response.headers.push_back({"X-Amz-Function-Error", "Unhandled"});
      return response;
    }
    changed_.wait(lock);
  }
  return problem(503, "localaws stops");
}

HttpResponse Emulator::add_faults(const HttpRequest& request) {
  const auto document = json::Document::parse(request.body);
  if (!document) return problem(document.error());
  std::vector<Fault> faults;
  const auto add = [&faults](Value value) -> Result<void> {
    TRY(Fault fault, parse_fault(value));
    faults.push_back(std::move(fault));
    return {};
  };
  if (!document->root().is_array()) {
    if (auto ok = add(document->root()); !ok) return problem(ok.error());
  }
  for (const Value element : document->root().elements())
    if (auto ok = add(element); !ok) return problem(ok.error());
  const Lock lock(mutex_);
  for (Fault& fault : faults) faults_.add(std::move(fault));
  return done();
}

HttpResponse Emulator::reset() {
  const Lock lock(mutex_);
  sagemaker_.clear();
  cloudwatch_.clear();
  sns_.forget_messages();
  ssm_.clear();
  logs_.clear();
  dynamodb_.clear();
  s3_.clear();
  quotas_.clear();
  calls_.clear();
  faults_.clear();
  state_.function.reset();
  alarm_.function.reset();
  changed_.notify_all();
  return done();
}

HttpResponse Emulator::health() {
  const Lock lock(mutex_);
  json::Writer out;
  out.begin_object().member("status", "ok").member("region", options_.region);
  out.member("account", options_.account).member("jobs", sagemaker_.size());
  out.member("alarms", cloudwatch_.size());
  out.member("faults", faults_.size());
  out.key("functions").begin_object();
  for (const Hosted* hosted : {&state_, &alarm_}) {
    const Function& function = hosted->function;
    out.key(function.name()).begin_object();
    out.member("state", state_word(function, hosted->supervisor.has_value()));
    out.member("restarts", hosted->supervisor ? hosted->supervisor->restarts() : 0);
    out.member("processes", hosted->supervisor ? processes(hosted->supervisor->pids()) : 0);
    out.member("queued", function.queued());
    out.member("delivered", function.counts().delivered);
    out.member("succeeded", function.counts().succeeded);
    out.member("failed", function.counts().failed);
    out.member("dead_letters", function.dead_letters().size());
    out.end_object();
  }
  out.end_object().end_object();
  return answer(200, out.take());
}

HttpResponse Emulator::messages() {
  const Lock lock(mutex_);
  return answer(200, sns_.messages_json());
}

HttpResponse Emulator::dead_letters() {
  const Lock lock(mutex_);
  json::Writer out;
  out.begin_array();
  const auto embed = [&out](std::string_view name, const std::string& text) {
    out.key(name);
    if (const auto parsed = json::Document::parse(text))
      out.value(parsed->root());
    else
      out.string(text);
  };
  for (const Hosted* hosted : {&state_, &alarm_})
    for (const DeadLetter& letter : hosted->function.dead_letters()) {
      out.begin_object().member("function", hosted->function.name());
      out.member("time", rfc3339(letter.at)).member("attempts", letter.attempts);
      embed("event", letter.event);
      embed("error", letter.error);
      out.end_object();
    }
  out.end_array();
  return answer(200, out.take());
}

}  // namespace trainwarden::localaws
