// The user's own credentials, looked up as AWS's tools do: a profile that is named, the
// environment, the container's host (AWS CloudShell), and last the answer of `aws configure
// export-credentials`, which covers profiles, single sign-on and assumed roles. They are renewed
// before they expire, and when AWS says that they have expired.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "awsapi/credentials.h"
#include "handlers/cli/access/container_credentials.h"
#include "handlers/cli/access/run_program.h"
#include "runtime/base/environment.h"
#include "runtime/http/transport.h"

namespace trainwarden::cli {

// Runs `aws` with these arguments.
using RunAws = std::function<Result<Ran>(const std::vector<std::string>& arguments)>;
// Runs the `aws` that is on PATH, for at most half a minute.
Result<Ran> run_aws(const std::vector<std::string>& arguments);

class PersonCredentials final : public aws::CredentialSource {
 public:
  // profile: the one that the user named; empty: none. AWS_PROFILE then applies, after the
  // environment's own credentials, as with AWS's other tools.
  PersonCredentials(const Environment& environment, std::string profile, http::Transport& transport,
                    Clock& clock, RunAws run)
      : environment_(environment),
        profile_(std::move(profile)),
        transport_(transport),
        clock_(clock),
        run_(std::move(run)) {}

  // The error of the first call says, in several lines, where credentials were looked for and what
  // to do.
  Result<aws::Credentials> current() override;
  bool renew() override;

  // Names the sources of credentials that are there and not used, in a line; empty: there are none.
  std::string remarks() const;

 private:
  struct Held {
    FetchedCredentials fetched;
    bool lasting = false;  // from the environment: cannot be renewed
    sys_seconds asked;
  };

  Result<Held> fetch();
  Result<FetchedCredentials> credentials_from_aws_cli() const;
  Error nothing_found(const Error& of_the_command) const;
  std::string unused_sources() const;
  bool is_in_environment() const;
  bool is_of_container() const;
  sys_seconds now() const { return std::chrono::floor<std::chrono::seconds>(clock_.now()); }
  bool is_due() const;

  const Environment& environment_;
  std::string profile_;
  http::Transport& transport_;
  Clock& clock_;
  RunAws run_;
  std::optional<Held> held_;
};

// AWS_REGION, AWS_DEFAULT_REGION, else the profile's own region from `aws configure get region`.
// The error says where it was looked for.
Result<std::string> region_of_person(const Environment& environment, const std::string& profile,
                                     const RunAws& run);

// Quotes what the `aws` command wrote to stderr: on one line, truncated, and without anything that
// could be a key or a token.
std::string aws_cli_error(std::string_view errors);

}  // namespace trainwarden::cli
