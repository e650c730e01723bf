// What the words of one line of a failure's text amount to, whatever row of the table they fit:
// whether it tells of a failure at all, only warns, guesses, quotes or shows settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "handlers/rules/failure/line_words.h"

namespace trainwarden::rules {

// All take lower-case text, and the words of the line (line_words.h).

// What is tried again may well have gone well, and a warning is no failure.
bool tells_less(std::string_view line, LineWords words);
// Whether a tool complains that a shell script calls to look around or to clean up: nothing ends by
// that.
bool of_a_shell_s_tools(std::string_view line);
// Whether a connection that was closed was one to S3, as the words around it tell: the calls that
// led to it stand before it, its endpoint behind it.
bool storage_hung_up(std::string_view text, std::size_t line);
// What a shell says of a process that somebody ended: `Killed` alone or after a colon, and
// `Terminated` or `Hangup` alone.
enum class ShellWord : std::uint8_t { kNone, kKilled, kTerminated };
ShellWord shell_word(std::string_view line);
bool on_this_host(LineWords words);
// Whether words name a device, a driver, a service or an address: things outside of a program.
bool names_the_outside(std::string_view words);
// Whether the line that begins there is an item of a list of guesses: "This usually is caused by:",
// then lines that begin with `*` or `-`.
bool guessed_in_a_list(std::string_view text, std::size_t line);
// How the message of an exception names what stands in it.
enum class Named : std::uint8_t { kNot, kQuoted, kCompared, kAsValue };
// Whether a message only names what follows, in quotes or after a colon: "unknown event
// 'preempted'", "unsupported class: ecc error", "simulated preemption"; or compares it. before:
// from the colon that the message begins with; after: what goes on there; openers: what quotes
// begin behind.
Named named_by(std::string_view before, std::string_view after, std::string_view openers);
// Whether a word at an offset of a line stands in code: in a statement, or in what is raised.
bool in_code(std::string_view line, std::size_t at, LineWords words);
// Whether the line is a frame of a traceback, whose code is in the next one.
bool is_frame(std::string_view line);
// Whether a line says that what it tells is no failure.
bool harmless(LineWords words);
// Whether what goes on there is only what may happen: `the instance may be `; in a clause of its
// own it is told: `the host may be down: `.
bool only_possible(std::string_view before);
// Whether a check found nothing of what stands at the offset: `check_xid: PASS (no Xid 79 found)`.
bool passes_a_check(std::string_view line, std::size_t at);
// Whether a line is of a check that found nothing of what stands at the offset, or counts none of
// it: `uncorrectable ECC errors: PASS`, `[OK] Xid 79`, `0 uncorrectable ECC errors`.
bool shows_that_all_is_well(std::string_view line, std::size_t at);
// What a toolkit prints of its settings: names that mean failure elsewhere.
bool settings(std::string_view line, LineWords words);
// Where the command line begins that a shell shows behind what became of it: "run.sh: line 18: 2324
// Aborted (core dumped) train --data a"; npos where it shows none.
std::size_t command_in(std::string_view line);
// The command line that a line quotes: `Command '['python', 'train.py', …]' returned non-zero exit
// status 1.`, `['python', 'train.py', …] exits with return code = 1`. It happened to nobody.
struct QuotedCommand {
  std::size_t begin = 0;  // behind the words or the bracket that it begins with
  std::size_t end = 0;
  bool hold(std::size_t at) const { return begin <= at && at < end; }
};
QuotedCommand quoted_command_in(std::string_view line);
// Whether a line tells of a failure, so that a word in it hints at what failed; code that a
// traceback quotes does not.
bool announces_failure(LineWords words);
// Whether the word at an offset of a line is one of a sentence, not a piece of a path or of a name.
bool plain_word(std::string_view line, std::size_t at);

}  // namespace trainwarden::rules
