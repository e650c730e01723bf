// The seeds of every target: whole, cut off anywhere, and with every byte spoilt. What libFuzzer
// has found once becomes a seed.
#include <gtest/gtest.h>

#include <string>

#include "runtime/json/json.h"
#include "tests/fuzz/large.h"
#include "tests/fuzz/targets.h"
#include "tests/support/files.h"

namespace trainwarden::fuzz::fuzz_test {
namespace {

// Zero, a letter, what JSON is made of, and a byte that is no UTF-8.
constexpr std::string_view kSpoilt("\0a\"{}[],:9-\\\n\xff", 14);

void replay(const std::string& name, void (*target)(std::string_view)) {
  const auto seeds = testing::files_in("tests/fuzz/seeds/" + name);
  EXPECT_FALSE(seeds.empty());
  for (const auto& seed : seeds) {
    std::string text = testing::read_text(seed);
    target(text);
    // Big ones at some places only, so that the test takes a second.
    const std::size_t step = 1 + text.size() / 400;
    for (std::size_t at = 0; at < text.size(); at += step) {
      target(std::string_view(text).substr(0, at));
      target(std::string_view(text).substr(at));
      const char was = text[at];
      text[at] = kSpoilt[at / step % kSpoilt.size()];
      target(text);
      text[at] = was;
    }
  }
}

// A megabyte, whole, cut off in the middle and spoilt there.
void replay_large(const std::string& name, void (*target)(std::string_view)) {
  std::string text = large_input(name);
  EXPECT_GT(text.size(), 1'000'000U);
  target(text);
  target(std::string_view(text).substr(0, text.size() / 2));
  text[text.size() / 2] = '\0';
  target(text);
}

TEST(Seeds, ALargeInputIsWhatItsTargetTakes) {
  for (const char* name : {"json", "policy", "state_event", "alarm_event", "job"}) {
    const auto parsed = json::Document::parse(large_input(name));
    EXPECT_TRUE(parsed) << name << ": " << parsed.error().message;
  }
}

TEST(Large, Json) { replay_large("json", json); }
TEST(Large, Policy) { replay_large("policy", policy); }
TEST(Large, StateEvent) { replay_large("state_event", state_event); }
TEST(Large, AlarmEvent) { replay_large("alarm_event", alarm_event); }
TEST(Large, Diagnose) { replay_large("diagnose", diagnose); }
TEST(Large, Job) { replay_large("job", job); }
TEST(Large, HttpResponse) { replay_large("http_response", http_response); }

TEST(Seeds, Json) { replay("json", json); }
TEST(Seeds, Policy) { replay("policy", policy); }
TEST(Seeds, StateEvent) { replay("state_event", state_event); }
TEST(Seeds, AlarmEvent) { replay("alarm_event", alarm_event); }
TEST(Seeds, Diagnose) { replay("diagnose", diagnose); }
TEST(Seeds, Job) { replay("job", job); }
TEST(Seeds, HttpResponse) { replay("http_response", http_response); }

}  // namespace
}  // namespace trainwarden::fuzz::fuzz_test
