#include "handlers/function/session.h"

#include <algorithm>
#include <chrono>

#include "handlers/actions/setup/policy_source.h"
#include "handlers/function/record_metrics.h"
#include "handlers/rules/policy/contradictions.h"

namespace trainwarden::function {
namespace {

using std::chrono::floor;
using std::chrono::seconds;

// Lambda gives init 10 s:
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
constexpr seconds kInitTime{8};
// A slow SSM must not keep jobs from being decided on: the last good policy is there.
constexpr seconds kRefreshTime{3};

}  // namespace

Result<Session> Session::start(const Environment& environment, http::Transport& transport,
                               Clock& clock, const lambda::Log& log,
                               std::function<double()> random) {
  TRY(actions::Config config, actions::Config::from(environment));
  TRY(aws::ClientConfig client_config, aws::ClientConfig::from(environment));
  aws::Client client(std::move(client_config), transport, clock, random);
  const aws::CallContext context{Deadline::at(clock.steady_now() + kInitTime), {}, nullptr};
  auto policy = actions::LivePolicy::start(config.policy_source, actions::program_folder(), client,
                                           context, floor<seconds>(clock.now()));
  if (!policy) {
    count_policy_error(log);
    return fail(std::move(policy).error());
  }
  if (!config.table)
    log.warn(
        "TRAINWARDEN_TABLE is not set: what is done could not be remembered, so that nothing is "
        "done and nobody is told (the mode is observe)");
  for (const rules::Remark& warning : rules::warnings_of(policy->policy()))
    log.warn("policy", {{"warning", warning.text()}});
  return Session(std::move(config), *std::move(policy), std::move(client), clock,
                 std::move(random));
}

void Session::refresh(const lambda::Context& context, const aws::CallContext& calls) {
  aws::CallContext hurried = calls;
  hurried.deadline = std::min(calls.deadline, Deadline::at(clock_->steady_now() + kRefreshTime));
  const auto error = policy_.refresh(client_, hurried, floor<seconds>(clock_->now()));
  if (!error) return;
  context.log.error("the policy could not be read again: the last good one stays in force",
                    {{"error", error->message}});
  count_policy_error(context.log);
}

}  // namespace trainwarden::function
