// Lines of the functions' logs on their way into Logs: they come on threads of their own, which
// must not wait for the emulator's lock, since it waits for them where a process is replaced.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/time.h"

namespace trainwarden::localaws {

struct FunctionLine {
  std::string group;
  std::string stream;
  std::string text;
  sys_millis at;
};

class LineInbox {
 public:
  void put(FunctionLine line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::vector<FunctionLine> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<FunctionLine> lines_;
};

}  // namespace trainwarden::localaws
