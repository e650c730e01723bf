// What several parts ask of a job is read once: facts, guards and notices give one answer.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "handlers/rules/decide/fleet.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/failure/capacity.h"
#include "handlers/rules/job/lineage.h"
#include "handlers/rules/notices/notice.h"
#include "handlers/rules/restart/guards.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::one_reading_test {
namespace {

using test::doc;
using Generation = std::optional<std::int64_t>;

Sources sources_of_job(std::string_view describe, std::string_view tags) {
  Sources out(test::running());
  out.set(Source::kDescribe, doc(describe));
  out.set(Source::kTags, doc(tags));
  return out;
}

Generation generation_fact(const Sources& sources) {
  const Facts facts = facts_from(sources, test::kNow);
  const auto found = facts.fields(Group::kLineage).at("generation");
  if (found.empty()) return std::nullopt;
  return static_cast<std::int64_t>(found.front().value.number);
}

std::string json_notice(const NoticeJob& job) {
  Decision decision;
  decision.rule = "r";
  return notice(NoticeFormat::kJson, decision, NoticeOutcome::kNone, {}, job).message;
}

struct GenerationCase {
  std::string_view why;
  std::string_view name;
  std::string_view tags;
  Generation generation;
};

constexpr std::string_view kCopy = "train-r1-0123abcd";

const GenerationCase kGenerations[] = {
    {"no copy", "train-1", R"({"team": "vision"})", 0},
    {"a copy", kCopy, R"({"trainwarden:generation": "1", "trainwarden:parent": "train-1"})", 1},
    {"a copy that was renamed", "again", R"({"trainwarden:generation": "2"})", 2},
    {"named as a copy, its tags taken off", kCopy, "{}", 1},
    {"a copy by its parent alone", "again", R"({"trainwarden:parent": "train-1"})", 0},
    {"not one of our numbers", kCopy, R"({"trainwarden:generation": "2x"})", std::nullopt},
    {"a sign", kCopy, R"({"trainwarden:generation": "-1"})", std::nullopt},
    {"empty", kCopy, R"({"trainwarden:generation": ""})", std::nullopt},
};

TEST(OneReading, F1_FactsGuardsAndNoticesTellOneGeneration) {
  for (const GenerationCase& c : kGenerations) {
    SCOPED_TRACE(std::string(c.why));
    const std::string describe = R"({"TrainingJobName": ")" + std::string(c.name) + "\"}";
    const Sources sources = sources_of_job(describe, c.tags);
    EXPECT_EQ(generation_fact(sources), c.generation);
    const NoticeJob told = notice_job(c.name, "", sources, {}, test::kNow);
    EXPECT_EQ(Generation(told.generation), c.generation);
    const std::string json = json_notice(told);
    const std::string member =
        c.generation ? "\"generation\":" + std::to_string(*c.generation) : "\"generation\"";
    EXPECT_EQ(json.find(member) != std::string::npos, c.generation.has_value()) << json;
  }
}

TEST(OneReading, F1_WithoutANameInDescribeTheEventsNameTellsThatItIsACopy) {
  Sources sources({.trigger = Trigger::kSweep, .job_name = std::string(kCopy)});
  sources.set(Source::kDescribe, doc("{}"));
  sources.set(Source::kTags, doc("{}"));
  EXPECT_EQ(generation_fact(sources), 1);
}

// A tag that is there and empty names no pipeline: guards and facts agree.
TEST(OneReading, AnEmptyTagOfAPipelineNamesNone) {
  for (const auto& [arn, is_step] :
       {std::pair{"", false}, std::pair{"arn:aws:sagemaker:x", true}}) {
    const std::string tags = R"({"sagemaker:pipeline-execution-arn": ")" + std::string(arn) + "\"}";
    const Sources sources = sources_of_job(R"({"TrainingJobName": "train-1"})", tags);
    const Facts facts = facts_from(sources, test::kNow);
    EXPECT_EQ(facts.fields(Group::kLauncher).at("child_of").size(), is_step ? 1U : 0U) << arn;
  }
}

struct CapacityCase {
  std::string_view status;
  std::string_view reason;
  bool capacity;
};

constexpr CapacityCase kCapacity[] = {
    {"Failed", "CapacityError: Unable to provision requested ML compute capacity.", true},
    {"Failed", "InsufficientInstanceCapacity: no ml.p4d.24xlarge in eu-central-1a", true},
    {"Failed", "InsufficientCapacityError: try again later", true},
    {"Failed", "EC2InsufficientCapacityError: try again later", true},
    {"Failed", "ClientError: InsufficientInstanceCapacity for ml.p4d.24xlarge", true},
    {"Failed", "Unable to provision requested ML compute capacity.", true},
    {"Failed", "Error for Training job a: Failed. Reason: CapacityError: Unable to provision.",
     true},
    {"Failed", "AlgorithmError: exit code 1", false},
    // The program's own words about machines that it asked for itself.
    {"Failed", "AlgorithmError: ClientError: An error occurred (InsufficientInstanceCapacity)",
     false},
    {"Failed", "InternalServerError: We encountered an internal error. Please try again.", false},
    {"Failed", "", false},
    {"Completed", "CapacityError: Unable to provision requested ML compute capacity.", false},
    {"InProgress", "CapacityError: Unable to provision requested ML compute capacity.", false},
};

TEST(OneReading, A4_TheFleetAndTheGuardsCallTheSameFailuresCapacity) {
  for (const CapacityCase& c : kCapacity) {
    SCOPED_TRACE(std::string(c.reason));
    const json::Document job = doc(
        R"({"TrainingJobName": "other", "TrainingJobStatus": ")" + std::string(c.status) +
        R"(", "FailureReason": ")" + std::string(c.reason) +
        R"(", "LastModifiedTime": 1783000000, "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge"}})");
    EXPECT_EQ(is_capacity_failure(read_training_job(job.root())), c.capacity);
    FleetCount fleet("train-1", read_training_job(job.root()), test::kNow);
    fleet.add(read_training_job(job.root()));
    EXPECT_EQ(fleet.document().root().find("capacity_errors_24h")->as_number(), c.capacity ? 1 : 0);
  }
}

}  // namespace
}  // namespace trainwarden::rules::one_reading_test
