// S3's list of objects: what is asked, and what is understood.
#include "awsapi/s3.h"

#include <gtest/gtest.h>

#include "tests/support/env.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::aws::s3_test {
namespace {

using testing::ScriptedTransport;

constexpr sys_seconds kNow{std::chrono::seconds(1783000213)};

std::string object(const std::string& key, const std::string& at = "2026-07-02T13:00:00.000Z",
                   const std::string& size = "3") {
  return "<Contents><Key>" + key + "</Key><LastModified>" + at +
         "</LastModified><ETag>&quot;x&quot;</ETag><Size>" + size +
         "</Size><StorageClass>STANDARD</StorageClass></Contents>";
}

// As S3 answers; token: of the next page.
std::string page(const std::string& contents, const std::string& token = "") {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult "
         "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>models</Name><Prefix>a/</"
         "Prefix>" +
         (token.empty() ? std::string()
                        : "<NextContinuationToken>" + token + "</NextContinuationToken>") +
         "<KeyCount>1</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>" +
         (token.empty() ? "false" : "true") + "</IsTruncated>" + contents + "</ListBucketResult>";
}

class S3Test : public ::testing::Test {
 protected:
  static Endpoints endpoints() {
    const testing::Env none{};
    return *Endpoints::from(none(), "eu-central-1");
  }
  Result<bool> list(std::string_view uri, int pages = 3) {
    found_.clear();
    const auto where = parse_s3_uri(uri);
    EXPECT_TRUE(where) << where.error().message;
    return S3(client_).list_objects_v2(
        *where, pages, [this](const S3Object& one) { found_.push_back(one); }, context_);
  }
  std::string header(std::string_view name) const {
    for (const auto& h : transport_.sent.back().headers)
      if (h.name == name) return h.value;
    return "(none)";
  }

