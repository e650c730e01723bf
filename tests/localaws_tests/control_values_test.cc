// What people write: the command line, the environment's credentials, and faults.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/localaws/faults.h"
#include "tests/localaws/options.h"
#include "tests/localaws/sns/readable.h"

namespace trainwarden::localaws::control_values_test {
namespace {

TEST(Options, HaveDefaults) {
  const auto options = parse_options({"serve"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->port, 4566);
  EXPECT_EQ(options->region, "us-east-1");
  EXPECT_EQ(options->account, "111122223333");
  EXPECT_EQ(options->timeout, std::chrono::seconds(60));
}

TEST(Options, AreReadInBothForms) {
  const auto options =
      parse_options({"serve", "--port=0", "--region", "eu-west-1", "--timeout", "3"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->port, 0);
  EXPECT_EQ(options->region, "eu-west-1");
  EXPECT_EQ(options->timeout, std::chrono::seconds(3));
  EXPECT_TRUE(parse_options({"serve", "--help"})->help);
}

TEST(Options, QuietAndPeopleAreFlags) {
  EXPECT_FALSE(parse_options({"serve"})->quiet);
  EXPECT_TRUE(parse_options({"serve", "--quiet", "--port", "0"})->quiet);
  EXPECT_FALSE(parse_options({"serve", "--quiet"})->people);
  EXPECT_TRUE(parse_options({"serve", "--people"})->people);
}

TEST(Readable, ShowsSubjectAttributesAndText) {
  const Message message{.id = "1",
                        .time = sys_millis(std::chrono::milliseconds(0)),
                        .topic_arn = "arn:aws:sns:us-east-1:111122223333:people",
                        .subject = "Trainwarden stopped j",
                        .body = "It is stopped.\n\nJob: \x1b[2Jj\n",
                        .attributes = {{"rule", "String", "no-p5"}, {"owner", "String", "jo\nx"}}};
  EXPECT_EQ(readable(message),
            "localaws: published to people at 1970-01-01T00:00:00.000Z\n"
            "  Subject: Trainwarden stopped j\n"
            "  rule: no-p5\n"
            "  owner: jo\\u000Ax\n"
            "\n"
            "    It is stopped.\n"
            "\n"
            "    Job: \\u001B[2Jj\n"
            "\n");
}

TEST(Options, SayWhatIsWrong) {
  const std::vector<std::pair<std::vector<std::string_view>, std::string>> cases = {
      {{}, "expected the command `serve`"},
      {{"run"}, "expected the command `serve`, found `run`"},
      {{"serve", "--prot", "1"}, "unknown option `--prot`"},
      {{"serve", "--port"}, "--port: expected a value"},
      {{"serve", "--port", "70000"}, "--port: expected a number from 0 to 65535, found `70000`"},
      {{"serve", "--port", "1x"}, "--port: expected a number from 0 to 65535, found `1x`"},
      {{"serve", "--account", "1"}, "--account: expected 12 digits, found `1`"},
      {{"serve", "--region", "EU"}, "--region: expected a region such as eu-west-1, found `EU`"},
      {{"serve", "--state", "/nowhere/x"},
       "--state: expected an executable file, found `/nowhere/x`"},
      {{"serve", "--policy", "/nowhere/x"},
       "--policy: expected a file that can be read, found `/nowhere/x`"},
  };
  for (const auto& [arguments, expected] : cases) {
    const auto options = parse_options(arguments);
    ASSERT_FALSE(options) << expected;
    EXPECT_EQ(options.error().message, expected);
  }
}

TEST(Credentials, ComeFromTheEnvironmentOrAreTest) {
  const char* none[] = {nullptr};
  const auto test = credentials_from(Environment(none));
  EXPECT_EQ(test->access_key_id, "test");
  EXPECT_EQ(test->secret_access_key.reveal(), "test");
  EXPECT_TRUE(test->session_token.empty());
  const char* all[] = {"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "AWS_SESSION_TOKEN=c",
                       nullptr};
  EXPECT_EQ(credentials_from(Environment(all))->session_token.reveal(), "c");
  const char* half[] = {"AWS_ACCESS_KEY_ID=a", nullptr};
  EXPECT_FALSE(credentials_from(Environment(half)));
}

Fault fault(std::string_view json) {
  const auto parsed = parse_fault(json::Document::parse(json)->root());
  EXPECT_TRUE(parsed) << json;
  return parsed.value_or(Fault());
}

TEST(Faults, StrikeTheCallsTheyAreMeantForAsOftenAsAsked) {
  Faults faults;
  faults.add(fault(R"({"operation":"StopTrainingJob","times":2,"status":400,"code":"X"})"));
  faults.add(fault(R"({"caller":"functions","delay_ms":5})"));
  faults.add(fault(R"({"operation":"ListTags","caller":"alarm","cut":true})"));
  EXPECT_EQ(faults.strike("StopTrainingJob", "")->code, "X");
  EXPECT_EQ(faults.strike("StopTrainingJob", "state")->code, "X");
  EXPECT_FALSE(faults.strike("StopTrainingJob", "")) << "used up";
  EXPECT_EQ(faults.strike("StopTrainingJob", "state")->delay, std::chrono::milliseconds(5));
  EXPECT_FALSE(faults.strike("ListTags", "state"));
  EXPECT_TRUE(faults.strike("ListTags", "alarm")->cut);
  EXPECT_EQ(faults.size(), 0U);
}

TEST(Faults, HaveTheCodesThatAwsGives) {
  EXPECT_EQ(fault(R"({"status":429})").code, "ThrottlingException");
  EXPECT_EQ(fault(R"({"status":400})").message, "Rate exceeded");
  EXPECT_EQ(fault(R"({"status":500})").code, "InternalFailure");
  EXPECT_EQ(fault(R"({"code":"AccessDeniedException"})").status, 400);
}

TEST(Faults, SayWhatIsWrong) {
  for (const auto& [json, expected] : {std::pair<std::string, std::string>{"[]", "the fault"},
                                       {R"({"operation":"X"})", "does nothing"},
                                       {R"({"status":200})", "`status`: expected 400 to 599"},
                                       {R"({"statsu":500})", "`statsu`: not a member of a fault"},
                                       {R"({"times":0,"status":500})", "`times`"},
                                       {R"({"kill":"during"})", "`kill`"}}) {
    const auto parsed = parse_fault(json::Document::parse(json)->root());
    ASSERT_FALSE(parsed) << json;
    EXPECT_NE(parsed.error().message.find(expected), std::string::npos) << parsed.error().message;
  }
}

}  // namespace
}  // namespace trainwarden::localaws::control_values_test
