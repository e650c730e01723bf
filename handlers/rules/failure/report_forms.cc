#include "handlers/rules/failure/report_forms.h"

#include <algorithm>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

// By what lines begin that report a failure.
enum ReportHead : std::uint32_t {
  kNativeHead = 1U << 0U,
  kSchedulerHead = 1U << 1U,
  kErrorHead = 1U << 2U,
};
constexpr auto kNativeHeads = word_list(
    "terminate called", "what():", "libc++abi", "fatal python error", "segmentation fault",
    "bus error", "aborted (core", "floating point exception", "illegal instruction",
    "*** process received signal", "*** aborted at", "*** error in", "double free",
    "free(): ", "malloc(): ", "malloc: ", "corrupted ", "munmap_chunk",
    "realloc(): ", "signal: ", "signal code", "fatal error: ", "fatal: ", "panic: ", "sigsegv",
    "sigterm", "sigabrt", "goroutine ", "memory access fault by", "command terminated ",
    "received signal", "caught signal", "stack smashing", "tcmalloc: ");
constexpr auto kSchedulerHeads = word_list(
    "slurmstepd", "moab_info:", "srun: error", "srun: job", "srun: fatal",
    "salloc: ", "sbatch: error", "slurmctld", "slurmd", "term_", "mpirun noticed",
    "mpirun detected", "mpirun.real detected", "mpi_abort", "orte has lost", "prte", "orte_",
    "warning failed", "warning backoff", "warning evicted", "warning preempt", "warning node",
    "warning unhealthy", "pod ", "the node ", "the job ", "node ", "job ",
    "state: ", "reason: ", "evicted", "exited with exit code", "spot ", "instance ", "=>> pbs",
    "pbs: ", "user defined signal", "exitcode ", "exitcode:", "traceback : signal",
    "maxruntimeexceeded", "maxwaittimeexceeded", "interrupted - ", "status reason",
    "toomanyrequests", "capacity", "insufficient ", "an mpi communication peer",
    "stopping container", "killing: container", "task exited", "the replica ", "all nodes ");
constexpr auto kErrorHeads = word_list(
    "error", "fatal", "failed ", "failure ", "failure:", "failed:", "unable to", "could not ",
    "couldn't ", "cannot ", "can't ", "exception:", "exception in", "exception occurred",
    "uncaught ", "unhandled ", "panic", "*** ", "abort", "crash", "err:", "exit code", "cuda error",
    "cuda failure", "cuda out of", "cuda runtime", "cuda driver", "no space left", "out of memory",
    "permission denied", "access denied", "connection refused", "connection reset", "thread '",
    "reason: ", "message: ", "caused by:", "❌", "✗", "training failed", "dataset generation",
    "internalservererror", "clienterror", "algorithmerror", "capacityerror", "customer error",
    "platform error", "errormessage", "extrainfo",
    "bash: ", "sh: ", "/bin/sh: ", "/bin/bash: ", "rpc failed", "dial tcp", "connection closed",
    "an error occurred", "launched instance was", "curl returned", "check failed: ", "tar: ",
    "gzip: ", "unzip: ", "ssh: ", "scp: ", "rsync: ", "cp: ", "mv: ", "mount: ", "curl: (",
    "upload failed: ", "download failed: ", "user aborted", "{'error'", "{\"error\"", "\"error\"",
    "'error'");

}  // namespace

ReportWords report_words(std::string_view lower, LineWords words) {
  static const WordIndex kHeads(
      1,
      {{kNativeHead, kNativeHeads}, {kSchedulerHead, kSchedulerHeads}, {kErrorHead, kErrorHeads}});
  return {static_cast<std::uint32_t>(kHeads.at_begin(lower)), words};
}

bool is_native(std::string_view lower, ReportWords found) {
  if ((found.heads & kNativeHead) != 0) return true;
  if ((found.words & (kEndWord | kShellWord)) == 0) return false;
  if (lower == "killed" || lower == "killed: 9" || lower == "terminated" || lower == "aborted" ||
      lower == "hangup" || lower.ends_with(" killed") || lower == "已杀死" || lower == "已终止" ||
      lower.contains("killed process "))
    return true;
  // `train.sh: line 12: 4727 Killed    python train.py`
  return (found.words & kShellWord) != 0 &&
         (lower.contains(" killed") || lower.contains(" aborted") ||
          lower.contains(" terminated") || lower.contains("segmentation fault") ||
          lower.contains("bus error") || lower.contains("command not found") ||
          lower.contains(": syntax error") || lower.contains(": unbound variable"));
}

bool is_kernel(ReportWords found) { return (found.words & kKernelWord) != 0; }

bool is_scheduler(ReportWords found) {
  return (found.heads & kSchedulerHead) != 0 || (found.words & kSchedulerWord) != 0;
}

bool is_library(ReportWords found) { return (found.words & kLibraryWord) != 0; }

bool goes_on(ReportWords found) { return (found.words & kGoesOnWord) != 0; }

// Huawei's Ascend numbers its errors: `EI0006: Getting socket times out.`
static bool has_a_number_of_ascend(std::string_view said) {
  constexpr std::size_t kSize = 6;
  return said.size() > kSize && said[0] == 'E' && is_capital(said[1]) && said[kSize] == ':' &&
         std::ranges::all_of(said.substr(2, 4), is_digit);
}

bool says_an_error(std::string_view said, std::string_view lower, ReportWords found) {
  if ((found.heads & kErrorHead) != 0 || said.starts_with("E   ") || has_a_number_of_ascend(said))
    return true;
  constexpr std::size_t kNear = 240;
  return (found.words & kErrorMark) != 0 &&
         (lower.size() <= kNear || (line_words(lower.substr(0, kNear)) & kErrorMark) != 0);
}

bool is_a_finding(ReportWords found) {
  return (found.words & kNewsWord) != 0 || (found.heads & kErrorHead) != 0;
}

bool may_warn(ReportWords found) { return (found.words & kWarningMark) != 0; }

bool is_chatter(ReportWords found) { return (found.words & kChatterWord) != 0; }

bool is_answer(ReportWords found) { return (found.words & kAnswerWord) != 0; }

}  // namespace trainwarden::rules
