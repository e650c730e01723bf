#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/state/brake.h"
#include "handlers/rules/state/copy_item.h"
#include "handlers/rules/state/item_id.h"
#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/kept_notice.h"
#include "handlers/rules/state/queue_item.h"
#include "handlers/rules/state/rule_item.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::test::items_test {
namespace {

constexpr const char* kId = "job/train-1/1783000000123";

sys_seconds at(int seconds) { return kNow + std::chrono::seconds(seconds); }

// As awsapi gives back what was written: with the item's id, its version and the write's request.
std::string given_back(const json::Document& written, std::string_view id) {
  const std::string text = json::to_text(written.root());
  return R"({"id":")" + std::string(id) + R"(","v":3,"request":"request-1",)" + text.substr(1);
}

JobItem full() {
  JobItem out;
  out.log = LogVerdict{.policy = "0123456789abcdef",
                       .label = "oom_gpu",
                       .resume = "no",
                       .evidence = "CUDA out of memory"};
  out.stop = StopRecord{.rule = "idle", .why = "it idled", .at = at(1), .accepted = true};
  out.restart = RestartRecord{
      .rule = "slow",
      .why = "it was \"slow\" – schön",
      .at = at(2),
      .accepted = true,
      .attempts = {"a", "b"},
      .again = at(5),
      .of_ended = true,
      .spot = false,
      .types = {"ml.p5.48xlarge", "ml.p4d.24xlarge"},
      .settings = {.max_runtime_seconds = 172800,
                   .max_wait_seconds = 259200,
                   .instance_count = 4,
                   .hyperparameters = {{"batch_size", "8"}, {"empty", ""}, {"set", std::nullopt}},
                   .environment = {{"REMOVED", std::nullopt}}}};
  out.copy = CopyRecord{.name = "train-1-r1-0123456a", .at = at(3), .made = true};
  out.closed = ClosedRecord{.at = at(4), .why = Closed::kNotStoppedByIt};
  out.refused = RefusedRecord{.at = at(5), .error = "AccessDeniedException", .times = 3};
  out.waits = at(6);
  out.notices["r|1|enforce|stopped"] = {{.at = at(7), .by = "request-2", .done = true}, ""};
  out.notices["r|1|enforce|refused"] = {{.at = at(8), .by = "request-3"}, R"({"limit": 3})"};
  out.notices["r|1|notify|none|disk"] = {
      .claim = {.at = at(9), .by = "request-4", .done = true}, .what = "", .since = at(8)};
  out.graces["idle \"gpu\""] = {.at = at(10),
                                .until = at(910),
                                .notices = {"r|1|enforce|stopped"},
                                .rule = "0123456789abcdef"};
  return out;
}

// The item as the table gives it back.
Result<Stored<JobItem>> read(const std::string& text, std::string_view id = kId) {
  const auto document = doc(text);
  return parse_job_item(id, document.root());
}

std::string written(const JobItem& item) {
  return given_back(job_attributes(kId, item, kNow).value(), kId);
}

TEST(JobItem, ComesBackAsItWasWritten) {
  const auto stored = read(written(full()));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->item, full());
  EXPECT_EQ(stored->v, 3);
  EXPECT_EQ(stored->expires, kNow + std::chrono::days(120));
  EXPECT_EQ(read(written({}))->item, JobItem());
}

TEST(JobItem, Issue39_1_ALogThatWasTooLargeComesBack) {
  JobItem item;
  item.log = LogVerdict{.policy = "0123456789abcdef", .too_large = "20 MB were read"};
  const auto stored = read(written(item));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->item, item);
}

TEST(JobItem, EveryReasonToCloseComesBack) {
  for (int why = 0; why <= static_cast<int>(Closed::kGone); ++why) {
    JobItem item;
    item.closed = ClosedRecord{.at = at(0), .why = static_cast<Closed>(why)};
    EXPECT_EQ(read(written(item))->item, item) << name(item.closed->why);
  }
}

