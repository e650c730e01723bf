// What the commands that ask AWS (or localaws) need: credentials, the environment's region and
// endpoints as for every AWS tool, and the functions' own variables.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "handlers/actions/context/job.h"
#include "runtime/base/environment.h"
#include "runtime/http/transport.h"

namespace trainwarden::cli {

class Session {
 public:
  // kInvalidConfig, naming the variable.
  static Result<std::unique_ptr<Session>> open(const Environment& environment,
                                               aws::CredentialSource& credentials,
                                               http::Transport& transport, Clock& clock);

  // For two minutes; a command that takes longer goes by Steps.
  const actions::Apis& apis() const { return apis_; }
  // TRAINWARDEN_TABLE, which the commands neither have rights on nor need; for one that reads it
  // where it may.
  const std::optional<aws::Table>& table() const { return table_; }

 private:
  Session(actions::Config config, aws::ClientConfig client_config, http::Transport& transport,
          Clock& clock);

  std::optional<aws::Table> table_;
  actions::Config config_;
  aws::Client client_;
  aws::CallContext context_;
  actions::Apis apis_;
};

// One step of a command, with two minutes of its own: what it waited for before may have taken
// hours.
class Step {
 public:
  explicit Step(const actions::Apis& session);
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  const actions::Apis& apis() const { return apis_; }
  const aws::CallContext& context() const { return context_; }
  // Whether the last call was refused because the credentials are not valid, or not any more.
  bool credentials_over() const;

 private:
  std::vector<aws::CallMade> made_;
  aws::CallContext context_;
  actions::Apis apis_;
};

// The error as a command reports it: with the job's name and, where no such job exists, with the
// region and endpoint that were asked.
Error about_job(Error error, std::string_view job, const actions::Apis& apis);

}  // namespace trainwarden::cli
