// A small world in which two functions, a person, another job, the training job itself and the
// clock do what they do in any order: SageMaker, the table's item of one job, and who has been
// told. A function may die before each of its steps, each write's answer may be lost, and each
// write may lose the race. What the item becomes is left to the product's transitions, or to a
// form of them that a test puts in their place.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/state/begin_steps.h"
#include "handlers/rules/state/end_steps.h"
#include "handlers/rules/state/notice_claims.h"
#include "tests/handlers/rules/interleavings/explorer.h"

namespace trainwarden::rules::test {

inline constexpr sys_seconds kEpoch{std::chrono::seconds(1'783'000'000)};
inline sys_seconds at(int seconds) { return kEpoch + std::chrono::seconds(seconds); }

// The transitions that are explored, and the habits of the functions that use them.
struct Forms {
  std::function<Step<JobItem, StopDecision>(JobItem, const StopOrder&, sys_seconds)> begin_stop =
      rules::begin_stop;
  std::function<JobItem(JobItem, std::string_view, Closed, sys_seconds)> restart_not_done =
      rules::restart_not_done;
  std::function<Settlement(const JobItem&, const ObservedJob&, sys_seconds)> settle = rules::settle;
  std::function<Step<JobItem, CopyDecision>(JobItem, std::string_view, const ObservedJob&,
                                            sys_seconds)>
      claim_copy = rules::claim_copy;
  std::function<CopyDecision(const JobItem&, const ObservedJob&, sys_seconds)> may_create =
      rules::may_create;
  std::function<Step<JobItem, NoticeDecision>(JobItem, std::string_view, std::string_view,
                                              std::string_view, sys_seconds)>
      claim_notice = rules::claim_notice;
  bool knows_own_writes = true;      // a repeat of a write whose answer was lost
  bool guards_before_create = true;  // once more, directly before it
  bool tells_with_closing = true;    // the claim of the notice in the write that closes
};

enum class Stopper { kNobody, kRestart, kForGood, kPerson };

// What a function is there for.
enum class Program { kNone, kRestart, kStop, kEnd };

// Where a function stands. What it does to the item is two steps: read, and write on condition.
enum class Pc {
  kLook,
  kBeginRestart,
  kStopForRestart,
  kRestartAccepted,
  kRestartNotDone,
  kRestartDenied,
  kBeginStop,
  kStopForGood,
  kStopAccepted,
  kStopRefused,
  kSettle,
  kOrder,
  kClose,
  kGuards,
  kWriteCopyItem,
  kClaimCopy,
  kMayCreate,
  kCreate,
  kMade,
  kOwedNotices,
  kClaimNotice,
  kPublish,
  kNoticeDone,
  kOver,
};

enum class Phase { kRead, kWrite };

struct Function {
  Program program = Program::kNone;
  int id = 0;  // the request's
  Pc pc = Pc::kLook;
  Phase phase = Phase::kRead;
  int item = 0;      // what was read
  int v = 0;         // with which version
  int read_at = 0;   // and when
  int lost_v = 0;    // of a write whose answer was lost; 0: of none
  int decision = 0;  // that went with it
  int losses = 0;    // of answers, so far
  Closed why = Closed::kThrottled;
  bool copied = false;  // which of the two notices is being told
  int claimed_at = 0;   // the notice
  bool dead = false;

  bool lives() const { return program != Program::kNone && !dead && pc != Pc::kOver; }
};

struct World {
  int now = 0;
  ObservedJob::Status status = ObservedJob::Status::kRuns;
  int stopping = -1;
  int ended = -1;
  Stopper stopper = Stopper::kNobody;
  bool stopped_for_good = false;  // the service took it
  bool other_lives = false;       // another job on the checkpoint
  bool copy_lives = false;
  bool copied_by_hand = false;
  int copied_at = -1;
  bool was_lost = false;  // a function died, or was so slow, that it may have left a stop open
  std::array<int, 2> published = {};     // of "refused" and "restarted"
  std::array<int, 2> killed_after = {};  // between publishing and done
  int item = 0;                          // an index of Items
  int v = 0;
  int by = 0;
  bool copy_item = false;
  std::size_t jumps = 0;  // of the clock so far
  std::array<Function, 2> functions = {};
  std::string wrong = {};

  std::string key() const;
};

// Items by number, so that a World is small and quickly compared.
class Items {
 public:
  Items() { number(JobItem()); }
  int number(const JobItem& item);
  const JobItem& operator[](int number) const { return items_[static_cast<std::size_t>(number)]; }

 private:
  std::vector<JobItem> items_;
  std::map<std::string, int> numbers_;
};

struct Scenario {
  Forms forms = {};
  std::array<Program, 2> programs = {};
  std::vector<int> jumps = {};  // of the clock, in this order, each at any moment or never
  bool person_stops = false;
  bool person_copies = false;
  bool other_starts = false;
  bool job_fails = false;        // of itself, while it runs
  bool rule_on_failure = false;  // asks for a copy of a job that failed
  int most_losses = 1;           // of answers to writes, for each function
  bool deaths = true;
};

inline constexpr std::string_view kCopyName = "train-1-r1-0123456a";
inline constexpr std::array<std::string_view, 2> kKeys = {"refused", "restarted"};

inline std::string World::key() const {
  std::string out;
  const auto add = [&](auto... numbers) { (add_to_key(out, numbers), ...); };
  add(now, status, stopping, ended, stopper, stopped_for_good, other_lives, copy_lives,
      copied_by_hand, copied_at, was_lost, published[0], published[1], killed_after[0],
      killed_after[1], item, v, by, copy_item, jumps);
  for (const Function& f : functions)
    add(f.pc, f.phase, f.item, f.v, f.read_at, f.lost_v, f.decision, f.losses, f.why, f.copied,
        f.claimed_at, f.dead);
  return out + wrong;
}

inline int Items::number(const JobItem& item) {
  const std::string text = json::to_text(job_attributes("x", item, kEpoch).value().root());
  const auto [found, is_new] = numbers_.try_emplace(text, static_cast<int>(items_.size()));
  if (is_new) items_.push_back(item);
  return found->second;
}

}  // namespace trainwarden::rules::test
