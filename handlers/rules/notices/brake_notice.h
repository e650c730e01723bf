// The hourly notice to operators of what the brake holds back (policy.md P7).
#pragma once

#include <array>
#include <string>

#include "handlers/rules/notices/notice.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// What is held back, what becomes of it, and what to do: a line each.
std::array<std::string, 3> held_back_text(const Reason& held, const Limits& limits);

// held: the limit that was reached. Its attributes: outcome (`held-back`) and limit (the member of
// `limits`).
Notice brake_notice(NoticeFormat format, const Reason& held, const Limits& limits);

}  // namespace trainwarden::rules
