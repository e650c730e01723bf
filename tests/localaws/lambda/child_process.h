// One process of a function: started, watched, killed. It dies with localaws, whatever ends that
// (PR_SET_PDEATHSIG, so start() belongs on a thread that lives as long as the server), and leads
// its own process group, which is killed as a whole. What it prints goes to stderr, line by line,
// with a prefix.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/base/result.h"

namespace trainwarden::localaws {

class ChildProcess {
 public:
  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Given each line, without its end, on a thread of its own.
  using Hears = std::function<void(std::string_view line)>;

  // environment: NAME=VALUE. The working directory becomes the program's folder. hears: may be
  // empty.
  Result<void> start(const std::string& program, const std::vector<std::string>& environment,
                     std::string prefix, Hears hears = {});
  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }  // -1: none
  // How it ended ("exit status 1", "signal: killed"), once, after it has.
  std::optional<std::string> ended();
  void kill();

 private:
  void reap();

  pid_t pid_ = -1;
  std::jthread pump_;
};

}  // namespace trainwarden::localaws
