#include "handlers/rules/failure/weighing.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

#include "handlers/rules/failure/aftermath.h"
#include "handlers/rules/failure/raised_by.h"
#include "handlers/rules/failure/torchrun.h"
#include "handlers/rules/failure/went_on.h"
#include "handlers/rules/failure/word_lists.h"

namespace trainwarden::rules {
namespace {

class Weighing {
 public:
  Weighing(const FailureText& text, std::span<const std::size_t> repeated,
           std::vector<Finding>& findings)
      : text_(text), repeated_(repeated), findings_(findings) {}

  void weigh() {
    prefer_the_root();
    let_announced_causes_speak();
    let_traceback_ends_speak();
    let_the_clock_explain_signals();
    let_other_ends_explain_pipes();
    let_success_answer();
    let_retries_answer();
    let_withdrawals_answer();
    let_crashes_explain_lost_links();
    let_kills_explain_lost_daemons();
    get_over();
    let_later_ends_count();
    let_notices_explain_ends();
    let_deaths_explain_trouble(text_, findings_);
    let_machines_come_in_the_end();
    let_other_zones_answer();
    let_crashes_end_retries();
    let_ordinary_lines_count();
  }

 private:
  // By torchrun's table, where it names a root cause.
  void prefer_the_root() {
    const TorchrunTable table(text_);
    if (!table.names_a_root()) return;
    for (Finding& finding : findings_) {
      finding.of_root = table.of_root(text_, finding.line);
      // How the others ended, or were ended.
      if (table.of_another(finding.line) && finding.label != FailureLabel::kUserCode &&
          text_.lines()[finding.line].structure != Structure::kException)
        finding.rank = std::max(finding.rank, Rank::kConsequence);
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
          !took_steps_between(text_, finding.line, last))
        continue;
      finding.got_over = true;
      finding.rank = Rank::kHint;
      if (finding.resume == RunAgain::kYes) finding.resume = RunAgain::kOnce;
    }
  }

  // Somebody takes the machine, as the program itself was told: what fails while it shuts down is
  // no other reason.
  void let_notices_explain_ends() {
    constexpr std::size_t kShutdown = 12;  // lines
    for (Finding& notice : findings_) {
      if (notice.tier != Tier::kOrdinary ||
          text_.lines()[notice.line].prefix.level != Level::kWarning ||
          notice.label != FailureLabel::kInterrupted || notice.resume != RunAgain::kYes ||
          notice.rank != Rank::kCause)
        continue;
      const bool ends = std::ranges::any_of(findings_, [&](const Finding& f) {
        return f.line > notice.line && f.line <= notice.line + kShutdown &&
               text_.lines()[f.line].structure == Structure::kException &&
               !took_steps_between(text_, notice.line, f.line);
      });
      if (ends) notice.tier = Tier::kReport;
    }
  }

  bool was_said_again(std::size_t line) const {
    return std::ranges::find(repeated_, line) != repeated_.end();
  }

  // Whether the line, or the next one, tells what is done instead: `Will try to load from local
  // cache.`, `retrying in 30s`
  bool says_how_it_goes_on(std::size_t line) const {
    static constexpr auto kAgain = word_list("retrying", "will retry", "trying again");
    if ((text_.lines()[line].words & kGoesOnWord) != 0) return true;
    return follows(line) && ((text_.lines()[line + 1].words & kGoesOnWord) != 0 ||
                             starts_with_one(text_.lower(text_.lines()[line + 1]), kAgain));
  }

  bool may_be_got_over(const Finding& finding) const {
    const Line& line = text_.lines()[finding.line];
    return line.prefix.process != 0 ||
           (finding.rank != Rank::kMachine && line.structure != Structure::kException &&
            line.structure != Structure::kNative);
  }

  // `SafetensorError: Error while serializing:`: where the next line names the cause, the first
  // only announces it.
  void let_announced_causes_speak() {
    std::vector<Rank> causes(text_.lines().size(), Rank::kHarmless);  // the weightiest of each line
    for (const Finding& f : findings_)
      if (f.tier == Tier::kReport && f.rank <= Rank::kSymptom && f.label != FailureLabel::kUnknown)
        causes[f.line] = std::min(causes[f.line], f.rank);
    for (Finding& finding : findings_)
      if (finding.own == nullptr && follows(finding.line) &&
          text_.lower(text_.lines()[finding.line]).ends_with(':') &&
          causes[finding.line + 1] <= std::max(Rank::kCause, finding.rank))
        finding.rank = std::max(finding.rank, Rank::kHint);
  }

  // `RayTaskError(RuntimeError): …`: what the cause says stands where the traceback ends. Its class
  // alone tells only where that was cut off, and only if it is more than an error.
  void let_traceback_ends_speak() {
    constexpr std::string_view kOpens = "taskerror(";
    for (Finding& finding : findings_) {
      if (!tells_by_type_alone(finding) || !text_.lower().substr(0, finding.at).ends_with(kOpens))
        continue;
      const std::string_view rest = text_.lower().substr(finding.at);
      const std::string_view name = rest.substr(0, rest.find(')'));
      if (name == "runtimeerror" || name == "exception" || ends_with(finding.line, name))
        tell_nothing(finding);
    }
  }

