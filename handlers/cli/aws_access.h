// How a command reaches AWS: as whom, where, and over which connections. What a person writes
// behind the command counts before the environment.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/cli/person_credentials.h"
#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/http/curl_transport.h"

namespace trainwarden::cli {

struct AwsOptions {
  std::string profile = {};
  std::string region = {};
  std::string endpoint_url = {};
  bool patient = false;  // of a long command, which had better wait than end: no option

  // As they were written, with a blank before each; for a command that is to be given again.
  std::string text() const;
};

// Takes --profile NAME, --region REGION and --endpoint-url URL out of the arguments. kInvalidInput
// for one without a value, and for one that is given twice.
Result<AwsOptions> take_aws_options(std::vector<char*>& arguments);

// The environment with these variables set; one with an empty value is not set.
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

// What the options mean for the environment: a named endpoint is that of every service.
std::vector<std::pair<std::string, std::string>> changes_of(const AwsOptions& options);

class AwsAccess {
 public:
  // product: for the User-Agent. kInvalidConfig where there is no region, or there are no
  // credentials: what was looked for, and what to do.
  static Result<std::unique_ptr<AwsAccess>> open(const char* const* envp, const AwsOptions& options,
                                                 std::string_view product, Clock& clock);

  const Environment& environment() const { return environment_; }
  http::Transport& transport() { return transport_; }
  aws::CredentialSource& credentials() { return credentials_; }
  Clock& clock() { return clock_; }

 private:
  AwsAccess(std::unique_ptr<ChangedEnvironment> changed, const AwsOptions& options,
            std::string_view product, Clock& clock);

  std::unique_ptr<ChangedEnvironment> changed_;
  Environment environment_;
  Clock& clock_;
  http::CurlTransport transport_;
  PersonCredentials credentials_;
};

}  // namespace trainwarden::cli
