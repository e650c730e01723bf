// Time from fork to the first byte of the first `next`, for each program given, beside a floor: a C
// program that does nothing else. Runs take turns, so that noise meets all alike; medians are
// shown, and the CPU time that each process took for it.
//
// usage: start_bench RUNS FLOOR PROGRAM...
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

struct Sample {
  double wall_ms;
  double cpu_ms;
};

double millis(const timeval& t) {
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
}

int listen_on_loopback(unsigned short& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd, generic, size) != 0 || listen(fd, 4) != 0 || getsockname(fd, generic, &size) != 0)
    std::abort();
  port = ntohs(address.sin_port);
  return fd;
}

Sample measure(int listener, const std::string& program) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    execl(program.c_str(), program.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  char byte = 0;
  if (connection < 0 || recv(connection, &byte, 1, 0) != 1) std::abort();
  const auto end = std::chrono::steady_clock::now();
  kill(child, SIGKILL);
  close(connection);
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  return {std::chrono::duration<double, std::milli>(end - begin).count(),
          millis(used.ru_utime) + millis(used.ru_stime)};
}

template <class Member>
double median(std::vector<Sample> samples, Member member) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle, {}, member);
  return std::invoke(member, *middle);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: start_bench RUNS FLOOR PROGRAM...\n", stderr);
    return 2;
  }
  const int runs = std::atoi(argv[1]);
  const std::vector<std::string> programs(argv + 2, argv + argc);
  unsigned short port = 0;
  const int listener = listen_on_loopback(port);
  setenv("AWS_LAMBDA_RUNTIME_API", fmt::format("127.0.0.1:{}", port).c_str(), 1);
  setenv("AWS_REGION", "eu-central-1", 1);
  setenv("AWS_ACCESS_KEY_ID", "test", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "test", 1);
  setenv("TRAINWARDEN_ALARM_TOPIC", "arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms", 1);

  std::vector<std::vector<Sample>> samples(programs.size());
  for (int run = -1; run < runs; ++run)  // the first one warms the page cache
    for (std::size_t i = 0; i < programs.size(); ++i)
      if (const Sample sample = measure(listener, programs[i]); run >= 0)
        samples[i].push_back(sample);

  const double floor = median(samples[0], &Sample::wall_ms);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const double wall = median(samples[i], &Sample::wall_ms);
    const std::string name =
        i == 0 ? "floor (C, raw socket)" : programs[i].substr(programs[i].rfind("bin/") + 4);
    fmt::print("  {:<24} {:6.2f} ms  {:4.2f} x floor   CPU {:5.2f} ms\n", name, wall, wall / floor,
               median(samples[i], &Sample::cpu_ms));
  }
  return 0;
}
