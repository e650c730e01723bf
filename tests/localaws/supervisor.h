// Keeps a function's process alive: starts it, starts it again when it exits (after a growing
// pause), and gives up after kMaxBadStarts starts in a row that never came to ask for an
// invocation. Driven by tick(); single-threaded, the caller holds the lock.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/time.h"
#include "tests/localaws/child_process.h"
#include "tests/localaws/function.h"

namespace trainwarden::localaws {

inline constexpr int kMaxBadStarts = 5;

struct ProcessSpec {
  std::string program;
  std::vector<std::string> environment;
};

class Supervisor {
 public:
  Supervisor(Function& function, ProcessSpec spec);

  // On a thread that lives as long as the server. Returns whether anything changed.
  bool tick(sys_millis now);
  // Ends the process; tick() starts another.
  void kill() { process_.kill(); }
  int restarts() const { return starts_ > 0 ? starts_ - 1 : 0; }

 private:
  void start(sys_millis now);
  void ended(const std::string& how, sys_millis now);

  Function& function_;
  ProcessSpec spec_;
  ChildProcess process_;
  sys_millis start_at_;
  int starts_ = 0;
  int bad_starts_ = 0;
};

// "localaws: <text>" on stderr.
void log_line(std::string_view text);

}  // namespace trainwarden::localaws
