// The functions' side of a history: their invocations, their calls, and what they leave behind.
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "runtime/json/json.h"
#include "tests/chaos/process.h"
#include "tests/chaos/world.h"

namespace trainwarden::chaos {
namespace {

using std::chrono::minutes;

constexpr milliseconds kTimeOut{60000};
constexpr milliseconds kMargin{500};  // as the loop leaves
// Lambda's waits before the second and the third try of an event.
constexpr std::array<minutes, 2> kWaits = {minutes(1), minutes(2)};
constexpr std::size_t kReportTries = 185;  // as its rule has it
constexpr std::array<std::string_view, 10> kWrites = {
    "AddTags",      "StopTrainingJob", "StopHyperParameterTuningJob",
    "PutItem",      "PutMetricAlarm",  "CreateTrainingJob",
    "DeleteAlarms", "SetAlarmState",   "UpdateTrainingJob",
    "Publish"};
// Only the first is a word on rights.
constexpr long kRefusals = 5;
localaws::AwsError refusal(long number) {
  switch (number) {
    case 0:
      return testing::kDenied;
    case 1:
      return {403, "ExpiredTokenException", "The security token is expired"};
    case 2:
      return {403, "UnrecognizedClientException", "The security token is invalid"};
    case 3:
      return {403, "InvalidSignatureException", "Signature expired"};
    default:
      return {400, "RequestExpired", "Request has expired."};
  }
}
// Even when nothing else is slow, so that a list without an end takes all the time that there is.
constexpr milliseconds kPageOfLog{200};

std::string operation_of(const http::Request& request) {
  for (const http::Header& header : request.headers)
    if (localaws::lower(header.name) == "x-amz-target")
      return header.value.substr(header.value.rfind('.') + 1);
  constexpr std::string_view kAction = "Action=";
  const auto at = request.body.find(kAction);
  if (at == std::string::npos) return "?";
  const auto from = at + kAction.size();
  return request.body.substr(from, request.body.find('&', from) - from);
}

std::string text_in(json::Value object, std::string_view name) {
  const auto value = object.find_present(name);
  return value && value->is_string() ? std::string(value->as_string()) : std::string();
}

std::string parent_in(json::Value request) {
  if (const auto tags = request.find_present("Tags"))
    for (const json::Value tag : tags->elements())
      if (text_in(tag, "Key") == "trainwarden:parent") return text_in(tag, "Value");
  return {};
}

// Without the ids of AWS's requests, which are random.
std::string without_ids(std::string text) {
  for (auto at = text.find(", request id "); at != std::string::npos;
       at = text.find(", request id "))
    text.erase(at, text.find(')', at) - at);
  return text;
}

// The outcomes that a record tells, wherever in a line it stands.
void read_outcomes(json::Value value, std::size_t invocation, std::vector<Said>& said) {
  for (const json::Value element : value.elements()) read_outcomes(element, invocation, said);
  for (const json::Member member : value.members()) read_outcomes(member.value, invocation, said);
  const auto decisions = value.find_present("decisions");
  const std::string job = text_in(value, "job");
  if (!decisions || job.empty()) return;
  const auto add = [&](json::Value outcome, std::string rule, const std::string& action) {
    std::string result = text_in(outcome, "result");
    for (const char* const more : {"error", "reason"})
      if (const std::string text = text_in(outcome, more); !text.empty()) result += " !" + text;
    said.push_back({invocation, job, std::move(rule), action, without_ids(std::move(result)),
                    text_in(outcome, "code")});
  };
  for (const json::Value decision : decisions->elements())
    if (const auto actions = decision.find_present("actions"))
      for (const json::Value action : actions->elements())
        add(action, text_in(decision, "rule"), text_in(action, "action"));
  for (const char* const list : {"dropped", "skipped"})
    if (const auto found = value.find_present(list))
      for (const json::Value one : found->elements()) add(one, text_in(one, "rule"), list);
  if (const auto restart = value.find_present("restart")) add(*restart, "", "restart");
  for (const char* const error : {"error", "measured"})
    if (const std::string text = text_in(value, error); !text.empty())
      said.push_back({invocation, job, "", error, without_ids(text), ""});
}

}  // namespace

// One invocation's calls, and what befalls them.
class World::Caller final : public View {
 public:
  Caller(World& world, Crew::Worker& worker, std::size_t invocation)
      : world_(world),
        worker_(worker),
        invocation_(invocation),
        id_(world.evidence_.invocations[invocation].id),
        dies_at_(world.clock_.now() + kTimeOut) {}

  std::vector<Result<http::Response>> send(std::span<const http::Request> requests,
                                           Deadline deadline) override {
    std::vector<Result<http::Response>> out;
    for (const http::Request& request : requests) out.push_back(call(request, deadline));
    return out;
  }

