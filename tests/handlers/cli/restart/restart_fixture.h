// `trainwarden restart` on the in-process AWS, by a clock that the waiting itself moves.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "handlers/cli/restart/restart_command.h"
#include "tests/handlers/cli/aws_fixture.h"
#include "tests/handlers/cli/stdio_file.h"

namespace trainwarden::cli {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::kDenied;
using testing::PlacedJob;
using testing::Tags;

inline const localaws::AwsError kExpired{400, "ExpiredTokenException",
                                         "The security token included in the request is expired"};
inline constexpr const char* kCheckpoint =
    R"(, "CheckpointConfig": {"S3Uri": "s3://example-bucket/checkpoints/run"})";

class RestartByHand : public AwsFixture {
 protected:
  RestartByHand() : AwsFixture(kBegin) {}

  static PlacedJob running() { return {.name = "run", .more = kCheckpoint}; }
  static PlacedJob stopping() {
    return {.name = "run", .status = "Stopping", .secondary = "Stopping", .more = kCheckpoint};
  }
  static PlacedJob failed() {
    return {.name = "run", .status = "Failed", .secondary = "Failed", .more = kCheckpoint};
  }

  // What was printed, with all that was told on the way before the rest of stderr.
  Printed restart(RestartInputs inputs = {.job = "run"}) {
    const File told(std::tmpfile());
    Printed out = with_apis([&](const actions::Apis& session) {
      Console console(told.get(), terminal_, [&] { return interrupted_; });
      return cli::restart(inputs, session, console);
    });
    out.error = content(told.get()) + out.error;
    return out;
  }

  std::string name_of_copy() {
    const auto dry = restart({.job = "run", .dry_run = true});
    const auto body = json::Document::parse(dry.output);
    const auto name = body ? body->root().find("TrainingJobName") : std::nullopt;
    EXPECT_TRUE(name) << dry.output << dry.error;
    return name ? std::string(name->as_string()) : std::string();
  }

  static int lines(const std::string& text) {
    return static_cast<int>(std::ranges::count(text, '\n'));
  }

  static constexpr sys_millis kBegin{std::chrono::milliseconds(1'783'000'213'500)};

  bool terminal_ = false;
  bool interrupted_ = false;
};

}  // namespace trainwarden::cli
