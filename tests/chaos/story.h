// The story of a seed: a policy, the jobs that people start and their fates, sweeps, and the rates
// of failures. Plain data, so that parts can be removed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/chaos/dice.h"
#include "tests/chaos/law.h"

namespace trainwarden::chaos {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Turn {
  seconds after;  // the job's creation
  std::string secondary;
  std::string reason = {};
};

struct JobStory {
  std::string name;
  seconds at{0};  // since the history's beginning
  std::string type = "ml.g5.12xlarge";
  int count = 1;
  bool spot = false;
  std::string checkpoint = {};              // empty: none
  std::optional<seconds> owner_after = {};  // when it is tagged with an owner; 0: from the start
  bool spare = false;
  long max_runtime = 86400;
  std::vector<Turn> turns = {};
  std::optional<seconds> idle_after = {};
  std::optional<seconds> silent_after = {};
  std::optional<seconds> stopped_by_hand_after = {};
  std::optional<seconds> deleted_after = {};  // if it has ended by then
};

// Shares of all that could be struck. Those of events and messages; those of calls.
struct Rates {
  double lost = 0, late = 0, doubled = 0;
  double dies = 0, throttled = 0, broken = 0, denied = 0, cut = 0, slow = 0, lags = 0;
};

// The kill switch: for a while TRAINWARDEN_MODE is weaker.
struct Held {
  seconds from{0};
  seconds to{0};
  std::string mode;
};

struct Story {
  std::uint64_t seed = 0;
  Law law = {};
  std::vector<JobStory> jobs = {};
  std::vector<seconds> sweeps = {};  // while the weather lasts
  Rates rates = {};
  seconds search_lag{0};
  seconds index_lag{0};
  int attempts = 1;         // of a call, by the client
  bool no_metrics = false;  // for an hour of it
  std::optional<Held> held = {};
};

// The policy as it is for a function that begins then.
Law law_at(const Story& story, milliseconds since_start);

// How long the weather lasts. After that nothing fails, and sweeps come on time.
inline constexpr std::chrono::minutes kWeather{120};
inline constexpr std::chrono::hours kEnd{32};
// How far a function's clock may be from AWS's: too little to notice in whole seconds.
inline constexpr milliseconds kClockError{900};
// Tags and descriptions may be as old as this.
inline constexpr seconds kMostLag{12};

Story draw(std::uint64_t seed);
// For people, line by line.
std::string to_text(const Story& story);
std::string clock_text(milliseconds since_start);

}  // namespace trainwarden::chaos
