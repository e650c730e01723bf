// Lists that share a time: each in its turn and none at the cost of those after it, then what was
// left of each. One row a list.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace trainwarden::actions {

class WorkQueue {
 public:
  // look gets each item of the list, which must last. kept: what is left to the lists after this
  // one, in sixteenths of the time.
  template <class Item, class Look>
  void add(const std::vector<Item>& list, int kept, Look look) {
    rows_.push_back({.size = list.size(),
                     .kept = kept,
                     .look = [&list, look = std::move(look)](std::size_t i) { look(list[i]); }});
  }

  // left: the time that is left; with none, no item is begun. Gives the number of those that were.
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
