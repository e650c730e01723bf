// `trainwarden restart` of a job that has no checkpoint to go on from: a person is told before the
// money is spent.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "handlers/cli/restart_command.h"
#include "tests/support/aws/in_process_aws.h"

namespace trainwarden::testing {
namespace {

// What a rehearsal tells of a job that failed, with that member of Describe's answer.
cli::Printed rehearsed(std::string_view checkpoint_config) {
  ManualClock clock(sys_millis(std::chrono::milliseconds(1783000000000)));
  InProcessAws aws(clock);
  aws.place(
      {.name = "job-1",
       .status = "Failed",
       .secondary = "Failed",
       .more = fmt::format(R"(,"FailureReason":"InternalServerError: x"{})", checkpoint_config)});
  aws::Client client({{"AKIDEXAMPLE", Secret("s"), Secret()},
                      kRegion,
                      1,
                      aws::Endpoints::all_at("https://api.example/")},
                     aws, clock, [] { return 0.0; });
  const aws::CallContext context{clock.in(std::chrono::seconds(60)), "", nullptr};
  const actions::Config config;
  const actions::Apis apis(client, clock, context, config);
  const cli::Printed printed = cli::restart({.job = "job-1", .dry_run = true}, apis);
  EXPECT_FALSE(aws.wrote());
  return printed;
}

constexpr std::string_view kWarning =
    "job-1: it has no CheckpointConfig.S3Uri: the copy begins anew\n";

TEST(RestartByHand, WarnsOfAJobWithoutACheckpoint) {
  for (const std::string_view none :
       {"", R"(,"CheckpointConfig":null)", R"(,"CheckpointConfig":{})",
        R"(,"CheckpointConfig":{"LocalPath":"/opt/ml/checkpoints"})",
        R"(,"CheckpointConfig":{"S3Uri":null})", R"(,"CheckpointConfig":{"S3Uri":""})"}) {
    const cli::Printed printed = rehearsed(none);
    EXPECT_EQ(printed.status, 0) << none << printed.error;
    EXPECT_TRUE(printed.error.ends_with(kWarning)) << none << printed.error;
  }
}

TEST(RestartByHand, DoesNotWarnOfAJobWithACheckpoint) {
  for (const std::string_view some :
       {R"(,"CheckpointConfig":{"S3Uri":"s3://example-bucket/c"})",
        R"(,"CheckpointConfig":{"S3Uri":"s3://example-bucket/c/","LocalPath":"/opt/ml/c"})"}) {
    const cli::Printed printed = rehearsed(some);
    EXPECT_EQ(printed.status, 0) << some << printed.error;
    EXPECT_EQ(printed.error.find("CheckpointConfig"), printed.error.npos) << printed.error;
    EXPECT_NE(printed.output.find(R"("CheckpointConfig":{"S3Uri":"s3://example-bucket/c)"),
              printed.output.npos)
        << printed.output;
  }
}

}  // namespace
}  // namespace trainwarden::testing
