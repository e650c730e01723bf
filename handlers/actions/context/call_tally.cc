#include "handlers/actions/context/call_tally.h"

#include <algorithm>

namespace trainwarden::actions {

void add_calls(std::vector<CallTally>& to, std::span<const aws::CallMade> calls) {
  for (const aws::CallMade& call : calls) {
    auto at = std::ranges::find_if(to, [&](const CallTally& tally) {
      return tally.service == call.service && tally.operation == call.operation;
    });
    if (at == to.end()) at = to.insert(at, {call.service, call.operation});
    ++at->calls;
    at->attempts += static_cast<std::size_t>(call.attempts);
    if (call.error) ++at->failed;
  }
}

void write_calls(json::Sink& sink, std::span<const CallTally> calls) {
  sink.key("calls").begin_array();
  for (const CallTally& tally : calls)
    sink.begin_object()
        .member("service", tally.service)
        .member("operation", tally.operation)
        .member("calls", tally.calls)
        .member("attempts", tally.attempts)
        .member("failed", tally.failed)
        .end_object();
  sink.end_array();
}

}  // namespace trainwarden::actions
