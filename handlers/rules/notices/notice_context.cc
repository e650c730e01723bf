#include "handlers/rules/notices/notice_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/outcome_text.h"

namespace trainwarden::rules {
namespace {

bool is_act(const ActionReport& report) { return acts_on_job(report.action); }
bool is_release(const ActionReport& report) { return report.action == ActionKind::kRelease; }

}  // namespace

bool asks(const NoticeContext& context, ActionKind kind) {
  const auto& actions = context.decision.actions;
  return std::ranges::find(actions, kind, &Action::kind) != actions.end();
}

std::optional<ActionKind> strongest_act(const NoticeContext& context) {
  for (const ActionKind kind : {ActionKind::kStop, ActionKind::kRestart, ActionKind::kRelease})
    if (asks(context, kind)) return kind;
  return std::nullopt;
}

ActionResult result_to_tell(const NoticeContext& context, const ActionReport& report) {
  using Kind = ActionResult::Kind;
  const bool earlier = report.error == nullptr && is_act(report) &&
                       (report.result.is(Kind::kNotDone) || report.result.is(Kind::kEndedBefore));
  if (earlier && context.outcome == NoticeOutcome::kStopped) return {Kind::kStopped};
  if (earlier && context.outcome == NoticeOutcome::kRestarted) return {Kind::kStoppingToCopy};
  return report.result;
}

std::string result(const NoticeContext& context, const ActionReport& report) {
  return foreign(
      report.error != nullptr ? report.error->message : text(result_to_tell(context, report)),
      context.form);
}

const ActionReport* act_of(const NoticeContext& context) {
  auto act = std::ranges::find_if(context.reports, is_act);
  if (act == context.reports.end()) act = std::ranges::find_if(context.reports, is_release);
  return act == context.reports.end() ? nullptr : &*act;
}

std::string status(const NoticeContext& context) {
  const std::string_view text = context.job.status_text;
  return text.empty() ? "ended" : foreign(text, context.form);
}

std::string spot_saving(const NoticeContext& context) {
  if (!context.job.spot_saved) return {};
  return fmt::format("saved {:.0f} % of the full price{}", *context.job.spot_saved * 100,
                     is_terminal(context.job.job_status) ? "" : " so far");
}

std::string watches_of(const Decision& decision) {
  std::string out;
  for (const Action& action : decision.actions)
    for (const std::string& watch : action.watches) out += (out.empty() ? "" : ", ") + watch;
  return out.empty() ? out : fmt::format(" ({})", out);
}

std::string contact(const NoticeContext& context) {
  const std::string_view whom = context.job.contact;
  return whom.empty() ? "the people who keep Trainwarden's policy"
                      : cut_stored(whom, context.form.name);
}

std::optional<sys_seconds> announced_stop(const NoticeContext& context) {
  const ActionReport* const act = act_of(context);
  if (act == nullptr || !act->result.is_because(Why::kStopsLater)) return std::nullopt;
  return act->result.reason->at;
}

bool only_notified_of_end(const NoticeContext& context) {
  return context.outcome == NoticeOutcome::kNone && !strongest_act(context) &&
         is_terminal(context.job.job_status);
}

}  // namespace trainwarden::rules
