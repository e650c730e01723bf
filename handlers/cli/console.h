// What a command tells while it works: on a terminal one line about what is going on, which the
// next one replaces; elsewhere such a line only where something changed, or now and then. What a
// terminal would obey in them is shown.
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
  // interrupted: whether the person has asked for an end.
  Console(std::FILE* to, bool terminal, std::function<bool()> is_interrupted)
      : to_(to), terminal_(terminal), is_interrupted_(std::move(is_interrupted)) {}
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console() { clear(); }

  // A line that stays.
  void say(std::string_view line);
  // What is going on with the job, and for how long.
  void show(std::string_view job, std::string_view state, std::chrono::seconds elapsed);
  // Takes away what show() left on a terminal.
  void clear();

  bool is_interrupted() const { return is_interrupted_(); }

 private:
  static constexpr std::chrono::minutes kSayAgainAfter{5};

  std::FILE* to_;
  bool terminal_;
  std::function<bool()> is_interrupted_;
  bool shown_ = false;                           // a line that is to be replaced
  std::string said_;                             // the state of the last line
  std::optional<std::chrono::seconds> said_at_;  // of elapsed
};

// Whether the person has asked for an end (SIGINT, SIGTERM, SIGHUP). Listens from the first call
// on; each signal is heard once, so that a second one ends the process.
bool is_interrupted();

}  // namespace trainwarden::cli
