#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <stdexcept>

namespace trainwarden::terminate_test {
namespace {

void end_with(const std::function<void()>& throwing) noexcept { throwing(); }

TEST(TerminateTest, SaysWhatWasThrown) {
  EXPECT_DEATH(end_with([] { throw std::runtime_error("the reason"); }),
               "^terminate called after throwing St13runtime_error: the reason\n");
  EXPECT_DEATH(end_with([] { throw 7; }), "^terminate called after throwing i\n");
  EXPECT_DEATH(std::terminate(), "^terminate called\n");
}

}  // namespace
}  // namespace trainwarden::terminate_test
