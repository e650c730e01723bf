// The credentials that Lambda hands to a function, read once from the environment.
// Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "runtime/base/secret.h"

namespace trainwarden::aws {

struct Credentials {
  std::string access_key_id;
  Secret secret_access_key;
  Secret session_token;  // empty: none

  // kInvalidConfig, naming the variable, where one is missing or could not stand in a header.
  static Result<Credentials> from(const Environment& environment);
};

// Credentials that end before the process does: those of a person's session. A function has none:
// its own outlive it.
class CredentialSource {
 public:
  CredentialSource() = default;
  CredentialSource(const CredentialSource&) = delete;
  CredentialSource& operator=(const CredentialSource&) = delete;
  virtual ~CredentialSource() = default;

  // The credentials to sign with now, renewed before they expire.
  virtual Result<Credentials> current() = 0;
  // Call when AWS has refused them as expired. Returns whether there are new ones.
  virtual bool renew() = 0;
};

// What can stand in a header. kInvalidConfig, naming where it came from, never what it is.
Result<Credentials> checked_credentials(std::string_view where, std::string id, std::string key,
                                        std::string token);

// Whether the text looks like eu-central-1: up to 32 small letters, digits and hyphens.
bool has_form_of_region(std::string_view text);
// AWS_REGION, else AWS_DEFAULT_REGION. kInvalidConfig where neither is set or it is no region name.
Result<std::string> region_from(const Environment& environment);

}  // namespace trainwarden::aws
