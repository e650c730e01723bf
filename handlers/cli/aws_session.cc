#include "handlers/cli/aws_session.h"

#include <fmt/core.h>

#include <chrono>
#include <utility>

#include "awsapi/retry.h"
#include "handlers/actions/restart/copy.h"

namespace trainwarden::cli {
namespace {

constexpr std::chrono::minutes kTimeLimit{2};

}  // namespace

Session::Session(actions::Config config, aws::ClientConfig client_config,
                 http::Transport& transport, Clock& clock)
    : config_(std::move(config)),
      client_(std::move(client_config), transport, clock, aws::random_jitter()),
      context_{Deadline::at(clock.steady_now() + kTimeLimit), {}, nullptr},
      apis_(client_, clock, context_, config_,
            {.watch = nullptr, .clear_alarms = nullptr, .copy = &actions::copy}) {}

Result<std::unique_ptr<Session>> Session::open(const Environment& environment,
                                               http::Transport& transport, Clock& clock) {
  TRY(actions::Config config, actions::Config::from(environment));
  TRY(aws::ClientConfig client_config, aws::ClientConfig::from(environment));
  return std::unique_ptr<Session>(
      new Session(std::move(config), std::move(client_config), transport, clock));
}

Error about_job(Error error, std::string_view job, const actions::Apis& apis) {
  if (error.code == ErrorCode::kNotFound)
    error.message = fmt::format("no training job of that name in {} (AWS_REGION)",
                                apis.sagemaker.client().region());
  return std::move(error).in(job);
}

}  // namespace trainwarden::cli
