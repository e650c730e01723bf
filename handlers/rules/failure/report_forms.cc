#include "handlers/rules/failure/report_forms.h"

#include <array>

#include "handlers/rules/failure/word_lists.h"

namespace trainwarden::rules {

bool is_native(std::string_view lower) {
  static constexpr auto kHeads = word_list(
      "terminate called", "what():", "libc++abi", "fatal python error", "segmentation fault",
      "bus error", "aborted (core", "floating point exception", "illegal instruction",
      "*** process received signal", "*** aborted at", "*** error in", "double free",
      "free(): ", "malloc(): ", "malloc: ", "corrupted ", "munmap_chunk",
      "realloc(): ", "signal: ", "signal code", "fatal error: ", "fatal: ", "panic: ", "sigsegv",
      "sigterm", "sigabrt", "received signal", "caught signal", "stack smashing", "tcmalloc: ");
  if (starts_with_one(lower, kHeads)) return true;
  if (lower == "killed" || lower == "terminated" || lower == "aborted" || lower == "hangup" ||
      lower.ends_with(": killed") || lower.ends_with(" killed") || lower == "已杀死" ||
      lower == "已终止" || lower.contains("killed process "))
    return true;
  // `train.sh: line 12: 4727 Killed    python train.py`
  return lower.contains(": line ") &&
         (lower.contains(" killed") || lower.contains(" aborted") ||
          lower.contains(" terminated") || lower.contains("segmentation fault") ||
          lower.contains("bus error") || lower.contains("command not found"));
}

bool is_kernel(std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kWords = word_list(
      "nvrm:", "xid (pci", "kernel:", "nvidia-nvswitch", "sxid", "oom-kill:", "oom_reaper",
      "out of memory: kill", "memory cgroup out of memory", "invoked oom-killer", "ext4-fs",
      "xfs (", "blk_update_request", "buffer i/o error", "pcieport", "pcie bus error",
      "aer: ", "mce: ", "edac ", "mlx5_core", "watchdog: bug", "soft lockup", "hard lockup",
      "hung_task", "blocked for more than", "nvme nvme", "md/raid", "machine check",
      "i/o error, dev", "remounting filesystem", "nfs: server", "lustreerror");
  return has_one(lower, pairs, kWords);
}

bool is_scheduler(std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kHeads = word_list(
      "slurmstepd", "srun: error", "srun: job", "srun: fatal", "salloc: ", "sbatch: error",
      "slurmctld", "slurmd", "term_", "mpirun noticed", "mpirun detected", "mpirun.real detected",
      "mpi_abort", "orte has lost", "prte", "orte_", "warning failed", "warning backoff",
      "warning evicted", "warning preempt", "warning node", "warning unhealthy", "pod ",
      "the node ", "the job ", "node ", "job ", "state: ", "reason: ", "evicted",
      "exited with exit code", "spot ", "instance ", "=>> pbs", "pbs: ", "user defined signal",
      "exitcode ", "exitcode:", "traceback : signal", "maxruntimeexceeded", "maxwaittimeexceeded",
      "interrupted - ", "status reason", "toomanyrequests", "capacity", "insufficient ",
      "stopping container", "killing: container", "task exited", "the replica ", "all nodes ");
  static constexpr auto kWords = word_list(
      " cancelled at ", "due to preemption", "due to time limit", "due to node failure", " kubelet",
      "-controller", "default-scheduler", "scheduler ", "last state", "oomkilled",
      "mpi_abort was invoked", "lost communication with", "a daemon", "daemon pid", "term_runlimit",
      "term_memlimit", "spot instance", "interruption notice", "instance-action", "death signal",
      "nodes are available:", "received sigterm", "due to task failure", "failed (exitcode");
  return starts_with_one(lower, kHeads) || has_one(lower, pairs, kWords);
}

bool is_library(std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kWords =
      word_list("nccl warn", "processgroupnccl", "processgroupgloo", "watchdog",
                "collective operation", "net/ofi", "net/ib", "libfabric", "efa_rdm", "prov_errno",
                "hccl", "tdrv:", "nmgr:", "nrt:", "neuron_", "stalled ", "store based barrier",
                "gloo", "rendezvous", "tcpstore", "nccl error", "ncclsystemerror",
                "ncclremoteerror", "ncclinternalerror", "ncclunhandledcudaerror",
                "last error:", "heartbeat", "habana", "ucx ", "invalid nccl_", "mlx5_");
  return has_one(lower, pairs, kWords);
}

bool goes_on(std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kWords = word_list(
      "falling back", "fall back to", "skipping", "ignoring", "loading based on", "using default",
      "will use", "continuing with", "proceeding", "will be ignored", "defaulting to");
  return has_one(lower, pairs, kWords);
}

bool says_an_error(std::string_view said, std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kHeads = word_list(
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
  if (starts_with_one(lower, kHeads)) return true;
  // `train.py: error: …`, `docker: Error response …`, `wandb: ERROR …`, `level=error msg=…`
  static constexpr auto kMarks =
      word_list(": error: ", ": error ", ": fatal: ", ": fatal error", "level=error", "level=fatal",
                "\"level\":\"error\"", "\"level\": \"error\"", "\"severity\": \"error\"", "[error]",
                " error: ", " fatal: ", "(error): ", "[customer error]", "[platform error]",
                ": failed to ", ": cannot ", ": unable to ", ": could not ", " panicked at ");
  return has_one(lower.substr(0, 240), pairs, kMarks) || said.starts_with("E   ");
}

}  // namespace trainwarden::rules
