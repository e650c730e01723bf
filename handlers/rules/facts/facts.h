// What patterns match: the fact groups of one job, derived from one snapshot of its sources at one
// instant. A group is known when its sources are known. Three members of the group `job` are known
// early, from the event. DescribeTrainingJob's answer replaces that whole group, even if it
// contradicts a late event. Members of `event` that the event lacks are unavailable, since they
// cannot be fetched. A null fact counts as missing (F2). Points into the Sources and the prices,
// which must outlive it unchanged; a group is derived when it is first asked for.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/failure/diagnose.h"
#include "handlers/rules/job/prices.h"
#include "handlers/rules/patterns/fields.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

class Facts {
 public:
  Facts(const Sources& sources, const Prices* prices, sys_seconds now,
        std::span<const OwnSignature> failures);

  sys_seconds now() const { return now_; }
  // See Sources::provisional.
  bool provisional() const { return sources_->provisional(); }

  // Whether the whole group is known. Facts from the event come from early().
  bool knows(Group group) const {
    return knows_[static_cast<std::size_t>(group)] && (!may_be_untold(group) || is_told(group));
  }
  // The missing sources of the group; empty if the group is known.
  SourceSet lacking(Group group) const;
  // Its leaves; only where knows(group).
  const Fields& fields(Group group) const;
  // The fact from the event; nullopt if the event lacks it.
  const std::optional<Scalar>& early(Early fact) const {
    return early_[static_cast<std::size_t>(fact)];
  }

  bool knows(Source source) const { return known_.contains(source); }
  // Why a source is unavailable; null if it is unknown or known. kPrices is unavailable if a
  // machine of the job has no price, kGpus if its type is not known, kMachines, kLauncher and
  // kCheckpoint if nothing that is known tells them and there are members that are not known; the
  // error names what is missing. kEvent is unavailable, for its own group, if the event has no
  // account or region.
  const Error* unavailable(Source source) const;
  // Whether that leaf is only an upper bound: the cost of a spot job without a spot_factor, and the
  // machines of a job of which AWS has not selected one of its preferences.
  bool is_upper_bound(Group group, std::string_view path) const;

  // The facts as they will be for each machine that AWS may still select; empty if the machines are
  // settled. An exemption must hold for all of them.
  std::vector<Facts> of_each_preference() const;

  // How long the job has been training in its current segment; nullopt if Describe is not known, or
  // says that the job does not train. Its logs cannot have been silent for longer.
  std::optional<std::chrono::seconds> trains_for() const;

  // Describe's CreationTime; nullopt where Describe is not known or has none that can be read.
  std::optional<sys_seconds> creation_time() const;

 private:
  struct Found {
    Diagnosed how;
    Diagnosis diagnosis;
  };
  struct Derived {
    std::optional<json::Document> document;  // none where the leaves are a source's own
    Fields fields;
  };
  // What Describe does not tell in a way that is known, and what the policy has no price for.
  struct Untold {
    std::optional<Error> machines;
    std::optional<Error> gpus;
    std::optional<Error> prices;
    bool machines_open = false;  // Search's record lacks what would tell them
  };
  // Only where Describe is known.
  const Found& diagnosed() const;
  const Untold& untold() const;
  Untold find_untold() const;
  const std::optional<Error>& launcher_untold() const;
  const std::optional<Error>& checkpoint_untold() const;
  const TrainingJob* described() const { return selected_ ? &*selected_ : sources_->job(); }
  // Of kNeverFetched, and of the checkpoint of a job without one.
  bool is_told(Source source) const;
  // Whether Describe tells what the group rests on, where some of it may not be told.
  bool is_told(Group group) const;
  static constexpr bool may_be_untold(Group group) {
    switch (group) {
      case Group::kMachines:
      case Group::kGpus:
      case Group::kAccelerator:
      case Group::kCost:
      case Group::kPoolCost:
      case Group::kDiagnosis:
      case Group::kLauncher:
      case Group::kCheckpoint:
        return true;
      default:
        return false;
    }
  }

  const Sources* sources_;
  const Prices* prices_;
  std::span<const OwnSignature> failures_;
  sys_seconds now_;
  SourceSet known_;  // without kNeverFetched
  std::optional<Error> untold_event_;
  std::array<bool, kGroupCount> knows_{};  // whether the group's fetched sources are all known
  std::array<std::optional<Scalar>, kEarlyCount> early_;
  std::optional<TrainingJob> selected_;  // with one of its preferences, which has that index
  std::size_t preference_ = 0;
  mutable std::optional<Found> diagnosed_;
  mutable std::optional<Untold> untold_;
  mutable std::optional<std::optional<Error>> launcher_untold_;
  mutable std::optional<std::optional<Error>> checkpoint_untold_;
  mutable std::array<std::optional<Derived>, kGroupCount> derived_;
};

// Without a policy's prices, and so without cost facts.
Facts facts_from(const Sources& sources, sys_seconds now);
// failures: a policy's own signatures, before ours.
Facts facts_from(const Sources& sources, const Prices& prices, sys_seconds now,
                 std::span<const OwnSignature> failures = {});

}  // namespace trainwarden::rules
