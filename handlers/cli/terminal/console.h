// Progress of a command while it works. On a terminal it is one line, which the next one replaces.
// Elsewhere a line is written only if something changed, or every few minutes. Control characters
// are escaped.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace trainwarden::cli {

class Console {
 public:
  // is_interrupted: whether the user has asked the command to end.
  Console(std::FILE* to, bool terminal, std::function<bool()> is_interrupted)
      : to_(to), terminal_(terminal), is_interrupted_(std::move(is_interrupted)) {}
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console() { clear(); }

  // Prints a line that stays.
  void say(std::string_view line);
  // Shows the state of the job, and for how long the command has been at it.
  void show(std::string_view job, std::string_view state, std::chrono::seconds elapsed);
  // Removes the line that show() left on a terminal.
  void clear();

  bool is_interrupted() const { return is_interrupted_(); }

 private:
  static constexpr std::chrono::minutes kSayAgainAfter{5};

  std::FILE* to_;
  bool terminal_;
  std::function<bool()> is_interrupted_;
  bool shown_ = false;                           // the next line replaces the current one
  std::string said_;                             // state in the last line
  std::optional<std::chrono::seconds> said_at_;  // its elapsed time
};

// Whether the user has asked the command to end (SIGINT, SIGTERM, SIGHUP). Installs the handlers at
// the first call. Each signal is caught once, so that a second one ends the process.
bool is_interrupted();

}  // namespace trainwarden::cli
