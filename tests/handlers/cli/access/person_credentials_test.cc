// As whom the command asks AWS (issue 17, 1): the environment, the container's host, the aws
// command.
#include "handlers/cli/access/person_credentials.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "tests/support/env.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::cli::person_credentials_test {
namespace {

using std::chrono::minutes;
using testing::Env;

constexpr sys_seconds kNow{std::chrono::seconds(1'783'000'000)};

std::string answer(const std::string& id, sys_seconds expires = kNow + std::chrono::hours(1)) {
  return R"({"Version": 1, "AccessKeyId": ")" + id +
         R"(", "SecretAccessKey": "s3cretValue", "SessionToken": "t", "Expiration": ")" +
         rfc3339(expires) + R"("})";
}

class Credentials : public ::testing::Test {
 protected:
  // What the aws command answers, one run after the other; the last again and again.
  RunAws aws() {
    return [this](const std::vector<std::string>& arguments) -> Result<Ran> {
      ran_.push_back(arguments);
      if (answers_.empty()) return fail(ErrorCode::kNotFound, "aws: No such file or directory");
      Ran out = answers_.front();
      if (answers_.size() > 1) answers_.pop_front();
      return out;
    };
  }
  std::string asked() const {
    std::string out;
    for (const std::string& word : ran_.empty() ? std::vector<std::string>() : ran_.back())
      out += out.empty() ? word : " " + word;
    return out;
  }

  testing::ManualClock clock_{kNow};
  testing::ScriptedTransport transport_;
  std::deque<Ran> answers_;
  std::vector<std::vector<std::string>> ran_;
};

TEST_F(Credentials, TheEnvironmentsComeFirst) {
  const Env env{"AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=key", "AWS_SESSION_TOKEN=token",
                "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://localhost:1338/x"};
  const Environment environment = env();
  PersonCredentials credentials(environment, "", transport_, clock_, aws());
  const auto found = credentials.current();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->access_key_id, "AKID");
  EXPECT_EQ(found->session_token.reveal(), "token");
  EXPECT_TRUE(ran_.empty());
  EXPECT_FALSE(credentials.renew());  // there are no others
}

// Who wonders as whom AWS was asked finds all that could have been meant.
TEST_F(Credentials, EachSourceThatIsSetAndNotUsedIsNamed) {
  const auto remarks = [&](std::initializer_list<std::string> variables, const char* profile = "") {
    const Env env(variables);
    const Environment environment = env();
    return PersonCredentials(environment, profile, transport_, clock_, aws()).remarks();
  };
  constexpr const char* kId = "AWS_ACCESS_KEY_ID=AKIDSECRET";
  constexpr const char* kKey = "AWS_SECRET_ACCESS_KEY=key";
  constexpr const char* kFull = "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://localhost:1338/x";
  constexpr const char* kProfile = "AWS_PROFILE=dev";
  constexpr const char* kWeb = "AWS_WEB_IDENTITY_TOKEN_FILE=/token";
  EXPECT_EQ(remarks({kId, kKey}), "");
  EXPECT_EQ(remarks({kFull}), "");
  EXPECT_EQ(remarks({kProfile, kWeb}), "");  // the aws command reads both
  EXPECT_EQ(remarks({}, "prod"), "");
  EXPECT_EQ(remarks({kId, kKey, kFull, kProfile, kWeb}),
            "trainwarden: the credentials are from AWS_ACCESS_KEY_ID; set, and not used: "
            "AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_PROFILE, AWS_WEB_IDENTITY_TOKEN_FILE\n");
  EXPECT_EQ(remarks({kFull, kProfile, "AWS_SESSION_TOKEN=token"}),
            "trainwarden: the credentials are from the container's host; set, and not used: "
            "AWS_SESSION_TOKEN, AWS_PROFILE\n");
  EXPECT_EQ(remarks({kId, kKey, kFull}, "prod"),
            "trainwarden: the credentials are from --profile; set, and not used: "
            "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_CONTAINER_CREDENTIALS_FULL_URI\n");
}

TEST_F(Credentials, WhereThereAreNoneWhatIsSetIsNamedToo) {
  const Env env{"AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=key"};
  const Environment environment = env();
  const auto found = PersonCredentials(environment, "prod", transport_, clock_, aws()).current();
  ASSERT_FALSE(found);
  EXPECT_NE(
      found.error().message.find("Set, and not used: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY\n"),
      std::string::npos)
      << found.error().message;
}

