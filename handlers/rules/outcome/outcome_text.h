// The one place where outcomes become sentences. Only code that writes a record, a notice or a
// command's output includes this header (tests/layering has the list). Nothing may parse the
// sentences.
#pragma once

#include <string>

#include "handlers/rules/outcome/action_result.h"
#include "handlers/rules/outcome/reason.h"

namespace trainwarden::rules {

// Lower-case, without a full stop: "it ended more than 26 hours ago".
std::string text(const Reason& reason);

// "the tuning job T and the 22 training jobs that it runs"
std::string text(const StoppedTuner& tuner);

// "stopped", "refused: it ended more than 26 hours ago"; empty while it is pending.
std::string text(const ActionResult& result);

}  // namespace trainwarden::rules
