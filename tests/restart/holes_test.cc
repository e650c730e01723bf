// Holes that memory in tags had, each as it was found, and closed by the table. What each of them
// is a case of is proved elsewhere in this folder.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/restart/crowd.h"
#include "tests/restart/deaths.h"
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::holes_test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

std::string job_name(int number) { return fmt::format("job-{}", number); }

constexpr const char* kTwoAnHour = R"("limits":{"stops_per_hour":4},)";  // of events

// A tenant who may have ml.m5.large only tags his own job, stops it, and gets p5 machines.
TEST(Holes, A6_AForgedIntentMakesNoJob) {
  for (const char* const rules : {kNothing, kThrash, kResume}) {
    History history(rules);
    history.sweep();
    for (int i = 0; i < 25; ++i) {
      history.aws().place(
          {.name = job_name(i),
           .type = "ml.m5.large",
           .tags = {{"trainwarden:intent",
                     fmt::format("v1 gen=1 at={} types=ml.p5.48xlarge", epoch(history))},
                    {"trainwarden:action", "restart"}}});
      history.stop_by_hand(job_name(i));
      history.aws().pass(seconds(30));
      history.deliver("Stopped", "Stopped", job_name(i));
    }
    sweep_up(history);
    EXPECT_EQ(history.aws().count("CreateTrainingJob"), 0) << rules;
  }
}

int stopped_of(History& history, int jobs) {
  int stopped = 0;
  for (int i = 0; i < jobs; ++i)
    if (history.aws().status(job_name(i)) != "InProgress") ++stopped;
  return stopped;
}

TEST(Holes, P7_TheLimitHoldsWhereNoTagCanBeWritten) {
  for (const int own_tags : {0, 49, 50})
    for (const bool denied : {false, true}) {
      History history(kMustStop, "enforce", kTwoAnHour);
      Tags many;
      for (int i = 0; i < own_tags; ++i) many.emplace_back(fmt::format("key{}", i), "v");
      for (int i = 0; i < 10; ++i) history.aws().place({.name = job_name(i), .tags = many});
      if (denied) history.aws().refuse("AddTags", kDenied, 1000);
      for (int i = 0; i < 10; ++i) history.deliver("InProgress", "Training", job_name(i));
      EXPECT_EQ(stopped_of(history, 10), 2) << own_tags << denied;
    }
}

// Tags dated 2099, on jobs of anybody's, counted as stops for ever.
TEST(Holes, P7_ForgedStopsDoNotCount) {
  History history(kMustStop, "enforce", kTwoAnHour);
  for (int i = 10; i < 40; ++i)
    history.aws().place({.name = job_name(i),
                         .status = "Stopped",
                         .secondary = "Stopped",
                         .tags = {{"trainwarden:action", "stop"},
                                  {"trainwarden:at", "2099-01-01T00:00:00Z"},
                                  {"trainwarden:stopped", "2099-01-01T00:00:00Z"}}});
  for (int i = 0; i < 3; ++i) {
    history.aws().place({.name = job_name(i)});
    history.deliver("InProgress", "Training", job_name(i));
  }
  EXPECT_EQ(stopped_of(history, 3), 2);
}

TEST(Holes, P7_TenFunctionsAtOncePassNoLimitOfTwenty) {
  constexpr int kJobs = 120;
  History history(kMustStop, "enforce", R"("limits":{"stops_per_hour":40},)");
  for (int i = 0; i < kJobs; ++i) history.aws().place({.name = job_name(i)});
  Crowd crowd(history, 13);
  crowd.take({.least = milliseconds(100), .most = milliseconds(100)});
  for (int function = 0; function < 10; ++function)
    crowd.add(milliseconds(0), [&history, function](const Crowd::Member& member) {
      for (int i = function; i < kJobs; i += 10)
        history.handle_with(member.transport, member.clock,
                            history.event("InProgress", "Training", job_name(i)), job_name(i));
    });
  crowd.run();
  EXPECT_EQ(stopped_of(history, kJobs), 20);
}

TEST(Holes, A2_APersonsStopStandsWhereTheRestartsOwnWasThrottled) {
  History history(both(kThrash, kResume));
  history.place("InProgress", "Interrupted");
  history.aws().refuse("StopTrainingJob", kThrottled);
  ASSERT_TRUE(history.deliver("InProgress", "Interrupted")->failure());
  // The rule no longer matches; its owner stops the job two minutes later, and means it.
  history.transition("Training");
  history.repeat();
  history.deliver("InProgress", "Interrupted");
  history.aws().pass(minutes(2));
  history.stop_by_hand();
  history.aws().pass(minutes(2));
  history.deliver("Stopped", "Stopped");
  sweep_up(history);
  EXPECT_TRUE(history.aws().created().empty());
  EXPECT_EQ(history.notices("restarted"), 0);
}

