#include "tests/demo/stage.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "runtime/base/ascii.h"

namespace trainwarden::demo {
namespace {

using std::chrono::seconds;

constexpr std::string_view kNamespace = "/aws/sagemaker/TrainingJobs";
constexpr std::chrono::milliseconds kPause{50};

std::int64_t epoch(sys_seconds t) { return t.time_since_epoch().count(); }

// `name` as a whole word: not "train-10" where "train-1" is meant.
bool names(std::string_view text, std::string_view name) {
  const auto in_name = [](char c) { return is_alphanumeric(c) || c == '-'; };
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end])))
      return true;
  }
  return false;
}

// The member "time", "…:02.123Z".
Result<sys_millis> time_of(json::Value object) {
  const std::string text = text_at(object, "time");
  TRY(const sys_seconds time, parse_rfc3339(text));
  int millis = 0;
  if (const std::size_t dot = text.find('.'); dot != std::string::npos)
    std::from_chars(text.data() + dot + 1, text.data() + std::min(text.size(), dot + 4), millis);
  return sys_millis(time) + std::chrono::milliseconds(millis);
}

// Of a log line's record the part that says what was decided about the job.
std::optional<json::Document> about(json::Value record, std::string_view job) {
  if (text_at(record, "job") == job && record.find("conclusion"))
    return json::Document::build([&](json::Sink& sink) { sink.value(record); });
  for (const json::Value element : record.elements())
    if (auto found = about(element, job)) return found;
  for (const json::Member member : record.members())
    if (auto found = about(member.value, job)) return found;
  return std::nullopt;
}

}  // namespace

Result<void> Stage::prepare() const {
  const aws::Call topic{
      &aws::kSns, "CreateTopic",
      fmt::format("Action=CreateTopic&Version={}&Name={}", aws::kSns.target_prefix,
                  kPeopleTopic.substr(kPeopleTopic.rfind(':') + 1))};
  CHECK_OK(client_.send_all({&topic, 1}, context()).front());
  json::Writer group;
  group.begin_object().member("logGroupName", kNamespace).end_object();
  CHECK_OK(client_.call({&aws::kLogs, "CreateLogGroup", group.take()}, context()));
  return {};
}

Result<void> Stage::place(std::string_view job, const json::Document& describe) const {
  CHECK_OK(cloud_.control("POST", fmt::format("jobs/{}", job), json::to_text(describe.root())));
  return {};
}

Result<void> Stage::transition(std::string_view job, std::string_view secondary, sys_seconds at,
                               std::string_view failure_reason) const {
  json::Writer body;
  body.begin_object().member("SecondaryStatus", secondary).member("at", epoch(at));
  if (!failure_reason.empty()) body.member("FailureReason", failure_reason);
  body.end_object();
  CHECK_OK(cloud_.control("POST", fmt::format("jobs/{}/transition", job), body.take()));
  return {};
}

Result<void> Stage::put_log(std::string_view job, std::span<const std::string_view> lines,
                            sys_seconds until) const {
  const std::string stream = fmt::format("{}/algo-1-{}", job, epoch(until));
  const auto call = [&](std::string_view operation,
                        const std::function<void(json::Writer&)>& more) {
    json::Writer body;
    body.begin_object().member("logGroupName", kNamespace);
    more(body);
    body.end_object();
    return client_.call({&aws::kLogs, operation, body.take()}, context());
  };
  CHECK_OK(
      call("CreateLogStream", [&](json::Writer& body) { body.member("logStreamName", stream); }));
  CHECK_OK(call("PutLogEvents", [&](json::Writer& body) {
    body.member("logStreamName", stream).key("logEvents").begin_array();
    std::int64_t second = epoch(until) - static_cast<std::int64_t>(lines.size());
    for (const std::string_view line : lines)
      body.begin_object().member("timestamp", second++ * 1000).member("message", line).end_object();
    body.end_array();
  }));
  return {};
}

