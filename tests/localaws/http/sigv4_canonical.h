// Signature Version 4 as pure stages: canonical request, string to sign, signature. This is a
// second reading of the specification, on purpose not shared with the client that it judges.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/localaws/http/http_message.h"

namespace trainwarden::localaws {

struct SigningInput {
  std::string_view method;
  std::string_view
      path;  // as on the wire; it is encoded (once more), as all services but S3 want it
  std::string_view query;  // as on the wire, without the "?"
  const Headers& headers;
  const std::vector<std::string>& signed_names;  // lower-case and sorted
  std::string_view payload_sha256;               // hexadecimal
  bool normalize_path = true;                    // S3 does not
  bool encode_path = true;                       // nor this
};

struct CredentialScope {
  std::string date;  // YYYYMMDD
  std::string region;
  std::string service;

  std::string text() const;  // date/region/service/aws4_request
};

std::string canonical_request(const SigningInput& input);
// timestamp: YYYYMMDDTHHMMSSZ
std::string string_to_sign(std::string_view timestamp, const CredentialScope& scope,
                           std::string_view canonical_request);
std::string signature(std::string_view secret_key, const CredentialScope& scope,
                      std::string_view string_to_sign);

}  // namespace trainwarden::localaws
