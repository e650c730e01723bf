// The items in which something is due, as the table's index knows them. Only the sweep asks, and
// only the state function may.
#pragma once

#include <functional>
#include <string_view>

#include "handlers/actions/context/job.h"

namespace trainwarden::actions {

// In order of the time since which they are due. The index lags, so read the items that it names.
// An error is the call's own and not kStateUnavailable, since a list cut by time does not mean that
// the table is unreadable.
Result<void> each_due(const std::function<Result<bool>(std::string_view id)>& each,
                      const Apis& apis);

}  // namespace trainwarden::actions
