// The weekend: a job hangs after an hour's work and would burn money until its limit. Beside it a
// spot job whose GPUs idle as well: its machines were taken away, and it downloads again.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "tests/demo/past_job.h"
#include "tests/demo/scene_lines.h"
#include "tests/demo/scenes.h"

namespace trainwarden::demo {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr int kHosts = 8;
constexpr int kGpus = 8;              // of a machine
constexpr std::size_t kTraining = 2;  // the state's number, after Starting and Downloading
constexpr std::string_view kMachine = "ml.p4d.24xlarge";
// What the policy's watch gpu-idle looks back on: both alarms fire now.
constexpr minutes kWatched{15};

struct Job {
  std::string_view name;
  bool spot;
  sys_seconds works_until;
  std::vector<std::pair<std::string_view, sys_seconds>> states;  // after Training
  std::string_view without_load;                                 // what its GPUs do in the end
};

struct Weekend {
  sys_seconds now;  // a full minute
  sys_seconds silent_from = now - kWatched;
  sys_seconds trained = silent_from - hours(1);
  Job hangs{"llm-weekend", false, silent_from, {}, "fall silent"};
  Job downloads{"vision-resumes",
                true,
                silent_from - minutes(9),
                {{"Interrupted", silent_from - minutes(9)},
                 {"Starting", silent_from - minutes(5)},
                 {"Downloading", silent_from}},
                "wait for the data"};
};

double working(int minute, int host) { return 788 + (minute * 7 + host * 5) % 11; }
double silence(int, int) { return 0; }

PastJob placed(const Job& job, const Weekend& weekend) {
  return {.name = std::string(job.name),
          .instance_type = std::string(kMachine),
          .instances = kHosts,
          .created = weekend.trained - minutes(15),
          .max_runtime = hours(72),
          .spot = job.spot,
          .checkpoints = fmt::format("s3://example-bucket/checkpoints/{}/", job.name),
          .tags = {{"model_name", std::string(job.name)}, {"username", "ana"}},
          .states = {{"Starting", weekend.trained - minutes(15)},
                     {"Downloading", weekend.trained - minutes(10)}}};
}

// The function hears that the job trains, and puts its alarm: in the past as long after the job
// began to train as it took here.
Result<Line> begin_training(const Stage& stage, const Job& job, const Weekend& weekend) {
  CHECK_OK(stage.place(job.name, describe_document(placed(job, weekend))));
  const auto began = system_clock().now();
  CHECK_OK(stage.transition(job.name, "Training", weekend.trained));
  return stage.wait_for<Line>(
      fmt::format("{} has its alarm", job.name), [&]() -> Result<std::optional<Line>> {
        TRY(const auto calls, stage.calls(job.name));
        const auto put = std::ranges::find_if(calls, [](const CallSeen& call) {
          return call.operation == "PutMetricAlarm" && call.status == 200;
        });
        if (put == calls.end()) return std::nullopt;
        TRY(const json::Document alarm, json::Document::parse(put->request));
        const auto took = std::chrono::floor<std::chrono::seconds>(put->time - began);
        return Line{weekend.trained + took, "trainwarden",
                    fmt::format("puts the alarm {}", text_at(alarm.root(), "AlarmName"))};
      });
}

Result<Line> load_line(const Stage& stage, const Job& job, sys_seconds begin, sys_seconds end,
                       std::string_view words) {
  TRY(const auto load, stage.gpu_load(job.name, kHosts, begin, end));
  if (!load) return fail(ErrorCode::kInternal, fmt::format("{} has no metrics", job.name));
  const std::string percent = load->first == load->second
                                  ? fmt::format("{:.0f}", load->first)
                                  : fmt::format("{:.0f} to {:.0f}", load->first, load->second);
  return Line{begin, "the GPUs",
              fmt::format("{}: GPUUtilization {} of {} on all {} hosts", words, percent,
                          100 * kGpus, kHosts)};
}

// Until now: what the job did, what its GPUs did, and the alarm on them.
Result<void> play_the_past(Stage& stage, const Job& job, const Weekend& weekend) {
  TRY(Line put, begin_training(stage, job, weekend));
  for (const auto& [state, at] : job.states) CHECK_OK(stage.transition(job.name, state, at));
  CHECK_OK(stage.put_gpu_load(job.name, kHosts, weekend.trained, job.works_until, working));
  CHECK_OK(stage.put_gpu_load(job.name, kHosts, weekend.silent_from, weekend.now, silence));

  CHECK_OK(tell_creation(stage, job.name));
  TRY(std::vector<Line> lines, state_lines(stage, job.name, 1));
  std::erase_if(lines, [&](const Line& line) { return line.at >= weekend.now; });
  TRY(Line work, load_line(stage, job, weekend.trained, job.works_until, "work"));
  TRY(Line idle, load_line(stage, job, weekend.silent_from, weekend.now, job.without_load));
  lines.insert(lines.begin() + kTraining, {std::move(put), std::move(work)});
  lines.push_back(std::move(idle));
  stage.timeline().tell(std::move(lines));
  return {};
}

// "Threshold Crossed: 3 out of the last 3 datapoints [0.0 (…), …] were … the threshold (8.0)
// (minimum …)." without what stands in brackets, and the minimum.
std::string in_short(std::string reason) {
  if (const auto end = reason.find("] "); end != std::string::npos)
    reason.erase(reason.find(" ["), end + 1 - reason.find(" ["));
  return reason.substr(0, reason.find(" (minimum"));
}

Result<void> tell_alarm(Stage& stage, std::string_view job) {
  TRY(const auto fired, stage.alarm_messages(job));
  if (fired.empty()) return fail(ErrorCode::kInternal, fmt::format("no alarm of {} fired", job));
  for (const auto& [time, message] : fired) {
    stage.timeline().tell(time, "CloudWatch",
                          fmt::format("{} goes from {} to {}", text_at(message.root(), "AlarmName"),
                                      text_at(message.root(), "OldStateValue"),
                                      text_at(message.root(), "NewStateValue")));
    stage.timeline().detail(in_short(text_at(message.root(), "NewStateReason")));
  }
  return {};
}

// What the alarm function found when it looked again. Returns what it did then.
Result<std::vector<Line>> tell_second_look(Stage& stage, std::string_view job) {
  TRY(const json::Document record,
      stage.wait_for<json::Document>(
          fmt::format("the alarm of {} is looked at again", job),
          [&]() -> Result<std::optional<json::Document>> { return stage.record("alarm", job); }));
  TRY(std::vector<Line> lines, call_lines(stage, "alarm", job));
  const auto acts = std::ranges::find_if(
      lines, [](const Line& line) { return line.operation == "GetItem" || changes_job(line); });
  stage.timeline().tell({lines.begin(), acts});
  stage.timeline().detail(text_at(record.root(), "measured"));
  return std::vector<Line>(acts, lines.end());
}

// The job that hangs is stopped, and its alarm deleted; its owner is told.
Result<void> tell_the_stop(Stage& stage, std::string_view job, std::vector<Line> lines) {
  CHECK_OK(stage.wait_for_status(job, "Stopped"));
  TRY(const Line deleted,
      stage.wait_for<Line>("its alarm is deleted", [&]() -> Result<std::optional<Line>> {
        TRY(const json::Document alarms, stage.alarms(job));
        TRY(const auto calls, call_lines(stage, "state", job));
        for (const Line& line : calls)
          if (alarms.root().size() == 0 && line.operation == "DeleteAlarms") return line;
        return std::nullopt;
      }));
  TRY(const std::vector<Line> states, state_lines(stage, job, kTraining + 1));
  lines.insert(lines.end(), states.begin(), states.end());
  lines.push_back(deleted);
  stage.timeline().tell(std::move(lines));
  return quote_message(stage, job);
}

// What the record of its stop says was saved.
double saved_usd(json::Value record) {
  double out = 0;
  for (const json::Value decision : record.find("decisions")->elements())
    for (const json::Value action : decision.find("actions")->elements())
      if (const auto saved = action.find("saved_usd")) out = saved->as_number();
  return out;
}

Result<void> tell_the_money(Stage& stage, const Weekend& weekend) {
  const std::string_view job = weekend.hangs.name;
  const std::optional<json::Document> record = stage.record("alarm", job);
  TRY(const json::Document ended, stage.describe(job));
  const double hours = number_at(ended.root(), "TrainingTimeInSeconds") / 3600;
  const double spent = hours * stage.usd_per_hour(ended.root()).value_or(0);
  const double saved = record ? saved_usd(record->root()) : 0;
  TRY(const std::vector<Line> states, state_lines(stage, job, kTraining + 1));
  const auto silent =
      std::chrono::floor<minutes>(states.front().at - sys_millis(weekend.silent_from));
  if (spent <= 0 || saved <= 0 || silent < kWatched)
    return fail(ErrorCode::kInternal, "nothing was saved, or it was stopped too soon");
  const sys_millis limit = time_at(ended.root(), "TrainingStartTime") +
                           std::chrono::seconds(static_cast<std::int64_t>(
                               number_at(ended.root(), "StoppingCondition.MaxRuntimeInSeconds")));
  stage.timeline().say(fmt::format(
      "{} was stopped after {} minutes of silence. It cost {}. Without the stop it might "
      "have\n   gone on until {}, for up to {} more.",
      job, silent.count(), dollars(spent), when(limit), dollars(saved)));
  return {};
}

}  // namespace

