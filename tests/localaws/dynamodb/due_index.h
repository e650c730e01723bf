// The table's one index, `due`: the items that have both `due` and `since`, with their keys only.
// It lags behind: what was written is seen after a while.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/time.h"
#include "tests/localaws/dynamodb/decimal.h"

namespace trainwarden::localaws {

// In the order in which a query gives them: by `since`; the order of equal ones is anybody's guess.
struct DueEntry {
  Decimal since;
  std::string id;

  auto operator<=>(const DueEntry& other) const = default;
};

class DueIndex {
 public:
  struct Keys {
    std::string due;
    Decimal since;
  };

  explicit DueIndex(std::chrono::milliseconds lag) : lag_(lag) {}

  // What a write made of an item; nullopt: it has no place here.
  void note(const std::string& id, std::optional<Keys> keys, sys_millis now);
  // Sorted.
  std::vector<DueEntry> entries(std::string_view due, sys_millis now);
  void clear();

 private:
  struct Change {
    sys_millis visible;
    std::string id;
    std::optional<Keys> keys;
  };

  std::chrono::milliseconds lag_;
  std::deque<Change> coming_;  // oldest first
  std::map<std::string, Keys, std::less<>> seen_;
};

}  // namespace trainwarden::localaws
