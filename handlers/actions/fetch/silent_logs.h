// For how long a training job's logs are silent, as the document of rules::Source::kSilence:
// {"silent_seconds": N}; {} where it does not train or never wrote a line. N is exact where
// CloudWatch Logs can be asked for its newest events; elsewhere it is a lower bound that is right
// at each of the silences asked for (rules/facts/silence.h).
//
// Silence is told from an outage by a witness: a line of another job in the later half of it. Where
// no other job trains, who could be one, the metrics of the job's own first host must arrive.
// Without a witness nobody knows.
#pragma once

#include <chrono>
#include <span>

#include "handlers/actions/context/job.h"
#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::actions {

// described: the job, which tells its Training segment: silence before it does not count. silences:
// the shortest first; none where no condition depends on how long it is. No call where the segment
// is younger than that. kUnavailable: no witness, or no such log group.
Result<json::Document> silence_of_logs(const JobRef& job, const rules::TrainingJob& described,
                                       std::span<const std::chrono::seconds> silences,
                                       const Apis& apis);

}  // namespace trainwarden::actions
