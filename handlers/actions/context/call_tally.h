// The calls of an invocation that makes many: a record of each would not fit its line.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "awsapi/client.h"
#include "runtime/json/json.h"

namespace trainwarden::actions {

// Calls of one operation, added up.
struct CallTally {
  std::string_view service;
  std::string_view operation;
  std::size_t calls = 0;
  std::size_t attempts = 0;
  std::size_t failed = 0;
};

void add_calls(std::vector<CallTally>& to, std::span<const aws::CallMade> calls);
// The member `calls`.
void write_calls(json::Sink& sink, std::span<const CallTally> calls);

}  // namespace trainwarden::actions
