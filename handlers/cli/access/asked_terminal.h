// The terminal while another program may ask a person on it, as `aws` does for an MFA code.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <termios.h>

#include <optional>

namespace trainwarden::cli {

// Notes how the terminal is set, and puts that back at its end: a program that is killed while it
// asks leaves the terminal without echo. Signals that would end this process (Ctrl-C) wait until
// then.
class AskedTerminal {
 public:
  AskedTerminal();
  AskedTerminal(const AskedTerminal&) = delete;
  AskedTerminal& operator=(const AskedTerminal&) = delete;
  ~AskedTerminal();

  // Whether the program or one that it started holds the terminal: then it waits for a person.
  bool is_held_by(pid_t program) const;
  // Whether a signal waits that will end this process.
  bool is_ending() const;

 private:
  int terminal_;
  std::optional<termios> before_;
  sigset_t ending_;
  sigset_t blocked_before_{};
};

}  // namespace trainwarden::cli
