// Fetches what a decision needs. Each source ends as known, or as unavailable with the reason: a
// fact that could not be fetched is never a "no" (policy.md F1).
#pragma once

#include <chrono>
#include <span>

#include "handlers/actions/context/job.h"
#include "handlers/rules/facts/source.h"

namespace trainwarden::actions {

enum class Gathered : std::uint8_t {
  kJob,       // the sources speak of the job that the event speaks of
  kGone,      // there is no such job any more (F1)
  kNamesake,  // the name now belongs to a later job (F5)
};

// F5: a job is its name and its creation time, to a second since the two sources round differently.
// True where one of them does not tell.
bool same_creation(const rules::JobEvent& event, const rules::TrainingJob& job);

// The event was faster than Describe: it says that this very job has ended, and Describe does not
// yet. Whoever took that for an old event would lose the end.
std::optional<Error> behind(const rules::JobEvent& event, const rules::TrainingJob& job);

// Asks for all needs at once; what starts from Describe after it. silences: at which the logs are
// asked, the shortest first (Policy::silences); needed for Source::kSilence.
Gathered gather(rules::Sources& sources, rules::SourceSet needs, const JobRef& job,
                const Apis& apis, std::span<const std::chrono::seconds> silences = {});

// What DescribeTrainingJob answered.
Gathered take_description(rules::Sources& sources, Result<json::Document> answer);

}  // namespace trainwarden::actions
