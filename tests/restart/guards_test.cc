// The restart action and the copy, one behaviour a case: what is refused, before anything is
// written, and what the record says about it.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "tests/restart/history.h"

namespace trainwarden::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kThrash = R"(
  {"name": "thrash", "match": {"job": {"SecondaryStatus": ["Interrupted"]}},
   "actions": [{"restart": {"spot": false, "instance_types": ["ml.p5.48xlarge"]}}]})";
constexpr const char* kResume = R"(
  {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed", "Stopped", "Completed"]}},
   "actions": [{"restart": {"limit": 2}}]})";
constexpr const char* kNothing = R"(
  {"name": "nothing", "match": {"job": {"SecondaryStatus": ["Updating"]}}, "actions": ["stop"]})";

// No call that changes anything.
bool nothing_written(const InProcessAws& aws) {
  return std::ranges::none_of(aws.calls, [](const std::string& call) {
    return call == "AddTags" || call == "StopTrainingJob" || call == "CreateTrainingJob";
  });
}

long epoch(History& history) {
  return static_cast<long>(history.clock().now().time_since_epoch().count() / 1000);
}

// A job that failed, as the resume rule meets it.
struct Failed {
  std::string reason = "InternalServerError: We encountered an internal error.";
  std::string more = {};
  std::string status = "Failed";
  std::string secondary = "Failed";
};

std::string resumed(History& history, const Failed& failed) {
  history.place(failed.status, failed.secondary,
                fmt::format(R"(,"FailureReason":"{}","TrainingTimeInSeconds":7000,)"
                            R"("TrainingEndTime":{}{})",
                            failed.reason, epoch(history), failed.more));
  const auto record = history.deliver(failed.status, failed.secondary);
  return record ? result_of(*record) : "(died)";
}

TEST(Restart, A2_AFailedJobIsCopiedAtOnce) {
  History history(kResume);
  EXPECT_TRUE(resumed(history, {}).starts_with("copied as train-7-r1-"));
  const auto copies = history.copies_of(kJob);
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:child"), copies[0]);
  EXPECT_EQ(history.aws().tag(copies[0], "trainwarden:root"), kJob);
  EXPECT_EQ(history.aws().tag(copies[0], "trainwarden:generation"), "1");
  const auto body = json::Document::parse(history.aws().create_requests.at(0));
  EXPECT_EQ(json::to_text(*body->root().find("HyperParameters")), R"({"epochs":"3","resume":""})");
  EXPECT_EQ(json::to_text(*body->root().find("CheckpointConfig")),
            R"({"S3Uri":"s3://example-bucket/checkpoints/train-7"})");
}

TEST(Restart, A2_ARunningJobGetsAnIntentAndIsStopped) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  const auto record = history.deliver("InProgress", "Interrupted");
  EXPECT_EQ(result_of(*record), "stopping, to be copied when it has ended");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"),
            fmt::format("v1 gen=1 at={} spot=false types=ml.p5.48xlarge", epoch(history)));
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "restart");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:rule"), "thrash");
  EXPECT_TRUE(history.aws().created().empty());

  history.aws().pass(seconds(90));
  const auto ended = history.deliver("Stopped", "Stopped");
  EXPECT_TRUE(intent_of(*ended).starts_with("copied as train-7-r1-")) << intent_of(*ended);
  const auto body = json::Document::parse(history.aws().create_requests.at(0));
  EXPECT_EQ(json::to_text(*body->root().find("EnableManagedSpotTraining")), "false");
  EXPECT_EQ(json::to_text(*body->root().find("StoppingCondition")),
            R"({"MaxRuntimeInSeconds":172800})");
  EXPECT_EQ(json::to_text(*body->root().find("ResourceConfig")),
            R"({"InstanceType":"ml.p5.48xlarge","InstanceCount":2,"VolumeSizeInGB":100})");
}

TEST(Restart, A2_AnIntentIsCarriedOutUnderAKillSwitchAndByAnyPolicy) {
  History before(kThrash);
  before.place("InProgress", "Interrupted");
  ASSERT_TRUE(before.deliver("InProgress", "Interrupted"));
  const std::string intent = before.aws().tag(kJob, "trainwarden:intent");

  History history(kNothing, "observe");
  history.config().ceiling = rules::Mode::kObserve;
  history.place("InProgress", "Interrupted",
                fmt::format(R"(,"Tags":{{"trainwarden:intent":"{}"}})", intent));
  history.transition("Stopping");
  history.aws().pass(seconds(90));
  history.transition("Stopped");
  const auto record = history.deliver("Stopped", "Stopped");
  EXPECT_TRUE(intent_of(*record).starts_with("copied as train-7-r1-")) << intent_of(*record);
}

std::string honoured(History& history, const std::string& intent, long stopping_after,
                     const char* status = "Stopped", const char* more_tags = "") {
  const long at = epoch(history);
  history.place("InProgress", "Training",
                fmt::format(R"(,"Tags":{{"trainwarden:intent":"{}"{}}})",
                            fmt::vformat(intent, fmt::make_format_args(at)), more_tags));
  history.aws().pass(seconds(stopping_after));
  history.transition("Stopping");
  history.aws().pass(seconds(60));
  history.transition(status);
  const auto record = history.deliver(status, status);
  return record ? intent_of(*record) : "(died)";
}

