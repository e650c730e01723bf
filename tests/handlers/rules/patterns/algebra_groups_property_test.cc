// F6 as properties over all groups and operators: rules made at random, from fixed seeds, of
// conditions on facts with one source, with several, and with one that is known to be needed only
// after another. What rules say is left to the other tests; here it is how verdicts come about.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::algebra_groups_property_test {
namespace {

using test::doc;
using test::kNow;

constexpr int kRounds = 3000;

struct Leaf {
  std::string_view group;
  std::string_view condition;
};

constexpr std::array<Leaf, 23> kLeaves = {{
    {"event", R"("trigger": ["state", "sweep"])"},
    {"time", R"("hour": [{"numeric": [">=", 12]}])"},
    {"alarm", R"("state": [{"exists": false}])"},
    {"job", R"("TrainingJobStatus": [{"anything-but": "Completed"}])"},
    {"job", R"("SecondaryStatus": [{"wildcard": "T*g"}])"},
    {"job", R"("RoleArn": [{"prefix": "arn:"}, {"exists": false}])"},
    {"job", R"("$or": [{"EnableNetworkIsolation": [true]}, {"FailureReason": [{"suffix": "r"}]}])"},
    {"resources", R"("gpus": [{"numeric": [">", 4]}])"},
    {"resources", R"("instance_types": [{"anything-but": {"prefix": "ml.g"}}])"},
    {"resources", R"("spot": [false])"},
    {"runtime", R"("training_seconds": [{"exists": false}])"},
    {"spot", R"("interruptions": [{"numeric": ["<", 2]}])"},
    {"cost", R"("max_usd": [{"exists": false}])"},
    {"failure", R"("kind": [{"equals-ignore-case": "capacityerror"}])"},
    {"failure", R"("label": ["capacity", {"exists": false}])"},
    {"failure", R"("resume": ["yes"])"},
    {"tags", R"("team": [{"anything-but": ["vision"]}])"},
    {"tags", R"("$or": [{"a": ["x"]}, {"team": [{"exists": false}]}])"},
    {"until", R"("keep": [{"numeric": [">", 0, "<=", 604800]}])"},
    {"until", R"("keep": [{"exists": false}, {"numeric": ["<", 0]}])"},
    {"lineage", R"("generation": [{"numeric": ["<", 2]}])"},
    {"lineage", R"("child_of": [{"exists": false}, "tuning"])"},
    {"fleet", R"("spot_timeouts_24h": [{"numeric": [">=", 2]}])"},
}};

constexpr std::array<std::string_view, 5> kJobs = {
    R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "TrainingStartTime": 1783000000,
        "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1}, "RoleArn": "arn:x"})",
    R"({"TrainingJobStatus": "Failed", "SecondaryStatus": "Failed", "RoleArn": "x",
        "FailureReason": "CapacityError: Unable to provision", "EnableManagedSpotTraining": true})",
    R"({"TrainingJobStatus": "Failed", "SecondaryStatus": "Failed",
        "FailureReason": "AlgorithmError: our error", "TuningJobArn": "arn:t"})",
    R"({"TrainingJobStatus": "Completed", "SecondaryStatus": "Completed", "EnableNetworkIsolation": true,
        "SecondaryStatusTransitions": [{"Status": "Interrupted"}, {"Status": "Interrupted"}]})",
    "{}",
};
constexpr std::array<std::string_view, 6> kTags = {"{}",
                                                   R"({"team": "vision"})",
                                                   R"({"team": "x", "a": "x"})",
                                                   R"({"team": "x", "keep": "2026-07-03"})",
                                                   R"({"a": "x", "keep": "2026-07-01"})",
                                                   R"({"trainwarden:generation": "3"})"};

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool chance(std::size_t percent) { return below(100) < percent; }

 private:
  std::mt19937 engine_;
};

// Two to four leaves, no group twice (so that no path comes twice).
std::string make_pattern(Random& random) {
  std::string out;
  std::vector<std::string_view> used;
  for (std::size_t wanted = 2 + random.below(3); wanted > 0; --wanted) {
    const Leaf& leaf = kLeaves[random.below(kLeaves.size())];
    if (std::ranges::find(used, leaf.group) != used.end()) continue;
    used.push_back(leaf.group);
    out += "\"" + std::string(leaf.group) + "\": {" + std::string(leaf.condition) + "},";
  }
  return "{" + out + "}";
}

Policy make_policy(Random& random) {
  std::string members = "\"match\": [" + make_pattern(random) + "," + make_pattern(random) + "]";
  if (random.chance(50)) members += ", \"unless\": " + make_pattern(random);
  return test::policy(test::stop_rule(members));
}

struct Snapshot {
  std::string_view job, tags;
  JobEvent event;
};

