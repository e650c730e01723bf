#include "runtime/lambda/prefault.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace trainwarden::lambda {
namespace {

constexpr std::uintptr_t kPage = 4096;  // where pages are larger, madvise() refuses, which is fine
constexpr std::uintptr_t kHeap = 14 * kPage;
constexpr std::uintptr_t kStack = 4 * kPage;

void populate(std::uintptr_t begin, std::uintptr_t end) {
  if (begin >= end) return;
  void* const at = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
  static_cast<void>(madvise(at, end - begin, MADV_POPULATE_WRITE));
}

}  // namespace

void prefault() {
  // The next page of the heap, after those that are in memory already.
  const auto next = std::make_unique<char>();
  const auto heap = reinterpret_cast<std::uintptr_t>(next.get()) / kPage * kPage + kPage;
  const auto heap_end = reinterpret_cast<std::uintptr_t>(sbrk(0)) / kPage * kPage;
  populate(heap, std::min(heap + kHeap, heap_end));
  // The stack grows downwards, and starts with room for more than this.
  const auto stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) / kPage * kPage;
  populate(stack - kStack, stack);
}

}  // namespace trainwarden::lambda