// One call: alarms are evaluated after it, and must not see some hosts silent and others missing.
Result<void> Stage::put_gpu_load(std::string_view job, int hosts, sys_seconds begin,
                                 sys_seconds end,
                                 const std::function<double(int minute, int host)>& percent) const {
  json::Writer body;
  body.begin_object().member("Namespace", kNamespace).key("MetricData").begin_array();
  for (int host = 1; host <= hosts; ++host) {
    int minute = 0;
    for (sys_seconds at = begin; at < end; at += std::chrono::minutes(1)) {
      body.begin_object().member("MetricName", "GPUUtilization").member("Unit", "Percent");
      body.member("Timestamp", epoch(at)).member("Value", percent(minute++, host));
      body.key("Dimensions").begin_array().begin_object().member("Name", "Host");
      body.member("Value", fmt::format("{}/algo-{}", job, host));
      body.end_object().end_array().end_object();
    }
  }
  body.end_array().end_object();
  CHECK_OK(client_.call({&aws::kCloudWatch, "PutMetricData", body.take()}, context()));
  return {};
}

Result<json::Document> Stage::describe(std::string_view job) const {
  TRY(const aws::JobName name, aws::JobName::parse(job));
  return sagemaker_.describe_training_job(name, context());
}

Result<json::Document> Stage::tags(std::string_view job) const {
  TRY(const json::Document described, describe(job));
  return sagemaker_.list_tags(text_at(described.root(), "TrainingJobArn"), context());
}

Result<std::optional<std::pair<double, double>>> Stage::gpu_load(std::string_view job, int hosts,
                                                                 sys_seconds begin,
                                                                 sys_seconds end) const {
  json::Writer queries;
  queries.begin_array();
  for (int host = 1; host <= hosts; ++host) {
    queries.begin_object().member("Id", fmt::format("m{}", host)).key("MetricStat").begin_object();
    queries.key("Metric").begin_object().member("Namespace", kNamespace);
    queries.member("MetricName", "GPUUtilization").key("Dimensions").begin_array().begin_object();
    queries.member("Name", "Host").member("Value", fmt::format("{}/algo-{}", job, host));
    queries.end_object().end_array().end_object().member("Period", 60).member("Stat", "Maximum");
    queries.end_object().end_object();
  }
  queries.end_array();
  TRY(const json::Document document, json::Document::parse(queries.take()));
  TRY(const auto series, cloudwatch_.get_metric_data(document.root(), begin, end, context()));
  std::optional<std::pair<double, double>> out;
  for (const auto& one : series)
    for (const auto& point : one.datapoints) {
      if (!out) out.emplace(point.value, point.value);
      out->first = std::min(out->first, point.value);
      out->second = std::max(out->second, point.value);
    }
  return out;
}

Result<json::Document> Stage::alarms(std::string_view job) const {
  json::Writer out;
  out.begin_array();
  const auto each = [&](json::Value alarm) -> Result<bool> {
    out.value(alarm);
    return true;
  };
  CHECK_OK(cloudwatch_.describe_alarms({fmt::format("trainwarden/{}/", job), std::nullopt}, each,
                                       context()));
  out.end_array();
  return json::Document::parse(out.take());
}

Result<std::vector<CallSeen>> Stage::calls(std::string_view job) const {
  TRY(const json::Document all, cloud_.control("GET", "calls"));
  std::vector<CallSeen> out;
  for (const json::Value call : all.root().elements()) {
    const auto request = call.find("request");
    std::string text = request ? json::to_text(*request) : std::string();
    if (!names(text, job)) continue;
    TRY(const sys_millis time, time_of(call));
    out.push_back({time, text_at(call, "function"), text_at(call, "operation"), std::move(text),
                   static_cast<int>(number_at(call, "status"))});
  }
  return out;
}

Result<std::vector<MessageSeen>> Stage::messages(std::string_view job) const {
  TRY(const json::Document all, cloud_.control("GET", "messages"));
  std::vector<MessageSeen> out;
  for (const json::Value message : all.root().elements()) {
    MessageSeen seen{{},
                     text_at(message, "subject"),
                     text_at(message, "message"),
                     text_at(message, "attributes.outcome.value")};
    if (text_at(message, "topic") != kPeopleTopic || !names(seen.text, job)) continue;
    TRY(seen.time, time_of(message));
    out.push_back(std::move(seen));
  }
  return out;
}

