#include "runtime/lambda/prefault.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace trainwarden::lambda::prefault_test {

constexpr std::size_t kPage = 4096;

// Whether the page of an address is in memory.
bool is_resident(std::uintptr_t address) {
  unsigned char resident = 0;
  const std::uintptr_t page = address / kPage * kPage;
  void* const at = reinterpret_cast<void*>(page);  // NOLINT(performance-no-int-to-ptr)
  return mincore(at, kPage, &resident) == 0 && (resident & 1U) != 0;
}

// An emulator may take the advice and not follow it.
bool kernel_can() {
  void* const page =
      mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool can = madvise(page, kPage, MADV_POPULATE_WRITE) == 0 &&
                   is_resident(reinterpret_cast<std::uintptr_t>(page));
  munmap(page, kPage);
  return can;
}

TEST(Prefault, WhatTheHeapGivesNextIsThere) {
  if (!kernel_can()) GTEST_SKIP() << "the kernel is older than 5.14, or emulated";
  // As at the start of a program: the heap's end lies beyond what is used of it.
  const auto last = std::make_unique<char>();
  const auto next = reinterpret_cast<std::uintptr_t>(last.get()) + kPage;
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  if (next + kPage >= end || next + 16 * kPage < next) GTEST_SKIP() << "the heap has no room left";
  prefault();
  EXPECT_TRUE(is_resident(next));
}

TEST(Prefault, TheStackBelowIsThere) {
  if (!kernel_can()) GTEST_SKIP() << "the kernel is older than 5.14, or emulated";
  prefault();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  EXPECT_TRUE(is_resident(here - 2 * kPage));
}

TEST(Prefault, WhatIsThereStaysAsItIs) {
  const auto text = std::make_unique<std::array<char, 4 * kPage>>();
  text->fill('t');
  prefault();
  EXPECT_EQ(text->front(), 't');
  EXPECT_EQ(text->back(), 't');
}

}  // namespace trainwarden::lambda::prefault_test
