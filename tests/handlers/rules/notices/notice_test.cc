// What people are told (A5), and how it is remembered that they were.
#include "handlers/rules/notices/notice.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/handlers/rules/notices/notice_support.h"

namespace trainwarden::rules::notice_test {
namespace {

using test::described;
using test::has;
using test::held_back;
using test::job;
using test::kArn;
using test::kDescribe;
using test::Kind;
using test::reports;
using test::set_status;
using test::text;
using test::violation;

TEST(Notice, A5_AStopSaysWhatWhyAndWhatToDo) {
  NoticeJob of = job();
  set_status(of, "Stopping");
  of.team = "vision";
  of.usd_per_hour = 160;
  of.spent_usd = 80.5;
  of.avoided_usd = 1440;
  const std::string all = text(violation(), NoticeOutcome::kStopped, of);
  EXPECT_TRUE(has(all, "Trainwarden stopped the training job train-1, which is stopping now."));
  EXPECT_TRUE(has(all, "required-tags (mode enforce)"));
  EXPECT_TRUE(has(all, "Training jobs need the tag model_name."));
  EXPECT_TRUE(has(all, "tags.model_name is absent"));
  EXPECT_TRUE(has(all, "job.TrainingJobStatus is InProgress"));
  EXPECT_TRUE(
      has(all, "160.00 USD an hour, 80.50 USD so far; stopping it saves up to 1,440.00 USD"));
  EXPECT_TRUE(has(all, "https://eu-central-1.console.aws.amazon.com/x"));
  EXPECT_TRUE(has(all, "Set the tag model_name when you start the job again."));
  EXPECT_TRUE(has(all, "exempt it by `unless` in the rule required-tags"));
  // Its owner has neither the policy nor the event.
  EXPECT_FALSE(has(all, "trainwarden explain"));
}

TEST(Notice, A5_WithoutAPriceNothingIsSaidOfCost) {
  EXPECT_FALSE(has(text(violation(), NoticeOutcome::kStopped, job()), "USD"));
}

TEST(Notice, P3_InNotifyModeItSaysThatNothingWasStopped) {
  NoticeJob of = job();
  of.usd_per_hour = 160;
  of.avoided_usd = 1440;
  const std::string all =
      text(violation(Mode::kNotify), NoticeOutcome::kNone, of, not_done(Why::kModeIsNotify));
  EXPECT_TRUE(has(all, "Nothing was stopped: the mode is notify"));
  EXPECT_FALSE(has(all, "Trainwarden stopped"));
  EXPECT_FALSE(has(all, "saves"));
  EXPECT_TRUE(has(all, "up to 1,440.00 USD more"));
  // The job runs: the tag can still be set.
  EXPECT_TRUE(has(all, std::string("aws sagemaker add-tags --resource-arn ") + kArn));
}

// Nothing is broken or stopped where a rule only tells that a job failed, and why.
TEST(Notice, A5_OfAFailedJobThatIsLeftAloneItSaysWhyAndWhereToLook) {
  Decision decision = violation();
  decision.rule = "own-fault";
  decision.actions = {{.kind = ActionKind::kNotify}};
  decision.because = {{Group::kDiagnosis, "resume", "no"},
                      {Group::kDiagnosis, "evidence", "KeyError: 'x'"}};
  NoticeJob of = job();
  set_status(of, "Failed");
  const auto told = test::sent(NoticeFormat::kText, decision, NoticeOutcome::kNone, {}, of);
  EXPECT_EQ(told.subject, "Trainwarden: train-1 Failed (own-fault)");
  EXPECT_TRUE(
      has(told.message, "The training job train-1 is Failed. Trainwarden leaves it at that"));
  EXPECT_TRUE(has(told.message, "failure.evidence is KeyError: 'x'"));
  EXPECT_TRUE(has(told.message, "--log-stream-name-prefix train-1/"));
  EXPECT_TRUE(has(told.message, "trainwarden restart train-1 --dry-run"));
  EXPECT_FALSE(has(told.message, "stopped"));
  EXPECT_FALSE(has(told.message, "unless"));
}

TEST(Notice, P3_InNotifyModeAFailedJobWouldBeRestarted) {
  Decision decision = violation(Mode::kNotify);
  decision.actions = {{.kind = ActionKind::kRestart}, {.kind = ActionKind::kNotify}};
  NoticeJob of = job();
  set_status(of, "Failed");
  const std::string all = text(decision, NoticeOutcome::kNone, of, not_done(Why::kModeIsNotify));
  EXPECT_TRUE(has(all, "Nothing was restarted: the mode is notify"));
  EXPECT_TRUE(has(all, "In the mode enforce the job would be restarted."));
}

TEST(Notice, A5_WhatAnEarlierDeliveryDidIsToldAsDone) {
  NoticeJob of = job();
  set_status(of, "Stopping");
  const std::string stopped =
      text(violation(), NoticeOutcome::kStopped, of, not_done(Why::kNoLongerMatches));
  EXPECT_TRUE(has(stopped, "Trainwarden stopped the training job train-1"));
  EXPECT_FALSE(has(stopped, "not done"));

  Decision restarts = violation();
  restarts.actions.front().kind = ActionKind::kRestart;
  const auto restarted = [&](ActionResult result, std::string_view status) {
    set_status(of, status);
    of.acted_rule = "required-tags";
    const std::vector<ActionReport> all = {{ActionKind::kRestart, std::move(result)}};
    const auto outcome = outcome_of(restarts, all, of);
    return outcome ? test::sent(NoticeFormat::kText, restarts, *outcome, all, of).message
                   : "nothing";
  };
  EXPECT_TRUE(has(restarted({.kind = Kind::kEndedBefore, .name = "Stopping"}, "Stopping"),
                  "restarts the training job train-1: stopping, to be copied when it has ended."));
  EXPECT_TRUE(has(restarted({.kind = Kind::kCopied, .name = "train-1-r1-0123abcd"}, "Failed"),
                  "restarts the training job train-1: copied as train-1-r1-0123abcd."));
  EXPECT_TRUE(has(restarted({.kind = Kind::kCopiedBefore, .name = "train-1-r1-0123abcd"}, "Failed"),
                  "restarts the training job train-1: already copied as train-1-r1-0123abcd."));
  EXPECT_TRUE(
      has(restarted(refused(Reason{.why = Why::kLimit, .name = "train", .number = 3, .limit = 3}),
                    "Failed"),
          "did not restart the training job train-1: refused: it is generation 3 of train, and the "
          "limit is 3."));
  const std::string waits = restarted(
      {.kind = Kind::kWaits,
       .reason = Reason{.why = Why::kSameMachines, .at = *parse_rfc3339("2026-07-02T14:04:00Z")}},
      "Failed");
  EXPECT_TRUE(has(waits,
                  "The training job train-1 found no machines, and its restart waits: a sweep asks "
                  "for the same machines again from 2026-07-02T14:04:00Z on."));
  EXPECT_TRUE(has(waits, "trainwarden restart train-1 --instance-type TYPE --dry-run"));
}

TEST(Notice, P7_AStopThatIsHeldBackIsTold) {
  const std::string all = text(violation(), NoticeOutcome::kHeldBack, job(), held_back());
  EXPECT_TRUE(has(all,
                  "The stop of the training job train-1 is held back, and the job runs on: "
                  "limits.stops_per_hour is 20, and 20 jobs were stopped within the last hour."));
}

TEST(Notice, A5_OfAJobThatHasEndedNothingMoreIsToBePaid) {
  NoticeJob of = job();
  of.usd_per_hour = 160;
  of.avoided_usd = 1440;
  EXPECT_TRUE(has(text(violation(), NoticeOutcome::kRefused, of, refused(Why::kCompleted)),
                  "1,440.00 USD"));
  set_status(of, "Stopped/MaxRuntimeExceeded");
  EXPECT_FALSE(has(text(violation(), NoticeOutcome::kRefused, of, refused(Why::kCompleted)),
                   "1,440.00 USD"));
}

TEST(Notice, A1_OfATuningChildTheTuningJobIsNamed) {
  std::string describe = kDescribe;
  describe.insert(1, R"("TuningJobArn": "arn:aws:sagemaker:eu-central-1:111122223333:)"
                     R"(hyper-parameter-tuning-job/search-7",)");
  const NoticeJob of = described(describe, "{}");
  EXPECT_EQ(of.tuning_job, "search-7");
  EXPECT_TRUE(has(text(violation(), NoticeOutcome::kStopped, of),
                  "belongs to the tuning job search-7, which may start the next one"));
}

TEST(Notice, R1_ConfidentialValuesAreNotShown) {
  Decision decision = violation();
  decision.because = {{Group::kJob, "HyperParameters.password", ""}};
  EXPECT_TRUE(has(text(decision, NoticeOutcome::kStopped, job()),
                  "job.HyperParameters.password (its value is not shown)"));
}

TEST(Notice, A5_AttributesLetSubscribersFilter) {
  const auto attributes = [](const Decision& decision, NoticeOutcome outcome, const NoticeJob& of) {
    const auto sent = test::sent(NoticeFormat::kText, decision, outcome, {}, of).attributes;
    return std::map<std::string, std::string>(sent.begin(), sent.end());
  };
  using Map = std::map<std::string, std::string>;
  EXPECT_EQ(attributes(violation(), NoticeOutcome::kStopped, job()), (Map{{"rule", "required-tags"},
                                                                          {"action", "stop"},
                                                                          {"mode", "enforce"},
                                                                          {"outcome", "stopped"}}));
  Decision only_notifies = violation(Mode::kNotify);
  only_notifies.actions = {{.kind = ActionKind::kNotify}};
  NoticeJob of = job();
  of.team = "vision";
  EXPECT_EQ(attributes(only_notifies, NoticeOutcome::kNone, of), (Map{{"rule", "required-tags"},
                                                                      {"action", "notify"},
                                                                      {"mode", "notify"},
                                                                      {"outcome", "none"},
                                                                      {"team", "vision"}}));
}

// SNS takes no empty value, and a control character would spoil a subscriber's line.
TEST(Notice, A8_OwnerIsAnAttributeOnOneLine) {
  const auto owner = [](const std::string& value) -> std::optional<std::string> {
    NoticeJob of = job();
    of.owner = value;
    for (const auto& [name, text] :
         test::sent(NoticeFormat::kText, violation(), NoticeOutcome::kStopped, {}, of).attributes)
      if (name == "owner") return text;
    return std::nullopt;
  };
  EXPECT_EQ(owner("jo@example.com"), "jo@example.com");
  EXPECT_EQ(owner("jo\nbcc: all"), "jo\\u000Abcc: all");
  EXPECT_EQ(owner(""), std::nullopt);
}

TEST(Notice, A8_JsonNamesTheOwner) {
  NoticeJob of = job();
  of.owner = "jo";
  const auto sent = test::sent(NoticeFormat::kJson, violation(), NoticeOutcome::kStopped, {}, of);
  EXPECT_EQ(test::doc(sent.message).root().find("job")->find("owner")->as_string(), "jo");
}

TEST(Notice, A5_SubjectsAreShortAndNameTheJobFirst) {
  NoticeJob of = job();
  of.name = std::string(63, 'j');
  for (int i = 0; i <= static_cast<int>(NoticeOutcome::kFailed); ++i) {
    const auto subject =
        test::sent(NoticeFormat::kText, violation(), static_cast<NoticeOutcome>(i), {}, of).subject;
    EXPECT_LE(subject.find(of.name) + of.name.size(), 99U) << subject;
    EXPECT_EQ(subject.find('\n'), std::string::npos);
  }
}

TEST(Notice, A5_JsonIsForMachines) {
  NoticeJob of = job();
  of.team = "vision";
  of.usd_per_hour = 160;
  of.avoided_usd = 1440.004;
  const auto all = reports({Kind::kStopped});
  const auto sent = test::sent(NoticeFormat::kJson, violation(), NoticeOutcome::kStopped, all, of);
  const json::Document document = test::doc(sent.message);
  const json::Value root = document.root();
  EXPECT_EQ(root.find("source")->as_string(), "trainwarden");
  EXPECT_EQ(root.find("rule")->as_string(), "required-tags");
  EXPECT_EQ(root.find("outcome")->as_string(), "stopped");
  EXPECT_EQ(json::to_text(*root.find("because")),
            R"([{"path":"job.TrainingJobStatus","value":"InProgress"},)"
            R"({"path":"tags.model_name","absent":true}])");
  EXPECT_EQ(json::to_text(*root.find("actions")),
            R"([{"action":"stop","result":"stopped","code":"stopped"}])");
  EXPECT_EQ(root.find("job")->find("team")->as_string(), "vision");
  EXPECT_EQ(json::to_text(*root.find("cost")), R"({"usd_per_hour":160,"avoided_usd":1440})");
}

// An hour into its ten hours on eight machines.
TEST(NoticeCost, A5_WhatASpotJobCostsWithoutAFactorIsAtMostThat) {
  const std::string spot =
      std::string(test::kDescribe).insert(1, R"("EnableManagedSpotTraining": true, )");
  const NoticeJob bound = test::described(spot, "{}", {{"ml.p4d.24xlarge", {20.0}}});
  EXPECT_TRUE(has(text(violation(), NoticeOutcome::kNone, bound),
                  "Cost:       at most 160.00 USD an hour, at most 160.00 USD so far; up to"));
  const auto all = reports({Kind::kStopped});
  const json::Document told = test::doc(
      test::sent(NoticeFormat::kJson, violation(), NoticeOutcome::kStopped, all, bound).message);
  EXPECT_EQ(json::to_text(*told.root().find("cost")->find("at_most")),
            R"(["usd_per_hour","spent_usd","avoided_usd"])");
  const NoticeJob known = test::described(spot, "{}", {{"ml.p4d.24xlarge", {20.0, 0.5}}});
  EXPECT_TRUE(has(text(violation(), NoticeOutcome::kNone, known),
                  "Cost:       80.00 USD an hour, 80.00 USD so far; up to 720.00 USD more"));
  const NoticeJob on_demand = test::described(test::kDescribe, "{}", {{"ml.p4d.24xlarge", {20.0}}});
  EXPECT_TRUE(has(text(violation(), NoticeOutcome::kNone, on_demand),
                  "Cost:       160.00 USD an hour, 160.00 USD so far"));
}

// The members, their types and which must be there, as the page of custom notifications has them.
TEST(Notice, A5_ChatIsACustomNotification) {
  const auto all = reports({Kind::kStopped});
  const auto sent =
      test::sent(NoticeFormat::kChat, violation(), NoticeOutcome::kStopped, all, job());
  const json::Document document = test::doc(sent.message);
  const json::Value root = document.root();
  EXPECT_EQ(root.find("version")->as_string(), "1.0");
  EXPECT_EQ(root.find("source")->as_string(), "custom");
  const auto known = [](json::Value object, const std::map<std::string, json::Type>& members) {
    for (const json::Member member : object.members()) {
      const auto at = members.find(std::string(member.name));
      ASSERT_NE(at, members.end()) << member.name;
      EXPECT_EQ(member.value.type(), at->second) << member.name;
      if (at->second != json::Type::kArray) continue;
      for (const json::Value element : member.value.elements()) EXPECT_TRUE(element.is_string());
    }
  };
  using json::Type;
  known(root, {{"version", Type::kString},
               {"source", Type::kString},
               {"id", Type::kString},
               {"content", Type::kObject},
               {"metadata", Type::kObject}});
  const json::Value content = *root.find("content");
  known(content, {{"textType", Type::kString},
                  {"title", Type::kString},
                  {"description", Type::kString},
                  {"nextSteps", Type::kArray},
                  {"keywords", Type::kArray}});
  EXPECT_EQ(content.find("textType")->as_string(), "client-markdown");
  EXPECT_FALSE(content.find("description")->as_string().empty());
  const json::Value metadata = *root.find("metadata");
  known(metadata, {{"threadId", Type::kString},
                   {"summary", Type::kString},
                   {"eventType", Type::kString},
                   {"relatedResources", Type::kArray},
                   {"additionalContext", Type::kObject}});
  for (const json::Member member : metadata.find("additionalContext")->members())
    EXPECT_TRUE(member.value.is_string());
  EXPECT_EQ(metadata.find("threadId")->as_string(), kArn);
}

TEST(Notice, A5_ChatTakesNoMarkUpFromTags) {
  NoticeJob of = job();
  of.team = "<!channel> `x`";
  const auto sent = test::sent(NoticeFormat::kChat, violation(), NoticeOutcome::kStopped, {}, of);
  EXPECT_FALSE(has(sent.message, "<!channel>"));
  EXPECT_FALSE(has(sent.message, "`x`"));
}

// Everything outside code spans.
std::string live(std::string_view text) {
  std::string out;
  bool code = false;
  for (const char c : text) {
    if (c == '`') code = !code;
    if (!code) out += c;
  }
  EXPECT_FALSE(code) << text;
  return out;
}

// A link, a mention or mark-up is live nowhere in a chat: what people wrote, and what AWS quotes of
// it, stands in code spans.
TEST(Notice, A5_NothingThatPeopleWroteIsLiveInAChat) {
  for (const char* const written :
       {"https://evil.example/x", "evil.example", "[click](https://evil.example)", "@channel",
        "<!here>", "<https://evil.example|click>", "`https://evil.example`", "*evil.example*",
        "x`\nhttps://evil.example"}) {
    const Error quoted{ErrorCode::kRejected, std::string("Value '") + written + "' at 'image'"};
    NoticeJob of = job();
    of.team = of.owner = written;
    of.people = {{"owner", written}};
    of.machines = of.status = of.status_text = of.tuning_job = written;
    Decision decision = violation();
    decision.because = {{.group = Group::kJob,
                         .member = "AlgorithmSpecification.TrainingImage",
                         .value = written,
                         .asked = "anything but ours"}};
    for (int i = 0; i <= static_cast<int>(NoticeOutcome::kWarned); ++i)
      for (const Error* const error : {&quoted, static_cast<const Error*>(nullptr)}) {
        const std::vector<ActionReport> reports = {
            {ActionKind::kStop, refused(because_of(quoted)), error}};
        const json::Document read = test::doc(
            test::sent(NoticeFormat::kChat, decision, static_cast<NoticeOutcome>(i), reports, of)
                .message);
        const json::Value content = *read.root().find("content");
        std::string all = live(content.find("title")->as_string());
        all += live(content.find("description")->as_string());
        for (const char* const list : {"nextSteps", "keywords"})
          for (const json::Value one : content.find(list)->elements()) all += live(one.as_string());
        all += live(read.root().find("metadata")->find("summary")->as_string());
        for (const char* const gone : {"evil", "@channel", "!here", "click"})
          EXPECT_FALSE(has(all, gone)) << i << ' ' << written << '\n' << all;
      }
  }
}

TEST(Notice, A5_ACodeSpanThatIsCutIsClosed) {
  Decision decision = violation();
  decision.because = {{.group = Group::kJob,
                       .member = "AlgorithmSpecification.TrainingImage",
                       .value = "https://evil.example/" + std::string(190, 'x'),
                       .asked = "ours"}};
  decision.message = std::string(2500, 'm');
  for (std::size_t length = 300; length < 420; ++length) {
    NoticeJob of = job();
    of.machines = std::string(length, '.');
    const json::Document read =
        test::doc(test::sent(NoticeFormat::kChat, decision, NoticeOutcome::kNone, {}, of).message);
    const json::Value content = *read.root().find("content");
    EXPECT_FALSE(has(live(content.find("title")->as_string()), "evil"));
    EXPECT_LE(content.find("title")->as_string().size(), 150U);
    EXPECT_FALSE(has(live(content.find("description")->as_string()), "evil"));
    EXPECT_LE(content.find("description")->as_string().size(), 2900U);
  }
}

TEST(Notice, A5_WhatCameOfAStopDecidesWhatIsTold) {
  const Error denied{ErrorCode::kAccessDenied, "not authorized"};
  const Error throttled{ErrorCode::kThrottled, "Rate exceeded"};
  struct Case {
    const char* why;
    ActionResult result;
    const Error* error;
    const char* status;
    const char* acted_rule;
    std::optional<NoticeOutcome> outcome;
  };
  const Case cases[] = {
      {"done", {Kind::kStopped}, nullptr, "Stopping", "required-tags", NoticeOutcome::kStopped},
      {"merged",
       {.kind = Kind::kStoppedByRule, .name = "other"},
       nullptr,
       "Stopping",
       "other",
       NoticeOutcome::kStopped},
      {"held back", held_back(), nullptr, "InProgress", "", NoticeOutcome::kHeldBack},
      {"done when the event came first", not_done(Why::kNoLongerMatches), nullptr, "Stopping",
       "required-tags", NoticeOutcome::kStopped},
      {"the same, ended by now",
       {.kind = Kind::kEndedBefore, .name = "Stopped"},
       nullptr,
       "Stopped",
       "required-tags",
       NoticeOutcome::kStopped},
      {"stopped by another rule",
       {.kind = Kind::kEndedBefore, .name = "Stopping"},
       nullptr,
       "Stopping",
       "other",
       NoticeOutcome::kEnded},
      {"ended by itself",
       {.kind = Kind::kEndedBefore, .name = "Completed"},
       nullptr,
       "Completed",
       "",
       NoticeOutcome::kEnded},
      {"a tag came in time", not_done(Why::kNoLongerMatches), nullptr, "InProgress", "",
       std::nullopt},
      {"refused for good", {Kind::kFailed}, &denied, "InProgress", "", NoticeOutcome::kFailed},
      {"the event comes again", {Kind::kFailed}, &throttled, "InProgress", "", std::nullopt},
  };
  // A restart whose event comes twice has one outcome, and so one key.
  Decision restarts = violation();
  restarts.actions.front().kind = ActionKind::kRestart;
  for (const Kind copied : {Kind::kCopied, Kind::kCopiedBefore}) {
    const std::vector<ActionReport> all = {{ActionKind::kRestart, {.kind = copied, .name = "x"}}};
    EXPECT_EQ(outcome_of(restarts, all, job()), NoticeOutcome::kRestarted);
  }
  for (const Case& c : cases) {
    NoticeJob of = job();
    set_status(of, c.status);
    of.acted_rule = c.acted_rule;
    const auto all = reports(c.result, c.error);
    EXPECT_EQ(outcome_of(violation(), all, of), c.outcome) << c.why;
    EXPECT_EQ(outcome_of(violation(Mode::kNotify), all, of), NoticeOutcome::kNone) << c.why;
  }
  EXPECT_EQ(outcome_of(violation(), {}, job()), NoticeOutcome::kNone);
}

TEST(NoticeKey, A5_OncePerRuleModeOutcomeAndTopic) {
  constexpr std::string_view kTopic = "arn:aws:sns:eu-central-1:1:people";
  const std::string key = notice_key(violation(), NoticeOutcome::kStopped, kTopic);
  EXPECT_EQ(key.size(), 16U);
  EXPECT_EQ(notice_key(violation(), NoticeOutcome::kStopped, kTopic), key);
  Decision other = violation();
  other.rule = "required-tagz";
  for (const std::string& different :
       {notice_key(other, NoticeOutcome::kStopped, kTopic),
        notice_key(violation(Mode::kNotify), NoticeOutcome::kStopped, kTopic),
        notice_key(violation(), NoticeOutcome::kRefused, kTopic),
        notice_key(violation(), NoticeOutcome::kStopped, "arn:aws:sns:eu-central-1:1:ml")})
    EXPECT_NE(different, key);
}

}  // namespace
}  // namespace trainwarden::rules::notice_test
