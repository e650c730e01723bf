#include "handlers/rules/failure/diagnose.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "handlers/rules/failure/exceptions.h"
#include "handlers/rules/failure/failure.h"
#include "handlers/rules/failure/failure_codes.h"
#include "handlers/rules/failure/failure_lines.h"
#include "handlers/rules/failure/failure_numbers.h"
#include "handlers/rules/failure/failure_signatures.h"
#include "handlers/rules/failure/failure_text.h"
#include "handlers/rules/failure/phrase_search.h"
#include "handlers/rules/job/job_times.h"

namespace trainwarden::rules {
namespace {

// Something in a text that tells.
struct Finding {
  Rank rank = Rank::kWrapper;
  std::string_view label = "unknown";
  std::string_view resume = "once";
  std::size_t line = 0;  // where its line begins
  std::size_t order = 0;
  std::size_t at = 0;
  bool specific = false;  // not only the name of an exception

  // The lower, the better.
  auto weight() const { return std::tuple(rank, line, order, at); }
};

const PhraseSearch& phrases() {
  static const PhraseSearch kSearch = [] {
    std::vector<PhraseSearch::Row> rows;
    for (const Signature& signature : failure_signatures())
      rows.push_back({signature.phrases, signature.unless});
    return PhraseSearch(rows);
  }();
  return kSearch;
}

// Whether a line only warns, in the words of a logger, that somebody takes the machine: so
// schedulers and their agents say it.
bool warns_of_the_end(const Signature& row, std::string_view line) {
  return row.label == "interrupted" && row.resume == "yes" && line.contains(" warning ");
}

class Findings {
 public:
  explicit Findings(const FailureText& text) : text_(text) {}

