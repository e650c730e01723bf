// Confirms an alarm (policy.md W4) with Describe and GetMetricData, before any action that it
// triggered. rules/alarms/confirmation.h chooses the requests and judges the answers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/alarms/measured.h"
#include "handlers/rules/policy/watch.h"

namespace trainwarden::actions {

struct AlarmCheck {
  enum class Verdict : std::uint8_t { kConfirmed, kNotConfirmed, kGone, kNamesake };
  Verdict verdict = Verdict::kNotConfirmed;
  std::shared_ptr<const rules::Measurement> measurement = {};
  bool rests_on_silence = false;  // of kConfirmed
  std::string item_id = {};       // the job's, where the metrics were read
  double hourly_cost = 0;         // the job's (rules/job/hourly_cost.h), where it is described
  bool blind = false;             // everything breaches, and nothing witnesses the silence
};

Conclusion conclusion(AlarmCheck::Verdict verdict);

// Reads both again, whatever the subject's sources contain. After an error nothing is known:
// nothing may be done, and the event must be retried.
Result<AlarmCheck> confirm_alarm(const Subject& subject, const rules::Watch& watch);

}  // namespace trainwarden::actions
