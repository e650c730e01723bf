#include "runtime/base/arn.h"

#include <gtest/gtest.h>

namespace trainwarden::arn_test {
namespace {

constexpr std::string_view kJob = "arn:aws:sagemaker:eu-central-1:111122223333:training-job/a:b";

TEST(Arn, HasSixFieldsOfWhichTheResourceKeepsItsColons) {
  EXPECT_EQ(arn_field(kJob, ArnField::kArn), "arn");
  EXPECT_EQ(arn_field(kJob, ArnField::kPartition), "aws");
  EXPECT_EQ(arn_field(kJob, ArnField::kService), "sagemaker");
  EXPECT_EQ(arn_field(kJob, ArnField::kRegion), "eu-central-1");
  EXPECT_EQ(arn_field(kJob, ArnField::kAccount), "111122223333");
  EXPECT_EQ(arn_field(kJob, ArnField::kResource), "training-job/a:b");
}

TEST(Arn, AFieldThatIsNotThereIsEmpty) {
  EXPECT_EQ(arn_field("", ArnField::kResource), "");
  EXPECT_EQ(arn_field("arn:aws:s3", ArnField::kRegion), "");
  EXPECT_EQ(arn_field("arn:aws:s3:::bucket", ArnField::kRegion), "");
  EXPECT_EQ(arn_field("arn:aws:s3:::bucket", ArnField::kResource), "bucket");
}

TEST(Arn, TheConsolesHostIsThatOfThePartition) {
  EXPECT_EQ(console_host(kJob), "eu-central-1.console.aws.amazon.com");
  EXPECT_EQ(console_host("arn:aws-cn:sagemaker:cn-north-1:1:x"), "cn-north-1.console.amazonaws.cn");
  EXPECT_EQ(console_host("arn:aws-us-gov:sagemaker:us-gov-west-1:1:x"),
            "us-gov-west-1.console.amazonaws-us-gov.com");
  EXPECT_EQ(console_host("arn:aws-iso:sagemaker:us-iso-east-1:1:x"), "");
  EXPECT_EQ(console_host("no ARN"), "");
}

}  // namespace
}  // namespace trainwarden::arn_test
