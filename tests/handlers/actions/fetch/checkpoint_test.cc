// Checkpoints that are not written (policy.md F13), and what a restart says of them.
#include "handlers/actions/fetch/checkpoint.h"

#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::checkpoint_test {
namespace {

constexpr const char* kThreeHours = R"(
  {"name": "overdue", "match": [
     {"job": {"TrainingJobStatus": ["InProgress"]},
      "checkpoint": {"age_seconds": [{"numeric": [">", 10800]}]}},
     {"job": {"TrainingJobStatus": ["InProgress"]}, "checkpoint": {"exists": [false]},
      "spot": {"training_seconds": [{"numeric": [">", 10800]}]}}],
   "actions": ["notify"]})";
constexpr const char* kAgain = R"(
  {"name": "again", "match": {"job": {"TrainingJobStatus": ["InProgress", "Failed"]}},
   "actions": [{"restart": {}}, "notify"]})";
constexpr const char* kWrites = R"(,"CheckpointConfig":{"S3Uri":"s3://models/run-1"})";

class CheckpointTest : public SweepTest {
 protected:
  void train(seconds since = hours(5), const std::string& more = kWrites) {
    aws_.place({.age = since + minutes(5), .since = since, .more = more});
    aws_.s3().place_bucket("models", testing::kRegion);
  }
  void write(const std::string& key, seconds before, std::int64_t size = 7) {
    aws_.s3().put("models", key, clock_.now() - before, size);
  }
  bool is_overdue(const std::string& rules = kThreeHours) {
    return handle(rules, "observe").decisions.size() == 1;
  }
  bool is_skipped(const std::string& rules = kThreeHours) {
    const Record record = handle(rules, "observe");
    if (record.skipped.size() != 1) return false;
    why_ = rules::text(record.skipped[0]);
    comes_again_ = record.failure().has_value();
    return record.decisions.empty();
  }

  std::string why_;
  bool comes_again_ = false;
};

TEST_F(CheckpointTest, F13_TheNewestObjectCountsWhereverItLies) {
  train();
  write("run-1/step-100/shard-0", hours(4));
  EXPECT_TRUE(is_overdue());
  write("run-1/step-200/shard-0", hours(2));
  write("run-1/step-300/shard-0", hours(4));
  EXPECT_FALSE(is_overdue());
  write("run-1/step-200/shard-0", hours(3));  // to the second
  EXPECT_FALSE(is_overdue());
  aws_.pass(seconds(1));
  EXPECT_TRUE(is_overdue());
}

TEST_F(CheckpointTest, F13_WhatLiesBesideTheFolderIsNoCheckpoint) {
  train();
  write("run-1-b/step-1", minutes(1));
  write("run-1", minutes(1));
  write("run-1/", minutes(1), 0);  // the folder, as a console makes it
  write("run-1/logs/", minutes(1), 0);
  EXPECT_TRUE(is_overdue());
  EXPECT_EQ(handle(kThreeHours, "observe").decisions[0].decision.because[2].path(),
            "checkpoint.exists");
  write("run-1/empty", minutes(1), 0);
  EXPECT_FALSE(is_overdue());
}

TEST_F(CheckpointTest, F13_AJobThatResumedHasItsSegmentToWriteOne) {
  train(hours(9));
  write("run-1/a", hours(8));
  EXPECT_TRUE(is_overdue());
  aws_.enter("job-1", "Interrupted");
  EXPECT_FALSE(is_overdue());  // nobody writes now
  aws_.enter("job-1", "Training");
  EXPECT_FALSE(is_overdue());
  aws_.pass(hours(3));
  EXPECT_FALSE(is_overdue());
  aws_.pass(seconds(2));
  EXPECT_TRUE(is_overdue());
}

TEST_F(CheckpointTest, F13_WithoutACheckpointConfigThereIsNothingToSayAndToAsk) {
  train(hours(5), "");
  EXPECT_FALSE(is_overdue());
  EXPECT_FALSE(is_skipped());
  EXPECT_TRUE(
      is_overdue(R"({"name": "none", "match": {"checkpoint": {"exists": [{"exists": false}]}},
                             "actions": ["notify"]})"));
  EXPECT_EQ(aws_.count("ListObjectsV2"), 0);
}

TEST_F(CheckpointTest, F6_S3IsAskedOnlyWhereTheRestOfTheRuleHolds) {
  train();
  EXPECT_FALSE(is_overdue(R"({"name": "r", "match": {"tags": {"team": ["vision"]},
      "checkpoint": {"exists": [false]}}, "actions": ["notify"]})"));
  EXPECT_FALSE(is_overdue(R"({"name": "r", "match": {"job": {"TrainingJobStatus": ["Failed"]},
      "checkpoint": {"exists": [false]}}, "actions": ["notify"]})"));
  EXPECT_EQ(aws_.count("ListObjectsV2"), 0);
  EXPECT_TRUE(is_overdue());
  EXPECT_EQ(aws_.count("ListObjectsV2"), 1);
}

