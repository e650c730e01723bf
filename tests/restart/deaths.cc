#include "tests/restart/deaths.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace trainwarden::testing {
namespace {

using std::chrono::milliseconds;

constexpr int kMostSweeps = 6;
constexpr std::array<std::string_view, 5> kWrites = {"AddTags", "CreateTrainingJob", "PutItem",
                                                     "Publish", "StopTrainingJob"};

bool is_write(const std::string& call) { return std::ranges::find(kWrites, call) != kWrites.end(); }

std::string show(const Step& step) { return step.status.empty() ? "sweep" : step.secondary; }

bool once(History& history, const Step& step) {
  if (step.status.empty()) return history.sweep().has_value();
  return history.deliver(step.status, step.secondary).has_value();
}

// False where the event is not there yet: another order has it later.
bool deliver(History& history, const Step& step, const Plan& plan) {
  const auto told = [&](const EventTold& event) {
    return event.job == kJob && event.secondary == step.secondary;
  };
  if (!step.status.empty() && std::ranges::none_of(history.aws().events, told)) return false;
  if (once(history, step) || !plan.repeated) return true;
  history.repeat();
  once(history, step);
  return true;
}

void begin(History& history, const Scenario& scenario) {
  // The policy has been in force for a while.
  history.sweep();
  history.aws().pass(std::chrono::minutes(5));
  scenario.begin(history);
  history.aws().calls.clear();
  history.aws().requests.clear();
}

void end(History& history, const Scenario& scenario, const Plan& plan) {
  sweep_up(history, plan);
  for (const std::string& wrong : history.aws().wrong) ADD_FAILURE() << wrong << ": " << show(plan);
  scenario.expect(history, plan);
}

// How many calls it took until all was done and two more; -1 where the order is not possible.
int run_plan(const Scenario& scenario, const Plan& plan) {
  History history(scenario.policy);
  begin(history, scenario);
  history.aws().death = plan.death;
  for (const Step& step : plan.deliveries) {
    if (!deliver(history, step, plan)) return -1;
    history.aws().pass(plan.apart);
  }
  end(history, scenario, plan);
  const auto& calls = history.aws().calls;
  const auto last = std::ranges::find_if(calls.rbegin(), calls.rend(), is_write);
  return static_cast<int>(
      std::min(calls.size(), static_cast<std::size_t>(calls.rend() - last) + 2));
}

bool at_most_one_twice(const std::vector<Step>& deliveries) {
  int doubled = 0;
  for (std::size_t i = 0; i < deliveries.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      doubled += deliveries[i].secondary == deliveries[j].secondary ? 1 : 0;
  return doubled <= 1;
}

// Every order of one to `longest` deliveries, and what the sweeps find alone.
std::vector<std::vector<Step>> orders(const std::vector<Step>& events, int longest) {
  std::vector<Step> choices = events;
  choices.push_back(kSweep);
  std::vector<std::vector<Step>> all{{}};
  std::size_t from = 0;
  for (int length = 1; length <= longest; ++length) {
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

}  // namespace

std::string show(const Plan& plan) {
  std::string out;
  for (const Step& step : plan.deliveries) out += show(step) + " ";
  out += fmt::format("{} ms apart", plan.apart.count());
  if (plan.death.call >= 0)
    out += fmt::format(", dies {} call {}{}", plan.death.after ? "after" : "before",
                       plan.death.call, plan.repeated ? "" : ", not repeated");
  return out;
}

void sweep_up(History& history, const Plan& plan) {
  for (int i = 0; i < kMostSweeps; ++i) {
    history.aws().pass(std::chrono::minutes(15));
    const auto before = static_cast<std::ptrdiff_t>(history.calls().size());
    if (!history.sweep()) {
      history.repeat();
      history.sweep();
    }
    if (std::none_of(history.calls().begin() + before, history.calls().end(), is_write)) return;
  }
  ADD_FAILURE() << "there is always more to do: " << show(plan);
}

void each_death(const rules::Policy& policy, const std::function<void(History&)>& begin,
                const Step& event, const std::function<void(History&, const Plan&)>& then) {
  for (int call = 0;; call += kStride)
    for (const bool after : {false, true}) {
      History history(policy);
      history.sweep();
      history.aws().pass(std::chrono::minutes(5));
      begin(history);
      history.aws().calls.clear();
      history.aws().requests.clear();
      const Plan plan{{event}, {}, {call, after}, false};
      history.aws().death = plan.death;
      const bool died = !once(history, event);
      history.aws().death = {};
      then(history, plan);
      for (const std::string& wrong : history.aws().wrong)
        ADD_FAILURE() << wrong << ": " << show(plan);
      if (!died || ::testing::Test::HasFailure()) return;
    }
}

bool died_between_telling_and_noting(const History& history, const Plan& plan) {
  const auto& calls = history.calls();
  if (plan.death.call < 0) return false;
  auto last = static_cast<std::size_t>(plan.death.call);
  if (last >= calls.size()) return false;
  // The call that it died before had no effect.
  if (!plan.death.after) {
    if (last == 0) return false;
    --last;
  }
  while (last > 0 && calls[last] != "Publish" && calls[last] != "PutItem") --last;
  return calls[last] == "Publish";
}

void prove(const Scenario& scenario, milliseconds apart, int longest, int least) {
  int histories = 0, turn = 0;
  const int each = std::getenv("TRAINWARDEN_EVERY_HISTORY") != nullptr ? 1 : kEach;
  for (const auto& deliveries : orders(scenario.events, longest)) {
    const int calls = run_plan(scenario, {deliveries, apart, {}, true});
    if (::testing::Test::HasFailure()) return;
    if (calls < 0) continue;
    ++histories;
    for (int call = 0; call < calls; ++call)
      for (const bool after : {false, true})
        for (const bool repeated : {true, false}) {
          if (turn++ % each != 0) continue;
          run_plan(scenario, {deliveries, apart, {call, after}, repeated});
          ++histories;
          if (::testing::Test::HasFailure()) return;
        }
  }
  fmt::print("{} histories\n", histories);
  EXPECT_GE(histories, least / each);
}

void interleave(const Scenario& scenario, const std::vector<Step>& steps,
                std::chrono::seconds before, std::chrono::seconds after) {
  for (const Step& first : steps)
    for (const Step& second : steps)
      for (int at = 0;; at += kStride) {
        History history(scenario.policy);
        begin(history, scenario);
        InProcessAws& aws = history.aws();
        bool met = false;
        aws.meanwhile = [&](int call) {
          if (call != at || met) return;
          met = true;
          aws.pass(before);
          once(history, second);
          aws.pass(after);
        };
        once(history, first);
        aws.meanwhile = nullptr;
        end(history, scenario, {{first, second}, {}, {at, false}, true});
        if (!met || ::testing::Test::HasFailure()) break;
      }
}

}  // namespace trainwarden::testing
