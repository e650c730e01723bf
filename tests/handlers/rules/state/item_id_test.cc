// What the table's items are called, and of what an id says that it is (policy.md P8).
#include "handlers/rules/state/item_id.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>

namespace trainwarden::rules::item_id_test {
namespace {

constexpr sys_millis kCreated{std::chrono::milliseconds(1'783'000'000'123)};

const Tuner kTuning{.name = "tune", .created = kCreated};
const Tuner kAutoMl{.kind = TunerKind::kAutoMlJob, .name = "tune", .created = kCreated};

template <class Of>
Of read(const std::string& id) {
  const DueItem item = due_item(id);
  EXPECT_TRUE(std::holds_alternative<Of>(item)) << id;
  return std::holds_alternative<Of>(item) ? std::get<Of>(item) : Of();
}

TEST(ItemId, AnItemIsNamedForWhatItIsOf) {
  EXPECT_EQ(job_item_id("train-1", kCreated), "job/train-1/1783000000123");
  EXPECT_EQ(tuner_item_id(kTuning), "tuner/tune/1783000000123");
  EXPECT_EQ(tuner_item_id(kAutoMl), "tuner/automl:tune/1783000000123");
  EXPECT_EQ(queue_item_id("train-1"), "turn/train-1");
  EXPECT_EQ(copy_item_id("train-1-r1"), "copy/train-1-r1");
  EXPECT_EQ(report_item_id(std::chrono::floor<std::chrono::seconds>(kCreated)),
            "report/2026-07-02");
  EXPECT_EQ(rule_item_id("{}").size(), std::string("rule/0123456789abcdef").size());
  EXPECT_EQ(digest_item_id("arn:a").size(), std::string("digest/0123456789abcdef").size());
}

TEST(ItemId, AnIdIsReadAsItWasMade) {
  const auto job = read<JobOfItem>(job_item_id("train-1", kCreated));
  EXPECT_EQ(job.name, "train-1");
  EXPECT_EQ(job.created, kCreated);
  EXPECT_EQ(read<TunerOfItem>(tuner_item_id(kTuning)).name, "tune");
  EXPECT_EQ(read<TunerOfItem>(tuner_item_id(kTuning)).kind, TunerKind::kTuningJob);
  EXPECT_EQ(read<TunerOfItem>(tuner_item_id(kAutoMl)).name, "tune");
  EXPECT_EQ(read<TunerOfItem>(tuner_item_id(kAutoMl)).kind, TunerKind::kAutoMlJob);
  EXPECT_EQ(read<QueuedJob>(queue_item_id("train-1")).name, "train-1");
  read<DigestOfItem>(digest_item_id("arn:a"));
  read<ReportOfItem>(report_item_id({}));
}

TEST(ItemId, OtherIdsAreOfNothingThatCanBeDue) {
  for (const std::string& id :
       {std::string(), std::string(kBrakeId), std::string(kSweepId), std::string(kQuotaId),
        std::string("job"), std::string("job/"), std::string("job/5"), std::string("job/a/x"),
        std::string("job/a/5/logs"), std::string("jobs/a/5"), copy_item_id("turn/a"),
        rule_item_id("{}")}) {
    read<std::monostate>(id);
    EXPECT_FALSE(job_of_item(id)) << id;
  }
}

}  // namespace
}  // namespace trainwarden::rules::item_id_test
