// How a command reaches AWS: with which credentials, in which region, and over which connections.
// Options on the command line take precedence over the environment.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/cli/access/person_credentials.h"
#include "handlers/cli/terminal/command_line.h"
#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/http/curl_transport.h"

namespace trainwarden::cli {

struct AwsOptions {
  std::string profile = {};
  std::string region = {};
  std::string endpoint_url = {};
  bool patient = false;  // not an option: long commands retry more often

  // The options as they were written, each with a leading space, for printing a command to repeat.
  std::string text() const;
};

// The command's options, and --profile NAME, --region REGION and --endpoint-url URL, each of which
// is given once.
std::vector<Option> aws_options(AwsOptions& out, std::vector<Option> options);

// A copy of the environment with these variables set; a variable with an empty value is removed.
class ChangedEnvironment {
 public:
  ChangedEnvironment(const char* const* envp,
                     const std::vector<std::pair<std::string, std::string>>& changes);
  ChangedEnvironment(const ChangedEnvironment&) = delete;
  ChangedEnvironment& operator=(const ChangedEnvironment&) = delete;

  Environment get() const { return Environment(pointers_.data()); }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
};

// The environment variables that the options stand for: --endpoint-url sets the endpoint of every
// service.
std::vector<std::pair<std::string, std::string>> changes_of(const AwsOptions& options);

class AwsAccess {
 public:
  // product: for the User-Agent. kInvalidConfig where there is no region, or there are no
  // credentials; the error says where they were looked for, and what to do.
  static Result<std::unique_ptr<AwsAccess>> open(const char* const* envp, const AwsOptions& options,
                                                 std::string_view product, Clock& clock);

  const Environment& environment() const { return environment_; }
  http::Transport& transport() { return transport_; }
  aws::CredentialSource& credentials() { return credentials_; }
  Clock& clock() { return clock_; }
  // What a person should know of the credentials, in whole lines; empty: nothing.
  std::string remarks() const { return credentials_.remarks(); }

 private:
  AwsAccess(std::unique_ptr<ChangedEnvironment> changed, const AwsOptions& options,
            http::CurlOptions transport, Clock& clock);

  std::unique_ptr<ChangedEnvironment> changed_;
  Environment environment_;
  Clock& clock_;
  http::CurlTransport transport_;
  PersonCredentials credentials_;
};

}  // namespace trainwarden::cli
