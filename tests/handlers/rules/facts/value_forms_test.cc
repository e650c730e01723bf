// Values that a member's own pattern forbids (issue 41, 2; policy.md P2).
#include "handlers/rules/facts/value_forms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "handlers/rules/policy/policy.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::value_forms_test {
namespace {

std::string exempting(std::string_view match) {
  return fmt::format(
      R"({{"version": 1, "rules": [{{"name": "r", "match": {{"job": {{"TrainingJobStatus": ["InProgress"]}}}},
          "unless": {}, "actions": ["stop"]}}]}})",
      match);
}

// What check refuses; the functions take the policy all the same.
std::vector<std::string> refused(std::string_view match) {
  const Result<Policy> policy = parse_policy(exempting(match));
  EXPECT_TRUE(policy) << match;
  std::vector<std::string> out;
  if (policy)
    for (const Remark& warning : policy->warnings())
      if (warning.is_refusal) out.push_back(warning.text());
  return out;
}

struct Wrong {
  std::string_view match;
  std::string_view meant;  // empty: nothing is proposed
};

TEST(ValueForms, P2_AValueThatNoJobCanHaveIsRefusedWithTheOperatorThatWasMeant) {
  const Wrong cases[] = {
      {R"({"job": {"TrainingJobName": ["prod-*"]}})", R"({"wildcard": "prod-*"})"},
      {R"({"job": {"TrainingJobName": [{"prefix": "prod-*"}]}})", R"({"wildcard": "prod-*"})"},
      {R"({"job": {"TrainingJobName": ["^prod-.*"]}})", R"({"wildcard": "prod-*"})"},
      {R"({"job": {"TrainingJobName": ["^prod-.*$"]}})", R"({"wildcard": "prod-*"})"},
      {R"({"job": {"TrainingJobName": ["^prod-"]}})", R"({"wildcard": "prod-*"})"},
      {R"({"job": {"TrainingJobName": ["-prod$"]}})", R"({"wildcard": "*-prod"})"},
      {R"({"job": {"TrainingJobName": [{"suffix": "*-prod"}]}})", R"({"wildcard": "*-prod"})"},
      {R"({"job": {"TrainingJobName": [{"wildcard": "^prod-*"}]}})", R"({"wildcard": "prod-*"})"},
      {R"({"job": {"TrainingJobName": [{"wildcard": "prod_*"}]}})", ""},
      {R"({"job": {"TrainingJobName": ["prod_1"]}})", ""},
      {R"({"job": {"TrainingJobName": ["prod-"]}})", ""},
      {R"({"job": {"TrainingJobName": [{"anything-but": ["prod-*"]}]}})",
       R"({"anything-but": {"wildcard": "prod-*"}})"},
      {R"({"job": {"TrainingJobName": [{"anything-but": {"prefix": "prod-*"}}]}})",
       R"({"anything-but": {"wildcard": "prod-*"}})"},
      {R"({"job": {"TrainingJobName": [{"equals-ignore-case": "PROD-*"}]}})",
       R"({"prefix": {"equals-ignore-case": "PROD-"}})"},
      {R"({"job": {"RoleArn": ["arn:aws:iam::*:role/Admin"]}})",
       R"({"wildcard": "arn:aws:iam::*:role/Admin"})"},
      {R"({"job": {"RoleArn": [{"prefix": "arn:aws:iam::*:role/ml-"}]}})",
       R"({"wildcard": "arn:aws:iam::*:role/ml-*"})"},
      {R"({"job": {"RoleArn": ["Admin"]}})", R"({"wildcard": "*/Admin"})"},
      {R"({"job": {"RoleArn": ["role/Admin"]}})", R"({"wildcard": "*:role/Admin"})"},
      {R"({"job": {"RoleArn": [{"prefix": "role/"}]}})", R"({"wildcard": "*:role/*"})"},
      {R"({"job": {"RoleArn": ["arn:aws:iam:us-east-1:111122223333:role/Admin"]}})", ""},
      {R"({"job": {"RoleArn": ["arn:aws:sts::111122223333:assumed-role/Admin/me"]}})", ""},
      {R"({"job": {"RoleArn": ["arn:aws:iam::1111-2222-3333:role/Admin"]}})", ""},
      {R"({"job": {"VpcConfig": {"Subnets": ["subnet-*"]}}})", R"({"wildcard": "subnet-*"})"},
      {R"({"job": {"OutputDataConfig": {"KmsKeyId": ["*"]}}})", ""},
      {R"({"job": {"OutputDataConfig": {"S3OutputPath": [{"prefix": "my-bucket/"}]}}})",
       R"({"wildcard": "s3://my-bucket/*"})"},
      {R"({"job": {"CheckpointConfig": {"S3Uri": ["my-bucket/x"]}}})", R"("s3://my-bucket/x")"},
      {R"({"job": {"ResourceConfig": {"InstanceType": ["ml.p5.*"]}}})",
       R"({"wildcard": "ml.p5.*"})"},
      {R"({"resources": {"instance_types": ["p5.*"]}})", R"({"wildcard": "ml.p5.*"})"},
      {R"({"job": {"TrainingJobStatus": ["Stop*"]}})", R"({"wildcard": "Stop*"})"},
      {R"({"job": {"TrainingJobArn": ["arn:aws:sagemaker:us-east-1:111122223333:training-job/prod-*"]}})",
       R"({"wildcard": "arn:aws:sagemaker:us-east-1:111122223333:training-job/prod-*"})"},
      {R"({"job": {"TuningJobArn": [{"prefix": "arn:aws:sagemaker:*"}]}})",
       R"({"wildcard": "arn:aws:sagemaker:*"})"},
      {R"({"tags": {"team": ["ml-*"]}})", R"({"wildcard": "ml-*"})"},
      {R"({"tags": {"team": [{"anything-but": ["^ml-.*"]}]}})",
       R"({"anything-but": {"wildcard": "ml-*"}})"},
      {R"({"tags": {"te*m": [{"exists": true}]}})", ""},
      {R"({"until": {"keep[until]": [{"numeric": [">", 0]}]}})", ""},
  };
  for (const Wrong& one : cases) {
    const std::vector<std::string> found = refused(one.match);
    ASSERT_EQ(found.size(), 1U) << one.match;
    const std::string meant =
        one.meant.empty() ? std::string() : fmt::format("did you mean `{}`?", one.meant);
    EXPECT_NE(found[0].find(meant), std::string::npos) << found[0];
    EXPECT_EQ(found[0].contains("did you mean"), !one.meant.empty()) << found[0];
  }
}

TEST(ValueForms, P2_LegalValuesWithOddCharactersAreNot) {
  const std::string_view cases[] = {
      R"({"job": {"TrainingJobName": ["prod-1--a", {"prefix": "prod-"}, {"suffix": "-x"}, {"wildcard": "*-prod-*"}]}})",
      R"({"job": {"TrainingJobName": [{"anything-but": {"wildcard": ["a-*", "*-b"]}}, {"prefix": {"equals-ignore-case": "PROD-"}}]}})",
      R"({"job": {"TrainingJobName": [{"exists": true}, ""]}})",
      R"({"job": {"RoleArn": ["arn:aws:iam::111122223333:role/a.b+c=d,e@f-g_h/I"]}})",
      R"({"job": {"RoleArn": ["arn:aws-cn:iam::111122223333:role/Admin", "arn:aws-us-gov:iam::111122223333:role/x/Admin"]}})",
      R"({"job": {"RoleArn": ["arn:aws-iso-b:iam::111122223333:role/Admin", "arn:aws-eusc:iam::111122223333:role/Admin"]}})",
      R"({"job": {"RoleArn": [{"prefix": "arn:aws"}, {"prefix": "arn:aws:iam::1111"}, {"prefix": "arn:aws-cn:iam::111122223333:role/"}]}})",
      R"({"job": {"RoleArn": [{"suffix": ":role/Admin"}, {"suffix": "/Admin"}, {"wildcard": "arn:*:iam::*:role/Admin"}, {"wildcard": "*Admin*"}]}})",
      R"({"job": {"RoleArn": [{"equals-ignore-case": "ARN:AWS:IAM::111122223333:ROLE/ADMIN"}]}})",
      R"({"job": {"OutputDataConfig": {"KmsKeyId": ["", "alias/my-key", "arn:aws:kms:us-east-1:111122223333:key/1a-2b", {"prefix": "arn:aws:kms:"}]}}})",
      R"({"job": {"OutputDataConfig": {"S3OutputPath": ["s3://bucket/odd*[x] $^.*", "https://s3.amazonaws.com/b/x", {"prefix": "s3://b"}]}}})",
      R"({"job": {"AlgorithmSpecification": {"TrainingImage": ["a*b", {"prefix": "111122223333.dkr.ecr"}]}}})",
      R"({"job": {"AlgorithmSpecification": {"AlgorithmName": ["arn:aws:sagemaker:us-east-1:111122223333:algorithm/x-1"]}}})",
      R"({"job": {"HyperParameters": {"epochs": ["^.*$"]}, "Environment": {"X": ["*"]}}})",
      R"({"job": {"AlgorithmSpecification": {"MetricDefinitions": {"Regex": ["loss: (.*)$"]}}}})",
      R"({"job": {"TuningJobArn": [{"suffix": "hyper-parameter-tuning-job/sweep"}, {"prefix": "arn:aws:sagemaker:us-"}]}})",
      R"({"job": {"VpcConfig": {"Subnets": ["subnet-0a1b"], "SecurityGroupIds": [{"prefix": "sg-"}]}}})",
      R"({"job": {"ResourceConfig": {"InstanceType": ["ml.p5.48xlarge", {"wildcard": "ml.*.48xlarge"}, {"prefix": "ml.p"}]}}})",
      R"({"job": {"TrainingJobStatus": ["Stopped", "SomethingNew"]}})",
      R"({"tags": {"team": ["a b_c.d:e/f=g+h-i@j", "équipe", "組", {"wildcard": "ml-*"}, {"prefix": "x/"}]}})",
      R"({"tags": {"aws:cloudformation:stack-name": ["x"], "kosten stelle": ["1"], "größe": ["x"]}})",
      R"({"event": {"account": ["111122223333"], "region": ["us-gov-west-1"]}})",
  };
  for (const std::string_view match : cases)
    for (const std::string& found : refused(match)) ADD_FAILURE() << match << "\n" << found;
}

TEST(ValueForms, P2_BesideAMistakeTheyAreListedAndDoNotCountForTheFunctions) {
  const std::string text = exempting(R"({"job": {"TrainingJobName": ["prod-*"], "Odd": ["x"]}})");
  EXPECT_EQ(check_policy(text).size(), 2U);
  const Result<Policy> policy = parse_policy(text);
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().message.find("more mistake"), std::string::npos)
      << policy.error().message;
  EXPECT_TRUE(check_policy(exempting(R"({"job": {"TrainingJobName": ["prod-*"]}})")).empty());
}

}  // namespace
}  // namespace trainwarden::rules::value_forms_test
