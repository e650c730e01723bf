#include "handlers/rules/facts/silence.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace trainwarden::rules {
namespace {

// Lines arrive some minutes late, and a program may pause for about as long.
constexpr std::chrono::minutes kShortSilence{10};

bool is_lower_bound(const Test& test) {
  return test.kind == Test::Kind::kNumeric && std::isfinite(test.low) &&
         test.high == std::numeric_limits<double>::infinity();
}

}  // namespace

void review_silence(const Test& test, const JsonPath& where, Diagnostics& diagnostics) {
  const double most = std::chrono::duration<double>(kLongestSilence).count();
  if (!is_lower_bound(test)) {
    diagnostics.error(where,
                      "silence is known as a lower bound only: expected "
                      "`{\"numeric\": [\">=\", seconds]}` or `[\">\", seconds]`");
    return;
  }
  if (test.low < 1 || test.low > most) {
    diagnostics.error(where, fmt::format("expected 1 to {} seconds of silence, since a log group "
                                         "may keep its events for a day only, found {}",
                                         most, test.low));
    return;
  }
  if (std::chrono::duration<double>(test.low) < kShortSilence)
    diagnostics.warning(where, fmt::format("lines arrive some minutes late: expected {} seconds of "
                                           "silence or more, found {}",
                                           std::chrono::seconds(kShortSilence).count(), test.low));
}

std::chrono::seconds silence_asked(const Test& test) {
  const double least = test.open_low ? std::floor(test.low) + 1 : std::ceil(test.low);
  return std::chrono::seconds(static_cast<std::int64_t>(least));
}

bool is_writing(json::Value silence) {
  const auto seconds = silence.find(kSilentSeconds);
  return seconds && seconds->is_number() && seconds->as_number() == 0;
}

}  // namespace trainwarden::rules
