// Machines that a job can never have (policy.md A4): what refuses the move before the job is
// stopped for it, and what becomes of one that was stopped all the same.
#include <cmath>

#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::machines_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kP5 = "ml.p5.48xlarge for training job usage";
constexpr const char* kP4OnDemand = "ml.p4d.24xlarge for training job usage";

// Of a job on two ml.p4d.24xlarge on spot: an interruption moves it.
std::string moving(const std::string& options) {
  return fmt::format(R"({{"name": "thrash", "match": {{"job": {{"SecondaryStatus":
      ["Interrupted"]}}}}, "actions": [{{"restart": {}}}, "notify"]}})",
                     options);
}
const std::string kOnDemand = moving(R"({"spot": false})");
const std::string kList =
    moving(R"({"spot": false, "instance_types": ["ml.p5.48xlarge", "ml.p5e.48xlarge"]})");

std::string stopped_and_delivered(History& history) {
  EXPECT_EQ(thrashed(history), kStoppingToCopy);
  history.aws().pass(seconds(120));
  return end_of(history.deliver("Stopped", "Stopped"));
}

std::string member(History& history, std::string_view name) {
  const auto body = json::Document::parse(history.aws().create_requests.at(0));
  const auto found = body->root().find(name);
  return found ? json::to_text(*found) : "absent";
}

