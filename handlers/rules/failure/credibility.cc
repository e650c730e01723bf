#include "handlers/rules/failure/credibility.h"

#include <algorithm>

#include "handlers/rules/failure/word_lists.h"
#include "handlers/rules/failure/wording.h"

namespace trainwarden::rules {
namespace {

// Whether what is quoted next is the reason of an end: `statusReason: "…`, `Reason (Code:…`, and
// a service's answer in JSON.
bool gives_a_reason(std::string_view before) {
  static constexpr auto kReasons = word_list("statusreason: \"", "stoppedreason: \"",
                                             "reason (code:", "message\": \"", "reason\": \"");
  constexpr std::size_t kNear = 40;
  const std::string_view near = before.substr(before.size() - std::min(before.size(), kNear));
  return has_one(near, kReasons);
}

// Whether somebody calls something so: `experiment_name: node failure ablation`.
bool is_named_so(std::string_view before) {
  static constexpr auto kCalls =
      word_list("experiment_name: ", "experiment name: ", "run_name: ", "run name: ", "tags: ",
                "title: ", "description: ", "notes: ", "generated text", "what is ", "what does ");
  static constexpr auto kNews = word_list("error", "fail", "exception");
  const bool of_a_commit = before.starts_with("commit ") && before.contains(": ");
  return (of_a_commit || has_one(before, kCalls)) && !has_one(before, kNews);
}

// Whether a line tells of an earlier attempt, or of a machine that is left out.
bool is_past(std::string_view lower) {
  static constexpr auto kPast =
      word_list("resuming from", "recovered in ", "requeued after", "restarting after", "--exclude",
                "excluded nodes", ", continuing", "below threshold");
  return has_one(lower, kPast);
}

// `insufficientinstancecapacity`: one long word, as services call their errors.
bool is_code_of_a_service(std::string_view text) {
  constexpr std::size_t kLong = 14;
  return text.size() >= kLong && !text.contains(' ') && !text.contains('*');
}

}  // namespace

const FoundException* Credibility::exception_before(std::size_t at) const {
  const FoundException* last = nullptr;
  for (const FoundException& found : exceptions_)
    if (found.at < at) last = &found;
  return last;
}

bool Credibility::quoted_by_the_program(std::size_t at) const {
  const FoundException* last = exception_before(at);
  constexpr std::size_t kMessage = 200;
  return last != nullptr && last->meaning.about == About::kNames && at - last->at < kMessage;
}

const FoundException* Credibility::exception_at(std::size_t at) const {
  const FoundException* last = exception_before(at);
  for (const FoundException& found : exceptions_)
    if (found.at == at) last = &found;
  return last;
}

// Of an exception of this line; each is asked for once.
RaisedBy Credibility::raiser_of(const FoundException& found) {
  for (std::size_t i = raisers_.size(); i < exceptions_.size(); ++i)
    raisers_.push_back(raised_by(text_, index_, name_of(exceptions_[i])));
  return raisers_[static_cast<std::size_t>(&found - exceptions_.data())];
}

// Whether what follows names something outside of the program, and does not only pretend to.
bool Credibility::speaks_of_the_outside(std::size_t from) const {
  static constexpr auto kPretends =
      word_list("simulat", "injected", " mock", " fake ", " toy ", " dummy ");
  constexpr std::size_t kMessage = 600;
  const std::string_view words = lower_.substr(from, kMessage);
  return names_the_outside(words) && !has_one(words, kPretends);
}

bool Credibility::perhaps_of_the_program(std::size_t at, std::string_view text) {
  const FoundException* last = exception_at(at);
  if (last == nullptr)
    return said_by_a_program(text_, index_) && !is_code_of_a_service(text) &&
           !speaks_of_the_outside(0);
  // What a package raised may show what it got over, or was told: `RetryError: … (Caused by …)`.
  RaisedBy by = RaisedBy::kUnknown;
  for (const FoundException& found : exceptions_) {
    if (found.at > at) break;
    by = raiser_of(found);
    if (by == RaisedBy::kPackage) return false;
  }
  const std::size_t message = last->at + last->name;
  const bool in_module = name_of(*last).contains('.');
  // SageMaker's `CapacityError: …`, and codes of services in an exception of anybody's.
  if (by == RaisedBy::kUnknown &&
      ((!in_module && (last->meaning.rank != Rank::kException || at < message)) ||
       (at >= message && is_code_of_a_service(text))))
    return false;
  return !speaks_of_the_outside(message);
}

// Whether a line only mentions what stands at the offset, as one that prints a setting,
// a label, a plan or a count does.
bool Credibility::only_mentions(std::size_t at, std::string_view text) {
  constexpr std::size_t kRest = 60;
  const std::string_view before = lower_.substr(0, at);
  const std::string_view after = lower_.substr(at, kRest);
  if ((words_ & kMentionWord) != 0 && mention_end_ == 0) mention_end_ = mention_end(lower_);
  const bool mentioned = (words_ & kMentionWord) != 0 && mention_end_ <= at;
  // What a service answers is quoted for another reason.
  const bool is_answer = lower_.contains('{') || lower_.contains('<') || gives_a_reason(before);
  // "spot instances may be preempted": before the last part of `spot * preempt`.
  const std::size_t last = lower_.find(text.substr(text.rfind('*') + 1), at);
  const bool possible = only_possible(lower_.substr(0, last));
  return mentioned || possible || lower_.ends_with('?') || is_past(lower_) ||
         (!is_answer && line_.structure != Structure::kError &&
          named_by(before, after, " [{:(") != Named::kNot);
}

// Whether it is the key or the name that an exception says is missing.
bool Credibility::is_a_name(std::size_t at) const {
  static constexpr auto kBefore = word_list("keyerror: '", "keyerror: \"", "name '", "attribute '",
                                            "argument '", "no module named '");
  const FoundException* last = exception_before(at);
  if (last == nullptr || last->meaning.about != About::kNames) return false;
  const std::string_view words = lower_.substr(last->at, at - last->at);
  return ends_with_one(words, kBefore);
}

// Whether a word is a piece of a name: `on_node_failure`, `job=node_failure_test`.
bool Credibility::is_part_of_a_name(std::size_t at, std::string_view text) const {
  if (at == 0 || text.find_first_of(" *") != text.npos) return false;
  const std::size_t end = at + text.size();
  const char before = lower_[at - 1];
  return before == '_' || before == '-' ||
         (before == '=' && end < lower_.size() && lower_[end] == '_');
}

std::optional<RunAgain> Credibility::credible(FailureLabel label, RunAgain row_resume,
                                              std::size_t at, std::string_view text) {
  RunAgain resume = row_resume;
  if (resume == RunAgain::kNo) return is_a_name(at) ? std::nullopt : std::optional(resume);
  if (resume == RunAgain::kYes && quoted_by_the_program(at)) return {};
  // What is refused is quoted with what it names.
  if ((words_ & kRefusalWord) != 0 && refusal_end(lower_) <= at) return {};
  // `mylib.CapacityError` is not SageMaker's.
  if (at > 0 && lower_.substr(at - 1).starts_with(".capacityerror") &&
      !lower_.substr(0, at).ends_with("sagemaker.exceptions."))
    return {};
  constexpr std::size_t kMessage = 400;
  constexpr int kMostNested = 3;
  constexpr std::size_t kRest = 40;
  int nested = 0;
  for (const FoundException& found : exceptions_) {
    if (found.at >= at) break;
    if (at - found.at > kMessage || ++nested > kMostNested) continue;
    if (found.meaning.rank == Rank::kWrapper) continue;  // it shows the command that failed
    const bool about_values = found.meaning.about == About::kValues;
    const std::string_view before = lower_.substr(found.at, at - found.at);
    const Named named = named_by(before.substr(std::min(before.find(':'), before.size())),
                                 lower_.substr(at, kRest), about_values ? " [{:(" : " [{:");
    const bool elsewhere = label == FailureLabel::kHardware || label == FailureLabel::kCapacity ||
                           label == FailureLabel::kInterrupted;
    const bool is_all = elsewhere && before.ends_with("error: ");  // "AssertionError: preempted"
    if (named == Named::kAsValue || ((named != Named::kNot || is_all) && about_values)) return {};
    if ((named == Named::kQuoted || about_values) && elsewhere) resume = RunAgain::kOnce;
  }
  if (row_resume != RunAgain::kYes) return resume;
  // Nothing of a machine or a service: these are the program's own words.
  if (perhaps_of_the_program(at, text)) {
    const FoundException* last = exception_at(at);
    return last != nullptr && last->python_s_own ? std::nullopt : std::optional(RunAgain::kOnce);
  }
  if ((is_named_so(lower_.substr(0, at)) || is_part_of_a_name(at, text)) &&
      line_.structure != Structure::kException && line_.structure != Structure::kKernel)
    return {};
  const bool speaks = line_.structure == Structure::kOrdinary ||
                      line_.structure == Structure::kScheduler ||
                      (line_.structure == Structure::kError && line_.prefix.level == Level::kError);
  const bool follows =
      line_.structure == Structure::kMessage || line_.structure == Structure::kWarning;
  if ((speaks || follows) && shows_that_all_is_well(lower_, at)) return {};
  if (speaks && only_mentions(at, text)) return {};
  return resume;
}

}  // namespace trainwarden::rules
