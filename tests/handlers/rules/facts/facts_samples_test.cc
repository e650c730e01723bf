// The fact groups of AWS's samples.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "handlers/rules/facts/facts.h"
#include "handlers/rules/job/instances.h"
#include "tests/handlers/rules/facts/facts_support.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::facts_samples_test {
namespace {

using facts_support::kNow;
using facts_support::leaves;
using facts_support::leaves_by_name;
using test::doc;

// What AWS's own events say of some jobs; their details have Describe's shape.
TEST(FactsSamples, EventsAsDescribe) {
  struct Sample {
    Group group;
    std::string_view leaves;
  };
  const std::map<std::string, Sample> samples = {
      {"spot_interrupted_4th",
       {Group::kResources,
        "accelerator = gpu; gpus = 4; gpus_per_instance = 4; instance_count = 1; instance_types = "
        "ml.g5.12xlarge; spot = true"}},
      {"failed_capacity_never_started", {Group::kFailure, "kind = CapacityError"}},
      {"failed_after_2h_internal", {Group::kFailure, "kind = InternalServerError"}},
      {"failed_algorithm_error_user_code",
       {Group::kFailure, "exit_code = 1; kind = AlgorithmError"}},
  };
  if (!std::filesystem::exists("../shared/samples/state")) {
    GTEST_SKIP() << samples.size() << " cases need ../shared/samples/state, which is not here";
  }
  for (const auto& [name, sample] : samples) {
    const json::Document event = doc(test::read_file("../shared/samples/state/" + name + ".json"));
    Sources sources(test::running());
    sources.set(Source::kDescribe, doc(json::to_text(*event.root().find("detail"))));
    const Facts facts = facts_from(sources, kNow);
    const std::string found = sample.group == Group::kResources ? leaves_by_name(facts, "resources")
                                                                : leaves(facts, sample.group);
    EXPECT_EQ(found, sample.leaves) << name;
  }
}

// Every sample, every group: nothing is negative, nothing fails.
TEST(FactsSamples, EveryGroupOfEverySample) {
  const std::filesystem::path folder = "../shared/samples/state";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "17 cases need " << folder.string() << ", which is not here";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const json::Document event = doc(test::read_file(entry.path()));
    Sources sources(test::running());
    sources.set(Source::kDescribe, doc(json::to_text(*event.root().find("detail"))));
    sources.set(Source::kTags, doc("{}"));
    const Facts facts = facts_from(sources, kNow);
    for (Group group :
         {Group::kMachines, Group::kGpus, Group::kAccelerator, Group::kResources, Group::kLauncher,
          Group::kRuntime, Group::kSpot, Group::kCost, Group::kFailure, Group::kLineage}) {
      if (!facts.lacking(group).empty()) continue;
      for (const Fields::Field& field : facts.fields(group).all()) {
        if (field.value.type != json::Type::kNumber) continue;
        EXPECT_GE(field.value.number, 0) << entry.path() << facts.fields(group).path(field);
      }
    }
  }
}

}  // namespace
}  // namespace trainwarden::rules::facts_samples_test
