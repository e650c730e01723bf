// What a sweep leaves alone below enforce (P3): the weaker mode of the policy and of the stack
// counts for everything but alarms, pending copies and the weekly report.
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_mode_test {
namespace {

using rules::Mode;

constexpr const char* kAgain = R"(
  {"name": "again", "match": {"job": {"TrainingJobStatus": ["InProgress", "Failed"]},
                              "tags": {"model_name": [{"exists": false}]}},
   "actions": [{"restart": {}}, "notify"]})";

constexpr const char* kObserves = R"(
  {"name": "observes", "mode": "observe", "actions": ["stop"],
   "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"team": [{"exists": false}]}}})";

constexpr const char* kNothing = R"(
  {"name": "never", "match": {"job": {"TrainingJobName": ["?"]}}, "actions": ["stop"]})";

class SweepMode : public SweepTest {
 protected:
  std::string table() { return aws_.dynamodb().items_json(); }
  void pass(seconds time) {
    clock_.advance(time);
    request_ = fmt::format("request-{}", ++requests_);
  }
  // A sweep and the job's event, with each pair of modes of which the weaker one only observes.
  void observe(const std::string& rules) {
    for (const auto& [of_policy, of_stack] :
         std::initializer_list<std::pair<const char*, Mode>>{{"observe", Mode::kEnforce},
                                                             {"observe", Mode::kNotify},
                                                             {"enforce", Mode::kObserve}}) {
      ceiling_ = of_stack;
      run(policy(rules, of_policy));
      for (const char* const job : {"job-1", "job-2"})
        if (aws_.find(job) != nullptr) handle(policy(rules, of_policy), event(job));
    }
    ceiling_ = Mode::kEnforce;
  }

 private:
  int requests_ = 1;
};

TEST_F(SweepMode, P3_WhereListsStoodIsWrittenDownByThoseThatEnforce) {
  left_ = seconds(320);
  for (int i = 0; i < 450; ++i)
    aws_.place({.name = fmt::format("job-{}", i), .age = minutes(1000 - i), .tags = kOrderly});
  const auto cut = [&](const char* of_policy, Mode of_stack, const char* rules = kTeam) {
    ceiling_ = of_stack;
    aws_.slow("Search", seconds(30), 4);
    EXPECT_TRUE(run(policy(rules, of_policy)).incomplete);
    aws_.faults = localaws::Faults();
    return aws_.count("PutItem");
  };
  EXPECT_EQ(cut("observe", Mode::kEnforce), 0);
  EXPECT_EQ(cut("notify", Mode::kEnforce), 0);
  EXPECT_EQ(cut("enforce", Mode::kNotify), 0);
  EXPECT_EQ(cut("enforce", Mode::kObserve), 0);
  EXPECT_EQ(cut("enforce", Mode::kEnforce, kObserves), 0);
  EXPECT_EQ(cut("enforce", Mode::kEnforce), 1);
}

TEST_F(SweepMode, P3_AClaimedNoticeWaitsForThoseThatTell) {
  aws_.place(kP5);
  aws_.refuse("Publish", kDenied);
  handle(kNoP5);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
  pass(minutes(3));
  const std::string before = table();
  observe(kNoP5);
  EXPECT_EQ(table(), before);
  EXPECT_TRUE(aws_.notices().empty());
  run(policy(kNoP5, "notify"));
  EXPECT_EQ(aws_.notices().size(), 1U);
  EXPECT_NE(table(), before);
}

TEST_F(SweepMode, P3_SoDoesADigest) {
  const rules::Policy none = policy(kNoP5, "enforce", R"("limits":{"stops_per_hour":0},)");
  aws_.place(kP5);
  handle(none);
  pass(minutes(1));
  run(limited(kNoP5, 0));  // another limit, within the hour
  ASSERT_EQ(aws_.notices().size(), 1U);
  pass(minutes(61));
  const std::string before = table();
  observe(kNoP5);
  EXPECT_EQ(table(), before);
  EXPECT_EQ(aws_.notices().size(), 1U);
  run(policy(kNothing, "notify"));
  EXPECT_EQ(attribute("outcome"), "digest");
}

TEST_F(SweepMode, P3_CopiesThatWaitTheirTurnWaitForThoseThatEnforce) {
  place_ended("job-1", "Failed", seconds(0), R"(,"FailureReason":"InternalServerError: x")", {});
  const rules::Policy none = policy(kAgain, "enforce", R"("limits":{"restarts_per_hour":0},)");
  EXPECT_EQ(kind(handle(none)), Kind::kHeldBack);
  ASSERT_TRUE(table().contains("turn/job-1"));
  pass(minutes(15));
  const std::string before = table();
  observe(kAgain);
  EXPECT_EQ(table(), before);
  EXPECT_TRUE(aws_.created().empty());
  run(kAgain);
  EXPECT_EQ(aws_.created().size(), 1U);
}

// Half a restart is worse than either end: the copy is made. It is not told of.
TEST_F(SweepMode, P3_APendingCopyIsMadeWhateverThePolicySaysAndNobodyIsTold) {
  for (const char* const rules : {kAgain, kNoP5}) {  // the second no longer has the rule
    aws_.place({});
    EXPECT_EQ(kind(handle(kAgain)), Kind::kStoppingToCopy);
    aws_.pass(minutes(2));
    ASSERT_EQ(aws_.status("job-1"), "Stopped");
    const std::size_t told = aws_.notices().size();
    const std::size_t made = aws_.created().size();
    aws_.refuse("CreateTrainingJob", {400, "ResourceLimitExceeded", "none are left"}, 1);
    request_ = "later";
    run(policy(rules, "observe"));
    EXPECT_EQ(aws_.created().size(), made);
    pass(minutes(15));
    run(policy(rules, "observe"));
    EXPECT_EQ(aws_.created().size(), made + 1);
    EXPECT_EQ(aws_.notices().size(), told);
  }
}

}  // namespace
}  // namespace trainwarden::actions::sweep_mode_test
