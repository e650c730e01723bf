#include "handlers/cli/access/run_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "handlers/cli/access/asked_terminal.h"
#include "runtime/base/errno_text.h"

namespace trainwarden::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMostKept = std::size_t{64} * 1024;

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor reading;
  Descriptor writing;
};

std::unexpected<Error> not_run(const std::string& program, int why) {
  const bool missing = why == ENOENT || why == EACCES;
  return fail(missing ? ErrorCode::kNotFound : ErrorCode::kInternal,
              fmt::format("{}: {}", program, errno_text(why)));
}

Result<Pipe> open_pipe(const std::string& program) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return not_run(program, errno);
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// Reads once; closes the descriptor at the end of the stream.
void read_some(Descriptor& from, std::string& to) {
  std::array<char, 4096> chunk{};
  const ssize_t got = read(from.number(), chunk.data(), chunk.size());
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) return from.close();
  to.append(chunk.data(), std::min(static_cast<std::size_t>(got), kMostKept - to.size()));
}

// How long a program may take: without the time in which it waits for a person at the terminal.
class Patience {
 public:
  Patience(pid_t child, const AskedTerminal& terminal, std::chrono::milliseconds limit)
      : child_(child), terminal_(terminal), limit_(limit), end_(SteadyClock::now() + limit) {}

  // How long to wait until the next question; 0: no longer.
  int wait_ms() {
    constexpr std::chrono::milliseconds kLook{250};
    if (terminal_.is_ending()) return 0;
    const auto now = SteadyClock::now();
    const auto after_answer = std::min(limit_, kAfterAnswer);
    if (end_ - now < after_answer && terminal_.is_held_by(child_)) end_ = now + after_answer;
    return static_cast<int>(std::clamp(std::chrono::ceil<std::chrono::milliseconds>(end_ - now),
                                       std::chrono::milliseconds(0), kLook)
                                .count());
  }

 private:
  // What a program may take once it has its answer; a call or two of AWS.
  static constexpr std::chrono::milliseconds kAfterAnswer{10'000};

  pid_t child_;
  const AskedTerminal& terminal_;
  std::chrono::milliseconds limit_;
  SteadyClock::time_point end_;
};

// Returns false if the time ran out first.
bool read_until_closed(Pipe& out, Pipe& err, Ran& ran, Patience& patience) {
  while (out.reading.is_open() || err.reading.is_open()) {
    std::array<pollfd, 2> waits{
        {{out.reading.number(), POLLIN, 0}, {err.reading.number(), POLLIN, 0}}};
    const int wait = patience.wait_ms();
    if (wait == 0) return false;
    if (poll(waits.data(), waits.size(), wait) <= 0) continue;
    if (waits[0].revents != 0) read_some(out.reading, ran.output);
    if (waits[1].revents != 0) read_some(err.reading, ran.errors);
  }
  return true;
}

// Returns false if the time ran out first.
bool wait_for(pid_t child, int& status, Patience& patience) {
  constexpr int kPauseMs = 10;
  for (;;) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) return true;
    if (patience.wait_ms() == 0) return false;
    poll(nullptr, 0, kPauseMs);
  }
}

Result<pid_t> spawn(const std::vector<std::string>& words, const Pipe& out, const Pipe& err) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  arguments.reserve(copies.size() + 1);
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writing.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writing.number(), STDERR_FILENO);
  // The program does not inherit which signals this process ignores or blocks.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int wrong =
      posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (wrong != 0) return not_run(words.front(), wrong);
  return child;
}

}  // namespace

Result<Ran> run_program(const std::vector<std::string>& words, std::chrono::milliseconds limit) {
  TRY(Pipe out, open_pipe(words.front()));
  TRY(Pipe err, open_pipe(words.front()));
  const AskedTerminal terminal;
  TRY(const pid_t child, spawn(words, out, err));
  out.writing.close();
  err.writing.close();
  Patience patience(child, terminal, limit);
  Ran ran;
  int status = 0;
  if (!read_until_closed(out, err, ran, patience) || !wait_for(child, status, patience)) {
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return fail(ErrorCode::kTimeout,
                fmt::format("{}: no answer within {} s", words.front(), limit.count() / 1000));
  }
  constexpr int kSignalled = 128;
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
  return ran;
}

}  // namespace trainwarden::cli