TEST(Restart, A2_AnIntentThatTheEndDoesNotFitIsMadeVoid) {
  struct Case {
    const char* intent;
    long after;
    const char* result;
  };
  for (const Case& c :
       {Case{"v1 gen=1 at={}", 601, "intent void: the job was not stopped within 10 minutes"},
        Case{"v1 gen=2 at={}", 1, "intent void: the intent speaks of generation 2"},
        Case{"v2 gen=1 at={}", 1, "intent void: the intent cannot be read"},
        Case{"restart it {}", 1, "intent void: the intent cannot be read"}}) {
    History history(kNothing);
    EXPECT_TRUE(honoured(history, c.intent, c.after).starts_with(c.result)) << c.intent;
    EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "void");
    EXPECT_TRUE(history.aws().created().empty());
    history.sweep();
    EXPECT_TRUE(history.aws().created().empty());
  }
}

TEST(Restart, A2_AJobThatFailedWhileItStoppedIsCopied) {
  History history(kNothing);
  EXPECT_TRUE(honoured(history, "v1 gen=1 at={}", 2, "Failed").starts_with("copied as "));
}

TEST(Restart, A2_WhatItWasStoppedForComesBeforeWhatTheRuleAsksForNow) {
  History history(kResume);
  history.aws().refusals["CreateTrainingJob"] = {
      {400, "ResourceLimitExceeded", "The account-level service limit is 0 Instances"}};
  // The intent's own try is refused, and the rule's, which holds by now, may succeed.
  honoured(history, "v1 gen=1 at={} types=ml.p5.48xlarge", 2);
  ASSERT_EQ(history.aws().create_requests.size(), 1U);
  EXPECT_NE(history.aws().create_requests[0].find("ml.p5.48xlarge"), std::string::npos);
}

TEST(Restart, P4_AStopAfterTheIntentBeatsIt) {
  History history(kNothing);
  EXPECT_EQ(honoured(history, "v1 gen=1 at={}", 2, "Stopped", R"(,"trainwarden:action":"stop")"),
            "intent void: a rule stopped the job after the intent");
  EXPECT_TRUE(history.aws().created().empty());
}

// What else happens before the function's first call of that operation.
void before_call(History& history, const std::string& operation, std::function<void()> happens) {
  history.aws().meanwhile = [&history, operation, happens, met = false](int number) mutable {
    if (met || history.aws().calls.at(static_cast<std::size_t>(number)) != operation) return;
    met = true;
    happens();
  };
}

TEST(Restart, A2_TheSameEventTwiceAtOnceKeepsItsIntent) {
  for (const char* const operation : {"Search", "DescribeTrainingJob", "ListTags", "AddTags"}) {
    History history(kThrash);
    history.place("InProgress", "Interrupted");
    std::string first;
    before_call(history, operation, [&] {
      first = result_of(*history.deliver("InProgress", "Interrupted"));
      history.aws().pass(seconds(4));
    });
    const std::string second = result_of(*history.deliver("InProgress", "Interrupted"));
    EXPECT_EQ(first, "stopping, to be copied when it has ended") << operation;
    EXPECT_TRUE(second.starts_with("already") || second.starts_with("not done")) << second;
    history.aws().pass(seconds(120));
    const auto end = history.deliver("Stopped", "Stopped");
    EXPECT_TRUE(intent_of(*end).starts_with("copied as ")) << operation << intent_of(*end);
  }
}

TEST(Restart, A2_AnIntentThatStandsIsKeptAndTheJobStopped) {
  History history(kThrash);
  const std::string stands =
      fmt::format("v1 gen=1 at={} spot=false types=ml.p5.48xlarge", epoch(history) - 60);
  history.place("InProgress", "Interrupted",
                fmt::format(R"(,"Tags":{{"trainwarden:intent":"{}"}})", stands));
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
            "stopping, to be copied when it has ended");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), stands);
}

TEST(Restart, A2_AnOldOrOtherIntentGivesWay) {
  for (const auto& [ago, rest] : {std::pair{301, "gen=1 at={} spot=false types=ml.p5.48xlarge"},
                                  std::pair{-60, "gen=1 at={} spot=false types=ml.p5.48xlarge"},
                                  std::pair{60, "gen=1 at={} spot=true"},
                                  std::pair{60, "gen=2 at={} spot=false types=ml.p5.48xlarge"}}) {
    History history(kThrash);
    const long at = epoch(history) - ago;
    history.place("InProgress", "Interrupted",
                  fmt::format(R"(,"Tags":{{"trainwarden:intent":"v1 {}"}})",
                              fmt::vformat(rest, fmt::make_format_args(at))));
    EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
              "stopping, to be copied when it has ended");
    EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"),
              fmt::format("v1 gen=1 at={} spot=false types=ml.p5.48xlarge", epoch(history)));
  }
}

// The sweep meets another rule, whose stop beats a restart.
const std::string kStoppedBySweep = std::string(kThrash) +
                                    R"(,{"name":"must-stop","match":{"event":{"trigger":["sweep"]},
                                     "job":{"TrainingJobStatus":["InProgress"]}},
         "actions":["stop"]})";