TEST_F(CheckpointTest, F1_WhatCannotBeListedIsNoMissingCheckpointAndBringsNoEventBack) {
  train();
  aws_.refuse("ListObjectsV2", kDenied);
  EXPECT_TRUE(is_skipped());
  EXPECT_FALSE(comes_again_);
  EXPECT_NE(why_.find("AccessDenied"), std::string::npos) << why_;
  aws_.s3().clear();
  EXPECT_TRUE(is_skipped());
  EXPECT_FALSE(comes_again_);
  EXPECT_NE(why_.find("NoSuchBucket"), std::string::npos) << why_;
  aws_.s3().place_bucket("models", "us-west-2");
  EXPECT_TRUE(is_skipped());
  EXPECT_FALSE(comes_again_);
  EXPECT_NE(why_.find("us-west-2"), std::string::npos) << why_;
  train(hours(5), R"(,"CheckpointConfig":{"S3Uri":"https://models/run-1"})");
  EXPECT_TRUE(is_skipped());
  EXPECT_FALSE(comes_again_);
  // What may pass is tried again.
  train();
  aws_.refuse("ListObjectsV2", testing::kThrottled);
  EXPECT_TRUE(is_skipped());
  EXPECT_TRUE(comes_again_);
}

TEST_F(CheckpointTest, P6_OnlyBucketsThatAreNamedAreListed) {
  train();
  for (const std::string other : {"model", "models-2", "m-*", "none-is-named"}) {
    config_.checkpoint_buckets = {other};
    EXPECT_TRUE(is_skipped()) << other;
    EXPECT_FALSE(comes_again_);
    EXPECT_NE(why_.find("TRAINWARDEN_CHECKPOINT_BUCKETS"), std::string::npos);
  }
  EXPECT_EQ(aws_.count("ListObjectsV2"), 0);
  for (const std::string bucket : {"models", "mod*", "models*"}) {
    config_.checkpoint_buckets = {"other", bucket};
    EXPECT_TRUE(is_overdue()) << bucket;
  }
}

TEST_F(CheckpointTest, F13_PagesAreFollowedUpToABound) {
  train();
  for (int i = 0; i < 1500; ++i) write(fmt::format("run-1/{:05}", i), hours(4));
  EXPECT_TRUE(is_overdue());
  write("run-1/zz", hours(1));  // on the second page
  EXPECT_FALSE(is_overdue());
  EXPECT_EQ(aws_.count("ListObjectsV2"), 4);
  for (int i = 1500; i < 20'000; ++i) write(fmt::format("run-1/{:05}", i), hours(4));
  EXPECT_TRUE(is_skipped());
  EXPECT_FALSE(comes_again_);
  EXPECT_NE(why_.find("20000"), std::string::npos) << why_;
}

TEST_F(CheckpointTest, S1_ASweepFindsIt) {
  train();
  write("run-1/a", hours(4));
  run(kThreeHours);
  EXPECT_EQ(subject().find("Trainwarden: job-1 matches overdue: checkpoint.age_seconds is 14400 s"),
            0U)
      << subject();
  EXPECT_TRUE(told("checkpoint.age_seconds is 14400 s (the rule asks for more than 10800 s)"));
}

TEST_F(CheckpointTest, A5_ARestartSaysWhatTheCopyGoesOnFrom) {
  aws_.s3().place_bucket("models", testing::kRegion);
  const auto restarted = [this](const std::string& name, const std::string& more) {
    aws_.place({.name = name,
                .status = "Failed",
                .secondary = "Failed",
                .since = minutes(1),
                .more = more});
    const Record record = handle(policy(kAgain), event(name));
    EXPECT_EQ(kind(record), Kind::kCopied);
    return record;
  };
  const auto says = [this](const Record& record, const std::string& text) {
    return told(text) && rules::text(outcome(record).result).ends_with(text);
  };
  EXPECT_TRUE(says(restarted("nothing", kWrites), "nothing lies at its CheckpointConfig.S3Uri"));
  write("run-2/a", minutes(50));
  write("run-2/b", minutes(40));
  EXPECT_TRUE(says(restarted("some", R"(,"CheckpointConfig":{"S3Uri":"s3://models/run-2/"})"),
                   "its newest checkpoint is of " + ago(minutes(40))));
  EXPECT_TRUE(says(restarted("none", ""), "it has no CheckpointConfig"));
  // Nothing is said of what nobody knows.
  const Record unknown = restarted("elsewhere", R"(,"CheckpointConfig":{"S3Uri":"s3://theirs/x"})");
  EXPECT_TRUE(says(unknown, "copied as " + aws_.created().back()));
}

TEST_F(CheckpointTest, A5_SoDoesOneThatStopsTheJobFirst) {
  train();
  write("run-1/a", minutes(20));
  const std::string from = "its newest checkpoint is of " + ago(minutes(20));
  const Record record = handle(kAgain);
  EXPECT_EQ(kind(record), Kind::kStoppingToCopy);
  EXPECT_TRUE(rules::text(outcome(record).result).ends_with(from));
  EXPECT_TRUE(told(from));
  aws_.pass(minutes(2));
  const Record end = handle(kAgain);
  ASSERT_TRUE(end.restart);
  EXPECT_EQ(end.restart->result.kind, Kind::kCopied);
  EXPECT_TRUE(rules::text(end.restart->result).ends_with(from));
}

TEST_F(CheckpointTest, A2_WhatS3SaysKeepsNoCopyFromBeingMade) {
  for (const localaws::AwsError& error : {kDenied, testing::kFault, testing::kThrottled}) {
    aws_.place({.status = "Failed", .secondary = "Failed", .since = minutes(1), .more = kWrites});
    aws_.refuse("ListObjectsV2", error);
    const Record record = handle(kAgain);
    EXPECT_TRUE(outcome(record).result.has_copy());
    EXPECT_FALSE(record.failure());
  }
  EXPECT_EQ(aws_.created().size(), 1U);
}

}  // namespace
}  // namespace trainwarden::actions::checkpoint_test
