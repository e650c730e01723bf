// The witnesses of a silence (policy.md W4). A metric that does not arrive proves nothing by
// itself: the job may hang, or its path to CloudWatch may be broken, for this job or for all. So
// other data on the same path must have arrived during that time. Pure.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/time.h"

namespace trainwarden::rules {

struct Datapoint {
  sys_seconds time;  // of the period's begin
  double value;
};
// By host: that of algo-1 is the first.
using HostData = std::vector<std::vector<Datapoint>>;

// SageMaker's agent puts both for every machine.
inline constexpr std::array<std::string_view, 2> kHostWitnesses = {"CPUUtilization",
                                                                   "MemoryUtilization"};

// What came beside the watched metric, in the same answer.
struct Witnesses {
  HostData hosts = {};                     // other metrics of each machine
  std::vector<Datapoint> own = {};         // other metrics of the job's algorithm
  std::vector<Datapoint> algorithms = {};  // metrics of any job's algorithm
};

struct Silence {
  sys_seconds begin;
  sys_seconds end;
};

// Whether datapoints of such periods are spread over the silence: there is one, and none of the
// gaps before, between and after them is longer than half of it (or five minutes). One datapoint at
// the edge is not enough: an outage that begins or ends in the silence leaves that too.
bool covers(std::vector<Datapoint> witness, std::chrono::seconds period, const Silence& silence);

// A text that every line contains in which this expression finds something; empty where there is
// none, or none that can be told for sure (alternatives, flags).
std::string literal_of(std::string_view expression);

// What the job's own log says of the time of the silence.
enum class LogFinding : std::uint8_t {
  kSilent,      // no line
  kOtherLines,  // lines, and none that could have held the metric
  kMayHoldIt,   // a line that may have, or more lines than were read
};

}  // namespace trainwarden::rules