TEST(Restart, P4_AStopThatCameWhileTheGuardsWereAskedBeatsARestart) {
  History history(kStoppedBySweep);
  history.place("InProgress", "Interrupted");
  before_call(history, "Search", [&] { history.sweep(); });
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")), "already stopping or ended");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "stop");
}

TEST(Restart, P4_AStopThatIsUnderWayBeatsARestart) {
  History history(kStoppedBySweep);
  history.place("InProgress", "Interrupted");
  // Its tags are there, its StopTrainingJob is still to come.
  before_call(history, "Search", [&] {
    history.aws().refusals["StopTrainingJob"] = {{400, "AccessDeniedException", "no"}};
    history.sweep();
  });
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
            "refused: a rule stops it, and a stop beats a restart");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "stop");
}

TEST(Restart, P4_AStopWhoseTagsARestartOverwroteBeatsIt) {
  History history(kStoppedBySweep);
  history.place("InProgress", "Interrupted");
  before_call(history, "AddTags", [&] { history.sweep(); });
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")), "already stopping or ended");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "restart");
  history.aws().pass(seconds(120));
  EXPECT_EQ(intent_of(*history.deliver("Stopped", "Stopped")),
            "intent void: a rule stopped the job after the intent");
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(Restart, A2_TheIntentOfAJobThatCompletedIsMadeVoidWhereTheTagsAreKnown) {
  constexpr const char* kTagged = R"(
    {"name": "tagged", "match": {"tags": {"team": ["vision"]}}, "actions": ["stop"]})";
  History history(kTagged);
  EXPECT_EQ(honoured(history, "v1 gen=1 at={}", 2, "Completed"),
            "intent void: the job completed all the same");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "void");
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(Restart, A2_TheEndOfAJobThatCompletedCostsNoCallForAnIntent) {
  History history(kNothing);
  EXPECT_EQ(honoured(history, "v1 gen=1 at={}", 2, "Completed"), "-");
  EXPECT_TRUE(history.aws().calls.empty());
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(Restart, A2_AnIntentWhoseStopIsRefusedIsTakenBack) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  history.aws().refusals["StopTrainingJob"] = {{400, "AccessDeniedException", "no"}};
  EXPECT_TRUE(history.deliver("InProgress", "Interrupted")->failure());
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "void");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "none");
  // Its owner stops it a minute later, and means it.
  history.aws().pass(minutes(1));
  history.transition("Stopping");
  history.aws().pass(minutes(1));
  history.transition("Stopped");
  EXPECT_EQ(intent_of(*history.deliver("Stopped", "Stopped")), "-");
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
}

// Another delivery's stop came first: the intent is what it rests on.
TEST(Restart, A2_AnIntentIsNotTakenBackFromAJobThatDoesNotRun) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  before_call(history, "StopTrainingJob", [&] {
    history.transition("Stopping");
    history.aws().refusals["StopTrainingJob"] = {{400, "AccessDeniedException", "no"}};
  });
  EXPECT_TRUE(history.deliver("InProgress", "Interrupted")->failure());
  EXPECT_TRUE(history.aws().tag(kJob, "trainwarden:intent").starts_with("v1 "));
  history.aws().pass(minutes(2));
  history.transition("Stopped");
  EXPECT_TRUE(intent_of(*history.deliver("Stopped", "Stopped")).starts_with("copied as "));
}

TEST(Restart, A2_AnIntentWhoseStopMayHaveComeThroughStands) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  history.aws().lost_answers["StopTrainingJob"] = 9;
  EXPECT_TRUE(history.deliver("InProgress", "Interrupted")->failure());
  history.aws().pass(minutes(2));
  EXPECT_TRUE(intent_of(*history.deliver("Stopped", "Stopped")).starts_with("copied as "));
}

// As many tags of its own, and the action kThrash.
std::string own_tags(int count) {
  std::string tags;
  for (int i = 0; i < count; ++i) tags += fmt::format(R"({}"key{}":"v")", i > 0 ? "," : "", i);
  return R"(,"Tags":{)" + tags + "}";
}

TEST(Copy, A3_WithoutRoomForTheChildTheIntentTellsOfIt) {
  for (const int own : {45, 46, 47}) {
    History history(kThrash);
    history.place("InProgress", "Interrupted", own_tags(own));
    ASSERT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
              "stopping, to be copied when it has ended")
        << own;
    history.aws().pass(seconds(90));
    // Others fill what room there is.
    for (int i = own; i < 50; ++i) history.aws().tag_job(kJob, fmt::format("late{}", i), "v");
    const auto end = history.deliver("Stopped", "Stopped");
    ASSERT_TRUE(intent_of(*end).starts_with("copied as ")) << intent_of(*end);
    EXPECT_TRUE(end->intent->note.empty()) << end->intent->note;
    const std::string copy = history.copies_of(kJob).at(0);
    EXPECT_EQ(history.aws().tag(kJob, "trainwarden:child"), "");
    EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "done " + copy);

    history.transition("Completed", "", copy);
    const auto request = json::Document::parse(fmt::format(R"({{"TrainingJobName":"{}"}})", copy));
    ASSERT_TRUE(history.aws().sagemaker().call("DeleteTrainingJob", request->root(),
                                               history.clock().now()));
    EXPECT_EQ(intent_of(*history.deliver("Stopped", "Stopped")), "-");
    EXPECT_EQ(history.restart_by_hand().result, "already copied as " + copy);
    history.aws().pass(hours(27));
    history.sweep();
    EXPECT_EQ(intent_of(*history.deliver("Stopped", "Stopped")), "-");
    EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "done " + copy);
    EXPECT_EQ(history.aws().created().size(), 1U);
  }
}

