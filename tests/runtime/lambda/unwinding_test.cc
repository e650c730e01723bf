// What the standard library throws inside of a layer that is compiled without exceptions still
// arrives at the loop.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "runtime/json/utf8.h"
#include "runtime/lambda/loop.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace {

std::size_t too_large = 0;  // where not zero

}  // namespace

// The program's own, so that it can fail.
void* operator new(std::size_t size) {
  void* const memory = too_large != 0 && size >= too_large ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace trainwarden::lambda::unwinding_test {
namespace {

TEST(Unwinding, AnAllocationThatFailsIsTheInvocationsError) {
  testing::ManualClock clock(sys_millis(std::chrono::milliseconds(1783000213000)));
  testing::ScriptedTransport transport;
  Log log(LogFormat::kJson, Level::kFatal, 2, clock);
  for (const char* id : {"r-1", "r-2"}) {
    transport.expect("GET http://rt/invocation/next", 200, "{}",
                     {{"Lambda-Runtime-Aws-Request-Id", id}});
    transport.expect(std::string("POST http://rt/invocation/") + id +
                         (*(id + 2) == '1' ? "/error" : "/response"),
                     202);
  }
  transport.expect("GET http://rt/invocation/next", 500);
  int calls = 0;
  lambda::run({{"http://rt/"}, transport, clock, log}, [&](const Context&) -> Result<std::string> {
    if (++calls == 2) return "{}";
    constexpr std::size_t kLarge = std::size_t{1} << 20U;
    const std::string text = std::string(2 * kLarge, 'x') + '\xff';
    too_large = kLarge;
    struct Allow {
      ~Allow() { too_large = 0; }
    } allow;
    return json::mend_utf8(text);  // wants a copy, and gets none
  });
  EXPECT_EQ(calls, 2);
  ASSERT_GE(transport.sent.size(), 2U);
  EXPECT_NE(transport.sent.at(1).body.find("bad_alloc"), std::string::npos)
      << transport.sent.at(1).body;
}

}  // namespace
}  // namespace trainwarden::lambda::unwinding_test
