#include "handlers/rules/failure/structures.h"

#include <algorithm>
#include <array>
#include <utility>

#include "handlers/rules/failure/bigrams.h"
#include "handlers/rules/failure/exceptions.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

using Words = std::span<const std::string_view>;

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_word(char c) { return is_digit(c) || is_small(c) || (c >= 'A' && c <= 'Z') || c == '_'; }

bool starts_with_one(std::string_view text, Words words) {
  return !text.empty() && std::ranges::any_of(words, [text](std::string_view w) {
    return w[0] == text[0] && text.starts_with(w);
  });
}

bool has_one(std::string_view text, const Bigrams& pairs, Words words) {
  return std::ranges::any_of(words, [&](std::string_view w) {
    return pairs.may_have(w) && text.find(w) != std::string_view::npos;
  });
}

bool is_frame(std::string_view said) {
  if (said.starts_with("File \"")) return said.contains(", line ");
  // IPython's: `File ~/x.py:37, in f(a)` and `--> 37 f()`.
  return (said.starts_with("File ") && said.contains(", in ")) || said.starts_with("--> ") ||
         said.starts_with("---> ") || said.starts_with("----> ");
}

// `KeyError: 'x'` in a frame's place, as pytest and rich draw frames.
bool is_drawn(std::string_view said) {
  static constexpr auto kBoxes = std::to_array<std::string_view>({"│", "╭", "╰", "❱", "┃", "┏"});
  return starts_with_one(said, kBoxes);
}

// `^^^^^^` and `~~~~^^`
bool is_underline(std::string_view said) {
  return !said.empty() && said.contains('^') && said.find_first_not_of("^~ ") == said.npos;
}

// What a traceback shows of the source. `raise X(…)` and the like stand alone where the lines
// around them were cut.
bool is_code(std::string_view said) {
  static constexpr auto kStatements = std::to_array<std::string_view>(
      {"raise ", "except ", "return ", "assert ", "with ", "def ", "import ", "if ", "elif ",
       "for ", "while ", "self.", "warnings.warn(", "logger.", "logging.", "print("});
  if (said.starts_with("raise ") || said.starts_with("self.") || said.starts_with("def "))
    return !said.starts_with("self.") || said.ends_with(')') || said.ends_with('(');
  if (said.starts_with("from ") && said.contains(" import ")) return true;
  if (!starts_with_one(said, kStatements)) return false;
  return said.ends_with(')') || said.ends_with(':') || said.ends_with('(') ||
         (said.starts_with("import ") && std::ranges::count(said, ' ') == 1) ||
         (said.starts_with("assert ") && said.contains(" == "));
}

// A command line, an environment, settings: their words are arguments, and happened to nobody.
bool is_command(std::string_view said) {
  static constexpr auto kHeads =
      std::to_array<std::string_view>({"Command \"",
                                       "Command '",
                                       "command: ",
                                       "Command: ",
                                       "cmd: ",
                                       "CMD: ",
                                       "Invoking script",
                                       "Running command",
                                       "running command",
                                       "Executing ",
                                       "+ ",
                                       "++ ",
                                       "$ ",
                                       "mpirun -",
                                       "mpirun --",
                                       "/usr/bin/python",
                                       "/opt/conda/bin/python",
                                       "/miniconda3/bin/python",
                                       "python ",
                                       "python3 ",
                                       "torchrun ",
                                       "accelerate launch ",
                                       "deepspeed --",
                                       "bash ",
                                       "usage:",
                                       "Training Env",
                                       "Environment variables",
                                       "Namespace(",
                                       "Arguments:",
                                       "TrainingArguments(",
                                       "Reading default configuration",
                                       "Merging with provided configuration",
                                       "Final configuration",
                                       "Loaded hyperparameters",
                                       "hyperparameters:",
                                       "Hyperparameters:",
                                       "Requirement already",
                                       "Collecting ",
                                       "Downloading ",
                                       "Installing ",
                                       "Successfully ",
                                       "Using cached ",
                                       "Building wheel",
                                       "Created wheel",
                                       "Stored in directory",
                                       "Obtaining ",
                                       "Preparing metadata",
                                       "Attempting uninstall",
                                       "Found existing installation",
                                       "Uninstalling",
                                       "Looking in "});
  if (starts_with_one(said, kHeads)) return !said.contains("' returned non-zero exit status");
  // `SM_HPS={…}`, `NCCL_DEBUG=INFO`, `export X=1`
  std::size_t name = 0;
  while (name < said.size() &&
         (is_digit(said[name]) || said[name] == '_' || (said[name] >= 'A' && said[name] <= 'Z')))
    ++name;
  if (name > 3 && name < said.size() && said[name] == '=') return true;
  // `[--mp_parameters MP_PARAMETERS]`, of a usage
  return said.starts_with("[--") || said.starts_with("[-h]");
}

