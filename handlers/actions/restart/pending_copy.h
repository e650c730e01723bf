// The pending copy of a restart, and its result. Callers include this header without gaining the
// permission to make copies (copy.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/rules/outcome/resume.h"

namespace trainwarden::actions {

struct PendingCopy {
  const std::string& id;        // the item's
  const rules::JobItem& item;   // as it was read last; what is written decides anew
  const JobSnapshot& original;  // read just before; Failed or Stopped
  // The rule that asks for it now; nullptr where it was asked for earlier.
  const rules::Decision* asked = nullptr;
  // Nothing is made: only whether an earlier delivery made it that could not write that down.
  bool only_find = false;
};

// What became of a copy, without an error.
struct Copied {
  enum class How : std::uint8_t {
    kMade,
    kAlready,
    kRefused,     // by a guard: what is owed ends
    kHeldBack,    // by the brake: it stays owed
    kNotPending,  // any more, or not yet: the item tells why
  };
  How how = How::kNotPending;
  std::string name = {};  // the copy's
  // There where it was refused or held back; of kMade: why it has other machines than asked for.
  std::optional<rules::Reason> reason = {};
  std::optional<rules::Resume> resume = {};  // what the copy goes on from
};

}  // namespace trainwarden::actions