  // The weightiest; nullopt where nothing tells.
  std::optional<Finding> best() {
    const std::vector<PhraseSearch::Hit> hits = phrases().search(text_.lower());
    const std::vector<FoundException> exceptions = find_exceptions(text_.shown());
    std::vector<Finding> told;
    std::size_t died = 0;                // the line of the last failure of the program's own
    std::size_t died_of_names = 0;       // of these, the last that only a program can have
    std::vector<std::size_t> explained;  // lines that a phrase explains, in order
    std::vector<std::size_t>
        consequences;  // where phrases say that something else failed, in order
    for (const PhraseSearch::Hit& hit : hits) {
      const Signature& row = failure_signatures()[hit.row];
      const std::size_t line = text_.line_begin(hit.at);
      const std::string_view words = text_.lower().substr(line, text_.line_end(hit.at) - line);
      if (settings(words) || harmless(words) || guessed(words.substr(0, hit.at - line)) ||
          guessed_in_a_list(text_.lower(), line) || hit.at - line >= command_in(words))
        continue;
      std::string_view resume = credible(row.label, row.resume, hit.at, exceptions);
      if (resume.empty()) continue;
      if (resume == "yes" && perhaps_of_the_program(row.rank, hit.at, exceptions)) resume = "once";
      if (row.rank == Rank::kHint && !(tells_of_failure(words) && plain_word(words, hit.at - line)))
        continue;
      // "Exception during training:", and what it was has been cut off or follows.
      if (row.rank == Rank::kSymptom && row.label == "user_code" && words.ends_with(':') &&
          text_.lower().substr(text_.line_end(hit.at)).starts_with("\ntraceback"))
        continue;
      if (row.rank == Rank::kConsequence) {
        consequences.push_back(hit.at);
      } else if (row.rank < Rank::kHint && (explained.empty() || explained.back() != line)) {
        explained.push_back(line);
      }
      if (row.rank == Rank::kException && row.label == "user_code" && row.resume == "no")
        died = line;
      Rank rank = row.rank;
      if (tells_less(words) && !warns_of_the_end(row, words)) rank = std::max(rank, Rank::kSymptom);
      if (words.contains("nccl info")) rank = std::max(rank, Rank::kWrapper);
      told.push_back({rank, row.label, resume, line, hit.row, hit.at, true});
    }
    constexpr int kMostOfALine = 16;  // more are a table, and each costs a look at the line
    std::size_t line_of_codes = std::string_view::npos;
    int codes = 0;
    for (const FoundCode& code : find_codes(text_.lower())) {
      const std::size_t line = text_.line_begin(code.at);
      if (line != std::exchange(line_of_codes, line)) codes = 0;
      if (++codes > kMostOfALine) continue;
      const std::string_view words = text_.lower().substr(line, text_.line_end(code.at) - line);
      if (settings(words) || harmless(words) || guessed(words.substr(0, code.at - line))) continue;
      std::string_view resume = credible(code.label, code.resume, code.at, exceptions);
      if (resume.empty() || quoted_by_the_program(code.at, exceptions)) continue;
      if (resume == "yes" && perhaps_of_the_program(code.rank, code.at, exceptions))
        resume = "once";
      // `"code": 429,` on a line of its own: the message beside it says more.
      Rank rank = tells_less(words) ? std::max(code.rank, Rank::kSymptom) : code.rank;
      if (words.starts_with("\"code\"")) rank = Rank::kConsequence;
      if (code.of_process) consequences.push_back(code.at);
      told.push_back({rank, code.label, resume == "yes" && on_this_host(words) ? "once" : resume,
                      line, failure_signatures().size(), code.at, true});
    }
    std::ranges::sort(consequences);
    for (std::size_t i = 0; i < exceptions.size(); ++i) {
      const FoundException& found = exceptions[i];
      const std::size_t line = text_.line_begin(found.at);
      if (found.about_names || found.about_values) died_of_names = std::max(died_of_names, line);
      if (std::ranges::binary_search(explained, line)) continue;
      // "RuntimeError: the process exited with code 1": its own message says that it only wraps.
      std::size_t end = text_.line_end(found.at);
      if (i + 1 < exceptions.size()) end = std::min(end, exceptions[i + 1].at);
      const auto wraps = std::ranges::lower_bound(consequences, found.at);
      if (wraps != consequences.end() && *wraps < end) continue;
      if (found.rank == Rank::kException) died = std::max(died, line);
      add({found.rank, found.label, found.resume, line, failure_signatures().size(), found.at,
           false});
    }
    std::size_t traceback = text_.lower().rfind("traceback (most recent call last)", died);
    if (traceback == std::string_view::npos && died_of_names > 0) traceback = died_of_names;
    // A machine that was not to be had may have come in the end, as Kubernetes tells of it.
    const std::size_t assigned = text_.lower().rfind("successfully assigned");
    for (Finding& finding : told) {
      // What only tells of another's end hints at nothing.
      if (finding.rank == Rank::kHint && in_line(consequences, finding.line)) continue;
      const bool had_it_later = finding.label == "capacity" && assigned != std::string_view::npos &&
                                assigned > finding.at;
      if (had_it_later || passing_remark(finding, exceptions, traceback))
        finding.rank = Rank::kSymptom;
      add(finding);
    }
    for (std::size_t line = 0; line < text_.lower().size(); line = text_.line_end(line) + 1)
      if (killed_by_somebody(text_.lower().substr(line, text_.line_end(line) - line)))
        add({Rank::kSymptom, "oom_host", "once", line, 0, line, true});
    if (const auto xid = meaning_of_xids(text_.lower())) {
      const std::size_t line = text_.line_begin(xid->at);
      Finding finding{xid->rank, xid->label, xid->resume, line, 0, xid->at, true};
      if (passing_remark(finding, exceptions, traceback)) finding.rank = Rank::kSymptom;
      add(finding);
    }
    if (best_) refine(*best_);
    return best_;
  }

 private:
  bool in_line(std::span<const std::size_t> places, std::size_t line) const {
    const auto first = std::ranges::lower_bound(places, line);
    return first != places.end() && *first < text_.line_end(line);
  }

