// The `trainwarden` command.
#include <fmt/core.h>

#include <cstdio>
#include <span>
#include <string_view>

#include "handlers/cli/check.h"
#include "handlers/cli/match.h"

namespace {

constexpr const char* kUsage =
    "usage: trainwarden <command>\n"
    "  check POLICY   tell all mistakes of a policy file (- reads standard input);\n"
    "                 exit status 0: sound, 1: mistakes, 2: not readable\n"
    "  match          say of each line {\"pattern\": ..., \"event\": ...} of standard input "
    "whether\n"
    "                 the pattern is valid and matches, as EventBridge would\n"
    "  help           this text\n";

void print(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const std::string_view command = arguments.size() > 1 ? arguments[1] : "";
  if (command == "help" || command == "--help" || command == "-h") {
    print(stdout, kUsage);
    return 0;
  }
  if (command == "check" && arguments.size() == 3) {
    const auto printed = trainwarden::cli::check(arguments[2]);
    print(stdout, printed.output);
    print(stderr, printed.error);
    return printed.status;
  }
  if (command == "match" && arguments.size() == 2)
    return trainwarden::cli::match_lines(stdin, stdout, stderr);
  if (!command.empty() && command != "check" && command != "match")
    print(stderr, fmt::format("trainwarden: expected a command, found `{}`\n", command));
  print(stderr, kUsage);
  return 2;
}
