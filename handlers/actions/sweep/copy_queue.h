// The copies that a sweep makes of jobs that have ended (policy.md P7). What was decided on at the
// job's end, or what AWS refused, goes in turn (rules/state/queue_order.h), as far as the hour's
// limit and the time allow. Of what nobody decided on then, all or none, by limits.stops_per_sweep.
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

// Since when rules are enforced, by their places in the policy.
using EnforcedSince = std::map<std::size_t, sys_seconds>;

class CopyQueue {
 public:
  // What the sweep does with what comes of a job.
  struct Hooks {
    std::function<void(Record record)> finish;
    std::function<void(std::string error)> note;
    std::function<std::vector<aws::CallMade>()> take_calls;  // made since they were taken last
  };

  CopyQueue(const ActivePolicy& rules, const Apis& apis, Hooks hooks)
      : rules_(rules), apis_(apis), hooks_(std::move(hooks)) {}

  // ids: of the items in which something is due. is_cut: there may be more.
  void expect(std::span<const std::string> ids, bool is_cut);

  // A job that was considered, and has ended.
  void look_at_ended(Considered considered, const EnforcedSince& enforced);
  // A job whose copy may wait for its turn (queue_copy.h).
  void look_at_waiting(const std::string& job, const EnforcedSince& enforced);
  // Whether a job that is among the ended ones waits for its turn: then it is seen to as such.
  bool sees_to(const std::string& job, const EnforcedSince& enforced);
  // A job whose copy is owed and may be made now.
  void add_pending(ConsideredDue due);
  // The index was behind, or told of something else.
  void nothing_pending(const std::string& job) { pending_.erase(job); }

  bool empty() const { return queued_.empty() && new_.empty(); }
  std::size_t queued() const { return queued_.size(); }
  std::size_t new_ones() const { return new_names_.size(); }
  std::size_t failed() const { return failed_; }  // of which nobody knows whether they count

  // What waits, in turn, then the new ones, unless they are more than `limit`. is_time: whether
  // there is time for another one. examples: how many are named where the limit holds them back.
  // Where the hour's limit holds one back, the others of its role are left to the next sweep
  // unasked.
  using IsTime = std::function<bool()>;
  struct Made {
    std::size_t unreached = 0;               // for which there was no time
    std::size_t held_back = 0;               // by that limit: all of the new ones
    std::vector<std::string> examples = {};  // the first to end first
    std::optional<Error> untold = {};        // people were to hear of that, and it was not claimed
  };
  Made make(std::int64_t limit, std::size_t examples, const IsTime& is_time);

 private:
  struct QueuedCopy {
    rules::WaitingCopy place;
    std::string item;      // the job's
    std::string machines;  // what AWS lacks for one job, it is likely to lack for the next
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
  bool is_cut_ = false;  // the list of what is due
  std::size_t failed_ = 0;
  std::set<std::string> waiting_;  // names
  std::set<std::string> pending_;  // names
  QueuedCopies queued_;
  QueuedCopies new_;
  std::set<std::string> new_names_;  // one that ended just now may have been met twice
  std::set<std::string> held_;       // roles, by the hour's limit
};

}  // namespace trainwarden::actions
