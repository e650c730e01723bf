// Who reports a failure, by the form of a line: a process that ends, the kernel, a scheduler, a
// communication library, or whoever says that it is an error.
#pragma once

#include <cstdint>
#include <string_view>

#include "handlers/rules/failure/line_words.h"

namespace trainwarden::rules {

// What a line begins with and has in it, of the words that are looked for here.
struct ReportWords {
  std::uint32_t heads;
  LineWords words;
};

// said: as it is shown; lower: the same in lower case; found: in lower.
ReportWords report_words(std::string_view lower, LineWords words);

// A process that ended without a traceback: a signal, an abort.
bool is_native(std::string_view lower, ReportWords found);
// The kernel or a driver speaks.
bool is_kernel(ReportWords found);
// Slurm, Kubernetes, MPI and other launchers.
bool is_scheduler(ReportWords found);
// NCCL's warnings, watchdogs.
bool is_library(ReportWords found);
// NCCL tells what it does.
bool is_chatter(ReportWords found);
// `An error occurred (…) when calling …`: a service's answer.
bool is_answer(ReportWords found);
// Whoever says so goes on all the same.
bool goes_on(ReportWords found);
bool says_an_error(std::string_view said, std::string_view lower, ReportWords found);
// Whether a dump of members has one that speaks of a failure, or stands behind words that do.
bool is_a_finding(ReportWords found);
// False: it is no `UserWarning: …`.
bool may_warn(ReportWords found);

}  // namespace trainwarden::rules