TEST(JobItem, IsPlainJson) {
  JobItem item;
  item.restart = RestartRecord{.rule = "slow", .at = at(0)};
  const auto document = job_attributes(kId, item, kNow);
  const auto expected = doc(R"({"form": 1, "expires": 1793368600, "due": "1", "since": 1783000600,
      "restart": {"rule": "slow", "why": "", "at": 1783000600, "accepted": false,
                  "of_ended": false, "attempts": [], "types": []}})");
  EXPECT_TRUE(json::equal(document->root(), expected.root())) << json::to_text(document->root());
}

TEST(JobItem, WhereThereIsNoneAllIsEmpty) {
  const auto none = parse_job_item(kId, std::nullopt);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->v, 0);
  EXPECT_EQ(none->item, JobItem());
}

// An item that cannot be understood never counts as empty, and the error tells what was found.
TEST(JobItem, WhatIsNotOursIsUnavailable) {
  struct Case {
    std::string from;
    std::string to;
    std::string found;
  };
  const Case cases[] = {
      {R"("form":1)", R"("form":2)", "`form`: expected 1, found 2"},
      {R"("form":1,)", "", "`form`: expected a number, found none"},
      {R"("form":1)", R"("form":"1")", "found `\"1\"`"},
      {R"("id":"job/train-1/1783000000123")", R"("id":"job/x/1")", "found `job/x/1`"},
      {R"("v":3)", R"("v":0)", "`v`: expected 1 or more, found 0"},
      {R"("v":3)", R"("v":3.5)", "`v`: expected a whole number, 0 or more, found `3.5`"},
      {R"("v":3)", R"("v":3,"w":1)", "`w`: expected no such attribute, found `1`"},
      {R"("request":"request-1",)", "", "`request`: expected a string, found none"},
      {R"("rule":"idle")", R"("rule":"idle","until":1)", "`until`: expected no such attribute"},
      {R"("rule":"idle",)", "", ".stop: `rule`: expected a string, found none"},
      {R"("not stopped by it")", R"("tired")", "`why`: expected one of our words, found `tired`"},
      {R"("accepted":true)", R"("accepted":"true")", "expected a boolean, found `\"true\"`"},
      {R"("waits":1783000606)", R"("waits":-5)", "`waits`: expected a whole number, 0 or more"},
      {R"("waits":1783000606)", R"("waits":99999999999999)", "`waits`: expected epoch seconds"},
      {R"("ml.p5.48xlarge")", "5", "`types`: expected texts, found `5`"},
      {R"("copy":{)", R"("copy":[],"other":{)", "`copy`: expected an object, found `[]`"},
      {R"("by":"request-3",)", "", "`by`: expected a string, found none"},
  };
  const std::string good = written(full());
  for (const Case& c : cases) {
    const std::size_t begin = good.find(c.from);
    ASSERT_NE(begin, std::string::npos) << c.from << " in " << good;
    const auto stored = read(std::string(good).replace(begin, c.from.size(), c.to));
    ASSERT_FALSE(stored) << c.to;
    EXPECT_EQ(stored.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(stored.error().message.find(c.found), std::string::npos) << stored.error().message;
    EXPECT_NE(stored.error().message.find(kId), std::string::npos) << stored.error().message;
  }
}

bool is_in_index(const JobItem& item) {
  const auto document = doc(written(item));
  const auto due = document.root().find("due");
  EXPECT_EQ(due.has_value(), document.root().find("since").has_value());
  EXPECT_EQ(due.has_value(), due_since(item).has_value());
  EXPECT_EQ(due ? json::to_text(*due) : "", due ? R"("1")" : "");
  return due.has_value();
}

TEST(JobItem, IsInTheIndexExactlyWhileSomethingIsDue) {
  JobItem item;
  EXPECT_FALSE(is_in_index(item));
  item.stop = StopRecord{.rule = "idle", .at = at(0)};
  EXPECT_FALSE(is_in_index(item));
  item.restart = RestartRecord{.rule = "slow", .at = at(1)};
  EXPECT_TRUE(is_in_index(item));
  item.closed = ClosedRecord{.at = at(2), .why = Closed::kThrottled};
  EXPECT_FALSE(is_in_index(item));
  item.notices["k"] = {{.at = at(3), .by = "request-1"}, "what"};
  EXPECT_TRUE(is_in_index(item));
  item.notices["k"].claim.done = true;
  EXPECT_FALSE(is_in_index(item));
  item.closed.reset();
  item.copy = CopyRecord{.name = "c", .at = at(4)};
  EXPECT_TRUE(is_in_index(item));
  item.copy->made = true;
  EXPECT_FALSE(is_in_index(item));
}

TEST(JobItem, IsDueSinceTheFirstThingThatIs) {
  JobItem item;
  item.restart = RestartRecord{.rule = "slow", .at = at(10), .of_ended = true};
  EXPECT_EQ(due_since(item), at(10));
  item.waits = at(900);
  EXPECT_EQ(due_since(item), at(900));
  item.notices["k"] = {{.at = at(20), .by = "request-1"}, ""};
  EXPECT_EQ(due_since(item), at(20));
  item.copy = CopyRecord{.name = "c", .at = at(15)};
  EXPECT_EQ(due_since(item), at(15));
}

TEST(JobItem, ThatGrowsTooLargeForgetsTheOldestNoticesThatWereTold) {
  JobItem item = full();
  item.notices.clear();
  for (int i = 0; i < 1000; ++i)
    item.notices["told-" + std::to_string(i)] = {{.at = at(i), .by = "request", .done = true}, ""};
  item.notices["owed"] = {{.at = at(-1), .by = "request"}, std::string(8000, 'x')};
  const std::size_t size = json::to_text(job_attributes(kId, item, kNow)->root()).size();
  EXPECT_LE(size, kLargestItem);
  EXPECT_GT(size, kLargestItem - 200);
  const auto left = read(written(item))->item;
  EXPECT_TRUE(left.notices.contains("owed"));
  EXPECT_TRUE(left.notices.contains("told-999"));
  EXPECT_FALSE(left.notices.contains("told-0"));
  EXPECT_EQ(left.restart, item.restart);
}

// What people wrote takes no claim and no announced stop away: claimed notices are kept in short.
TEST(JobItem, A5_ThatGrowsTooLargeKeepsEachClaimAndAnnouncement) {
  JobItem item;
  for (int i = 0; i < 40; ++i) {
    const std::string key = "claim-" + std::to_string(100 + i);
    const std::string rule = "rule-" + std::to_string(i);
    item.notices[key] = {{.at = at(i), .by = "request"},
                         keep({.topic = "arn:t",
                               .format = "text",
                               .subject = rule,
                               .message = std::string(3500, 'm')})};
    item.graces[rule] = {.at = at(i), .until = at(i + 900), .notices = {key}};
  }
  item.notices["announced"] = {{.at = at(-5), .by = "request", .done = true}, ""};
  item.graces["first"] = {.at = at(-5), .until = at(895), .notices = {"announced"}};
  for (int i = 0; i < 100; ++i)
    item.notices["told-" + std::to_string(i)] = {{.at = at(i), .by = "request", .done = true}, ""};
  const auto left = read(written(item))->item;
  EXPECT_EQ(left.graces, item.graces);
  EXPECT_TRUE(left.notices.contains("announced"));
  std::size_t whole = 0;
  for (const auto& [rule, grace] : item.graces)
    for (const std::string& key : grace.notices) {
      ASSERT_TRUE(left.notices.contains(key));
      if (key == "announced") continue;
      const auto kept = read_kept(left.notices.at(key).what);
      ASSERT_TRUE(kept);
      EXPECT_EQ(kept->subject, rule);
      if (!kept->message.empty()) ++whole;
    }
  EXPECT_GE(whole, 1U);
  EXPECT_LT(whole, 40U);
  EXPECT_TRUE(left.notices.contains("told-99"));
}

TEST(JobItem, ThatIsTooLargeWithoutANoticeIsNotWritten) {
  JobItem item;
  item.restart = RestartRecord{.rule = std::string(kLargestItem, 'r'), .at = at(0)};
  const auto attributes = job_attributes(kId, item, kNow);
  ASSERT_FALSE(attributes);
  EXPECT_EQ(attributes.error().code, ErrorCode::kLimitExceeded);
}

TEST(BrakeItem, ComesBackAsItWasWritten) {
  BrakeItem item;
  const sys_millis taken(std::chrono::milliseconds(1783000000123));
  item.stops["job/a/1"] = {.at = taken, .role = "0123abcd"};
  item.stops["job/b/1"] = {.at = taken, .role = "", .share = Share::kDearest, .silent = true};
  item.stops["job/e/1"] = {.at = taken, .role = "", .share = Share::kTurn, .denied = true};
  item.last = Share::kTurn;
  item.sweep_waits = at(7);
  item.denied_at = at(6);
  item.copies["job/c/1/0123abcd"]["-"] = sys_millis(std::chrono::milliseconds(1783000000125));
  item.queue_by_role["0123abcd"] = at(2);
  item.told[HoldingLimit::kCopiesPerSweep] = Claim{.at = at(3), .by = "request-2"};
  item.seen["job/d/1"] = {.at = at(0), .role = "0123abcd", .usd_per_hour = 440.32};
  item.told[HoldingLimit::kStopsPerHour] = Claim{.at = at(1), .by = "request-1", .done = true};
  item.told[HoldingLimit::kSilentPerHour] = Claim{.at = at(4), .by = "request-3"};
  item.told[HoldingLimit::kRestartsPerHour] = Claim{.at = at(5), .by = "request-4"};
  const auto document = doc(given_back(brake_attributes(item, kNow), kBrakeId));
  const auto stored = parse_brake_item(document.root());
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->item, item);
  EXPECT_EQ(stored->v, 3);
  EXPECT_EQ(parse_brake_item(std::nullopt)->v, 0);
}

