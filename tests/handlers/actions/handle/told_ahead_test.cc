// A rule that only tells is heard also where another one ends its match in the same event (P4, A5).
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::told_ahead_test {
namespace {

constexpr const char* kTells = R"(
  {"name": "no-owner", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
                                 "tags": {"owner": [{"exists": false}]}},
   "actions": ["notify"]})";
constexpr const char* kMarks = R"(
  {"name": "mark", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
                             "tags": {"owner": [{"exists": false}]}},
   "actions": [{"tag": {"owner": "unknown"}}]})";
constexpr const char* kMarksAndTells = R"(
  {"name": "mark", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
                             "tags": {"owner": [{"exists": false}]}},
   "actions": [{"tag": {"owner": "unknown"}}, "notify"]})";
constexpr const char* kRestarts = R"(
  {"name": "again", "match": {"job": {"TrainingJobStatus": ["InProgress"],
                                      "ResourceConfig": {"InstanceType": ["ml.p5.48xlarge"]}}},
   "actions": [{"restart": {"spot": false}}, "notify"]})";

class ToldAheadTest : public ActionTest {
 protected:
  std::vector<std::string> rules_told() const {
    std::vector<std::string> out;
    for (const auto& message : aws_.notices())
      for (const auto& one : message.attributes)
        if (one.name == "rule") out.push_back(one.value);
    std::ranges::sort(out);
    return out;
  }
  std::string told_of(std::string_view rule) const {
    for (const auto& message : aws_.notices())
      for (const auto& one : message.attributes)
        if (one.name == "rule" && one.value == rule) return message.subject + "\n" + message.body;
    return "";
  }
  static std::string both(const char* one, const char* other) {
    return std::string(one) + "," + other;
  }
  using Rules = std::vector<std::string>;
};

TEST_F(ToldAheadTest, P4_ANoticeIsNotLostToTheStopOfAnotherRule) {
  for (const bool stop_first : {false, true}) {
    aws_.place({.name = stop_first ? "job-2" : "job-1", .type = "ml.p5.48xlarge"});
    const rules::JobEvent twice = event(stop_first ? "job-2" : "job-1");
    const rules::Policy both_rules = policy(stop_first ? both(kNoP5, kTells) : both(kTells, kNoP5));
    const std::size_t before = aws_.notices().size();
    const Record record = handle(both_rules, twice);
    EXPECT_FALSE(record.failure());
    EXPECT_EQ(kind(record, stop_first ? 1 : 0, 0), Kind::kNotified);
    EXPECT_EQ(aws_.notices().size(), before + 2);
    EXPECT_EQ(aws_.status(twice.job_name), "Stopping");
    // Once each, however often the event comes.
    aws_.pass(minutes(1));
    EXPECT_FALSE(handle(both_rules, twice).failure());
    EXPECT_EQ(aws_.notices().size(), before + 2);
  }
  EXPECT_EQ(aws_.count("StopTrainingJob"), 2);
  // It says whose doing the stop is.
  EXPECT_NE(told_of("no-owner").find("the rule no-p5 asks for its stop"), std::string::npos)
      << told_of("no-owner");
  EXPECT_EQ(told_of("no-owner").find("The job was not stopped"), std::string::npos);
}

TEST_F(ToldAheadTest, P4_NorInTheModeNotify) {
  aws_.place(kP5);
  const std::string soft =
      R"({"name":"soft","mode":"notify","match":{"job":{"TrainingJobStatus":["InProgress"]}},)"
      R"("actions":["stop","notify"]})";
  handle(both(kNoP5, soft.c_str()));
  EXPECT_EQ(rules_told(), (Rules{"no-p5", "soft"}));
  EXPECT_NE(told_of("soft").find("By this rule nothing was stopped: the mode is notify"),
            std::string::npos)
      << told_of("soft");
  EXPECT_NE(told_of("soft").find("The rule no-p5 asks for the job's stop"), std::string::npos);
}

