// Where a command asks AWS (issue 17, 1): --profile, --region, --endpoint-url.
#include "handlers/cli/access/aws_access.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "awsapi/service.h"
#include "handlers/cli/diagnose/diagnose_arguments.h"
#include "handlers/cli/explain/explain_arguments.h"

namespace trainwarden::cli::aws_access_test {
namespace {

class Words {
 public:
  Words(std::initializer_list<std::string> words) : words_(words) {
    for (std::string& word : words_) pointers_.push_back(word.data());
  }
  std::vector<char*> get() const { return pointers_; }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

TEST(AwsOptions, AreTakenFromAnywhereAmongTheArguments) {
  const Words words{"--region",           "eu-west-1", "job",       "--endpoint-url",
                    "http://127.0.0.1:1", "--json",    "--profile", "dev"};
  std::vector<char*> rest = words.get();
  const auto options = take_aws_options(rest);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->text(), " --profile dev --region eu-west-1 --endpoint-url http://127.0.0.1:1");
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_STREQ(rest[0], "job");
  EXPECT_STREQ(rest[1], "--json");
}

TEST(AwsOptions, NeedAValueAndAreGivenOnce) {
  for (const Words& wrong :
       {Words{"--profile"}, Words{"--region", ""}, Words{"--region", "a", "--region", "b"}}) {
    std::vector<char*> rest = wrong.get();
    EXPECT_FALSE(take_aws_options(rest));
  }
}

TEST(AwsOptions, ANamedEndpointIsThatOfEveryService) {
  const std::vector<const char*> envp{"AWS_ENDPOINT_URL_SAGEMAKER=http://other/",
                                      "AWS_ENDPOINT_URL=http://another/",
                                      "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true",
                                      "AWS_DEFAULT_REGION=us-west-2",
                                      "HOME=/",
                                      nullptr};
  const ChangedEnvironment changed(
      envp.data(), changes_of({.region = "eu-west-1", .endpoint_url = "http://127.0.0.1:1"}));
  const Environment environment = changed.get();
  EXPECT_EQ(environment.get("HOME"), "/");
  EXPECT_EQ(environment.get("AWS_REGION"), "eu-west-1");
  const auto endpoints = aws::Endpoints::from(environment, "eu-west-1");
  ASSERT_TRUE(endpoints) << endpoints.error().message;
  EXPECT_EQ(endpoints->url(aws::ServiceId::kSageMaker), "http://127.0.0.1:1/");
  EXPECT_EQ(endpoints->url(aws::ServiceId::kLogs), "http://127.0.0.1:1/");
}

constexpr sys_seconds kNow{std::chrono::seconds(1'783'000'000)};

TEST(ExplainArguments, AJobIsAskedForAndFilesAreNot) {
  const Words words{"job-1", "--policy", "{}", "--json", "--profile", "dev"};
  const auto given = read_explain(words.get(), kNow, {});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->job.job, "job-1");
  EXPECT_EQ(given->job.policy, "{}");
  EXPECT_TRUE(given->job.json);
  EXPECT_EQ(given->job.options, " --profile dev");
  const Words ssm{"job-1", "--policy", "ssm:/trainwarden/policy"};
  EXPECT_EQ(read_explain(ssm.get(), kNow, {})->job.policy, "ssm:/trainwarden/policy");
  const Words files{"--policy", "{}", "--job", "{}"};
  const auto offline = read_explain(files.get(), kNow, {});
  ASSERT_TRUE(offline);
  EXPECT_TRUE(offline->job.job.empty());
  EXPECT_EQ(offline->files.job, "{}");
}

TEST(ExplainArguments, WhatIsNoUseOfItIsSaid) {
  for (const Words& wrong :
       {Words{}, Words{"--policy", "{}"}, Words{"--event", "{}"}, Words{"a", "b"},
        Words{"a", "--tags", "{}"}, Words{"a", "--now", "2026-11-01T00:00:00Z"}, Words{"a", "--x"},
        Words{"--policy", "ssm:/p", "--job", "{}"}, Words{"--policy", "/no/such/file", "a"}})
    EXPECT_FALSE(read_explain(wrong.get(), kNow, {}));
}

TEST(DiagnoseArguments, AJobOrLines) {
  const Words job{"train-1", "--why", "--region", "eu-west-1"};
  const auto given = read_diagnose(job.get());
  ASSERT_TRUE(given);
  EXPECT_EQ(given->job, "train-1");
  EXPECT_TRUE(given->why);
  for (const Words& lines : {Words{"--file", "train-1"}, Words{"./train-1"},
                             Words{"failures.jsonl"}, Words{"-"}, Words{}})
    EXPECT_EQ(read_diagnose(lines.get())->job, "");
  EXPECT_EQ(read_diagnose(Words{"--file", "train-1"}.get())->file, "train-1");
  for (const Words& wrong : {Words{"a", "b"}, Words{"a", "--file", "b"}, Words{"--file"},
                             Words{"--policy", "{}"}, Words{"--what"}})
    EXPECT_FALSE(read_diagnose(wrong.get()));
}

}  // namespace
}  // namespace trainwarden::cli::aws_access_test