// Items of earlier versions have these attributes.
TEST(BrakeItem, KeepsTheNoticeOfEachLimitUnderItsName) {
  const std::vector<std::pair<HoldingLimit, std::string_view>> names = {
      {HoldingLimit::kStopsPerHour, "told"},
      {HoldingLimit::kSilentPerHour, "told_silent"},
      {HoldingLimit::kRestartsPerHour, "told_restarts"},
      {HoldingLimit::kStopsPerSweep, "told_sweep"},
      {HoldingLimit::kCopiesPerSweep, "told_copies"}};
  for (const auto& [limit, name] : names) {
    BrakeItem item;
    item.told[limit] = Claim{.at = at(1), .by = "request-1"};
    const json::Document written = brake_attributes(operators_told(item, limit), kNow);
    const auto told = written.root().find_present(name);
    ASSERT_TRUE(told) << name;
    EXPECT_EQ(told->find_present("done")->as_boolean(), true) << name;
    for (const auto& [other, of_other] : names)
      EXPECT_TRUE(other == limit || !written.root().find_present(of_other)) << of_other;
  }
}

TEST(BrakeItem, OfAnotherFormDoesNotCountAsEmpty) {
  std::string text = given_back(brake_attributes({}, kNow), kBrakeId);
  text.replace(text.find(R"("form":1)"), 8, R"("form":9)");
  const auto document = doc(text);
  const auto stored = parse_brake_item(document.root());
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(stored.error().message.find("found 9"), std::string::npos) << stored.error().message;
  const auto other = doc(given_back(copy_attributes({}, kNow), kBrakeId));
  EXPECT_FALSE(parse_brake_item(other.root()));
}

