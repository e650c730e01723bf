// How many entries the pages of a list are asked to hold: half as many where a page was larger than
// the client takes, and more again after some that were not. So a few large entries do not make the
// rest of a long list slow.
#pragma once

#include <algorithm>

namespace trainwarden::aws {

class PageSize {
 public:
  explicit PageSize(int full) : full_(full), now_(full) {}

  int now() const { return now_; }
  bool is_full() const { return now_ == full_; }
  // A page was too large. False where it held a single entry.
  bool halve() {
    in_order_ = 0;
    if (now_ == 1) return false;
    now_ /= 2;
    return true;
  }
  void stay_at(int size) { now_ = size; }
  void page_was_taken() {
    if (is_full() || ++in_order_ < kBeforeMore) return;
    in_order_ = 0;
    now_ = std::min(full_, now_ * 2);
  }

 private:
  static constexpr int kBeforeMore = 4;
  int full_;
  int now_;
  int in_order_ = 0;
};

}  // namespace trainwarden::aws
