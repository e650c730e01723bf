#include "handlers/actions/sweep/work_queue.h"

#include <algorithm>

namespace trainwarden::actions {

using std::chrono::milliseconds;

std::size_t WorkQueue::work_off(const std::function<milliseconds()>& left) {
  constexpr int kParts = 16;
  std::size_t begun = 0;
  const auto go_on = [&](Row& row, milliseconds for_others) {
    for (; row.next < row.size && left() > for_others; ++row.next) {
      ++begun;
      row.look(row.next);
    }
  };
  const milliseconds time = std::max(left(), milliseconds(0));
  for (Row& row : rows_) go_on(row, time * row.kept / kParts);
  for (Row& row : rows_) go_on(row, milliseconds(0));
  return begun;
}

}  // namespace trainwarden::actions
