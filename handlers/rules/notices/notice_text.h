// How a notice reads, in each of its formats.
#pragma once

#include <string>

#include "handlers/rules/notices/notice_telling.h"

namespace trainwarden::rules {

// One line.
std::string title(const Telling& telling);

std::string as_text(const Telling& telling);
std::string as_json(const Telling& telling);
std::string as_chat(const Telling& telling);

}  // namespace trainwarden::rules
