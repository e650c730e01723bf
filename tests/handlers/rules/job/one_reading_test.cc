// What several parts ask of a job is read once: facts, guards and notices give one answer.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "handlers/rules/facts/facts.h"
#include "handlers/rules/job/lineage.h"
#include "handlers/rules/notices/notice.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules {
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
  return notice(NoticeFormat::kJson, decision, Outcome::kNone, {}, job).message;
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
    {"named as a copy, its tags taken off", kCopy, "{}", std::nullopt},
    {"a copy by its parent alone", "again", R"({"trainwarden:parent": "train-1"})", std::nullopt},
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
  EXPECT_EQ(generation_fact(sources), std::nullopt);
}

// A tag that is there and empty names no pipeline: guards and facts agree.
TEST(OneReading, AnEmptyTagOfAPipelineNamesNone) {
  for (const auto& [arn, is_step] :
       {std::pair{"", false}, std::pair{"arn:aws:sagemaker:x", true}}) {
    const std::string tags = R"({"sagemaker:pipeline-execution-arn": ")" + std::string(arn) + "\"}";
    const Sources sources = sources_of_job(R"({"TrainingJobName": "train-1"})", tags);
    const Facts facts = facts_from(sources, test::kNow);
    EXPECT_EQ(facts.fields(Group::kLineage).at("child_of").size(), is_step ? 1U : 0U) << arn;
  }
}

}  // namespace
}  // namespace trainwarden::rules
