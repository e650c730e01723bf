// Every history of a job in which one function dies: before or after the effect of any one call.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tests/restart/history.h"

namespace trainwarden::testing {

struct Step {
  std::string status;  // empty: a sweep
  std::string secondary;
};
inline const Step kSweep{};

struct Plan {
  std::vector<Step> deliveries = {};
  std::chrono::milliseconds apart{0};
  Death death = {};
  bool repeated = true;  // the delivery that the function died in comes again
};
std::string show(const Plan& plan);

struct Scenario {
  rules::Policy policy;
  void (*begin)(History&);
  std::vector<Step> events;
  // What every history must end with.
  void (*expect)(History&, const Plan&);
};

// Up to `longest` deliveries out of the scenario's events and a sweep, in every order, any of them
// left out (lost) and at most one of them twice; so long apart; and one death, with or without the
// delivery that Lambda repeats. Then the sweeps that come anyway. least: how many histories there
// must be; fewer would prove less than this says.
void prove(const Scenario& scenario, std::chrono::milliseconds apart, int longest, int least);

// Two deliveries at the same time: one function is in the middle of its work when another does all
// of its own, at every call of the first; before and after that, some time passes.
void interleave(const Scenario& scenario, const std::vector<Step>& steps,
                std::chrono::seconds before, std::chrono::seconds after);

// A function that handles that event dies at each of its calls in turn, before and after the
// effect; then() goes on from there, and says what must come of it. Once no function dies. begin
// brings the job to where the event comes.
void each_death(const rules::Policy& policy, const std::function<void(History&)>& begin,
                const Step& event, const std::function<void(History&, const Plan&)>& then);

// Sweeps every quarter of an hour until one finds nothing left to do.
void sweep_up(History& history, const Plan& plan = {});

// Whether the function that died had told people and not yet noted that: then they may hear twice.
bool died_between_telling_and_noting(const History& history, const Plan& plan);

// The sanitizers, ten times slower, look for what the code does on the way. What is proved is
// proved by the release build.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif
// They run each so many of the cases.
inline constexpr int kStride = kSanitized ? 7 : 1;
// Of the histories with a death only each so many is run; which ones, changes from order to order,
// so that every call's turn comes in many of them. With TRAINWARDEN_EVERY_HISTORY set, all are
// (some minutes).
inline constexpr int kEach = kSanitized ? 83 : 11;

}  // namespace trainwarden::testing
