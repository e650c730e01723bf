// The proof of the two-phase restart (policy.md A2, A3): whatever is lost, doubled, reordered or
// killed, in the end there is exactly one copy, and it was started after its original had ended.
//
// Every history is: up to four deliveries out of the job's events and a sweep, in every order, any
// of them left out (lost) and at most one of them twice; between them the time that a stop needs,
// or too little of it; and one death, before or after the effect of any one call, with or without
// the delivery that Lambda repeats. Then the sweeps that come anyway.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/restart/history.h"

namespace trainwarden::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kThrash = R"(
  {"name": "thrash", "match": {"job": {"SecondaryStatus": ["Interrupted"]}},
   "actions": [{"restart": {"spot": false}}]})";
constexpr const char* kResume = R"(
  {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
   "actions": [{"restart": {}}]})";

struct Step {
  std::string status;  // empty: a sweep
  std::string secondary;
};

const Step kSweep{};

std::string show(const Step& step) { return step.status.empty() ? "sweep" : step.secondary; }

struct Plan {
  std::vector<Step> deliveries;
  milliseconds apart{0};
  Death death;
  bool repeated = true;  // the delivery that the function died in comes again
};

std::string show(const Plan& plan) {
  std::string out;
  for (const Step& step : plan.deliveries) out += show(step) + " ";
  out += fmt::format("{} ms apart", plan.apart.count());
  if (plan.death.call >= 0)
    out += fmt::format(", dies {} call {}{}", plan.death.after ? "after" : "before",
                       plan.death.call, plan.repeated ? "" : ", not repeated");
  return out;
}

// False where the event is not there yet: another order has it later.
bool deliver(History& history, const Step& step, const Plan& plan) {
  const auto once = [&] {
    if (step.status.empty()) return history.sweep();
    return history.deliver(step.status, step.secondary).has_value();
  };
  const auto told = [&](const EventTold& event) {
    return event.job == kJob && event.secondary == step.secondary;
  };
  if (!step.status.empty() && std::ranges::none_of(history.aws().events, told)) return false;
  if (!once() && plan.repeated) once();
  return true;
}

// What every history must end with.
void expect_one_copy(History& history, const Plan& plan) {
  InProcessAws& aws = history.aws();
  for (const std::string& wrong : aws.wrong) ADD_FAILURE() << wrong << ": " << show(plan);
  ASSERT_EQ(aws.created().size(), 1U) << show(plan);
  ASSERT_EQ(history.copies_of(kJob).size(), 1U) << show(plan);
  const std::string& copy = aws.created().front();
  if (aws.tag(kJob, "trainwarden:intent") != "done " + copy) {
    EXPECT_EQ(aws.tag(kJob, "trainwarden:child"), copy) << show(plan);
  }
  EXPECT_EQ(aws.tag(copy, "trainwarden:generation"), "1") << show(plan);
  EXPECT_EQ(aws.tag(copy, "trainwarden:intent"), "") << show(plan);
  EXPECT_EQ(aws.tag(copy, "trainwarden:child"), "") << show(plan);
}

struct Scenario {
  rules::Policy policy;
  void (*begin)(History&);
  std::vector<Step> events;
};

// How many calls it took until all was done and two more; -1 where the order is not possible.
int run(const Scenario& scenario, const Plan& plan) {
  History history(scenario.policy);
  scenario.begin(history);
  history.aws().death = plan.death;
  for (const Step& step : plan.deliveries) {
    if (!deliver(history, step, plan)) return -1;
    history.aws().pass(plan.apart);
  }
  for (int i = 0; i < 3; ++i) {
    history.aws().pass(minutes(15));
    if (!history.sweep()) history.sweep();
  }
  expect_one_copy(history, plan);
  const auto& calls = history.aws().calls;
  const auto last = std::ranges::find(calls.rbegin(), calls.rend(), "AddTags");
  return static_cast<int>(
      std::min(calls.size(), static_cast<std::size_t>(calls.rend() - last) + 2));
}

bool same(const Step& a, const Step& b) { return a.secondary == b.secondary; }

bool at_most_one_twice(const std::vector<Step>& deliveries) {
  int doubled = 0;
  for (std::size_t i = 0; i < deliveries.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) doubled += same(deliveries[i], deliveries[j]) ? 1 : 0;
  return doubled <= 1;
}

// Every order of one to four deliveries, and what the sweeps find alone.
std::vector<std::vector<Step>> orders(const std::vector<Step>& events) {
  std::vector<Step> choices = events;
  choices.push_back(kSweep);
  std::vector<std::vector<Step>> all{{}};
  std::size_t from = 0;
  for (int length = 1; length <= 4; ++length) {
    const std::size_t to = all.size();
    for (std::size_t i = from; i < to; ++i)
      for (const Step& choice : choices) {
        auto longer = all[i];
        longer.push_back(choice);
        if (at_most_one_twice(longer)) all.push_back(std::move(longer));
      }
    from = to;
  }
  return all;
}