// The event tells the statuses that Describe tells, or none.
Snapshot make_snapshot(Random& random) {
  Snapshot out{kJobs[random.below(kJobs.size() - 1)], kTags[random.below(kTags.size())], {}};
  out.event.job_name = "train-1";
  const json::Document job = doc(out.job);
  if (!random.chance(70)) {
    out.event.trigger = Trigger::kSweep;
    return out;
  }
  out.event.training_job_status = job.root().find("TrainingJobStatus")->as_string();
  out.event.secondary_status = job.root().find("SecondaryStatus")->as_string();
  return out;
}

void reveal(Sources& sources, Source source, const Snapshot& snapshot, bool available) {
  if (!available || source == Source::kLogs) {
    sources.set_unavailable(source, {ErrorCode::kAccessDenied, "not allowed"});
  } else if (source == Source::kFleet) {
    sources.set(source, doc(R"({"spot_timeouts_24h": 2})"));
  } else {
    sources.set(source, doc(source == Source::kDescribe ? snapshot.job : snapshot.tags));
  }
}

RuleVerdict evaluate(const Policy& policy, const Sources& sources) {
  return evaluate_rule(policy, 0, facts_from(sources, kNow), Mode::kEnforce);
}

bool decided(Truth truth) { return truth == Truth::kTrue || truth == Truth::kFalse; }

TEST(AlgebraOfGroupsF6, RevealingMoreNeverChangesADecidedVerdict) {
  Random random(11);
  int early = 0;
  for (int i = 0; i < kRounds; ++i) {
    const Policy policy = make_policy(random);
    const Snapshot snapshot = make_snapshot(random);
    Sources sources(snapshot.event);
    std::array order = {Source::kDescribe, Source::kTags, Source::kLogs, Source::kFleet};
    if (random.chance(50)) std::swap(order[0], order[1]);
    Truth before = evaluate(policy, sources).verdict;
    early += decided(before) ? 1 : 0;
    for (Source source : order) {
      reveal(sources, source, snapshot, random.chance(75));
      const Truth after = evaluate(policy, sources).verdict;
      if (decided(before)) {
        ASSERT_EQ(name(after), name(before)) << i;
      }
      before = after;
    }
    ASSERT_NE(before, Truth::kUnknown) << i;
  }
  EXPECT_GT(early, kRounds / 40);
}

TEST(AlgebraOfGroupsF6, AskingForNeedsEndsAndNothingIsAskedTwice) {
  Random random(12);
  int logs = 0;
  int fleet = 0;
  for (int i = 0; i < kRounds; ++i) {
    const Policy policy = make_policy(random);
    const Snapshot snapshot = make_snapshot(random);
    Sources sources(snapshot.event);
    SourceSet asked;
    for (int round = 0;; ++round) {
      const RuleVerdict out = evaluate(policy, sources);
      ASSERT_EQ(out.needs.empty(), out.verdict != Truth::kUnknown) << i;
      ASSERT_EQ(out.skipped.has_value(), out.verdict == Truth::kUnavailable) << i;
      if (out.needs.empty()) break;
      ASSERT_LT(round, 3) << i;
      // Logs and the fleet only after Describe.
      for (const Source late : {Source::kLogs, Source::kFleet}) {
        ASSERT_TRUE(!out.needs.contains(late) || asked.contains(Source::kDescribe)) << i;
      }
      for (Source source : out.needs) {
        ASSERT_FALSE(asked.contains(source)) << i;
        asked.add(source);
        reveal(sources, source, snapshot, random.chance(85));
      }
    }
    logs += asked.contains(Source::kLogs) ? 1 : 0;
    fleet += asked.contains(Source::kFleet) ? 1 : 0;
  }
  EXPECT_GT(logs, 0);
  EXPECT_GT(fleet, 0);
}

TEST(AlgebraOfGroupsF6, RestsOnIsEnough) {
  Random random(13);
  int held = 0;
  for (int i = 0; i < kRounds; ++i) {
    const Policy policy = make_policy(random);
    const Snapshot snapshot = make_snapshot(random);
    Sources sources(snapshot.event);
    reveal(sources, Source::kDescribe, snapshot, true);
    reveal(sources, Source::kTags, snapshot, true);
    const RuleVerdict out = evaluate(policy, sources);
    if (out.verdict != Truth::kTrue) continue;
    ++held;
    for (Source source : {Source::kDescribe, Source::kTags}) {
      if (!out.decision->rests_on.contains(source)) sources.forget(source);
    }
    ASSERT_EQ(name(evaluate(policy, sources).verdict), "true") << i;
  }
  EXPECT_GT(held, kRounds / 20);
}

}  // namespace
}  // namespace trainwarden::rules::algebra_groups_property_test
