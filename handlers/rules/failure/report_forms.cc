#include "handlers/rules/failure/report_forms.h"

#include "handlers/rules/failure/word_lists.h"

namespace trainwarden::rules {
namespace {

// By what lines begin that report a failure.
enum Head : std::uint32_t {
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
    "sigterm", "sigabrt", "received signal", "caught signal", "stack smashing", "tcmalloc: ");
constexpr auto kSchedulerHeads = word_list(
    "slurmstepd", "srun: error", "srun: job", "srun: fatal", "salloc: ", "sbatch: error",
    "slurmctld", "slurmd", "term_", "mpirun noticed", "mpirun detected", "mpirun.real detected",
    "mpi_abort", "orte has lost", "prte", "orte_", "warning failed", "warning backoff",
    "warning evicted", "warning preempt", "warning node", "warning unhealthy", "pod ", "the node ",
    "the job ", "node ", "job ", "state: ", "reason: ", "evicted", "exited with exit code", "spot ",
    "instance ", "=>> pbs", "pbs: ", "user defined signal", "exitcode ",
    "exitcode:", "traceback : signal", "maxruntimeexceeded", "maxwaittimeexceeded",
    "interrupted - ", "status reason", "toomanyrequests", "capacity", "insufficient ",
    "stopping container", "killing: container", "task exited", "the replica ", "all nodes ");
constexpr auto kErrorHeads = word_list(
    "error", "fatal", "failed ", "failure ", "failure:", "failed:", "unable to", "could not ",
    "couldn't ", "cannot ", "can't ", "exception:", "exception in", "uncaught ", "unhandled ",
    "panic", "*** ", "abort", "crash", "err:", "exit code", "cuda error", "cuda failure",
    "cuda out of", "cuda runtime", "cuda driver", "no space left", "out of memory",
    "permission denied", "access denied", "connection refused", "connection reset", "thread '",
    "reason: ", "message: ", "caused by:", "❌", "✗", "training failed", "dataset generation",
    "internalservererror", "clienterror", "algorithmerror", "capacityerror", "customer error",
    "platform error", "errormessage", "extrainfo",
    "bash: ", "sh: ", "/bin/sh: ", "/bin/bash: ", "rpc failed", "dial tcp", "connection closed",
    "an error occurred", "launched instance was", "curl returned", "{'error'", "{\"error\"",
    "\"error\"", "'error'");

// What stands somewhere in them.
enum Word : std::uint32_t {
  kEnd = 1U << 0U,
  kShell = 1U << 1U,
  kKernel = 1U << 2U,
  kScheduler = 1U << 3U,
  kLibrary = 1U << 4U,
  kGoesOn = 1U << 5U,
  kErrorMark = 1U << 6U,
  kNews = 1U << 7U,
  kWarning = 1U << 8U,
  kChatter = 1U << 9U,
  kAnswer = 1U << 10U,
};
constexpr auto kEnds = word_list("killed", "terminated", "aborted", "hangup", "已杀死", "已终止");
constexpr auto kShells = word_list(": line ");
constexpr auto kKernelWords =
    word_list("nvrm:", "xid (pci", "kernel:", "nvidia-nvswitch", "sxid", "oom-kill:", "oom_reaper",
              "out of memory: kill", "memory cgroup out of memory", "invoked oom-killer", "ext4-fs",
              "xfs (", "blk_update_request", "buffer i/o error", "pcieport", "pcie bus error",
              "aer: ", "mce: ", "edac ", "mlx5_core", "watchdog: bug", "soft lockup", "hard lockup",
              "hung_task", "blocked for more than", "nvme nvme", "md/raid", "machine check",
              "i/o error, dev", "remounting filesystem", "nfs: server", "lustreerror");
constexpr auto kSchedulerWords = word_list(
    " cancelled at ", "due to preemption", "due to time limit", "due to node failure", " kubelet",
    "-controller", "default-scheduler", "scheduler ", "last state", "oomkilled",
    "mpi_abort was invoked", "lost communication with", "a daemon", "daemon pid", "term_runlimit",
    "term_memlimit", "spot instance", "interruption notice", "instance-action", "death signal",
    "nodes are available:", "received sigterm", "due to task failure", "failed (exitcode");
constexpr auto kLibraryWords =
    word_list("nccl warn", "processgroupnccl", "processgroupgloo", "watchdog",
              "collective operation", "net/ofi", "net/ib", "libfabric", "efa_rdm", "prov_errno",
              "hccl", "tdrv:", "nmgr:", "nrt:", "neuron_", "stalled ", "store based barrier",
              "gloo", "rendezvous", "tcpstore", "nccl error", "ncclsystemerror", "ncclremoteerror",
              "ncclinternalerror", "ncclunhandledcudaerror", "last error:", "heartbeat", "habana",
              "ucx ", "invalid nccl_", "mlx5_");
constexpr auto kGoesOnWords = word_list(
    "falling back", "fall back to", "skipping", "ignoring", "loading based on", "using default",
    "will use", "continuing with", "proceeding", "will be ignored", "defaulting to");
// `train.py: error: …`, `docker: Error response …`, `wandb: ERROR …`, `level=error msg=…`
constexpr auto kErrorMarks =
    word_list(": error: ", ": error ", ": fatal: ", ": fatal error", "level=error", "level=fatal",
              "\"level\":\"error\"", "\"level\": \"error\"", "\"severity\": \"error\"", "[error]",
              " error: ", " fatal: ", "(error): ", "[customer error]", "[platform error]",
              ": failed to ", ": cannot ", ": unable to ", ": could not ", " panicked at ");
constexpr auto kNewsWords = word_list("error", "exception", "fail", "\"reason\"", "\"message\"",
                                      "\"msg\"", "\"action\"", "\"status\"", "\"code\"", "'code'",
                                      "'status'", "'message'", "instance-action", "signal");
constexpr auto kWarnings = word_list("warning: ");
constexpr auto kChatters = word_list("nccl info");
constexpr auto kAnswers = word_list("an error occurred (");

std::uint32_t words_in(std::string_view lower) {
  static const WordIndex kIndex(4, {{kEnd, kEnds},
                                    {kShell, kShells},
                                    {kKernel, kKernelWords},
                                    {kScheduler, kSchedulerWords},
                                    {kLibrary, kLibraryWords},
                                    {kGoesOn, kGoesOnWords},
                                    {kErrorMark, kErrorMarks},
                                    {kNews, kNewsWords},
                                    {kWarning, kWarnings},
                                    {kChatter, kChatters},
                                    {kAnswer, kAnswers}});
  return kIndex.anywhere(lower);
}

}  // namespace

ReportWords report_words(std::string_view lower) {
  static const WordIndex kHeads(
      1,
      {{kNativeHead, kNativeHeads}, {kSchedulerHead, kSchedulerHeads}, {kErrorHead, kErrorHeads}});
  return {kHeads.at_begin(lower), words_in(lower)};
}

bool is_native(std::string_view lower, ReportWords found) {
  if ((found.heads & kNativeHead) != 0) return true;
  if ((found.words & (kEnd | kShell)) == 0) return false;
  if (lower == "killed" || lower == "terminated" || lower == "aborted" || lower == "hangup" ||
      lower.ends_with(" killed") || lower == "已杀死" || lower == "已终止" ||
      lower.contains("killed process "))
    return true;
  // `train.sh: line 12: 4727 Killed    python train.py`
  return (found.words & kShell) != 0 &&
         (lower.contains(" killed") || lower.contains(" aborted") ||
          lower.contains(" terminated") || lower.contains("segmentation fault") ||
          lower.contains("bus error") || lower.contains("command not found"));
}

bool is_kernel(ReportWords found) { return (found.words & kKernel) != 0; }

bool is_scheduler(ReportWords found) {
  return (found.heads & kSchedulerHead) != 0 || (found.words & kScheduler) != 0;
}

bool is_library(ReportWords found) { return (found.words & kLibrary) != 0; }

bool goes_on(ReportWords found) { return (found.words & kGoesOn) != 0; }

bool says_an_error(std::string_view said, std::string_view lower, ReportWords found) {
  if ((found.heads & kErrorHead) != 0 || said.starts_with("E   ")) return true;
  constexpr std::size_t kNear = 240;
  return (found.words & kErrorMark) != 0 &&
         (lower.size() <= kNear || (words_in(lower.substr(0, kNear)) & kErrorMark) != 0);
}

bool tells_news(ReportWords found) { return (found.words & kNews) != 0; }

bool may_warn(ReportWords found) { return (found.words & kWarning) != 0; }

bool is_chatter(ReportWords found) { return (found.words & kChatter) != 0; }

bool is_answer(ReportWords found) { return (found.words & kAnswer) != 0; }

}  // namespace trainwarden::rules
