// Jobs that failed and wait for their copies, and sweeps that make them.
#pragma once

#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::copy_queue_fixture {

inline constexpr const char* kAgain = R"(
  {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
   "actions": [{"restart": {"limit": 3}}]})";
// Its match needs DescribeTrainingJob.
inline constexpr const char* kAgainOnFault = R"(
  {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"],
                                       "FailureReason": [{"prefix": "InternalServerError"}]}},
   "actions": [{"restart": {"limit": 3}}]})";
inline const std::string kFault =
    R"(,"FailureReason":"InternalServerError: We encountered an error.")";
inline const localaws::AwsError kQuota{400, "ResourceLimitExceeded",
                                       "The account-level service limit is 0 Instances"};

inline std::string with_role(const std::string& role) {
  return kFault + fmt::format(R"(,"RoleArn":"arn:aws:iam::111122223333:role/{}")", role);
}

// Its rules are enforced since yesterday.
class CopyTurnsTest : public SweepTest {
 protected:
  void SetUp() override {
    for (const char* rule : {kAgain, kAgainOnFault}) run(limited(rule, 0));
    aws_.pass(hours(24));
    records_.clear();
  }

  static rules::Policy limits(const std::string& rules, const std::string& limits) {
    return policy(rules, "enforce", "\"limits\":{" + limits + "},");
  }
  // Violators are stopped, and failures run again.
  static rules::Policy both(int stops_per_sweep, const std::string& again = kAgain) {
    return limited(std::string(kTeam) + "," + again, stops_per_sweep);
  }

  // Failed a moment ago; its event is delivered as often as Lambda does.
  Record fail_now(const std::string& job, const rules::Policy& with,
                  const std::string& more = kFault) {
    place_ended(job, "Failed", seconds(0), more);
    return deliver(job, with);
  }
  Record deliver(const std::string& job, const rules::Policy& with) {
    request_ = "event-" + job;
    Record record = handle(with, event(job));
    for (int again = 0; again < 2 && record.failure(); ++again) record = handle(with, event(job));
    request_ = "sweep";
    return record;
  }
  void fail_against_quota(const Names& jobs, const rules::Policy& with) {
    for (const std::string& job : jobs) {
      aws_.refuse("CreateTrainingJob", kQuota, 3);
      EXPECT_TRUE(fail_now(job, with).failure()) << job;
      aws_.pass(seconds(10));
    }
    EXPECT_TRUE(aws_.created().empty());
  }
  // A sweep each quarter of an hour.
  void sweep_on(const rules::Policy& with, hours time) {
    for (hours::rep quarter = 0; quarter < time.count() * 4; ++quarter) {
      aws_.pass(minutes(15));
      request_ = fmt::format("sweep-{}", ++sweeps_);
      run(with);
    }
  }
  Names outcomes() const {
    Names out;
    for (const auto& message : aws_.notices())
      for (const auto& one : message.attributes)
        if (one.name == "outcome") out.push_back(one.value);
    return out;
  }
  std::ptrdiff_t times_notified(const std::string& outcome) const {
    return std::ranges::count(outcomes(), outcome);
  }

  int sweeps_ = 0;
};

inline const Names kSix = {"f1", "f2", "f3", "f4", "f5", "f6"};

}  // namespace trainwarden::actions::copy_queue_fixture
