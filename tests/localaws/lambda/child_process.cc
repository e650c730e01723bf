#include "tests/localaws/lambda/child_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

namespace trainwarden::localaws {
namespace {

constexpr std::size_t kMaxLine = 1 << 20;

void write_line(std::string_view prefix, std::string_view line) {
  const std::string text = fmt::format("{}{}\n", prefix, line);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

// Until all ends of the pipe that the process and its children hold are closed.
void pump(int from, const std::string& prefix, const ChildProcess::Hears& hears) {
  const auto pass_on = [&](std::string_view line) {
    write_line(prefix, line);
    if (hears) hears(line);
  };
  std::string pending;
  std::array<char, 16384> buffer{};
  while (true) {
    const ssize_t n = ::read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    pending.append(buffer.data(), static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = pending.find('\n', begin)) != std::string::npos;
         begin = end + 1)
      pass_on(std::string_view(pending).substr(begin, end - begin));
    pending.erase(0, begin);
    if (pending.size() > kMaxLine) pass_on(std::exchange(pending, {}));
  }
  if (!pending.empty()) pass_on(pending);
  ::close(from);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// After fork: only calls that are safe in a copy of a process with threads.
[[noreturn]] void become(const char* program, const char* folder, char* const* arguments,
                         char* const* environment, int output, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  if (::chdir(folder) == 0) ::execve(program, arguments, environment);
  static constexpr char kFailed[] = "cannot be executed\n";
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, kFailed, sizeof kFailed - 1);
  ::_exit(126);
}

}  // namespace

ChildProcess::~ChildProcess() {
  kill();
  reap();
}

Result<void> ChildProcess::start(const std::string& program,
                                 const std::vector<std::string>& environment, std::string prefix,
                                 Hears hears) {
  reap();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(ErrorCode::kInternal, fmt::format("pipe2: {}", std::strerror(errno)));
  const std::string folder = std::filesystem::path(program).parent_path().string();
  const std::vector<std::string> arguments = {program};
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0)
    become(program.c_str(), folder.empty() ? "." : folder.c_str(), argv.data(), envp.data(),
           ends[1], parent);
  const int why = errno;
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return fail(ErrorCode::kInternal, fmt::format("fork: {}", std::strerror(why)));
  }
  ::setpgid(pid, pid);
  pid_ = pid;
  pump_ = std::jthread(pump, ends[0], std::move(prefix), std::move(hears));
  return {};
}

std::optional<std::string> ChildProcess::ended() {
  int status = 0;
  if (pid_ <= 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  ::kill(-pid_, SIGKILL);  // what it left behind
  pid_ = -1;
  if (WIFSIGNALED(status)) return fmt::format("signal: {}", ::strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

void ChildProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
}

void ChildProcess::reap() {
  if (pid_ > 0) {
    kill();
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  if (pump_.joinable()) pump_.join();
}

}  // namespace trainwarden::localaws
