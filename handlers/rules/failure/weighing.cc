#include "handlers/rules/failure/weighing.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>

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
    let_parents_explain_children();
    let_success_answer();
    get_over();
    let_the_dead_explain_trouble();
    let_bugs_doubt_what_they_led_to();
    let_the_program_get_over_trouble();
    let_machines_come_in_the_end();
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
          finding.label != FailureLabel::kUnknown)
        last = std::max(last, finding.line);
    std::vector<std::uint32_t> went_on;  // the processes
    std::size_t at = last;
    // Backwards: they stand in the order of the lines, but for the kernel's.
    for (Finding& finding : std::views::reverse(findings_)) {
      if (finding.line >= last || finding.own != nullptr ||
          text_.lines()[finding.line].structure == Structure::kKernel)
        continue;
      // What was tried again, and said again, was not got over.
      const bool again = std::ranges::find(repeated_, finding.line) != repeated_.end();
      if (!again && says_how_it_goes_on(finding.line)) finding.got_over = true;
      if (finding.got_over || !may_be_got_over(finding)) continue;
      for (; at > finding.line + 1; --at) {
        const Line& line = text_.lines()[at - 1];
        if (is_progress(text_, line) &&
            std::ranges::find(went_on, line.prefix.process) == went_on.end())
          went_on.push_back(line.prefix.process);
      }
      finding.got_over = std::ranges::find(went_on, process(finding)) != went_on.end();
    }
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
    std::vector<std::size_t> causes;  // their lines
    for (const Finding& f : findings_)
      if (f.tier == Tier::kReport && f.rank <= Rank::kCause && f.label != FailureLabel::kUnknown)
        causes.push_back(f.line);
    std::ranges::sort(causes);
    for (Finding& finding : findings_)
      if (finding.own == nullptr && std::ranges::binary_search(causes, finding.line + 1) &&
          follows(finding.line) && text_.lower(text_.lines()[finding.line]).ends_with(':'))
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
      if (name == "runtimeerror" || name == "exception" || ends_with(finding.line, name)) {
        finding.rank = Rank::kWrapper;
        finding.label = FailureLabel::kUnknown;
        finding.resume = RunAgain::kOnce;
      }
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

  // A child of multiprocessing reads from a pipe what it is to do. That the pipe ended says only
  // that its parent did.
  void let_parents_explain_children() {
    for (Finding& finding : findings_)
      if (finding.own == nullptr && finding.line > 0 &&
          text_.lower(text_.lines()[finding.line - 1]).contains(".load(from_parent)"))
        finding.rank = std::max(finding.rank, Rank::kConsequence);
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
          (finding.rank == Rank::kHint || is_of_a_thread(finding.line))) {
        finding.rank = Rank::kWrapper;
        finding.label = FailureLabel::kUnknown;
        finding.resume = RunAgain::kOnce;
      }
  }

  // Whether one process said a line and the next one.
  bool follows(std::size_t line) const {
    return line + 1 < text_.lines().size() &&
           text_.lines()[line].prefix.process == text_.lines()[line + 1].prefix.process;
  }

  // What a program died of that nobody else's trouble leads to, and that running it again does not
  // mend: an exception whose words name its cause, or one of the program's own.
  bool is_fatal(const Finding& finding) const {
    if (finding.own == nullptr && finding.label == FailureLabel::kInterrupted &&
        finding.resume == RunAgain::kNo && finding.rank <= Rank::kSymptom)
      return finding.tier != Tier::kDistant;
    // What says no more than that may be of others' making.
    static constexpr auto kAnything = word_list("exception", "runtimeerror", "systemerror");
    if (finding.by == By::kException &&
        starts_with_one(text_.lower().substr(finding.at), kAnything))
      return false;
    return finding.own == nullptr && finding.tier == Tier::kReport &&
           finding.resume == RunAgain::kNo && finding.rank <= Rank::kException &&
           !finding.got_over && text_.lines()[finding.line].structure == Structure::kException &&
           !text_.lines()[finding.line].superseded && !text_.lines()[finding.line].wraps;
  }

  static bool is_of_the_program(FailureLabel label) {
    return label == FailureLabel::kUserCode || label == FailureLabel::kInterrupted;
  }

  // Whether a machine, a link or a service in trouble is what such a death left behind. Trouble
  // that came before may be what the program died of, where its own exception tells of the death.
  bool left_behind(const Finding& death, const Finding& trouble) const {
    const Line& line = text_.lines()[trouble.line];
    if (trouble.line == death.line || goes_on_after(death, trouble)) return false;
    const bool own = is_of_the_program(death.label);
    if (trouble.line < death.line)
      return !own && death.label != FailureLabel::kData &&
             trouble.label != FailureLabel::kInterrupted && trouble.rank != Rank::kMachine &&
             (line.structure != Structure::kException ||
              went_on_between(text_, trouble.line, death.line));
    // A broken machine shows in memory, in what a program computes and in a device that is not
    // found, but in no disk or file.
    const bool of_device = death.label == FailureLabel::kOomGpu ||
                           (death.label == FailureLabel::kConfig && death.text.contains("gpu"));
    return trouble.rank != Rank::kMachine || is_told_of_a_node(trouble) || (!own && !of_device);
  }

  // What Slurm or a communication library says of machines and links is the end, unless the
  // job went on; and so is a notice that the program's own handler of signals fails upon.
  bool may_pass_by_itself(const Finding& finding, std::size_t died) const {
    const Structure structure = text_.lines()[finding.line].structure;
    if (structure == Structure::kException || structure == Structure::kKernel) return false;
    const bool final =
        (structure == Structure::kScheduler &&
         text_.lower(text_.lines()[finding.line]).starts_with("slurm")) ||
        (structure == Structure::kLibrary && finding.label == FailureLabel::kNetwork) ||
        (finding.label == FailureLabel::kInterrupted && died_in_a_handler(died));
    return !final || went_on_between(text_, finding.line, died);
  }

  bool died_in_a_handler(std::size_t line) const {
    static constexpr auto kHandlers =
        word_list("sigterm", "signal_handler", "handle_signal", "on_preempt", "on_interrupt");
    constexpr std::size_t kFrames = 8;
    const std::size_t first = text_.lines()[line - std::min(line, kFrames)].begin;
    return has_one(text_.lower().substr(first, text_.lines()[line].begin - first), kHandlers);
  }

  static bool tells_by_type_alone(const Finding& finding) {
    return finding.by == By::kException && !finding.specific;
  }

  // `RuntimeError: upload failed after 5 attempts`: what failed each time was told before.
  bool only_gives_up(const Finding& finding) const {
    static constexpr auto kWords = word_list(" attempts", " retries", "giving up", "gave up");
    return tells_by_type_alone(finding) &&
           has_one(text_.lower(text_.lines()[finding.line]), kWords);
  }

  void let_the_dead_explain_trouble() {
    constexpr std::size_t kMost = 32;
    std::vector<const Finding*> deaths;
    for (const Finding& finding : findings_)
      if (deaths.size() < kMost && is_fatal(finding)) deaths.push_back(&finding);
    for (Finding& finding : findings_) {
      if (finding.own != nullptr || finding.resume != RunAgain::kYes ||
          finding.rank > Rank::kCause ||
          text_.lines()[finding.line].structure == Structure::kKernel)
        continue;
      if (std::ranges::any_of(deaths,
                              [&](const Finding* death) { return left_behind(*death, finding); }))
        finding.rank = Rank::kSymptom;
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

  void let_machines_come_in_the_end() {
    // A machine that was not to be had may have come in the end, as Kubernetes tells of it.
    std::size_t assigned = 0;  // the last line that tells so
    for (std::size_t i = 0; i < text_.lines().size(); ++i)
      if ((text_.lines()[i].words & kAssignedWord) != 0) assigned = i;
    for (Finding& finding : findings_)
      if (finding.label == FailureLabel::kCapacity && finding.line < assigned)
        finding.rank = std::max(finding.rank, Rank::kSymptom);
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
