// The action tag (A5).
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::tag_test {
namespace {

constexpr const char* kMark = R"(
  {"name": "mark", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"team": [{"exists": false}]}},
   "actions": [{"tag": {"team": "unknown"}}]})";

class TagTest : public ActionTest {};

TEST_F(TagTest, A5_TagsAreWrittenWhereTheyAreNotSo) {
  aws_.place({.tags = {{"x", "y"}}});
  EXPECT_EQ(kind(handle(kMark)), Kind::kTagged);
  EXPECT_EQ(aws_.tag("job-1", "team"), "unknown");
  EXPECT_EQ(aws_.tag("job-1", "x"), "y");
}

TEST_F(TagTest, A5_ATagThatArrivesLateIsNotOverwritten) {
  aws_.place({});
  aws_.before("ListTags", [&] { aws_.tag_job("job-1", "team", "vision"); }, 2);
  EXPECT_TRUE(because(handle(kMark), Why::kNoLongerMatches));
  EXPECT_EQ(aws_.tag("job-1", "team"), "vision");
}

TEST_F(TagTest, A5_TagsThatAreThereCostNoFurtherCall) {
  aws_.place({.tags = {{"team", "unknown"}}});
  EXPECT_EQ(kind(handle(R"({"name":"mark","match":{"tags":{"team":["unknown"]}},)"
                        R"("actions":[{"tag":{"team":"unknown"}}]})")),
            Kind::kTaggedBefore);
  EXPECT_EQ(aws_.calls, std::vector<std::string>{"ListTags"});
}

TEST_F(TagTest, P3_InNotifyModeNothingIsTagged) {
  aws_.place({});
  EXPECT_TRUE(because(handle(kMark, "notify"), Why::kModeIsNotify));
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(TagTest, A5_TagsComeBeforeTheStopOfTheSameEvent) {
  const std::string stops = R"({"name":"s","match":{"job":{"TrainingJobStatus":["InProgress"]},)"
                            R"("tags":{"username":[{"exists":false}]}},"actions":["stop"]},)";
  aws_.place({});
  aws_.before("StopTrainingJob", [&] { EXPECT_EQ(aws_.tag("job-1", "team"), "unknown"); });
  const Record record = handle(stops + kMark);
  EXPECT_EQ(kind(record, 0), Kind::kStopped);
  EXPECT_EQ(kind(record, 1), Kind::kTagged);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

TEST_F(TagTest, A5_AJobThatIsFullOfTagsIsNoReasonToTryAgain) {
  aws_.place({.tags = full_of_tags()});
  const Record record = handle(kMark);
  EXPECT_EQ(kind(record), Kind::kRefused);
  EXPECT_FALSE(record.failure());
}

}  // namespace
}  // namespace trainwarden::actions::tag_test