TEST(Restart, A2_AnEventFasterThanDescribeComesAgain) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  ASSERT_TRUE(history.deliver("InProgress", "Interrupted"));
  const auto early = history.deliver("Stopped", "Stopped");
  ASSERT_TRUE(early->failure());
  EXPECT_NE(early->failure()->message.find("DescribeTrainingJob still Stopping"),
            std::string::npos);
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(Restart, F1_AnEndThatCannotBeLookedAtComesAgain) {
  History history(R"({"name":"r","match":{"event":{"trigger":["alarm"]}},"actions":["stop"]})");
  honoured(history, "v1 gen=1 at={}", 2, "Completed");
  for (const auto trigger : {rules::Trigger::kState, rules::Trigger::kSweep}) {
    history.aws().refusals["DescribeTrainingJob"] = {{400, "AccessDeniedException", "no"}};
    rules::JobEvent event;  // without statuses: what they are, Describe would tell
    event.trigger = trigger;
    event.job_name = kJob;
    const auto record = history.handle(event);
    ASSERT_TRUE(record->failure());
    EXPECT_TRUE(record->failure()->message.starts_with("job train-7: intent of a restart: "));
  }
}

TEST(Restart, F1_TagsThatCannotBeReadMakeTheEndComeAgain) {
  History history(kNothing);
  history.place("Stopped", "Stopped");
  history.aws().refusals["ListTags"] = {{400, "AccessDeniedException", "no"}};
  const auto record = history.deliver("Stopped", "Stopped");
  ASSERT_TRUE(record->failure());
  EXPECT_TRUE(record->failure()->message.starts_with("job train-7: intent of a restart: "));
}

// Guards of jobs that have ended.
TEST(RestartRefused, A2_APersonsStop) {
  History history(kResume);
  EXPECT_EQ(
      resumed(history, {.reason = "", .more = "", .status = "Stopped", .secondary = "Stopped"}),
      "refused: it was stopped on purpose, and not to be run again");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(RestartRefused, P4_AJobThatARuleStoppedHoweverItEnds) {
  for (const char* const end : {"Failed", "MaxWaitTimeExceeded", "MaxRuntimeExceeded"}) {
    History history(std::string(kResume) +
                    R"(,{"name":"no-p4","match":{"job":{"TrainingJobStatus":["InProgress"]}},
                         "actions":["stop"]})");
    history.place("InProgress", "Training");
    ASSERT_EQ(result_of(*history.deliver("InProgress", "Training"), rules::ActionKind::kStop),
              "stopped");
    history.aws().pass(seconds(20));
    history.transition(end, "AlgorithmError: exit code: 143");
    EXPECT_EQ(result_of(*history.deliver(end[0] == 'F' ? "Failed" : "Stopped", end)),
              "refused: a rule stopped it, and a stop beats a restart");
    history.sweep();
    EXPECT_TRUE(history.aws().created().empty());
  }
}

