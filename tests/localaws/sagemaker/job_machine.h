// The life of one training job, driven by a clock value: pure, so that a test can let a day pass at
// once. Which SecondaryStatus may follow which is a table (job_machine.cc); all else is refused.
//
//   Starting → Downloading → Training → Uploading → MaxRuntimeExceeded       by the clock
//   any of these → Stopping → Stopped                                        after stop()
//
// A transition that is due happens at the time it was due, however late step() is called. A job
// that was placed (control endpoint) does not move by itself, except to its end after stop().
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::localaws {

struct JobTiming {
  std::chrono::milliseconds starting{2000};
  std::chrono::milliseconds downloading{2000};
  std::chrono::milliseconds uploading{1000};
  std::chrono::milliseconds stopping{1000};
};

struct StatusTransition {
  std::string status;
  sys_millis start;
  std::optional<sys_millis> end;
  std::string message;
};

struct JobState {
  std::string status;     // TrainingJobStatus
  std::string secondary;  // SecondaryStatus
  std::string failure_reason;
  std::vector<StatusTransition> transitions;
  sys_millis created;
  sys_millis last_modified;
  std::optional<sys_millis> training_start;  // machines are there: billing begins
  std::optional<sys_millis> training_end;
};

// Whether TrainingJobStatus says that the job has ended.
bool ended(std::string_view status);
// The TrainingJobStatus that AWS documents for a SecondaryStatus; InProgress for unknown ones.
std::string_view status_of(std::string_view secondary);
bool transition_allowed(std::string_view from, std::string_view to);

class JobMachine {
 public:
  // A new job: InProgress, Starting.
  JobMachine(sys_millis now, std::chrono::seconds max_runtime, JobTiming timing = {});
  // A placed job, in whatever state it is said to be.
  JobMachine(JobState state, JobTiming timing);

  const JobState& state() const { return state_; }

  // When it moves by itself next; nullopt: not of its own accord.
  std::optional<sys_millis> next_step() const;
  // Makes the earliest transition that is due at now, if any; call until it says false.
  bool step(sys_millis now);
  // StopTrainingJob: false where the job is not InProgress.
  bool stop(sys_millis now);
  // A transition by name, checked against the table.
  Result<void> enter(std::string_view secondary, sys_millis at);

  struct Forced {
    std::string secondary;
    std::string status;          // empty: what AWS documents for secondary
    std::string failure_reason;  // empty: as it was
    std::string message;         // empty: AWS's usual one
  };
  // Any transition at all, also one that AWS never makes: for tests of what must survive that.
  void force(Forced forced, sys_millis at);

 private:
  struct Due {
    sys_millis at;
    std::string_view secondary;
  };
  std::optional<Due> due() const;
  void apply(Forced forced, sys_millis at);

  JobState state_;
  std::chrono::seconds max_runtime_;
  JobTiming timing_;
  bool by_clock_;         // moves on by itself
  bool stopped_ = false;  // stop() was called
};

}  // namespace trainwarden::localaws
