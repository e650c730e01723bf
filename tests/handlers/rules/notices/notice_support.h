// A decision, a job, and what people are told of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/notices/notice.h"
#include "tests/handlers/rules/support.h"
#include "tests/support/transcript.h"

namespace trainwarden::rules::test {

using Kind = ActionResult::Kind;

inline constexpr const char* kArn =
    "arn:aws:sagemaker:eu-central-1:111122223333:training-job/train-1";

inline Decision violation(Mode mode = Mode::kEnforce) {
  Decision decision;
  decision.rule = "required-tags";
  decision.mode = mode;
  decision.actions = {{.kind = ActionKind::kStop}, {.kind = ActionKind::kNotify}};
  decision.message = "Training jobs need the tag model_name.";
  decision.because = {{Group::kJob, "TrainingJobStatus", "InProgress"},
                      {Group::kTags, "model_name", "absent", true}};
  return decision;
}

// text: "Stopped", or "Stopped/MaxRuntimeExceeded".
inline void set_status(NoticeJob& job, std::string_view text) {
  job.status = text;
  job.status_text = text.substr(0, text.find('/'));
  job.job_status = job_status(job.status_text);
}

inline NoticeJob job() {
  NoticeJob out;
  out.name = "train-1";
  out.arn = kArn;
  set_status(out, "InProgress/Training");
  out.account = "111122223333";
  out.region = "eu-central-1";
  out.console = "https://eu-central-1.console.aws.amazon.com/x";
  return out;
}

inline std::vector<ActionReport> reports(ActionResult result, const Error* error = nullptr) {
  return {{ActionKind::kStop, std::move(result), error}};
}

inline ActionResult held_back() {
  return {.kind = Kind::kHeldBack,
          .reason = Reason{.why = Why::kStopsPerHour, .number = 20, .limit = 20}};
}

// notice(), as written down for comparison.
inline Notice sent(NoticeFormat format, const Decision& decision, NoticeOutcome outcome,
                   std::span<const ActionReport> reports, const NoticeJob& of) {
  Notice out = notice(format, decision, outcome, reports, of);
  std::string all = out.subject + '\n' + out.message;
  for (const auto& [name, value] : out.attributes) all += '\n' + name + '=' + value;
  testing::transcribe("notice", all);
  return out;
}

inline std::string text(const Decision& decision, NoticeOutcome outcome, const NoticeJob& of,
                        ActionResult result = {Kind::kStopped}) {
  const auto all = reports(std::move(result));
  return sent(NoticeFormat::kText, decision, outcome, all, of).message;
}

inline bool has(const std::string& whole, std::string_view part) {
  return whole.find(part) != std::string::npos;
}

inline NoticeJob described(const std::string& describe, const std::string& tags,
                           const Prices& prices = {}, std::string_view owner_tag = {}) {
  Sources sources(running());
  sources.set(Source::kDescribe, doc(describe));
  sources.set(Source::kTags, doc(tags));
  return notice_job("train-1", "", sources, prices, kNow, owner_tag);
}

// An hour into its ten hours.
inline constexpr const char* kDescribe = R"({"TrainingJobName": "train-1",
  "TrainingJobArn": "arn:aws:sagemaker:eu-central-1:111122223333:training-job/train-1",
  "TrainingJobStatus": "InProgress", "SecondaryStatus": "Training",
  "CreationTime": 1782997000, "TrainingStartTime": 1782997000,
  "StoppingCondition": {"MaxRuntimeInSeconds": 36000},
  "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 8, "VolumeSizeInGB": 10}})";

}  // namespace trainwarden::rules::test
