#include "awsapi/sigv4.h"

#include <gtest/gtest.h>

#include "awsapi/uri.h"

namespace trainwarden::aws::sigv4_test {
namespace {

const Credentials kExample{"AKIDEXAMPLE", Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
                           Secret()};
// 2015-08-30T12:36:00Z
constexpr sys_seconds kThen{std::chrono::seconds(1440938160)};

std::string header(const http::Request& request, std::string_view name) {
  for (const auto& h : request.headers)
    if (h.name == name) return h.value;
  return "(none)";
}

// The worked example of AWS's documentation ("Create a signed AWS API request", the IAM ListUsers
// request), the one case with published stages that needs no files.
TEST(SigV4, SignsTheDocumentedExample) {
  http::Request request{"GET",
                        "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
                        {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}},
                        ""};
  const Scope scope{"us-east-1", "iam"};
  http::Request unsigned_request = request;
  unsigned_request.headers.push_back({"Host", "iam.amazonaws.com"});
  unsigned_request.headers.push_back({"X-Amz-Date", "20150830T123600Z"});
  const std::string canonical = canonical_request(unsigned_request, sha256_hex(""));
  EXPECT_EQ(sha256_hex(canonical),
            "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59");
  EXPECT_EQ(string_to_sign(canonical, scope, kThen),
            "AWS4-HMAC-SHA256\n20150830T123600Z\n20150830/us-east-1/iam/aws4_request\n"
            "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59");
  const auto signed_request = sign(std::move(request), kExample, scope, kThen);
  EXPECT_EQ(header(signed_request, "Authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-date, "
            "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
}

// Longer than a block of the hash: RFC 2104 hashes such a key. The value is Python's.
TEST(SigV4, TakesSecretsOfAnyLength) {
  const std::string once = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  EXPECT_EQ(signature(Secret(once + once + once), {"us-east-1", "iam"}, kThen, "text"),
            "3c388b49915e8f34529f21111c7a6d7ce77cb1bb563c3f54dd590e23dec9308a");
}

TEST(SigV4, KeysThatAreKeptAreThoseOfTheirScopeDayAndCredentials) {
  SigningKeys keys;
  const Scope iam{"us-east-1", "iam"};
  const Scope sns{"us-east-1", "sns"};
  const Scope elsewhere{"eu-west-1", "iam"};
  const Credentials other{"AKIDOTHER", Secret("another secret"), Secret()};
  for (const char* date : {"20150830", "20150831", "20150830"}) {
    for (int again = 0; again < 2; ++again) {
      for (const Scope& scope : {iam, sns, elsewhere}) {
        for (const Credentials& credentials : {kExample, other}) {
          EXPECT_EQ(keys.get(credentials, scope, date),
                    signing_key(credentials.secret_access_key, scope, date));
        }
      }
    }
  }
  EXPECT_NE(signing_key(kExample.secret_access_key, iam, "20150830"),
            signing_key(kExample.secret_access_key, iam, "20150831"));
}

TEST(SigV4, SignsTheSameWithKeysThatAreKept) {
  SigningKeys keys;
  const http::Request request{"GET", "https://iam.amazonaws.com/", {}, ""};
  for (const int hours : {0, 0, 24, 25}) {
    const sys_seconds now = kThen + std::chrono::hours(hours);
    const auto kept = sign(request, kExample, {"us-east-1", "iam"}, now, {}, &keys);
    const auto fresh = sign(request, kExample, {"us-east-1", "iam"}, now);
    EXPECT_EQ(header(kept, "Authorization"), header(fresh, "Authorization"));
  }
}

// The worked example of S3's documentation ("Authenticating Requests: Using the Authorization
// Header", the list of a bucket's objects).
TEST(SigV4, SignsTheDocumentedListOfABucket) {
  const Credentials example{"AKIAIOSFODNN7EXAMPLE",
                            Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), Secret()};
  const auto signed_request =
      sign({"GET", "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J", {}, ""}, example,
           {"us-east-1", "s3"}, *parse_rfc3339("2013-05-24T00:00:00Z"), kS3Signing);
  EXPECT_EQ(header(signed_request, "Authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
            "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(SigV4, PathsOfS3AreNotEncodedOnceMore) {
  const http::Request request{"GET", "https://b.s3.amazonaws.com/a%20b//c/../d", {}, ""};
  EXPECT_NE(canonical_request(request, "", kS3Signing).find("\n/a%20b//c/../d\n"),
            std::string::npos);
  EXPECT_NE(canonical_request(request, "").find("\n/a%2520b/d\n"), std::string::npos);
}

TEST(SigV4, LeavesOutWhatIsChangedOnTheWay) {
  EXPECT_EQ(signed_headers({{"User-Agent", "x"},
                            {"X-Amzn-Trace-Id", "x"},
                            {"Connection", "x"},
                            {"Expect", "x"},
                            {"TE", "x"},
                            {"Transfer-Encoding", "x"},
                            {"X-Amz-Target", "x"},
                            {"x-amzn-query-mode", "x"},
                            {"Host", "x"}}),
            "host;x-amz-target;x-amzn-query-mode");
}

// The canonical request as the page on Signature Version 4 builds it: names sorted, values trimmed,
// those of one name joined in their order with a comma; dots in the path resolved unless asked not
// to.
TEST(SigV4, TheCanonicalRequestHasTheDocumentedForm) {
  const http::Request request{
      "GET",
      "https://h/a/../b//c?z=1&a=2",
      {{"X-B", " two  spaces "}, {"Host", "h"}, {"X-A", "first"}, {"x-a", "second"}},
      ""};
  const std::string rest =
      "\na=2&z=1\nhost:h\nx-a:first,second\nx-b:two spaces\n\nhost;x-a;x-b\nHASH";
  EXPECT_EQ(canonical_request(request, "HASH"), "GET\n/b/c" + rest);
  EXPECT_EQ(canonical_request(request, "HASH", {.normalize_path = false}),
            "GET\n/a/../b//c" + rest);
}

TEST(SigV4, SignsTheSessionTokenAndThePort) {
  const Credentials temporary{"AKIDEXAMPLE", Secret("s"), Secret("token")};
  const auto request = sign({"POST", "http://127.0.0.1:4566/", {}, "{}"}, temporary,
                            {"us-east-1", "sagemaker"}, kThen);
  EXPECT_EQ(header(request, "Host"), "127.0.0.1:4566");
  EXPECT_EQ(header(request, "X-Amz-Security-Token"), "token");
  EXPECT_NE(
      header(request, "Authorization").find("SignedHeaders=host;x-amz-date;x-amz-security-token"),
      std::string::npos);
}

TEST(SigV4, ANonAsciiOrEscapedPathIsEncodedAsItIsSent) {
  const auto path_line = [](const char* url) {
    const std::string canonical =
        canonical_request({"GET", url, {{"Host", "h"}}, ""}, sha256_hex(""));
    return canonical.substr(4, canonical.find('\n', 4) - 4);
  };
  EXPECT_EQ(path_line("https://h/a%20b"), "/a%2520b");
  EXPECT_EQ(path_line("https://h/ü"), "/%C3%BC");
  EXPECT_EQ(path_line("https://h/prefix//x/../y/"), "/prefix/y/");
  EXPECT_EQ(path_line("https://h"), "/");
}

TEST(SigV4, EveryInputChangesTheSignature) {
  const auto signed_with = [](const std::string& secret, const Scope& scope, sys_seconds now,
                              const std::string& body) {
    const Credentials credentials{"AKIDEXAMPLE", Secret(secret), Secret()};
    const std::string all =
        header(sign({"POST", "https://h/", {}, body}, credentials, scope, now), "Authorization");
    return all.substr(all.rfind('='));
  };
  const std::string base = signed_with("s", {"us-east-1", "sagemaker"}, kThen, "{}");
  EXPECT_EQ(base, signed_with("s", {"us-east-1", "sagemaker"}, kThen, "{}"));
  EXPECT_NE(base, signed_with("t", {"us-east-1", "sagemaker"}, kThen, "{}"));
  EXPECT_NE(base, signed_with("s", {"us-east-2", "sagemaker"}, kThen, "{}"));
  EXPECT_NE(base, signed_with("s", {"us-east-1", "logs"}, kThen, "{}"));
  EXPECT_NE(base,
            signed_with("s", {"us-east-1", "sagemaker"}, kThen + std::chrono::seconds(1), "{}"));
  EXPECT_NE(base, signed_with("s", {"us-east-1", "sagemaker"}, kThen, "{ }"));
}

TEST(Uri, SortsQueriesByNameThenValue) {
  EXPECT_EQ(canonical_query("b=2&a=2&a=1&c"), "a=1&a=2&b=2&c=");
  EXPECT_EQ(canonical_query("Param-3=V&Param=V"), "Param=V&Param-3=V");
  EXPECT_EQ(canonical_query("a=%2f&%41=b+c"), "A=b%2Bc&a=%2F");
  EXPECT_EQ(canonical_query(""), "");
}

TEST(Uri, NormalizesPaths) {
  const struct {
    const char* path;
    const char* normal;
  } cases[] = {{"/", "/"},          {"//", "/"},     {"/a/..", "/"},      {"/a/./b", "/a/b"},
               {"/a//b/", "/a/b/"}, {"/../a", "/a"}, {"/a/b/../..", "/"}, {"/.", "/"}};
  for (const auto& [path, normal] : cases) EXPECT_EQ(normalize_path(path), normal) << path;
}

}  // namespace
}  // namespace trainwarden::aws::sigv4_test
