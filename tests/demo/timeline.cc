#include "tests/demo/timeline.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/base/print.h"

namespace trainwarden::demo {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kOurs = "\x1b[32m";      // green
constexpr std::string_view kAlarming = "\x1b[33m";  // yellow
constexpr std::string_view kPlain = "\x1b[0m";

constexpr std::size_t kIndent = 29;  // where `what` begins
constexpr std::size_t kWidth = 80;   // of a detail

std::string_view colour_of(std::string_view who) {
  if (who == "trainwarden") return kOurs;
  return who == "CloudWatch" ? kAlarming : std::string_view();
}

}  // namespace

Timeline::Timeline() : colour_(isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr) {}

void Timeline::scene(std::string_view title, std::string_view about) {
  print(stdout, fmt::format("\n{}{}. {}{}\n   {}\n\n", paint(kBold), ++scenes_, title,
                            paint(kPlain), about));
  std::fflush(stdout);
}

void Timeline::tell(sys_millis at, std::string_view who, std::string_view what) const {
  print(stdout, fmt::format("   {}{}{}  {}{:<12}{}{}\n", paint(kDim), when(at), paint(kPlain),
                            paint(colour_of(who)), who, paint(kPlain), what));
  std::fflush(stdout);
}

void Timeline::tell(std::vector<Line> lines) const {
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.at < b.at; });
  for (const Line& line : lines) tell(line.at, line.who, line.what);
}

void Timeline::detail(std::string_view what) const {
  while (!what.empty()) {
    std::size_t end = what.size();
    if (end > kWidth) {
      end = what.rfind(' ', kWidth);
      if (end == std::string_view::npos) end = what.find(' ');
    }
    print(stdout, fmt::format("{:{}}{}{}{}\n", "", kIndent, paint(kDim), what.substr(0, end),
                              paint(kPlain)));
    what.remove_prefix(std::min(what.size(), end == std::string_view::npos ? end : end + 1));
  }
}

void Timeline::quote(std::string_view text) const {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    print(stdout, fmt::format("     {}|{} {}\n", paint(kDim), paint(kPlain), line));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
}

void Timeline::say(std::string_view sentence) const {
  print(stdout, fmt::format("\n   {}\n", sentence));
  std::fflush(stdout);
}

void Timeline::blank() const { print(stdout, "\n"); }

std::string when(sys_millis t) {
  static constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                            "Thu", "Fri", "Sat"};
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(t - day));
  return fmt::format("{} {:02}:{:02}:{:02}", kDays[std::chrono::weekday(day).c_encoding()],
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace trainwarden::demo
