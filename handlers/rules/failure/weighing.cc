#include "handlers/rules/failure/weighing.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

#include "handlers/rules/failure/aftermath.h"
#include "handlers/rules/failure/got_over.h"
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
    let_crashes_explain_lost_links();
    let_kills_explain_lost_daemons();
    let_the_program_go_on(text_, repeated_, findings_);
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

  // `SafetensorError: Error while serializing:`: where the next line names the cause, the first
  // only announces it.
  void let_announced_causes_speak() {
    std::vector<Rank> causes(text_.lines().size(), Rank::kHarmless);  // the weightiest of each line
    for (const Finding& f : findings_)
      if (f.tier == Tier::kReport && f.rank <= Rank::kSymptom && f.label != FailureLabel::kUnknown)
        causes[f.line] = std::min(causes[f.line], f.rank);
    for (Finding& finding : findings_)
      if (finding.own == nullptr && says_the_next_line(text_, finding.line) &&
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
