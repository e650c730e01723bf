// A semaphore of one. libstdc++'s own may sleep for ever although it was released
// (https://gcc.gnu.org/bugzilla/show_bug.cgi?id=98033 and 104928): a test that runs thousands of
// threads then hangs once in a while.
#pragma once

#include <condition_variable>
#include <mutex>

namespace trainwarden::testing {

class BinarySemaphore {
 public:
  // Waits until it has been released, and takes that back.
  void acquire() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return released_; });
    released_ = false;
  }
  void release() {
    // While it is locked, so that whoever acquires it may destroy it.
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false;
};

}  // namespace trainwarden::testing
