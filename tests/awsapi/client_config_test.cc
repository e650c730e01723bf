// The client's configuration from the environment.
#include <gtest/gtest.h>

#include "awsapi/client.h"
#include "tests/awsapi/client_fixture.h"
#include "tests/support/env.h"

namespace trainwarden::aws::client_config_test {
namespace {

TEST(Configuration, AMalformedVariableIsNamed) {
  const struct {
    std::vector<std::string> set;
    const char* named;
  } cases[] = {
      {{"AWS_REGION=", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b"}, "AWS_REGION"},
      {{"AWS_REGION=Frankfurt!", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b"}, "Frankfurt!"},
      {{"AWS_REGION=eu-central-1", "AWS_SECRET_ACCESS_KEY=b"}, "AWS_ACCESS_KEY_ID"},
      {{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a"}, "AWS_SECRET_ACCESS_KEY"},
      {{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b\r\nX: y"},
       "AWS_SECRET_ACCESS_KEY"},
      {{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b",
        "AWS_ENDPOINT_URL=ftp://x"},
       "AWS_ENDPOINT_URL"},
      {{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b",
        "AWS_MAX_ATTEMPTS=0"},
       "AWS_MAX_ATTEMPTS"},
  };
  for (const auto& [set, named] : cases) {
    std::vector<const char*> pointers;
    for (const auto& entry : set) pointers.push_back(entry.c_str());
    pointers.push_back(nullptr);
    const auto config = ClientConfig::from(Environment(pointers.data()));
    ASSERT_FALSE(config) << named;
    EXPECT_EQ(config.error().code, ErrorCode::kInvalidConfig);
    EXPECT_NE(config.error().message.find(named), std::string::npos) << config.error().message;
    EXPECT_EQ(config.error().message.find("=b"), std::string::npos) << "a secret is shown";
  }
}

// The SDKs take any number of attempts.
TEST(Configuration, MoreThanTenAttemptsAreTen) {
  for (const auto& [text, attempts] : {std::pair{"AWS_MAX_ATTEMPTS=1", 1},
                                       {"AWS_MAX_ATTEMPTS=10", 10},
                                       {"AWS_MAX_ATTEMPTS=30", 10}}) {
    const testing::Env env{text};
    EXPECT_EQ(*max_attempts_from(env()), attempts) << text;
  }
  const testing::Env no_number{"AWS_MAX_ATTEMPTS=many"};
  EXPECT_FALSE(max_attempts_from(no_number()));
}

TEST(Configuration, AWS_DEFAULT_REGIONIsTheSecondChoice) {
  const testing::Env env{"AWS_DEFAULT_REGION=us-west-2"};
  EXPECT_EQ(*region_from(env()), "us-west-2");
  const testing::Env both{"AWS_DEFAULT_REGION=us-west-2", "AWS_REGION=eu-central-1"};
  EXPECT_EQ(*region_from(both()), "eu-central-1");
}

}  // namespace
}  // namespace trainwarden::aws::client_config_test
