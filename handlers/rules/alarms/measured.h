// What a confirmation measured (policy.md W4), or why it measured nothing, as data.
// measured_text.h writes it for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "handlers/rules/alarms/alarm_hosts.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/watch.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// One host's datapoints, or those of the algorithm.
struct HostMeasured {
  enum class Kind : std::uint8_t {
    kBreaches,
    kNoLonger,  // breaches: value, at
    kNoDatapoints,
    kNotRecent,         // at: the newest datapoint
    kTooFewDatapoints,  // breaching
    kTooFewPeriods,     // breaching, and missing, which breach too
    kFinalValue,        // at: DescribeTrainingJob's value, which is newer than the silence
    kSilentSince,       // at: when Training began
    kNeverHeard,
  };
  static constexpr Kind kLast = Kind::kNeverHeard;

  Kind kind = Kind::kNoDatapoints;
  std::int64_t host = 1;
  std::vector<double> values = {};  // that were counted, newest first
  std::int64_t breaching = 0;
  std::int64_t missing = 0;  // periods that breach by silence
  double value = 0;
  sys_seconds at = {};

  bool breaches() const { return kind == Kind::kBreaches; }
};

// The hosts that decided it: a few, and the number of all. None: the job never had a datapoint.
struct HostsMeasured {
  std::vector<HostMeasured> shown = {};
  std::size_t all = 0;
};

// Every host breaches, but all of them only in so many periods.
struct PeriodsTogether {
  std::int64_t periods = 0;
};

struct MeanMeasured {
  enum class Kind : std::uint8_t {
    kBreaches,
    kNoLonger,      // breaches: value, at
    kNoDatapoints,  // of any host
    kHostSilent,    // host, and maybe others
    kNoPeriod,      // in which it is known
    kNotRecent,     // at: the newest period
    kTooFewPeriods  // breaching
  };
  static constexpr Kind kLast = Kind::kTooFewPeriods;

  Kind kind = Kind::kNoDatapoints;
  std::int64_t hosts = 0;           // that have a part in it
  std::vector<double> values = {};  // of the periods that count, newest first
  std::int64_t breaching = 0;
  double value = 0;
  sys_seconds at = {};
  std::int64_t host = 0;
  bool others = false;
};

struct Measured {
  Watch watch;  // with the job's past, where it compares with that (W6)
  std::string job;
  AlarmHosts machines;
  std::variant<HostsMeasured, PeriodsTogether, MeanMeasured> found;
};

// The Reason: why nothing was measured.
using Measurement = std::variant<Reason, Measured>;

// What a record calls it, for programs (policy.md R1): the code of the Reason; "breaches"; or what
// speaks against that, of several hosts the first one's: "no-longer", "not-recent", …
std::string_view code(const Measurement& measurement);

}  // namespace trainwarden::rules
