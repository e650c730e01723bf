// The machines that a copy is asked for in turn, and quotas that never let it have them.
#include "handlers/rules/restart/machines_in_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::machines_in_order_test {
namespace {

constexpr const char* kSpotA =
    R"({"TrainingJobStatus": "Stopped", "EnableManagedSpotTraining": true,
        "ResourceConfig": {"InstanceType": "ml.a.large", "InstanceCount": 2}})";
constexpr const char* kNoCapacity =
    R"({"TrainingJobStatus": "Failed", "EnableManagedSpotTraining": true,
        "FailureReason": "CapacityError: Unable to provision requested ML compute capacity.",
        "ResourceConfig": {"InstanceType": "ml.a.large", "InstanceCount": 2}})";
constexpr const char* kGroups =
    R"({"TrainingJobStatus": "InProgress", "ResourceConfig": {"InstanceGroups": [
        {"InstanceType": "ml.a.large", "InstanceCount": 2, "InstanceGroupName": "g"},
        {"InstanceType": "ml.a.large", "InstanceCount": 3, "InstanceGroupName": "h"},
        {"InstanceType": "ml.b.large", "InstanceCount": 1, "InstanceGroupName": "i"}]}})";
constexpr const char* kServerless = R"({"TrainingJobStatus": "InProgress",
        "ServerlessJobConfig": {"JobType": "FineTuning"}})";

struct Asked {
  std::optional<bool> spot = {};
  std::vector<std::string> types = {};
  CopySettings settings = {};

  AskedMachines machines() const { return {spot, types, settings}; }
};

std::string in_order(const char* describe, const Asked& asked, bool or_own = true) {
  const auto document = test::doc(describe);
  const TrainingJob job = read_training_job(document.root());
  std::string out;
  for (const CopyChanges& changes :
       or_own ? machines_or_own(job, asked.machines()) : machines_in_order(job, asked.machines()))
    out += fmt::format("{}{}", out.empty() ? "" : "; ", machines_text(job, changes));
  return out;
}

TEST(MachinesInTurn, A4_TheListAndThenTheJobsOwn) {
  const std::vector<std::string> list = {"ml.b.large", "ml.c.large"};
  EXPECT_EQ(in_order(kSpotA, {.spot = false}), "2 × ml.a.large on demand; 2 × ml.a.large on spot");
  EXPECT_EQ(in_order(kSpotA, {.types = list}),
            "2 × ml.b.large on spot; 2 × ml.c.large on spot; 2 × ml.a.large on spot");
  EXPECT_EQ(in_order(kSpotA, {.spot = false, .types = list}),
            "2 × ml.b.large on demand; 2 × ml.c.large on demand; 2 × ml.a.large on spot");
  EXPECT_EQ(in_order(kSpotA, {.types = {"ml.b.large", "ml.a.large", "ml.c.large"}}),
            "2 × ml.a.large on spot; 2 × ml.c.large on spot");
  EXPECT_EQ(in_order(kSpotA, {.settings = {.instance_count = 4}}),
            "4 × ml.a.large on spot; 2 × ml.a.large on spot");
  EXPECT_EQ(in_order(kSpotA, {.spot = true, .settings = {.max_runtime_seconds = 5}}),
            "2 × ml.a.large on spot");
}

TEST(MachinesInTurn, A4_NotItsOwnAfterACapacityErrorNorWhereItEndedByItself) {
  EXPECT_EQ(in_order(kNoCapacity, {.types = {"ml.a.large", "ml.b.large"}}),
            "2 × ml.b.large on spot");
  EXPECT_EQ(in_order(kSpotA, {.spot = false}, false), "2 × ml.a.large on demand");
}

TEST(MachinesInTurn, A4_GroupsAndServerlessJobsHaveNoOtherTypes) {
  EXPECT_EQ(in_order(kGroups, {.spot = true, .types = {"ml.c.large"}}),
            "5 × ml.a.large on spot, 1 × ml.b.large on spot; "
            "5 × ml.a.large on demand, 1 × ml.b.large on demand");
  EXPECT_EQ(in_order(kServerless, {.spot = true, .types = {"ml.c.large"}}), "");
}

