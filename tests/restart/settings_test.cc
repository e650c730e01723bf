// A restart that changes settings of the job (policy.md A2, A3): what the copy gets, what is
// refused before a job is stopped for it, and where the values must not appear.
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::settings_test {
namespace {

using std::chrono::seconds;

constexpr const char* kSecret = "hunter2";

std::string asking(const std::string& options, const std::string& name = "change") {
  return fmt::format(
      R"({{"name": "{}", "match": {{"job": {{"SecondaryStatus": ["Interrupted"]}}}},
           "actions": [{{"restart": {}}}, "notify"]}})",
      name, options);
}

std::string asked(History& history, const std::string& more = "") {
  if (more.find("HyperParameters") == std::string::npos)
    history.place("InProgress", "Interrupted", more);
  else
    history.aws().place(
        {.name = kJob, .status = "InProgress", .secondary = "Interrupted", .more = more});
  return result_of(*history.deliver("InProgress", "Interrupted"));
}

json::Document request(History& history) {
  return *json::Document::parse(history.aws().create_requests.at(0));
}

std::string in(const json::Document& body, std::string_view member) {
  const auto found = body.root().find(member);
  return found ? json::to_text(*found) : "absent";
}

const std::string kAll = asking(
    R"({"max_runtime_seconds": 200000, "max_wait_seconds": 300000, "instance_count": 4,
        "hyperparameters": {"batch_size": "8", "token": "hunter2", "epochs": null},
        "environment": {"TOKEN": "hunter2"}})");

TEST(Settings, A2_TheCopyHasWhatTheRestartChanges) {
  History history(kAll);
  ASSERT_EQ(asked(history), kStoppingToCopy);
  history.aws().pass(seconds(120));
  EXPECT_TRUE(end_of(history.deliver("Stopped", "Stopped")).starts_with("copied as "));
  const json::Document body = request(history);
  EXPECT_EQ(in(body, "HyperParameters"), R"({"resume":"","batch_size":"8","token":"hunter2"})");
  EXPECT_EQ(in(body, "Environment"), R"({"TOKEN":"hunter2"})");
  EXPECT_EQ(in(body, "StoppingCondition"),
            R"({"MaxRuntimeInSeconds":200000,"MaxWaitTimeInSeconds":300000})");
  EXPECT_NE(in(body, "ResourceConfig").find(R"("InstanceCount":4)"), std::string::npos);
  EXPECT_TRUE(history.aws().wrong.empty());
}

// Half a restart is worse than either end.
TEST(Settings, A2_WhatWasAskedForCountsWhateverThePolicySaysByThen) {
  History history(kAll);
  ASSERT_EQ(asked(history), kStoppingToCopy);
  history.aws().pass(seconds(120));
  history.enforce(kNothing);
  EXPECT_TRUE(end_of(history.deliver("Stopped", "Stopped")).starts_with("copied as "));
  EXPECT_EQ(in(request(history), "Environment"), R"({"TOKEN":"hunter2"})");
}

TEST(Settings, A2_AJobThatHasEndedIsCopiedWithThem) {
  History history(R"({"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
       "actions": [{"restart": {"hyperparameters": {"batch_size": "8"}}}]})");
  EXPECT_TRUE(resumed(history).starts_with("copied as "));
  EXPECT_EQ(in(request(history), "HyperParameters"),
            R"({"epochs":"3","resume":"","batch_size":"8"})");
}

// The name is found taken, and the job that has it has other hyperparameters than the original.
TEST(Settings, A3_ACopyWhoseAnswerWasLostIsKnownAgain) {
  History history(kAll);
  ASSERT_EQ(asked(history), kStoppingToCopy);
  history.aws().pass(seconds(120));
  history.aws().lose_answer("CreateTrainingJob");
  EXPECT_NE(end_of(history.deliver("Stopped", "Stopped")).find("no answer"), std::string::npos);
  EXPECT_TRUE(end_of(history.deliver("Stopped", "Stopped")).starts_with("already copied as "));
  EXPECT_EQ(history.copies_of(kJob).size(), 1U);
}

TEST(Settings, A2_AnotherSettingIsAnotherRestart) {
  History history(
      both(asking(R"({"instance_count": 1})"), asking(R"({"instance_count": 4})", "other")));
  history.place("InProgress", "Interrupted");
  const auto record = history.deliver("InProgress", "Interrupted");
  EXPECT_EQ(record->dropped.size(), 1U);
  EXPECT_EQ(history.item().restart->settings.instance_count, 1);
}

