// What the reader of a notice can do about it.
#pragma once

#include <string>
#include <vector>

#include "handlers/rules/notices/notice_context.h"

namespace trainwarden::rules {

// A sentence a step, the console first; those that the notice has room for.
std::vector<std::string> steps(const NoticeContext& context);

}  // namespace trainwarden::rules
