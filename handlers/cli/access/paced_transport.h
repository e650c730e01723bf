// Sends no more than five requests a second to one service, so that a long command leaves an
// account's quotas to others. Retries and further pages count too.
#pragma once

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/time.h"
#include "runtime/http/transport.h"

namespace trainwarden::cli {

class PacedTransport final : public http::Transport {
 public:
  // Both must outlive this object.
  PacedTransport(http::Transport& inner, Clock& clock) : inner_(inner), clock_(clock) {}

  // Sends the requests one after the other, each when its slot comes.
  std::vector<Result<http::Response>> send(std::span<const http::Request> requests,
                                           Deadline deadline) override;

 private:
  void wait_for_slot(const std::string& service);

  http::Transport& inner_;
  Clock& clock_;
  std::map<std::string, Deadline::Clock::time_point, std::less<>> next_;
};

// The service that a request is signed for; empty if it is not signed.
std::string_view signed_for(const http::Request& request);

}  // namespace trainwarden::cli
