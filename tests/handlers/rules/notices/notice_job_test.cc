// What is told of the job itself (A5).
#include "handlers/rules/notices/notice_job.h"

#include <gtest/gtest.h>

#include "tests/handlers/rules/notices/notice_support.h"

namespace trainwarden::rules::notice_job_test {
namespace {

using test::described;
using test::kDescribe;

TEST(NoticeJob, A5_TellsWhoseJobItIsAndWhere) {
  const NoticeJob found = described(
      kDescribe,
      R"({"Team": "vision", "Owner": "jo", "created_by": "ci", "model_name": "x", "email": ""})");
  EXPECT_EQ(found.status, "InProgress/Training");
  EXPECT_EQ(found.account, "111122223333");
  EXPECT_EQ(found.region, "eu-central-1");
  EXPECT_EQ(found.machines, "8 x ml.p4d.24xlarge");
  EXPECT_EQ(found.team, "vision");
  const std::vector<std::pair<std::string, std::string>> people = {{"Owner", "jo"},
                                                                   {"created_by", "ci"}};
  EXPECT_EQ(found.people, people);
  EXPECT_EQ(found.generation, 0);
  EXPECT_FALSE(found.usd_per_hour);
}

// The tag that the policy names, else `owner`, in any case of the keys' letters.
TEST(NoticeJob, A8_OwnerIsTheTagThatThePolicyNames) {
  struct Case {
    const char* tags;
    const char* named;
    const char* owner;
  };
  const Case kCases[] = {
      {R"({"owner": "jo"})", "", "jo"},
      {R"({"Owner": "jo"})", "", "jo"},
      {R"({"owner": "jo", "CostOwner": "kim"})", "CostOwner", "kim"},
      {R"({"owner": "jo", "costowner": "kim"})", "CostOwner", "kim"},
      {R"({"owner": "jo"})", "CostOwner", "jo"},
      {R"({"owner": "jo", "CostOwner": ""})", "CostOwner", "jo"},
      {R"({"owner": "jo", "CostOwner": "  "})", "CostOwner", "jo"},
      {R"({"team": "vision"})", "team", "vision"},
      {R"({"created_by": "ci", "owners": "x"})", "", ""},
      {R"({"owner": ""})", "", ""},
      {R"({"owner": " "})", "", ""},
      {"{}", "CostOwner", ""},
  };
  for (const Case& c : kCases)
    EXPECT_EQ(described(kDescribe, c.tags, {}, c.named).owner, c.owner) << c.tags << c.named;
}

TEST(NoticeJob, A8_TheTagThatThePolicyNamesIsShownOnceBesideTheOthers) {
  using People = std::vector<std::pair<std::string, std::string>>;
  const std::string tags = R"({"owner": "jo", "CostOwner": "kim", "team": "vision"})";
  EXPECT_EQ(described(kDescribe, tags, {}, "CostOwner").people,
            (People{{"owner", "jo"}, {"CostOwner", "kim"}}));
  EXPECT_EQ(described(kDescribe, tags, {}, "team").people, (People{{"owner", "jo"}}));
  EXPECT_EQ(described(kDescribe, tags, {}, "owner").people, (People{{"owner", "jo"}}));
}

TEST(NoticeJob, A5_CostIsToldWithAPriceOnly) {
  // 8 machines at 20 USD: 160 USD an hour, one hour gone, nine left.
  const NoticeJob found = described(kDescribe, "{}", {{"ml.p4d.24xlarge", 20.0}});
  EXPECT_DOUBLE_EQ(found.usd_per_hour.value(), 160);
  EXPECT_DOUBLE_EQ(found.spent_usd.value(), 160);
  EXPECT_DOUBLE_EQ(found.avoided_usd.value(), 1440);
  EXPECT_FALSE(described(kDescribe, "{}", {{"ml.g5.xlarge", 1.0}}).avoided_usd);
}

TEST(NoticeJob, A5_AJobThatTheStopHasEndedSavedWhatWasLeft) {
  std::string ended = kDescribe;
  ended.replace(ended.find("InProgress"), 10, "Stopped");
  ended.replace(ended.find("\"Training\""), 10, R"("Stopped", "TrainingTimeInSeconds": 7200)");
  const NoticeJob found = described(ended, "{}", {{"ml.p4d.24xlarge", 20.0}});
  EXPECT_DOUBLE_EQ(found.avoided_usd.value(), 160 * 8);
}

TEST(NoticeJob, A5_ConsoleLinksOfPartitions) {
  const auto link = [](const std::string& partition, const std::string& region) {
    const Sources sources(test::running());
    return notice_job("j",
                      "arn:" + partition + ":sagemaker:" + region + ":111122223333:training-job/j",
                      sources, {}, test::kNow)
        .console;
  };
  EXPECT_EQ(
      link("aws", "eu-central-1"),
      "https://eu-central-1.console.aws.amazon.com/sagemaker/home?region=eu-central-1#/jobs/j");
  EXPECT_EQ(link("aws-cn", "cn-north-1"),
            "https://cn-north-1.console.amazonaws.cn/sagemaker/home?region=cn-north-1#/jobs/j");
  EXPECT_EQ(link("aws-us-gov", "us-gov-west-1"),
            "https://us-gov-west-1.console.amazonaws-us-gov.com/sagemaker/"
            "home?region=us-gov-west-1#/jobs/j");
  EXPECT_EQ(link("aws-iso", "us-iso-east-1"), "");
}

}  // namespace
}  // namespace trainwarden::rules::notice_job_test
