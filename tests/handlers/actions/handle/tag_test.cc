// The action tag (A5).
#include "tests/handlers/actions/handle/notify_fixture.h"

namespace trainwarden::actions::notify_test {
namespace {

class TagTest : public NotifyTest {};

TEST_F(TagTest, A5_TagsAreWrittenWhereTheyAreNotSo) {
  list(tags({{"x", "y"}}));
  look(describe(), tags({{"x", "y"}}));
  transport_.expect(R"("Tags":[{"Key":"team","Value":"unknown"}])", 200);
  EXPECT_EQ(result(handle(kTags)), "tagged");
}

TEST_F(TagTest, A5_ATagThatArrivesLateIsNotOverwritten) {
  list();
  look(describe(), tags({{"team", "vision"}}));
  EXPECT_EQ(result(handle(kTags)), "not done: the rule no longer matches");
}

TEST_F(TagTest, A5_TagsThatAreThereCostNoCall) {
  list(tags({{"team", "unknown"}}));
  EXPECT_EQ(result(handle(R"({"name":"mark","match":{"tags":{"team":["unknown"]}},)"
                          R"("actions":[{"tag":{"team":"unknown"}}]})")),
            "already tagged");
}

TEST_F(TagTest, P3_InNotifyModeNothingIsTagged) {
  list();
  EXPECT_EQ(result(handle(kTags, "notify")), "not done: the mode is notify");
}

TEST_F(TagTest, A5_TagsComeBeforeTheStopOfTheSameEvent) {
  const std::string stops = R"({"name":"s","match":{"job":{"TrainingJobStatus":["InProgress"]},)"
                            R"("tags":{"team":[{"exists":false}]}},"actions":["stop"]},)";
  list();
  look(describe(), tags({}));
  transport_.expect(R"("Tags":[{"Key":"team","Value":"unknown"}])", 200);
  look(describe(), tags({})).stop();
  const Record record = handle(stops + kTags);
  EXPECT_EQ(result(record, 0, 0), "stopped");
  EXPECT_EQ(result(record, 0, 1), "tagged");
}

TEST_F(TagTest, A5_AJobThatIsFullOfTagsIsNoReasonToTryAgain) {
  list();
  look(describe(), tags({}));
  transport_.expect("SageMaker.AddTags", 400, kFull);
  const Record record = handle(kTags);
  EXPECT_TRUE(result(record).starts_with("refused: ")) << result(record);
  EXPECT_FALSE(record.failure());
}

}  // namespace
}  // namespace trainwarden::actions::notify_test
