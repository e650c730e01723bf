// What a notice tells of, and what can be said of that in any words and format.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/notices/notice.h"

namespace trainwarden::rules {

struct NoticeContext {
  const Decision& decision;
  Outcome outcome;
  std::span<const ActionReport> reports;
  const NoticeJob& job;
};

// Whether the rule asks for that action.
bool asks(const NoticeContext& context, ActionKind kind);

// What the rule would do to the job, or to its warm pool, as a participle; empty where it only
// tells.
std::string_view would_be(const NoticeContext& context);

// What came of one action. Of a stop that an earlier delivery of the event did, this one says that
// the rule no longer matches: true for the record, and no news for people.
std::string result(const NoticeContext& context, const ActionReport& report);
// What came of the stop or restart, else of the release; nullptr where there was none.
const ActionReport* act_of(const NoticeContext& context);

// TrainingJobStatus; "ended" where it is not known.
std::string_view status(const NoticeContext& context);

// Whom to ask about the rule.
std::string_view contact(const NoticeContext& context);

// Told of when it was over, by a rule that asks for nothing more.
bool only_told_of_end(const NoticeContext& context);

}  // namespace trainwarden::rules
