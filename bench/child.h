// What start_bench and warm_bench share: a listener on loopback, a program that is told of it, and
// what that has used.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace trainwarden::bench {

using Clock = std::chrono::steady_clock;

inline double millis(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

[[noreturn]] inline void give_up(const std::string& why) {
  fmt::print(stderr, "bench: {}\n", why);
  std::exit(1);  // NOLINT(concurrency-mt-unsafe): there is one thread
}

// Listens on a free port of loopback, and sets the environment of the programs to come.
inline int listen_as_runtime_api() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd, generic, size) != 0 || listen(fd, 16) != 0 || getsockname(fd, generic, &size) != 0)
    give_up(fmt::format("cannot listen on loopback: {}", std::strerror(errno)));
  setenv("AWS_LAMBDA_RUNTIME_API", fmt::format("127.0.0.1:{}", ntohs(address.sin_port)).c_str(), 1);
  return fd;
}

inline void wait_for_input(int fd, const char* program) {
  pollfd waiting{fd, POLLIN, 0};
  if (poll(&waiting, 1, 20'000) != 1)
    give_up(fmt::format("{} has sent nothing for 20 s: run it by hand to see why", program));
}

// vfork: what it costs does not grow with us. `arguments` ends with a null pointer.
inline pid_t start(char* const* arguments) {
  const pid_t child = vfork();
  if (child == 0) {
    execvp(arguments[0], arguments);
    _exit(127);
  }
  return child;
}

// The most memory that a living process has held, in KB.
inline long peak_kb(pid_t process) {
  std::FILE* const file = std::fopen(fmt::format("/proc/{}/status", process).c_str(), "re");
  if (file == nullptr) return 0;
  char line[256];
  long kb = 0;
  while (std::fgets(line, sizeof line, file) != nullptr)
    if (std::strncmp(line, "VmHWM:", 6) == 0) kb = std::strtol(line + 6, nullptr, 10);
  std::fclose(file);
  return kb;
}

// Ends a program; what it has used.
inline rusage end(pid_t process) {
  kill(process, SIGKILL);
  int status = 0;
  rusage used{};
  wait4(process, &status, 0, &used);
  return used;
}

inline double cpu_ms(const rusage& used) {
  const auto millis = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return millis(used.ru_utime) + millis(used.ru_stime);
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace trainwarden::bench
