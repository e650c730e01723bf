// Computes fact groups, each from its sources, as one JSON object. Never fails: odd or missing
// input makes members absent.
#pragma once

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/failure/diagnose.h"
#include "handlers/rules/job/prices.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

struct Derivation {
  const Sources& sources;  // those of the group must be known
  const TrainingJob* job;  // of the sources, perhaps with one of its preferences; null: not known
  const Prices* prices;    // null: none
  sys_seconds now;
  const Diagnosis* diagnosis;  // of kDiagnosis
};

// Writes one object. Any group but kEvent, kJob and kTags.
void derive(Group group, const Derivation& from, json::Sink& sink);

}  // namespace trainwarden::rules
