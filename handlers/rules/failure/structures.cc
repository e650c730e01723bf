#include "handlers/rules/failure/structures.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "handlers/rules/failure/code_forms.h"
#include "handlers/rules/failure/exceptions.h"
#include "handlers/rules/failure/raised_by.h"
#include "handlers/rules/failure/report_forms.h"

namespace trainwarden::rules {
namespace {

class StructureReader {
 public:
  StructureReader(FailureText& text, bool reason) : text_(text), reason_(reason) {}

  void read() {
    // A FailureReason that holds the end of a log: what stands before its traceback is the log's.
    if (reason_ && text_.lower().contains("\ntraceback (most recent call last)")) reason_ = false;
    for (std::size_t i = 0; i < text_.lines().size(); ++i) text_.lines()[i].structure = read(i);
    read_what_joins_lines();
    text_.others_speak = std::ranges::any_of(
        text_.lines(), [this](const Line& line) { return !has_its_logger(text_, line); });
  }

 private:
  Structure read(std::size_t i) {
    Line& line = text_.lines()[i];
    const std::string_view said = text_.said(line);
    const std::string_view lower = text_.lower(line);
    if (said.empty()) return Structure::kSilent;
    line.words = line_words(lower);
    const CodeHeads heads = code_heads(said);
    if (ignores(heads)) {
      ignore_next_of(line);
      return Structure::kSilent;
    }
    // Ascend's `TraceBack (most recent call last):` has messages below, and no frames.
    constexpr std::string_view kTraceback = "Traceback (most recent call last)";
    if (said[0] == kTraceback[0] && said.starts_with(kTraceback)) {
      begin_traceback(line);
      return Structure::kFrame;
    }
    if (is_traceback_frame(said, heads)) {
      // What multiprocessing tidies up as the program ends is reported and then ignored.
      if (said.ends_with(", in _run_finalizers") ||
          said.contains("/multiprocessing/resource_tracker.py\""))
        ignore_next_of(line);
      begin_traceback(line);
      after_frame_ = true;
      indented_ = line.prefix.indented;
      message_ = 0;
      return Structure::kFrame;
    }
    // What a logger could not write is shown with the place that logged it.
    if (said == "Call stack:" && i > 0 && text_.lines()[i - 1].structure == Structure::kException)
      text_.lines()[i - 1].structure = Structure::kSilent;
    // A row of a table that counts none.
    if (said.starts_with('|') && said.ends_with("| 0 |")) return Structure::kSilent;
    if (said.starts_with("frame #") || is_underline(said) || is_drawn(heads) || is_of_table(lower))
      return Structure::kFrame;
    // A line with a time is a logger's, unless all lines of the traceback have one.
    const bool of_traceback =
        in_traceback_ && line.prefix.process == process_ && (!line.prefix.timed || timed_);
    const bool ends_traceback = of_traceback && !line.prefix.indented && class_at_begin(said);
    const bool begins_exception = exception_at_begin(said) || ends_traceback;
    // A source line is indented more than its frame; of a traceback that was cut, others may speak.
    const bool shows_source =
        std::exchange(after_frame_, false) && of_traceback &&
        (line.prefix.indented || !is_scheduler(report_words(lower, line.words)));
    if (!begins_exception && (shows_source || is_code(said, heads))) return Structure::kFrame;
    if (begins_exception && (line.prefix.level != Level::kQuiet || (of_traceback && relayed_)))
      return exception(line, said);
    if (of_traceback && line.prefix.indented) return Structure::kFrame;
    // What is not indented is no part of a traceback that is.
    if (of_traceback && indented_) in_traceback_ = false;
    return without_traceback(line, said, lower, heads);
  }

  void begin_traceback(const Line& line) {
    in_traceback_ = true;
    indented_ = false;
    process_ = line.prefix.process;
    timed_ = line.prefix.timed;
    relayed_ = line.prefix.level == Level::kQuiet;
  }

  Structure exception(const Line& line, std::string_view said) {
    const bool ignored = std::erase(ignored_, line.prefix.process) > 0;
    in_traceback_ = false;
    await_message(line);
    if (ignored) {
      message_ = 0;
      return Structure::kSilent;
    }
    return warns(said) ? Structure::kWarning : Structure::kException;
  }

  // The next exception of the line's process is told of and ignored.
  void ignore_next_of(const Line& line) {
    std::erase(ignored_, line.prefix.process);
    ignored_.push_back(line.prefix.process);
  }

  // What an exception or an error says may go on in the next lines.
  void await_message(const Line& line) {
    message_ = kMessageLines;
    process_ = line.prefix.process;
    timed_ = line.prefix.timed;
  }

