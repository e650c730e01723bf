// The weekend: a job hangs after an hour's work and would burn money until Monday. Beside it a spot
// job whose GPUs idle as well: its machines were taken away, and it downloads again.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "tests/demo/placed_job.h"
#include "tests/demo/scenes.h"
#include "tests/demo/story.h"

namespace trainwarden::demo {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr int kHosts = 8;
constexpr std::size_t kTraining = 2;  // the state's number, after Starting and Downloading
constexpr std::string_view kMachine = "ml.p4d.24xlarge";

struct Weekend {
  std::string_view silent = "llm-weekend";
  std::string_view busy = "vision-resumes";
  sys_seconds now;      // a full minute
  sys_seconds trained;  // both train from here on
  sys_seconds stalled;  // and until here
};

double working(int minute, int host) { return 788 + (minute * 7 + host * 5) % 11; }
double silence(int, int) { return 0; }

PlacedJob job_of(std::string_view name, const Weekend& weekend) {
  return {.name = std::string(name),
          .instance_type = std::string(kMachine),
          .instances = kHosts,
          .created = weekend.trained - minutes(15),
          .max_runtime = hours(72),
          .checkpoints = fmt::format("s3://example-bucket/checkpoints/{}/", name),
          .tags = {{"model_name", std::string(name)}, {"username", "ana"}},
          .states = {{"Starting", weekend.trained - minutes(15)},
                     {"Downloading", weekend.trained - minutes(10)}}};
}

// The function hears that the job trains, and puts its alarm.
Result<void> begin_training(const Stage& stage, const PlacedJob& job, sys_seconds at) {
  CHECK_OK(stage.place(job.name, describe_document(job)));
  CHECK_OK(stage.transition(job.name, "Training", at));
  CHECK_OK(stage.wait_for<bool>(fmt::format("{} has its alarm", job.name),
                                [&]() -> Result<std::optional<bool>> {
                                  TRY(const json::Document alarms, stage.alarms(job.name));
                                  if (alarms.root().size() == 0) return std::nullopt;
                                  return true;
                                }));
  return {};
}

Result<void> play_the_past(const Stage& stage, const Weekend& weekend) {
  CHECK_OK(begin_training(stage, job_of(weekend.silent, weekend), weekend.trained));
  PlacedJob busy = job_of(weekend.busy, weekend);
  busy.spot = true;
  CHECK_OK(begin_training(stage, busy, weekend.trained));
  for (const auto& [state, at] : {std::pair("Interrupted", minutes(0)),
                                  {"Starting", minutes(4)},
                                  {"Downloading", minutes(9)}})
    CHECK_OK(stage.transition(weekend.busy, state, weekend.stalled + at));
  for (const std::string_view job : {weekend.silent, weekend.busy}) {
    CHECK_OK(stage.put_gpu_load(job, kHosts, weekend.trained, weekend.stalled, working));
    CHECK_OK(stage.put_gpu_load(job, kHosts, weekend.stalled + minutes(10), weekend.now, silence));
  }
  return {};
}

Result<void> tell_load(Stage& stage, std::string_view job, sys_seconds begin, sys_seconds end,
                       std::string_view words) {
  TRY(const auto load, stage.gpu_load(job, kHosts, begin, end));
  if (!load) return fail(ErrorCode::kInternal, fmt::format("{} has no metrics", job));
  stage.timeline().tell(
      sys_millis(begin), "the GPUs",
      load->first == load->second
          ? fmt::format("{}: GPUUtilization {:.0f} on all hosts", words, load->first)
          : fmt::format("{}: GPUUtilization {:.0f} to {:.0f}, {} hosts", words, load->first,
                        load->second, kHosts));
  return {};
}

Result<void> tell_past(Stage& stage, const Weekend& weekend) {
  const sys_seconds silent_from = weekend.stalled + minutes(10);
  for (const std::string_view job : {weekend.silent, weekend.busy}) {
    const bool silent = job == weekend.silent;
    CHECK_OK(tell_creation(stage, job));
    TRY(std::vector<Line> states, state_lines(stage, job, 1));
    std::erase_if(states, [&](const Line& line) { return line.at >= sys_millis(weekend.now); });
    const auto before = std::find_if(states.begin(), states.end(), [&](const Line& line) {
      return line.at >= sys_millis(weekend.stalled);
    });
    stage.timeline().tell({states.begin(), before});
    CHECK_OK(tell_load(stage, job, weekend.trained, weekend.stalled, "work"));
    stage.timeline().tell({before, states.end()});
    CHECK_OK(tell_load(stage, job, silent_from, weekend.now,
                       silent ? "have fallen silent" : "look idle"));
    stage.timeline().blank();
  }
  return {};
}

// When the function had put the alarm, and when it fired.
Result<void> tell_alarm(Stage& stage, std::string_view job) {
  TRY(const auto calls, stage.calls(job));
  const auto put = std::find_if(calls.begin(), calls.end(), [](const CallSeen& call) {
    return call.operation == "PutMetricAlarm" && call.status == 200;
  });
  TRY(const auto fired, stage.alarm_messages(job));
  if (put == calls.end() || fired.empty())
    return fail(ErrorCode::kInternal, fmt::format("no alarm of {} fired", job));
  TRY(const json::Document request, json::Document::parse(put->request));
  const json::Value alarm = request.root();
  stage.timeline().tell(put->time, "trainwarden",
                        fmt::format("puts the alarm {}", text_at(alarm, "AlarmName")));
  for (const auto& [time, message] : fired) {
    stage.timeline().tell(time, "CloudWatch",
                          fmt::format("{} goes from {} to {}", text_at(message.root(), "AlarmName"),
                                      text_at(message.root(), "OldStateValue"),
                                      text_at(message.root(), "NewStateValue")));
    const std::string reason = text_at(message.root(), "NewStateReason");
    stage.timeline().detail(reason.substr(0, reason.find(" [")));
  }
  return {};
}

// What the alarm function found when it looked again, and what it did then.
Result<void> tell_verdict(Stage& stage, std::string_view job) {
  TRY(const json::Document record,
      stage.wait_for<json::Document>(
          fmt::format("the alarm of {} is looked at again", job),
          [&]() -> Result<std::optional<json::Document>> { return stage.record("alarm", job); }));
  TRY(const std::vector<Line> lines, call_lines(stage, "alarm", job));
  const auto acts = std::find_if(lines.begin(), lines.end(), [](const Line& line) {
    return line.what.starts_with("writes") || line.what.starts_with("stops");
  });
  stage.timeline().tell({lines.begin(), acts});
  stage.timeline().detail(text_at(record.root(), "measured"));
  stage.timeline().tell({acts, lines.end()});
  return {};
}

// The job that hangs ends, and with it its alarm; its owner is told.
Result<void> tell_the_end(Stage& stage, std::string_view job) {
  CHECK_OK(stage.wait_for_status(job, "Stopped"));
  TRY(const Line deleted,
      stage.wait_for<Line>("its alarm is deleted", [&]() -> Result<std::optional<Line>> {
        TRY(const json::Document alarms, stage.alarms(job));
        TRY(const auto lines, call_lines(stage, "state", job));
        for (const Line& line : lines)
          if (alarms.root().size() == 0 && line.what.starts_with("deletes")) return line;
        return std::nullopt;
      }));
  TRY(std::vector<Line> lines, state_lines(stage, job, kTraining + 1));
  lines.push_back(deleted);
  stage.timeline().tell(std::move(lines));
  return quote_message(stage, job);
}

Result<void> tell_the_money(Stage& stage, std::string_view job) {
  TRY(const json::Document ended, stage.describe(job));
  const json::Value root = ended.root();
  const double rate = stage.usd_per_hour(root).value_or(0);
  const double ran = number_at(root, "TrainingTimeInSeconds") / 3600;
  const double left = number_at(root, "StoppingCondition.MaxRuntimeInSeconds") / 3600 - ran;
  if (rate <= 0 || left <= 0) return fail(ErrorCode::kInternal, "nothing was saved");
  stage.timeline().say(fmt::format(
      "{} ran {:.1f} hours for {}. It ends {:.1f} hours before its limit: {} are not spent.", job,
      ran, dollars(rate * ran), left, dollars(rate * left)));
  return {};
}

}  // namespace

