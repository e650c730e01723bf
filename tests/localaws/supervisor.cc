#include "tests/localaws/supervisor.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace trainwarden::localaws {
namespace {

using std::chrono::milliseconds;

// After the n-th bad start: 100 ms, 200 ms … at most 2 s. A process that did its work is replaced
// at once.
milliseconds pause_after(int bad_starts) {
  if (bad_starts == 0) return milliseconds(0);
  return std::min(milliseconds(2000), milliseconds(100) * (1 << std::min(bad_starts - 1, 5)));
}

bool never_ready(const RuntimeApi& api) {
  return api.state() == RuntimeApi::State::kStarted || api.state() == RuntimeApi::State::kInitError;
}

}  // namespace

void log_line(std::string_view text) { fmt::print(stderr, "localaws: {}\n", text); }

Supervisor::Supervisor(Function& function, ProcessSpec spec)
    : function_(function), spec_(std::move(spec)) {}

bool Supervisor::tick(sys_millis now) {
  if (function_.given_up()) return false;
  bool changed = false;
  if (function_.time_out(now)) {
    log_line(fmt::format("[{}] timed out: its process is killed", function_.name()));
    process_.kill();
    bad_starts_ = 0;
    changed = true;
  }
  if (const auto how = process_.ended()) {
    ended(*how, now);
    changed = true;
  }
  if (!process_.running() && !function_.given_up() && now >= start_at_) {
    start(now);
    changed = true;
  }
  return changed;
}

void Supervisor::start(sys_millis now) {
  ++starts_;
  if (auto started =
          process_.start(spec_.program, spec_.environment, fmt::format("[{}] ", function_.name()));
      !started) {
    log_line(started.error().message);
    ended("not started", now);
  }
}

void Supervisor::ended(const std::string& how, sys_millis now) {
  bad_starts_ = never_ready(function_.api()) ? bad_starts_ + 1 : 0;
  function_.exited(how, now);
  start_at_ = now + pause_after(bad_starts_);
  if (bad_starts_ < kMaxBadStarts) {
    log_line(fmt::format("[{}] exited ({}); it is started again", function_.name(), how));
    return;
  }
  log_line(
      fmt::format("[{}] exited ({}) {} times in a row before it asked for an invocation: given "
                  "up. Its events become dead letters.",
                  function_.name(), how, bad_starts_));
  function_.give_up();
}

}  // namespace trainwarden::localaws
