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
  std::optional<seconds> owner_lost_after = {};
  std::optional<seconds> works_after = {};       // after it was idle
  std::optional<seconds> idle_again_after = {};  // after that
  std::string role = "SomeRole";
  int tags = 0;  // beside the others
  int tag_size = 0;
  bool wide_tags = false;                     // of three bytes a character
  std::optional<seconds> stop_at_after = {};  // of its tag
  int parameters = 0;                         // as large as they may be
  bool endless_log = false;                   // each page of it has another one
  bool lacks_memory = false;                  // as the log of its failure says
  seconds keep_alive{0};                      // of its warm pool
  std::optional<seconds> writes_until = {};   // checkpoints
  bool of_tuner = false;                      // a tuning job launched it
  bool cost_center = false;                   // the tag
};

// Shares of all that could be struck. Those of events and messages; those of calls.
struct Rates {
  double lost = 0, late = 0, doubled = 0;
  double dies = 0, throttled = 0, broken = 0, denied = 0, cut = 0, slow = 0, lags = 0;
};

// The policy is another one from then on.
struct Edit {
  seconds at{0};
  Law law = {};
};

// So many jobs start at once, and nothing goes wrong with any call.
struct Burst {
  seconds at{0};
  int jobs = 0;
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
  bool grown = false;            // it has more than the stories of small seeds
  std::vector<Edit> edits = {};  // in their order, while the weather lasts
  std::optional<Burst> burst = {};
  std::optional<seconds> weekly = {};  // when the report is to be sent
  milliseconds clock_error{900};       // of the functions' clocks
  std::size_t page_limit = 0;          // of more jobs a page of Search is too large; 0: of none
  seconds end{32 * 3600};
};

// Seeds below this tell stories as they were told when faults were named by them.
inline constexpr std::uint64_t kGrown = 1'000'000;

// The policy as it is for a function that begins then.
Law law_at(const Story& story, milliseconds since_start);
// All policies that there were by then.
std::vector<Law> laws_until(const Story& story, milliseconds since_start);

// How long the weather lasts. After that nothing fails, and sweeps come on time.
inline constexpr std::chrono::minutes kWeather{120};
// How far a function's idea of AWS's clock may be off: less than whole seconds tell.
inline constexpr milliseconds kClockError{900};
// Tags and descriptions may be as old as this.
inline constexpr seconds kMostLag{12};

Story draw(std::uint64_t seed);
// For people, line by line.
std::string to_text(const Story& story);
std::string clock_text(milliseconds since_start);

}  // namespace trainwarden::chaos