  // `Error in fit(x, y) :`, "Error in `fit()`:", `Error using fit`: of R and MATLAB, and what it is
  // stands in the next line.
  static bool is_announced(std::string_view lower) {
    return (lower.starts_with("error in ") && (lower.ends_with(") :") || lower.ends_with("`:"))) ||
           lower.starts_with("error using ");
  }

  Structure without_traceback(const Line& line, std::string_view said, std::string_view lower,
                              CodeHeads heads) {
    if ((line.words & kToldWord) != 0) return Structure::kError;
    if (line.prefix.level == Level::kQuiet) return Structure::kSilent;
    const ReportWords found = report_words(lower, line.words);
    if (is_chatter(found)) return never_connected(line) ? Structure::kLibrary : Structure::kSilent;
    // `set -x` shows an `echo` before it runs.
    if (line.prefix.kernel || (is_kernel(found) && !said.starts_with("+ ") &&
                               !quotes_the_kernel(lower) && !is_dump(said, is_a_finding(found))))
      return Structure::kKernel;
    if (is_command(said, heads) || is_dump(said, is_a_finding(found))) return Structure::kSilent;
    if (is_native(lower, found)) return Structure::kNative;
    if (is_scheduler(found)) return Structure::kScheduler;
    if (line.prefix.level == Level::kError) {
      message_ = 0;
      return Structure::kError;
    }
    if (is_library(found)) return Structure::kLibrary;
    if (is_answer(found)) return Structure::kError;
    if (line.prefix.level == Level::kWarning || (may_warn(found) && warns(said)))
      return Structure::kWarning;
    if (says_an_error(said, lower, found) && !goes_on(found)) {
      if (is_announced(lower)) await_message(line);
      return Structure::kError;
    }
    if (reason_) return Structure::kReason;
    if (message_ > 0 && line.prefix.process == process_ && (!line.prefix.timed || timed_)) {
      --message_;
      return Structure::kMessage;
    }
    message_ = 0;
    return Structure::kOrdinary;
  }

  // NCCL tells of each try to reach a peer: one is nothing, but where a log ends so, none did.
  bool never_connected(const Line& line) const {
    constexpr std::ptrdiff_t kLast = 3;  // lines
    const auto tries = [this](const Line& one) {
      return text_.lower(one).contains("connect returned ");
    };
    const std::span<const Line> lines = text_.lines();
    return std::to_address(lines.end()) - &line <= kLast && &line != lines.data() && tries(line) &&
           tries(*(&line - 1));
  }

  void read_what_joins_lines() {
    // Each line has a character: at least its end.
    const char* const text = text_.lower().data();
    const std::span<const Line> lines = text_.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const char first = text[lines[i].body];
      if (first == 'd') supersede(i);
      if (first == 't') wrap(i);
      if (first == 't' || first == 'p') read_panic(i);
    }
  }

  // "During handling of the above exception, another exception occurred": the program meant to get
  // over the one above.
  void supersede(std::size_t i) {
    const std::span<Line> lines = text_.lines();
    if (!text_.lower(lines[i]).starts_with("during handling of the above")) return;
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

  // "The above exception was the direct cause of the following exception": what follows says less.
  void wrap(std::size_t i) {
    constexpr std::size_t kLongest = 80;
    const std::span<Line> lines = text_.lines();
    if (!text_.lower(lines[i]).starts_with("the above exception was the direct cause")) return;
    lines[i].structure = Structure::kFrame;
    for (std::size_t at = i + 1; at < std::min(i + kLongest, lines.size()); ++at) {
      if (lines[at].prefix.process != lines[i].prefix.process) continue;
      if (lines[at].structure != Structure::kException) continue;
      lines[at].wraps = true;
      break;
    }
  }

  // "thread 'main' panicked at src/main.rs:10:5:": a program in Rust gave up, and says below why.
  void read_panic(std::size_t i) {
    if (announces_a_panic(text_.lower(text_.lines()[i])) && i + 1 < text_.lines().size())
      text_.lines()[i + 1].structure = Structure::kError;
  }

  static constexpr int kMessageLines = 5;
  static constexpr std::size_t kNear = 7;  // lines above
  FailureText& text_;
  bool reason_;
  bool in_traceback_ = false;
  bool after_frame_ = false;
  std::vector<std::uint32_t> ignored_;  // the processes whose next exception is ignored
  int message_ = 0;
  std::uint32_t process_ = 0;
  bool timed_ = false;     // the lines of the traceback have times
  bool indented_ = false;  // its frames are indented
  bool relayed_ = false;   // somebody tells at the level INFO what a program said
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
