// The content of a notice, independent of wording and format.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/notices/notice.h"
#include "handlers/rules/notices/notice_form.h"

namespace trainwarden::rules {

struct NoticeContext {
  const Decision& decision;
  NoticeOutcome outcome;
  std::span<const ActionReport> reports;
  const NoticeJob& job;
  const NoticeForm& form;
};

// Whether the rule asks for that action.
bool asks(const NoticeContext& context, ActionKind kind);

// What the rule would do to the job or its warm pool: stop, restart or release; nullopt if it only
// notifies.
std::optional<ActionKind> strongest_act(const NoticeContext& context);

// The result of one action, as a notice tells it. After an earlier delivery's stop, this delivery
// finds that the rule no longer matches: right for the record, but not worth a notice.
ActionResult result_to_tell(const NoticeContext& context, const ActionReport& report);
// The same in words, or the error, cut to its room.
std::string result(const NoticeContext& context, const ActionReport& report);
// The result of the stop or restart, otherwise of the release; nullptr if there was none.
const ActionReport* act_of(const NoticeContext& context);

// TrainingJobStatus, to be shown; "ended" where it is not known.
std::string status(const NoticeContext& context);

// What spot saved: "saved 33 % of the full price so far"; empty where it is not known.
std::string spot_saving(const NoticeContext& context);

// The watches that the rule asks for: " (gpu-idle, disk-full)"; empty without any.
std::string watches_of(const Decision& decision);

// For when the stop is announced, where it is.
std::optional<sys_seconds> announced_stop(const NoticeContext& context);

// Whom to ask about the rule.
std::string contact(const NoticeContext& context);

// Told of when it was over, by a rule that asks for nothing more.
bool only_notified_of_end(const NoticeContext& context);

}  // namespace trainwarden::rules
