#include "handlers/rules/failure/got_over.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string_view>

#include "handlers/rules/failure/went_on.h"
#include "handlers/rules/failure/word_lists.h"

namespace trainwarden::rules {
namespace {

class GotOver {
 public:
  GotOver(const FailureText& text, std::span<const std::size_t> repeated,
          std::vector<Finding>& findings)
      : text_(text), repeated_(repeated), findings_(findings) {}

  void weigh() {
    let_success_answer();
    let_retries_answer();
    let_withdrawals_answer();
    get_over();
    let_later_ends_count();
    let_notices_explain_ends();
  }

 private:
  // SageMaker's toolkit tells how the program ended: what only hints at a failure was none, and
  // what ended a thread did not end the program.
  void let_success_answer() {
    std::size_t success = 0;
    for (std::size_t i = 0; i < text_.lines().size(); ++i)
      if ((text_.lines()[i].words & kProgressWord) != 0 &&
          text_.lower(text_.lines()[i]).contains("reporting training success"))
        success = i;
    for (Finding& finding : findings_)
      if (finding.line < success && finding.own == nullptr &&
          (finding.rank == Rank::kHint || is_of_a_thread(finding.line)))
        tell_nothing(finding);
  }

  // Whether the exception ended a thread, and not the program.
  bool is_of_a_thread(std::size_t line) const {
    const std::span<const Line> lines = text_.lines();
    if (lines[line].structure != Structure::kException) return false;
    while (line > 0 && lines[line - 1].structure == Structure::kFrame) --line;
    return line > 0 && text_.lower(lines[line - 1]).starts_with("exception in thread");
  }

  // What was only warned of and tried again, and the same process went on after, ended nothing.
  // Where others follow that do not warn of it again, the second try may have done.
  void let_retries_answer() {
    constexpr std::size_t kAfter = 2;  // lines: that it is tried again, and one more
    for (Finding& finding : findings_) {
      const Line& line = text_.lines()[finding.line];
      if (finding.own != nullptr) continue;
      const bool retries = says_how_it_goes_on(finding.line);
      // Who warns or tries again goes on, and did, and so does who only mentions it; but a machine
      // may be gone a while later.
      const bool goes_on =
          line.structure == Structure::kWarning || line.structure == Structure::kOrdinary ||
          line.prefix.level == Level::kWarning || retries || (line.words & kLessWord) != 0;
      if (goes_on && line.structure != Structure::kException && !is_about_a_machine(finding) &&
          took_steps_between(finding.line, text_.lines().size())) {
        tell_nothing(finding);
        continue;
      }
      if (line.structure != Structure::kWarning) continue;
      if (!retries && !text_.lower(line).contains("retrying")) continue;
      if (went_on_between(text_, finding.line, text_.lines().size())) {
        tell_nothing(finding);
      } else if (retries && finding.resume == RunAgain::kYes &&
                 finding.line + kAfter < text_.lines().size() && !was_said_again(finding.line)) {
        finding.resume = RunAgain::kOnce;
      }
    }
  }

  static bool is_about_a_machine(const Finding& finding) {
    return finding.label == FailureLabel::kHardware || finding.label == FailureLabel::kCapacity ||
           finding.label == FailureLabel::kInterrupted || finding.text.contains("node");
  }

  // A server that answers again, a port that is up again.
  void let_withdrawals_answer() {
    std::size_t answers = 0;  // the last lines that tell so
    std::size_t up = 0;
    for (std::size_t i = 0; i < text_.lines().size(); ++i) {
      const Line& line = text_.lines()[i];
      const std::string_view lower = text_.lower(line);
      if ((line.words & kKernelWord) != 0 && lower.ends_with(" ok") &&
          lower.contains("nfs: server"))
        answers = i;
      if ((line.words & kLibraryWord) != 0 && lower.contains("port active")) up = i;
    }
    for (Finding& finding : findings_) {
      if (finding.own != nullptr) continue;
      const bool stalled = finding.line < answers && finding.text.ends_with("not responding");
      const bool port_down = finding.line < up && finding.label == FailureLabel::kHardware &&
                             finding.rank == Rank::kSymptom &&
                             text_.lower(text_.lines()[finding.line]).contains("port error");
      if (stalled || port_down) tell_nothing(finding);
    }
  }

