// Works off several lists within a shared time. The first pass gives each list its share, so that
// none uses up the time of those after it; the second pass takes up what was left of each list.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace trainwarden::actions {

class WorkQueue {
 public:
  // look: called with each item of the list, which must outlive the queue. kept: the part of the
  // time, in sixteenths, that is reserved for the lists after this one.
  template <class Item, class Look>
  void add(const std::vector<Item>& list, int kept, Look look) {
    rows_.push_back({.size = list.size(),
                     .kept = kept,
                     .look = [&list, look = std::move(look)](std::size_t i) { look(list[i]); }});
  }

  // left: gives the remaining time; no item is begun without any. Returns the number of items
  // begun.
  std::size_t work_off(const std::function<std::chrono::milliseconds()>& left);

 private:
  struct Row {
    std::size_t size = 0;
    int kept = 0;
    std::function<void(std::size_t)> look;
    std::size_t next = 0;
  };

  std::vector<Row> rows_;
};

}  // namespace trainwarden::actions
