#include "tests/localaws/service/shape.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/localaws/sagemaker/sagemaker.h"
#include "tests/localaws/sagemaker/sagemaker_shapes.h"
#include "tests/localaws/service/patterns.h"

namespace trainwarden::localaws::shape_test {
namespace {

std::string problem(const Shape& shape, std::string_view json) {
  const auto document = json::Document::parse(json);
  EXPECT_TRUE(document.has_value()) << json;
  const auto verdict = validate(shape, document->root());
  return verdict ? "" : verdict.error().code + ": " + verdict.error().message;
}

TEST(Shape, SaysWhatIsWrongAsAwsDoes) {
  const Shape shape =
      object({required("Name", text(1, 3, patterns::kTrainingJobName)),
              optional("Mode", choice({"File", "Pipe"})), optional("Count", integer(1, 5)),
              optional("Tags", list(object({required("Key", text(1, 128))}), {}, 1)),
              optional("Parameters", map(text({}, 2), text({}, 3), 1)), optional("On", boolean())});
  struct Case {
    std::string_view json;
    std::string_view problem;
  };
  const std::string one = "ValidationException: 1 validation error detected: ";
  for (const auto& [json, expected] : {
           std::pair<std::string, std::string>{R"({"Name":"a","Unknown":[1]})", ""},
           {R"({"Name":"a","Mode":null})", ""},
           {R"({})", one + "Value null at 'name' failed to satisfy constraint: Member must not be "
                           "null"},
           {R"({"Name":"abcd"})", one + "Value 'abcd' at 'name' failed to satisfy constraint: "
                                        "Member must have length less than or equal to 3"},
           {R"({"Name":"a_b"})", one + "Value 'a_b' at 'name' failed to satisfy constraint: Member "
                                       "must satisfy regular expression pattern: "
                                       "^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}"},
           {R"({"Name":"a","Mode":"Tape"})",
            one + "Value 'Tape' at 'mode' failed to satisfy constraint: Member must satisfy enum "
                  "value set: [File, Pipe]"},
           {R"({"Name":"a","Count":0})", one + "Value '0' at 'count' failed to satisfy constraint: "
                                               "Member must have value greater than or equal to 1"},
           {R"({"Name":"a","Count":6})", one + "Value '6' at 'count' failed to satisfy constraint: "
                                               "Member must have value less than or equal to 5"},
           {R"({"Name":"a","Tags":[{"Key":""}]})",
            one + "Value '' at 'tags.1.member.key' failed to satisfy constraint: Member must have "
                  "length greater than or equal to 1"},
           {R"({"Name":"a","Tags":[{"Key":"a"},{"Key":"b"}]})",
            one + "Value '[{\"Key\":\"a\"},{\"Key\":\"b\"}]' at 'tags' failed to satisfy "
                  "constraint: Member must have length less than or equal to 1"},
           {R"({"Name":"a","Parameters":{"ab":"abcd"}})",
            one + "Value 'abcd' at 'parameters.ab' failed to satisfy constraint: Member must have "
                  "length less than or equal to 3"},
           {R"({"Count":9})",
            "ValidationException: 2 validation errors detected: Value null at "
            "'name' failed to satisfy constraint: Member must not be null; Value "
            "'9' at 'count' failed to satisfy constraint: Member must have value "
            "less than or equal to 5"},
           {R"({"Name":1})",
            "SerializationException: NUMBER_VALUE can not be converted to a String"},
           {R"({"Name":["a"]})", "SerializationException: Start of list found where not expected"},
           {R"({"Name":{}})",
            "SerializationException: Start of structure or map found where not expected."},
           {R"({"Name":"a","Count":"1"})",
            "SerializationException: STRING_VALUE can not be converted to an Integer"},
           {R"({"Name":"a","Count":1.5})",
            "SerializationException: NUMBER_VALUE can not be converted to an Integer"},
           {R"({"Name":"a","On":"yes"})",
            "SerializationException: STRING_VALUE can not be converted to a Boolean"},
           {R"({"Name":"a","Tags":"x"})", "SerializationException: Expected list or null"},
           {R"({"Name":"a","Parameters":true})", "SerializationException: Unexpected field type"},
       })
    EXPECT_EQ(problem(shape, json), expected) << json;
}

TEST(Shape, LengthsAreCountedInCharacters) {
  EXPECT_EQ(problem(object({optional("A", text(1, 2))}), R"({"A":"äß"})"), "");
}

TEST(Patterns, AcceptAndRefuse) {
  using namespace patterns;
  struct Case {
    const Pattern& pattern;
    std::vector<std::string_view> good;
    std::vector<std::string_view> bad;
  };
  for (const Case& c : {
           Case{kTrainingJobName, {"a", "a-b", "a--b", "0"}, {"", "-a", "a-", "a_b", "ä", "a/b"}},
           Case{kTag,
                {"", "team", "a b", "trainwarden:at", "x@y+z=/.-_", "größe", "日本語", "٣"},
                {"a?b", "a,b", "(x)", "a\tb", "“x”", "→", "😀"}},
           Case{kRoleArn,
                {"arn:aws:iam::111122223333:role/R", "arn:aws-cn:iam::111122223333:role/a/b+c"},
                {"arn:aws:iam::11112222333:role/R", "arn:aws:iam::111122223333:user/R",
                 "arn:aws:iam:us-east-1:111122223333:role/R", "role", ""}},
           Case{kResourceArn,
                {"arn:aws:sagemaker:us-east-1:111122223333:training-job/a"},
                {"arn:aws:s3:us-east-1:111122223333:a", "arn:aws:sagemaker:us-east-1:1:a", ""}},
           Case{kS3Uri, {"s3://b", "s3://b/k", "https://h/x"}, {"s3://", "s3:///k", "b/k", ""}},
           Case{kInstanceType, {"ml.g5.xlarge", "ml.p6-b200.48xlarge"}, {"g5.xlarge", "ml.g5", ""}},
           Case{kEnvironmentKey, {"A_1", "_"}, {"1A", "A-B", ""}},
           Case{kKmsKeyId, {"", "arn:aws:kms:us-east-1:1:key/a-b"}, {"a b"}},
           Case{kVpcId, {"sg-1"}, {"sg_1", ""}},
           Case{kChannelName, {"train.1"}, {"a b", ""}},
           Case{kNameContains, {"a-"}, {"a_", ""}},
       }) {
    for (const std::string_view text : c.good)
      EXPECT_TRUE(c.pattern.matches(text)) << c.pattern.text << " " << text;
    for (const std::string_view text : c.bad)
      EXPECT_FALSE(c.pattern.matches(text)) << c.pattern.text << " " << text;
  }
}

TEST(SageMakerShapes, ListTagsAsksForFiftyOrMore) {
  const auto inputs = sagemaker_inputs();
  const std::string arn = R"("ResourceArn":"arn:aws:sagemaker:us-east-1:111122223333:x")";
  EXPECT_EQ(problem(inputs.at("ListTags"), "{" + arn + R"(,"MaxResults":50})"), "");
  EXPECT_NE(problem(inputs.at("ListTags"), "{" + arn + R"(,"MaxResults":49})"), "");
}

TEST(CreateRules, MembersThatExcludeOrNeedEachOther) {
  const std::string algorithm = R"("AlgorithmSpecification":{"TrainingImage":"i"})";
  const std::string resources =
      R"("ResourceConfig":{"InstanceType":"ml.m5.large","InstanceCount":1})";
  for (const auto& [json, expected] : {
           std::pair<std::string, std::string>{"{" + algorithm + "," + resources + "}", ""},
           {R"({"ServerlessJobConfig":{}})", ""},
           {"{" + resources + "}", "AlgorithmSpecification is required."},
           {R"({"AlgorithmSpecification":{"TrainingImage":"i","AlgorithmName":"a"},)" + resources +
                "}",
            "You must specify either the algorithm name or the training image, but not both."},
           {"{" + algorithm + "}", "ResourceConfig is required."},
           {"{" + algorithm + R"(,"ResourceConfig":{"InstanceType":"ml.m5.large"}})",
            "InstanceCount must be at least 1."},
           {"{" + algorithm + R"(,"ResourceConfig":{"InstanceType":"m","InstanceGroups":[]}})",
            "ResourceConfig must have either InstanceType or InstanceGroups, not both."},
           {"{" + algorithm + "," + resources +
                R"(,"StoppingCondition":{"MaxRuntimeInSeconds":2419201}})",
            "MaxRuntimeInSeconds must not exceed 2419200."},
       }) {
    const auto document = json::Document::parse(json);
    const auto verdict = check_create(document->root());
    EXPECT_EQ(verdict ? "" : verdict.error().message, expected) << json;
  }
}

}  // namespace
}  // namespace trainwarden::localaws::shape_test
