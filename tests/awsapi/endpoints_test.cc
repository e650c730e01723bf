#include <gtest/gtest.h>

#include "awsapi/service.h"
#include "tests/support/env.h"

namespace trainwarden::aws::endpoints_test {
namespace {

using testing::Env;

// The hosts are those of botocore 1.43's endpoint rules, asked with its own EndpointProvider. The
// FIPS names that those rules make up and no DNS has are left out ("").
struct Host {
  const char* region;
  ServiceId service;
  const char* plain;
  const char* fips;
  const char* dual_stack;
};

constexpr Host kHosts[] = {
    {"eu-central-1", ServiceId::kSageMaker, "api.sagemaker.eu-central-1.amazonaws.com",
     "api-fips.sagemaker.eu-central-1.amazonaws.com", "api.sagemaker.eu-central-1.api.aws"},
    {"eu-central-1", ServiceId::kCloudWatch, "monitoring.eu-central-1.amazonaws.com",
     "monitoring-fips.eu-central-1.amazonaws.com", "monitoring.eu-central-1.api.aws"},
    {"eu-central-1", ServiceId::kLogs, "logs.eu-central-1.amazonaws.com",
     "logs-fips.eu-central-1.amazonaws.com", "logs.eu-central-1.api.aws"},
    {"eu-central-1", ServiceId::kSsm, "ssm.eu-central-1.amazonaws.com",
     "ssm-fips.eu-central-1.amazonaws.com", "ssm.eu-central-1.api.aws"},
    {"eu-central-1", ServiceId::kSns, "sns.eu-central-1.amazonaws.com",
     "sns-fips.eu-central-1.amazonaws.com", "sns.eu-central-1.api.aws"},
    {"eu-central-1", ServiceId::kDynamoDb, "dynamodb.eu-central-1.amazonaws.com",
     "dynamodb-fips.eu-central-1.amazonaws.com", "dynamodb.eu-central-1.api.aws"},
    {"us-east-1", ServiceId::kPricing, "api.pricing.us-east-1.amazonaws.com", "",
     "api.pricing.us-east-1.api.aws"},
    {"cn-northwest-1", ServiceId::kPricing, "api.pricing.cn-northwest-1.amazonaws.com.cn", "",
     "api.pricing.cn-northwest-1.api.amazonwebservices.com.cn"},
    {"eu-central-1", ServiceId::kServiceQuotas, "servicequotas.eu-central-1.amazonaws.com", "",
     "servicequotas.eu-central-1.api.aws"},
    {"us-gov-west-1", ServiceId::kServiceQuotas, "servicequotas.us-gov-west-1.amazonaws.com",
     "servicequotas.us-gov-west-1.amazonaws.com", "servicequotas.us-gov-west-1.api.aws"},
    {"us-gov-west-1", ServiceId::kSageMaker, "api.sagemaker.us-gov-west-1.amazonaws.com",
     "api-fips.sagemaker.us-gov-west-1.amazonaws.com", "api.sagemaker.us-gov-west-1.api.aws"},
    {"us-gov-west-1", ServiceId::kCloudWatch, "monitoring.us-gov-west-1.amazonaws.com",
     "monitoring.us-gov-west-1.amazonaws.com", "monitoring.us-gov-west-1.api.aws"},
    {"us-gov-east-1", ServiceId::kSns, "sns.us-gov-east-1.amazonaws.com",
     "sns.us-gov-east-1.amazonaws.com", "sns.us-gov-east-1.api.aws"},
    {"us-gov-west-1", ServiceId::kDynamoDb, "dynamodb.us-gov-west-1.amazonaws.com",
     "dynamodb.us-gov-west-1.amazonaws.com", "dynamodb.us-gov-west-1.api.aws"},
    {"cn-north-1", ServiceId::kSageMaker, "api.sagemaker.cn-north-1.amazonaws.com.cn",
     "api.sagemaker-fips.cn-north-1.amazonaws.com.cn",
     "api.sagemaker.cn-north-1.api.amazonwebservices.com.cn"},
    {"cn-north-1", ServiceId::kLogs, "logs.cn-north-1.amazonaws.com.cn",
     "logs-fips.cn-north-1.amazonaws.com.cn", "logs.cn-north-1.api.amazonwebservices.com.cn"},
    {"cn-north-1", ServiceId::kDynamoDb, "dynamodb.cn-north-1.amazonaws.com.cn",
     "dynamodb-fips.cn-north-1.amazonaws.com.cn",
     "dynamodb.cn-north-1.api.amazonwebservices.com.cn"},
    {"eusc-de-east-1", ServiceId::kDynamoDb, "dynamodb.eusc-de-east-1.amazonaws.eu",
     "dynamodb-fips.eusc-de-east-1.amazonaws.eu",
     "dynamodb.eusc-de-east-1.api.amazonwebservices.eu"},
    {"eusc-de-east-1", ServiceId::kSageMaker, "api.sagemaker.eusc-de-east-1.amazonaws.eu",
     "api.sagemaker-fips.eusc-de-east-1.amazonaws.eu",
     "api.sagemaker.eusc-de-east-1.api.amazonwebservices.eu"},
    {"us-iso-east-1", ServiceId::kSsm, "ssm.us-iso-east-1.c2s.ic.gov",
     "ssm-fips.us-iso-east-1.c2s.ic.gov", "ssm.us-iso-east-1.api.aws.ic.gov"},
    {"us-iso-east-1", ServiceId::kDynamoDb, "dynamodb.us-iso-east-1.c2s.ic.gov",
     "dynamodb-fips.us-iso-east-1.c2s.ic.gov", "dynamodb.us-iso-east-1.api.aws.ic.gov"},
    {"us-isob-east-1", ServiceId::kSns, "sns.us-isob-east-1.sc2s.sgov.gov",
     "sns-fips.us-isob-east-1.sc2s.sgov.gov", "sns.us-isob-east-1.api.aws.scloud"},
    {"eu-isoe-west-1", ServiceId::kSageMaker, "api.sagemaker.eu-isoe-west-1.cloud.adc-e.uk",
     "api.sagemaker-fips.eu-isoe-west-1.cloud.adc-e.uk",
     "api.sagemaker.eu-isoe-west-1.api.cloud-aws.adc-e.uk"},
    {"us-isof-south-1", ServiceId::kCloudWatch, "monitoring.us-isof-south-1.csp.hci.ic.gov",
     "monitoring-fips.us-isof-south-1.csp.hci.ic.gov",
     "monitoring.us-isof-south-1.api.aws.hci.ic.gov"},
    {"eu-central-1", ServiceId::kS3, "s3.eu-central-1.amazonaws.com",
     "s3-fips.eu-central-1.amazonaws.com", "s3.dualstack.eu-central-1.amazonaws.com"},
    {"us-gov-west-1", ServiceId::kS3, "s3.us-gov-west-1.amazonaws.com",
     "s3-fips.us-gov-west-1.amazonaws.com", "s3.dualstack.us-gov-west-1.amazonaws.com"},
    {"eusc-de-east-1", ServiceId::kS3, "s3.eusc-de-east-1.amazonaws.eu",
     "s3-fips.eusc-de-east-1.amazonaws.eu", "s3.dualstack.eusc-de-east-1.amazonaws.eu"},
    {"us-isob-east-1", ServiceId::kS3, "s3.us-isob-east-1.sc2s.sgov.gov",
     "s3-fips.us-isob-east-1.sc2s.sgov.gov", "s3.dualstack.us-isob-east-1.sc2s.sgov.gov"},
    {"xx-nowhere-9", ServiceId::kSageMaker, "api.sagemaker.xx-nowhere-9.amazonaws.com",
     "api-fips.sagemaker.xx-nowhere-9.amazonaws.com", "api.sagemaker.xx-nowhere-9.api.aws"},
};

std::string host(const Env& env, const Host& expected) {
  const auto endpoints = Endpoints::from(env(), expected.region);
  if (!endpoints) return endpoints.error().message;
  const std::string& url = endpoints->url(expected.service);
  if (url.empty()) return url;
  EXPECT_TRUE(url.starts_with("https://") && url.ends_with("/")) << url;
  return url.substr(8, url.size() - 9);
}

TEST(Endpoints, FollowRegionPartitionAndVariant) {
  const Env plain{};
  const Env fips{"AWS_USE_FIPS_ENDPOINT=true"};
  const Env dual_stack{"AWS_USE_DUALSTACK_ENDPOINT=true"};
  for (const Host& expected : kHosts) {
    EXPECT_EQ(host(plain, expected), expected.plain);
    EXPECT_EQ(host(fips, expected), expected.fips);
    EXPECT_EQ(host(dual_stack, expected), expected.dual_stack);
  }
}

TEST(Endpoints, CanBeOverriddenForAllOrOneService) {
  const Env env{"AWS_ENDPOINT_URL=http://127.0.0.1:4566",
                "AWS_ENDPOINT_URL_CLOUDWATCH_LOGS=https://logs.example/a/b"};
  const auto endpoints = Endpoints::from(env(), "eu-central-1");
  ASSERT_TRUE(endpoints);
  EXPECT_EQ(endpoints->url(ServiceId::kSageMaker), "http://127.0.0.1:4566/");
  EXPECT_EQ(endpoints->url(ServiceId::kSns), "http://127.0.0.1:4566/");
  EXPECT_EQ(endpoints->url(ServiceId::kLogs), "https://logs.example/a/b/");
}

TEST(Endpoints, EveryServiceHasItsVariable) {
  const Env env{"AWS_ENDPOINT_URL_SAGEMAKER=http://a",
                "AWS_ENDPOINT_URL_CLOUDWATCH=http://b",
                "AWS_ENDPOINT_URL_CLOUDWATCH_LOGS=http://c",
                "AWS_ENDPOINT_URL_SSM=http://d",
                "AWS_ENDPOINT_URL_SNS=http://e",
                "AWS_ENDPOINT_URL_DYNAMODB=http://f",
                "AWS_ENDPOINT_URL_S3=http://g"};
  const auto endpoints = Endpoints::from(env(), "eu-central-1");
  EXPECT_EQ(endpoints->url(ServiceId::kSageMaker), "http://a/");
  EXPECT_EQ(endpoints->url(ServiceId::kCloudWatch), "http://b/");
  EXPECT_EQ(endpoints->url(ServiceId::kLogs), "http://c/");
  EXPECT_EQ(endpoints->url(ServiceId::kSsm), "http://d/");
  EXPECT_EQ(endpoints->url(ServiceId::kSns), "http://e/");
  EXPECT_EQ(endpoints->url(ServiceId::kDynamoDb), "http://f/");
  EXPECT_EQ(endpoints->url(ServiceId::kS3), "http://g/");
}

// As botocore 1.43 has it.
TEST(Endpoints, ABucketHasAHostOfItsOwnWhereACertificateCoversIt) {
  const Env plain{};
  const auto china = Endpoints::from(plain(), "cn-north-1");
  EXPECT_EQ(china->bucket_url("models"), "https://models.s3.cn-north-1.amazonaws.com.cn/");
  EXPECT_EQ(china->bucket_url("my.models"), "https://s3.cn-north-1.amazonaws.com.cn/my.models");
  const Env dual_stack{"AWS_USE_DUALSTACK_ENDPOINT=true"};
  EXPECT_EQ(Endpoints::from(dual_stack(), "us-east-1")->bucket_url("models"),
            "https://models.s3.dualstack.us-east-1.amazonaws.com/");
  const Env custom{"AWS_ENDPOINT_URL_S3=http://127.0.0.1:4566/s3"};
  EXPECT_EQ(Endpoints::from(custom(), "us-east-1")->bucket_url("models"),
            "http://127.0.0.1:4566/s3/models");
  const Env ignored{"AWS_ENDPOINT_URL=http://a", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true"};
  EXPECT_EQ(Endpoints::from(ignored(), "us-east-1")->bucket_url("models"),
            "https://models.s3.us-east-1.amazonaws.com/");
}

TEST(Endpoints, OverridesCanBeIgnored) {
  const Env env{"AWS_ENDPOINT_URL=http://a", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true"};
  EXPECT_EQ(Endpoints::from(env(), "us-east-1")->url(ServiceId::kSns),
            "https://sns.us-east-1.amazonaws.com/");
}

TEST(Endpoints, ARefusedUrlIsShownWithoutItsSecrets) {
  for (const std::string url :
       {"http://user:hunter2@h", "https://hunter2@h:1/p", "user:hunter2@h",
        "http://h?token=hunter2", "http://h/p#hunter2", "http://u:hunter2@x@h/p",
        "http://u:p?hunter2@h", "u:hunter2@http://h"}) {
    const std::string entry = "AWS_ENDPOINT_URL=" + url;
    const Env env{entry};
    const auto endpoints = Endpoints::from(env(), "eu-central-1");
    ASSERT_FALSE(endpoints) << url;
    EXPECT_EQ(endpoints.error().message.find("hunter2"), std::string::npos)
        << endpoints.error().message;
    EXPECT_NE(endpoints.error().message.find("***"), std::string::npos) << url;
  }
}

// Botocore, and the SDKs for Java and Go, compare without regard to case.
TEST(Endpoints, FlagsAreComparedInAnyCase) {
  for (const char* text : {"AWS_USE_FIPS_ENDPOINT=True", "AWS_USE_FIPS_ENDPOINT=TRUE"}) {
    const Env env{text};
    EXPECT_EQ(Endpoints::from(env(), "us-east-1")->url(ServiceId::kSns),
              "https://sns-fips.us-east-1.amazonaws.com/");
  }
  const Env off{"AWS_USE_FIPS_ENDPOINT=False", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=True",
                "AWS_ENDPOINT_URL=http://a"};
  EXPECT_EQ(Endpoints::from(off(), "us-east-1")->url(ServiceId::kSns),
            "https://sns.us-east-1.amazonaws.com/");
}

TEST(Endpoints, AServiceWithoutFipsEndpointsMayHaveOneOfItsOwn) {
  const Env env{"AWS_USE_FIPS_ENDPOINT=true", "AWS_ENDPOINT_URL_PRICING=http://127.0.0.1:1",
                "AWS_ENDPOINT_URL_SERVICE_QUOTAS=http://127.0.0.1:2"};
  const auto endpoints = Endpoints::from(env(), "us-east-1");
  ASSERT_TRUE(endpoints) << endpoints.error().message;
  EXPECT_EQ(endpoints->url(ServiceId::kPricing), "http://127.0.0.1:1/");
  EXPECT_EQ(endpoints->url(ServiceId::kServiceQuotas), "http://127.0.0.1:2/");
  EXPECT_EQ(endpoints->url(ServiceId::kLogs), "https://logs-fips.us-east-1.amazonaws.com/");
  const Env with_fips{"AWS_USE_FIPS_ENDPOINT=true", "AWS_ENDPOINT_URL_LOGS=http://127.0.0.1:1",
                      "AWS_ENDPOINT_URL_SNS=http://127.0.0.1:1"};
  EXPECT_FALSE(Endpoints::from(with_fips(), "us-east-1"));
  const Env dual_stack{"AWS_USE_DUALSTACK_ENDPOINT=true",
                       "AWS_ENDPOINT_URL_PRICING=http://127.0.0.1:1"};
  EXPECT_FALSE(Endpoints::from(dual_stack(), "us-east-1"));
}

TEST(Endpoints, WhatCannotBeIsAnErrorThatNamesTheVariables) {
  const Env both{"AWS_USE_FIPS_ENDPOINT=true", "AWS_USE_DUALSTACK_ENDPOINT=true"};
  const Env custom_fips{"AWS_USE_FIPS_ENDPOINT=true", "AWS_ENDPOINT_URL=http://a"};
  const Env custom_dual{"AWS_USE_DUALSTACK_ENDPOINT=true", "AWS_ENDPOINT_URL_SNS=http://a"};
  const Env no_flag{"AWS_USE_FIPS_ENDPOINT=yes"};
  const Env no_url{"AWS_ENDPOINT_URL_SSM=localhost:4566"};
  const Env user_info{"AWS_ENDPOINT_URL=http://user:pass@a"};
  const struct {
    const Env& env;
    std::vector<const char*> named;
  } cases[] = {{both, {"AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT"}},
               {custom_fips, {"AWS_USE_FIPS_ENDPOINT", "AWS_ENDPOINT_URL"}},
               {custom_dual, {"AWS_USE_DUALSTACK_ENDPOINT", "AWS_ENDPOINT_URL_SNS"}},
               {no_flag, {"AWS_USE_FIPS_ENDPOINT", "`yes`"}},
               {no_url, {"AWS_ENDPOINT_URL_SSM", "localhost:4566"}},
               {user_info, {"AWS_ENDPOINT_URL"}}};
  for (const auto& [env, named] : cases) {
    const auto endpoints = Endpoints::from(env(), "eu-central-1");
    ASSERT_FALSE(endpoints) << named.front();
    EXPECT_EQ(endpoints.error().code, ErrorCode::kInvalidConfig);
    for (const char* name : named)
      EXPECT_NE(endpoints.error().message.find(name), std::string::npos)
          << endpoints.error().message;
  }
}

TEST(Endpoints, ARawPathThatIsNoUrlIsRefused) {
  for (const std::string url :
       {"http://a/größe", "http://a/b c", "http://a/b\tc", "http://a/\r\nX: y", "http://a/\x7f",
        "http://a/%", "http://a/%4", "http://a/%zz", "http://a/\"b\"", "http://a/b\\c", "http://ä/",
        "http:///b", "http://:80/"}) {
    const std::string entry = "AWS_ENDPOINT_URL_SNS=" + url;
    const Env env{entry};
    const auto endpoints = Endpoints::from(env(), "eu-central-1");
    ASSERT_FALSE(endpoints) << url;
    EXPECT_EQ(endpoints.error().code, ErrorCode::kInvalidConfig);
    const std::string& message = endpoints.error().message;
    EXPECT_NE(message.find("AWS_ENDPOINT_URL_SNS: expected a URL"), std::string::npos) << message;
    EXPECT_NE(message.find("percent-encoded"), std::string::npos) << message;
    EXPECT_NE(message.find("found `" + url + "`"), std::string::npos) << message;
  }
}

TEST(Endpoints, AHostOrPortThatCannotBeIsRefused) {
  for (const std::string url :
       {"http://h:0", "http://h:65536", "http://h:99999/p", "http://h:18446744073709551617",
        "http://h:", "http://h:/p", "http://h:8o", "http://h:1:2", "http://[", "http://[]",
        "http://[::1", "http://[::1]4566", "http://[::1]:", "http://[h]:1", "http://a[::1]:1",
        "http://a]"}) {
    const std::string entry = "AWS_ENDPOINT_URL_SNS=" + url;
    const Env env{entry};
    const auto endpoints = Endpoints::from(env(), "eu-central-1");
    ASSERT_FALSE(endpoints) << url;
    EXPECT_NE(endpoints.error().message.find("found `" + url + "`"), std::string::npos) << url;
  }
  for (const std::string url : {"http://h:1/", "http://h:65535/", "http://[::1]/",
                                "http://[::ffff:127.0.0.1]:80/a:b[c]/", "http://h/:0/"}) {
    const std::string entry = "AWS_ENDPOINT_URL_SNS=" + url;
    const Env env{entry};
    const auto endpoints = Endpoints::from(env(), "eu-central-1");
    ASSERT_TRUE(endpoints) << endpoints.error().message;
    EXPECT_EQ(endpoints->url(ServiceId::kSns), url);
  }
}

TEST(Endpoints, APercentEncodedPathIsTaken) {
  const Env env{"AWS_ENDPOINT_URL=http://[::1]:4566/gr%C3%B6%c3%9fe/a~b(1);c=d,e'f!*+$&:"};
  const auto endpoints = Endpoints::from(env(), "eu-central-1");
  ASSERT_TRUE(endpoints) << endpoints.error().message;
  EXPECT_EQ(endpoints->url(ServiceId::kSns),
            "http://[::1]:4566/gr%C3%B6%c3%9fe/a~b(1);c=d,e'f!*+$&:/");
}

}  // namespace
}  // namespace trainwarden::aws::endpoints_test
