#include <gtest/gtest.h>

#include "handlers/state/state_event.h"
#include "tests/support/files.h"

namespace trainwarden::state::event_test {
namespace {

std::string event(const std::string& detail) {
  return R"({"version":"0","id":"e-1","detail-type":"SageMaker Training Job State Change",)"
         R"("source":"aws.sagemaker","account":"111122223333","time":"2026-07-02T13:49:00Z",)"
         R"("region":"eu-central-1",)"
         R"("resources":["arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1"],"detail":)" +
         detail + "}";
}

Result<StateEvent> parse_state_event(std::string_view payload) {
  auto parsed = parse_event(payload);
  if (!parsed) return fail(std::move(parsed).error());
  if (!std::holds_alternative<StateEvent>(*parsed))
    return fail(ErrorCode::kInternal, "no state change");
  return std::get<StateEvent>(*std::move(parsed));
}

TEST(StateEvent, GivesNameStatusesAndCreationTime) {
  const auto parsed = parse_state_event(event(
      R"({"TrainingJobName":"Job-1","TrainingJobStatus":"InProgress","SecondaryStatus":"Training",)"
      R"("TrainingJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1",)"
      R"("CreationTime":1783000213000,"Tags":{"a":"b"}})"));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->id, "e-1");
  EXPECT_EQ(parsed->region, "eu-central-1");
  EXPECT_EQ(parsed->job.name.str(), "Job-1");
  EXPECT_EQ(parsed->job.arn, "arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1");
  EXPECT_EQ(parsed->job_event.trigger, rules::Trigger::kState);
  EXPECT_EQ(parsed->job_event.account, "111122223333");
  EXPECT_EQ(parsed->job_event.region, "eu-central-1");
  EXPECT_EQ(parsed->job_event.training_job_status, "InProgress");
  EXPECT_EQ(parsed->job_event.secondary_status, "Training");
  EXPECT_EQ(rfc3339(*parsed->job_event.creation_time), "2026-07-02T13:50:13Z");
}

TEST(StateEvent, F2_TimesComeAsNumbersStringsOrNotAtAll) {
  const auto created = [](const std::string& member) {
    const auto parsed = parse_state_event(event(R"({"TrainingJobName":"j")" + member + "}"));
    EXPECT_TRUE(parsed) << parsed.error().message;
    return parsed ? parsed->job_event.creation_time : std::nullopt;
  };
  for (const char* member :
       {R"(,"CreationTime":1783000213000)", R"(,"CreationTime":"1783000213000")",
        R"(,"CreationTime":1783000213.5)", R"(,"CreationTime":1.783000213E9)"})
    EXPECT_EQ(rfc3339(created(member).value_or(sys_seconds{})), "2026-07-02T13:50:13Z") << member;
  EXPECT_EQ(created(R"(,"CreationTime":null)"), std::nullopt);
  EXPECT_EQ(created(R"(,"CreationTime":"")"), std::nullopt);
  EXPECT_EQ(created(""), std::nullopt);
}

TEST(StateEvent, F2_NullAndMissingStatusesAreUnknown) {
  const auto parsed =
      parse_state_event(event(R"({"TrainingJobName":"j","TrainingJobStatus":null})"));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->job_event.training_job_status, std::nullopt);
  EXPECT_EQ(parsed->job_event.secondary_status, std::nullopt);
}

TEST(StateEvent, F3_AnUnknownSecondaryStatusIsNoError) {
  EXPECT_EQ(parse_state_event(event(R"({"TrainingJobName":"j","SecondaryStatus":"Pondering"})"))
                ->job_event.secondary_status,
            "Pondering");
}