struct Unfit {
  const char* options;
  std::string more;  // of the job
  const char* why;
};

std::string hundred(std::string_view member) {
  std::string entries;
  for (int i = 0; i < 100; ++i) entries += fmt::format(R"({}"K{}":"v")", i > 0 ? "," : "", i);
  return fmt::format(R"(,"{}":{{{}}})", member, entries);
}

// A job that ran is not stopped for a copy that AWS would refuse.
TEST(Settings, A2_ACopyThatCannotBeIsRefusedBeforeTheJobIsStopped) {
  const Unfit cases[] = {
      {R"({"hyperparameters": {"one_more": "x"}})", hundred("HyperParameters"),
       "refused: the copy's HyperParameters would have 101 keys, and a job takes 100"},
      {R"({"environment": {"one_more": "x"}})", hundred("Environment"),
       "refused: the copy's Environment would have 101 keys, and a job takes 100"},
      {R"({"max_runtime_seconds": 2000000})", "",
       "refused: the copy would have a MaxWaitTimeInSeconds of"},
      {R"({"instance_count": 1})",
       R"(,"ResourceConfig":{"VolumeSizeInGB":1,"InstanceGroups":[{"InstanceGroupName":"g",
           "InstanceType":"ml.g5.xlarge","InstanceCount":2}]})",
       "refused: it has instance groups"},
  };
  for (const Unfit& c : cases) {
    History history(asking(c.options));
    EXPECT_TRUE(asked(history, c.more).starts_with(c.why)) << c.options;
    EXPECT_FALSE(history.acted()) << c.options;
    EXPECT_EQ(history.notices("refused"), 1) << c.options;
  }
}

TEST(Settings, A2_WhatOnlyLooksSoIsNotRefused) {
  const Unfit cases[] = {
      {R"({"hyperparameters": {"K7": "x"}})", hundred("HyperParameters"), ""},
      {R"({"environment": {"one_more": "x", "K7": null}})", hundred("Environment"), ""},
      {R"({"max_runtime_seconds": 2000000, "spot": false})", "", ""},
      {R"({"environment": {"X": "x"}})",
       R"(,"ResourceConfig":{"VolumeSizeInGB":1,"InstanceGroups":[{"InstanceGroupName":"g",
           "InstanceType":"ml.g5.xlarge","InstanceCount":2}]})",
       ""},
  };
  for (const Unfit& c : cases) {
    History history(asking(c.options));
    EXPECT_TRUE(asked(history, c.more).starts_with(kStoppingToCopy)) << c.options;
  }
}

TEST(Settings, R1_ValuesAreInNoRecordNoticeTagOrError) {
  for (const bool refused : {false, true}) {
    History history(kAll);
    std::string said = asked(history);
    history.aws().pass(seconds(120));
    if (refused) history.aws().refuse("CreateTrainingJob", kQuota);
    const auto record = history.deliver("Stopped", "Stopped");
    said += json::to_text(record->to_json().root());
    for (const SentNotice& notices : history.notices()) said += notices.text;
    for (const char* const tag : {"trainwarden:reason", "trainwarden:child"})
      said += history.aws().tag(kJob, tag);
    EXPECT_EQ(said.find(kSecret), std::string::npos) << said;
  }
}

// AWS quotes what it finds fault with.
TEST(Settings, R1_WhatAwsQuotesOfThemIsHidden) {
  const char* const texts[] = {
      ("1 validation error detected: Value '{TOKEN=hunter2}' at 'environment' failed to satisfy "
       "constraint: Map value must satisfy constraint"),
      "1 validation error detected: Value '{a=b, token=hunt",
      "The hyperparameter token has the invalid value hunter2.",
  };
  for (const char* const text : texts) {
    History history(kAll);
    ASSERT_EQ(asked(history), kStoppingToCopy);
    history.aws().pass(seconds(120));
    history.aws().refuse("CreateTrainingJob", {400, "ValidationException", text}, 10);
    const auto record = history.deliver("Stopped", "Stopped");
    std::string said = json::to_text(record->to_json().root());
    ASSERT_EQ(history.notices("failed"), 1) << text;
    said += history.notices().back().text;
    EXPECT_NE(said.find("(hidden)"), std::string::npos) << said;
    EXPECT_EQ(said.find("hunt"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace trainwarden::testing::settings_test
