#include "handlers/alarm/alarm_function.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "handlers/actions/context/bounded.h"
#include "handlers/actions/handle/handle_job.h"
#include "handlers/alarm/alarm_event.h"
#include "handlers/alarm/ignored.h"
#include "handlers/function/record_metrics.h"
#include "handlers/rules/alarms/alarm_name.h"
#include "handlers/rules/facts/source.h"
#include "runtime/base/arn.h"
#include "runtime/json/one_line.h"

namespace trainwarden::alarm {
namespace {

using Why = Ignored::Why;

// With less time left, a message is not begun: it takes a look at the job, its metrics, a second
// look and a stop.
constexpr std::chrono::milliseconds kTimeForOne{3000};
// With less time left, a decision is not carried out: it takes a look and a stop.
constexpr std::chrono::milliseconds kTimeToAct{1500};
// Messages that are decided on before any of them is acted on. SNS delivers one; more would hold
// the descriptions of as many jobs at once.
constexpr std::size_t kTogether = 20;
// Of one message on a line of the log, whose own members take little.
constexpr std::size_t kLongestEntry = lambda::kLongestLine - 4000;

// A message's job. All jobs are decided on first; each is acted on when its turn comes.
class Handling {
 public:
  Handling(function::Session& session, const lambda::Context& context)
      : session_(session),
        calls_(function::Session::calls(context, &made_)),
        apis_(session.client(), session.clock(), calls_, session.config(), {},
              context.invocation.request_id.view()) {}
  Handling(const Handling&) = delete;  // apis_ points to calls_, which points to made_
  Handling& operator=(const Handling&) = delete;
  ~Handling() = default;

  void consider(aws::JobName job, const rules::JobEvent& event) {
    considered_ = actions::consider(session_.rules(), {std::move(job), {}}, event, apis_);
  }
  double hourly_cost() const { return considered_->hourly_cost; }
  actions::Record act() {
    actions::Record record = actions::carry_out(session_.rules(), *std::move(considered_), apis_);
    record.calls = std::move(made_);
    return record;
  }

 private:
  function::Session& session_;
  std::vector<aws::CallMade> made_;
  aws::CallContext calls_;
  actions::Apis apis_;
  std::optional<actions::Considered> considered_;
};

// The outcome of one message.
struct Entry {
  SnsRecord message;
  std::optional<Ignored> ignored = {};  // why nothing was done; nullopt if handled
  std::optional<Error> error = {};
  std::optional<std::string> record = {};              // the decision's record, as JSON
  std::optional<actions::Conclusion> conclusion = {};  // nullopt if not handled
  std::unique_ptr<Handling> handling = {};             // until it is handled
};

// Why a message is not meant for this function, or is forged (W4, W5); nullopt if it is ours.
std::optional<Ignored> foreign(const SnsRecord& record, const actions::Config& config,
                               std::string_view region, std::string_view own_account) {
  const AlarmMessage& message = *record.message;
  const std::string& topic = config.alarm_topic;
  if (!topic.empty() && record.topic_arn != topic) return Ignored{Why::kForeignTopic, topic};
  if (!rules::AlarmName::parse(message.alarm, config.alarm_prefix))
    return Ignored{Why::kForeignAlarm, config.alarm_prefix};
  if (message.region != region) return Ignored{Why::kForeignRegion, std::string(region)};
  if (message.arn_account != message.account ||
      (!topic.empty() && message.arn_account != arn_field(topic, ArnField::kAccount)))
    return Ignored{Why::kAccountsDiffer};
  if (!own_account.empty() && message.account != own_account)
    return Ignored{Why::kForeignAccount, std::string(own_account)};
  if (message.arn_alarm != message.alarm) return Ignored{Why::kOtherAlarmInArn};
  if (message.composite) return Ignored{Why::kComposite};
  if (message.new_state != rules::kInAlarm)
    return Ignored{Why::kOtherState, message.new_state.substr(0, 40)};
  return std::nullopt;
}

rules::JobEvent event_of(const rules::AlarmName& name, const SnsRecord& record) {
  const AlarmMessage& message = *record.message;
  return {.trigger = rules::Trigger::kAlarm,
          .job_name = name.job,
          .training_job_status = {},
          .secondary_status = {},
          .creation_time = {},
          .alarm = rules::AlarmEvent{message.alarm, name.watch, message.new_state},
          .id = record.message_id,
          .time = record.time,
          .account = message.account,
          .region = message.region};
}

std::string to_text(const Entry& entry, std::string_view prefix) {
  json::Writer sink;
  sink.begin_object().member("message_id", actions::shown(entry.message.message_id));
  if (const auto& message = entry.message.message) {
    sink.member("alarm", actions::shown(message->alarm));
    if (const auto ours = rules::AlarmName::parse(message->alarm, prefix)) {
      sink.member("job", ours->job).member("watch", ours->watch);
      if (ours->part > 0) sink.member("part", ours->part);
    }
    sink.member("state", actions::shown(message->new_state));
    if (!message->old_state.empty()) sink.member("old_state", actions::shown(message->old_state));
  }
  if (entry.ignored)
    sink.member("result", "ignored")
        .member("reason", actions::shown(text(*entry.ignored)))
        .member("code", code(entry.ignored->why));
  else if (entry.conclusion)
    sink.member("result", actions::name(*entry.conclusion))
        .member("code", actions::code(*entry.conclusion));
  else
    sink.member("result", "failed").member("code", "failed");
  if (entry.error) sink.member("error", actions::shown(entry.error->message));
  sink.end_object();
  std::string text = json::one_line(sink.take());
  if (!entry.record) return text;
  text.pop_back();
  // Beside texts that are as long as texts may be, a record that is as long as records may be.
  if (text.size() + entry.record->size() > kLongestEntry)
    return text.append(R"(,"left_out":{"record":1}})");
  return text.append(R"(,"record":)").append(*entry.record).append("}");
}

// Logs messages on as many lines as they need. Those that were ignored get half a line, and are
// then only counted: whoever sends many of them must not fill the log.
class MessageLines {
 public:
  MessageLines(const lambda::Log& log, std::string_view prefix) : log_(log), prefix_(prefix) {}

