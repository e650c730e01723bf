#include "handlers/rules/failure/aftermath.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "handlers/rules/failure/raised_by.h"
#include "handlers/rules/failure/went_on.h"
#include "handlers/rules/failure/word_lists.h"
#include "handlers/rules/failure/wording.h"

namespace trainwarden::rules {
namespace {

class Aftermath {
 public:
  Aftermath(const FailureText& text, std::vector<Finding>& findings)
      : text_(text), findings_(findings) {}

  void explain() {
    let_the_dead_explain_trouble();
    let_bugs_doubt_what_they_led_to();
    let_the_program_get_over_trouble();
    let_other_ends_doubt_trouble();
    let_crashes_doubt_ordinary_lines();
  }

 private:
  // What a program died of that nobody else's trouble leads to, and that running it again does not
  // mend: an exception whose words name its cause, or one of the program's own.
  bool is_fatal(const Finding& finding) const {
    if (finding.own == nullptr && finding.label == FailureLabel::kInterrupted &&
        finding.resume == RunAgain::kNo && finding.rank <= Rank::kSymptom)
      return finding.tier != Tier::kDistant;
    // What says no more than that may be of others' making.
    if (finding.by == By::kException && tells_no_kind(text_, finding)) return false;
    return finding.own == nullptr && finding.tier == Tier::kReport &&
           finding.resume == RunAgain::kNo && finding.rank <= Rank::kException &&
           !finding.got_over && ends_a_program(finding) &&
           !text_.lines()[finding.line].superseded && !text_.lines()[finding.line].wraps;
  }

  // Whether it is how a program ends: an exception, Java's and Rust's in their main threads, a
  // panic of Go.
  bool ends_a_program(const Finding& finding) const {
    static constexpr auto kMain =
        word_list("exception in thread \"main\" ", "thread 'main' panicked at ");
    const Line& line = text_.lines()[finding.line];
    if (line.structure == Structure::kException) return true;
    // Rust says below what it panicked of, which may be a service's answer.
    const std::size_t above = finding.line - std::min<std::size_t>(finding.line, 1);
    const bool is_below = announces_a_panic(text_.lower(text_.lines()[above]));
    const std::size_t head = is_below ? above : finding.line;
    const std::size_t said = std::min(head + 1, text_.lines().size() - 1);
    if (announces_a_panic(text_.lower(text_.lines()[head])) &&
        names_the_outside(text_.lower(text_.lines()[said])))
      return false;
    return (line.structure == Structure::kNative && finding.label == FailureLabel::kUserCode) ||
           starts_with_one(text_.lower(text_.lines()[head]), kMain);
  }

  static bool is_of_the_program(FailureLabel label) {
    return label == FailureLabel::kUserCode || label == FailureLabel::kInterrupted;
  }

  // Whether a machine, a link or a service in trouble is what such a death left behind. Trouble
  // that came before may be what the program died of, where its own exception tells of the death.
  bool left_behind(const Finding& death, const Finding& trouble) const {
    const Line& line = text_.lines()[trouble.line];
    if (trouble.line == death.line || goes_on_after(death, trouble)) return false;
    // A panic leaves links and services behind; what a scheduler or a host says is not its own.
    if (text_.lines()[death.line].structure != Structure::kException &&
        death.label != FailureLabel::kInterrupted && trouble.label != FailureLabel::kService &&
        trouble.label != FailureLabel::kNetwork)
      return false;
    const bool own = is_of_the_program(death.label);
    if (trouble.line < death.line) {
      if (trouble.label == FailureLabel::kInterrupted || trouble.rank == Rank::kMachine)
        return false;
      // An exception that was shown and not died of: steps follow it.
      if (line.structure == Structure::kException)
        return went_on_between(text_, trouble.line, death.line);
      return !own && death.label != FailureLabel::kData;
    }
    // A broken machine shows in memory, in what a program computes and in a device that is not
    // found, but in no disk or file.
    const bool of_device = death.label == FailureLabel::kOomGpu ||
                           (death.label == FailureLabel::kConfig && death.text.contains("gpu"));
    return trouble.rank != Rank::kMachine || is_told_of_a_node(trouble) || (!own && !of_device);
  }

