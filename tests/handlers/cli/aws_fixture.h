// What commands that ask AWS are tested on: the in-process AWS, by a clock that the waiting itself
// moves.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/actions/setup/config.h"
#include "tests/support/aws/in_process_aws.h"
#include "tests/support/aws/one_attempt_client.h"
#include "tests/support/manual_clock.h"

namespace trainwarden::cli {

class AwsFixture : public ::testing::Test {
 protected:
  explicit AwsFixture(sys_millis begin) : clock_(begin) {}

  // As a command is given them.
  template <class Ask>
  auto with_apis(Ask ask) {
    const aws::CallContext context{.deadline = clock_.in(std::chrono::minutes(2)),
                                   .trace_id = {},
                                   .made = nullptr,
                                   .pace = pace_};
    const actions::Apis apis(*asking_, clock_, context, config_);
    return ask(apis);
  }

  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  testing::ManualClock clock_;
  testing::InProcessAws aws_{clock_};
  aws::Client client_ = testing::one_attempt_client(aws_, clock_);
  aws::Client* asking_ = &client_;
  aws::Pace* pace_ = nullptr;
  actions::Config config_;
};

}  // namespace trainwarden::cli