  void add(const Entry& entry) {
    const std::string text = to_text(entry, prefix_);
    if (entry.ignored) {
      if (text.size() > room_of_ignored_) return count(code(entry.ignored->why));
      room_of_ignored_ -= text.size();
    }
    if (!line_.empty() && line_.size() + text.size() > actions::kLongestRecord) write();
    line_.append(line_.empty() ? "" : ",").append(text);
    if (entry.error) level_ = lambda::Level::kError;
  }

  // Writes the last line, which has `left_out`, and returns its record.
  std::string finish() {
    json::Writer counts;
    counts.begin_object();
    for (const auto& [code, count] : left_out_) counts.member(code, count);
    counts.end_object();
    return write(left_out_.empty() ? "" : R"(,"left_out":)" + counts.take());
  }

 private:
  std::string write(const std::string& more = {}) {
    std::string record = R"({"trigger":")";
    record.append(rules::name(rules::Trigger::kAlarm)).append(R"(","messages":[)");
    record.append(line_).append("]").append(more).append("}");
    log_.record(level_, "alarm messages", "record", record, {});
    line_.clear();
    level_ = lambda::Level::kInfo;
    return record;
  }

  void count(std::string_view code) { ++left_out_[code]; }

  const lambda::Log& log_;
  std::string_view prefix_;
  std::string line_;
  lambda::Level level_ = lambda::Level::kInfo;
  std::size_t room_of_ignored_ = actions::kLongestRecord / 2;
  std::map<std::string_view, std::size_t> left_out_;
};

// Decides which messages to handle, in their order.
class Sorter {
 public:
  Sorter(const actions::Config& config, std::string_view region, std::string_view account)
      : config_(config), region_(region), account_(account) {}

  // Why the message is ignored; nullopt if it is to be handled.
  std::optional<Ignored> ignore(const SnsRecord& record) {
    if (!record.message_id.empty() && !ids_.insert(record.message_id).second)
      return Ignored{Why::kDuplicate};
    if (!record.message) return Ignored{Why::kNoAlarm, record.message.error().message};
    if (auto why = foreign(record, config_, region_, account_)) return why;
    const auto name = *rules::AlarmName::parse(record.message->alarm, config_.alarm_prefix);
    // One message covers all of a watch's alarms on a job, since all hosts are measured.
    if (!alarms_.emplace(name.job, name.watch).second) return Ignored{Why::kSameWatch};
    return std::nullopt;
  }