// As with every tool of AWS: who names a profile does not want what happens to be set.
TEST_F(Credentials, AProfileThatIsNamedComesBeforeTheEnvironment) {
  const Env env{"AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=key"};
  const Environment environment = env();
  answers_ = {{0, answer("OF_PROFILE"), ""}};
  PersonCredentials credentials(environment, "prod", transport_, clock_, aws());
  EXPECT_EQ(credentials.current()->access_key_id, "OF_PROFILE");
  EXPECT_EQ(asked(), "configure export-credentials --format process --profile prod");
}

TEST_F(Credentials, OneHalfInTheEnvironmentIsAMistake) {
  const Env env{"AWS_ACCESS_KEY_ID=AKID"};
  const Environment environment = env();
  answers_ = {{0, answer("OTHER"), ""}};
  const auto found = PersonCredentials(environment, "", transport_, clock_, aws()).current();
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("AWS_SECRET_ACCESS_KEY is not set"), std::string::npos);
}

TEST_F(Credentials, CloudShellsHostIsAskedWithItsToken) {
  const Env env{"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://localhost:1338/latest/credentials",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN=tok en"};
  const Environment environment = env();
  transport_.expect("GET http://localhost:1338/latest/credentials", 200,
                    R"({"AccessKeyId": "ASIDCLOUDSHELL", "SecretAccessKey": "k", "Token": "t2",
                        "Expiration": "2026-07-02T14:49:00Z"})");
  PersonCredentials credentials(environment, "", transport_, clock_, aws());
  const auto found = credentials.current();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->access_key_id, "ASIDCLOUDSHELL");
  EXPECT_EQ(found->session_token.reveal(), "t2");
  ASSERT_EQ(transport_.sent.size(), 1U);
  bool sent_token = false;
  for (const http::Header& header : transport_.sent[0].headers)
    sent_token = sent_token || header == http::Header{"Authorization", "tok en"};
  EXPECT_TRUE(sent_token);
  EXPECT_TRUE(ran_.empty());
}

TEST_F(Credentials, ARelativeUriIsOfEcsAndComesFirst) {
  const Env env{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/v2/credentials/x",
                "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://localhost:1338/y"};
  const Environment environment = env();
  transport_.expect("GET http://169.254.170.2/v2/credentials/x", 200, answer("ECS"));
  EXPECT_EQ(PersonCredentials(environment, "", transport_, clock_, aws()).current()->access_key_id,
            "ECS");
}

TEST_F(Credentials, ATokenGoesToNoOtherMachineInTheClear) {
  for (const char* const url :
       {"http://example.com/x", "http://localhost.example.com/x", "http://127.evil.com/x",
        "http://169.254.170.2.example.com/", "ftp://localhost/", "http://[::2]/x",
        "http://[::1]@example.com/x", "http://[::1]:80@example.com/x",
        "http://localhost:80@example.com/x", "http://localhost@example.com",
        "http://[::1]\\@example.com/x"}) {
    const Env env{std::string("AWS_CONTAINER_CREDENTIALS_FULL_URI=") + url,
                  "AWS_CONTAINER_AUTHORIZATION_TOKEN=secret-token"};
    const Environment environment = env();
    const auto found = PersonCredentials(environment, "", transport_, clock_, aws()).current();
    ASSERT_FALSE(found) << url;
    EXPECT_NE(found.error().message.find("AWS_CONTAINER_CREDENTIALS_FULL_URI"), std::string::npos);
    EXPECT_EQ(found.error().message.find("secret-token"), std::string::npos);
  }
  EXPECT_TRUE(transport_.sent.empty());
}

TEST_F(Credentials, NearHostsMayBeAsked) {
  for (const char* const url :
       {"http://127.0.0.1:8080/x", "http://[::1]/x", "http://[::1]:1338/x?for=a@b",
        "http://169.254.170.23/v1/credentials", "https://example.com/x"}) {
    const Env env{std::string("AWS_CONTAINER_CREDENTIALS_FULL_URI=") + url};
    const Environment environment = env();
    transport_.expect(std::string("GET ") + url, 200, answer("NEAR"));
    EXPECT_TRUE(PersonCredentials(environment, "", transport_, clock_, aws()).current()) << url;
  }
}