// By two deliveries, of which one is denied and the other slow: the job stops, and has its copy.
TEST(Holes, A2_ADeniedAndASlowDeliveryLeaveACopy) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    History history(kThrash);
    history.sweep();
    history.aws().pass(minutes(5));
    history.place("InProgress", "Interrupted");
    history.aws().refuse("StopTrainingJob", seed % 2 == 0 ? kDenied : kThrottled);
    Crowd crowd(history, seed);
    crowd.take({.least = milliseconds(100), .most = milliseconds(9000)}, "StopTrainingJob");
    for (const char* const request : {"first", "second"})
      crowd.add(milliseconds(0), [&history, request](const Crowd::Member& member) {
        history.handle_with(member.transport, member.clock,
                            history.event("InProgress", "Interrupted"), request);
      });
    crowd.run();
    const bool stopped = history.aws().status(kJob) != "InProgress";
    history.aws().pass(minutes(2));
    history.deliver("Stopped", "Stopped");
    EXPECT_EQ(history.aws().created().size(), stopped ? 1U : 0U) << seed;
    sweep_up(history);
    EXPECT_EQ(history.notices("restarted"), stopped ? 1 : 0) << seed;
  }
}

// All tags of a job that was stopped or copied, for a job that somebody starts by its example.
Tags tags_of(History& history, const std::string& job) {
  Tags out;
  for (const auto& [key, value] : history.aws().find(job)->tags) out.emplace_back(key, value);
  return out;
}

Tags tags_after(const char* rule, const char* secondary) {
  History history(rule);
  history.sweep();
  history.place("InProgress", secondary);
  history.deliver("InProgress", secondary);
  history.aws().pass(minutes(2));
  history.deliver("Stopped", "Stopped");
  Tags tags = tags_of(history, kJob);
  EXPECT_GT(tags.size(), 3U);
  return tags;
}

TEST(Holes, A6_AJobWithAnothersTagsIsTakenForItself) {
  for (const Tags& tags : {tags_after(kThrash, "Interrupted"), tags_after(kMustStop, "Training")}) {
    History copied(kResume);
    copied.sweep();
    copied.aws().place({.name = kJob,
                        .status = "Failed",
                        .secondary = "Failed",
                        .since = seconds(0),
                        .tags = tags,
                        .more = R"(,"FailureReason":"InternalServerError: x")"});
    EXPECT_TRUE(result_of(*copied.deliver("Failed", "Failed")).starts_with("copied as "));
    EXPECT_EQ(copied.notices("restarted"), 1);

    History stopped(kMustStop);
    stopped.aws().place({.name = kJob, .tags = tags});
    stopped.deliver("InProgress", "Training");
    EXPECT_EQ(stopped.notices("stopped"), 1);
  }
}

// A person stopped it, and people are not told otherwise.
TEST(Holes, A6_NoTagMakesAPersonsStopOurs) {
  constexpr const char* kTell = R"(
    {"name": "no-p4", "match": {"job": {"TrainingJobStatus": ["Stopped"]}}, "actions": ["notify"]})";
  std::vector<std::string> texts;
  for (const Tags& tags : {Tags(), tags_after(kMustStop, "Training")}) {
    History history(kTell);
    history.aws().place({.name = kJob, .tags = tags});
    history.stop_by_hand();
    history.aws().pass(minutes(2));
    history.deliver("Stopped", "Stopped");
    ASSERT_EQ(history.notices().size(), 1U);
    EXPECT_EQ(history.notices()[0].outcome, "none");
    texts.push_back(history.notices()[0].text);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(Holes, P3_ObserveSaysAndWritesNothingAboutWhatWasDoneBefore) {
  for (const char* const rule : {kMustStop, kThrash}) {
    each_death(
        policy(rule), [](History& history) { history.place("InProgress", "Interrupted"); },
        {"InProgress", "Interrupted"},
        [](History& history, const Plan& plan) {
          history.config().ceiling = rules::Mode::kObserve;
          const auto before = static_cast<std::ptrdiff_t>(history.calls().size());
          history.aws().pass(minutes(3));
          history.repeat();
          history.deliver("InProgress", "Interrupted");
          history.deliver("Stopped", "Stopped");
          history.sweep_on(2);
          for (const char* const write :
               {"AddTags", "Publish", "PutItem", "StopTrainingJob", "CreateTrainingJob"})
            EXPECT_EQ(std::count(history.calls().begin() + before, history.calls().end(), write), 0)
                << write << " " << show(plan);
        });
  }
}

// A date at the end of a name is no ending of ours.
TEST(Holes, A2_ANameLikeACopysIsRunAgain) {
  for (const char* const name : {"exp-r2-20261122", "train-r1-12345678", "a-r3-2026"}) {
    History history(kResume);
    history.sweep();
    history.aws().place({.name = name,
                         .status = "Failed",
                         .secondary = "Failed",
                         .since = seconds(0),
                         .more = R"(,"FailureReason":"InternalServerError: x")"});
    EXPECT_TRUE(result_of(*history.deliver("Failed", "Failed", name)).starts_with("copied as "))
        << name;
  }
}

TEST(Holes, A5_TheReasonOutlivesTheFunctionThatStoppedTheJob) {
  History history(kMustStop);
  history.place("InProgress", "Training");
  history.aws().before("Publish", [] { throw Killed{}; });
  EXPECT_FALSE(history.deliver("InProgress", "Training"));
  EXPECT_TRUE(history.notices().empty());
  history.aws().pass(minutes(3));
  history.deliver("Stopped", "Stopped");  // the rule no longer matches
  ASSERT_EQ(history.notices("stopped"), 1);
  EXPECT_NE(history.notices()[0].text.find("Nobody may use p4 machines."), std::string::npos);
}

}  // namespace
}  // namespace trainwarden::testing::holes_test
