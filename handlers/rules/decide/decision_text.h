// Where a decision's parts become sentences. As with outcome_text.h, only code that writes a
// record, a notice, an error's message or a command's output includes this header, and nothing may
// parse what it gives (tests/layering has the list).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/decide/decide.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// Why a rule could not be decided: "tags: not allowed; logs: throttled".
std::string text(std::span<const SourceError> errors);
inline std::string text(const Skipped& skipped) { return text(skipped.errors); }

// The value that was found, or what an alarm's confirmation measured; empty if it must not be
// shown.
std::string value_text(const Because& because);
// What the rule requires of it, or the watch of that alarm; empty where that says no more.
std::string asked_text(const Because& because);

// "job.TrainingJobName, job.RoleArn"
std::string paths(std::span<const Because> because);

// Writes {"path", "value" or "absent", "asked"}, without what is empty. shown: what is written of
// each text, if that is not all of it.
using Shown = std::string (*)(std::string_view text);
void write_because(json::Sink& sink, const Because& because, Shown shown = nullptr);

}  // namespace trainwarden::rules