  // Whether a word stands in the message of an exception that is about names in the program:
  // "AttributeError: module 'botocore' has no attribute 'ThrottlingException'".
  bool quoted_by_the_program(std::size_t at, std::span<const FoundException> exceptions) const {
    constexpr std::size_t kMessage = 200;
    const auto after = std::ranges::upper_bound(exceptions, at, {}, &FoundException::at);
    if (after == exceptions.begin()) return false;
    const FoundException& last = *(after - 1);
    return last.about_names && at - last.at < kMessage && at < text_.line_end(last.at);
  }

  // Whether a word stands in the message of an exception that the program may have raised itself,
  // and names nothing outside of it: "RuntimeError: node died: graph node 7".
  bool perhaps_of_the_program(Rank rank, std::size_t at,
                              std::span<const FoundException> exceptions) const {
    const auto after = std::ranges::upper_bound(exceptions, at, {}, &FoundException::at);
    if (after == exceptions.begin()) return false;
    const FoundException& last = *(after - 1);
    const std::size_t end = text_.line_end(last.at);
    const bool in_message = at < end && at > text_.lower().find(':', last.at);
    if (last.rank != Rank::kException || !in_message) return false;
    constexpr std::size_t kMessage = 600;
    return rank == Rank::kSymptom ||
           !names_the_outside(text_.lower().substr(last.at, std::min(end - last.at, kMessage)));
  }

  // Whether it stands in code that a traceback shows.
  bool shown_as_code(std::size_t at, std::span<const FoundException> exceptions) const {
    const std::size_t line = text_.line_begin(at);
    const std::size_t end = text_.line_end(at);
    if (in_code(text_.lower().substr(line, end - line), at - line)) return true;
    if (line == 0) return false;
    const std::size_t before = text_.line_begin(line - 1);
    // Where the code could not be shown, the exception follows.
    const auto first = std::ranges::lower_bound(exceptions, line, {}, &FoundException::at);
    const bool exception = first != exceptions.end() && first->at < end;
    return !exception && is_frame(text_.lower().substr(before, line - before));
  }

  // Whether it is the key or the name that an exception says is missing.
  bool is_a_name(std::size_t at, std::span<const FoundException> exceptions) const {
    static constexpr auto kBefore =
        std::to_array<std::string_view>({"keyerror: '", "keyerror: \"", "name '", "attribute '",
                                         "argument '", "no module named '"});
    const auto after = std::ranges::lower_bound(exceptions, at, {}, &FoundException::at);
    if (after == exceptions.begin() || !(after - 1)->about_names) return false;
    const std::string_view words = text_.lower().substr((after - 1)->at, at - (after - 1)->at);
    return std::ranges::any_of(kBefore, [words](std::string_view b) { return words.ends_with(b); });
  }

  // How far to go by words: those that say `yes` or `once` not at all (empty), or once, where an
  // exception of the program or its code only names them.
  std::string_view credible(std::string_view label, std::string_view resume, std::size_t at,
                            std::span<const FoundException> exceptions) const {
    if (resume == "no") return is_a_name(at, exceptions) ? std::string_view() : resume;
    if (resume == "yes" && (quoted_by_the_program(at, exceptions) || shown_as_code(at, exceptions)))
      return {};
    // `mylib.CapacityError` is not SageMaker's.
    if (at > 0 && text_.lower().substr(at - 1).starts_with(".capacityerror")) return {};
    constexpr std::size_t kMessage = 400;
    constexpr int kMostNested = 3;
    constexpr std::size_t kRest = 40;
    const std::size_t from = std::max(text_.line_begin(at), at - std::min(at, kMessage));
    auto found = std::ranges::lower_bound(exceptions, from, {}, &FoundException::at);
    for (int n = 0; n < kMostNested && found != exceptions.end() && found->at < at; ++found, ++n) {
      if (found->rank == Rank::kWrapper) continue;  // it shows the command that failed
      const std::string_view before = text_.lower().substr(found->at, at - found->at);
      const Named named =
          named_by(before.substr(std::min(before.find(':'), before.size())),
                   text_.lower().substr(at, std::min(text_.line_end(at) - at, kRest)),
                   found->about_values ? " [{:(" : " [{:");
      const bool elsewhere = label == "hardware" || label == "capacity" || label == "interrupted";
      const bool is_all = elsewhere && before.ends_with("error: ");  // "AssertionError: preempted"
      if (named == Named::kAsValue || ((named != Named::kNot || is_all) && found->about_values))
        return {};
      if ((named == Named::kQuoted || found->about_values) && elsewhere) resume = "once";
    }
    return resume;
  }

