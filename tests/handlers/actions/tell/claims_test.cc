// Notices that were claimed and not sent (A5): what a later invocation reads of them, and which of
// them it sends.
#include "handlers/actions/tell/claims.h"

#include "handlers/actions/table/items.h"
#include "handlers/rules/state/notice_claims.h"
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::claims_test {
namespace {

constexpr const char* kId = "job/job-1/1783000000000";
constexpr const char* kKey = "0123456789abcdef";

class ClaimsTest : public ActionTest {
 protected:
  // Each is another invocation.
  Apis apis(const std::string& request) {
    return {client_, clock_, context_, config_, powers_, request};
  }
  // Stores a claim as an earlier invocation wrote it, and lets it become due.
  void claimed(const std::string& attributes) {
    const std::string what =
        fmt::format(R"({{"topic":"{}","subject":"a job","message":"of it","attributes":{{{}}}}})",
                    testing::kPeople, attributes);
    const Apis earlier = apis("earlier");
    ASSERT_TRUE(change_job_item(kId, earlier, [&](rules::JobItem /*item*/, sys_seconds now) {
      return rules::claim_notice({}, kKey, what, earlier.request, now).next;
    }));
    aws_.pass(minutes(3));
  }
  std::vector<PendingNotice> settle(const rules::ObservedJob& look) {
    const Apis later = apis("later");
    return send_pending(kId, look, later);
  }
  rules::JobItem item() {
    const Apis reader = apis("reader");
    return read_job_item(kId, reader).value_or(rules::JobItem());
  }

  aws::CallContext context_{clock_.in(left_), "", nullptr};
};

constexpr const char* kNames = R"("rule":"idle","mode":"enforce","team":"vision")";

std::string with_outcome(const std::string& outcome) {
  return fmt::format(R"({},"outcome":"{}")", kNames, outcome);
}

TEST_F(ClaimsTest, A5_WhatIsKnownToHaveHappenedIsSentAsItWasStored) {
  for (const std::string outcome : {"none", "refused", "held-back"}) {
    const std::size_t before = aws_.notices().size();
    claimed(with_outcome(outcome));
    const auto sent = settle({});
    ASSERT_EQ(sent.size(), 1U) << outcome;
    EXPECT_EQ(sent[0].rule, "idle");
    EXPECT_TRUE(sent[0].outcome.result.is(Kind::kNotified));
    ASSERT_EQ(aws_.notices().size(), before + 1);
    EXPECT_EQ(subject(), "a job");
    EXPECT_EQ(attribute("outcome"), outcome);
    EXPECT_EQ(attribute("team"), "vision");
    EXPECT_TRUE(item().notices.at(kKey).claim.done);
  }
}

TEST_F(ClaimsTest, A5_WhatDidNotHappenIsForgotten) {
  for (const std::string outcome : {"stopped", "restarted", "released", "warned"}) {
    claimed(with_outcome(outcome));
    EXPECT_TRUE(settle({}).empty()) << outcome;
    EXPECT_TRUE(item().notices.empty()) << outcome;
  }
  EXPECT_TRUE(aws_.notices().empty());
}

// The claim of a version that knows more outcomes, or one that stored fewer attributes.
TEST_F(ClaimsTest, A5_ANoticeOfAnUnknownOutcomeIsNotLost) {
  for (const std::string& attributes :
       {with_outcome("paused"), with_outcome("Stopped"), std::string(kNames), std::string()}) {
    const std::size_t before = aws_.notices().size();
    claimed(attributes);
    const auto sent = settle({});
    ASSERT_EQ(sent.size(), 1U) << attributes;
    EXPECT_TRUE(sent[0].outcome.result.is(Kind::kNotified));
    ASSERT_EQ(aws_.notices().size(), before + 1) << attributes;
    if (attributes == with_outcome("paused")) {
      EXPECT_EQ(attribute("outcome"), "paused");
    }
  }
}

// Until it is sent, the claim keeps all that was stored of it.
TEST_F(ClaimsTest, A5_ANoticeThatCannotBeSentKeepsItsUnknownOutcome) {
  claimed(with_outcome("paused"));
  aws_.refuse("Publish", {500, "InternalError", "down"});
  const auto failed = settle({});
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_TRUE(failed[0].outcome.error);
  aws_.spare("Publish");
  aws_.pass(minutes(3));
  const Apis last = apis("last");
  EXPECT_EQ(rule_of_claim(kKey, item().notices.at(kKey)), "idle");
  EXPECT_EQ(send_pending(kId, {}, last).size(), 1U);
  EXPECT_EQ(attribute("outcome"), "paused");
}

}  // namespace
}  // namespace trainwarden::actions::claims_test