TEST_F(ToldAheadTest, P4_NorIsThatOfARestartWhichAStopBeats) {
  aws_.place(kP5);
  const Record record = handle(both(kRestarts, kNoP5));
  EXPECT_EQ(record.dropped.size(), 1U);
  EXPECT_EQ(rules_told(), (Rules{"again", "no-p5"}));
  EXPECT_NE(told_of("again").find("own restart is not done, since the rule no-p5 asks"),
            std::string::npos)
      << told_of("again");
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

TEST_F(ToldAheadTest, P4_NorToATagThatAnotherRuleWrites) {
  aws_.place({});
  handle(both(kMarks, kTells));
  EXPECT_EQ(rules_told(), Rules{"no-owner"});
  EXPECT_EQ(aws_.tag("job-1", "owner"), "unknown");
}

TEST_F(ToldAheadTest, A5_NorToTheRulesOwnTag) {
  aws_.place({});
  handle(kMarksAndTells);
  EXPECT_EQ(rules_told(), Rules{"mark"});
  EXPECT_EQ(aws_.tag("job-1", "owner"), "unknown");
}

// The claim is in the table before the stop: a later delivery, or a sweep, sends it.
TEST_F(ToldAheadTest, A5_AFunctionThatDiesAfterTheStopLosesNoNotice) {
  aws_.place(kP5);
  const rules::JobEvent twice = event();
  aws_.before("Publish", [] { throw testing::Killed{}; });
  EXPECT_THROW(handle(policy(both(kTells, kNoP5)), twice), testing::Killed);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
  EXPECT_TRUE(aws_.notices().empty());
  aws_.pass(minutes(3));
  for (int i = 0; i < 2; ++i) handle(policy(both(kTells, kNoP5)), twice);
  EXPECT_EQ(rules_told(), (Rules{"no-owner", "no-p5"}));
}

// And it is not in the way of the stop.
TEST_F(ToldAheadTest, A1_ATopicThatIsDownKeepsNoJobFromBeingStopped) {
  aws_.place(kP5);
  aws_.refuse("Publish", {500, "InternalError", "down"});
  aws_.before("StopTrainingJob", [&] { EXPECT_EQ(aws_.count("Publish"), 0); });
  EXPECT_TRUE(handle(both(kTells, kNoP5)).failure());
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

// What is not so when it is looked at again is not told.
TEST_F(ToldAheadTest, A5_NobodyIsToldOfATagThatIsOnlyLate) {
  aws_.place(kP5);
  aws_.before("ListTags", [&] { aws_.tag_job("job-1", "owner", "jo"); }, 2);
  handle(both(kTells, kNoP5));
  EXPECT_EQ(rules_told(), Rules{"no-p5"});
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

TEST_F(ToldAheadTest, P3_NorOfARuleThatOnlyObserves) {
  aws_.place(kP5);
  const std::string quiet =
      R"({"name":"quiet","mode":"observe","match":{"job":{"TrainingJobStatus":["InProgress"]}},)"
      R"("actions":["notify"]})";
  handle(both(quiet.c_str(), kNoP5));
  EXPECT_EQ(rules_told(), Rules{"no-p5"});
}

TEST_F(ToldAheadTest, A5_TwoRulesThatOnlyTellCostWhatTheyDid) {
  aws_.place({});
  const std::string other =
      R"({"name":"other","match":{"tags":{"team":[{"exists":false}]}},"actions":["notify"]})";
  handle(both(kTells, other.c_str()));
  const auto alone = aws_.count("GetItem");
  EXPECT_EQ(aws_.notices().size(), 2U);
  aws_.place({.name = "job-2"});
  handle(policy(kTells), event("job-2"));
  EXPECT_LE(alone, 2 * (aws_.count("GetItem") - alone));
}

}  // namespace
}  // namespace trainwarden::actions::told_ahead_test
