// Faults on demand: what is to go wrong with the next calls of an operation. Each fault names its
// operation ("*": any), how often it strikes, whom, and one or more effects. Deliveries of events
// and messages to the functions are the operation kDeliver, which "*" does not mean.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::localaws {

inline constexpr std::string_view kDeliver = "Deliver";

struct Fault {
  std::string operation = "*";
  std::string caller = "any";  // any, functions, clients, or a function's name
  std::int64_t times = 1;
  int status = 0;  // 0: the call is carried out
  std::string code;
  std::string message;
  std::chrono::milliseconds delay{0};
  bool cut = false;              // carried out, but the answer breaks off
  std::chrono::seconds skew{0};  // AWS's clock is ahead by this
  bool duplicate = false;        // of a delivery: it comes twice
  std::string kill;              // "before" or "after" the call: the function's process dies
};

// kInvalidInput names the member that is wrong; unknown members are errors.
Result<Fault> parse_fault(json::Value value);

class Faults {
 public:
  void add(Fault fault) { faults_.push_back(std::move(fault)); }
  // The first that is meant for this call; it is used up by one. function is empty for other
  // clients.
  std::optional<Fault> strike(std::string_view operation, std::string_view function);
  void clear() { faults_.clear(); }
  std::size_t size() const { return faults_.size(); }

 private:
  std::vector<Fault> faults_;
};

}  // namespace trainwarden::localaws
