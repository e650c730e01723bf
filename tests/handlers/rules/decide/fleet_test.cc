// The fleet: what counts of other jobs on the same machines.
#include "handlers/rules/decide/fleet.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::fleet_test {
namespace {

using test::doc;

// kNow is 1783000600; a day before it is 1782914200.
struct Case {
  std::string_view why;
  std::string_view job;
  std::string_view counts;  // timeouts, interruptions, capacity errors
};

constexpr Case kCases[] = {
    {"a spot job that waited in vain, and trained before",
     R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge"}, "EnableManagedSpotTraining": true,
        "TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxWaitTimeExceeded", "TrainingEndTime": 1782914200)",
     "100"},
    {"one that never started",
     R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge"}, "EnableManagedSpotTraining": true,
        "TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxWaitTimeExceeded", "LastModifiedTime": 1783000000)",
     "100"},
    {"longer ago",
     R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge"}, "EnableManagedSpotTraining": true,
        "TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxWaitTimeExceeded", "TrainingEndTime": 1782914199, "LastModifiedTime": 1783000000)",
     "000"},
    {"on other machines",
     R"("ResourceConfig": {"InstanceType": "ml.g5.xlarge"}, "EnableManagedSpotTraining": true,
        "TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxWaitTimeExceeded", "TrainingEndTime": 1783000000)",
     "000"},
    {"on one of ours, in a group",
     R"("ResourceConfig": {"InstanceType": null, "InstanceCount": 0, "InstanceGroups": [
        {"InstanceType": "ml.c5.xlarge", "InstanceCount": 1}, {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1}]},
        "EnableManagedSpotTraining": true, "TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxWaitTimeExceeded", "TrainingEndTime": 1783000000)",
     "100"},
    {"interruptions count, not jobs; within a day, whether it goes on or not",
     R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge"}, "EnableManagedSpotTraining": true,
        "TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "SecondaryStatusTransitions": [
        {"Status": "Interrupted", "StartTime": 1782914199}, {"Status": "Training", "StartTime": 1782914300},
        {"Status": "Interrupted", "StartTime": 1782914400}, {"Status": "Interrupted", "StartTime": 1782914500}])",
     "020"},
    {"no capacity, on-demand too",
     R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge"}, "TrainingJobStatus": "Failed",
        "FailureReason": "CapacityError: Unable to provision requested ML compute capacity.", "LastModifiedTime": 1783000000)",
     "001"},
    {"failed of something else",
     R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge"}, "TrainingJobStatus": "Failed",
        "FailureReason": "AlgorithmError: exit code 1", "LastModifiedTime": 1783000000)",
     "000"},
    {"nobody says when",
     R"("ResourceConfig": {"InstanceType": "ml.p4d.24xlarge"}, "TrainingJobStatus": "Failed",
        "FailureReason": "CapacityError: x")",
     "000"},
    {"odd", R"("ResourceConfig": 7, "SecondaryStatusTransitions": {})", "000"},
};

std::string counts(FleetCount& fleet) {
  const json::Document document = fleet.document();
  std::string out;
  for (const json::Member count : document.root().members()) out += json::to_text(count.value);
  return out;
}

constexpr std::string_view kAsks =
    R"({"ResourceConfig": {"InstanceGroups": [{"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1},
        {"InstanceType": "ml.m5.large", "InstanceCount": 1}]}})";

TEST(Fleet, CountsWhatHappenedToOthersOnTheSameMachines) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.why));
    FleetCount fleet("train-1", read_training_job(doc(kAsks).root()), test::kNow);
    fleet.add(read_training_job(
        doc(R"({"TrainingJobName": "other", )" + std::string(c.job) + "}").root()));
    EXPECT_EQ(counts(fleet), c.counts);
    // The job that asks does not count itself.
    FleetCount own("train-1", read_training_job(doc(kAsks).root()), test::kNow);
    own.add(read_training_job(
        doc(R"({"TrainingJobName": "train-1", )" + std::string(c.job) + "}").root()));
    EXPECT_EQ(counts(own), "000");
  }
}

TEST(Fleet, FactsAreKnownAfterDescribeAndSearch) {
  Sources sources(test::running());
  EXPECT_EQ(facts_from(sources, test::kNow).lacking(Group::kFleet).names(), "describe");
  sources.set(Source::kDescribe, doc(R"({"ResourceConfig": {"InstanceType": "ml.g5.xlarge"}})"));
  EXPECT_EQ(facts_from(sources, test::kNow).lacking(Group::kFleet).names(), "fleet");
  sources.set(Source::kFleet, doc(R"({"spot_timeouts_24h": 4})"));
  const Facts facts = facts_from(sources, test::kNow);
  ASSERT_TRUE(facts.knows(Group::kFleet));
  EXPECT_EQ(facts.fields(Group::kFleet).all().size(), 1U);
}

}  // namespace
}  // namespace trainwarden::rules::fleet_test