TEST_F(Credentials, WhatIsMissingIsSaidToAPerson) {
  const Env env{"AWS_REGION=eu-central-1"};
  const Environment environment = env();
  const auto found = PersonCredentials(environment, "", transport_, clock_, aws()).current();
  ASSERT_FALSE(found);
  for (const char* const part : {"AWS_ACCESS_KEY_ID", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                                 "the command aws is not on PATH", "--profile NAME", "CloudShell"})
    EXPECT_NE(found.error().message.find(part), std::string::npos) << found.error().message;
}

TEST_F(Credentials, WhatTheCommandSaysIsShownWithoutKeys) {
  const Env env{"AWS_REGION=eu-central-1"};
  const Environment environment = env();
  answers_ = {{255, answer("AKIAIOSFODNN7EXAMPLE"),
               "\nError: the session of \x1b[31mdev\x1b[0m has ended; run aws sso login "
               "(AKIAIOSFODNN7EXAMPLE, wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY)\n"}};
  const auto found = PersonCredentials(environment, "dev", transport_, clock_, aws()).current();
  ASSERT_FALSE(found);
  const std::string& message = found.error().message;
  EXPECT_NE(message.find("has ended; run aws sso login ((hidden), (hidden))"), std::string::npos)
      << message;
  for (const char* const hidden : {"AKIA", "wJalr", "s3cretValue", "\x1b"})
    EXPECT_EQ(message.find(hidden), std::string::npos) << message;
}

// What a name says is secret is hidden, however it looks.
TEST(ToldByAws, NamedSecretsAreHidden) {
  EXPECT_EQ(
      aws_cli_error(R"x(dump: {"SecretAccessKey": "hunter2", "SessionToken" : "short", "Ok": 1})x"),
      R"x(dump: {"SecretAccessKey": "(hidden)", "SessionToken" : "(hidden)", "Ok": 1})x");
  EXPECT_EQ(aws_cli_error("aws_secret_access_key = hunter2\naws_session_token=abc region=x"),
            "aws_secret_access_key = (hidden) aws_session_token=(hidden) region=x");
  for (const char* const plain :
       {"Partial credentials found in env, missing: aws_secret_access_key",
        "The SSO access token has expired: run aws sso login", "session_token is missing: sign in"})
    EXPECT_EQ(aws_cli_error(plain), plain);
}

TEST_F(Credentials, AnAwsCommandThatIsTooOldIsSaidToBeThat) {
  const Env env{"AWS_REGION=eu-central-1"};
  const Environment environment = env();
  for (const int status : {2, 252}) {
    answers_ = {{status, "", "\naws: error: argument operation: Invalid choice"}};
    const auto found = PersonCredentials(environment, "", transport_, clock_, aws()).current();
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().message.find("needs a newer AWS CLI"), std::string::npos) << status;
  }
}

// The status tells, not the words: a profile's own command may print a usage, too.
TEST_F(Credentials, AnAwsCommandThatFailsOtherwiseIsQuoted) {
  const Env env{"AWS_REGION=eu-central-1"};
  const Environment environment = env();
  for (const int status : {1, 253, 254, 255}) {
    answers_ = {{status, "", "usage: my-credential-process --account NUMBER"}};
    const auto found = PersonCredentials(environment, "", transport_, clock_, aws()).current();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message.find("newer AWS CLI"), std::string::npos) << status;
    EXPECT_NE(found.error().message.find("my-credential-process"), std::string::npos) << status;
  }
}

// What was printed is secret, also where it is not what was expected.
TEST_F(Credentials, AnAnswerThatIsNoneIsNotShown) {
  const Env env{"AWS_REGION=eu-central-1"};
  const Environment environment = env();
  for (const char* const odd :
       {"wJalrXUtnFEMI", R"(["wJalrXUtnFEMI"])", R"({"AccessKeyId": "wJalrXUtnFEMI"})",
        R"({"AccessKeyId": "a", "SecretAccessKey": "wJalrXUtnFEMI\n"})",
        R"({"AccessKeyId": "a", "SecretAccessKey": {"wJalrXUtnFEMI": 1}})"}) {
    answers_ = {{0, odd, ""}};
    const auto found = PersonCredentials(environment, "", transport_, clock_, aws()).current();
    ASSERT_FALSE(found) << odd;
    EXPECT_EQ(found.error().message.find("wJalr"), std::string::npos) << found.error().message;
  }
}

