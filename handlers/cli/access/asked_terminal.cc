#include "handlers/cli/access/asked_terminal.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace trainwarden::cli {
namespace {

constexpr int kDeepest = 8;  // of programs that start programs

// Those that are ignored, as under nohup, end nothing.
sigset_t signals_that_end() {
  sigset_t out;
  sigemptyset(&out);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&out, signal);
  }
  return out;
}

// `program` was started with standard streams that are no terminal, so that what it holds of one it
// has opened to ask.
bool holds_terminal(pid_t program) {
  std::error_code error;
  for (const auto& open :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", program), error)) {
    const std::string what = std::filesystem::read_symlink(open.path(), error).string();
    if (what == "/dev/tty" || what.starts_with("/dev/pts/")) return true;
  }
  return false;
}

bool any_holds_terminal(pid_t program, int depth) {
  if (holds_terminal(program)) return true;
  if (depth == kDeepest) return false;
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", program));
  for (pid_t child = 0; children >> child;)
    if (any_holds_terminal(child, depth + 1)) return true;
  return false;
}

}  // namespace

AskedTerminal::AskedTerminal()
    : terminal_(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)), ending_(signals_that_end()) {
  sigset_t waiting = ending_;
  sigaddset(&waiting, SIGTTOU);  // which would stop a process that sets the terminal
  pthread_sigmask(SIG_BLOCK, &waiting, &blocked_before_);
  termios now{};
  // In the background the terminal is somebody else's.
  if (terminal_ >= 0 && tcgetpgrp(terminal_) == getpgrp() && tcgetattr(terminal_, &now) == 0)
    before_ = now;
}

AskedTerminal::~AskedTerminal() {
  if (before_) tcsetattr(terminal_, TCSADRAIN, &*before_);
  if (terminal_ >= 0) close(terminal_);
  pthread_sigmask(SIG_SETMASK, &blocked_before_, nullptr);
}

bool AskedTerminal::is_held_by(pid_t program) const {
  return before_ && any_holds_terminal(program, 0);
}

bool AskedTerminal::is_ending() const {
  sigset_t pending;
  sigpending(&pending);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    if (sigismember(&pending, signal) == 1 && sigismember(&ending_, signal) == 1) return true;
  return false;
}

}  // namespace trainwarden::cli
