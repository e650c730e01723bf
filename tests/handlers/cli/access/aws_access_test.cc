// Where a command asks AWS (issue 17, 1): --profile, --region, --endpoint-url.
#include "handlers/cli/access/aws_access.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "awsapi/service.h"
#include "handlers/cli/diagnose/diagnose_arguments.h"
#include "handlers/cli/explain/explain_arguments.h"
#include "handlers/cli/terminal/command_line.h"
#include "tests/handlers/cli/arguments.h"

namespace trainwarden::cli::aws_access_test {
namespace {

TEST(AwsOptions, AreTakenFromAnywhereAmongTheArguments) {
  const Arguments words{"--region",           "eu-west-1", "job",       "--endpoint-url",
                        "http://127.0.0.1:1", "--json",    "--profile", "dev"};
  AwsOptions options;
  std::string job;
  bool json = false;
  ASSERT_TRUE(
      read_arguments(words.get(), aws_options(options, {{"--json", &json}}), {"one job", {&job}}));
  EXPECT_EQ(options.text(), " --profile dev --region eu-west-1 --endpoint-url http://127.0.0.1:1");
  EXPECT_EQ(job, "job");
  EXPECT_TRUE(json);
}

TEST(AwsOptions, NeedAValueAndAreGivenOnce) {
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--profile"}, {"--region", ""}, {"--region", "a", "--region", "b"}}) {
    AwsOptions options;
    EXPECT_FALSE(read_arguments(Arguments(wrong).get(), aws_options(options, {})));
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
  const Arguments words{"job-1", "--policy", "{}", "--json", "--profile", "dev"};
  const auto given = read_explain(words.get(), kNow, {});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->job.job, "job-1");
  EXPECT_EQ(given->job.policy, "{}");
  EXPECT_TRUE(given->job.json);
  EXPECT_EQ(given->job.options, " --profile dev");
  const Arguments ssm{"job-1", "--policy", "ssm:/trainwarden/policy"};
  EXPECT_EQ(read_explain(ssm.get(), kNow, {})->job.policy, "ssm:/trainwarden/policy");
  const Arguments files{"--policy", "{}", "--job", "{}"};
  const auto offline = read_explain(files.get(), kNow, {});
  ASSERT_TRUE(offline);
  EXPECT_TRUE(offline->job.job.empty());
  EXPECT_EQ(offline->files.job, "{}");
}

TEST(ExplainArguments, WhatIsNoUseOfItIsSaid) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{},
                                             {"--policy", "{}"},
                                             {"--event", "{}"},
                                             {"a", "b"},
                                             {"a", "--tags", "{}"},
                                             {"a", "--now", "2026-11-01T00:00:00Z"},
                                             {"a", "--x"},
                                             {"--policy", "ssm:/p", "--job", "{}"},
                                             {"--policy", "/no/such/file", "a"}})
    EXPECT_FALSE(read_explain(Arguments(wrong).get(), kNow, {}));
}

TEST(DiagnoseArguments, AJobOrLines) {
  const Arguments job{"train-1", "--why", "--region", "eu-west-1"};
  const auto given = read_diagnose(job.get());
  ASSERT_TRUE(given);
  EXPECT_EQ(given->job, "train-1");
  EXPECT_TRUE(given->why);
  for (const std::vector<std::string>& lines : std::vector<std::vector<std::string>>{
           {"--file", "train-1"}, {"./train-1"}, {"failures.jsonl"}, {"-"}, {}})
    EXPECT_EQ(read_diagnose(Arguments(lines).get())->job, "");
  EXPECT_EQ(read_diagnose(Arguments{"--file", "train-1"}.get())->file, "train-1");
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"a", "b"}, {"a", "--file", "b"}, {"--file"}, {"--policy", "{}"}, {"--what"}})
    EXPECT_FALSE(read_diagnose(Arguments(wrong).get()));
}

}  // namespace
}  // namespace trainwarden::cli::aws_access_test
