// Keeps a function's processes alive, one for each session at most: the first always, the others
// once more is due than the running ones are free for. One that exits is started again (after a
// pause that grows); after kMaxBadStarts starts in a row that never came to ask for an invocation
// the function is given up. Driven by tick(); single-threaded, the caller holds the lock.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/time.h"
#include "tests/localaws/lambda/child_process.h"
#include "tests/localaws/lambda/function.h"

namespace trainwarden::localaws {

inline constexpr int kMaxBadStarts = 5;

struct ProcessSpec {
  std::string program;
  std::vector<std::vector<std::string>> environments;  // by session
  // Given each line that a session's process writes, on a thread of its own; may be empty.
  std::function<void(std::size_t session, std::string_view line)> hears = {};
};

class Supervisor {
 public:
  Supervisor(Function& function, ProcessSpec spec);

  // On a thread that lives as long as the server. Returns whether anything changed.
  bool tick(sys_millis now);
  // Ends the process of a session, or all; tick() starts others.
  void kill(std::size_t session) { slots_[session].process.kill(); }
  void kill();
  int restarts() const { return restarts_; }
  // Process ids by session; -1: none runs.
  std::vector<pid_t> pids() const;

 private:
  struct Slot {
    ChildProcess process;
    sys_millis start_at;
    bool started = false;
  };

  bool wanted(std::size_t session, sys_millis now) const;
  void start(std::size_t session, sys_millis now);
  void ended(std::size_t session, const std::string& how, sys_millis now);

  Function& function_;
  ProcessSpec spec_;
  std::vector<Slot> slots_;
  int restarts_ = 0;
  int bad_starts_ = 0;
};

// "localaws: <text>" on stderr.
void log_line(std::string_view text);

}  // namespace trainwarden::localaws