// A stop that was refused leaves its tags; the job ran on and failed by itself a day later.
TEST(Restart, P4_AStopThatWasRefusedIsNone) {
  History history(std::string(kResume) +
                  R"(,{"name":"no-p4","match":{"job":{"TrainingJobStatus":["InProgress"]}},
                       "actions":["stop"]})");
  history.place("InProgress", "Training");
  history.aws().refusals["StopTrainingJob"] = {{400, "AccessDeniedException", "no"}};
  EXPECT_TRUE(result_of(*history.deliver("InProgress", "Training"), rules::ActionKind::kStop)
                  .starts_with("failed "));
  EXPECT_NE(history.aws().tag(kJob, "trainwarden:stopped"), "");
  history.aws().pass(seconds(86'400));
  history.transition("Failed", "InternalServerError: We encountered an internal error.");
  EXPECT_TRUE(result_of(*history.deliver("Failed", "Failed")).starts_with("copied as "));
}

TEST(RestartRefused, A2_APersonsStopThatEndsAsFailed) {
  History history(kResume);
  history.place("InProgress", "Training");
  history.transition("Stopping");
  history.aws().pass(seconds(60));
  history.transition("Failed", "AlgorithmError: exit code: 143");
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed")),
            "refused: it was stopped on purpose, and not to be run again");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(RestartRefused, A2_Completed) {
  History history(kResume);
  EXPECT_EQ(
      resumed(history, {.reason = "", .more = "", .status = "Completed", .secondary = "Completed"}),
      "refused: it completed");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(RestartRefused, A2_MaxRuntimeIsNotAPersonsStop) {
  History history(kResume);
  EXPECT_TRUE(
      resumed(history,
              {.reason = "", .more = "", .status = "Stopped", .secondary = "MaxRuntimeExceeded"})
          .starts_with("copied as "));
}

TEST(RestartRefused, A2_ChildrenAndPlansAndRoles) {
  struct Case {
    const char* more;
    const char* why;
  };
  for (
      const Case& c :
      {Case{
           R"(,"TuningJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:hyper-parameter-tuning-job/t")",
           "refused: it belongs to a tuning job, which launches its own jobs"},
       Case{R"(,"AutoMLJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:automl-job/t")",
            "refused: it belongs to an AutoML job, which launches its own jobs"},
       Case{R"(,"LabelingJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:labeling-job/t")",
            "refused: it belongs to a labeling job, which launches its own jobs"},
       Case{R"(,"Tags":{"sagemaker:pipeline-execution-arn":"arn:p"})",
            "refused: it belongs to a pipeline, which launches its own jobs"},
       Case{R"(,"ResourceConfig":{"InstanceType":"ml.p5.48xlarge","InstanceCount":1,)"
            R"("TrainingPlanArn":"arn:plan"})",
            "refused: it runs in a training plan, whose capacity a copy would have to share"}}) {
    History history(kResume);
    std::string more = c.more;
    if (more.find("ResourceConfig") != std::string::npos) {
      // place() has one already, and a member may not come twice.
      history.place("Failed", "Failed");
      auto document =
          json::Document::parse(json::to_text(history.aws().find(kJob)->document.root()));
      json::Writer writer;
      writer.begin_object();
      for (const json::Member member : document->root().members())
        if (member.name != "ResourceConfig") writer.member(member.name, member.value);
      const auto resources = json::Document::parse("{" + more.substr(1) + "}");
      writer.member("ResourceConfig", *resources->root().find("ResourceConfig")).end_object();
      ASSERT_TRUE(history.aws().sagemaker().place(kJob, writer.take(), history.clock().now()));
      EXPECT_EQ(result_of(*history.deliver("Failed", "Failed")), c.why);
    } else {
      EXPECT_EQ(resumed(history, {.reason = "x", .more = more}), c.why);
    }
    EXPECT_TRUE(nothing_written(history.aws())) << c.why;
  }
  History history(kResume);
  history.config().pass_roles = {"arn:aws:iam::111122223333:role/other/*"};
  EXPECT_EQ(resumed(history, {}),
            "refused: its role arn:aws:iam::111122223333:role/training/SomeRole is not among those "
            "of TRAINWARDEN_PASS_ROLES");
  EXPECT_TRUE(nothing_written(history.aws()));
}

std::string lineage_tags(int generation, const std::string& parent = "train-7-parent") {
  return fmt::format(R"(,"Tags":{{"trainwarden:generation":"{}","trainwarden:root":"train-7-root",)"
                     R"("trainwarden:parent":"{}"}})",
                     generation, parent);
}

TEST(RestartRefused, A2_TheLimitOfGenerations) {
  History history(kResume);
  EXPECT_EQ(resumed(history, {.reason = "x", .more = lineage_tags(2)}),
            "refused: it is generation 2 of train-7-root, and the limit is 2");
  EXPECT_TRUE(nothing_written(history.aws()));
}

// A job that was created so many seconds ago.
void place_young(History& history, const char* status, const char* secondary, long age,
                 const std::string& name = kJob) {
  const long now = epoch(history);
  const auto placed = history.aws().sagemaker().place(
      name,
      fmt::format(
          R"({{"TrainingJobStatus":"{}","SecondaryStatus":"{}","CreationTime":{}.125,
              "LastModifiedTime":{},"RoleArn":"arn:aws:iam::111122223333:role/training/SomeRole",
              "AlgorithmSpecification":{{"TrainingImage":"example/image:1","TrainingInputMode":"File"}},
              "OutputDataConfig":{{"S3OutputPath":"s3://example-bucket/out/"}},
              "ResourceConfig":{{"InstanceType":"ml.p4d.24xlarge","InstanceCount":1,"VolumeSizeInGB":9}},
              "StoppingCondition":{{"MaxRuntimeInSeconds":172800,"MaxWaitTimeInSeconds":200000}},
              "EnableManagedSpotTraining":true,"FailureReason":"InternalServerError: x",
              "SecondaryStatusTransitions":[{{"Status":"Starting","StartTime":{}}}]}})",
          status, secondary, now - age, now, now - age),
      history.clock().now());
  ASSERT_TRUE(placed) << placed.error().message;
}

// Its tags arrive with the 14th second.
void tags_arrive(History& history, const std::string& tags, const std::string& name = kJob) {
  const sys_millis there = history.clock().now() + seconds(13);
  history.aws().meanwhile = [&history, tags, name, there, met = false](int) mutable {
    if (met || history.clock().now() < there) return;
    met = true;
    const auto request = json::Document::parse(fmt::format(
        R"({{"ResourceArn":"arn:aws:sagemaker:eu-central-1:111122223333:training-job/{}","Tags":{}}})",
        name, tags));
    ASSERT_TRUE(history.aws().sagemaker().call("AddTags", request->root(), history.clock().now()));
  };
}

constexpr const char* kOfAPipeline =
    R"([{"Key":"sagemaker:pipeline-execution-arn","Value":"arn:p"}])";

