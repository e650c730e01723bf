// Signature Version 4 as pure functions: canonical request, string to sign, signature, and sign(),
// which puts them together. Nothing here reads a clock.
// Source:
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "awsapi/credentials.h"
#include "runtime/base/time.h"
#include "runtime/http/transport.h"

namespace trainwarden::aws {

struct Scope {
  std::string region;
  std::string service;  // the signing name, such as "sagemaker" or "monitoring"
  bool operator==(const Scope&) const = default;
};

// Derived from a secret access key: holds for one scope and one day.
using SigningKey = std::array<unsigned char, 32>;

SigningKey signing_key(const Secret& secret_access_key, const Scope& scope, std::string_view date);

// The signing keys of one day and one pair of keys, each derived once. Others, as where credentials
// that end are fetched anew, take their place.
class SigningKeys {
 public:
  // Holds until the next call.
  const SigningKey& get(const Credentials& credentials, const Scope& scope, std::string_view date);

 private:
  std::string access_key_id_;
  std::string date_;
  std::vector<std::pair<Scope, SigningKey>> keys_;
};

// The defaults are what the services in use want.
struct SigningOptions {
  bool normalize_path = true;      // resolve "." and "..", merge slashes
  bool sign_body_header = false;   // add and sign x-amz-content-sha256
  bool sign_session_token = true;  // false: the token is sent, but not signed
  bool encode_path = true;         // once more than it is sent
};
// S3 takes paths as they are sent, and wants the body's hash:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
inline constexpr SigningOptions kS3Signing{
    .normalize_path = false, .sign_body_header = true, .encode_path = false};

// Lower-case hex of SHA-256.
std::string sha256_hex(std::string_view data);

// Names of the headers that sign() signs, lower-case, sorted, joined with ';'. Left out are those
// that are changed on the way: connection, expect, te, transfer-encoding, user-agent,
// x-amzn-trace-id.
std::string signed_headers(const http::Headers& headers);

// request.headers must hold all headers to be signed, Host among them. The path counts as it is
// sent, so that a path with escapes comes out encoded twice, as all services but S3 want it
// (encode_path).
std::string canonical_request(const http::Request& request, std::string_view body_sha256,
                              const SigningOptions& options = {});

// "20150830/us-east-1/service/aws4_request"
std::string credential_scope(const Scope& scope, sys_seconds now);

std::string string_to_sign(std::string_view canonical, const Scope& scope, sys_seconds now);

std::string signature(const Secret& secret_access_key, const Scope& scope, sys_seconds now,
                      std::string_view to_sign);

std::string signature(const SigningKey& key, std::string_view to_sign);

// The request with Host, X-Amz-Date, X-Amz-Security-Token (with a session token) and Authorization.
// keys are kept from call to call.
http::Request sign(http::Request request, const Credentials& credentials, const Scope& scope,
                   sys_seconds now, const SigningOptions& options = {},
                   SigningKeys* keys = nullptr);

}  // namespace trainwarden::aws