  // What the same process went on after, until something else failed, was got over. A process that
  // nobody names may be several: of those only remarks are got over, no exception.
  void get_over() {
    if (findings_.size() < 2) return;
    const auto process = [this](const Finding& f) { return text_.lines()[f.line].prefix.process; };
    std::size_t last = 0;  // of the failures
    for (const Finding& finding : findings_)
      if (finding.tier == Tier::kReport && finding.rank <= Rank::kSymptom &&
          (finding.label != FailureLabel::kUnknown || finding.rank == Rank::kSymptom))
        last = std::max(last, finding.line);
    std::vector<std::uint32_t> went_on;  // the processes
    std::size_t at = last;
    // Backwards: they stand in the order of the lines, but for the kernel's.
    for (Finding& finding : std::views::reverse(findings_)) {
      if (finding.line >= last || finding.own != nullptr ||
          text_.lines()[finding.line].structure == Structure::kKernel)
        continue;
      // What was tried again, and said again, was not got over.
      if (!was_said_again(finding.line) && says_how_it_goes_on(finding.line))
        finding.got_over = true;
      if (finding.got_over || !may_be_got_over(finding)) continue;
      for (; at > finding.line + 1; --at) {
        const Line& line = text_.lines()[at - 1];
        if (is_progress(text_, line) &&
            std::ranges::find(went_on, line.prefix.process) == went_on.end())
          went_on.push_back(line.prefix.process);
      }
      finding.got_over = std::ranges::find(went_on, process(finding)) != went_on.end();
    }
    // What did not end the program is no reason to be sure that another run will do.
    for (Finding& finding : findings_)
      if (finding.got_over && finding.resume == RunAgain::kYes) finding.resume = RunAgain::kOnce;
  }

  bool may_be_got_over(const Finding& finding) const {
    const Line& line = text_.lines()[finding.line];
    return line.prefix.process != 0 ||
           (finding.rank != Rank::kMachine && line.structure != Structure::kException &&
            line.structure != Structure::kNative);
  }

  bool was_said_again(std::size_t line) const {
    return std::ranges::find(repeated_, line) != repeated_.end();
  }

  // Whether the line, or the next one, tells what is done instead: `Will try to load from local
  // cache.`, `retrying in 30s`
  bool says_how_it_goes_on(std::size_t line) const {
    static constexpr auto kAgain = word_list("retrying", "will retry", "trying again");
    if ((text_.lines()[line].words & kGoesOnWord) != 0) return true;
    return says_the_next_line(text_, line) &&
           ((text_.lines()[line + 1].words & kGoesOnWord) != 0 ||
            starts_with_one(text_.lower(text_.lines()[line + 1]), kAgain));
  }

  // What a program took several steps after, until it ended of something else, was no end, though
  // nobody says of which process it was: a sample that could not be read, a first try.
  void let_later_ends_count() {
    std::size_t last = 0;
    for (const Finding& finding : findings_)
      if (is_an_end_of_its_own(finding)) last = std::max(last, finding.line);
    for (Finding& finding : findings_) {
      const Line& line = text_.lines()[finding.line];
      if (finding.line >= last || finding.own != nullptr || finding.rank >= Rank::kHint ||
          (line.structure == Structure::kKernel && !text_.lower(line).contains(", non-fatal,")) ||
          !took_steps_between(finding.line, last))
        continue;
      finding.got_over = true;
      finding.rank = Rank::kHint;
      if (finding.resume == RunAgain::kYes) finding.resume = RunAgain::kOnce;
    }
  }

  // Of what is not what another process' death leaves behind: somebody stopped the program, its own
  // exception did, or the kernel says that the machine failed.
  bool is_an_end_of_its_own(const Finding& finding) const {
    const Structure structure = text_.lines()[finding.line].structure;
    if (finding.tier != Tier::kReport || finding.got_over || text_.lines()[finding.line].wraps)
      return false;
    if (finding.by == By::kKilled || finding.own != nullptr) return true;
    switch (finding.label) {
      case FailureLabel::kNetwork:
      case FailureLabel::kService:
      case FailureLabel::kUnknown:
        return false;
      case FailureLabel::kTimeout:
        return structure == Structure::kScheduler && finding.rank <= Rank::kSymptom;
      case FailureLabel::kInterrupted:
        return finding.rank <= Rank::kSymptom && finding.resume != RunAgain::kOnce;
      default:
        return (structure == Structure::kException && finding.rank <= Rank::kException) ||
               (structure == Structure::kKernel && finding.rank == Rank::kMachine);
    }
  }

  // Somebody takes the machine, as the program itself was told: what fails while it shuts down is
  // no other reason.
  void let_notices_explain_ends() {
    for (Finding& notice : findings_) {
      if (notice.tier != Tier::kOrdinary || notice.label != FailureLabel::kInterrupted ||
          notice.resume != RunAgain::kYes || notice.rank != Rank::kCause)
        continue;
      const bool ends = std::ranges::any_of(findings_, [&](const Finding& f) {
        return text_.lines()[f.line].structure == Structure::kException &&
               may_shut_down_for(text_, notice.line, f.line) &&
               !took_steps_between(notice.line, f.line);
      });
      if (ends) notice.tier = Tier::kReport;
    }
  }

  // Steps are looked for where a finding asks for them.
  bool took_steps_between(std::size_t line, std::size_t end) {
    if (!steps_) steps_.emplace(text_);
    return steps_->taken_between(line, end);
  }

  const FailureText& text_;
  std::span<const std::size_t> repeated_;
  std::vector<Finding>& findings_;
  std::optional<Steps> steps_;
};

}  // namespace

void let_the_program_go_on(const FailureText& text, std::span<const std::size_t> repeated,
                           std::vector<Finding>& findings) {
  GotOver(text, repeated, findings).weigh();
}

}  // namespace trainwarden::rules
