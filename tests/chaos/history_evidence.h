// What a history left behind, for the judge: the calls to AWS, the records and notices about them,
// and the true states of the jobs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/chaos/law.h"
#include "tests/chaos/story.h"

namespace trainwarden::chaos {

struct Invocation {
  std::string id;  // what it came from: "event job-1 Training 1", "sweep 3", and which try
  sys_millis began;
  sys_millis ended = {};
  bool sweep = false;
  bool died = false;
  std::string error = {};  // empty: it succeeded
};

// A call by a function that changed the world, or tried to.
struct Act {
  sys_millis at;
  std::size_t invocation;
  std::string operation;
  std::string job = {};     // of StopTrainingJob; the copy's of CreateTrainingJob
  std::string parent = {};  // of CreateTrainingJob
  std::string item = {};    // of PutItem
  bool done = false;        // the call had its effect
  bool denied = false;
  bool heard = false;  // the answer reached the function
};

// One action of a decision, from a record in the log.
struct Said {
  std::size_t invocation;
  std::string job;
  std::string rule;
  std::string action;  // "skipped", "dropped", "restart": what was begun earlier
  std::string result;
  std::string code;  // of the result, where there is one
};

struct Notice {
  sys_millis at;
  std::size_t invocation;
  std::string job;  // empty: of what operators are told
  std::string rule;
  std::string outcome;
};

struct Evidence {
  Story story;
  sys_millis start;
  sys_millis end;
  std::vector<Invocation> invocations;
  std::vector<Act> acts;
  std::vector<Said> said;
  std::vector<Notice> notices;
  std::map<std::string, Truth> jobs;
  std::map<std::string, std::vector<std::string>> alarms_of;  // in the end: job → alarms
  std::vector<std::string> due;                               // items that wait in the end
  std::vector<std::string> struck;                            // what the weather did
  std::vector<std::string> diary;                             // what happened, line by line
  std::size_t calls = 0;

  // Whether the invocation left a record about the job.
  bool has_record(std::size_t invocation, const std::string& job) const {
    return std::ranges::any_of(
        said, [&](const Said& one) { return one.invocation == invocation && one.job == job; });
  }
};

}  // namespace trainwarden::chaos
