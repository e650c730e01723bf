// What comes from outside is shown in a terminal, and never obeyed.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

#include "handlers/cli/check/check_command.h"
#include "handlers/cli/terminal/console.h"
#include "handlers/cli/terminal/text.h"

namespace trainwarden::cli::terminal_test {
namespace {

constexpr std::string_view kHostile = "\x1b[31mred\x07\u009B1m\u202Egnp\nnew line\r\u2066";
constexpr std::string_view kShown =
    "\\u001B[31mred\\u0007\\u009B1m\\u202Egnp\\u000Anew line\\u000D\\u2066";

std::string written(const std::function<void(Console&)>& tell, bool terminal) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  {
    Console console(file.get(), terminal, [] { return false; });
    tell(console);
  }
  std::rewind(file.get());
  std::array<char, 4096> text{};
  return {text.data(), std::fread(text.data(), 1, text.size(), file.get())};
}

TEST(Terminal, ALineOfTheConsoleIsOneLine) {
  EXPECT_EQ(written([](Console& console) { console.say(kHostile); }, false),
            std::string(kShown) + "\n");
}

TEST(Terminal, WhatIsGoingOnIsShownToo) {
  const auto show = [](Console& console) {
    console.show(kHostile, "Training", std::chrono::seconds(5));
    console.show("job", kHostile, std::chrono::seconds(6));
  };
  const std::string plain = written(show, false);
  EXPECT_EQ(plain, std::string(kShown) + ": Training, for 5 s\njob: " + std::string(kShown) +
                       ", for 6 s\n");
  // On a terminal the only sequence is the one that takes a line away.
  std::string on_terminal = written(show, true);
  for (std::size_t at = 0; (at = on_terminal.find("\r\x1b[K")) != std::string::npos;)
    on_terminal.erase(at, 4);
  for (const char c : on_terminal) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
}

TEST(Terminal, LinesOfOursStayAndTheRestIsShown) {
  EXPECT_EQ(printable_lines("one\ntwo\x1b[2J\n\nthree\u202E"),
            "one\ntwo\\u001B[2J\n\nthree\\u202E\n");
  EXPECT_EQ(printable_lines(""), "");
  EXPECT_EQ(printable_lines("straße 東京 \U0001F600\n"), "straße 東京 \U0001F600\n");
}

TEST(Terminal, TheNameOfAFileIsShown) {
  const Printed printed = check({.path = "/nowhere/\x1b[31m.json"});
  EXPECT_EQ(printed.status, 2);
  EXPECT_EQ((printed.output + printed.error).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace trainwarden::cli::terminal_test
