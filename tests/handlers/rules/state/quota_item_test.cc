// The account's quotas: by their names, and as the table keeps them.
#include "handlers/rules/state/quota_item.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::test::quota_item_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

MachineCounts of(std::initializer_list<std::pair<const char*, double>> quotas) {
  MachineCounts out;
  for (const auto& [name, value] : quotas) add_quota(out, name, value);
  return out;
}

TEST(TrainingQuotas, A4_AreThoseOfTrainingJobsAlone) {
  const MachineCounts found = of({{"ml.p5.48xlarge for training job usage", 8},
                                  {"ml.p5.48xlarge for spot training job usage", 0},
                                  {"ml.p6-b200.48xlarge for training job usage", 1},
                                  {"ml.p5.48xlarge for training warm pool usage", 3},
                                  {"ml.p5.48xlarge for processing job usage", 4},
                                  {"ml.p5.48xlarge for endpoint usage", 5},
                                  {"ml.p5.48xlarge for spot training job usage per day", 6},
                                  {"Number of instances across all training jobs", 20},
                                  {" for training job usage", 7},
                                  {"Longest run time for training job usage", 9}});
  EXPECT_EQ(found, (MachineCounts{{{"ml.p5.48xlarge", false}, 8},
                                  {{"ml.p5.48xlarge", true}, 0},
                                  {{"ml.p6-b200.48xlarge", false}, 1}}));
  EXPECT_EQ(quota_name({"ml.p5.48xlarge", true}), "ml.p5.48xlarge for spot training job usage");
  EXPECT_EQ(quota_name({"ml.p5.48xlarge", false}), "ml.p5.48xlarge for training job usage");
}

TEST(TrainingQuotas, A4_AreWholeMachinesAndTheLargestOfOneNameCounts) {
  const char* const name = "ml.m5.large for training job usage";
  const MachineKind kind{"ml.m5.large", false};
  EXPECT_EQ(of({{name, 2.9}}).at(kind), 2);
  EXPECT_EQ(of({{name, -1}}).at(kind), 0);
  EXPECT_EQ(of({{name, 1e300}}).at(kind), 1'000'000'000);
  EXPECT_EQ(of({{name, 4}, {name, 2}}).at(kind), 4);
  EXPECT_EQ(of({{name, 2}, {name, 4}}).at(kind), 4);
}

QuotaItem item() {
  return {.read = kNow,
          .quotas = {{{"ml.p5.48xlarge", false}, 8},
                     {{"ml.p5.48xlarge", true}, 0},
                     {{"ml.g5.xlarge", true}, 4}}};
}

Result<std::optional<Stored<QuotaItem>>> read(const std::string& text) {
  const auto document = doc(text);
  return parse_quota_item(document.root());
}

TEST(QuotaItem, A4_ComesBackAsItWasWritten) {
  const std::string text = json::to_text(quota_attributes(item(), kNow).root());
  const auto stored = read(R"({"id":"quotas","v":3,"request":"r",)" + text.substr(1));
  ASSERT_TRUE(stored) << stored.error().message;
  ASSERT_TRUE(*stored);
  EXPECT_EQ((*stored)->item, item());
  EXPECT_EQ((*stored)->v, 3);
  EXPECT_FALSE(parse_quota_item(std::nullopt)->has_value());
  EXPECT_FALSE(read(R"({"id":"quotas","v":3,"request":"r","more":1,)" + text.substr(1)));
}

TEST(QuotaItem, A4_IsKnownForADayAndRefusesForMinutes) {
  struct {
    seconds age;
    bool known;
    bool refuses;
  } const cases[] = {{seconds(0), true, true},  {minutes(5) - seconds(1), true, true},
                     {minutes(5), true, false}, {hours(24) - seconds(1), true, false},
                     {hours(24), false, false}, {seconds(-1), false, false}};
  for (const auto& c : cases) {
    EXPECT_EQ(are_known(item(), kNow + c.age), c.known) << c.age.count();
    EXPECT_EQ(may_refuse(item(), kNow + c.age), c.refuses) << c.age.count();
  }
}

TEST(QuotaItem, A4_OfTwoWhoAskedTheLaterCounts) {
  QuotaItem later = item();
  later.read += seconds(1);
  EXPECT_EQ(later_quotas(std::nullopt, item()), item());
  EXPECT_EQ(later_quotas(item(), later), later);
  EXPECT_EQ(later_quotas(later, item()), later);
}

}  // namespace
}  // namespace trainwarden::rules::test::quota_item_test
