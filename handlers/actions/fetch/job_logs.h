// The end of what a training job wrote, on all of its hosts, as the document of
// rules::Source::kLogs: {"tail": [line, …]}, the oldest first. Bounded in time and bytes, and by
// what may be read for a job: a tail that could not be read whole is an error (kTooLarge), never a
// shorter tail.
#pragma once

#include <chrono>
#include <string>

#include "handlers/actions/context/job.h"
#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::actions {

// What all training jobs of the account write, a stream a host:
// https://docs.aws.amazon.com/sagemaker/latest/dg/logging-cloudwatch.html
inline constexpr const char* kTrainingLogs = "/aws/sagemaker/TrainingJobs";
// The streams of one job begin so. The slash ends the name: those of job `a-b` do not begin with
// `a/`.
std::string streams_of(const JobRef& job);
// So long after a job's end all of its lines have arrived.
inline constexpr std::chrono::minutes kLogsSettled{2};

// described: the job, which tells when it ended. A job that wrote nothing
// has an empty tail; so has one whose log group does not exist. kUnavailable where there is nothing
// yet from a job that has only just ended: lines arrive late (F1).
Result<json::Document> tail_of_logs(const JobRef& job, const rules::TrainingJob& described,
                                    const Apis& apis);

}  // namespace trainwarden::actions