bool moves(const char* describe, const Asked& asked) {
  const auto document = test::doc(describe);
  const TrainingJob job = read_training_job(document.root());
  return is_move(job, machines_in_order(job, asked.machines()).front());
}

TEST(MachinesInTurn, A4_AMoveNeedsWhatTheJobHasNot) {
  EXPECT_TRUE(moves(kSpotA, {.spot = false}));
  EXPECT_TRUE(moves(kSpotA, {.types = {"ml.b.large"}}));
  EXPECT_TRUE(moves(kSpotA, {.settings = {.instance_count = 3}}));
  EXPECT_TRUE(moves(kGroups, {.spot = true}));
  EXPECT_FALSE(moves(kSpotA, {}));
  EXPECT_FALSE(moves(kSpotA, {.spot = true, .types = {"ml.a.large", "ml.b.large"}}));
  EXPECT_FALSE(moves(kSpotA, {.settings = {.instance_count = 1}}));
  EXPECT_FALSE(moves(kGroups, {.types = {"ml.c.large"}}));
  EXPECT_FALSE(moves(kServerless, {.spot = true}));
}

std::string never(const char* describe, const Asked& asked, const MachineCounts& quotas) {
  const auto document = test::doc(describe);
  const TrainingJob job = read_training_job(document.root());
  const auto why = why_never(job, machines_in_order(job, asked.machines()), quotas);
  return why ? text(*why) : "may be";
}

TEST(MachinesInTurn, A4_AQuotaBelowTheCountRefuses) {
  const Asked on_demand{.spot = false};
  const MachineKind kind{"ml.a.large", false};
  EXPECT_EQ(never(kSpotA, on_demand, {{kind, 1}}),
            "the copy would need 2 machines, and the account's quota \"ml.a.large for training job "
            "usage\" is 1: ask Service Quotas for more, or the restart for others");
  EXPECT_NE(never(kSpotA, on_demand, {{kind, 0}}), "may be");
  EXPECT_EQ(never(kSpotA, on_demand, {{kind, 2}}), "may be");
  // Not known, and the other market's.
  EXPECT_EQ(never(kSpotA, on_demand, {}), "may be");
  EXPECT_EQ(never(kSpotA, on_demand, {{{"ml.a.large", true}, 0}}), "may be");
  EXPECT_NE(never(kSpotA, {.spot = false, .settings = {.instance_count = 3}}, {{kind, 2}}),
            "may be");
}

TEST(MachinesInTurn, A4_OneTypeOfTheListThatFitsIsEnough) {
  const Asked asked{.types = {"ml.b.large", "ml.c.large"}};
  const MachineKind b{"ml.b.large", true};
  const MachineKind c{"ml.c.large", true};
  EXPECT_NE(never(kSpotA, asked, {{b, 0}, {c, 1}}).find("ml.b.large for spot"), std::string::npos);
  EXPECT_EQ(never(kSpotA, asked, {{b, 0}, {c, 2}}), "may be");
  EXPECT_EQ(never(kSpotA, asked, {{b, 0}}), "may be");
}

TEST(MachinesInTurn, A4_GroupsOfOneTypeShareItsQuota) {
  const Asked asked{.spot = true};
  EXPECT_NE(never(kGroups, asked, {{{"ml.a.large", true}, 4}}).find("would need 5"),
            std::string::npos);
  EXPECT_EQ(never(kGroups, asked, {{{"ml.a.large", true}, 5}}), "may be");
  EXPECT_NE(never(kGroups, asked, {{{"ml.a.large", true}, 5}, {{"ml.b.large", true}, 0}}),
            "may be");
}

