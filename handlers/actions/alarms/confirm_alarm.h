// The second look at an alarm (policy.md W4): Describe and GetMetricData, before anything is done
// that an alarm asked for. rules/alarms/confirmation.h says what is asked and what the answers
// mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/policy/watch.h"

namespace trainwarden::actions {

struct AlarmCheck {
  enum class Verdict : std::uint8_t { kConfirmed, kNotConfirmed, kGone, kNamesake };
  Verdict verdict = Verdict::kNotConfirmed;
  std::string measured = {};              // for people
  std::optional<rules::Reason> why = {};  // why nothing was measured
  bool rests_on_silence = false;          // of kConfirmed
  std::string item_id = {};               // the job's, where the metrics were read
  double dearness = 0;                    // the job's (rules/job/dearness.h), where it is described
  bool blind = false;  // everything breaches, and nothing witnesses the silence: `why` says more
};

Conclusion conclusion(AlarmCheck::Verdict verdict);

// Reads both anew, whatever the subject's sources hold. An error means that nobody knows: then
// nothing may be done, and the event must come again.
Result<AlarmCheck> confirm_alarm(const Subject& subject, const rules::Watch& watch);

}  // namespace trainwarden::actions