TEST(RestartRefused, A2_AYoungJobsTagsAreWaitedFor) {
  for (const bool told : {true, false}) {
    History history(kThrash);
    place_young(history, "InProgress", "Interrupted", 1);
    tags_arrive(history, kOfAPipeline);
    rules::JobEvent event;
    event.job_name = kJob;
    if (told) event.creation_time = sys_seconds(seconds(epoch(history) - 1));
    EXPECT_EQ(result_of(*history.handle(event)),
              "refused: it belongs to a pipeline, which launches its own jobs");
    EXPECT_TRUE(nothing_written(history.aws()));
  }
  History history(kResume);
  place_young(history, "Failed", "Failed", 1);
  tags_arrive(history, kOfAPipeline);
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed")),
            "refused: it belongs to a pipeline, which launches its own jobs");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(RestartRefused, A2_AYoungCopysGenerationIsWaitedFor) {
  History history(kResume);
  const std::string name = "train-7-r2-01234567";
  place_young(history, "Failed", "Failed", 1, name);
  tags_arrive(
      history,
      R"([{"Key":"trainwarden:generation","Value":"2"},{"Key":"trainwarden:parent","Value":"p"},
                  {"Key":"trainwarden:root","Value":"train-7"}])",
      name);
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed", name)),
            "refused: it is generation 2 of train-7, and the limit is 2");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(RestartRefused, A2_ACopyByItsNameWithoutAGeneration) {
  History history(kResume);
  const std::string name = "train-7-r2-01234567";
  place_young(history, "Failed", "Failed", 1000, name);
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed", name)),
            "refused: its tags do not tell which generation it is (trainwarden:generation)");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(RestartRefused, A2_TheSameFailureTwiceWithoutProgress) {
  History history(kResume);
  const std::string reason = "AlgorithmError: CUDA out of memory, exit code: 1";
  history.place("Failed", "Failed", fmt::format(R"(,"FailureReason":"{}")", reason),
                "train-7-parent");
  history.aws().pass(seconds(100));
  const auto fails_after = [&](int trained) {
    history.place("Failed", "Failed",
                  fmt::format(R"(,"FailureReason":"{}","TrainingTimeInSeconds":{},)"
                              R"("TrainingEndTime":{}{})",
                              reason, trained, epoch(history), lineage_tags(1)));
    return result_of(*history.deliver("Failed", "Failed"));
  };
  EXPECT_EQ(fails_after(42),
            "refused: it failed the same way as its parent train-7-parent, after 42 s of training "
            "(progress is 600 s or more)");
  EXPECT_TRUE(nothing_written(history.aws()));
  EXPECT_TRUE(fails_after(601).starts_with("copied as train-7-root-r2-"));
}

TEST(RestartRefused, A2_ALaterJobOnTheSameCheckpoint) {
  History history(kResume);
  history.place("InProgress", "Training", "", "by-hand");
  EXPECT_EQ(resumed(history, {}), "refused: the job by-hand uses its checkpoint");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(RestartRefused, A2_AJobThatWentOnWithTheCheckpointMeanwhile) {
  History history(kResume);
  history.place("InProgress", "Training");
  history.aws().pass(seconds(10));
  history.place("InProgress", "Training", "", "by-hand");
  history.transition("Failed", "InternalServerError");
  history.aws().pass(seconds(10));
  history.transition("Completed", "", "by-hand");
  // The failure was lost, and is found when a person has long run the job again.
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(RestartRefused, A2_OfTwoThatEndedInTheSameSecondTheLaterOneGoesOn) {
  for (const bool later_first : {false, true}) {
    History history(kResume);
    history.place("InProgress", "Training");
    history.aws().pass(seconds(10));
    history.place("InProgress", "Training", "", "by-hand");
    history.transition("Failed", "InternalServerError");
    history.transition("Failed", "InternalServerError", "by-hand");
    for (const bool later : {later_first, !later_first})
      history.deliver("Failed", "Failed", later ? "by-hand" : kJob);
    EXPECT_TRUE(history.copies_of(kJob).empty());
    EXPECT_EQ(history.copies_of("by-hand").size(), 1U);
  }
}

TEST(RestartRefused, A2_ASearchThatFailedIsNoPermission) {
  History history(kResume);
  history.aws().refusals["Search"] = {{400, "AccessDeniedException", "no"}};
  EXPECT_NE(resumed(history, {}).find("Search: AccessDeniedException"), std::string::npos);
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(RestartRefused, A3_AJobThatEndedLongAgo) {
  History history(kResume);
  history.place("Failed", "Failed", fmt::format(R"(,"TrainingEndTime":{})", epoch(history)));
  history.aws().pass(hours(27));
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed")),
            "refused: it ended more than 26 hours ago");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(RestartRefused, A2_ARunningJobIsNotStoppedForACopyThatCannotBe) {
  History history(kThrash);
  history.place("InProgress", "Training", "", "by-hand");
  history.place("InProgress", "Interrupted");
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
            "refused: the job by-hand uses its checkpoint");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(RestartRefused, A2_WithoutItsIntentAJobIsNotStopped) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  history.aws().refusals["AddTags"] = {{400, "ValidationException", "a tag policy"},
                                       {400, "ValidationException", "a tag policy"}};
  const auto record = history.deliver("InProgress", "Interrupted");
  EXPECT_EQ(result_of(*record), "refused: the intent could not be written as a tag");
  EXPECT_EQ(std::ranges::count(history.aws().calls, "StopTrainingJob"), 0);
  EXPECT_FALSE(record->failure());
}

TEST(Restart, A2_TheIntentIsWrittenWithoutAReasonThatATagRefuses) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  history.aws().refusals["AddTags"] = {{400, "ValidationException", "a tag policy"}};
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
            "stopping, to be copied when it has ended");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:rule"), "");
  EXPECT_NE(history.aws().tag(kJob, "trainwarden:intent"), "");
}