std::string allowed(const char* describe, const Asked& asked,
                    const std::vector<std::string>& types) {
  const auto document = test::doc(describe);
  const TrainingJob job = read_training_job(document.root());
  const auto why = why_not_allowed(job, machines_in_order(job, asked.machines()), types);
  return why ? text(*why) : "may be";
}

TEST(MachinesInTurn, A2_TypesThatTheFunctionsMayNotAskForRefuse) {
  EXPECT_EQ(allowed(kSpotA, {}, {"ml.b.*", "ml.a.xlarge"}),
            "the copy's instance type ml.a.large is not among those of "
            "TRAINWARDEN_COPY_INSTANCE_TYPES");
  EXPECT_EQ(allowed(kServerless, {}, {"ml.*"}),
            "the copy would have no machines of its own, and TRAINWARDEN_COPY_INSTANCE_TYPES asks "
            "for one of its types");
  for (const char* const type : {"ml.a.large", "ml.*", "ml.?.large", "ml.a.*", "*large", "ml*a*e"})
    EXPECT_EQ(allowed(kSpotA, {}, {"ml.c.large", type}), "may be") << type;
  for (const char* const type : {"ml.a.larg", "ml.a.large?", "ml.a", "?", "ml.??.large", "a*"})
    EXPECT_NE(allowed(kSpotA, {}, {type}), "may be") << type;
  // Without a list anything goes.
  EXPECT_EQ(allowed(kSpotA, {}, {}), "may be");
  EXPECT_EQ(allowed(kServerless, {}, {}), "may be");
}

TEST(MachinesInTurn, A2_OneTypeOfTheRestartsListThatIsAllowedIsEnough) {
  const Asked asked{.types = {"ml.b.large", "ml.c.large"}};
  EXPECT_EQ(allowed(kSpotA, asked, {"ml.c.*"}), "may be");
  // Its own is no reason to stop a job that is to move.
  EXPECT_NE(allowed(kSpotA, asked, {"ml.a.*"}), "may be");
}

TEST(MachinesInTurn, A2_OfInstanceGroupsAllTypesMustBeAllowed) {
  EXPECT_NE(allowed(kGroups, {}, {"ml.a.*"}), "may be");
  EXPECT_EQ(allowed(kGroups, {}, {"ml.a.*", "ml.b.large"}), "may be");
}

constexpr const char* kPreferences =
    R"({"TrainingJobStatus": "InProgress", "ResourceConfig": {"InstanceCount": 2,
        "InstancePreferences": [{"InstanceType": "ml.a.large"}, {"InstanceType": "ml.b.large"}],
        "SelectedInstanceType": "ml.b.large", "SelectedInstanceCount": 2}})";

TEST(MachinesInTurn, A4_ACopyMayGetAnyOfItsPreferences) {
  EXPECT_EQ(in_order(kPreferences, {.types = {"ml.c.large"}}),
            "2 × ml.a.large on demand or 2 × ml.b.large on demand");
  EXPECT_FALSE(moves(kPreferences, {.types = {"ml.c.large"}}));
  EXPECT_TRUE(moves(kPreferences, {.settings = {.instance_count = 3}}));
}

TEST(MachinesInTurn, A4_QuotasLookAtEachPreference) {
  const auto document = test::doc(kPreferences);
  const TrainingJob job = read_training_job(document.root());
  const Asked asked{.settings = {.instance_count = 3}};
  const auto candidates = machines_in_order(job, asked.machines());
  EXPECT_FALSE(why_never(job, candidates, {{{"ml.a.large", false}, 2}}));
  EXPECT_FALSE(
      why_never(job, candidates, {{{"ml.a.large", false}, 2}, {{"ml.b.large", false}, 3}}));
  const auto why =
      why_never(job, candidates, {{{"ml.a.large", false}, 2}, {{"ml.b.large", false}, 2}});
  ASSERT_TRUE(why);
  EXPECT_EQ(why->name, "ml.a.large for training job usage");
}

}  // namespace
}  // namespace trainwarden::rules::machines_in_order_test
