// How a notice reads, in each of its formats.
#pragma once

#include <string>

#include "handlers/rules/notices/notice_context.h"

namespace trainwarden::rules {

// One line.
std::string title(const NoticeContext& context);

std::string as_text(const NoticeContext& context);
std::string as_json(const NoticeContext& context);
std::string as_chat(const NoticeContext& context);

}  // namespace trainwarden::rules
