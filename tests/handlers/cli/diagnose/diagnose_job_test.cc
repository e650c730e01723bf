// `trainwarden diagnose JOB` asks for the reason and the end of the log.
#include <gtest/gtest.h>

#include <string>

#include "handlers/cli/explain/explain_command.h"
#include "tests/handlers/cli/explain/ask_fixture.h"

namespace trainwarden::cli::diagnose_job_test {
namespace {

using ask_fixture::AskAws;
using testing::kDenied;

TEST_F(AskAws, WhyItFailedIsToldByTheEndOfItsLog) {
  aws_.place({.status = "Failed",
              .secondary = "Failed",
              .more = R"(, "FailureReason": "AlgorithmError: , exit code: 1")"});
  log("ModuleNotFoundError: No module named 'flash_attn'");
  const Printed printed = explain();
  EXPECT_TRUE(has(printed.output, "it failed")) << printed.output;
  EXPECT_TRUE(has(printed.output, "run it again: no")) << printed.output;
  EXPECT_TRUE(has(printed.output, "flash_attn"));
  EXPECT_TRUE(has(printed.output, "mend what it failed of first")) << printed.output;
  EXPECT_TRUE(has(printed.output, "bugs: notify")) << printed.output;
  const Printed diagnosis = diagnose(true);
  EXPECT_EQ(diagnosis.status, 0) << where(diagnosis);
  for (const char* const part : {R"("job":"job-1")", R"("resume":"no")", R"("why":[{)"})
    EXPECT_TRUE(has(diagnosis.output, part)) << diagnosis.output;
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(AskAws, ALogThatCannotBeReadIsSaid) {
  aws_.place({.status = "Failed",
              .secondary = "Failed",
              .more = R"(, "FailureReason": "AlgorithmError: , exit code: 1")"});
  aws_.refuse("FilterLogEvents", kDenied, 9);
  const Printed diagnosis = diagnose();
  EXPECT_EQ(diagnosis.status, 2);
  EXPECT_TRUE(has(diagnosis.error, "its log could not be read")) << diagnosis.error;
  EXPECT_FALSE(has(diagnosis.output, "label"));
}

// Secrets of the job do not come back as evidence.
TEST_F(AskAws, EvidenceShowsNoHyperparameter) {
  aws_.place({.status = "Failed",
              .secondary = "Failed",
              .more = R"(, "FailureReason": "AlgorithmError: ValueError: bad key hunter2hunter2",
                         "HyperParameters": {"key": "hunter2hunter2"})"});
  const Printed diagnosis = diagnose(true);
  EXPECT_EQ(diagnosis.output.find(R"("evidence":"ValueError: bad key hunter2)"), std::string::npos)
      << diagnosis.output;
}

TEST_F(AskAws, AJobThatHasNotFailedHasNoDiagnosis) {
  aws_.place({});
  const Printed diagnosis = diagnose();
  EXPECT_EQ(diagnosis.status, 0);
  EXPECT_TRUE(has(diagnosis.error, "has not failed"));
  EXPECT_FALSE(has(diagnosis.output, "label"));
}

}  // namespace
}  // namespace trainwarden::cli::diagnose_job_test
