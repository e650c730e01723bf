#include "handlers/rules/notices/notice_telling.h"

#include <algorithm>

#include "handlers/rules/job/job_times.h"
#include "handlers/rules/outcome/outcome_text.h"

namespace trainwarden::rules {
namespace {

bool is_act(const Came& came) { return acts_on_job(came.action); }

}  // namespace

bool asks(const Telling& telling, ActionKind kind) {
  const auto& actions = telling.decision.actions;
  return std::ranges::find(actions, kind, &Action::kind) != actions.end();
}

std::string_view would_be(const Telling& telling) {
  if (asks(telling, ActionKind::kStop)) return "stopped";
  return asks(telling, ActionKind::kRestart) ? "restarted" : "";
}

std::string result(const Telling& telling, const Came& came) {
  using Kind = ActionResult::Kind;
  if (came.error != nullptr) return came.error->message;
  const bool earlier =
      is_act(came) && (came.result.is(Kind::kNotDone) || came.result.is(Kind::kEndedBefore));
  if (earlier && telling.outcome == Outcome::kStopped) return text(ActionResult{Kind::kStopped});
  if (earlier && telling.outcome == Outcome::kRestarted)
    return text(ActionResult{Kind::kStoppingToCopy});
  return text(came.result);
}

const Came* act_of(const Telling& telling) {
  const auto act = std::ranges::find_if(telling.came, is_act);
  return act == telling.came.end() ? nullptr : &*act;
}

std::string_view status(const Telling& telling) {
  const std::string_view whole = telling.job.status;
  return whole.empty() ? "ended" : whole.substr(0, whole.find('/'));
}

bool only_told_of_end(const Telling& telling) {
  return telling.outcome == Outcome::kNone && would_be(telling).empty() &&
         is_terminal(status(telling));
}

}  // namespace trainwarden::rules