  // Whether a trouble that passes by itself is told in a line that is no exception, and a traceback
  // of the program's own follows: it got over the one, and died of the other.
  bool passing_remark(const Finding& finding, std::span<const FoundException> exceptions,
                      std::size_t traceback) const {
    if (finding.rank > Rank::kCause || finding.resume != "yes" ||
        traceback == std::string_view::npos || traceback <= finding.line)
      return false;
    const std::size_t end = text_.line_end(finding.line);
    // The kernel tells what happened to the machine.
    static constexpr auto kKernel = std::to_array<std::string_view>({"nvrm", "kernel:", "(pci"});
    if (has_one_of(text_.lower().substr(finding.line, end - finding.line), kKernel)) return false;
    const auto first = std::ranges::lower_bound(exceptions, finding.line, {}, &FoundException::at);
    return first == exceptions.end() || first->at >= end;
  }

  void add(const Finding& finding) {
    if (!best_ || finding.weight() < best_->weight()) best_ = finding;
  }

  // Whether a file was missing when it was to be removed or renamed: the program's other processes
  // were faster, and no input is missing.
  bool missed_its_removal(std::size_t line) const {
    static constexpr auto kCalls =
        std::to_array<std::string_view>({"rmtree(", "os.remove(", "os.unlink(", ".unlink(",
                                         "os.rmdir(", "os.rename(", "os.replace(", "shutil.move("});
    if (line == 0 || !text_.lower().substr(line).contains("filenotfounderror")) return false;
    const std::size_t before = text_.line_begin(line - 1);
    return has_one_of(text_.lower().substr(before, line - before), kCalls);
  }

  void refine(Finding& found) const {
    if (found.label == "data" && missed_its_removal(found.line)) found.label = "user_code";
    if (found.label == "oom_gpu" && device_memory_may_do(text_.lower(), found.line))
      found.resume = "once";
    if (found.label == "oom_host" && memory_is_told(text_.lower())) found.resume = "no";
    if (found.label == "network" && found.resume == "once" &&
        storage_hung_up(text_.lower(), found.line))
      found.resume = "yes";
    if (found.label == "quota" && limit_is_used_up_now(text_.lower(), found.at))
      found.resume = "once";
  }

