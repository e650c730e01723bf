#include "tests/localaws/dynamodb/due_index.h"

#include <algorithm>
#include <utility>

namespace trainwarden::localaws {

void DueIndex::note(const std::string& id, std::optional<Keys> keys, sys_millis now) {
  coming_.push_back({now + lag_, id, std::move(keys)});
}

std::vector<DueEntry> DueIndex::entries(std::string_view due, sys_millis now) {
  for (; !coming_.empty() && coming_.front().visible <= now; coming_.pop_front()) {
    Change& change = coming_.front();
    if (change.keys)
      seen_.insert_or_assign(std::move(change.id), *std::move(change.keys));
    else
      seen_.erase(change.id);
  }
  std::vector<DueEntry> out;
  for (const auto& [id, keys] : seen_)
    if (keys.due == due) out.push_back({keys.since, id});
  std::sort(out.begin(), out.end());
  return out;
}

void DueIndex::clear() {
  coming_.clear();
  seen_.clear();
}

}  // namespace trainwarden::localaws
