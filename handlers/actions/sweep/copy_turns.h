// The copies that a sweep makes of jobs that have ended (policy.md P7). What was decided on at the
// job's end, or what AWS refused, goes in turn (rules/state/turns.h), as far as the hour's limit
// and the time allow. Of what nobody decided on then, all or none, by limits.stops_per_sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "handlers/actions/handle/handle_job.h"
#include "handlers/rules/state/turn_item.h"
#include "handlers/rules/state/turns.h"

namespace trainwarden::actions {

// Since when rules are enforced, by their places in the policy.
using EnforcedSince = std::map<std::size_t, sys_seconds>;

// Whether a rule's restart of the job, which has ended, would come to a copy now.
Result<bool> would_copy_of(const Considered& considered, const EnforcedSince& enforced,
                           const Apis& apis);

// Whether a restart is asked for that has waited for its turn.
bool asks_for_turn(const Considered& considered, const rules::TurnItem& item,
                   const rules::Policy& policy);

class CopyTurns {
 public:
  CopyTurns(const ActivePolicy& rules, const Apis& apis) : rules_(rules), apis_(apis) {}

  // ids: of the items in which something is due.
  void expect(std::span<const std::string> ids);
  // Whether the job's copy waits for its turn, or may be owed: then it is made in its turn, and
  // whoever comes across the job otherwise leaves it alone.
  bool waits(const std::string& job) const { return waiting_.contains(job); }
  bool may_be_owed(const std::string& job) const { return owed_.contains(job); }
  // What the index still told, and is so no more.
  void owes_nothing(const std::string& job) { owed_.erase(job); }
  void waits_no_more(std::string_view job) { waiting_.erase(std::string(job)); }

  // Jobs that Describe says have ended, and whose copies may be made now.
  void add_owed(ConsideredDue due);
  void add_waiting(Considered considered);
  void add_new(Considered considered);

  bool empty() const { return turns_.empty() && new_.empty(); }
  std::size_t in_turn() const { return turns_.size(); }
  std::size_t new_ones() const { return new_names_.size(); }
  // What waits, in turn, then the new ones, unless they are more than `limit`. is_time: whether
  // there is time for another one. examples: how many are named where the limit holds them back.
  // Where the hour's limit holds one back, the others of its role are left to the next sweep
  // unasked.
  using IsTime = std::function<bool()>;
  using Finish = std::function<void(Record record)>;
  struct Made {
    std::size_t unreached = 0;               // for which there was no time
    std::size_t held_back = 0;               // by that limit: all of the new ones
    std::vector<std::string> examples = {};  // the first to end first
  };
  Made make(std::int64_t limit, std::size_t examples, const IsTime& is_time, const Finish& finish);

 private:
  struct Turn {
    rules::WaitingCopy place;
    std::string item;      // the job's
    std::string machines;  // what AWS lacks for one job, it is likely to lack for the next
    std::variant<ConsideredDue, Considered> work;
  };
  using Turns = std::vector<Turn>;

  static Turn turn_of(const rules::TrainingJob& job, std::variant<ConsideredDue, Considered> work);
  void put_in_order(Turns& turns) const;
  bool is_worth_asking(const Turn& turn) const;
  Record carry_out_turn(Turn& turn) const;
  std::size_t make_in_turn(const IsTime& is_time, const Finish& finish);
  void hold_new(std::int64_t limit, std::size_t examples, Made& made);

  const ActivePolicy& rules_;
  const Apis& apis_;
  std::set<std::string> waiting_;  // names
  std::set<std::string> owed_;     // names
  Turns turns_;
  Turns new_;
  std::set<std::string> new_names_;  // one that ended just now may have been met twice
  std::set<std::string> held_;       // roles, by the hour's limit
};

}  // namespace trainwarden::actions