  const FailureText& text_;
  std::optional<Finding> best_;
};

// "ClientError: See job logs for more information": where to look, and nothing of why.
bool only_a_place_to_look(std::string_view reason) {
  static constexpr auto kWords = std::to_array<std::string_view>(
      {"See job logs", "see job logs", "See the job logs", "See logs", "see logs", "heck job logs",
       "heck the job logs", "heck the logs", "heck logs", "heck CloudWatch", "See CloudWatch",
       "ontact support", "ontact AWS"});
  constexpr std::size_t kShort = 120;
  return reason.size() < kShort && has_one_of(reason, kWords);
}

// What SageMaker itself says by the word that FailureReason begins with.
std::optional<Finding> by_kind(std::string_view reason, const std::optional<Finding>& found) {
  // The SDK says "Error for Training job …: Failed. Reason: InternalServerError: …".
  constexpr std::string_view kReason = "Reason: ";
  const std::size_t quoted = reason.starts_with("Error for") ? reason.find(kReason) : reason.npos;
  const std::string_view kind =
      failure_kind(quoted == reason.npos ? reason : reason.substr(quoted + kReason.size()));
  const bool tells = found && found->rank < Rank::kConsequence;
  // The platform's word, unless it goes on to name a cause.
  if (kind == "InternalServerError" && (!tells || found->rank > Rank::kCause))
    return Finding{Rank::kCause, "service", "yes", 0, 0, 0, true};
  // Anything of the definition that SageMaker did not like.
  if (kind == "ClientError" && !tells && !only_a_place_to_look(reason))
    return Finding{Rank::kException, "config", "no", 0, 0, 0, true};
  return found;
}

std::optional<Finding> find_in_reason(const FailureText& text) {
  return by_kind(text.shown(), Findings(text).best());
}

Diagnosis diagnosis_of(const std::optional<Finding>& found, const FailureText& text,
                       std::span<const std::string_view> secrets) {
  if (!found) return {"unknown", "once", {}};
  return {found->label, found->resume, evidence_at(text, found->at, secrets)};
}

// "InternalServerError: We encountered an internal error. Please try again." and no more: a cause
// that the logs name explains it.
bool only_the_platforms_word(std::string_view reason, const std::optional<Finding>& found) {
  return found && found->label == "service" && failure_kind(reason) == "InternalServerError";
}

bool is_conclusive(const std::optional<Finding>& found) {
  return found &&
         (found->rank <= Rank::kCause || (found->rank == Rank::kException && found->specific));
}

void add_values(json::Value describe, std::string_view member,
                std::vector<std::string_view>& secrets) {
  const auto values = describe.find_present(member);
  if (!values || !values->is_object()) return;
  for (const json::Member value : values->members())
    if (value.value.is_string()) secrets.push_back(value.value.as_string());
}

std::vector<std::string_view> tail_of(json::Value logs) {
  std::vector<std::string_view> lines;
  const auto tail = logs.find_present("tail");
  if (!tail || !tail->is_array()) return lines;
  for (const json::Value line : tail->elements())
    if (line.is_string()) lines.push_back(line.as_string());
  return lines;
}

}  // namespace

Told diagnose_reason(std::string_view reason, std::span<const std::string_view> secrets) {
  const FailureText text = FailureText::of_reason(reason);
  const auto found = find_in_reason(text);
  return {diagnosis_of(found, text, secrets), is_conclusive(found)};
}

Diagnosis diagnose_texts(std::string_view reason, std::span<const std::string_view> log,
                         std::span<const std::string_view> secrets) {
  const FailureText told = FailureText::of_reason(reason);
  const auto by_reason = find_in_reason(told);
  const bool vague = only_the_platforms_word(told.shown(), by_reason);
  if (is_conclusive(by_reason) && !vague) return diagnosis_of(by_reason, told, secrets);
  const FailureText text = FailureText::of_log(log);
  const auto by_log = Findings(text).best();
  const bool log_counts = by_log && (!by_reason || by_log->rank < by_reason->rank ||
                                     (vague && by_log->rank == by_reason->rank));
  return log_counts ? diagnosis_of(by_log, text, secrets) : diagnosis_of(by_reason, told, secrets);
}

Diagnosed diagnose(json::Value describe, const std::optional<json::Value>& logs, Diagnosis& out) {
  const std::string_view secondary = string_of(describe, "SecondaryStatus").value_or("");
  if (secondary == "MaxRuntimeExceeded" || secondary == "MaxWaitTimeExceeded") {
    out = {"timeout", "once", std::string(secondary)};
    return Diagnosed::kTold;
  }
  if (string_of(describe, "TrainingJobStatus") != "Failed") return Diagnosed::kNoFailure;
  const std::string_view reason = string_of(describe, "FailureReason").value_or("");
  std::vector<std::string_view> secrets;
  add_values(describe, "HyperParameters", secrets);
  add_values(describe, "Environment", secrets);
  if (logs) {
    out = diagnose_texts(reason, tail_of(*logs), secrets);
    return Diagnosed::kTold;
  }
  Told told = diagnose_reason(reason, secrets);
  if (!told.conclusive) return Diagnosed::kAskTheLogs;
  out = std::move(told.diagnosis);
  return Diagnosed::kTold;
}

}  // namespace trainwarden::rules
