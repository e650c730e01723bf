// From exec to the first byte of the first `next`. Programs take turns, so that noise meets all
// alike.
//
// usage: start_bench RESULT RUNS PROGRAM [ARGUMENT]... [-- PROGRAM [ARGUMENT]...]...
//
// Writes a line of JSON for each program to the file RESULT: wall and CPU time (exec, page faults
// and exit included) in ms, page faults, and the most memory in KB: medians, and the least wall
// time.
#include <span>
#include <string_view>

#include "bench/child.h"

namespace trainwarden::bench {
namespace {

struct Program {
  std::vector<char*> arguments;
  std::vector<double> wall, cpu, faults, memory;
};

void measure(int listener, Program& program, bool counts) {
  const auto begin = Clock::now();
  const pid_t child = start(program.arguments.data());
  wait_for_input(listener, program.arguments[0]);
  const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  char bytes[4096];
  if (connection < 0 || recv(connection, bytes, sizeof bytes, 0) < 1)
    give_up(fmt::format("{} has not asked for an event", program.arguments[0]));
  const auto wall = Clock::now() - begin;
  const long memory = peak_kb(child);
  const rusage used = end(child);
  close(connection);
  if (!counts) return;
  program.wall.push_back(millis(wall));
  program.cpu.push_back(cpu_ms(used));
  program.faults.push_back(static_cast<double>(used.ru_minflt));
  program.memory.push_back(static_cast<double>(memory));
}

std::vector<Program> programs_from(std::span<char*> arguments) {
  std::vector<Program> out(1);
  for (char* argument : arguments) {
    if (std::string_view(argument) == "--")
      out.emplace_back();
    else
      out.back().arguments.push_back(argument);
  }
  for (Program& program : out) {
    if (program.arguments.empty()) give_up("expected a program on both sides of `--`");
    program.arguments.push_back(nullptr);
  }
  return out;
}

int run(std::span<char*> arguments) {
  const int runs = std::atoi(arguments[2]);
  std::vector<Program> programs = programs_from(arguments.subspan(3));
  const int listener = listen_as_runtime_api();
  for (int turn = -1; turn < runs; ++turn)  // the first one warms the page cache
    for (Program& program : programs) measure(listener, program, turn >= 0);

  std::FILE* const result = std::fopen(arguments[1], "we");
  if (result == nullptr) give_up(fmt::format("cannot write {}", arguments[1]));
  for (const Program& program : programs)
    fmt::print(result,
               R"({{"wall_ms": {:.3f}, "least_ms": {:.3f}, "cpu_ms": {:.3f}, "faults": {:.0f}, )"
               R"("peak_kb": {:.0f}}})"
               "\n",
               median(program.wall), std::ranges::min(program.wall), median(program.cpu),
               median(program.faults), median(program.memory));
  return std::fclose(result) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace trainwarden::bench

int main(int argc, char** argv) {
  if (argc < 4 || std::atoi(argv[2]) < 1) {
    std::fputs("usage: start_bench RESULT RUNS PROGRAM [ARGUMENT]... [-- PROGRAM ...]...\n",
               stderr);
    return 2;
  }
  return trainwarden::bench::run({argv, static_cast<std::size_t>(argc)});
}