  // A function that takes too long is killed.
  void sleep_for(milliseconds duration) override {
    worker_.wait(duration);
    if (world_.clock_.now() >= dies_at_) die("at its time-out");
  }

 private:
  Result<http::Response> call(const http::Request& request, Deadline deadline) {
    const std::string operation = operation_of(request);
    const std::string name = fmt::format("{}: call {} {}", id_, ++calls_, operation);
    const bool endless = operation == "FilterLogEvents" && reads_endless_log(request.body);
    const milliseconds takes = std::max(latency(name), endless ? kPageOfLog : milliseconds(0));
    const milliseconds left = deadline.left(world_.clock_.steady_now());
    sleep_for(std::min(takes, left));
    if (takes > left) return late();
    const double dies = share_of_deaths(operation);
    if (world_.weather_.strikes(name + ": dies before", dies)) die("before " + operation);
    const bool cut = strike(operation, request, name);
    if (endless)
      world_.aws_.answer_with(operation, fmt::format(R"({{"events":[],"nextToken":"page-{}"}})",
                                                     ++world_.pages_of_logs_));
    auto answers = world_.aws_.send({&request, 1}, deadline);
    Result<http::Response> answer = std::move(answers.front());
    world_.note_act(invocation_, operation, request.body, answer);
    const std::size_t act = world_.evidence_.acts.size();  // behind it
    world_.drain();
    if (world_.weather_.strikes(name + ": dies after", dies)) die("after " + operation);
    sleep_for(std::min(latency(name + " back"), deadline.left(world_.clock_.steady_now())));
    if (cut || deadline.left(world_.clock_.steady_now()) < milliseconds(0)) return late();
    if (std::ranges::find(kWrites, operation) != kWrites.end())
      world_.evidence_.acts[act - 1].heard = true;
    if (operation == "Search" && is_too_large(answer))
      return fail(ErrorCode::kTooLarge, "the answer is too large");
    return answer;
  }

  bool reads_endless_log(const std::string& body) const {
    if (world_.endless_logs_.empty()) return false;
    const auto request = json::Document::parse(body);
    const std::string streams = text_in(request->root(), "logStreamNamePrefix");
    return world_.endless_logs_.contains(streams.substr(0, streams.find('/')));
  }

  bool is_too_large(const Result<http::Response>& answer) const {
    const std::size_t limit = world_.story_.page_limit;
    if (limit == 0 || !answer || answer->status != 200) return false;
    const auto page = json::Document::parse(answer->body);
    const auto found = page ? page->root().find_present("Results") : std::nullopt;
    return found && found->size() > limit;
  }

  // Beside the call that matters most they are more frequent.
  double share_of_deaths(const std::string& operation) const {
    constexpr double kBesideStops = 0.1;
    const Story& story = world_.story_;
    const bool often = story.grown && story.rates.dies > 0 && operation == "StopTrainingJob";
    return often ? std::max(kBesideStops, story.rates.dies) : story.rates.dies;
  }

  static Result<http::Response> late() { return fail(ErrorCode::kTimeout, "no answer in time"); }

  [[noreturn]] void die(const std::string& when) {
    world_.tell(fmt::format("[{}] dies {}", id_, when));
    throw testing::Killed{};
  }

  milliseconds latency(const std::string& name) {
    if (world_.weather_.over()) return milliseconds(0);
    const Dice& dice = world_.weather_.dice();
    if (world_.weather_.strikes(name + ": is slow", world_.story_.rates.slow))
      return milliseconds(dice.between(name + " is slow", 1000, 12000));
    // Two hundred that write one item need a service as fast as AWS's are.
    return world_.story_.burst ? milliseconds(dice.between(name, 2, 8))
                               : milliseconds(dice.between(name, 10, 200));
  }