Result<std::vector<std::pair<sys_millis, json::Document>>> Stage::alarm_messages(
    std::string_view job) const {
  TRY(const json::Document all, cloud_.control("GET", "messages"));
  const std::string prefix = fmt::format("trainwarden/{}/", job);
  std::vector<std::pair<sys_millis, json::Document>> out;
  for (const json::Value message : all.root().elements()) {
    auto parsed = json::Document::parse(text_at(message, "message"));
    if (!parsed || !text_at(parsed->root(), "AlarmName").starts_with(prefix)) continue;
    TRY(const sys_millis time, time_of(message));
    out.emplace_back(time, std::move(*parsed));
  }
  return out;
}

std::optional<json::Document> Stage::record(std::string_view function, std::string_view job) const {
  std::optional<json::Document> out;
  const std::string log = cloud_.log();
  const std::string mark = fmt::format("[{}] {{", function);
  for (std::size_t at = log.find(mark); at != std::string::npos; at = log.find(mark, at + 1)) {
    const std::string_view line(log.data() + at + mark.size() - 1,
                                log.find('\n', at) - at - mark.size() + 1);
    const auto document = json::Document::parse(line);
    const auto record = document ? document->root().find("record") : std::nullopt;
    if (!record) continue;
    if (auto found = about(*record, job)) out.emplace(std::move(*found));
  }
  return out;
}

std::optional<double> Stage::usd_per_hour(json::Value described) const {
  const auto prices = policy_.root().find("prices");
  const auto price =
      prices ? prices->find(text_at(described, "ResourceConfig.InstanceType")) : std::nullopt;
  if (!price) return std::nullopt;
  const auto usd = price->is_object() ? price->find("usd") : price;
  return usd->as_number() * number_at(described, "ResourceConfig.InstanceCount");
}

Result<json::Document> Stage::wait_for_status(std::string_view job,
                                              std::string_view secondary) const {
  return wait_for<json::Document>(fmt::format("{} is {}", job, secondary),
                                  [&]() -> Result<std::optional<json::Document>> {
                                    TRY(json::Document found, describe(job));
                                    if (text_at(found.root(), "SecondaryStatus") != secondary)
                                      return std::nullopt;
                                    return found;
                                  });
}

Result<MessageSeen> Stage::wait_for_message(std::string_view job) const {
  return wait_for<MessageSeen>(fmt::format("people are told about {}", job),
                               [&]() -> Result<std::optional<MessageSeen>> {
                                 TRY(auto found, messages(job));
                                 if (found.empty()) return std::nullopt;
                                 return std::move(found.back());
                               });
}

aws::CallContext Stage::context() {
  return {Deadline::at(Deadline::Clock::now() + seconds(10)), "", nullptr};
}

void Stage::pause() { std::this_thread::sleep_for(kPause); }

namespace {

std::optional<json::Value> at(json::Value value, std::string_view path) {
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    const auto found = value.find_present(name);
    if (!found) return std::nullopt;
    value = *found;
    path.remove_prefix(std::min(path.size(), name.size() + 1));
  }
  return value;
}

}  // namespace

std::string dollars(double usd) {
  std::string out = fmt::format("{:.2f}", usd);
  for (std::size_t at = out.find('.'); at > 3;) out.insert(at -= 3, ",");
  return "$" + out;
}

std::string text_at(json::Value value, std::string_view path) {
  const auto found = at(value, path);
  return found && found->is_string() ? std::string(found->as_string()) : std::string();
}

double number_at(json::Value value, std::string_view path) {
  const auto found = at(value, path);
  return found && found->is_number() ? found->as_number() : 0;
}

sys_millis time_at(json::Value value, std::string_view path) {
  return sys_millis(
      std::chrono::milliseconds(static_cast<std::int64_t>(number_at(value, path) * 1000)));
}

}  // namespace trainwarden::demo