bool says(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

TEST(Machines, A4_AQuotaBelowTheCountRefusesTheMoveBeforeTheStop) {
  for (const double quota : {0.0, 1.0, 1.9}) {
    History history(kOnDemand);
    history.aws().quotas().set(kP4OnDemand, quota);
    EXPECT_EQ(thrashed(history),
              fmt::format("refused: the copy would need 2 machines, and the account's quota \"{}\" "
                          "is {:.0f}: ask Service Quotas for more, or the restart for others",
                          kP4OnDemand, std::floor(quota)));
    EXPECT_FALSE(history.acted());
    EXPECT_EQ(history.aws().status(kJob), "InProgress");
    EXPECT_EQ(history.notices("refused"), 1);
    EXPECT_TRUE(says(history.notices().at(0).text, kP4OnDemand));
  }
}

// What IAM would deny (CopyInstanceTypes), so that no job is stopped for a copy that never comes.
TEST(Machines, A2_TypesThatTheFunctionsMayNotAskForRefuseTheMoveBeforeTheStop) {
  for (const auto& [rules, type] :
       {std::pair(kOnDemand, "ml.p4d.24xlarge"), std::pair(kList, "ml.p5.48xlarge")}) {
    History history(rules);
    history.config().copy_instance_types = {"ml.g5.*", "ml.m5.large"};
    EXPECT_EQ(thrashed(history), fmt::format("refused: the copy's instance type {} is not among "
                                             "those of TRAINWARDEN_COPY_INSTANCE_TYPES",
                                             type));
    EXPECT_FALSE(history.acted());
    EXPECT_EQ(history.aws().status(kJob), "InProgress");
    EXPECT_EQ(history.notices("refused"), 1);
  }
}

TEST(Machines, A2_OneTypeOfTheListThatTheyMayAskForIsEnough) {
  History history(kList);
  history.config().copy_instance_types = {"ml.p5e.*"};
  EXPECT_EQ(thrashed(history), kStoppingToCopy);
}

TEST(Machines, A2_AJobThatFailedOnATypeThatTheyMayNotAskForIsNotCopied) {
  History history(kResume);
  history.config().copy_instance_types = {"ml.m5.*"};
  EXPECT_TRUE(resumed(history, {}).starts_with("refused: the copy's instance type "));
  EXPECT_FALSE(history.acted());
  History any(kResume);
  any.config().copy_instance_types = {"ml.*"};
  EXPECT_TRUE(resumed(any, {}).starts_with("copied as "));
}

TEST(Machines, A4_WhatOnlyLooksSoRefusesNothing) {
  struct {
    std::string rules;
    std::string_view quota;
    std::optional<double> value;
  } const cases[] = {
      {kOnDemand, kP4OnDemand, 2},
      {kOnDemand, kP4OnDemand, std::nullopt},  // not listed: not known, a region without it too
      {kOnDemand, "ml.p4d.24xlarge for spot training job usage", 0},
      {kOnDemand, "ml.p4d.24xlarge for training warm pool usage", 0},
      {kOnDemand, "ml.p4d.24xlarge for endpoint usage", 0},
      {kList, kP5, 0},  // the second of the list is not known
      {moving("{}"), "ml.p4d.24xlarge for spot training job usage", 0},  // its own machines
  };
  for (const auto& c : cases) {
    History history(c.rules);
    history.aws().quotas().set(c.quota, c.value);
    EXPECT_EQ(thrashed(history), kStoppingToCopy) << c.quota;
  }
}

TEST(Machines, A4_NoTypeOfTheListFits) {
  History history(kList);
  history.aws().quotas().set(kP5, 0);
  history.aws().quotas().set("ml.p5e.48xlarge for training job usage", 1);
  EXPECT_TRUE(says(thrashed(history), kP5));
  EXPECT_FALSE(history.acted());
}

// F1: what could not be had is no "no".
TEST(Machines, A4_QuotasThatCannotBeHadAreNotKnown) {
  const localaws::AwsError too_many{429, "TooManyRequestsException", "Rate exceeded"};
  for (const localaws::AwsError& error : {kDenied, too_many, kFault}) {
    History history(kOnDemand);
    history.aws().quotas().set(kP4OnDemand, 0);
    history.aws().refuse("ListServiceQuotas", error, 10);
    EXPECT_EQ(thrashed(history), kStoppingToCopy) << error.code;
  }
  History history(kOnDemand);
  history.aws().quotas().set(kP4OnDemand, 0);
  history.aws().answer_with("ListServiceQuotas", "{}");
  EXPECT_EQ(thrashed(history), kStoppingToCopy);
}

// The second page fails: half a list refuses nothing, and is not kept.
TEST(Machines, A4_HalfAListIsNone) {
  History history(kOnDemand);
  history.aws().quotas().set(kP4OnDemand, 0);
  for (int i = 0; i < 150; ++i)
    history.aws().quotas().set(fmt::format("ml.x{}.large for endpoint usage", i), 1);
  history.aws().before(
      "ListServiceQuotas", [&] { history.aws().refuse("ListServiceQuotas", kDenied, 1); }, 2);
  EXPECT_EQ(thrashed(history), kStoppingToCopy);
  EXPECT_FALSE(says(history.table(), "\"quotas\""));
}

TEST(Machines, A4_ManyPagesAreReadOnceADay) {
  History history(kOnDemand);
  for (int i = 0; i < 250; ++i)
    history.aws().quotas().set(fmt::format("ml.a{}.large for endpoint usage", i), 1);
  history.aws().quotas().set(kP4OnDemand, 64);
  EXPECT_EQ(thrashed(history), kStoppingToCopy);
  EXPECT_EQ(history.aws().count("ListServiceQuotas"), 3);
  const auto moved_later = [&](minutes later, const char* name) {
    history.aws().pass(later);
    history.aws().place({.name = name,
                         .status = "InProgress",
                         .secondary = "Interrupted",
                         .more = R"(,"EnableManagedSpotTraining":true,"ResourceConfig":
                {"InstanceType":"ml.p4d.24xlarge","InstanceCount":2,"VolumeSizeInGB":1},
                "StoppingCondition":{"MaxRuntimeInSeconds":172800,"MaxWaitTimeInSeconds":200000})"});
    EXPECT_TRUE(result_of(*history.deliver("InProgress", "Interrupted", name))
                    .starts_with(kStoppingToCopy));
    return history.aws().count("ListServiceQuotas");
  };
  EXPECT_EQ(moved_later(minutes(60), "an-hour-later"), 3);
  EXPECT_EQ(moved_later(hours(24), "a-day-later"), 6);
}

// A quota is raised, and nobody waits a day for it.
TEST(Machines, A4_ARefusalRestsOnWhatWasReadJustNow) {
  History history(kOnDemand);
  history.aws().quotas().set(kP4OnDemand, 0);
  ASSERT_TRUE(thrashed(history).starts_with("refused: "));
  EXPECT_EQ(history.aws().count("ListServiceQuotas"), 1);
  history.aws().quotas().set(kP4OnDemand, 8);
  history.aws().pass(minutes(4));
  EXPECT_TRUE(thrashed(history).starts_with("refused: "));
  EXPECT_EQ(history.aws().count("ListServiceQuotas"), 1);
  history.aws().pass(minutes(2));
  EXPECT_EQ(thrashed(history), kStoppingToCopy);
  EXPECT_EQ(history.aws().count("ListServiceQuotas"), 2);
}

// And where it cannot be read anew, what was kept does not refuse either.
TEST(Machines, A4_AnOldRefusalThatCannotBeRenewedIsNone) {
  History history(kOnDemand);
  history.aws().quotas().set(kP4OnDemand, 0);
  ASSERT_TRUE(thrashed(history).starts_with("refused: "));
  history.aws().pass(minutes(6));
  history.aws().refuse("ListServiceQuotas", kDenied, 1);
  EXPECT_EQ(thrashed(history), kStoppingToCopy);
}

// What is kept is only a memory: one that nobody can read is none, and is written anew.
TEST(Machines, A4_KeptQuotasThatCannotBeReadAreAskedForAnew) {
  for (const double quota : {0.0, 8.0}) {
    for (const char* change : {R"("form":{"N":"9"})", R"("read":{"S":"yesterday"})",
                               R"("on_demand":{"N":"7"})", R"("more":{"BOOL":true})"}) {
      History history(kOnDemand);
      history.aws().quotas().set(kP4OnDemand, quota);
      history.restore(
          fmt::format(R"({{"quotas":{{"id":{{"S":"quotas"}},"v":{{"N":"4"}},"request":{{"S":"r"}},)"
                      R"("expires":{{"N":"4102444800"}},{}}}}})",
                      change));
      EXPECT_EQ(thrashed(history).starts_with("refused: "), quota < 2) << change;
      EXPECT_EQ(history.aws().count("ListServiceQuotas"), 1) << change;
      EXPECT_TRUE(says(history.table(), R"("spot")")) << history.table();
    }
  }
}

TEST(Machines, A4_TwoFunctionsAtOnceKeepOneList) {
  History history(kOnDemand);
  history.aws().before("ListServiceQuotas", [&] {
    history.aws().place({.name = "other",
                         .status = "InProgress",
                         .secondary = "Interrupted",
                         .more = R"(,"EnableManagedSpotTraining":true)"});
    EXPECT_TRUE(result_of(*history.deliver("InProgress", "Interrupted", "other"))
                    .starts_with(kStoppingToCopy));
  });
  EXPECT_EQ(thrashed(history), kStoppingToCopy);
}

TEST(Machines, A4_WhatIsNotMovedAsksForNoQuota) {
  for (const char* const rules : {kResume, kMustStop, kNothing}) {
    History history(rules);
    history.place("InProgress", "Interrupted");
    history.deliver("InProgress", "Interrupted");
    EXPECT_EQ(history.aws().count("ListServiceQuotas"), 0) << rules;
  }
  History failed(kResume);
  resumed(failed);
  EXPECT_EQ(failed.aws().count("ListServiceQuotas"), 0);
}

// After the stop.

TEST(Machines, A4_TheNextTypeIsTriedAtOnce) {
  History history(kList);
  history.aws().before("CreateTrainingJob",
                       [&] { history.aws().refuse("CreateTrainingJob", kQuota); });
  const std::string end = stopped_and_delivered(history);
  EXPECT_TRUE(end.starts_with("copied as train-7-r1-")) << end;
  EXPECT_TRUE(says(end,
                   ", on 2 × ml.p5e.48xlarge on demand, since AWS refused what was asked for "
                   "first: CreateTrainingJob: ResourceLimitExceeded"))
      << end;
  EXPECT_TRUE(says(member(history, "ResourceConfig"), "ml.p5e.48xlarge"));
  EXPECT_EQ(member(history, "EnableManagedSpotTraining"), "false");
  EXPECT_TRUE(history.aws().wrong.empty());
}

TEST(Machines, A4_ThenTheJobsOwnMachines) {
  const localaws::AwsError no_such_type{400, "ValidationException",
                                        "The instance type is not supported in this region."};
  for (const localaws::AwsError& error : {kQuota, kDenied, no_such_type}) {
    History history(kList);
    history.aws().refuse("CreateTrainingJob", error, 2);
    const std::string end = stopped_and_delivered(history);
    EXPECT_TRUE(says(end, ", on 2 × ml.p4d.24xlarge on spot, since AWS refused")) << end;
    EXPECT_TRUE(says(member(history, "ResourceConfig"), "ml.p4d.24xlarge"));
    EXPECT_EQ(member(history, "EnableManagedSpotTraining"), "true");
    EXPECT_EQ(member(history, "StoppingCondition"),
              R"({"MaxRuntimeInSeconds":172800,"MaxWaitTimeInSeconds":200000})");
    EXPECT_EQ(history.copies_of(kJob).size(), 1U);
    // People have heard that it is restarted, and hear now with what.
    EXPECT_EQ(history.notices("restarted"), 2);
    EXPECT_TRUE(says(history.notices().back().text, "on 2 × ml.p4d.24xlarge on spot"));
    EXPECT_EQ(history.notices("failed"), 0);
    EXPECT_FALSE(history.is_due());
  }
}

TEST(Machines, A4_WhatElseIsChangedGoesWithItsOwnMachinesToo) {
  History history(
      moving(R"({"spot": false, "instance_count": 8, "hyperparameters": {"batch_size": "8"}})"));
  history.aws().refuse("CreateTrainingJob", kQuota);
  EXPECT_TRUE(stopped_and_delivered(history).starts_with("copied as "));
  EXPECT_TRUE(says(member(history, "HyperParameters"), R"("batch_size":"8")"));
  EXPECT_TRUE(says(member(history, "ResourceConfig"), R"("InstanceCount":2)"));
}

// A time that goes with machines on demand, and would keep the job from its own on spot.
TEST(Machines, A4_ItsOwnMachinesAreNotLostToALongerTime) {
  struct {
    const char* times;
    const char* condition;
  } const cases[] = {
      {R"("max_runtime_seconds": 250000)",
       R"({"MaxRuntimeInSeconds":250000,"MaxWaitTimeInSeconds":250000})"},
      // What fits stays.
      {R"("max_runtime_seconds": 3600)",
       R"({"MaxRuntimeInSeconds":3600,"MaxWaitTimeInSeconds":200000})"},
  };
  for (const auto& c : cases) {
    History history(moving(fmt::format(R"({{"spot": false, {}}})", c.times)));
    history.aws().refuse("CreateTrainingJob", kQuota);
    EXPECT_TRUE(stopped_and_delivered(history).starts_with("copied as ")) << c.times;
    EXPECT_EQ(member(history, "EnableManagedSpotTraining"), "true") << c.times;
    EXPECT_EQ(member(history, "StoppingCondition"), c.condition) << c.times;
  }
}

TEST(Machines, A4_WhereNoneIsToBeHadTheCopyStaysOwedAndTheFirstErrorIsTold) {
  History history(kOnDemand);
  history.aws().refuse("CreateTrainingJob", kQuota);
  history.aws().refuse("CreateTrainingJob", kDenied);
  const std::string end = stopped_and_delivered(history);
  EXPECT_TRUE(says(end, "ResourceLimitExceeded")) << end;
  EXPECT_EQ(history.notices("failed"), 1);
  EXPECT_TRUE(history.is_due());
  history.sweep_on(1);
  EXPECT_EQ(history.copies_of(kJob).size(), 1U);
  EXPECT_EQ(member(history, "EnableManagedSpotTraining"), "false");
}

// It may pass, or have been done: the same machines are asked for again.
TEST(Machines, A4_WhatMayPassIsNoReasonForOthers) {
  for (const localaws::AwsError& error : {kThrottled, kFault}) {
    History history(kOnDemand);
    history.aws().refuse("CreateTrainingJob", error, 10);
    EXPECT_FALSE(stopped_and_delivered(history).starts_with("copied as "));
    EXPECT_TRUE(history.aws().created().empty());
  }
  History lost(kOnDemand);
  lost.aws().lose_answer("CreateTrainingJob");
  stopped_and_delivered(lost);
  EXPECT_EQ(lost.aws().created().size(), 1U);
  lost.deliver("Stopped", "Stopped");
  EXPECT_EQ(lost.copies_of(kJob).size(), 1U);
}

// Between two tries the world may have changed.
TEST(Machines, A4_EachTryLooksAgain) {
  History history(kList);
  history.aws().refuse("CreateTrainingJob", kQuota, 2);
  history.aws().before(
      "CreateTrainingJob", [&] { history.place("InProgress", "Training", "", "by-hand"); }, 2);
  const std::string end = stopped_and_delivered(history);
  EXPECT_TRUE(says(end, "the job by-hand uses its checkpoint")) << end;
  EXPECT_TRUE(history.aws().created().empty());
}

// It ended on its own machines: a larger type was wanted, or another market.
TEST(Machines, A4_AJobThatEndedByItselfDoesNotGetItsOwnSo) {
  History history(R"({"name": "larger", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
      "actions": [{"restart": {"instance_types": ["ml.p5.48xlarge", "ml.p5e.48xlarge"]}}]})");
  history.aws().refuse("CreateTrainingJob", kQuota, 2);
  EXPECT_TRUE(says(resumed(history), "ResourceLimitExceeded"));
  EXPECT_EQ(history.aws().count("CreateTrainingJob"), 2);
  EXPECT_TRUE(history.aws().created().empty());
  EXPECT_TRUE(history.is_due());
}

}  // namespace
}  // namespace trainwarden::testing::machines_test
