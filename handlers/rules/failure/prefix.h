// What transports and loggers put before what a process says: ranks and hosts
// (`[1,mpirank:3,algo-2]<stderr>:`, `(RayTrainWorker pid=…)`, `[rank3]:`), times, levels and
// progress bars. A prefix tells who speaks and how loudly, and nothing of what happened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "handlers/rules/failure/level.h"

namespace trainwarden::rules {

struct Prefix {
  std::size_t length = 0;     // what follows it is what was said
  std::uint32_t process = 0;  // the same number for the same speaker; 0 where nobody is named
  Level level = Level::kNone;
  bool timed = false;     // a time was told: a logger speaks
  bool kernel = false;    // the time since boot: the kernel speaks
  bool indented = false;  // what was said begins with two blanks or more
  bool quoted = false;    // a quote follows what was said
};

// line: without terminal colours and line breaks.
Prefix prefix_of(std::string_view line);

}  // namespace trainwarden::rules