  // Whether one of the next lines is the end of a traceback with an exception of this class.
  bool ends_with(std::size_t line, std::string_view name) const {
    constexpr std::size_t kMost = 80;
    const std::span<const Line> lines = text_.lines();
    for (std::size_t i = line + 1; i < std::min(lines.size(), line + kMost); ++i) {
      if (lines[i].structure != Structure::kException) continue;
      const std::string_view said = text_.lower(lines[i]);
      const std::string_view of = said.substr(0, said.find(':'));
      if (of == name || (of.ends_with(name) && of[of.size() - name.size() - 1] == '.')) return true;
    }
    return false;
  }

  // Where a scheduler says that the job's time was over, the signals are how it ended the job.
  void let_the_clock_explain_signals() {
    const auto is_clock = [this](const Finding& f) {
      return f.label == FailureLabel::kTimeout && f.by == By::kSignature &&
             text_.lines()[f.line].structure == Structure::kScheduler;
    };
    if (std::ranges::none_of(findings_, is_clock)) return;
    for (Finding& finding : findings_)
      if (finding.rank == Rank::kSymptom && finding.resume == RunAgain::kOnce &&
          (finding.label == FailureLabel::kInterrupted || finding.label == FailureLabel::kOomHost))
        finding.rank = Rank::kConsequence;
  }

  // A child of multiprocessing reads from a pipe what it is to do, and its parent what came of it.
  // That the pipe ended says only that the other did.
  void let_other_ends_explain_pipes() {
    for (Finding& finding : findings_) {
      if (finding.own != nullptr || !ends_a_traceback(text_, finding.line)) continue;
      if (text_.lower(text_.lines()[finding.line - 1]).contains(".load(from_parent)"))
        finding.rank = std::max(finding.rank, Rank::kConsequence);
      if (text_.lower().substr(finding.at).starts_with("eoferror") &&
          reads_of_another_process(text_, finding.line))
        tell_nothing(finding);
    }
  }

  // Whether the exception ended a thread, and not the program.
  bool is_of_a_thread(std::size_t line) const {
    const std::span<const Line> lines = text_.lines();
    if (lines[line].structure != Structure::kException) return false;
    while (line > 0 && lines[line - 1].structure == Structure::kFrame) --line;
    return line > 0 && text_.lower(lines[line - 1]).starts_with("exception in thread");
  }

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

