#include "handlers/cli/terminal/console.h"

#include <fmt/core.h>

#include <csignal>

#include "handlers/cli/terminal/text.h"

namespace trainwarden::cli {
namespace {

// A global, since a signal handler has no other way to report.
volatile std::sig_atomic_t interrupted = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-*)

// Respects a signal that the parent process set to be ignored (nohup, a shell's background job).
bool is_heard(int signal) {
  struct sigaction before = {};
  return sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN;
}

bool listen() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  bool listening = false;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (is_heard(signal)) listening = sigaction(signal, &action, nullptr) == 0 || listening;
  return listening;
}

std::string duration(std::chrono::seconds elapsed) {
  const auto minutes = std::chrono::floor<std::chrono::minutes>(elapsed);
  if (minutes == std::chrono::minutes(0)) return fmt::format("{} s", elapsed.count());
  return fmt::format("{} min {} s", minutes.count(), (elapsed - minutes).count());
}

void put_text(std::FILE* to, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

}  // namespace

bool is_interrupted() {
  static const bool kListening = listen();
  return kListening && interrupted != 0;
}

void Console::say(std::string_view line) {
  clear();
  put_text(to_, printable(line) + '\n');
}

void Console::show(std::string_view job, std::string_view state, std::chrono::seconds elapsed) {
  const std::string about = fmt::format("{}, for {}", printable(state), duration(elapsed));
  const std::string line = fmt::format("{}: {}", printable(job), about);
  if (terminal_) {
    clear();
    put_text(to_, line.size() < kColumns ? line : about);  // one row, so that clear() can erase it
    shown_ = true;
    return;
  }
  if (said_at_ && said_ == state && elapsed - *said_at_ < kSayAgainAfter) return;
  said_ = state;
  said_at_ = elapsed;
  say(line);
}

void Console::clear() {
  if (shown_) put_text(to_, "\r\x1b[K");
  shown_ = false;
}

}  // namespace trainwarden::cli