Result<void> weekend(Stage& stage) {
  Weekend weekend;
  weekend.now = std::chrono::floor<minutes>(
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
  weekend.trained = weekend.now - hours(2);
  weekend.stalled = weekend.trained + hours(1);
  stage.timeline().scene("The weekend",
                         "Eight machines work for an hour and fall silent. Beside them, eight that "
                         "only look idle.");
  CHECK_OK(play_the_past(stage, weekend));
  CHECK_OK(tell_past(stage, weekend));
  CHECK_OK(tell_alarm(stage, weekend.busy));
  CHECK_OK(tell_verdict(stage, weekend.busy));
  CHECK_OK(expect_status(stage, weekend.busy, "InProgress"));
  stage.timeline().blank();
  CHECK_OK(tell_alarm(stage, weekend.silent));
  CHECK_OK(tell_verdict(stage, weekend.silent));
  CHECK_OK(tell_the_end(stage, weekend.silent));
  CHECK_OK(expect_status(stage, weekend.busy, "InProgress"));
  CHECK_OK(tell_the_money(stage, weekend.silent));
  TRY(const json::Document busy, stage.describe(weekend.busy));
  stage.timeline().say(
      fmt::format("{} is {}.", weekend.busy, text_at(busy.root(), "SecondaryStatus")));
  return {};
}

}  // namespace trainwarden::demo