  // What Slurm or a communication library says of machines and links is the end, unless the
  // job went on; and so is a notice that the program's own handler of signals fails upon, or what
  // the program does as it shuts down.
  bool may_pass_by_itself(const Finding& finding, std::size_t died) const {
    const Structure structure = text_.lines()[finding.line].structure;
    if (structure == Structure::kException || structure == Structure::kKernel) return false;
    const bool final =
        (structure == Structure::kScheduler &&
         text_.lower(text_.lines()[finding.line]).starts_with("slurm")) ||
        (structure == Structure::kLibrary && finding.label == FailureLabel::kNetwork) ||
        (finding.label == FailureLabel::kInterrupted &&
         (died_in_a_handler(died) || may_shut_down_for(text_, finding.line, died)));
    return !final || went_on_between(text_, finding.line, died);
  }

  bool died_in_a_handler(std::size_t line) const {
    static constexpr auto kHandlers =
        word_list("sigterm", "signal_handler", "handle_signal", "on_preempt", "on_interrupt");
    constexpr std::size_t kFrames = 8;
    const std::size_t first = text_.lines()[line - std::min(line, kFrames)].begin;
    return has_one(text_.lower().substr(first, text_.lines()[line].begin - first), kHandlers);
  }

  // `RuntimeError: upload failed after 5 attempts`: what failed each time was told before.
  bool only_gives_up(const Finding& finding) const {
    static constexpr auto kWords = word_list(" attempts", " retries", "giving up", "gave up");
    return tells_by_type_alone(finding) &&
           has_one(text_.lower(text_.lines()[finding.line]), kWords);
  }

  void let_the_dead_explain_trouble() {
    constexpr std::size_t kMost = 32;
    std::vector<Finding*> deaths;
    for (Finding& finding : findings_)
      if (deaths.size() < kMost && is_fatal(finding)) deaths.push_back(&finding);
    for (Finding& finding : findings_) {
      if (finding.own != nullptr || finding.resume != RunAgain::kYes ||
          finding.rank > Rank::kCause ||
          text_.lines()[finding.line].structure == Structure::kKernel)
        continue;
      const auto death = std::ranges::find_if(
          deaths, [&](const Finding* one) { return left_behind(*one, finding); });
      if (death == deaths.end()) continue;
      finding.rank = Rank::kSymptom;
      // Who stops a program on request may say so in an ordinary line.
      if ((*death)->label == FailureLabel::kInterrupted) (*death)->tier = Tier::kReport;
    }
  }

  // Whether what is told may belong to what an exception says: its lines follow.
  bool goes_on_after(const Finding& exception, const Finding& finding) const {
    return finding.line > exception.line && !exception.specific &&
           text_.lines()[finding.line].structure == Structure::kMessage;
  }

  // A scheduler's word on a node: what it says when the node's work has ended, too.
  bool is_told_of_a_node(const Finding& finding) const {
    return finding.by == By::kSignature && finding.text.contains("node");
  }

  // A service that failed while the program handled a bug of its own: the bug may come again.
  void let_bugs_doubt_what_they_led_to() {
    constexpr std::size_t kMost = 80;  // lines of the second traceback
    for (const Finding& bug : findings_) {
      if (!text_.lines()[bug.line].superseded || bug.label != FailureLabel::kUserCode ||
          bug.rank != Rank::kException || bug.resume != RunAgain::kNo)
        continue;
      for (Finding& finding : findings_)
        if (finding.line > bug.line && finding.line < bug.line + kMost && finding.own == nullptr &&
            finding.resume == RunAgain::kYes &&
            text_.lines()[finding.line].structure == Structure::kException)
          finding.resume = RunAgain::kOnce;
    }
  }

