#include "awsapi/sagemaker.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::aws::sagemaker_test {
namespace {

using testing::ScriptedTransport;

class SageMakerTest : public ::testing::Test {
 protected:
  testing::ManualClock clock_{sys_millis(std::chrono::milliseconds(1783000213000))};
  ScriptedTransport transport_;
  Client client_{{{"AKIDEXAMPLE", Secret("secret"), Secret()},
                  "eu-central-1",
                  1,
                  Endpoints::all_at("https://api.example/")},
                 transport_,
                 clock_,
                 [] { return 0.0; }};
  SageMaker sagemaker_{client_};
  CallContext context_{Deadline::never(), "", nullptr};
};

TEST_F(SageMakerTest, ListTagsFollowsAllPages) {
  transport_.expect(R"("ResourceArn":"arn:j")", 200,
                    R"({"Tags":[{"Key":"a","Value":"1"}],"NextToken":"t+/="})");
  transport_.expect(R"("NextToken":"t+/=")", 200, R"({"Tags":[],"NextToken":"u"})");
  transport_.expect(R"("NextToken":"u")", 200, R"({"Tags":[{"Key":"b.c","Value":""}]})");
  const auto tags = sagemaker_.list_tags("arn:j", context_);
  ASSERT_TRUE(tags) << tags.error().message;
  EXPECT_EQ(json::to_text(tags->root()), R"({"a":"1","b.c":""})");
}

TEST_F(SageMakerTest, APageThatFailsFailsTheWhole) {
  transport_.expect("ListTags", 200, R"({"Tags":[{"Key":"a","Value":"1"}],"NextToken":"t"})");
  transport_.expect("ListTags", 400, R"({"__type":"AccessDeniedException"})");
  EXPECT_EQ(sagemaker_.list_tags("arn:j", context_).error().code, ErrorCode::kAccessDenied);
}

TEST_F(SageMakerTest, EndlessPagesEnd) {
  for (int i = 0; i < 21; ++i) transport_.expect("ListTags", 200, R"({"Tags":[],"NextToken":"t"})");
  EXPECT_EQ(sagemaker_.list_tags("arn:j", context_).error().code, ErrorCode::kBadResponse);
}

TEST_F(SageMakerTest, MalformedTagsAreAnErrorNotAnAbsentTag) {
  for (const char* answer :
       {R"({"Tags":{}})", R"({"Tags":[{"Key":"a"}]})", R"({"Tags":[{"Key":1,"Value":"x"}]})",
        R"({"Tags":[],"NextToken":7})"}) {
    transport_.expect("ListTags", 200, answer);
    const auto tags = sagemaker_.list_tags("arn:j", context_);
    ASSERT_FALSE(tags) << answer;
    EXPECT_EQ(tags.error().code, ErrorCode::kBadResponse) << answer;
  }
}

TEST_F(SageMakerTest, AddTagsAndStopSayWhatBotocoreSays) {
  transport_.expect(R"({"ResourceArn":"arn:j","Tags":[{"Key":"k","Value":"v"}]})", 200);
  transport_.expect(R"({"TrainingJobName":"job-1"})", 200, "");
  EXPECT_TRUE(sagemaker_.add_tags("arn:j", std::vector<Tag>{{"k", "v"}}, context_));
  EXPECT_TRUE(sagemaker_.stop_training_job(*JobName::parse("job-1"), context_));
}

// The second attempt is refused because the first, whose answer was lost, has stopped the job: that
// is no answer of "not done" (policy.md A2).
TEST_F(SageMakerTest, A2_ARefusalAfterALostAnswerDoesNotSayThatItWasNotStopped) {
  const auto stop = [&](int attempts, const std::function<void()>& first, int status,
                        const char* second) {
    Client client({{"AKIDEXAMPLE", Secret("secret"), Secret()},
                   "eu-central-1",
                   attempts,
                   Endpoints::all_at("https://api.example/")},
                  transport_, clock_, [] { return 0.0; });
    first();
    transport_.expect("StopTrainingJob", status, second);
    std::vector<CallMade> made;
    const auto stopped = SageMaker(client).stop_training_job(*JobName::parse("job-1"),
                                                             {Deadline::never(), "", &made});
    EXPECT_EQ(made.size(), 1U);
    return stopped ? std::nullopt : std::optional(stopped.error().code);
  };
  const auto lost = [&] { transport_.expect_error("StopTrainingJob", ErrorCode::kTimeout); };
  const auto broken = [&] { transport_.expect("StopTrainingJob", 500); };
  const auto throttled = [&] {
    transport_.expect("StopTrainingJob", 400, R"({"__type":"ThrottlingException"})");
  };
  const char* const stopping =
      R"({"__type":"ValidationException","message":"The request was rejected because the training job is in status Stopping."})";
  const char* const denied = R"({"__type":"AccessDeniedException","message":"no"})";
  for (const auto& unsure : {std::function<void()>(lost), std::function<void()>(broken)}) {
    EXPECT_EQ(stop(2, unsure, 400, stopping), ErrorCode::kTimeout);
    EXPECT_EQ(stop(2, unsure, 400, denied), ErrorCode::kTimeout);
    EXPECT_EQ(stop(2, unsure, 200, ""), std::nullopt);
  }
  // What was refused was not done.
  EXPECT_EQ(stop(2, throttled, 400, stopping), ErrorCode::kConflict);
  EXPECT_EQ(stop(1, [] {}, 400, stopping), ErrorCode::kConflict);
}

TEST_F(SageMakerTest, UpdateSetsHowLongTheWarmPoolIsKept) {
  const JobName job = *JobName::parse("job-1");
  transport_.expect(
      R"({"TrainingJobName":"job-1","ResourceConfig":{"KeepAlivePeriodInSeconds":0}})", 200,
      R"({"TrainingJobArn":"arn:j"})");
  EXPECT_TRUE(sagemaker_.update_training_job(job, 0, context_));
  transport_.expect("UpdateTrainingJob", 400,
                    R"({"__type":"ValidationException","message":"the warm pool is Reused"})");
  EXPECT_EQ(sagemaker_.update_training_job(job, 0, context_).error().code, ErrorCode::kRejected);
}

TEST_F(SageMakerTest, CreateGivesTheArn) {
  transport_.expect(R"({"TrainingJobName":"copy"})", 200, R"({"TrainingJobArn":"arn:copy"})");
  EXPECT_EQ(sagemaker_.create_training_job(R"({"TrainingJobName":"copy"})", context_), "arn:copy");
  transport_.expect("CreateTrainingJob", 400,
                    R"({"__type":"ResourceInUse","message":"Training job names must be unique"})");
  EXPECT_EQ(sagemaker_.create_training_job("{}", context_).error().code, ErrorCode::kConflict);
}

TEST_F(SageMakerTest, SearchAndListKeepTheirRequestOnEveryPage) {
  const auto request = json::Document::parse(R"({"Resource":"TrainingJob","MaxResults":100})");
  transport_.expect(R"({"Resource":"TrainingJob","MaxResults":100})", 200,
                    R"({"Results":[],"NextToken":"n"})");
  transport_.expect(R"({"Resource":"TrainingJob","MaxResults":100,"NextToken":"n"})", 200,
                    R"({"Results":[{}]})");
  std::size_t results = 0;
  const auto each = [&](json::Value found) -> Result<bool> {
    results += found.size();
    return true;
  };
  EXPECT_TRUE(sagemaker_.search(request->root(), each, context_));
  EXPECT_EQ(results, 1U);
}

// It does not say that nothing was found.
TEST_F(SageMakerTest, F1_ASearchWithoutResultsIsNoAnswer) {
  const auto request = json::Document::parse(R"({"Resource":"TrainingJob"})");
  for (const char* const answer : {"{}", R"({"Results":null})", R"({"Results":{}})"}) {
    transport_.expect("SageMaker.Search", 200, answer);
    const auto searched = sagemaker_.search(
        request->root(),
        [](json::Value /*results*/) -> Result<bool> {
          ADD_FAILURE() << "called without Results";
          return true;
        },
        context_);
    ASSERT_FALSE(searched) << answer;
    EXPECT_EQ(searched.error().code, ErrorCode::kBadResponse);
  }
}

TEST(JobName, IsWhatSageMakerAllows) {
  for (const char* good : {"a", "A1", "a-b", "a--b", "0",
                           "123456789012345678901234567890123456789012345678901234567890123"})
    EXPECT_TRUE(JobName::parse(good)) << good;
  for (const char* bad : {"", "-a", "a-", "a_b", "a/b", "a b", "ü", "a.b",
                          "1234567890123456789012345678901234567890123456789012345678901234"})
    EXPECT_FALSE(JobName::parse(bad)) << bad;
}

TEST(TunerName, IsWhatSageMakerAllows) {
  for (const char* good : {"a", "Xgb-Tune-1", "12345678901234567890123456789012"})
    EXPECT_TRUE(TunerName::parse(good)) << good;
  for (const char* bad : {"", "-a", "a_b", "a:b", "123456789012345678901234567890123"})
    EXPECT_FALSE(TunerName::parse(bad)) << bad;
}

TEST(TagValue, HoldsOnlyWhatATagMayHold) {
  EXPECT_EQ(tag_value("Jobs need a tag: model_name (see \"wiki\")!"),
            "Jobs need a tag: model_name  see  wiki   ");
  EXPECT_EQ(tag_value("a\nb\tc"), "a b c");
  EXPECT_EQ(tag_value("größe 5+5=10 @home/x.y-z"), "größe 5+5=10 @home/x.y-z");
}

TEST(TagValue, ReplacesWhatIsNoLetterInAnyScript) {
  // An em dash, an ellipsis, an emoji, a multiplication sign; letters of four scripts stay.
  EXPECT_EQ(tag_value("a — b… c😀 2×2"), "a   b  c  2 2");
  EXPECT_EQ(tag_value("größe Ωμέγα слово 東京 서울"), "größe Ωμέγα слово 東京 서울");
  EXPECT_EQ(tag_value("a\xff\xe4\xb8z"), "a   z");
}

TEST(TagValue, Has256CharactersAtMostAndNoHalfOnes) {
  EXPECT_EQ(tag_value(std::string(1000, 'x')).size(), 256U);
  std::string umlauts;
  for (int i = 0; i < 300; ++i) umlauts += "ü";
  EXPECT_EQ(tag_value(umlauts).size(), 512U);
}

}  // namespace
}  // namespace trainwarden::aws::sagemaker_test
