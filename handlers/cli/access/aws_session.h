// What the commands that call AWS (or localaws) need: credentials, the region and endpoints from
// the environment as for every AWS tool, and the Lambda functions' own variables.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/cli/terminal/text.h"
#include "runtime/base/environment.h"
#include "runtime/http/transport.h"

namespace trainwarden::cli {

class AwsSession {
 public:
  // pace: limits the rate of calls, so that a long command leaves an account's quotas to others;
  // null: nothing does. Must outlive the session. kInvalidConfig, naming the variable.
  static Result<std::unique_ptr<AwsSession>> open(const Environment& environment,
                                                  aws::CredentialSource& credentials,
                                                  http::Transport& transport, Clock& clock,
                                                  aws::Pace* pace = nullptr);

  // Valid for two minutes; a command that takes longer makes a CommandStep for each of its calls.
  const actions::Apis& apis() const { return apis_; }
  // From TRAINWARDEN_TABLE. Commands neither need the table nor are expected to have rights on it;
  // this is for the one that reads it where it may.
  const std::optional<aws::Table>& table() const { return table_; }

 private:
  AwsSession(actions::Config config, aws::ClientConfig client_config, http::Transport& transport,
             Clock& clock, aws::Pace* pace);

  std::optional<aws::Table> table_;
  actions::Config config_;
  aws::Client client_;
  aws::CallContext context_;
  actions::Apis apis_;
};

// One step of a command, with a time limit of two minutes of its own, since the command may have
// waited for hours before it. The session's pace is kept.
class CommandStep {
 public:
  explicit CommandStep(const actions::Apis& session);
  CommandStep(const CommandStep&) = delete;
  CommandStep& operator=(const CommandStep&) = delete;

  const actions::Apis& apis() const { return apis_; }
  const aws::CallContext& context() const { return context_; }
  // Whether the last call was refused because the credentials are invalid or have expired.
  bool credentials_over() const;

 private:
  std::vector<aws::CallMade> made_;
  aws::CallContext context_;
  actions::Apis apis_;
};

// The error as a command reports it: with the job's name and, where no such job exists, with the
// region that was asked.
Error about_job(Error error, std::string_view job, const actions::Apis& apis);
// The same as what a command prints, with the exit status 2.
Printed complaint_about_job(Error error, std::string_view job, const actions::Apis& apis);

}  // namespace trainwarden::cli