Result<void> weekend(Stage& stage) {
  const Weekend weekend{.now = std::chrono::floor<minutes>(
                            std::chrono::floor<std::chrono::seconds>(system_clock().now()))};
  stage.timeline().scene("The weekend",
                         "Eight machines work for an hour and fall silent. Beside them, eight that "
                         "only look idle.");
  CHECK_OK(play_the_past(stage, weekend.hangs, weekend));
  CHECK_OK(tell_alarm(stage, weekend.hangs.name));
  TRY(std::vector<Line> acts, tell_second_look(stage, weekend.hangs.name));
  CHECK_OK(tell_the_stop(stage, weekend.hangs.name, std::move(acts)));
  CHECK_OK(tell_the_money(stage, weekend));

  const std::string_view busy = weekend.downloads.name;
  stage.timeline().say("The other one, at the same time:\n");
  CHECK_OK(play_the_past(stage, weekend.downloads, weekend));
  CHECK_OK(tell_alarm(stage, busy));
  TRY(acts, tell_second_look(stage, busy));
  stage.timeline().tell(std::move(acts));
  CHECK_OK(expect_status(stage, busy, "InProgress"));
  TRY(const json::Document described, stage.describe(busy));
  stage.timeline().say(fmt::format("{} is {}, and nobody disturbs it.", busy,
                                   text_at(described.root(), "SecondaryStatus")));
  return {};
}

}  // namespace trainwarden::demo