  testing::ManualClock clock_{kNow};
  ScriptedTransport transport_;
  Client client_{{{"AKIDEXAMPLE", Secret("s"), Secret("token")}, "eu-central-1", 1, endpoints()},
                 transport_,
                 clock_,
                 [] { return 0.0; }};
  CallContext context_{Deadline::never(), "", nullptr};
  std::vector<S3Object> found_;
};

TEST(S3Uri, IsABucketAndAFolder) {
  const auto is = [](std::string_view uri, std::string_view bucket, std::string_view prefix) {
    const auto found = parse_s3_uri(uri);
    return found && found->bucket == bucket && found->prefix == prefix;
  };
  EXPECT_TRUE(is("s3://models", "models", ""));
  EXPECT_TRUE(is("s3://models/", "models", ""));
  EXPECT_TRUE(is("s3://models/a", "models", "a/"));
  EXPECT_TRUE(is("s3://models/a/b/", "models", "a/b/"));
  EXPECT_TRUE(is("s3://my.models-1/a b&c", "my.models-1", "a b&c/"));
  for (const char* bad : {"", "models/a", "s3:/models/a", "s3://", "s3:///a", "s3://a/b",
                          "https://models.s3.amazonaws.com/a", "s3://mo dels/a", "s3://m@x/a"})
    EXPECT_FALSE(parse_s3_uri(bad)) << bad;
}

TEST_F(S3Test, AsksWithAGetThatIsSignedForS3) {
  transport_.expect(
      "GET https://models.s3.eu-central-1.amazonaws.com/"
      "?list-type=2&max-keys=1000&prefix=a%20b%2F%26c%2F",
      200, page(object("a b/&amp;c/1")));
  const auto whole = list("s3://models/a b/&c");
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_TRUE(*whole);
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_EQ(found_[0].key, "a b/&c/1");
  EXPECT_EQ(found_[0].size, 3);
  EXPECT_EQ(rfc3339(found_[0].written), "2026-07-02T13:00:00Z");
  EXPECT_EQ(header("Content-Type"), "(none)");
  EXPECT_EQ(header("X-Amz-Content-Sha256"),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_NE(header("Authorization")
                .find("/eu-central-1/s3/aws4_request, SignedHeaders=host;"
                      "x-amz-content-sha256;x-amz-date;x-amz-security-token"),
            std::string::npos);
  EXPECT_EQ(transport_.sent.back().body, "");
}

TEST_F(S3Test, ABucketWithDotsIsAskedAtAPath) {
  transport_.expect("GET https://s3.eu-central-1.amazonaws.com/my.models?list-type=2", 200,
                    page(""));
  EXPECT_TRUE(list("s3://my.models").value_or(false));
  EXPECT_TRUE(found_.empty());
}

TEST_F(S3Test, FollowsPagesUpToABound) {
  transport_.expect("max-keys=1000&prefix=a%2F", 200, page(object("a/1"), "t+/="))
      .expect("&continuation-token=t%2B%2F%3D", 200, page(object("a/2")));
  EXPECT_TRUE(*list("s3://models/a"));
  EXPECT_EQ(found_.size(), 2U);
  transport_.expect("list-type=2", 200, page(object("a/1"), "t")).expect("=t", 200, page("", "u"));
  EXPECT_FALSE(*list("s3://models/a", 2));
}

TEST_F(S3Test, WhatMakesNoSenseIsNoEmptyFolder) {
  for (const std::string& odd :
       {std::string("{}"), std::string(), std::string("<html></html>"),
        std::string("<ListBucketResult></ListBucketResult>"),
        std::string("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"),
        page("<Contents><Key>a/1</Key>"), page(object("a/1", "yesterday")),
        page(object("a/1", "2026-07-02T13:00:00.000Z", "big")),
        page("<Contents><Key>a/1</Key></Contents>")}) {
    transport_.expect("list-type=2", 200, odd);
    const auto listed = list("s3://models/a");
    ASSERT_FALSE(listed) << odd;
    EXPECT_EQ(listed.error().code, ErrorCode::kBadResponse) << odd;
  }
}

std::string s3_error(const std::string& code, const std::string& message) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + code + "</Code><Message>" +
         message + "</Message><RequestId>4442587FB7D0A2F9</RequestId></Error>";
}

TEST_F(S3Test, ItsErrorsAreToldByCodeAndClass) {
  struct Case {
    int status;
    const char* code;
    ErrorCode meant;
  };
  for (const Case& c : {Case{403, "AccessDenied", ErrorCode::kAccessDenied},
                        Case{403, "InvalidAccessKeyId", ErrorCode::kUnauthenticated},
                        Case{404, "NoSuchBucket", ErrorCode::kNotFound},
                        Case{503, "SlowDown", ErrorCode::kThrottled},
                        Case{500, "InternalError", ErrorCode::kServiceFault}}) {
    transport_.expect("list-type=2", c.status, s3_error(c.code, "why"));
    const auto listed = list("s3://models/a");
    ASSERT_FALSE(listed);
    EXPECT_EQ(listed.error().code, c.meant) << c.code;
    EXPECT_NE(listed.error().message.find(std::string(c.code) + ": why"), std::string::npos);
    EXPECT_NE(listed.error().message.find("4442587FB7D0A2F9"), std::string::npos);
  }
}

TEST_F(S3Test, ABucketOfAnotherRegionSaysWhereItIs) {
  for (const auto& [status, code] :
       {std::pair(301, "PermanentRedirect"), std::pair(400, "AuthorizationHeaderMalformed")}) {
    transport_.expect("list-type=2", status, s3_error(code, "elsewhere"),
                      {{"x-amz-bucket-region", "us-west-2"}});
    const auto listed = list("s3://models/a");
    ASSERT_FALSE(listed);
    EXPECT_EQ(listed.error().code, ErrorCode::kRejected);
    EXPECT_NE(listed.error().message.find("the bucket is in the region us-west-2"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace trainwarden::aws::s3_test
