// The policies of the chaos test: rules of a small vocabulary, written as a policy file, and judged
// by a second, much simpler evaluator on what truly happened. It shares no code with the product.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/time.h"

namespace trainwarden::chaos {

enum class Breach {
  kNoOwner,      // in progress without the tag `owner`
  kMachine,      // in progress on a machine of that type
  kMachines,     // in progress on more than so many machines
  kCost,         // in progress, and may cost more than so many USD
  kLong,         // in progress, and has trained for more than so many seconds
  kFailed,       // failed by AWS's fault: run again
  kInterrupted,  // interrupted for at least the nth time: moved to on-demand machines
  kIdle,         // its GPUs have been idle for a quarter of an hour, as an alarm says
  kSilent,       // no metrics of its GPUs arrived for as long, although its CPUs' did
  kExpired,      // in progress, and the time in its tag `stop-at` has come
  kStale,        // trains, and its newest checkpoint is older than so many seconds
  kTuner,        // in progress without the tag `cost_center`: what launched it is stopped
  kPool,         // has ended, and its warm pool stands idle for half an hour: it is released
  kMemory,       // failed for want of memory, as its log says: people are told
};
inline constexpr int kBreaches = 14;
inline constexpr int kFirstBreaches = 9;  // of the stories that a seed below kGrown tells
const char* name(Breach breach);
// Of two modes.
const std::string& weaker(const std::string& a, const std::string& b);

struct Rule {
  Breach breach = Breach::kNoOwner;
  std::string mode = {};  // its own; empty: none
  bool notify = true;
  bool spares = false;  // unless the tag `spare` is "yes"
  long number = 0;
  std::string type = {};
  long limit = 3;  // of a restart
  long grace = 0;  // seconds; 0: the stop is not announced

  bool restarts() const { return breach == Breach::kFailed || breach == Breach::kInterrupted; }
  bool stops() const { return !restarts() && breach != Breach::kPool && breach != Breach::kMemory; }
  bool watches() const { return breach == Breach::kIdle || breach == Breach::kSilent; }
  std::string rule_name() const { return chaos::name(breach); }
  std::string to_json() const;
};

struct Law {
  std::string mode = "enforce";
  std::string ceiling = "enforce";  // TRAINWARDEN_MODE
  std::vector<Rule> rules;          // each breach at most once
  long stops_per_sweep = 5;
  long stops_per_hour = 20;
  long silent_stops_per_hour = 3;
  long restarts_per_hour = 20;

  // The effective mode: the weakest.
  std::string mode_of(const Rule& rule) const;
  bool enforces(const Rule& rule) const { return mode_of(rule) == "enforce"; }
  const Rule* find(Breach breach) const;
  bool watches() const;
  std::string to_json() const;
};

inline constexpr std::chrono::seconds kPeriod{300};  // of a watch
inline constexpr int kPeriods = 3;
inline constexpr std::chrono::seconds kWarmUp{600};
inline constexpr std::chrono::seconds kPoolIdles{1800};
// On demand, by the hour. Other machines have no price.
std::optional<double> usd_per_hour(const std::string& type);
long gpus_of(const std::string& type);

// The true history of one job.
struct Truth {
  struct Step {
    sys_millis at;
    std::string secondary;
    std::string status;
  };
  struct Tagging {
    sys_millis at;
    std::string key;
    bool there = true;  // false: it is taken away
  };
  struct Idleness {
    sys_millis from;
    sys_millis to;
  };
  std::string name;
  std::string type;
  int count = 1;
  bool spot = false;
  std::string checkpoint;  // empty: none
  std::chrono::seconds max_runtime{0};
  std::vector<Step> steps;  // oldest first; the first is its creation
  std::string failure_reason;
  std::vector<Tagging> tagged;                 // in their order
  std::vector<Idleness> idle = {};             // when its GPUs do nothing
  std::optional<sys_millis> silent_from = {};  // no metric of them arrives
  std::vector<sys_millis> heard = {};          // periods of which a metric of them arrived
  std::optional<sys_millis> stopped_by_hand = {};
  bool of_person = true;  // not a copy
  std::string role = {};
  std::string tuner = {};                  // that launched it; empty: none
  std::optional<sys_millis> stop_at = {};  // of its tag
  std::vector<sys_millis> written = {};    // objects below its checkpoint, oldest first
  bool lacks_memory = false;               // its log says so
  std::chrono::seconds keep_alive{0};      // 0: it leaves no warm pool
  std::string pool = {};                   // what became of it in the end

  sys_millis created() const { return steps.front().at; }
  const Step* at(sys_millis time) const;  // null before its creation
  bool lives(sys_millis time) const;
  std::optional<sys_millis> ended() const;
  bool has_tag(const std::string& key, sys_millis time) const;
};

// Whether the rule's match was true at that time, to a second.
bool holds(const Rule& rule, const Truth& job, sys_millis time);
// Whether it was at any time from the one to the other.
bool held(const Rule& rule, const Truth& job, sys_millis from, sys_millis to);

}  // namespace trainwarden::chaos
