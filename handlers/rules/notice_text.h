// How a notice reads, in each of its formats.
#pragma once

#include <span>
#include <string>

#include "handlers/rules/notice.h"

namespace trainwarden::rules {

struct Telling {
  const Decision& decision;
  Outcome outcome;
  std::span<const Came> came;
  const NoticeJob& job;
};

// One line.
std::string title(const Telling& telling);

std::string as_text(const Telling& telling);
std::string as_json(const Telling& telling);
std::string as_chat(const Telling& telling);

}  // namespace trainwarden::rules
