// Who reports a failure, by the form of a line: a process that ends, the kernel, a scheduler, a
// communication library, or whoever says that it is an error.
#pragma once

#include <string_view>

#include "handlers/rules/failure/bigrams.h"

namespace trainwarden::rules {

// said: as it is shown; lower: the same in lower case; pairs: those of lower.

// A process that ended without a traceback: a signal, an abort.
bool is_native(std::string_view lower);
// The kernel or a driver speaks.
bool is_kernel(std::string_view lower, const Bigrams& pairs);
// Slurm, Kubernetes, MPI and other launchers.
bool is_scheduler(std::string_view lower, const Bigrams& pairs);
// NCCL's warnings, watchdogs.
bool is_library(std::string_view lower, const Bigrams& pairs);
// Whoever says so goes on all the same.
bool goes_on(std::string_view lower, const Bigrams& pairs);
bool says_an_error(std::string_view said, std::string_view lower, const Bigrams& pairs);

}  // namespace trainwarden::rules
