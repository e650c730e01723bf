// The text of a failure made ready to be read: lines, with blanks, control characters and terminal
// colours cleaned away, quoted command lines (they carry hyperparameters) cut out, and what
// transports add told apart from what was said. Any bytes will do; of a long text the end is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/line_words.h"
#include "handlers/rules/failure/prefix.h"

namespace trainwarden::rules {

// What a line is read as: structures.h tells them apart.
enum class Structure : std::uint8_t {
  kOrdinary,   // whatever a program prints
  kFrame,      // of a traceback: its head, where it was, its source
  kSilent,     // bears no verdict: commands, settings, progress, INFO
  kWarning,    // somebody warns; a verdict only where nothing else is there
  kException,  // `ValueError: …`, and what a traceback ends with
  kMessage,    // goes on with an exception's message
  kNative,     // a process ended without a traceback: a signal, an abort
  kKernel,     // the kernel or a driver speaks
  kScheduler,  // Slurm, Kubernetes, MPI and other launchers
  kLibrary,    // NCCL's warnings, watchdogs
  kError,      // said as an error
  kReason,     // FailureReason
};

struct Line {
  std::size_t begin = 0;
  std::size_t body = 0;  // behind the prefix
  std::size_t end = 0;
  Prefix prefix;
  LineWords words = 0;  // of what was said; read_structures() finds them
  Structure structure = Structure::kOrdinary;
  bool superseded = false;  // an exception while which another was raised
  bool wraps = false;       // an exception that was raised from another
};

class FailureText {
 public:
  // The most that is looked at, of a FailureReason and of a log's tail.
  static constexpr std::size_t kMostBytes = std::size_t{64} * 1024;

  // A FailureReason: one line that often holds the end of a log. It is broken into lines at the
  // marks that logs have.
  static FailureText of_reason(std::string_view reason);
  // Lines of logs; what a line breaks into by itself (`\n` in quoted messages too) are lines.
  static FailureText of_log(std::span<const std::string_view> lines);

  // Lines, each ended by '\n'. Both are of one length; lower() in lower case.
  std::string_view shown() const { return shown_; }
  std::string_view lower() const { return lower_; }
  bool empty() const { return shown_.empty(); }
  // Whether some line is not of the program's own logger; read_structures() finds out.
  bool others_speak = false;

  std::span<Line> lines() { return lines_; }
  std::span<const Line> lines() const { return lines_; }
  // What was said in a line, as it is shown, and in lower case.
  std::string_view said(const Line& line) const {
    return std::string_view(shown_).substr(line.body, line.end - line.body);
  }
  std::string_view lower(const Line& line) const {
    return std::string_view(lower_).substr(line.body, line.end - line.body);
  }

 private:
  void append(std::string_view text);
  void append_line(std::string_view line);
  void add_words(std::string_view text);
  void finish();

  std::string shown_;
  std::string lower_;
  std::vector<Line> lines_;
};

}  // namespace trainwarden::rules