TEST_F(Credentials, ThoseThatEndAreFetchedAnewInTime) {
  const Env env{"AWS_REGION=eu-central-1"};
  const Environment environment = env();
  answers_ = {{0, answer("FIRST", kNow + minutes(30)), ""},
              {0, answer("SECOND", kNow + minutes(90)), ""}};
  PersonCredentials credentials(environment, "", transport_, clock_, aws());
  EXPECT_EQ(credentials.current()->access_key_id, "FIRST");
  clock_.advance(minutes(20));
  EXPECT_EQ(credentials.current()->access_key_id, "FIRST");
  EXPECT_EQ(ran_.size(), 1U);
  clock_.advance(minutes(6));
  EXPECT_EQ(credentials.current()->access_key_id, "SECOND");
}

TEST_F(Credentials, ThoseThatStandAreUsedWhileNewOnesCannotBeHad) {
  const Env env{"AWS_REGION=eu-central-1"};
  const Environment environment = env();
  answers_ = {{0, answer("FIRST", kNow + minutes(10)), ""}, {255, "", "sign in again"}};
  PersonCredentials credentials(environment, "", transport_, clock_, aws());
  ASSERT_TRUE(credentials.current());
  clock_.advance(minutes(7));
  EXPECT_EQ(credentials.current()->access_key_id, "FIRST");
  clock_.advance(minutes(4));
  const auto over = credentials.current();
  ASSERT_FALSE(over);
  EXPECT_NE(over.error().message.find("the credentials have ended"), std::string::npos);
  EXPECT_NE(over.error().message.find("sign in again"), std::string::npos);
  EXPECT_EQ(over.error().message.find('\n'), std::string::npos);  // among other lines
}

TEST_F(Credentials, RefusedOnesAreRenewedOnlyByOthers) {
  const Env env{"AWS_REGION=eu-central-1"};
  const Environment environment = env();
  answers_ = {{0, answer("FIRST"), ""}, {0, answer("FIRST"), ""}, {0, answer("SECOND"), ""}};
  PersonCredentials credentials(environment, "", transport_, clock_, aws());
  ASSERT_TRUE(credentials.current());
  EXPECT_FALSE(credentials.renew());
  EXPECT_TRUE(credentials.renew());
  EXPECT_EQ(credentials.current()->access_key_id, "SECOND");
}

TEST_F(Credentials, TheRegionIsTheProfilesWhereNothingElseTellsIt) {
  const Env set{"AWS_DEFAULT_REGION=eu-west-1"};
  EXPECT_EQ(*region_of_person(set(), "dev", aws()), "eu-west-1");
  EXPECT_TRUE(ran_.empty());
  const Env unset{"HOME=/"};
  const auto none = region_of_person(unset(), "", aws());
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("--region"), std::string::npos);
  answers_ = {{0, "eu-north-1\n", ""}};
  EXPECT_EQ(*region_of_person(unset(), "dev", aws()), "eu-north-1");
  EXPECT_EQ(asked(), "configure get region --profile dev");
  answers_ = {{1, "", ""}};
  EXPECT_FALSE(region_of_person(unset(), "dev", aws()));
}

TEST(RunProgram, KeepsBothStreamsAndTheStatus) {
  const auto ran = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"},
                               std::chrono::milliseconds(20'000));
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(ran->status, 3);
  EXPECT_EQ(ran->output, "out\n");
  EXPECT_EQ(ran->errors, "err\n");
}

// Arguments are words, whatever a shell would make of them.
TEST(RunProgram, NoShellReadsTheArguments) {
  const auto ran = run_program({"echo", "$(id)", ";", "a b"}, std::chrono::milliseconds(20'000));
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->output, "$(id) ; a b\n");
}

TEST(RunProgram, ReadsNothingAndEndsInTime) {
  const auto read = run_program({"cat"}, std::chrono::milliseconds(20'000));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->output, "");
  const auto slow = run_program({"sleep", "30"}, std::chrono::milliseconds(50));
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(run_program({"no-such-program-anywhere"}, std::chrono::milliseconds(1000)).error().code,
            ErrorCode::kNotFound);
}

TEST(RunProgram, KeepsNoMoreThanItMay) {
  const auto ran = run_program({"head", "-c", "300000", "/dev/zero"}, std::chrono::seconds(20));
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->output.size(), 65536U);
}

}  // namespace
}  // namespace trainwarden::cli::person_credentials_test