  // What was only warned of and tried again, and the same process went on after, ended nothing.
  // Where others follow that do not warn of it again, the second try may have done.
  void let_retries_answer() {
    constexpr std::size_t kAfter = 2;  // lines: that it is tried again, and one more
    for (Finding& finding : findings_) {
      const Line& line = text_.lines()[finding.line];
      const bool retries = says_how_it_goes_on(finding.line);
      // An upload that was tried again, and no step failed for it.
      if (finding.own == nullptr && line.structure == Structure::kError && retries &&
          finding.resume == RunAgain::kYes &&
          took_steps_between(text_, finding.line, text_.lines().size()))
        finding.resume = RunAgain::kOnce;
      if (finding.own != nullptr) continue;
      // Who warns goes on, and did; but a machine may be gone a while later.
      if ((line.structure == Structure::kWarning || line.prefix.level == Level::kWarning) &&
          !is_about_a_machine(finding) &&
          took_steps_between(text_, finding.line, text_.lines().size())) {
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
    for (Finding& finding : findings_) {
      const bool stalled = finding.text.ends_with("not responding");
      const bool port_down = finding.label == FailureLabel::kHardware &&
                             finding.rank == Rank::kSymptom &&
                             text_.lower(text_.lines()[finding.line]).contains("port error");
      if (finding.own != nullptr || !(stalled || port_down)) continue;
      for (std::size_t i = finding.line + 1; i < text_.lines().size(); ++i) {
        const std::string_view lower = text_.lower(text_.lines()[i]);
        if (stalled ? lower.contains("nfs: server") && lower.ends_with(" ok")
                    : lower.contains("port active"))
          tell_nothing(finding);
      }
    }
  }

  // A process that crashed, as all see it who were connected with it: what they say after that, and
  // what they say of a worker whose end is told.
  void let_crashes_explain_lost_links() {
    static constexpr auto kWorkers = word_list("killed by signal");
    std::size_t crash = text_.lines().size();  // the first line that tells of one
    for (const Finding& finding : findings_)
      if (finding.rank == Rank::kSymptom && finding.label == FailureLabel::kUnknown &&
          finding.by == By::kSignature)
        crash = std::min(crash, starts_with_one(finding.text, kWorkers) ? 0 : finding.line);
    for (Finding& finding : findings_)
      if (finding.line > crash && finding.own == nullptr && finding.rank == Rank::kSymptom &&
          finding.label == FailureLabel::kNetwork && finding.resume == RunAgain::kOnce)
        finding.rank = Rank::kHint;
  }

  // A daemon of MPI is lost where its container was killed, and the launcher told so before.
  void let_kills_explain_lost_daemons() {
    std::size_t kill = text_.lines().size();  // the first line that tells of one
    for (const Finding& finding : findings_)
      if (finding.rank == Rank::kSymptom && finding.label == FailureLabel::kOomHost)
        kill = std::min(kill, finding.line);
    for (Finding& finding : findings_)
      if (finding.line > kill && finding.own == nullptr &&
          finding.label == FailureLabel::kNetwork && finding.text.contains("daemon"))
        finding.rank = std::max(finding.rank, Rank::kSymptom);
  }

  static void tell_nothing(Finding& finding) {
    finding.rank = Rank::kWrapper;
    finding.label = FailureLabel::kUnknown;
    finding.resume = RunAgain::kOnce;
  }

  // Whether one process said a line and the next one.
  bool follows(std::size_t line) const {
    return line + 1 < text_.lines().size() &&
           text_.lines()[line].prefix.process == text_.lines()[line + 1].prefix.process;
  }

  void let_machines_come_in_the_end() {
    // A machine that was not to be had may have come in the end, as Kubernetes tells of it.
    std::size_t assigned = 0;  // the last line that tells so
    for (std::size_t i = 0; i < text_.lines().size(); ++i)
      if ((text_.lines()[i].words & kAssignedWord) != 0) assigned = i;
    for (Finding& finding : findings_)
      if (finding.label == FailureLabel::kCapacity && finding.line < assigned)
        finding.rank = std::max(finding.rank, Rank::kSymptom);
  }

  // Where one zone does not have the type at all and the others had none free, patience may do.
  void let_other_zones_answer() {
    const auto is_capacity = [](const Finding& f) {
      return f.label == FailureLabel::kCapacity && f.resume == RunAgain::kYes &&
             f.rank <= Rank::kSymptom;
    };
    if (std::ranges::none_of(findings_, is_capacity)) return;
    std::vector<bool> not_there(text_.lines().size());  // the lines that tell so of a zone
    for (const Finding& f : findings_)
      if (f.label == FailureLabel::kConfig && f.text.ends_with("availability zone"))
        not_there[f.line] = true;
    for (const Finding& f : findings_)
      if (is_capacity(f)) not_there[f.line] = false;
    for (Finding& finding : findings_)
      if (finding.label == FailureLabel::kConfig && not_there[finding.line])
        finding.rank = std::max(finding.rank, Rank::kHint);
  }

  // What was tried again is not what a crash came from, though that says nothing of why.
  void let_crashes_end_retries() {
    std::size_t crash = 0;  // the last line that tells of one
    for (const Finding& finding : findings_)
      if (finding.rank == Rank::kSymptom && finding.label == FailureLabel::kUnknown &&
          text_.lines()[finding.line].structure == Structure::kNative)
        crash = std::max(crash, finding.line);
    for (Finding& finding : findings_)
      if (finding.line < crash && finding.rank == Rank::kSymptom &&
          (text_.lines()[finding.line].words & kLessWord) != 0)
        finding.rank = Rank::kHint;
  }

  void let_ordinary_lines_count() {
    // Ordinary lines count only where no report tells why; and those that name a cause and tell of
    // a failure, where reports tell only what it left behind.
    Rank best = Rank::kWrapper;
    for (const Finding& finding : findings_)
      if (finding.tier == Tier::kReport && finding.rank <= Rank::kHint &&
          finding.label != FailureLabel::kUnknown)
        best = std::min(best, finding.rank);
    for (Finding& finding : findings_)
      if (finding.tier == Tier::kOrdinary &&
          (best == Rank::kWrapper || (best >= Rank::kSymptom && finding.rank < Rank::kSymptom &&
                                      (finding.label == FailureLabel::kInterrupted ||
                                       (text_.lines()[finding.line].words & kFailureWord) != 0))))
        finding.tier = Tier::kReport;
    // Lines far from the end count where all others tell no more than that something failed.
    if (std::ranges::none_of(findings_, [](const Finding& finding) {
          return finding.tier == Tier::kReport && finding.label != FailureLabel::kUnknown;
        }))
      for (Finding& finding : findings_)
        if (finding.tier == Tier::kDistant) finding.tier = Tier::kReport;
  }

  const FailureText& text_;
  std::span<const std::size_t> repeated_;
  std::vector<Finding>& findings_;
};

}  // namespace

void weigh(const FailureText& text, std::span<const std::size_t> repeated,
           std::vector<Finding>& findings) {
  Weighing(text, repeated, findings).weigh();
}

}  // namespace trainwarden::rules