// As the version before wrote it: an upgrade must not stop the guard.
TEST(BrakeItem, P7_OfTheVersionBeforeIsRead) {
  const auto of_before = [](std::string_view copies) {
    return doc(R"({"id":"brake","v":3,"request":"r","form":1,"expires":4102444800,
        "stops":{"job/a/1":1783000000123,"job/b/1":1783000000123},
        "silent":{"job/b/1":1783000000124},"copies":)" +
               std::string(copies) +
               R"(,"seen":{"job/d/1":1783000000},"told":{"at":1783000000,"by":"r","done":true}})");
  };
  const auto before = of_before(R"({"job/c/1":1783000000125})");
  const auto stored = parse_brake_item(before.root());
  ASSERT_TRUE(stored) << stored.error().message;
  const sys_millis taken(std::chrono::milliseconds(1783000000125));
  ASSERT_TRUE(stored->item.copies.contains("job/c/1"));
  EXPECT_EQ(stored->item.copies.at("job/c/1").begin()->second, taken);
  EXPECT_EQ(stored->item.stops.size(), 2U);
  EXPECT_FALSE(stored->item.stops.at("job/a/1").silent);
  EXPECT_TRUE(stored->item.stops.at("job/b/1").silent);
  EXPECT_EQ(stored->item.seen.at("job/d/1").at, sys_seconds(std::chrono::seconds(1783000000)));
  const auto again = doc(given_back(brake_attributes(stored->item, kNow), kBrakeId));
  EXPECT_EQ(parse_brake_item(again.root())->item, stored->item);
  for (const char* odd : {R"({"job/c/1":"1783000000125"})", R"({"job/c/1":-1})",
                          R"({"job/c/1":1.5})", R"({"job/c/1":{"-":"x"}})", R"([1])"}) {
    const auto document = of_before(odd);
    EXPECT_FALSE(parse_brake_item(document.root())) << odd;
  }
}