  // At most one thing goes wrong with a call. Gives whether its answer is lost.
  bool strike(const std::string& operation, const http::Request& request, const std::string& name) {
    Weather& weather = world_.weather_;
    const Rates& rates = world_.story_.rates;
    testing::InProcessAws& aws = world_.aws_;
    if (operation == "ListTags" && world_.tags_are_late(request.body)) {
      aws.answer_with(operation, R"({"Tags":[]})");
      return false;
    }
    const bool looks = operation == "DescribeTrainingJob" || operation == "ListTags";
    if (looks && weather.strikes(name + ": is out of date", rates.lags)) {
      const milliseconds lag(
          weather.dice().between(name + " lag", 200, kMostLag / milliseconds(1)));
      const std::string past = world_.past_answer(operation, request.body, lag);
      if (past.empty())
        aws.refuse("*", {400, "ValidationException", "Requested resource not found."});
      else
        aws.answer_with(operation, past);
      return false;
    }
    const bool asks = operation == "StopTrainingJob" || operation == "CreateTrainingJob";
    if (asks && weather.strikes(name + ": is denied", rates.denied)) {
      const long kind =
          world_.story_.grown ? weather.dice().between(name + " kind", 0, kRefusals - 1) : 0;
      aws.refuse("*", operation == "StopTrainingJob"
                          ? refusal(kind)
                          : localaws::AwsError{400, "ResourceLimitExceeded",
                                               "The account-level service limit is 0 Instances"});
      return false;
    }
    if (world_.story_.grown && weather.strikes(name + ": its token is old", rates.denied / 20)) {
      aws.refuse("*", refusal(1));
      return false;
    }
    if (weather.strikes(name + ": is throttled", rates.throttled))
      aws.refuse("*", testing::kThrottled);
    else if (weather.strikes(name + ": fails", rates.broken))
      aws.refuse("*", testing::kFault);
    else
      return weather.strikes(name + ": its answer is lost", rates.cut);
    return false;
  }