// A dump of settings: `{"a": 1, "b": 2}`, `'mini_batch_size': '1000',`. One that speaks of an
// error is an answer of a service.
bool is_dump(std::string_view said, std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kNews = std::to_array<std::string_view>(
      {"error", "exception", "fail", "\"reason\"", "\"message\"", "\"msg\"", "\"action\"",
       "\"status\"", "\"code\"", "'code'", "'status'", "'message'", "instance-action", "signal"});
  if (said.empty()) return false;
  const bool opens = said[0] == '{' || said[0] == '"' || said[0] == '\'' ||
                     (said[0] == 'u' && said.starts_with("u'"));
  const bool has_pairs =
      said.contains("\": ") || said.contains("\":") || said.contains("': ") || said.contains("=>");
  if (opens && has_pairs) return !has_one(lower, pairs, kNews);
  // `… configuration …: {'epochs': 1, 'mini_batch_size': '1000'}`
  const std::size_t brace = said.find('{');
  if (brace == std::string_view::npos) return false;
  return std::ranges::count(said.substr(brace), ':') >= 4 &&
         std::ranges::count(said.substr(brace), ',') >= 3 && !has_one(lower, pairs, kNews);
}

bool warns(std::string_view said) {
  constexpr std::string_view kWarning = "Warning: ";
  const std::size_t at = said.substr(0, 300).find(kWarning);
  if (at == std::string_view::npos) return false;
  if (at == 0) return true;
  return is_word(said[at - 1]) || said[at - 1] == ' ' || said[at - 1] == ']';
}

// `Exception ignored in: <function …>`: what follows happened while things were cleared away.
bool ignores(std::string_view said) {
  return said.starts_with("Exception ignored in") || said.starts_with("Exception ignored on");
}