TEST(CopyItem, ComesBackAsItWasWritten) {
  const CopyItem item{.root = "train", .parent = "train-r1-0123456a", .generation = 2, .at = at(0)};
  const auto document = doc(given_back(copy_attributes(item, kNow), "copy/train-r2-1123456b"));
  const auto stored = parse_copy_item("copy/train-r2-1123456b", document.root());
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->value().item, item);
  EXPECT_FALSE(parse_copy_item("copy/other", document.root()));
  EXPECT_FALSE(parse_copy_item("copy/other", std::nullopt)->has_value());
}

TEST(QueueItem, IsDueWhileItWaits) {
  const std::vector<std::string> rules{rule_item_id("r")};
  const QueueItem item = enqueue({}, rules, std::nullopt, kNow);
  const auto document = doc(given_back(queue_attributes(item, kNow), "turn/a"));
  EXPECT_EQ(document.root().find("due")->as_string(), "1");
  const auto stored = parse_queue_item("turn/a", document.root());
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->item, item);
  EXPECT_FALSE(queue_attributes(dequeue(item), kNow).root().find("due"));
  EXPECT_FALSE(parse_queue_item("turn/b", document.root()));
}

TEST(RuleItem, KeepsWhenTheRuleWasFirstEnforced) {
  const auto first = enforce_rule(std::nullopt, kNow);
  EXPECT_EQ(first.decision, (RuleDecision{.since = kNow, .write = true}));
  const std::string id = rule_item_id(R"({"name": "r"})");
  const auto document = doc(given_back(rule_attributes(first.next, kNow), id));
  const auto stored = parse_rule_item(id, document.root());
  ASSERT_TRUE(stored) << stored.error().message;
  const auto later = enforce_rule(*stored, kNow + std::chrono::days(59));
  EXPECT_EQ(later.decision, (RuleDecision{.since = kNow, .write = false}));
  // It would be deleted while it is in force.
  const auto much_later = enforce_rule(*stored, kNow + std::chrono::days(61));
  EXPECT_EQ(much_later.decision, (RuleDecision{.since = kNow, .write = true}));
  EXPECT_EQ(much_later.next.since, kNow);
  EXPECT_NE(id, rule_item_id(R"({"name": "s"})"));
}

}  // namespace
}  // namespace trainwarden::rules::test::items_test
