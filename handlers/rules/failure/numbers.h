// What only numbers tell of a failure: which Xids a driver reported, whether memory that was free
// would have done, whether a limit is zero or merely used up.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "handlers/rules/failure/tables.h"

namespace trainwarden::rules {

// All take lower-case text; `at` is where a signature was found.

struct XidMeaning {
  std::size_t at;  // of the Xid that it rests on
  Rank rank;
  FailureLabel label;
  RunAgain resume;
};
// Whether a fault of a device explains another one, or a certain one a doubtful one.
inline bool outweighs(const XidMeaning& a, const XidMeaning& b) {
  return std::pair(a.rank, a.resume) < std::pair(b.rank, b.resume);
}
// What the weightiest of the NVIDIA driver's Xids in the line means. The lists follow
// https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html.
std::optional<XidMeaning> meaning_of_xids(std::string_view line);

// Whether running out of device memory may not repeat itself: enough was free and in pieces,
// another process held it, nothing of the model was there yet, or it came after long progress.
// message: from its line on; before: what was said right before it.
bool device_memory_may_do(std::string_view message, std::string_view before);

// Whether the text tells how much host memory was in use.
bool names_memory(std::string_view text);

// Whether what was asked for is within the limit that an account has, so that it is used up for
// now: "is 4 Instances, with current utilization of 4 Instances and a request delta of 1".
bool limit_is_used_up_now(std::string_view text, std::size_t at);

}  // namespace trainwarden::rules
