#include "handlers/cli/access/aws_session.h"

#include <fmt/core.h>

#include <chrono>
#include <string>
#include <utility>

#include "awsapi/retry.h"

namespace trainwarden::cli {
namespace {

constexpr std::chrono::minutes kTimeLimit{2};

}  // namespace

AwsSession::AwsSession(actions::Config config, aws::ClientConfig client_config,
                       http::Transport& transport, Clock& clock, aws::Pace* pace)
    : table_(std::exchange(config.table, std::nullopt)),
      config_(std::move(config)),
      client_(std::move(client_config), transport, clock, aws::random_jitter()),
      context_{.deadline = Deadline::at(clock.steady_now() + kTimeLimit),
               .trace_id = {},
               .made = nullptr,
               .pace = pace},
      apis_(client_, clock, context_, config_) {}

Result<std::unique_ptr<AwsSession>> AwsSession::open(const Environment& environment,
                                                     aws::CredentialSource& credentials,
                                                     http::Transport& transport, Clock& clock,
                                                     aws::Pace* pace) {
  TRY(actions::Config config, actions::Config::from(environment));
  TRY(std::string region, aws::region_from(environment));
  TRY(const auto max_attempts, aws::max_attempts_from(environment));
  TRY(aws::Endpoints endpoints, aws::Endpoints::from(environment, region));
  aws::ClientConfig client_config{
      {}, std::move(region), max_attempts, std::move(endpoints), &credentials};
  return std::unique_ptr<AwsSession>(
      new AwsSession(std::move(config), std::move(client_config), transport, clock, pace));
}

CommandStep::CommandStep(const actions::Apis& session)
    : context_{.deadline = Deadline::at(session.clock.steady_now() + kTimeLimit),
               .trace_id = {},
               .made = &made_,
               .pace = session.context.pace},
      apis_(session.sagemaker.client(), session.clock, context_, session.config) {}

bool CommandStep::credentials_over() const {
  return !made_.empty() && made_.back().credentials_over();
}

Error about_job(Error error, std::string_view job, const actions::Apis& apis) {
  if (error.code == ErrorCode::kNotFound)
    error.message =
        fmt::format("no training job of that name in {}; --region asks in another region",
                    apis.sagemaker.client().region());
  return std::move(error).in(job);
}

Printed complaint_about_job(Error error, std::string_view job, const actions::Apis& apis) {
  return {
      2,
      {},
      fmt::format("trainwarden: {}\n", printable(about_job(std::move(error), job, apis).message))};
}

}  // namespace trainwarden::cli