TEST(Restart, P7_TheHoursLimitHoldsForRestartsToo) {
  History history(kThrash);
  for (int i = 0; i < 20; ++i)
    history.place("Stopped", "Stopped",
                  fmt::format(R"(,"Tags":{{"trainwarden:action":"{}","trainwarden:at":"{}"}})",
                              i % 2 == 0 ? "restart" : "stop",
                              rfc3339(sys_seconds(seconds(epoch(history) - 60)))),
                  fmt::format("stopped-{}", i));
  history.place("InProgress", "Interrupted");
  EXPECT_EQ(
      result_of(*history.deliver("InProgress", "Interrupted")),
      "held back: limits.stops_per_hour is 20, and 20 jobs were stopped within the last hour");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(Restart, P4_ADroppedRestartStopsNothingTwice) {
  History history(std::string(kThrash) +
                  R"(,{"name":"no-p4","match":{"job":{"TrainingJobStatus":["InProgress"]}},
                                            "actions":["stop"]})");
  history.place("InProgress", "Interrupted");
  const auto record = history.deliver("InProgress", "Interrupted");
  EXPECT_EQ(result_of(*record, rules::ActionKind::kStop), "stopped");
  EXPECT_EQ(record->dropped.size(), 1U);
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "");
}

TEST(RestartByHand, A2_IsFinishedByASecondCommandWhereNoFunctionIsDeployed) {
  History history(kNothing);
  history.place("InProgress", "Training");
  const auto first = history.restart_by_hand({.spot = false, .instance_types = {}, .limit = 3});
  EXPECT_EQ(first.result, "stopping, to be copied when it has ended");
  EXPECT_NE(first.note.find("run this command again when the job has ended"), std::string::npos);
  EXPECT_EQ(history.restart_by_hand().result, "already Stopping");
  history.aws().pass(seconds(120));
  EXPECT_TRUE(history.restart_by_hand().result.starts_with("copied as train-7-r1-"));
  const auto body = json::Document::parse(history.aws().create_requests.at(0));
  EXPECT_EQ(json::to_text(*body->root().find("EnableManagedSpotTraining")), "false");
  EXPECT_TRUE(history.restart_by_hand().result.starts_with("already copied as train-7-r1-"));
  // A function that was deployed meanwhile has nothing left to do.
  EXPECT_EQ(intent_of(*history.deliver("Stopped", "Stopped")), "-");
  EXPECT_EQ(history.aws().created().size(), 1U);
}

TEST(RestartByHand, A2_TheCommandsOptionsComeBeforeTheIntents) {
  History history(kNothing);
  history.place("InProgress", "Training");
  history.restart_by_hand({.spot = false, .instance_types = {"ml.p5.48xlarge"}});
  history.aws().pass(seconds(120));
  EXPECT_TRUE(history.restart_by_hand({.spot = {}, .instance_types = {"ml.g5.xlarge"}})
                  .result.starts_with("copied as "));
  const auto body = json::Document::parse(history.aws().create_requests.at(0));
  EXPECT_EQ(json::to_text(*body->root().find("EnableManagedSpotTraining")), "false");
  EXPECT_EQ(body->root().find("ResourceConfig")->find("InstanceType")->as_string(), "ml.g5.xlarge");
}

TEST(RestartByHand, A2_AVoidIntentIsNoPersonsStop) {
  History history(kNothing);
  history.place("Stopped", "Stopped", R"(,"Tags":{"trainwarden:intent":"void"})");
  EXPECT_EQ(result_of(*history.deliver("Stopped", "Stopped")), "-");
  EXPECT_TRUE(history.restart_by_hand().result.starts_with("copied as "));
}

TEST(RestartByHand, A2_AStopOnPurposeHoldsByHandToo) {
  for (const char* const more :
       {"", R"(,"Tags":{"trainwarden:intent":"void","trainwarden:action":"stop"})",
        R"(,"Tags":{"trainwarden:intent":"void","trainwarden:stopped":"2026-07-02T13:46:41Z"})"}) {
    History history(kNothing);
    history.place("Stopped", "Stopped", more);
    EXPECT_EQ(history.restart_by_hand().result,
              "refused: it was stopped on purpose, and not to be run again");
    EXPECT_TRUE(nothing_written(history.aws()));
  }
}

// The copy itself.
TEST(Copy, A3_BuiltInMetricDefinitionsAreLeftOutAtTheSecondTry) {
  History history(kResume);
  history.aws().refusals["CreateTrainingJob"] = {
      {400, "ValidationException",
       "You can't override the metric definitions for Amazon SageMaker algorithms. Please retry "
       "the request without specifying metric definitions."}};
  EXPECT_TRUE(resumed(history, {}).starts_with("copied as "));
  EXPECT_EQ(std::ranges::count(history.aws().calls, "CreateTrainingJob"), 2);
}

