#include "handlers/actions/sweep/work_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trainwarden::actions::work_queue_test {
namespace {

using std::chrono::milliseconds;

// Lists of letters, each of which takes a millisecond.
class WorkQueueTest : public ::testing::Test {
 protected:
  void add(const std::vector<std::string>& list, int kept) {
    queue_.add(list, kept, [this](const std::string& item) {
      seen_ += item;
      left_ -= milliseconds(1);
    });
  }
  std::size_t work_off(int time) {
    left_ = milliseconds(time);
    return queue_.work_off([this] { return left_; });
  }

  WorkQueue queue_;
  milliseconds left_{};
  std::string seen_;
};

TEST_F(WorkQueueTest, S1_ListsAreWorkedOffInTheirTurn) {
  const std::vector<std::string> first{"a", "b"};
  const std::vector<std::string> second{"c"};
  const std::vector<std::string> none;
  add(first, 8);
  add(none, 4);
  add(second, 0);
  EXPECT_EQ(work_off(100), 3U);
  EXPECT_EQ(seen_, "abc");
}

TEST_F(WorkQueueTest, S1_AListLeavesTheOthersTheirTimeAndTakesWhatTheyLeft) {
  const std::vector<std::string> longest{"a", "b", "c", "d", "e", "f", "g", "h"};
  const std::vector<std::string> short_one{"x"};
  add(longest, 8);  // half of the time
  add(short_one, 0);
  EXPECT_EQ(work_off(6), 6U);
  EXPECT_EQ(seen_, "abcxde");
}

TEST_F(WorkQueueTest, S1_WithoutTimeNothingIsBegun) {
  const std::vector<std::string> list{"a"};
  add(list, 0);
  EXPECT_EQ(work_off(0), 0U);
  EXPECT_EQ(work_off(-5), 0U);
  EXPECT_EQ(seen_, "");
}

}  // namespace
}  // namespace trainwarden::actions::work_queue_test
