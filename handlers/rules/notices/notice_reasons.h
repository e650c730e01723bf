// Why a rule matches, for people: what was found, and what the rule requires.
#pragma once

#include <string>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/notices/notice_form.h"

namespace trainwarden::rules {

// "runtime.training_seconds is 262800 s (the rule asks for more than 259200 s)"
std::string reason(const Because& because, const NoticeForm& form = kInFull);

// The reason that says most, after a colon; empty where the rule asks for plain values alone.
std::string why(const Decision& decision, const NoticeForm& form);

// The same in the few words that a subject has room for: of an alarm, what its watch asks for.
std::string why_in_short(const Decision& decision, const NoticeForm& form);

}  // namespace trainwarden::rules