TEST(StateEvent, OnlyAnArnOfThisJobIsTrusted) {
  const auto arn_of = [](const std::string& job_event) {
    return parse_state_event(
               event(R"({"TrainingJobName":"My-Job","TrainingJobArn":")" + job_event + "\"}"))
        ->job.arn;
  };
  const std::string own = "arn:aws-cn:sagemaker:eu-central-1:111122223333:training-job/my-job";
  EXPECT_EQ(arn_of(own), own);
  for (const char* job_event :
       {"arn:aws:sagemaker:us-east-1:111122223333:training-job/my-job",
        "arn:aws:sagemaker:eu-central-1:999999999999:training-job/my-job",
        "arn:aws:sagemaker:eu-central-1:111122223333:endpoint/my-job",
        "arn:aws:sagemaker:eu-central-1:111122223333:training-job/another",
        "arn:aws:sagemaker:eu-central-1:111122223333:training-job/", "nonsense", ""})
    EXPECT_EQ(arn_of(job_event), "") << job_event;
}

TEST(StateEvent, WhatIsNotOursOrMalformedIsNamed) {
  const std::string good = event(R"({"TrainingJobName":"j"})");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const struct {
    std::string payload;
    const char* said;
  } cases[] = {
      {"", "not valid JSON"},
      {"not json", "not valid JSON"},
      {"null", "expected an EventBridge event, found null"},
      {"[]", "expected an EventBridge event, found an array"},
      {"{}", "`source` is missing"},
      {std::string(1'000'000, '['), "128 levels"},
      {with("aws.sagemaker", "aws.ec2"), "`source`: expected `aws.sagemaker`, found `aws.ec2`"},
      {with("Training Job State", "Endpoint State"), "`detail-type`: expected"},
      {with("\"source\":\"aws.sagemaker\"", "\"source\":7"),
       "`source`: expected a string, found `7`"},
      {with("\"region\":\"eu-central-1\"", "\"region\":null"), "`region`: expected a string"},
      {with("\"id\":\"e-1\"", "\"id\":\"e-1\",\"id\":\"e-2\""), "member `id` is there twice"},
      {event("null"), "expected an object"},
      {event("{}"), "`detail.TrainingJobName` is missing"},
      {event(R"({"TrainingJobName":["j"]})"), "`detail.TrainingJobName`: expected a string"},
      {event(R"({"TrainingJobName":"a/b"})"),
       "`detail.TrainingJobName`: training job name: expected 1 to 63"},
      {event(R"({"TrainingJobName":"j","TrainingJobStatus":7})"),
       "`detail.TrainingJobStatus`: expected a string, found `7`"},
      {event(R"({"TrainingJobName":"j","CreationTime":[]})"),
       "`detail.CreationTime`: expected a number or a string of digits, found `[]`"},
      {event(R"({"TrainingJobName":"j","CreationTime":"soon"})"),
       "`detail.CreationTime`: expected"},
  };
  for (const auto& [payload, said] : cases) {
    const auto parsed = parse_state_event(payload);
    ASSERT_FALSE(parsed) << payload.substr(0, 200);
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidInput);
    EXPECT_NE(parsed.error().message.find(said), std::string::npos) << parsed.error().message;
    EXPECT_LT(parsed.error().message.size(), 400U);
  }
}

TEST(StateEventSamples, AllAreUnderstood) {
  const auto files = testing::files_in(testing::kShared / "samples/state");
  if (files.empty()) GTEST_SKIP() << "17 cases need ../shared/samples/state, which is not here";
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    const std::string text = testing::read_text(file);
    const auto parsed = parse_state_event(text);
    ASSERT_TRUE(parsed) << parsed.error().message;
    const auto document = json::Document::parse(text);
    const json::Value detail = *document->root().find("detail");
    EXPECT_EQ(parsed->job.name.view(), detail.find("TrainingJobName")->as_string());
    EXPECT_EQ(parsed->job_event.training_job_status, detail.find("TrainingJobStatus")->as_string());
    EXPECT_EQ(parsed->job_event.secondary_status, detail.find("SecondaryStatus")->as_string());
    // AWS's own example names another job in its ARN.
    const bool example = file.filename() == "official_documentation.json";
    EXPECT_EQ(parsed->job.arn, example ? "" : detail.find("TrainingJobArn")->as_string());
    EXPECT_TRUE(parsed->job_event.creation_time);
  }
}

// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html
TEST(ScheduledEvent, S1_IsToldFromAStateChange) {
  const auto parsed = parse_event(
      R"({"version":"0","id":"s-1","detail-type":"Scheduled Event","source":"aws.events",)"
      R"("account":"111122223333","time":"2026-07-02T13:49:00Z","region":"eu-central-1",)"
      R"("resources":["arn:aws:events:eu-central-1:111122223333:rule/sweep"],"detail":{}})");
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_TRUE(std::holds_alternative<ScheduledEvent>(*parsed));
  EXPECT_EQ(std::get<ScheduledEvent>(*parsed).id, "s-1");
  EXPECT_EQ(std::get<ScheduledEvent>(*parsed).region, "eu-central-1");
  EXPECT_EQ(std::get<ScheduledEvent>(*parsed).account, "111122223333");
}

TEST(ScheduledEvent, OfSomebodyElseIsRefused) {
  const auto parsed = parse_event(
      R"({"id":"s-1","detail-type":"Scheduled Event","source":"my.app","region":"eu-central-1"})");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message, "`source`: expected `aws.events`, found `my.app`");
}

std::string weekly(const std::string& from = "", const std::string& to = "") {
  // As the InputTransformer of template.yaml makes it.
  std::string text =
      R"({"source":"aws.events","detail-type":"Trainwarden Weekly Report","id":"w-1",)"
      R"("region":"eu-central-1","account":"111122223333","time":"2026-11-23T07:00:00Z"})";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(WeeklyEvent, S2_IsToldFromASweep) {
  const auto parsed = parse_event(weekly());
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_TRUE(std::holds_alternative<WeeklyEvent>(*parsed));
  const auto& event = std::get<WeeklyEvent>(*parsed);
  EXPECT_EQ(event.id, "w-1");
  EXPECT_EQ(event.region, "eu-central-1");
  EXPECT_EQ(event.account, "111122223333");
  EXPECT_EQ(rfc3339(event.time), "2026-11-23T07:00:00Z");
  const auto sweep = parse_event(weekly("Trainwarden Weekly Report", "Scheduled Event"));
  ASSERT_TRUE(sweep);
  EXPECT_TRUE(std::holds_alternative<ScheduledEvent>(*sweep));
}

TEST(WeeklyEvent, S2_LookAlikesAndWhatIsMalformedAreNamed) {
  const struct {
    const char* from;
    const char* to;
    const char* said;
  } cases[] = {{"aws.events", "my.app", "`source`: expected `aws.events`, found `my.app`"},
               {"Trainwarden Weekly Report", "Trainwarden weekly report",
                "`source`: expected `aws.sagemaker`, found `aws.events`"},
               {"\"Trainwarden Weekly Report\"", "null", "`source`: expected `aws.sagemaker`"},
               {R"(,"time":"2026-11-23T07:00:00Z")", "", "`time` is missing"},
               {R"("2026-11-23T07:00:00Z")", "7", "`time`: expected a string, found `7`"},
               {"2026-11-23T07:00:00Z", "<time>", "`time`: "},
               {"2026-11-23T07:00:00Z", "Monday", "`time`: "},
               {R"("id":"w-1",)", "", "`id` is missing"},
               {R"("region":"eu-central-1",)", "", "`region` is missing"},
               {R"("account":"111122223333",)", "", "`account` is missing"}};
  for (const auto& [from, to, said] : cases) {
    const auto parsed = parse_event(weekly(from, to));
    ASSERT_FALSE(parsed) << from;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidInput) << from;
    EXPECT_NE(parsed.error().message.find(said), std::string::npos) << parsed.error().message;
  }
}

}  // namespace
}  // namespace trainwarden::state::event_test