TEST(Copy, A3_ALostAnswerIsFoundOutByTheName) {
  History history(kResume);
  history.aws().lost_answers["CreateTrainingJob"] = 1;
  EXPECT_NE(resumed(history, {}).find("no answer in time"), std::string::npos);
  EXPECT_TRUE(result_of(*history.deliver("Failed", "Failed")).starts_with("already copied as "));
  EXPECT_EQ(history.copies_of(kJob).size(), 1U);
  EXPECT_NE(history.aws().tag(kJob, "trainwarden:child"), "");
}

TEST(Copy, A3_ATakenNameIsNoCopyUnlessItsTagsSaySo) {
  History first(kResume);
  const std::string name = resumed(first, {}).substr(std::string("copied as ").size());
  History history(kResume);
  history.place("InProgress", "Training", R"(,"Tags":{"trainwarden:parent":"another"})", name);
  EXPECT_EQ(resumed(history, {}),
            fmt::format("refused: the name {} is taken by a job that is no copy of it", name));
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:child"), "");
}

TEST(Copy, A3_AQuotaIsAnErrorThatIsTriedAgain) {
  History history(kResume);
  history.aws().refusals["CreateTrainingJob"] = {
      {400, "ResourceLimitExceeded", "The account-level service limit is 0 Instances"}};
  EXPECT_NE(resumed(history, {}).find("ResourceLimitExceeded"), std::string::npos);
  EXPECT_TRUE(history.sweep());
  EXPECT_EQ(history.copies_of(kJob).size(), 1U);
}

TEST(Copy, A3_FiftyTagsAreTheMost) {
  std::string tags;
  for (int i = 0; i < 48; ++i) tags += fmt::format(R"({}"key{}":"v")", i > 0 ? "," : "", i);
  History history(kResume);
  EXPECT_EQ(resumed(history, {.reason = "x", .more = R"(,"Tags":{)" + tags + "}"}),
            "refused: the copy would have 51 tags, three of them ours, and a job takes 50");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(Copy, A3_AParentThatHasItsCopyIsLeftAlone) {
  History history(kResume);
  EXPECT_EQ(resumed(history, {.reason = "x", .more = R"(,"Tags":{"trainwarden:child":"c-1"})"}),
            "already copied as c-1");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(Copy, A3_ADeletedCopyIsNotMadeAgain) {
  History history(kResume);
  resumed(history, {});
  const std::string copy = history.copies_of(kJob).at(0);
  history.transition("Completed", "", copy);
  const auto request = json::Document::parse(fmt::format(R"({{"TrainingJobName":"{}"}})", copy));
  ASSERT_TRUE(
      history.aws().sagemaker().call("DeleteTrainingJob", request->root(), history.clock().now()));
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed")), "already copied as " + copy);
  history.sweep();
  EXPECT_EQ(history.aws().created().size(), 1U);
}

constexpr const char* kCapacity =
    "CapacityError: Unable to provision requested ML compute capacity.";

TEST(Capacity, A4_TheSameMachinesOnlyByASweepAndNotAtOnce) {
  History history(kResume);
  EXPECT_EQ(resumed(history, {.reason = kCapacity, .more = ""}),
            fmt::format("waits: a sweep asks for the same machines again from {} on",
                        rfc3339(sys_seconds(seconds(epoch(history) + 900)))));
  history.aws().pass(minutes(14));
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
  history.aws().pass(minutes(2));
  ASSERT_TRUE(result_of(*history.deliver("Failed", "Failed")).starts_with("waits: "));
  history.sweep();
  EXPECT_EQ(history.aws().created().size(), 1U);
}

TEST(Capacity, A4_TheNextTypeAtOnce) {
  History history(R"({"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
       "actions": [{"restart": {"instance_types": ["ml.p4d.24xlarge", "ml.p5.48xlarge"]}}]})");
  EXPECT_TRUE(resumed(history, {.reason = kCapacity, .more = ""}).starts_with("copied as "));
  EXPECT_NE(history.aws().create_requests.at(0).find(R"("InstanceType":"ml.p5.48xlarge")"),
            std::string::npos);
}

TEST(Restart, ObserveAndNotifyWriteNothing) {
  for (const char* const mode : {"observe", "notify"}) {
    History history(kResume, mode);
    resumed(history, {});
    EXPECT_TRUE(nothing_written(history.aws())) << mode;
  }
}

TEST(Restart, A2_AnAlarmNeverCopies) {
  History history(kResume);
  history.place("Failed", "Failed");
  rules::JobEvent event;
  event.trigger = rules::Trigger::kAlarm;
  event.job_name = kJob;
  EXPECT_EQ(result_of(*history.handle(event, false)), "not done: the job has ended");
  EXPECT_TRUE(nothing_written(history.aws()));
}

TEST(Restart, R1_TheRecordTellsTheGenerationAndTheIntent) {
  History history(kNothing);
  const std::string result = honoured(history, "v1 gen=1 at={}", 2);
  const auto record = history.deliver("Stopped", "Stopped");
  const auto document = record->to_json();
  EXPECT_EQ(document.root().find("generation")->as_integer(), 0);
  EXPECT_FALSE(document.root().find("intent"));  // done: the job is tagged as copied
}

}  // namespace
}  // namespace trainwarden::testing