// What is proved is proved by the release build, of which every history is run. The sanitizers, ten
// times slower, look at each eighth for what the code does on the way.
#if defined(__SANITIZE_ADDRESS__)
constexpr int kEach = 8;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr int kEach = 8;
#else
constexpr int kEach = 1;
#endif
#else
constexpr int kEach = 1;
#endif

// least: how many histories there must be; fewer would prove less than this says.
void prove(const Scenario& scenario, milliseconds apart, int least) {
  int histories = 0, turn = 0;
  for (const auto& deliveries : orders(scenario.events)) {
    const int calls = run(scenario, {deliveries, apart, {}, true});
    if (calls < 0) continue;
    ++histories;
    for (int call = 0; call < calls; ++call)
      for (const bool after : {false, true})
        for (const bool repeated : {true, false}) {
          if (turn++ % kEach != 0) continue;
          run(scenario, {deliveries, apart, {call, after}, repeated});
          ++histories;
          if (::testing::Test::HasFailure()) return;
        }
  }
  fmt::print("{} histories\n", histories);
  EXPECT_GE(histories, least / kEach);
}

Scenario running() {
  return {enforcing(kThrash),
          [](History& history) {
            history.place("InProgress", "Training");
            history.transition("Interrupted");
          },
          {{"InProgress", "Interrupted"}, {"Stopping", "Stopping"}, {"Stopped", "Stopped"}}};
}

// Without room for a tag more when the copy is made: 45 of its own, and five of the restart.
Scenario running_full() {
  Scenario out = running();
  out.begin = [](History& history) {
    std::string tags;
    for (int i = 0; i < 45; ++i) tags += fmt::format(R"({}"key{}":"v")", i > 0 ? "," : "", i);
    history.place("InProgress", "Training", R"(,"Tags":{)" + tags + "}");
    history.transition("Interrupted");
  };
  return out;
}

Scenario failed() {
  return {enforcing(kResume),
          [](History& history) {
            history.place("InProgress", "Training");
            history.transition("Uploading");
            history.transition("Failed", "InternalServerError: We encountered an internal error.");
          },
          {{"InProgress", "Uploading"}, {"Failed", "Failed"}}};
}

constexpr milliseconds kTooSoon{100};    // the job is still stopping
constexpr milliseconds kLater{150'000};  // it has ended

TEST(Proof, A2_ARunningJobIsReplacedByExactlyOneCopy) { prove(running(), kLater, 1000); }
TEST(Proof, A2_ARunningJobIsReplacedByExactlyOneCopyWhenAllHappensAtOnce) {
  prove(running(), kTooSoon, 1000);
}
TEST(Proof, A3_AJobFullOfTagsIsReplacedByExactlyOneCopy) { prove(running_full(), kLater, 1000); }
TEST(Proof, A2_AFailedJobIsCopiedExactlyOnce) { prove(failed(), kLater, 1000); }

// Two deliveries at the same time: one function is in the middle of its work when another does all
// of its own, at every call of the first; before and after that, some time passes.
void interleave(const Scenario& scenario, const std::vector<Step>& steps, seconds before,
                seconds after) {
  for (const Step& first : steps)
    for (const Step& second : steps)
      for (int at = 0; at < 40; ++at) {
        History history(scenario.policy);
        scenario.begin(history);
        InProcessAws& aws = history.aws();
        const Plan plan{{first, second}, kLater, {at, false}, true};
        const auto once = [&](const Step& step) {
          if (step.status.empty())
            history.sweep();
          else
            history.deliver(step.status, step.secondary);
        };
        bool met = false;
        aws.meanwhile = [&](int call) {
          if (call != at || met) return;
          met = true;
          aws.pass(before);
          once(second);
          aws.pass(after);
        };
        once(first);
        for (int i = 0; i < 3; ++i) {
          aws.pass(minutes(15));
          history.sweep();
        }
        expect_one_copy(history, plan);
        if (!met || ::testing::Test::HasFailure()) break;
      }
}

TEST(Proof, A2_TwoFunctionsAtOnceMakeOneCopy) {
  for (const seconds before : {seconds(0), seconds(2)})
    for (const seconds after : {seconds(0), seconds(4), seconds(150)}) {
      interleave(running(), {{"InProgress", "Interrupted"}, kSweep}, before, after);
      interleave(running_full(), {{"InProgress", "Interrupted"}, kSweep}, before, after);
      interleave(failed(), {{"Failed", "Failed"}, kSweep}, before, after);
    }
}

}  // namespace
}  // namespace trainwarden::testing
