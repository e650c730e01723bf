// Signatures without the official vectors: AWS's documented example, canonical forms by hand, and
// every way in which a signature can be wrong, with AWS's code and text.
#include <gtest/gtest.h>

#include <string>

#include "tests/localaws/http/sigv4_canonical.h"
#include "tests/localaws/http/sigv4_verify.h"
#include "tests/localaws/service/crypto.h"

namespace trainwarden::localaws::sigv4_test {
namespace {

constexpr std::string_view kStamp = "20150830T123600Z";
constexpr std::string_view kSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const sys_seconds kSignedAt = *parse_rfc3339("2015-08-30T12:36:00Z");

// The example in AWS's documentation of Signature Version 4: IAM's ListUsers.
TEST(SigV4, AgreesWithTheDocumentedExample) {
  const Headers headers = {{"Host", "iam.amazonaws.com"},
                           {"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"},
                           {"X-Amz-Date", std::string(kStamp)}};
  const std::vector<std::string> names = {"content-type", "host", "x-amz-date"};
  const std::string empty = sha256_hex("");
  const std::string canonical = canonical_request({.method = "GET",
                                                   .path = "/",
                                                   .query = "Action=ListUsers&Version=2010-05-08",
                                                   .headers = headers,
                                                   .signed_names = names,
                                                   .payload_sha256 = empty});
  EXPECT_EQ(sha256_hex(canonical),
            "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59");
  const CredentialScope scope{"20150830", "us-east-1", "iam"};
  EXPECT_EQ(signature(kSecret, scope, string_to_sign(kStamp, scope, canonical)),
            "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
}

std::string canonical_of(std::string_view path, std::string_view query, const Headers& headers,
                         const std::vector<std::string>& names, bool normalize = true) {
  return canonical_request({.method = "GET",
                            .path = path,
                            .query = query,
                            .headers = headers,
                            .signed_names = names,
                            .payload_sha256 = "-",
                            .normalize_path = normalize});
}

TEST(SigV4, CanonicalPaths) {
  struct Case {
    std::string_view path;
    bool normalize;
    std::string_view expected;
  };
  for (const Case& c :
       {Case{"", true, "/"}, Case{"/a/./b/../c", true, "/a/c"}, Case{"//a//", true, "/a/"},
        Case{"//a//", false, "//a//"}, Case{"/../..", true, "/"}, Case{"/%20", true, "/%2520"},
        Case{"/a b~", true, "/a%20b~"}, Case{"/\xE1\x88\xB4", true, "/%E1%88%B4"}})
    EXPECT_EQ(canonical_of(c.path, "", {}, {}, c.normalize),
              "GET\n" + std::string(c.expected) + "\n\n\n\n-");
}

TEST(SigV4, CanonicalQueryIsDecodedEncodedAndSorted) {
  EXPECT_EQ(canonical_of("/", "b=2&a=%7e&a=%41&c&=x", {}, {}), "GET\n/\n=x&a=A&a=~&b=2&c=\n\n\n-");
}

TEST(SigV4, CanonicalHeadersAreTrimmedFoldedAndJoined) {
  const Headers headers = {{"X-B", "  one   two "}, {"x-a", "1\n   2"}, {"x-b", "three"}};
  EXPECT_EQ(canonical_of("/", "", headers, {"x-a", "x-b"}),
            "GET\n/\n\nx-a:1 2\nx-b:one two,three\n\nx-a;x-b\n-");
}

struct Changes {
  std::string region = "us-east-1";
  std::string service = "sagemaker";
  std::string secret{kSecret};
  std::string key = "AKIDEXAMPLE";
  std::string stamp{kStamp};
  std::string date = "20150830";
  std::string token{};
  std::vector<std::string> names = {"host", "x-amz-date", "x-amz-target"};
};

HttpRequest signed_request(const Changes& c = {}) {
  HttpRequest request{.method = "POST",
                      .target = "/",
                      .headers = {{"Host", "127.0.0.1:4566"},
                                  {"X-Amz-Target", "SageMaker.ListTrainingJobs"},
                                  {"X-Amz-Date", c.stamp}},
                      .body = "{}",
                      .received = {},
                      .gone = {}};
  if (!c.token.empty()) request.headers.push_back({"X-Amz-Security-Token", c.token});
  const CredentialScope scope{c.date, c.region, c.service};
  const std::string digest = sha256_hex(request.body);
  const std::string canonical = canonical_request({.method = request.method,
                                                   .path = "/",
                                                   .query = "",
                                                   .headers = request.headers,
                                                   .signed_names = c.names,
                                                   .payload_sha256 = digest});
  std::string names;
  for (const std::string& name : c.names) names += (names.empty() ? "" : ";") + name;
  request.headers.push_back(
      {"Authorization",
       "AWS4-HMAC-SHA256 Credential=" + c.key + "/" + scope.text() + ", SignedHeaders=" + names +
           ", Signature=" + signature(c.secret, scope, string_to_sign(c.stamp, scope, canonical))});
  return request;
}

std::optional<AwsError> judge(const HttpRequest& request, std::string token = "",
                              sys_seconds now = kSignedAt) {
  const Credentials credentials{"AKIDEXAMPLE", Secret(std::string(kSecret)),
                                Secret(std::move(token))};
  return verify_signature(request, credentials,
                          {.region = "us-east-1", .service = "sagemaker", .now = now});
}

void expect(const std::optional<AwsError>& error, std::string_view code, std::string_view text) {
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, code);
  EXPECT_EQ(error->status, 400);
  EXPECT_NE(error->message.find(text), std::string::npos) << error->message;
}

TEST(SigV4Verify, AcceptsWhatIsWellSigned) {
  EXPECT_FALSE(judge(signed_request()));
  EXPECT_FALSE(judge(signed_request({.token = "to+ken/="}), "to+ken/="));
  EXPECT_FALSE(judge(signed_request(), "", kSignedAt + std::chrono::minutes(5)));
}

TEST(SigV4Verify, RefusesWhatWasChangedOnTheWay) {
  constexpr std::string_view kText =
      "The request signature we calculated does not match the signature you provided. Check your "
      "AWS Secret Access Key and signing method. Consult the service documentation for details.";
  HttpRequest body = signed_request();
  body.body = "{ }";
  HttpRequest target = signed_request();
  target.headers[1].value = "SageMaker.StopTrainingJob";
  HttpRequest path = signed_request();
  path.target = "/x";
  HttpRequest method = signed_request();
  method.method = "GET";
  HttpRequest digest = signed_request();
  digest.headers.push_back({"X-Amz-Content-Sha256", sha256_hex("other")});
  for (const HttpRequest& changed : {body, target, path, method, digest})
    expect(judge(changed), "InvalidSignatureException", kText);
  expect(judge(signed_request({.secret = "other"})), "InvalidSignatureException", kText);
}

TEST(SigV4Verify, RefusesUnknownCredentials) {
  constexpr std::string_view kText = "The security token included in the request is invalid.";
  expect(judge(signed_request({.key = "AKIDOTHER"})), "UnrecognizedClientException", kText);
  expect(judge(signed_request({.token = "t"})), "UnrecognizedClientException", kText);
  expect(judge(signed_request(), "t"), "UnrecognizedClientException", kText);
}

TEST(SigV4Verify, RefusesAnotherScope) {
  expect(judge(signed_request({.region = "eu-west-1"})), "InvalidSignatureException",
         "Credential should be scoped to a valid region");
  expect(judge(signed_request({.service = "monitoring"})), "InvalidSignatureException",
         "Credential should be scoped to correct service: 'sagemaker'. ");
  expect(
      judge(signed_request({.date = "20150829"})), "InvalidSignatureException",
      "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
      "'20150829' != '20150830', from '20150830T123600Z'.");
}

TEST(SigV4Verify, RefusesAnotherTime) {
  using std::chrono::seconds;
  expect(judge(signed_request(), "", kSignedAt + seconds(301)), "InvalidSignatureException",
         "Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z "
         "(20150830T124101Z - 5 min.)");
  expect(judge(signed_request(), "", kSignedAt - seconds(301)), "InvalidSignatureException",
         "Signature not yet current: 20150830T123600Z is still later than 20150830T123559Z "
         "(20150830T123059Z + 5 min.)");
}

TEST(SigV4Verify, RefusesWhatIsIncomplete) {
  HttpRequest none = signed_request();
  none.headers.pop_back();
  expect(judge(none), "MissingAuthenticationTokenException", "Missing Authentication Token");
  struct Case {
    std::string_view authorization;
    std::string_view text;
  };
  for (const Case& c :
       {Case{"Bearer x", "Unsupported AWS 'algorithm': 'Bearer'"},
        Case{"AWS4-HMAC-SHA256 nothing",
             "'nothing' not a valid key=value pair (missing "
             "equal-sign) in Authorization header"},
        Case{"AWS4-HMAC-SHA256 Signature=a",
             "Authorization header requires 'Credential' parameter. Authorization header requires "
             "'SignedHeaders' parameter."},
        Case{"AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c",
             "Credential must have exactly 5 slash-delimited elements"}}) {
    HttpRequest request = signed_request();
    request.headers.back().value = c.authorization;
    expect(judge(request), "IncompleteSignatureException", c.text);
  }
  HttpRequest undated = signed_request();
  undated.headers.erase(undated.headers.begin() + 2);
  expect(judge(undated), "IncompleteSignatureException",
         "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.");
}

TEST(SigV4Verify, RefusesHeadersThatAreNotThereOrNotSigned) {
  expect(judge(signed_request({.names = {"x-amz-date"}})), "InvalidSignatureException",
         "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
  expect(judge(signed_request({.names = {"accept", "host", "x-amz-date"}})),
         "InvalidSignatureException",
         "'accept' is named as a SignedHeader, but it does not exist in the HTTP request.");
}

}  // namespace
}  // namespace trainwarden::localaws::sigv4_test
