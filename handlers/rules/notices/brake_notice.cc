#include "handlers/rules/notices/brake_notice.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "handlers/rules/job/job_times.h"
#include "handlers/rules/notices/chat_text.h"
#include "handlers/rules/outcome/holding_limit.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "runtime/json/json.h"
#include "runtime/json/one_line.h"

namespace trainwarden::rules {
namespace {

using Paragraphs = std::array<std::string, 3>;

Paragraphs of_sweep(const Reason& held) {
  return {
      fmt::format("A sweep of Trainwarden would stop {} jobs because of what describes them, and "
                  "limits.stops_per_sweep is {}: it held them back. Among them: {}.",
                  held.number, held.limit, held.name),
      "A rule that has been enforced for a day as it is stops the costliest of its jobs in each "
      "sweep, a younger one none. Nobody is told of them job by job, and the next notice of this "
      "kind comes in an hour at the earliest. Other rules go on, and jobs that a measurement has "
      "confirmed to idle, hang or the like are stopped all the same.",
      "If the policy was edited lately, look whether the edit is meant. If the jobs are to be seen "
      "to, raise limits.stops_per_sweep in the policy."};
}

Paragraphs of_copies(const Reason& held) {
  return {
      fmt::format("A sweep of Trainwarden would run {} jobs again that have ended and that nothing "
                  "decided on at their end, and limits.stops_per_sweep is {}: it copied none of "
                  "them. Among them: {}.",
                  held.number, held.limit, held.name),
      fmt::format(
          "Each sweep looks at them again, until {} hours after their end; nobody is told of "
          "them job by job, and the next notice of this kind comes in an hour at the "
          "earliest. Copies that were decided on when the jobs ended, or that AWS refused, "
          "are made in turn all the same.",
          kCopiedWithin.count()),
      "The events of these jobs were lost, or the function failed on them until they were dropped: "
      "look into its log and the dead-letter queue. To run one of them again: trainwarden restart "
      "JOB. To have them all run again by the sweeps, raise limits.stops_per_sweep in the policy "
      "until that is done."};
}

// More copies are asked for than the hour allows: an outage ended many jobs, or they fail again and
// again.
Paragraphs of_copies_an_hour(const Reason& held) {
  return {
      fmt::format(
          "Trainwarden will run no more jobs again within this hour than the policy allows: "
          "{}.",
          text(held)),
      fmt::format(
          "What is held back is not lost: the sweeps make the copies in turn, as each hour "
          "allows, until {} hours after the job's end. Each role under which jobs run has "
          "its turn, and of its jobs the one that ended first. Nobody is told of them job by "
          "job. Their records in the functions' log say `held back`.",
          kCopiedWithin.count()),
      "If one outage ended them all, there is nothing to do but to wait, or to raise "
      "limits.restarts_per_hour in the policy. If the same jobs fail again and again, look at the "
      "rule: a smaller `limit`, or a condition on the failure, ends that sooner."};
}

Paragraphs of_hour(const Reason& held, const Limits& limits) {
  return {fmt::format("Trainwarden will stop no more jobs within this hour than the policy allows: "
                      "{}.",
                      text(held)),
          "Each job that is held back is looked at again by the sweeps, the costliest and those "
          "of each role in turn; nobody is told of it job by job. Its record in the functions' "
          "log says `held back`.",
          fmt::format("If the policy was edited lately, look whether the edit is meant. If the "
                      "jobs are to be seen to all the same, raise limits.{} in the policy. A sweep "
                      "also holds back what rests on descriptions alone where more jobs than "
                      "limits.stops_per_sweep ({}) break one rule.",
                      limit_name(held.why), limits.stops_per_sweep)};
}

Paragraphs paragraphs_of(const Reason& held, const Limits& limits) {
  switch (held.why) {
    case Why::kStopsPerSweep:
      return of_sweep(held);
    case Why::kCopiesPerSweep:
      return of_copies(held);
    case Why::kRestartsPerHour:
      return of_copies_an_hour(held);
    default:
      return of_hour(held, limits);
  }
}

}  // namespace

std::array<std::string, 3> held_back_text(const Reason& held, const Limits& limits) {
  Paragraphs out = paragraphs_of(held, limits);
  for (std::string& paragraph : out) paragraph = json::one_line(std::move(paragraph));
  return out;
}

Notice brake_notice(NoticeFormat format, const Reason& held, const Limits& limits) {
  const std::string_view name = limit_name(held.why);
  const std::string title = fmt::format("Trainwarden holds back: limits.{} is reached", name);
  const Paragraphs paragraphs = held_back_text(held, limits);
  Notice out;
  out.subject = title;
  out.attributes = {{"outcome", std::string(rules::name(NoticeOutcome::kHeldBack))},
                    {"limit", std::string(name)}};
  const std::string body =
      fmt::format("{}\n\n{}\n\n{}", paragraphs[0], paragraphs[1], paragraphs[2]);
  switch (format) {
    case NoticeFormat::kText:
      out.message = body + '\n';
      break;
    case NoticeFormat::kJson:
      out.message = json::to_text(json::Document::build([&](json::Sink& sink) {
                                    sink.begin_object()
                                        .member("outcome", rules::name(NoticeOutcome::kHeldBack))
                                        .member("limit", name)
                                        .member("value", held.limit)
                                        .member("counted", held.number)
                                        .member("text", paragraphs[0])
                                        .end_object();
                                  }).root());
      break;
    case NoticeFormat::kChat:
      out.message = chat_message(title, fmt::format("{}\n\n{}\n\n{}", plain(paragraphs[0]),
                                                    plain(paragraphs[1]), plain(paragraphs[2])));
      break;
  }
  return out;
}

}  // namespace trainwarden::rules
