#include "handlers/rules/failure/wording.h"

#include <algorithm>
#include <array>

#include "handlers/rules/failure/word_lists.h"

namespace trainwarden::rules {

bool tells_less(std::string_view line, LineWords words) {
  static constexpr auto kWarnings = word_list("warning ");
  static constexpr auto kInfos = word_list("info ");
  const bool warning =
      ((words & kWarnWord) != 0 || starts_with_one(line, kWarnings)) && (words & kEventWord) == 0;
  return (words & (kLessWord | kAheadWord)) != 0 || warning || starts_with_one(line, kInfos);
}

bool of_a_shell_s_tools(std::string_view line) {
  static constexpr auto kTools = word_list(
      "ls: ", "rm: ", "chown: ", "chmod: ", "rmdir: ", "kill: ", "pkill: ", "du: ", "find: ");
  return starts_with_one(line, kTools);
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

ShellWord shell_word(std::string_view line) {
  constexpr std::string_view kAround = " *`.";
  const std::size_t begin = line.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return ShellWord::kNone;
  line = line.substr(begin, line.find_last_not_of(kAround) - begin + 1);
  if (line == "killed" || line.ends_with(": killed") || line == "已杀死") return ShellWord::kKilled;
  const bool told = line == "terminated" || line == "hangup" || line == "已终止";
  return told ? ShellWord::kTerminated : ShellWord::kNone;
}

bool on_this_host(LineWords words) { return (words & kHereWord) != 0; }

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
      "accelerator", "when calling the", "upload", "download", "downloading", "endpoint",
      "hostname", "resolve host", "incompleteread");
  static const WordIndex kIndex(2, {{1, kOutside}});
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  bool out = false;
  kIndex.each(words, [&](std::uint64_t, std::size_t at, std::size_t size) {
    const std::size_t end = at + size;
    out = out ||
          ((at == 0 || !is_word(words[at - 1])) && (end >= words.size() || !is_word(words[end])));
  });
  return out;
}

bool guessed_in_a_list(std::string_view text, std::size_t line) {
  static constexpr auto kHeads = word_list(
      "caused by:", "causes:", "causes are:", "reasons:", "reasons are:", "reasons include:",
      "causes include:", "things to check:", "happens when:", "happen when:", "happen if:");
  constexpr int kMostLines = 12;
  static constexpr auto kItems = word_list("* ", "- ", "• ");
  if (!starts_with_one(text.substr(line), kItems)) return false;
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

bool in_code(std::string_view line, std::size_t at, LineWords words) {
  static constexpr auto kStatements = word_list("raise ", "except ", "assert ", "if ", "elif ",
                                                "return ", "while ", "for ", "with ");
  const bool statement =
      starts_with_one(line, kStatements) &&
      (line.ends_with(':') || line.ends_with(')') || line.starts_with("assert "));
  if (statement) return true;
  // `raise ValueError("no capacity") ValueError: …`: SageMaker puts all on one line.
  if ((words & kRaiseWord) == 0) return false;
  const std::size_t raised = line.substr(0, at).rfind("raise ");
  if (raised == std::string_view::npos) return false;
  const std::string_view between = line.substr(raised, at - raised);
  return between.contains('(') && !between.contains(')');
}

bool is_frame(std::string_view line) {
  return line.contains("file \"") && line.contains("\", line ") && line.contains(", in ");
}

bool harmless(LineWords words) { return (words & kHarmlessWord) != 0; }

bool only_possible(std::string_view before) {
  static constexpr auto kPossibly =
      word_list("may be ", "can be ", "could be ", "might be ", "if this ", "polling ",
                "subscribed to ", "checkpoint on: ", "was excluded: ", "not retrying (");
  static constexpr auto kClauses = word_list(": ", ". ", "; ");
  for (const std::string_view words : Words(kPossibly)) {
    const std::size_t at = before.rfind(words);
    if (at != before.npos && !has_one(before.substr(at + words.size()), kClauses)) return true;
  }
  return false;
}

bool passes_a_check(std::string_view line, std::size_t at) {
  static constexpr auto kAfter = word_list("none found", "not seen", "not detected", "... ok",
                                           ": pass", "| pass", "\"pass\"", ": ok", "\"ok\"");
  static constexpr auto kHeads = word_list("[ok]", "[ ok ]", "[pass]", "[ pass ]");
  static constexpr auto kBefore = word_list(": pass (no ", ": ok (no ");
  constexpr std::size_t kRest = 60;
  return has_one(line.substr(at, kRest), kAfter) || starts_with_one(line, kHeads) ||
         ends_with_one(line.substr(0, at), kBefore);
}

bool shows_that_all_is_well(std::string_view line, std::size_t at) {
  static constexpr auto kAfter =
      word_list("=0", "= 0", ": 0 ", ": 0.", ": 0,", " 0 times", "errors 0", "passed", "simulat",
                "not active", " handler ", " enabled", " disabled", ": no,", ": none", ": false",
                ": n/a", "=false", "cleared", "not required", "node failure policy");
  static constexpr auto kEnds = word_list(": no", ": 0");
  constexpr std::size_t kRest = 60;
  const std::string_view before = line.substr(0, at);
  return passes_a_check(line, at) || has_one(line.substr(at, kRest), kAfter) || before == "0 " ||
         before.ends_with(" 0 ") || ends_with_one(line, kEnds);
}

bool settings(std::string_view line, LineWords words) {
  static constexpr auto kHeads =
      word_list("training env", "invoking script", "environment variables");
  return (words & kSettingWord) != 0 || starts_with_one(line, kHeads) ||
         (line.starts_with("sm_") && line.contains('='));
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

QuotedCommand quoted_command_in(std::string_view line) {
  static constexpr auto kBegins = word_list("command '", "['");
  static constexpr auto kEnds = word_list("' returned non-zero", "' died with", "' timed out after",
                                          "'] exits with return code");
  for (const std::string_view opens : Words(kBegins)) {
    const std::size_t found = line.find(opens);
    if (found == line.npos) continue;
    const std::size_t begin = found + opens.size();
    for (const std::string_view closes : Words(kEnds))
      if (const std::size_t end = line.find(closes, begin); end != line.npos) return {begin, end};
    // What is cut off within the command.
    if (opens != "['" && line.contains("calledprocesserror: ")) return {begin, line.size()};
  }
  return {};
}

bool announces_failure(LineWords words) {
  return (words & kFailureWord) != 0 && (words & kCodeWord) == 0;
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