  void let_the_program_get_over_trouble() {
    std::optional<std::size_t> died;  // the line of the last failure of the program's own
    for (const Finding& finding : findings_)
      if (finding.tier == Tier::kReport && finding.rank == Rank::kException &&
          finding.label == FailureLabel::kUserCode && finding.resume == RunAgain::kNo &&
          text_.lines()[finding.line].structure == Structure::kException && !only_gives_up(finding))
        died = std::max(died.value_or(0), finding.line);
    std::size_t end = 0;  // the line of the last failure that running it again does not mend
    for (const Finding& finding : findings_)
      if (is_fatal(finding)) end = std::max(end, finding.line);
    for (Finding& finding : findings_) {
      const Line& line = text_.lines()[finding.line];
      // What it was raised from is its cause.
      if (only_gives_up(finding) || (line.wraps && tells_by_type_alone(finding)))
        finding.rank = std::max(finding.rank, Rank::kHint);
      if (line.superseded && ((finding.rank == Rank::kException &&
                               (!finding.specific || finding.label == FailureLabel::kUserCode)) ||
                              (finding.rank == Rank::kCause && finding.resume == RunAgain::kOnce)))
        finding.rank = Rank::kSymptom;
      // What is no report of a failure was not the end of a program that died of another.
      if (finding.line < end && finding.own == nullptr && finding.resume == RunAgain::kYes &&
          line.structure == Structure::kOrdinary)
        finding.rank = std::max(finding.rank, Rank::kSymptom);
      // A trouble that passes by itself is told in a line that is no exception, and the program's
      // own exception follows: it got over the one, and died of the other.
      if (died && *died > finding.line && finding.rank <= Rank::kCause &&
          finding.resume == RunAgain::kYes && finding.own == nullptr &&
          may_pass_by_itself(finding, *died) &&
          (line.prefix.process == text_.lines()[*died].prefix.process ||
           finding.tier != Tier::kReport))
        finding.rank = Rank::kSymptom;
    }
  }

  // A service or a link in trouble is told in a line that is no exception, and the program ended of
  // something that running it again does not mend: that may have come of the one or not.
  void let_other_ends_doubt_trouble() {
    std::size_t end = 0;
    for (const Finding& finding : findings_)
      if (finding.own == nullptr && finding.tier == Tier::kReport &&
          finding.rank <= Rank::kException && finding.resume == RunAgain::kNo &&
          (finding.label == FailureLabel::kUserCode || finding.label == FailureLabel::kConfig))
        end = std::max(end, finding.line);
    for (Finding& finding : findings_)
      if (finding.line < end && finding.own == nullptr && finding.resume == RunAgain::kYes &&
          (finding.label == FailureLabel::kService || finding.label == FailureLabel::kNetwork) &&
          text_.lines()[finding.line].structure == Structure::kError &&
          (text_.lines()[finding.line].words & kLibraryWord) == 0)
        finding.resume = RunAgain::kOnce;
  }

  // What a program prints like anything else may be a setting, a table or a check that passed:
  // where the program crashed or was killed after it, it is not known to be the reason.
  void let_crashes_doubt_ordinary_lines() {
    std::size_t crash = 0;  // the last line that tells of one
    for (std::size_t i = 0; i < text_.lines().size(); ++i)
      if (text_.lines()[i].structure == Structure::kNative) crash = i;
    for (Finding& finding : findings_)
      if (finding.line < crash && finding.own == nullptr && finding.resume == RunAgain::kYes &&
          text_.lines()[finding.line].structure == Structure::kOrdinary)
        finding.resume = RunAgain::kOnce;
  }

  const FailureText& text_;
  std::vector<Finding>& findings_;
};

}  // namespace

void let_deaths_explain_trouble(const FailureText& text, std::vector<Finding>& findings) {
  Aftermath(text, findings).explain();
}

}  // namespace trainwarden::rules
