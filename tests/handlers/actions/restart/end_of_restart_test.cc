// What people are told of the end of a job that was stopped to be run again (A5).
#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/actions/handle/notify_fixture.h"

namespace trainwarden::actions::notify_test {
namespace {

Result<Copied> refuse(const JobSnapshot&, const rules::CopyChanges&, const Apis&, bool) {
  return Copied{
      .how = Copied::How::kRefused,
      .refusal = rules::Reason{.why = rules::Why::kNameTaken, .name = "job-1-r1-0123abcd"}};
}

// Of a restart two hours ago: a stop is too late for it now.
std::string late_intent() { return fmt::format("v1 gen=1 at={}", kNow - 7200); }

// What a restart by that rule leaves, with that intent.
std::vector<std::pair<std::string, std::string>> restarted_by(const std::string& rule,
                                                              const std::string& intent) {
  auto all = stopped_by(rule, 7200);
  all[0].second = "restart";
  all.emplace_back("trainwarden:intent", intent);
  return all;
}

TEST_F(NotifyTest, A5_ARestartThatIsCopiedAlreadyIsToldOnce) {
  event_.training_job_status = "Failed";
  event_.secondary_status = "Failed";
  powers_.copy = &refuse;
  const auto copied = tags({{"trainwarden:child", "job-1-r1-0123abcd"},
                            {"trainwarden:told", key_of("again", rules::Outcome::kRestarted)}});
  list(copied);
  look(describe("Failed", "Failed"), copied);  // the restart's look
  look(describe("Failed", "Failed"), copied);  // and its original; nobody is told again
  const Record record = handle(kRestarts);
  EXPECT_EQ(result(record, 0), "already copied as job-1-r1-0123abcd");
  EXPECT_EQ(result(record, 1), "told already");
}

class VoidIntent : public NotifyTest {
 public:
  VoidIntent() {
    event_.training_job_status = "Stopped";
    event_.secondary_status = "Stopped";
    powers_.copy = &refuse;
  }
  // The end is met: what the job's tags are, and that the intent is made void.
  VoidIntent& meet(const std::vector<std::pair<std::string, std::string>>& all,
                   const std::string& ended = describe("Stopped", "Stopped")) {
    list(tags(all));
    look(ended, tags(all));
    transport_.expect(R"({"Key":"trainwarden:intent","Value":"void"})", 200);
    return *this;
  }
  VoidIntent& look_then_publish(const std::vector<std::pair<std::string, std::string>>& all) {
    look(describe("Stopped", "Stopped"), tags(all)).publish().remember();
    return *this;
  }
};

TEST_F(VoidIntent, A5_AJobThatWasStoppedForARestartAndIsNotCopiedIsToldOf) {
  auto all = restarted_by("again", late_intent());
  // Not to be taken for a restart that was refused while the job ran.
  all.emplace_back("trainwarden:told", key_of("again", rules::Outcome::kRefused));
  meet(all).look_then_publish(all);
  const Record record = handle(kRestarts);
  ASSERT_TRUE(record.intent);
  EXPECT_TRUE(
      rules::text(record.intent->result).starts_with("intent void: the job was not stopped"));
  EXPECT_EQ(result(record, 1), "told");
  EXPECT_FALSE(record.failure());
  const std::string sent = published();
  for (const char* part :
       {"Subject=Trainwarden%20refused%3A%20job-1%20%28again%29",
        "did%20not%20restart%20the%20training%20job%20job-1%3A%20refused%20when%20it%20had%20ended"
        "%3A%20the%20job%20was%20not%20stopped%20within%2010%20minutes",
        "StringValue=refused", "StringValue=again"})
    EXPECT_NE(sent.find(part), std::string::npos) << part << "\n" << sent;

  all.back().second = told();
  all[4].second = "void";
  list(tags(all));  // and nothing more, when the event comes twice
  EXPECT_TRUE(handle(kRestarts).decisions.empty());
}

TEST_F(VoidIntent, A5_ACopyThatIsRefusedIsToldWithItsReason) {
  std::string ended = describe("Stopped", "Stopped");
  ended.insert(1, fmt::format(R"("SecondaryStatusTransitions":[{{"Status":"Stopping",)"
                              R"("StartTime":{}}}],)",
                              kNow - 7199));
  const auto all = restarted_by("again", late_intent());
  meet(all, ended).look_then_publish(all);
  handle(kRestarts);
  EXPECT_NE(published().find("the%20name%20job-1-r1-0123abcd%20is%20taken%20by%20a%20job"),
            std::string::npos);
}

Result<Copied> deny(const JobSnapshot&, const rules::CopyChanges&, const Apis&, bool) {
  return fail(ErrorCode::kAccessDenied, "CreateTrainingJob: AccessDeniedException: PassRole");
}
Result<Copied> fault(const JobSnapshot&, const rules::CopyChanges&, const Apis&, bool) {
  return fail(ErrorCode::kServiceFault, "CreateTrainingJob: 503");
}
Result<Copied> make(const JobSnapshot&, const rules::CopyChanges&, const Apis&, bool) {
  return Copied{Copied::How::kMade, "job-1-r1-0123abcd"};
}

// A restart two hours ago, and the stop that followed it.
std::string ended_by_it() {
  std::string ended = describe("Stopped", "Stopped");
  return ended.insert(1, fmt::format(R"("SecondaryStatusTransitions":[{{"Status":"Stopping",)"
                                     R"("StartTime":{}}}],)",
                                     kNow - 7199));
}

TEST_F(VoidIntent, A5_ACopyThatAwsRefusesIsToldAsAFailureAndLaterAsMade) {
  auto all = restarted_by("again", late_intent());
  powers_.copy = &deny;
  list(tags(all)).look(ended_by_it(), tags(all));
  look_then_publish(all);
  const Record record = handle(kRestarts);
  ASSERT_TRUE(record.intent && record.intent->error);
  EXPECT_TRUE(record.failure());
  EXPECT_EQ(result(record, 1), "told");
  const std::string sent = published();
  for (const char* part :
       {"Subject=Trainwarden%20failed%20on%20job-1%20%28again%29",
        "could%20not%20restart%20the%20training%20job%20job-1%3A%20CreateTrainingJob%3A%20"
        "AccessDeniedException",
        "StringValue=failed"})
    EXPECT_NE(sent.find(part), std::string::npos) << part << "\n" << sent;

  all.emplace_back("trainwarden:told", told());
  list(tags(all)).look(ended_by_it(), tags(all));  // and nothing more, when the event comes again
  EXPECT_TRUE(handle(kRestarts).decisions.empty());

  // The quota was raised.
  powers_.copy = &make;
  transport_.sent.clear();
  list(tags(all)).look(ended_by_it(), tags(all));
  look_then_publish(all);
  EXPECT_EQ(result(handle(kRestarts), 1), "told");
  EXPECT_NE(published().find("Subject=Trainwarden%20restarts%20job-1"), std::string::npos);
  EXPECT_NE(published().find("copied%20as%20job-1-r1-0123abcd"), std::string::npos);
}

// The stop could not be told of; by now the job has ended and is copied.
TEST_F(VoidIntent, A5_ALateNoticeOfARestartTellsOfTheCopyThatWasMade) {
  const auto all = restarted_by("again", late_intent());
  powers_.copy = &make;
  list(tags(all)).look(ended_by_it(), tags(all));
  look_then_publish(all);
  const Record record = handle(kRestarts);
  EXPECT_EQ(rules::text(record.intent->result), "copied as job-1-r1-0123abcd");
  EXPECT_EQ(result(record, 0), "not done: an earlier delivery did it");
  EXPECT_EQ(result(record, 1), "told");
  const std::string sent = published();
  EXPECT_NE(sent.find("Trainwarden%20restarts%20the%20training%20job%20job-1%3A%20copied%20as%20"
                      "job-1-r1-0123abcd."),
            std::string::npos)
      << sent;
  EXPECT_EQ(sent.find("to%20be%20copied"), std::string::npos) << sent;
}

TEST_F(VoidIntent, A5_ALateNoticeOfARestartTellsOfTheCopyThatTheTagsName) {
  auto all = restarted_by("again", late_intent());
  all.emplace_back("trainwarden:child", "job-1-r1-0123abcd");
  list(tags(all));
  look_then_publish(all);
  const Record record = handle(kRestarts);
  EXPECT_FALSE(record.intent);
  EXPECT_EQ(result(record, 1), "told");
  EXPECT_NE(published().find("job-1%3A%20copied%20as%20job-1-r1-0123abcd."), std::string::npos)
      << published();
}

TEST_F(VoidIntent, A5_ACopyThatMayComeWithTheNextDeliveryIsNotToldOf) {
  const auto all = restarted_by("again", late_intent());
  powers_.copy = &fault;
  list(tags(all)).look(ended_by_it(), tags(all));
  const Record record = handle(kRestarts);
  EXPECT_TRUE(record.failure());
  EXPECT_TRUE(record.decisions.empty());
}

TEST_F(VoidIntent, A5_OfARuleThatHoldsForTheEndTooOneNoticeTellsOfTheFailure) {
  auto all = restarted_by("again", late_intent());
  event_.training_job_status = "Failed";
  event_.secondary_status = "Failed";
  std::string ended = ended_by_it();
  for (std::size_t at = 0; (at = ended.find("Stopped", at)) != std::string::npos;)
    ended.replace(at, 7, "Failed");
  powers_.copy = &deny;
  list(tags(all)).look(ended, tags(all));         // the intent's end
  look(ended, tags(all)).look(ended, tags(all));  // the rule's look and original
  look(ended, tags(all)).publish().remember();
  const Record record = handle(kRestarts);
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(result(record, 0), "failed");
  EXPECT_EQ(result(record, 1), "told");
  EXPECT_NE(published().find("Subject=Trainwarden%20failed%20on%20job-1"), std::string::npos);
}

TEST_F(VoidIntent, A5_WhyItIsNotCopiedIsToldThoughARuleThatHoldsForTheEndIsRefusedToo) {
  const auto all = restarted_by("again", late_intent());
  auto made_void = all;
  made_void[4].second = "void";
  event_.training_job_status = "Failed";
  event_.secondary_status = "Failed";
  std::string ended = ended_by_it();
  for (std::size_t at = 0; (at = ended.find("Stopped", at)) != std::string::npos;)
    ended.replace(at, 7, "Failed");
  meet(all, ended);
  look(ended, tags(made_void)).look(ended, tags(made_void));  // the rule's look and original
  look(ended, tags(made_void)).publish().remember();
  look(ended, tags(made_void)).publish().remember();
  const Record record = handle(kRestarts);
  EXPECT_EQ(result(record, 0), "refused: it was stopped, and its restart came to nothing");
  ASSERT_EQ(record.decisions.size(), 2U);
  EXPECT_EQ(result(record, 1, 1), "told");
  std::string last;
  for (const http::Request& request : transport_.sent)
    if (request.body.find("Action=Publish") != std::string::npos) last = request.body;
  EXPECT_NE(last.find("the%20name%20job-1-r1-0123abcd%20is%20taken%20by%20a%20job"),
            std::string::npos);
}

TEST_F(VoidIntent, A5_WhatCouldNotBePublishedIsToldWhenTheEventComesAgain) {
  auto all = restarted_by("again", late_intent());
  meet(all).look(describe("Stopped", "Stopped"), tags(all));
  transport_.expect(
      "Action=Publish", 403,
      "<ErrorResponse><Error><Code>AuthorizationError</Code></Error></ErrorResponse>");
  EXPECT_TRUE(handle(kRestarts).failure());

  all[4].second = "void";
  list(tags(all));
  look_then_publish(all);
  const Record record = handle(kRestarts);
  EXPECT_EQ(result(record, 1), "told");
  EXPECT_NE(published().find("did%20not%20restart"), std::string::npos);
}

TEST_F(VoidIntent, A5_OfARuleThatIsGoneTheTopicOfTheEnvironmentIsTold) {
  const auto all = restarted_by("gone", late_intent());
  meet(all).look_then_publish(all);
  const Record record = handle(kTypeStops);
  EXPECT_EQ(record.decisions.at(0).decision.rule, "gone");
  EXPECT_EQ(result(record, 1), "told");
}

TEST_F(VoidIntent, P3_ARuleThatOnlyObservesByNowTellsNobody) {
  meet(restarted_by("again", late_intent()));
  EXPECT_TRUE(handle(kRestarts, "observe").decisions.empty());
}

TEST_F(VoidIntent, A5_WithoutATopicOnlyTheRecordTells) {
  config_.notify_topic.clear();
  meet(restarted_by("again", late_intent()));
  EXPECT_TRUE(handle(kRestarts).decisions.empty());
}

TEST_F(VoidIntent, A5_AnIntentThatNoRestartOfOursWroteIsNobodysNews) {
  meet({{"trainwarden:intent", late_intent()}});
  EXPECT_TRUE(handle(kTypeStops).decisions.empty());
}

}  // namespace
}  // namespace trainwarden::actions::notify_test
