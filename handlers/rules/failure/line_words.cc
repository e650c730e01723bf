#include "handlers/rules/failure/line_words.h"

#include <algorithm>

#include "handlers/rules/failure/word_lists.h"

namespace trainwarden::rules {
namespace {

constexpr auto kEnds = word_list("killed", "terminated", "aborted", "hangup", "已杀死", "已终止");
constexpr auto kShells = word_list(": line ");
constexpr auto kKernelWords = word_list(
    "nvrm:", "xid (pci", "kernel:", "nvidia-nvswitch", "sxid", "oom-kill:", "oom_reaper",
    "out of memory: kill", "memory cgroup out of memory", "invoked oom-killer", "ext4-fs", "xfs (",
    "blk_update_request", "buffer i/o error", "pcieport", "pcie bus error",
    "aer: ", "mce: ", "edac ", "mlx5_core", "watchdog: bug", "soft lockup", "hard lockup",
    "hung_task", "blocked for more than", "nvme nvme", "md/raid", "machine check", "i/o error, dev",
    "remounting filesystem", "nfs: server", "lustreerror", "[drm:amdgpu");
constexpr auto kSchedulerWords = word_list(
    " cancelled at ", "due to preemption", "due to time limit", "due to node failure",
    "time limit for job execution", " kubelet", "-controller", "default-scheduler", "scheduler ",
    "last state", "oomkilled", "mpi_abort was invoked", "lost communication with", "a daemon",
    "process or daemon was unable", "actor died because", "actor's node ", "daemon pid",
    "term_runlimit", "term_memlimit", "spot instance", "interruption notice", "instance-action",
    "death signal", "nodes are available:", "received sigterm", "due to task failure",
    "failed (exitcode", "wtermsig ");
constexpr auto kLibraryWords =
    word_list("nccl warn", "processgroupnccl", "processgroupgloo", "watchdog",
              "collective operation", "net/ofi", "net/ib", "libfabric", "efa_rdm", "prov_errno",
              "hccl", "tdrv:", "nmgr:", "nrt:", "neuron_", "stalled ", "store based barrier",
              "gloo", "rendezvous", "tcpstore", "nccl error", "ncclsystemerror", "ncclremoteerror",
              "ncclinternalerror", "ncclunhandledcudaerror", "last error:", "heartbeat", "habana",
              "ucx ", "invalid nccl_", "mlx5_");
constexpr auto kGoesOnWords =
    word_list("falling back", "fall back to", "skipping", "ignoring", "loading based on",
              "using default", "will use", "will try to load", "continuing with", "proceeding",
              "will be ignored", "defaulting to", "training continues");
// `train.py: error: …`, `docker: Error response …`, `wandb: ERROR …`, `level=error msg=…`
constexpr auto kErrorMarks = word_list(
    ": error: ", ": error ", ": fatal: ", ": fatal error", "level=error", "level=fatal",
    "\"level\":\"error\"", "\"level\": \"error\"", "\"severity\": \"error\"", "[error]", "[fatal]",
    "[critical]", " error: ", " fatal: ", "(error): ", "[customer error]", "[platform error]",
    ": failed to ", " failed with exception: ", ": cannot ", ": unable to ", ": could not ",
    " panicked at ", ": can't open file '", ": check failed: ");
constexpr auto kNewsWords = word_list("error", "exception", "fail", "reason\"", "\"message\"",
                                      "\"msg\"", "\"action\"", "\"status\"", "\"code\"", "'code'",
                                      "'status'", "'message'", "instance-action", "signal");
constexpr auto kWarnings = word_list("warning: ");
constexpr auto kChatters = word_list("nccl info");
constexpr auto kAnswers = word_list("an error occurred (", "quotaexceeded");
constexpr auto kLessWords = word_list(
    "retrying", "will retry", "retry attempt ", "retry attempt:", "entering retry", "reconnecting",
    "(non-fatal", "userwarning", "futurewarning", "deprecationwarning", "runtimewarning", " info ",
    "info:", "[info", " debug ", "debug:", "[debug", "warning:", "[warning", "from scratch",
    "resolved after", "recovered after", "succeeded after", "previous attempt", "previous run",
    "resuming after", "resumed after", "restarted after", "restored after");
// What a program says that it will do if something should happen.
constexpr auto kAheadWords = word_list(
    " handler ", "retry policy", "registered", "installed", "enabled", "configured to",
    "will checkpoint", "will save", "retry on", "in case of", "listening for", "watching for",
    "checking for", "monitoring for", "retry_on", "retry strategy", "will restart upon");
// `Warning Failed 113s kubelet Error: …`: Kubernetes calls all failures so.
constexpr auto kEventWords =
    word_list(" kubelet", "scheduler ", "-controller ", " pod/", " node/", " job/");
constexpr auto kWarnWords = word_list(" warning ");
constexpr auto kHarmlessWords =
    word_list("is not a failure", "is harmless", "this is expected if", "safely ignore",
              "safely be ignored", "please ignore", "ignore above", "ignore this warning",
              "ignore this message", "ignore this error", "(ignored)");
constexpr auto kFailureWords = word_list(
    "error", "fail", "fatal", "exception", "cannot", "can't", "could not", "couldn't", "unable",
    "not able", "exceed", "invalid", "missing", "not found", "no such", "refused", "denied", "lost",
    "unhealthy", "abort", "terminat", "killed", "stopped", "rejected", "too many", "too large",
    "too small", "insufficient", "not enough", "must be", "must have", "must not", "should be",
    "not allowed", "not supported", "unsupported", "mismatch", "does not", "is not", "was not",
    "no ", "not ", "expired", "violat", "crash", "unexpected", "bad ", "broken", "panic", "reason");
constexpr auto kCodeWords = word_list("file \"", "raise ", "import ", "return ", "def ", "self.",
                                      "warning", "warn(", " info ", "info:", "[info", "traceback",
                                      "debug", "please see", "for more info", "you may need");
constexpr auto kHereWords = word_list("localhost", "127.0.0.1", "0.0.0.0", " agent");
constexpr auto kSettingWords = word_list("setting omp_num_threads");
constexpr auto kGuessWords = word_list(
    "potential root causes", "common causes", "possible causes", "possible reasons", "be caused by",
    "likely caused by", "this can happen if", "this indicates that", "may be due to",
    "may have exceeded", "might be due to", "could be due to", "may happen when", "may happen if",
    "can happen when", "can happen if", "could be triggered by", "either the leader",
    "likely due to", "is possible that", "typically indicates", "to avoid");
constexpr auto kRaiseWords = word_list("raise ");
// What ends a command line that a line quotes, or that is cut off within it.
constexpr auto kCommandWords = word_list("' returned non-zero", "' died with", "' timed out after",
                                         "'] exits with return code", "calledprocesserror: ");
// A part of each of the words that codes.cc reads a number behind.
constexpr auto kNumberWords = word_list("exit", "code", "status", "return", "signal", "termsig",
                                        "http", " with", "an error occurred (");
constexpr auto kMentionWords =
    word_list(" if ", "passed", "policy", "label", "prompt", "why ", "question", "inject",
              "simulat", "episode ", " loading ", "listening for", "resuming from", "resumed from",
              "previous run", "previous attempt", "retry on", "will retry on", "checking for",
              "watching for", "monitoring for");
constexpr auto kNoWords = word_list("no ");
constexpr auto kXidWords = word_list("xid");
constexpr auto kAssignedWords = word_list("successfully assigned");
// That something is not there.
constexpr auto kMissingWords =
    word_list(" not found", "no file ", " not find ", "not exist", "n't exist", "n't find ",
              " no such ", " missing", "nothing found", " nothing at ", " not there",
              "does not contain", "not a file", "not a directory");
constexpr auto kRootWords = word_list("root cause");
// What ended a worker or a pod, or kept it from starting, as TensorFlow, Dask, Argo and Ray tell of
// it at the levels INFO and WARNING.
constexpr auto kToldWords =
    word_list("error reported to coordinator: ", " was killed by signal ", "op_requires failed at ",
              "pod failed: ", "attempt failed with an error occurred (");
constexpr auto kProgressWords =
    word_list("loss", "samples/s", "it/s", "s/it", "epoch ", "epoch[",
              "step=", "iter: ", "learn: ", "samplespersec", "train-logloss", "train-rmse",
              "train-auc", "train-error", "train-mlogloss", "train-merror", "train-accuracy",
              "valid_0's ", "reporting training success", "training completed");

// What a parser of arguments refuses, and a service that denies.
constexpr auto kRefusalWords =
    word_list("unrecognized arguments", "error: argument -", "no such option", "invalid option",
              "unknown option", "unrecognized option", "not authorized to perform",
              "invalid value for", "invalid choice", "is not one of", "unexpected extra argument",
              "input should be", "has no value named", "denied the request:");

}  // namespace

LineWords line_words(std::string_view line) {
  static const WordIndex kIndex(3, {{kEndWord, kEnds},
                                    {kShellWord, kShells},
                                    {kKernelWord, kKernelWords},
                                    {kSchedulerWord, kSchedulerWords},
                                    {kLibraryWord, kLibraryWords},
                                    {kGoesOnWord, kGoesOnWords},
                                    {kErrorMark, kErrorMarks},
                                    {kNewsWord, kNewsWords},
                                    {kWarningMark, kWarnings},
                                    {kChatterWord, kChatters},
                                    {kAnswerWord, kAnswers},
                                    {kLessWord, kLessWords},
                                    {kAheadWord, kAheadWords},
                                    {kEventWord, kEventWords},
                                    {kWarnWord, kWarnWords},
                                    {kHarmlessWord, kHarmlessWords},
                                    {kFailureWord, kFailureWords},
                                    {kCodeWord, kCodeWords},
                                    {kHereWord, kHereWords},
                                    {kSettingWord, kSettingWords},
                                    {kGuessWord, kGuessWords},
                                    {kRaiseWord, kRaiseWords},
                                    {kCommandWord, kCommandWords},
                                    {kNumberWord, kNumberWords},
                                    {kMentionWord, kMentionWords},
                                    {kMentionWord, kNoWords},
                                    {kXidWord, kXidWords},
                                    {kAssignedWord, kAssignedWords},
                                    {kMissingWord, kMissingWords},
                                    {kRootWord, kRootWords},
                                    {kToldWord, kToldWords},
                                    {kProgressWord, kProgressWords},
                                    {kRefusalWord, kRefusalWords}});
  return kIndex.anywhere(line);
}

bool tells_progress(std::string_view line) { return has_one(line, kProgressWords); }

std::size_t guess_end(std::string_view line) { return first_end(line, kGuessWords); }

std::size_t mention_end(std::string_view line) {
  constexpr std::string_view kNo = " no ";  // and not `volcano 0/101 nodes`
  if (line.starts_with(kNo.substr(1))) return kNo.size() - 1;
  const std::size_t no = line.find(kNo);
  return std::min(first_end(line, kMentionWords), no == line.npos ? no : no + kNo.size());
}

std::size_t refusal_end(std::string_view line) { return first_end(line, kRefusalWords); }

bool quotes_the_kernel(std::string_view line) {
  // `message: "EXT4-fs …"`: who watches the kernel's log tells of it so.
  static constexpr auto kTells =
      word_list("message: ", "message:", "message=", "msg=", "log: ", "dmesg: ");
  const std::string_view before = line.substr(0, first_end(line, kKernelWords));
  if (line.starts_with('{') || std::ranges::count(before, '"') % 2 == 0) return false;
  return !ends_with_one(before.substr(0, before.rfind('"')), kTells);
}

}  // namespace trainwarden::rules
