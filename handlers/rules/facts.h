// What patterns match: the fact groups of one job, derived from one snapshot of its sources at one
// instant. A group is known when its source is; of the group `job` three members are known early,
// from the event. When DescribeTrainingJob has answered, it replaces that group whole, also where
// it contradicts a late event. A null fact is a missing one (F2). Points into the Sources, which
// must outlive it unchanged; groups are flattened when first asked for.
#pragma once

#include <array>
#include <optional>

#include "handlers/rules/fields.h"
#include "handlers/rules/groups.h"
#include "handlers/rules/source.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

class Facts {
 public:
  Facts(const Sources& sources, sys_seconds now);

  sys_seconds now() const { return now_; }

  // Whether the whole of the group is known. What the event tells is always asked for by early().
  bool knows(Group group) const {
    return group != Group::kEvent && known_.contains(source_of(group));
  }
  // Its leaves; only where knows(group).
  const Fields& fields(Group group) const;
  // What the event tells; nullopt where it does not.
  const std::optional<Scalar>& early(Early fact) const {
    return early_[static_cast<std::size_t>(fact)];
  }

  bool knows(Source source) const { return known_.contains(source); }
  // Why a source is unavailable; null where it is unknown or known.
  const Error* unavailable(Source source) const { return sources_->unavailable(source); }

  // Describe's CreationTime; nullopt where Describe is not known or has none that can be read.
  std::optional<sys_seconds> creation_time() const;

 private:
  const Sources* sources_;
  sys_seconds now_;
  SourceSet known_;
  std::array<std::optional<Scalar>, kEarlyCount> early_;
  mutable std::array<std::optional<Fields>, kGroupCount> fields_;
};

// A time as AWS writes it (F2): epoch seconds or milliseconds, as a number or as digits, or RFC
// 3339.
std::optional<sys_seconds> read_time(json::Value value);

Facts facts_from(const Sources& sources, sys_seconds now);

}  // namespace trainwarden::rules
