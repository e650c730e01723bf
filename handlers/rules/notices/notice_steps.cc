#include "handlers/rules/notices/notice_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "handlers/rules/job/job_times.h"
#include "handlers/rules/job/training_job.h"

namespace trainwarden::rules {
namespace {

// A tag that is not there can be set while the job runs, else for the next try.
std::string set_tag(const NoticeContext& context, std::string_view key) {
  const bool over =
      context.outcome == NoticeOutcome::kStopped || context.outcome == NoticeOutcome::kEnded;
  if (over || context.job.arn.empty())
    return fmt::format("Set the tag {} when you start the job again.", key);
  return fmt::format(
      "Set the tag {}: aws sagemaker add-tags --resource-arn {} --tags 'Key={},Value=...'", key,
      context.job.arn, key);
}

// "7 days", "36 hours", "90 minutes", "45 s": in the largest unit that fits.
std::string length_of(std::chrono::seconds length) {
  struct Unit {
    std::chrono::seconds one;
    std::string_view name;
  };
  static constexpr std::array<Unit, 3> kUnits = {{{std::chrono::days(1), "day"},
                                                  {std::chrono::hours(1), "hour"},
                                                  {std::chrono::minutes(1), "minute"}}};
  for (const Unit& unit : kUnits)
    if (length.count() % unit.one.count() == 0) {
      const auto count = length / unit.one;
      return fmt::format("{} {}{}", count, unit.name, count == 1 ? "" : "s");
    }
  return fmt::format("{} s", length.count());
}

// A tag whose time lets the job be for a while, at most until the rule's bound.
std::string extend(const NoticeContext& context, const Extension& by) {
  const NoticeJob& job = context.job;
  const bool over = context.outcome == NoticeOutcome::kStopped ||
                    context.outcome == NoticeOutcome::kEnded || is_terminal(context.job.job_status);
  if (over || job.arn.empty())
    return fmt::format(
        "If the job needs longer when you start it again, its tag {} may say until when: a time "
        "such as 2026-12-24T18:00:00Z, at most {} ahead.",
        by.tag, length_of(by.at_most));
  const std::string latest = rfc3339(job.seen_at + by.at_most);
  return fmt::format(
      "If the job needs longer, say until when in its tag {}, {} at the latest ({} ahead): aws "
      "sagemaker add-tags --resource-arn {} --tags 'Key={},Value={}'",
      by.tag, latest, length_of(by.at_most), job.arn, by.tag, latest);
}

// Of a restart that came to nothing: a person's command meets fewer guards. None where it would be
// refused as well.
std::string restart_by_hand(const NoticeContext& context) {
  const auto restart = std::ranges::find(context.reports, ActionKind::kRestart,
                                         [](const ActionReport& one) { return one.action; });
  const bool nothing =
      context.outcome == NoticeOutcome::kRefused ||
      (context.outcome == NoticeOutcome::kFailed && is_terminal(context.job.job_status));
  if (!nothing || restart == context.reports.end()) return {};
  const auto& why = restart->result.reason;
  if (context.job.job_status == JobStatus::kCompleted || (why && is_launched_by_parent(*why)))
    return {};
  const std::string limit = why && why->why == Why::kLimit && context.job.generation
                                ? fmt::format(" --limit {}", *context.job.generation + 1)
                                : std::string();
  return fmt::format(
      "To run it again all the same, from its checkpoint if it has one: trainwarden restart {}{} "
      "--dry-run, which says whether that may be, and then without --dry-run.",
      context.job.name, limit);
}

}  // namespace

std::vector<std::string> steps(const NoticeContext& context) {
  const auto& [decision, outcome, reports, job, form] = context;
  std::vector<std::string> out;
  bool names_our_command = false;
  if (!job.console.empty()) out.push_back("See the job: " + job.console);
  const ActionReport* const act = act_of(context);
  const bool tuner_stopped = act != nullptr && act->result.stopped_tuner();
  if (!job.tuning_job.empty() && !tuner_stopped)
    out.push_back(fmt::format(
        "The job belongs to the tuning job {}, which may start the next one like it: stop that "
        "one, or change what it asks for.",
        foreign(job.tuning_job, form)));
  const auto add_if_room = [&](std::string step) {
    if (out.size() < form.steps && stored_size(step) <= form.step) out.push_back(std::move(step));
  };
  for (const Because& one : decision.because)
    if (one.absent && one.group == Group::kTags) add_if_room(set_tag(context, one.member));
  for (const Extension& by : job.extensions) add_if_room(extend(context, by));
  if (context.job.job_status == JobStatus::kFailed)
    out.push_back(
        fmt::format("Read the end of its log: aws logs tail /aws/sagemaker/TrainingJobs "
                    "--log-stream-name-prefix {0}/ --since 7d (AWS CLI 2; with version 1: aws logs "
                    "filter-log-events --log-group-name /aws/sagemaker/TrainingJobs "
                    "--log-stream-name-prefix {0}/)",
                    job.name));
  if (std::string step = restart_by_hand(context); !step.empty()) {
    if (context.outcome == NoticeOutcome::kFailed)
      out.push_back(fmt::format("Each sweep tries it again, until {} hours after the job's end.",
                                kCopiedWithin.count()));
    out.push_back(std::move(step));
    names_our_command = true;
  }
  if (tuner_stopped) {
    out.emplace_back(
        "To go on all the same, start a new tuning or AutoML job. A tuning job takes over what "
        "this one has found by WarmStartConfig.");
  } else if (outcome == NoticeOutcome::kStopped) {
    out.push_back(fmt::format(
        "To run it again all the same, from its checkpoint if it has one: trainwarden restart {} "
        "--dry-run, and then without --dry-run.",
        job.name));
    names_our_command = true;
  }
  if (outcome == NoticeOutcome::kWarned)
    out.emplace_back(
        "To keep it, put right what the rule found before that time: the job is looked at again, "
        "and runs on if the rule no longer matches it.");
  if (outcome == NoticeOutcome::kWaits) {
    out.push_back(fmt::format(
        "To ask at once, and for other machines: trainwarden restart {} --instance-type TYPE "
        "--dry-run, and then without --dry-run.",
        job.name));
    names_our_command = true;
  }
  if (only_notified_of_end(context)) {
    if (context.job.job_status == JobStatus::kFailed) {
      out.push_back(fmt::format(
          "To run the same again all the same, from its checkpoint if it has one: trainwarden "
          "restart {} --dry-run, and then without --dry-run.",
          job.name));
      names_our_command = true;
    }
  } else {
    out.push_back(
        fmt::format("If the job is right as it is, ask {} to exempt it by `unless` in the rule {}.",
                    contact(context), decision.rule));
  }
  // Mail goes to owners, who need not have what operators have.
  if (names_our_command)
    out.push_back(fmt::format("If you do not have the command trainwarden, ask {} to give it.",
                              contact(context)));
  return out;
}

}  // namespace trainwarden::rules