 private:
  const actions::Config& config_;
  std::string_view region_;
  std::string_view account_;
  std::set<std::string> ids_;
  std::set<std::pair<std::string, std::string>> alarms_;
};

void begin(Entry& entry, function::Session& session, const lambda::Context& context) {
  const AlarmMessage& message = *entry.message.message;
  const auto name = *rules::AlarmName::parse(message.alarm, session.config().alarm_prefix);
  auto job = aws::JobName::parse(name.job);
  if (!job) {
    entry.error = std::move(job).error();
    return;
  }
  entry.handling = std::make_unique<Handling>(session, context);
  entry.handling->consider(*std::move(job), event_of(name, entry.message));
}

void finish(Entry& entry, function::MetricsSum& metrics) {
  const actions::Record record = std::exchange(entry.handling, nullptr)->act();
  metrics.add(record);
  entry.conclusion = record.conclusion;
  entry.error = record.failure();
  entry.record = record.to_text();
}

bool is_ours(const Entry& entry) { return !entry.ignored; }

// The next messages that are handled together; none behind the last.
std::vector<Entry> take(SnsRecords& records, Sorter& sorter) {
  std::vector<Entry> entries;
  while (entries.size() < kTogether) {
    auto record = records.next();
    if (!record) break;
    auto ignored = sorter.ignore(*record);
    entries.push_back({.message = *std::move(record), .ignored = std::move(ignored)});
  }
  return entries;
}

void handle_together(std::span<Entry> entries, function::Session& session,
                     const lambda::Context& context, function::MetricsSum& metrics) {
  const auto has_time = [&](Entry& entry, std::chrono::milliseconds needed) {
    if (context.deadline.left(session.clock().steady_now()) >= needed) return true;
    entry.error = Error{ErrorCode::kDeadline, "no time is left for this message"};
    return false;
  };
  std::vector<Entry*> begun;
  for (Entry& entry : entries) {
    if (is_ours(entry) && has_time(entry, kTimeForOne)) begin(entry, session, context);
    if (entry.handling) begun.push_back(&entry);
  }
  // The limits of P7 let the first jobs through, so the costliest come first.
  std::ranges::stable_sort(begun, std::ranges::greater(),
                           [](const Entry* entry) { return entry->handling->hourly_cost(); });
  for (Entry* const entry : begun)
    if (has_time(*entry, kTimeToAct)) finish(*entry, metrics);
}

}  // namespace

Result<AlarmFunction> AlarmFunction::start(const Environment& environment,
                                           http::Transport& transport, Clock& clock,
                                           const lambda::Log& log, std::function<double()> random) {
  TRY(function::Session session,
      function::Session::start(environment, transport, clock, log, std::move(random)));
  return AlarmFunction(std::move(session));
}

Result<std::string> AlarmFunction::handle(const lambda::Context& context) {
  TRY(SnsRecords records, SnsRecords::parse(context.invocation.payload));
  Sorter sorter(session_.config(), session_.client().region(),
                arn_field(context.invocation.function_arn, ArnField::kAccount));
  MessageLines lines(context.log, session_.config().alarm_prefix);
  function::MetricsSum metrics;
  std::optional<Error> failure;
  bool is_fresh = false;  // the policy
  bool has_handled = false;
  for (;;) {
    std::vector<Entry> entries = take(records, sorter);
    if (entries.empty()) break;
    if (!is_fresh && std::ranges::any_of(entries, is_ours)) {
      session_.refresh(context, function::Session::calls(context, nullptr));
      is_fresh = true;
    }
    handle_together(entries, session_, context, metrics);
    for (const Entry& entry : entries) {
      if (entry.error && !failure) failure = entry.error;
      has_handled = has_handled || entry.record;
      lines.add(entry);
    }
  }
  std::string record = lines.finish();
  if (has_handled)
    for (const lambda::Metrics& line : metrics.metrics()) context.log.metrics(line);
  if (failure) return fail(*std::move(failure));
  return record;
}

}  // namespace trainwarden::alarm
