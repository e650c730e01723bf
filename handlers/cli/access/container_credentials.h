// Credentials that a container's host hands out over HTTP, as in AWS CloudShell, ECS and EKS.
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "awsapi/credentials.h"
#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/http/transport.h"

namespace trainwarden::cli {

// Credentials with the time at which they expire; nullopt: they do not.
struct FetchedCredentials {
  aws::Credentials credentials;
  std::optional<sys_seconds> expires = {};
};

// Parses {"AccessKeyId", "SecretAccessKey", "Token" or "SessionToken", "Expiration"}, the form in
// which container hosts and credential processes write them. where: for errors, which never show a
// value.
Result<FetchedCredentials> read_credentials(std::string_view where, std::string_view text);

// nullopt where neither AWS_CONTAINER_CREDENTIALS_RELATIVE_URI nor _FULL_URI is set. An error for a
// URI that the token must not be sent to (plain HTTP to another machine), for a token file that
// cannot be read, and for a host that returns no credentials.
Result<std::optional<FetchedCredentials>> fetch_container_credentials(
    const Environment& environment, http::Transport& transport, Clock& clock);

}  // namespace trainwarden::cli