bool is_native(std::string_view lower) {
  static constexpr auto kHeads = std::to_array<std::string_view>({"terminate called",
                                                                  "what():",
                                                                  "libc++abi",
                                                                  "fatal python error",
                                                                  "segmentation fault",
                                                                  "bus error",
                                                                  "aborted (core",
                                                                  "floating point exception",
                                                                  "illegal instruction",
                                                                  "*** process received signal",
                                                                  "*** aborted at",
                                                                  "*** error in",
                                                                  "double free",
                                                                  "free(): ",
                                                                  "malloc(): ",
                                                                  "malloc: ",
                                                                  "corrupted ",
                                                                  "munmap_chunk",
                                                                  "realloc(): ",
                                                                  "signal: ",
                                                                  "signal code",
                                                                  "fatal error: ",
                                                                  "fatal: ",
                                                                  "panic: ",
                                                                  "sigsegv",
                                                                  "sigterm",
                                                                  "sigabrt",
                                                                  "received signal",
                                                                  "caught signal",
                                                                  "stack smashing",
                                                                  "tcmalloc: "});
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

bool is_kernel(const Line& line, std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kWords = std::to_array<std::string_view>({"nvrm:",
                                                                  "xid (pci",
                                                                  "kernel:",
                                                                  "nvidia-nvswitch",
                                                                  "sxid",
                                                                  "oom-kill:",
                                                                  "oom_reaper",
                                                                  "out of memory: kill",
                                                                  "memory cgroup out of memory",
                                                                  "invoked oom-killer",
                                                                  "ext4-fs",
                                                                  "xfs (",
                                                                  "blk_update_request",
                                                                  "buffer i/o error",
                                                                  "pcieport",
                                                                  "pcie bus error",
                                                                  "aer: ",
                                                                  "mce: ",
                                                                  "edac ",
                                                                  "mlx5_core",
                                                                  "watchdog: bug",
                                                                  "soft lockup",
                                                                  "hard lockup",
                                                                  "hung_task",
                                                                  "blocked for more than",
                                                                  "nvme nvme",
                                                                  "md/raid",
                                                                  "machine check",
                                                                  "i/o error, dev",
                                                                  "remounting filesystem",
                                                                  "nfs: server",
                                                                  "lustreerror"});
  return line.prefix.kernel || has_one(lower, pairs, kWords);
}

bool is_scheduler(std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kHeads = std::to_array<std::string_view>({"slurmstepd",
                                                                  "srun: error",
                                                                  "srun: job",
                                                                  "srun: fatal",
                                                                  "salloc: ",
                                                                  "sbatch: error",
                                                                  "slurmctld",
                                                                  "slurmd",
                                                                  "term_",
                                                                  "mpirun noticed",
                                                                  "mpirun detected",
                                                                  "mpirun.real detected",
                                                                  "mpi_abort",
                                                                  "orte has lost",
                                                                  "prte",
                                                                  "orte_",
                                                                  "warning failed",
                                                                  "warning backoff",
                                                                  "warning evicted",
                                                                  "warning preempt",
                                                                  "warning node",
                                                                  "warning unhealthy",
                                                                  "pod ",
                                                                  "the node ",
                                                                  "the job ",
                                                                  "node ",
                                                                  "job ",
                                                                  "state: ",
                                                                  "reason: ",
                                                                  "evicted",
                                                                  "exited with exit code",
                                                                  "spot ",
                                                                  "instance ",
                                                                  "=>> pbs",
                                                                  "pbs: ",
                                                                  "user defined signal",
                                                                  "exitcode ",
                                                                  "exitcode:",
                                                                  "traceback : signal",
                                                                  "maxruntimeexceeded",
                                                                  "maxwaittimeexceeded",
                                                                  "interrupted - ",
                                                                  "status reason",
                                                                  "toomanyrequests",
                                                                  "capacity",
                                                                  "insufficient ",
                                                                  "stopping container",
                                                                  "killing: container",
                                                                  "task exited",
                                                                  "the replica ",
                                                                  "all nodes "});
  static constexpr auto kWords = std::to_array<std::string_view>({" cancelled at ",
                                                                  "due to preemption",
                                                                  "due to time limit",
                                                                  "due to node failure",
                                                                  " kubelet",
                                                                  "-controller",
                                                                  "default-scheduler",
                                                                  "scheduler ",
                                                                  "last state",
                                                                  "oomkilled",
                                                                  "mpi_abort was invoked",
                                                                  "lost communication with",
                                                                  "a daemon",
                                                                  "daemon pid",
                                                                  "term_runlimit",
                                                                  "term_memlimit",
                                                                  "spot instance",
                                                                  "interruption notice",
                                                                  "instance-action",
                                                                  "death signal",
                                                                  "nodes are available:",
                                                                  "received sigterm",
                                                                  "due to task failure",
                                                                  "failed (exitcode"});
  return starts_with_one(lower, kHeads) || has_one(lower, pairs, kWords);
}

bool is_library(std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kWords = std::to_array<std::string_view>({"nccl warn",
                                                                  "processgroupnccl",
                                                                  "processgroupgloo",
                                                                  "watchdog",
                                                                  "collective operation",
                                                                  "net/ofi",
                                                                  "net/ib",
                                                                  "libfabric",
                                                                  "efa_rdm",
                                                                  "prov_errno",
                                                                  "hccl",
                                                                  "tdrv:",
                                                                  "nmgr:",
                                                                  "nrt:",
                                                                  "neuron_",
                                                                  "stalled ",
                                                                  "store based barrier",
                                                                  "gloo",
                                                                  "rendezvous",
                                                                  "tcpstore",
                                                                  "nccl error",
                                                                  "ncclsystemerror",
                                                                  "ncclremoteerror",
                                                                  "ncclinternalerror",
                                                                  "ncclunhandledcudaerror",
                                                                  "last error:",
                                                                  "heartbeat",
                                                                  "habana",
                                                                  "ucx ",
                                                                  "invalid nccl_",
                                                                  "mlx5_"});
  return has_one(lower, pairs, kWords);
}

// Whoever says so goes on all the same.
bool goes_on(std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kWords = std::to_array<std::string_view>(
      {"falling back", "fall back to", "skipping", "ignoring", "loading based on", "using default",
       "will use", "continuing with", "proceeding", "will be ignored", "defaulting to"});
  return has_one(lower, pairs, kWords);
}

bool says_an_error(std::string_view said, std::string_view lower, const Bigrams& pairs) {
  static constexpr auto kHeads = std::to_array<std::string_view>({"error",
                                                                  "fatal",
                                                                  "failed ",
                                                                  "failure ",
                                                                  "failure:",
                                                                  "failed:",
                                                                  "unable to",
                                                                  "could not ",
                                                                  "couldn't ",
                                                                  "cannot ",
                                                                  "can't ",
                                                                  "exception:",
                                                                  "exception in",
                                                                  "uncaught ",
                                                                  "unhandled ",
                                                                  "panic",
                                                                  "*** ",
                                                                  "abort",
                                                                  "crash",
                                                                  "err:",
                                                                  "exit code",
                                                                  "cuda error",
                                                                  "cuda failure",
                                                                  "cuda out of",
                                                                  "cuda runtime",
                                                                  "cuda driver",
                                                                  "no space left",
                                                                  "out of memory",
                                                                  "permission denied",
                                                                  "access denied",
                                                                  "connection refused",
                                                                  "connection reset",
                                                                  "thread '",
                                                                  "reason: ",
                                                                  "message: ",
                                                                  "caused by:",
                                                                  "❌",
                                                                  "✗",
                                                                  "training failed",
                                                                  "dataset generation",
                                                                  "internalservererror",
                                                                  "clienterror",
                                                                  "algorithmerror",
                                                                  "capacityerror",
                                                                  "customer error",
                                                                  "platform error",
                                                                  "errormessage",
                                                                  "extrainfo",
                                                                  "bash: ",
                                                                  "sh: ",
                                                                  "/bin/sh: ",
                                                                  "/bin/bash: ",
                                                                  "rpc failed",
                                                                  "dial tcp",
                                                                  "connection closed",
                                                                  "an error occurred",
                                                                  "launched instance was",
                                                                  "curl returned",
                                                                  "{'error'",
                                                                  "{\"error\"",
                                                                  "\"error\"",
                                                                  "'error'"});
  if (starts_with_one(lower, kHeads)) return true;
  // `train.py: error: …`, `docker: Error response …`, `wandb: ERROR …`, `level=error msg=…`
  static constexpr auto kMarks = std::to_array<std::string_view>({": error: ",
                                                                  ": error ",
                                                                  ": fatal: ",
                                                                  ": fatal error",
                                                                  "level=error",
                                                                  "level=fatal",
                                                                  "\"level\":\"error\"",
                                                                  "\"level\": \"error\"",
                                                                  "\"severity\": \"error\"",
                                                                  "[error]",
                                                                  " error: ",
                                                                  " fatal: ",
                                                                  "(error): ",
                                                                  "[customer error]",
                                                                  "[platform error]",
                                                                  ": failed to ",
                                                                  ": cannot ",
                                                                  ": unable to ",
                                                                  ": could not ",
                                                                  " panicked at "});
  return has_one(lower.substr(0, 240), pairs, kMarks) || said.starts_with("E   ");
}

class StructureReader {
 public:
  StructureReader(FailureText& text, bool reason) : text_(text), reason_(reason) {}

  void read() {
    for (std::size_t i = 0; i < text_.lines().size(); ++i) text_.lines()[i].structure = read(i);
    supersede();
  }

 private:
  Structure read(std::size_t i) {
    const Line& line = text_.lines()[i];
    const std::string_view said = text_.said(line);
    const std::string_view lower = text_.lower(line);
    if (said.empty()) return Structure::kSilent;
    if (ignores(said)) {
      ignored_ = true;
      return Structure::kSilent;
    }
    if (lower.starts_with("traceback (most recent call last)")) {
      in_traceback_ = true;
      process_ = line.prefix.process;
      return Structure::kFrame;
    }
    if (is_frame(said)) {
      in_traceback_ = after_frame_ = true;
      process_ = line.prefix.process;
      message_ = 0;
      return Structure::kFrame;
    }
    if (is_underline(said) || is_drawn(said)) return Structure::kFrame;
    const bool of_traceback = in_traceback_ && line.prefix.process == process_;
    const bool ends_traceback =
        of_traceback && !line.prefix.indented && !line.prefix.timed && class_at_begin(said);
    const bool begins_exception = exception_at_begin(said) || ends_traceback;
    const bool shows_source = std::exchange(after_frame_, false) && of_traceback;
    if (!begins_exception && (shows_source || is_code(said))) return Structure::kFrame;
    if (begins_exception && line.prefix.level != Level::kQuiet) return exception(line, said);
    if (of_traceback && line.prefix.indented && !line.prefix.timed) return Structure::kFrame;
    return without_traceback(line, said, lower);
  }

  Structure exception(const Line& line, std::string_view said) {
    const bool ignored = std::exchange(ignored_, false);
    in_traceback_ = false;
    message_ = ignored ? 0 : kMessageLines;
    process_ = line.prefix.process;
    if (ignored) return Structure::kSilent;
    return warns(said) ? Structure::kWarning : Structure::kException;
  }

  Structure without_traceback(const Line& line, std::string_view said, std::string_view lower) {
    if (line.prefix.level == Level::kQuiet || lower.contains("nccl info"))
      return Structure::kSilent;
    const Bigrams pairs(lower);
    if (is_kernel(line, lower, pairs)) return Structure::kKernel;
    if (is_command(said) || is_dump(said, lower, pairs)) return Structure::kSilent;
    if (is_native(lower)) return Structure::kNative;
    if (is_scheduler(lower, pairs)) return Structure::kScheduler;
    if (line.prefix.level == Level::kError) {
      message_ = 0;
      return Structure::kError;
    }
    if (is_library(lower, pairs)) return Structure::kLibrary;
    if (lower.contains("an error occurred (")) return Structure::kError;
    if (line.prefix.level == Level::kWarning || warns(said)) return Structure::kWarning;
    if (says_an_error(said, lower, pairs) && !goes_on(lower, pairs)) return Structure::kError;
    if (reason_) return Structure::kReason;
    if (message_ > 0 && line.prefix.process == process_ && !line.prefix.timed) {
      --message_;
      return Structure::kMessage;
    }
    message_ = 0;
    return Structure::kOrdinary;
  }

  // "During handling of the above exception, another exception occurred": the program meant to get
  // over the one above.
  void supersede() {
    const std::span<Line> lines = text_.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!text_.lower(lines[i]).starts_with("during handling of the above")) continue;
      lines[i].structure = Structure::kFrame;
      for (std::size_t above = 1; above <= std::min(i, kNear); ++above) {
        const std::size_t before = i - above;
        if (lines[before].structure != Structure::kException ||
            lines[before].prefix.process != lines[i].prefix.process)
          continue;
        lines[before].superseded = true;
        break;
      }
    }
  }

  static constexpr int kMessageLines = 5;
  static constexpr std::size_t kNear = 7;  // lines above
  FailureText& text_;
  bool reason_;
  bool in_traceback_ = false;
  bool after_frame_ = false;
  bool ignored_ = false;
  int message_ = 0;
  std::uint32_t process_ = 0;
};

}  // namespace

void read_structures(FailureText& text, bool reason) { StructureReader(text, reason).read(); }

std::string_view name_of(Structure structure) {
  switch (structure) {
    case Structure::kOrdinary:
      return "ordinary line";
    case Structure::kFrame:
      return "traceback";
    case Structure::kSilent:
      return "no report";
    case Structure::kWarning:
      return "warning";
    case Structure::kException:
      return "exception";
    case Structure::kMessage:
      return "message of an exception";
    case Structure::kNative:
      return "end of a process";
    case Structure::kKernel:
      return "kernel or driver";
    case Structure::kScheduler:
      return "scheduler or launcher";
    case Structure::kLibrary:
      return "communication library";
    case Structure::kError:
      return "error message";
    case Structure::kReason:
      return "FailureReason";
  }
  return "";
}

}  // namespace trainwarden::rules
