// `trainwarden restart` of a job that has no checkpoint to go on from: a person is told before the
// money is spent.
#include <fmt/format.h>

#include <string_view>

#include "tests/handlers/cli/restart/restart_fixture.h"

namespace trainwarden::cli::restart_no_checkpoint_test {
namespace {

class RestartWithoutCheckpoint : public RestartByHand {
 protected:
  // What a rehearsal tells of a job that failed, with that member of Describe's answer.
  Printed rehearsed(std::string_view checkpoint_config) {
    aws_.place(
        {.name = "run",
         .status = "Failed",
         .secondary = "Failed",
         .more = fmt::format(R"(,"FailureReason":"InternalServerError: x"{})", checkpoint_config)});
    Printed printed = restart({.job = "run", .dry_run = true});
    EXPECT_FALSE(aws_.wrote());
    return printed;
  }
};

constexpr std::string_view kWarning =
    "run: it has no CheckpointConfig.S3Uri: the copy begins anew\n";

TEST_F(RestartWithoutCheckpoint, WarnsOfAJobWithoutACheckpoint) {
  for (const std::string_view none :
       {"", R"(,"CheckpointConfig":null)", R"(,"CheckpointConfig":{})",
        R"(,"CheckpointConfig":{"LocalPath":"/opt/ml/checkpoints"})",
        R"(,"CheckpointConfig":{"S3Uri":null})", R"(,"CheckpointConfig":{"S3Uri":""})"}) {
    const Printed printed = rehearsed(none);
    EXPECT_EQ(printed.status, 0) << none << printed.error;
    EXPECT_TRUE(has(printed.error, std::string(kWarning))) << none << printed.error;
  }
}

TEST_F(RestartWithoutCheckpoint, DoesNotWarnOfAJobWithACheckpoint) {
  for (const std::string_view some :
       {R"(,"CheckpointConfig":{"S3Uri":"s3://example-bucket/c"})",
        R"(,"CheckpointConfig":{"S3Uri":"s3://example-bucket/c/","LocalPath":"/opt/ml/c"})"}) {
    const Printed printed = rehearsed(some);
    EXPECT_EQ(printed.status, 0) << some << printed.error;
    EXPECT_EQ(printed.error.find("CheckpointConfig"), printed.error.npos) << printed.error;
    EXPECT_NE(printed.output.find(R"("CheckpointConfig":{"S3Uri":"s3://example-bucket/c)"),
              printed.output.npos)
        << printed.output;
  }
}

}  // namespace
}  // namespace trainwarden::cli::restart_no_checkpoint_test
