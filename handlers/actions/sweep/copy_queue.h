// The copies that a sweep makes of jobs that have ended (policy.md P7). Copies that were decided on
// at the job's end, or that AWS refused, are made in turn (rules/state/queue_order.h) as far as the
// hourly limit and the time allow. Of the other copies, which nothing decided on at the job's end,
// either all are made or, if they are more than limits.stops_per_sweep, none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "handlers/actions/handle/handle_job.h"
#include "handlers/rules/state/queue_order.h"

namespace trainwarden::actions {

// Since when each rule has been enforced, by its index in the policy.
using EnforcedSince = std::map<std::size_t, sys_seconds>;

class CopyQueue {
 public:
  // How the queue reports to the sweep.
  struct Hooks {
    std::function<void(Record record)> finish;
    std::function<void(std::string error)> note;
    std::function<void(const Error& error)> unread;          // an item of the table
    std::function<std::vector<aws::CallMade>()> take_calls;  // since last taken
  };

  CopyQueue(const ActivePolicy& rules, const Apis& apis, Hooks hooks)
      : rules_(rules), apis_(apis), hooks_(std::move(hooks)) {}

  // ids: of the table's items in which something is due. is_cut: there may be more of them.
  void expect(std::span<const std::string> ids, bool is_cut);

  // A considered job that has ended: adds its copy, or handles the job at once if it needs none.
  void look_at_ended(Considered considered, const EnforcedSince& enforced);
  // A job whose copy may be in the queue (queue_copy.h).
  void look_at_waiting(const std::string& job, const EnforcedSince& enforced);
  // Whether the queue handles this ended job, because its copy waits or may wait for its turn.
  bool sees_to(const std::string& job, const EnforcedSince& enforced);
  // A job with a pending copy that may be made now.
  void add_pending(ConsideredDue due);
  // No copy of the job is pending: its item was listed late, or for something else.
  void nothing_pending(const std::string& job) { pending_.erase(job); }

  bool empty() const { return queued_.empty() && new_.empty(); }
  std::size_t queued() const { return queued_.size(); }
  std::size_t new_ones() const { return new_names_.size(); }
  std::size_t failed() const { return failed_; }  // jobs of which it is unknown whether they count

  // Makes the queued copies in turn, then the new ones unless they are more than `limit`. is_time:
  // whether there is time for another copy. examples: how many jobs to name if the limit holds them
  // back. If the hourly limit holds a copy back, the other copies of its role are left to the next
  // sweep without another attempt.
  using IsTime = std::function<bool()>;
  struct Made {
    std::size_t unreached = 0;               // copies for which there was no time
    std::size_t held_back = 0;               // by `limit`: all of the new copies
    std::vector<std::string> examples = {};  // some of them, in the order of turns
    std::optional<Error> unclaimed = {};     // why the notice about it could not be claimed
  };
  Made make(std::int64_t limit, std::size_t examples, const IsTime& is_time);

 private:
  struct QueuedCopy {
    rules::WaitingCopy waiting;
    std::string item;      // the job's
    std::string machines;  // if AWS lacks them now, other jobs like it wait
    std::variant<ConsideredDue, Considered> work;
  };
  using QueuedCopies = std::vector<QueuedCopy>;

  static QueuedCopy queued_copy_of(const rules::TrainingJob& job,
                                   std::variant<ConsideredDue, Considered> work);
  void put_in_order(QueuedCopies& queue) const;
  bool is_worth_asking(const QueuedCopy& one) const;
  Record carry_out_one(QueuedCopy& one) const;
  std::size_t make_queued(const IsTime& is_time);
  void hold_new(std::int64_t limit, std::size_t examples, Made& made);

  const ActivePolicy& rules_;
  const Apis& apis_;
  Hooks hooks_;
  bool is_cut_ = false;  // the list of due items
  std::size_t failed_ = 0;
  std::set<std::string> waiting_;  // names of jobs in the queue
  std::set<std::string> pending_;  // names of jobs with a due item
  QueuedCopies queued_;
  QueuedCopies new_;
  std::set<std::string> new_names_;  // a set, since a job that just ended may be met twice
  std::set<std::string> held_;       // roles that the hourly limit holds back
};

}  // namespace trainwarden::actions
