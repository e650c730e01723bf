// How long AWS's lists may take within an invocation, and whether one was cut by its time: a list
// that was cut says which part it lacks, a list that failed says nothing.
#pragma once

#include <chrono>

#include "runtime/base/error.h"
#include "runtime/base/time.h"

namespace trainwarden::actions {

// In parts of the time: how much must be left for a list to begin another page, and when a page in
// flight is given up.
struct ListTime {
  int last_page;
  int end;
};

// A call that fails this close to its deadline was cut by it.
inline constexpr std::chrono::milliseconds kCutByDeadline{250};

// True if the time ran out; false if the service failed.
inline bool ran_out_of_time(const Error& error, Deadline until, const Clock& clock) {
  return error.code == ErrorCode::kDeadline ||
         (error.code == ErrorCode::kTimeout && until.left(clock.steady_now()) < kCutByDeadline);
}

}  // namespace trainwarden::actions
