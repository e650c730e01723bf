#include "handlers/rules/failure/wording.h"

#include <algorithm>
#include <array>

#include "handlers/rules/failure/word_lists.h"

namespace trainwarden::rules {

bool tells_less(std::string_view line) {
  static constexpr auto kWords = word_list(
      "retrying", "will retry", "retry attempt", "entering retry", "reconnecting", "(non-fatal",
      "userwarning", "futurewarning", "deprecationwarning", "runtimewarning", " info ",
      "info:", "[info", " debug ", "debug:", "[debug", "warning:", "[warning", "from scratch",
      "resolved after", "recovered after", "succeeded after", "previous attempt", "previous run",
      "resuming after", "resumed after", "restarted after", "restored after");
  // What a program says that it will do if something should happen.
  static constexpr auto kAhead =
      word_list(" handler ", "retry policy", "registered", "installed", "enabled", "configured to",
                "will checkpoint", "will save", "retry on", "in case of", "listening for",
                "watching for", "checking for", "monitoring for");
  // `Warning Failed 113s kubelet Error: …`: Kubernetes calls all failures so.
  static constexpr auto kOfAnEvent =
      word_list(" kubelet", "scheduler ", "-controller ", " pod/", " node/", " job/");
  const bool warning =
      (line.starts_with("warning ") || line.contains(" warning ")) && !has_one(line, kOfAnEvent);
  return has_one(line, kWords) || has_one(line, kAhead) || warning || line.starts_with("info ");
}

bool storage_hung_up(std::string_view text, std::size_t line) {
  static constexpr auto kHungUp =
      word_list("reset by peer", "connection reset", "connection closed", "connection aborted",
                "connection broken", "connection was closed", "broken pipe", "econnreset", "epipe",
                "read timed out");
  static constexpr auto kStorage =
      word_list("s3.", "s3-", "s3_", "/s3", "s3:", " s3 ", "amazonaws.com", "boto");
  constexpr std::size_t kNear = 600;
  const std::size_t from = line > kNear ? line - kNear : 0;
  return has_one(text.substr(line, kNear), kHungUp) &&
         has_one(text.substr(from, line - from + kNear), kStorage);
}

bool killed_by_somebody(std::string_view line) {
  constexpr std::string_view kAround = " *`.";
  const std::size_t begin = line.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return false;
  line = line.substr(begin, line.find_last_not_of(kAround) - begin + 1);
  return line == "killed" || line.ends_with(": killed") || line == "已杀死" || line == "已终止";
}

bool on_this_host(std::string_view line) {
  static constexpr auto kWords = word_list("localhost", "127.0.0.1", "0.0.0.0", " agent");
  return has_one(line, kWords);
}

bool guessed(std::string_view before) {
  static constexpr auto kWords = word_list(
      "potential root causes", "common causes", "possible causes", "possible reasons",
      "be caused by", "likely caused by", "this can happen if", "this indicates that",
      "may be due to", "might be due to", "could be due to", "may happen when", "may happen if",
      "can happen when", "can happen if", "could be triggered by", "either the leader",
      "likely due to", "is possible that", "typically indicates", "to avoid", "in order to");
  return has_one(before, kWords);
}

bool names_the_outside(std::string_view words) {
  // As whole words: `hbm error term` of a program is none of a device.
  static constexpr auto kOutside = word_list(
      "cuda", "cudnn", "cublas", "nccl", "gpu", "gpus", "nvlink", "nvswitch", "xid", "nvml",
      "nvidia", "hip", "rocm", "neuron", "nrt", "tpu", "xla", "efa", "ofi", "ibv", "rdma",
      "infiniband", "libfabric", "s3", "aws", "amazon", "amazonaws", "ec2", "sagemaker", "boto",
      "botocore", "slurm", "hub", "hugging", "huggingface", "http", "https", "url", "errno",
      "os error", "server error", "client error", "api", "status code", "code: 429", "code: 500",
      "code: 503", "429 too many", "500 internal", "502 bad gateway", "503 service", "503 slow",
      "504 gateway", "getaddrinfo", "gaierror", "lustre", "nfs", "docker", "registry", "wandb",
      "driver", "temporary failure in name resolution", "name or service not known",
      "ecc error encountered", "uncorrectable ecc", "node network", "worker node", "daemon",
      "mount", "file system", "read-only file system", "spot instance", "spot instances",
      "accelerator", "upload", "download", "downloading", "endpoint", "hostname", "resolve host");
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (const std::string_view name : Words(kOutside))
    for (std::size_t at = words.find(name); at != std::string_view::npos;
         at = words.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if ((at == 0 || !is_word(words[at - 1])) && (end >= words.size() || !is_word(words[end])))
        return true;
    }
  return false;
}

bool guessed_in_a_list(std::string_view text, std::size_t line) {
  static constexpr auto kHeads = word_list(
      "caused by:", "causes:", "causes are:", "reasons:", "reasons are:", "reasons include:",
      "causes include:", "things to check:", "happens when:", "happen when:", "happen if:");
  constexpr int kMostLines = 12;
  const std::string_view first = text.substr(line);
  if (!(first.starts_with("* ") || first.starts_with("- ") || first.starts_with("• ")))
    return false;
  for (int n = 0; n < kMostLines && line > 0; ++n) {
    const std::size_t begin = text.substr(0, line - 1).rfind('\n') + 1;
    const std::string_view before = text.substr(begin, line - 1 - begin);
    if (before.ends_with(':')) return ends_with_one(before, kHeads);
    line = begin;
  }
  return false;
}

Named named_by(std::string_view before, std::string_view after, std::string_view openers) {
  static constexpr auto kNews =
      word_list("error", "exception", "fail", "status", "respon", "request", "server", "service",
                "http", "download", "upload", "connect", "fetch", "api", "could not", "unable");
  static constexpr auto kKinds =
      word_list(": unknown ", ": unsupported ", ": unexpected ", ": invalid ", ": unrecognized ");
  static constexpr auto kPretended = word_list(" simulated ", " mock", " fake ", " injected ");
  static constexpr auto kOperators = word_list(" == ", " != ", ": assert ");
  if (has_one(before, kPretended)) return Named::kAsValue;
  const bool news = has_one(before, kNews);
  constexpr std::string_view kQuotes = "'\"`";
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  char open = 0;
  for (std::size_t i = 1; i < before.size(); ++i) {
    if (!kQuotes.contains(before[i])) continue;
    const char next = i + 1 < before.size() ? before[i + 1] : after.empty() ? ' ' : after[0];
    if (open == 0 && openers.contains(before[i - 1])) {
      open = before[i];
    } else if (open == before[i] && !is_word(next)) {
      open = 0;
    }
  }
  if (open != 0) return news ? Named::kQuoted : Named::kAsValue;
  const bool of_a_kind = before.ends_with(": ") && !news && starts_with_one(before, kKinds);
  if (of_a_kind) return Named::kAsValue;
  const bool compared = has_one(before, kOperators) || has_one(after, kOperators);
  return compared ? Named::kCompared : Named::kNot;
}

bool in_code(std::string_view line, std::size_t at) {
  static constexpr auto kStatements = word_list("raise ", "except ", "assert ", "if ", "elif ",
                                                "return ", "while ", "for ", "with ");
  const bool statement =
      starts_with_one(line, kStatements) &&
      (line.ends_with(':') || line.ends_with(')') || line.starts_with("assert "));
  if (statement) return true;
  // `raise ValueError("no capacity") ValueError: …`: SageMaker puts all on one line.
  const std::size_t raised = line.substr(0, at).rfind("raise ");
  if (raised == std::string_view::npos) return false;
  const std::string_view between = line.substr(raised, at - raised);
  return between.contains('(') && !between.contains(')');
}

bool is_frame(std::string_view line) {
  return line.contains("file \"") && line.contains("\", line ") && line.contains(", in ");
}

bool harmless(std::string_view line) {
  static constexpr auto kWords =
      word_list("is not a failure", "is harmless", "safely ignore", "safely be ignored",
                "please ignore", "ignore above", "ignore this", "(ignored)");
  return has_one(line, kWords);
}

bool settings(std::string_view line) {
  return (line.starts_with("sm_") && line.find('=') != std::string_view::npos) ||
         line.starts_with("training env") || line.starts_with("invoking script") ||
         line.starts_with("environment variables") || line.contains("setting omp_num_threads");
}

std::size_t command_in(std::string_view line) {
  static constexpr auto kEnds =
      word_list("aborted", "killed", "terminated", "segmentation fault", "bus error",
                "illegal instruction", "floating point exception", "hangup");
  constexpr std::string_view kNumber = ": line ";
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t number = line.find(kNumber);
  if (number == std::string_view::npos) return number;
  std::size_t at = line.find_first_not_of(kDigits, number + kNumber.size());
  if (at == std::string_view::npos || !line.substr(at).starts_with(": ")) return line.npos;
  at = line.find_first_not_of(kDigits, at + 2);
  if (at == std::string_view::npos || line[at] != ' ') return line.npos;
  for (const std::string_view end : Words(kEnds))
    if (line.substr(at + 1).starts_with(end)) return at + 1 + end.size();
  return line.npos;
}

bool tells_of_failure(std::string_view line) {
  static constexpr auto kFailure =
      word_list("error", "fail", "fatal", "exception", "cannot", "can't", "could not", "couldn't",
                "unable", "not able", "exceed", "invalid", "missing", "not found", "no such",
                "refused", "denied", "lost", "unhealthy", "abort", "terminat", "killed", "stopped",
                "rejected", "too many", "too large", "too small", "insufficient", "not enough",
                "must be", "must have", "must not", "should be", "not allowed", "not supported",
                "unsupported", "mismatch", "does not", "is not", "was not", "no ", "not ",
                "expired", "violat", "crash", "unexpected", "bad ", "broken", "panic", "reason");
  static constexpr auto kCode = word_list(
      "file \"", "raise ", "import ", "return ", "def ", "self.", "warning", "warn(", " info ",
      "info:", "[info", "traceback", "debug", "please see", "for more info", "you may need");
  return has_one(line, kFailure) && !has_one(line, kCode);
}

bool plain_word(std::string_view line, std::size_t at) {
  std::size_t begin = line.find_first_not_of(' ', at);
  while (begin > 0 && line[begin - 1] != ' ') --begin;
  std::string_view word = line.substr(begin, line.find(' ', begin) - begin);
  constexpr std::string_view kAround = ".,:;!?()[]{}'\"`<>*=";
  while (!word.empty() && kAround.contains(word.front())) word.remove_prefix(1);
  while (!word.empty() && kAround.contains(word.back())) word.remove_suffix(1);
  return std::ranges::all_of(
      word, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

}  // namespace trainwarden::rules