  World& world_;
  Crew::Worker& worker_;
  std::size_t invocation_;
  std::string id_;
  sys_millis dies_at_;
  int calls_ = 0;
};

void World::deliver(sys_millis time, Delivery delivery) {
  crew_.begin(time, [this, delivery = std::move(delivery)](Crew::Worker& worker) {
    work(worker, delivery);
  });
}

Process& World::process_for(const Delivery& delivery) {
  std::erase_if(processes_, [](const auto& process) { return process->dead(); });
  const testing::Env& environment = environment_now();
  for (const auto& process : processes_)
    if (process->serves(delivery.function, environment) && !process->busy()) return *process;
  const long most = story_.clock_error.count();
  const milliseconds fast(weather_.dice().between(delivery.id + " clock", -most, most));
  processes_.push_back(std::make_unique<Process>(delivery.function, environment, clock_, fast));
  return *processes_.back();
}

void World::work(Crew::Worker& worker, const Delivery& delivery) {
  const std::size_t index = evidence_.invocations.size();
  evidence_.invocations.push_back(
      {.id = delivery.tries == 0 ? delivery.id
                                 : fmt::format("{} again {}", delivery.id, delivery.tries),
       .began = clock_.now(),
       .sweep = delivery.id.starts_with("sweep")});
  const std::string id = evidence_.invocations[index].id;
  const int descriptor = memfd_create("log", MFD_CLOEXEC);
  lambda::Log log(lambda::LogFormat::kJson, lambda::Level::kInfo, descriptor, clock_);
  const lambda::Invocation invocation{
      *lambda::RequestId::parse(fmt::format("{:016x}", Dice(0).bits(delivery.id))),
      delivery.payload,
      {},
      "arn:aws:lambda:eu-central-1:111122223333:function:trainwarden",
      {},
      {},
      {},
      {}};
  const lambda::Context context{invocation, Deadline::at(clock_.steady_now() + kTimeOut - kMargin),
                                log};
  const auto random = [this, id, n = 0]() mutable {
    return weather_.dice().roll(fmt::format("{} jitter {}", id, ++n));
  };
  tell(fmt::format("[{}] begins", id));
  Caller caller(*this, worker, index);
  try {
    const auto answer = process_for(delivery).handle(context, random, caller);
    if (!answer) evidence_.invocations[index].error = without_ids(answer.error().message);
  } catch (const testing::Killed&) {
    evidence_.invocations[index].died = true;
  }
  Invocation& ended = evidence_.invocations[index];
  ended.ended = clock_.now();
  read_log(descriptor, index);
  close(descriptor);
  tell(fmt::format("[{}] {}", id,
                   ended.died            ? "died"
                   : ended.error.empty() ? std::string("ended")
                                         : "failed: " + ended.error));
  const auto tries = static_cast<std::size_t>(delivery.tries);
  const bool is_report = delivery.id.starts_with("report");
  if ((!ended.died && ended.error.empty()) || tries >= (is_report ? kReportTries : kWaits.size()))
    return;
  Delivery again = delivery;
  ++again.tries;
  deliver(clock_.now() + kWaits.at(std::min(tries, kWaits.size() - 1)), std::move(again));
}

void World::read_log(int descriptor, std::size_t invocation) {
  const auto size = static_cast<std::size_t>(lseek(descriptor, 0, SEEK_END));
  std::string all(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t some = pread(descriptor, all.data() + got, size - got, static_cast<off_t>(got));
    if (some <= 0) break;
    got += static_cast<std::size_t>(some);
  }
  const std::size_t from = evidence_.said.size();
  for (std::size_t at = 0; at < size;) {
    const std::size_t end = std::min(all.find('\n', at), size);
    const std::string_view line(all.data() + at, end - at);
    at = end + 1;
    if (line.find("\"decisions\"") == std::string_view::npos) continue;
    const auto parsed = json::Document::parse(line);
    if (parsed) read_outcomes(parsed->root(), invocation, evidence_.said);
  }
  for (std::size_t i = from; keeps_diary_ && i < evidence_.said.size(); ++i) {
    const Said& one = evidence_.said[i];
    tell(fmt::format("  says of {}: {} {}: {}", one.job, one.rule, one.action, one.result));
  }
}

void World::note_act(std::size_t invocation, const std::string& operation, const std::string& body,
                     const Result<http::Response>& answer) {
  if (std::ranges::find(kWrites, operation) == kWrites.end()) return;
  const bool ok = answer && answer->status / 100 == 2;
  Act act{.at = clock_.now(), .invocation = invocation, .operation = operation, .done = ok};
  act.denied = answer && answer->body.find("AccessDenied") != std::string::npos;
  if (operation == "StopTrainingJob" || operation == "CreateTrainingJob") {
    const auto request = json::Document::parse(body);
    act.job = text_in(request->root(), "TrainingJobName");
    act.parent = parent_in(request->root());
  }
  if (operation == "StopHyperParameterTuningJob")
    act.job = text_in(json::Document::parse(body)->root(), "HyperParameterTuningJobName");
  if (operation == "UpdateTrainingJob")
    act.job = text_in(json::Document::parse(body)->root(), "TrainingJobName");
  if (operation == "PutItem") {
    const auto request = json::Document::parse(body);
    const auto item = request->root().find_present("Item");
    const auto id = item ? item->find_present("id") : std::nullopt;
    if (id) act.item = text_in(*id, "S");
  }
  if (operation == "AddTags" && ok) {
    const auto request = json::Document::parse(body);
    const std::string arn = text_in(request->root(), "ResourceArn");
    act.job = arn.substr(arn.find('/') + 1);
    note_tags(act.job);
  }
  if (operation == "Publish" && ok) note_notices(invocation);
  tell(fmt::format("[{}] {} {} {}", evidence_.invocations[invocation].id, operation, act.job,
                   ok ? "ok" : "refused"));
  evidence_.acts.push_back(std::move(act));
}

void World::note_notices(std::size_t invocation) {
  for (; notices_seen_ < aws_.messages().size(); ++notices_seen_) {
    const localaws::Message& message = aws_.messages()[notices_seen_];
    if (message.topic_arn != testing::kPeople) continue;
    Notice notice{
        .at = message.time, .invocation = invocation, .job = {}, .rule = {}, .outcome = {}};
    for (const localaws::MessageAttribute& one : message.attributes) {
      if (one.name == "rule") notice.rule = one.value;
      if (one.name == "outcome") notice.outcome = one.value;
    }
    const auto body = json::Document::parse(message.body);
    const auto job = body ? body->root().find_present("job") : std::nullopt;
    if (job) notice.job = text_in(*job, "name");
    evidence_.notices.push_back(std::move(notice));
  }
}

// The tags of some jobs are not there for the first seconds, whoever asks.
bool World::tags_are_late(const std::string& body) {
  const auto request = json::Document::parse(body);
  const std::string arn = text_in(request->root(), "ResourceArn");
  const std::string job = arn.substr(arn.find('/') + 1);
  const auto found = tags_.find(job);
  if (found == tags_.end()) return false;
  const milliseconds age = clock_.now() - found->second.front().first;
  return age < milliseconds(weather_.dice().between(job + " tags", 500, 12000)) &&
         weather_.strikes(job + ": its tags are late", story_.rates.lags);
}

// As it was so long ago; empty where the job was not there yet.
std::string World::past_answer(const std::string& operation, const std::string& body,
                               milliseconds lag) const {
  const auto request = json::Document::parse(body);
  const bool describes = operation == "DescribeTrainingJob";
  const std::string arn = text_in(request->root(), "ResourceArn");
  const std::string job =
      describes ? text_in(request->root(), "TrainingJobName") : arn.substr(arn.find('/') + 1);
  const auto& all = describes ? descriptions_ : tags_;
  const auto found = all.find(job);
  if (found == all.end()) return {};
  const auto after =
      std::ranges::upper_bound(found->second, clock_.now() - lag, {}, &Versions::value_type::first);
  if (after != found->second.begin()) return (after - 1)->second;
  // Of a job that is new nobody knows yet.
  return describes ? std::string() : R"({"Tags":[]})";
}

}  // namespace trainwarden::chaos
