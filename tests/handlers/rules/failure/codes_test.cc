// Codes in a failure's words: statuses of processes, of HTTP, and the error codes of AWS.
#include "handlers/rules/failure/codes.h"

#include <gtest/gtest.h>

#include <string>

namespace trainwarden::rules::codes_test {
namespace {

// All that the codes say, each as label/resume, and once ("exit code 9" holds "code 9").
std::string codes(std::string_view text) {
  std::string out;
  for (const FoundCode& code : find_codes(text)) {
    const std::string said = std::string(name(code.label)) + "/" + std::string(name(code.resume));
    if (out.find(said) != std::string::npos) continue;
    if (!out.empty()) out += ' ';
    out += said;
  }
  return out;
}

TEST(FailureCodes, StatusesThatTellOfASignalHoweverTheyAreWritten) {
  for (const std::string_view text :
       {"exit code 137", "exit code: 137.", "exit status: 137, container", "exitcode=-9",
        "returncode: -9", "(exit code=137)", "exited with code 137", "exited with status 137",
        "\"exitcode\": 137", "killed by signal: 9", "_job_complete: wtermsig 9",
        "return code [-9]"})
    EXPECT_EQ(codes(text), "oom_host/once") << text;
  EXPECT_EQ(codes("exit status 143"), "interrupted/once");
  EXPECT_EQ(codes("got signal: 15"), "interrupted/once");
  EXPECT_EQ(codes("exit code: 139"), "unknown/once");
  EXPECT_EQ(codes("exitcode: -6"), "unknown/once");
}

TEST(FailureCodes, OtherNumbersAreNoCodes) {
  for (const std::string_view text :
       {"exit code 1", "exit code: 0", "exit code 13799", "exit code 137.5", "signal 9s", "signals",
        "code", "exit code", "status code 200", "status code: 5030", "my_signal 9", "http 503ms",
        "an error occurred () when calling the x operation", "an error occurred (boom) in x"})
    EXPECT_EQ(codes(text), "") << text;
}

TEST(FailureCodes, StatusesOfHttp) {
  for (const std::string_view text :
       {"status_code=503", "http/1.1 503", "statuscode: 504", "response code: 429",
        "http status: 502", "{\"status\":503,\"body\":\"\"}"})
    EXPECT_EQ(codes(text), "service/yes") << text;
  EXPECT_EQ(codes("http error 403"), "permission/no");
  EXPECT_EQ(codes("status_code=401"), "permission/no");
  EXPECT_EQ(codes("status_code=500"), "service/once");
  EXPECT_EQ(codes("http 404"), "service/once");
}

TEST(FailureCodes, ErrorCodesOfAwsByTheirFamily) {
  const auto aws = [](std::string_view code) {
    return codes("an error occurred (" + std::string(code) + ") when calling the x operation: y");
  };
  EXPECT_EQ(aws("throttledexception"), "service/yes");
  EXPECT_EQ(aws("provisionedthroughputexceededexception"), "service/yes");
  EXPECT_EQ(aws("internalserverexception"), "service/yes");
  EXPECT_EQ(aws("insufficientinstancecapacity"), "capacity/yes");
  EXPECT_EQ(aws("requestexpired"), "permission/once");
  EXPECT_EQ(aws("accessdeniedexception"), "permission/no");
  EXPECT_EQ(aws("kms.disabledexception"), "permission/no");
  EXPECT_EQ(aws("vcpulimitexceeded"), "quota/no");
  EXPECT_EQ(aws("nosuchkey"), "data/no");
  EXPECT_EQ(aws("invalidbucketname"), "config/no");
  EXPECT_EQ(aws("anythingelse"), "config/no");
}

TEST(FailureCodes, ErrorCodesOfAwsInCpp) {
  const auto label = [](std::string_view text) {
    const auto found = find_code_of_aws_in_cpp(text);
    return std::string(found ? name(found->label) : "");
  };
  EXPECT_EQ(label("x: aws error access_denied during headobject operation: y"), "permission");
  EXPECT_EQ(label("aws error internal_failure"), "service");
  EXPECT_EQ(label("aws error expired_token during getobject operation"), "permission");
  for (const std::string_view text :
       {"", "aws error", "aws error ", "aws error unknown during x", "aws errors slow_down"})
    EXPECT_EQ(label(text), "") << text;
  EXPECT_EQ(label("aws error " + std::string(80, 'a') + "slow_down"), "");
}

}  // namespace
}  // namespace trainwarden::rules::codes_test
