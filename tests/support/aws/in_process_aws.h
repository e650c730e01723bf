// The embedded AWS behind a Transport: what a function does to AWS, without a process or a socket
// between them, and by a clock of the test's own. A test says what the world is, lets something be
// delivered, and looks at the world afterwards.
//
//   ManualClock clock(now);
//   InProcessAws aws(clock);
//   aws.place({.name = "job-1", .tags = {{"team", "vision"}}});
//   aws.refuse("AddTags", kDenied);
//   … a function, through aws as its Transport …
//   EXPECT_EQ(aws.status("job-1"), "Stopping");
//   EXPECT_EQ(aws.count("StopTrainingJob"), 1);
//
// Time passes only where the clock is moved. Every copy that is created is checked for what must
// never be (wrong).
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "awsapi/dynamodb.h"
#include "runtime/http/transport.h"
#include "tests/localaws/cloudwatch/alarm_quota.h"
#include "tests/localaws/cloudwatch/cloudwatch.h"
#include "tests/localaws/dynamodb/dynamodb.h"
#include "tests/localaws/faults.h"
#include "tests/localaws/http/http_message.h"
#include "tests/localaws/http/protocol.h"
#include "tests/localaws/logs/logs.h"
#include "tests/localaws/quotas/service_quotas.h"
#include "tests/localaws/s3/s3.h"
#include "tests/localaws/sagemaker/sagemaker.h"
#include "tests/localaws/sns/sns.h"
#include "tests/localaws/ssm/ssm.h"
#include "tests/support/aws/placed_job.h"
#include "tests/support/manual_clock.h"

namespace trainwarden::testing {

inline constexpr const char* kRegion = "eu-central-1";
inline constexpr const char* kAccount = "111122223333";
// Topics that there are from the start.
inline constexpr const char* kPeople = "arn:aws:sns:eu-central-1:111122223333:people";
inline constexpr const char* kAlarmTopic =
    "arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms";

// The state table that there is from the start.
inline aws::Table state_table() {
  return *aws::Table::parse("TRAINWARDEN_TABLE",
                            "arn:aws:dynamodb:eu-central-1:111122223333:table/trainwarden-state",
                            kRegion);
}

inline const localaws::AwsError kDenied{400, "AccessDeniedException", "not authorized"};
inline const localaws::AwsError kThrottled{400, "ThrottlingException", "Rate exceeded"};
inline const localaws::AwsError kFault{500, "InternalFailure", ""};

// The function died; thrown through everything it was doing.
struct Killed {};

struct Death {
  int call = -1;       // counted from 0 over the whole history; -1: none
  bool after = false;  // the call's effect
};

struct EventTold {
  std::string job;
  std::string status;
  std::string secondary;
  sys_millis created;

  bool operator==(const EventTold&) const = default;
};

class InProcessAws final : public http::Transport {
 public:
  // The state table is of that region, its index and Search lag behind by so much.
  explicit InProcessAws(ManualClock& clock, std::chrono::milliseconds index_lag = {},
                        std::string_view table_region = kRegion,
                        std::chrono::milliseconds search_lag = {});

  // The world as it is made.
  void place(const PlacedJob& job);
  // The job changes its state, whatever AWS allows; its events say so.
  void enter(const std::string& job, const std::string& secondary, const std::string& reason = "");
  // A call of somebody else's: the answer's body.
  localaws::Answer<std::string> call(std::string_view operation, std::string_view input);
  // Written by somebody else; false where there is no room.
  bool tag_job(std::string_view job, std::string_view key, std::string_view value);
  void pass(std::chrono::milliseconds time);

  // The world as it is now.
  const localaws::Job* find(std::string_view name) const { return sagemaker_.find(name); }
  std::string status(std::string_view job) const;
  // "" where there is no such tag.
  std::string tag(std::string_view job, std::string_view key) const;
  // Of those jobs that were created by a function.
  const std::vector<std::string>& created() const { return created_; }
  std::vector<std::string> alarms() const;  // their names, sorted
  const localaws::Alarm* alarm(std::string_view name) const;
  // What was published to a topic, oldest first.
  std::vector<localaws::Message> notices(std::string_view topic = kPeople) const;
  // To all topics, oldest first.
  const std::vector<localaws::Message>& messages() const { return sns_.messages(); }

  localaws::SageMaker& sagemaker() { return sagemaker_; }
  const localaws::SageMaker& sagemaker() const { return sagemaker_; }
  localaws::DynamoDb& dynamodb() { return dynamodb_; }
  localaws::S3& s3() { return s3_; }
  localaws::Logs& logs() { return logs_; }
  localaws::Quotas& quotas() { return quotas_; }

  // What goes wrong with the next calls of an operation; "*": of any.
  void refuse(const std::string& operation, const localaws::AwsError& error, int times = 1);
  // Carried out, and the answer is lost.
  void lose_answer(const std::string& operation, int times = 1);
  // So long until the answer.
  void slow(const std::string& operation, std::chrono::milliseconds delay, int times = 1);
  // Nothing: what is asked for after this strikes later calls.
  void spare(const std::string& operation, int times = 1);
  localaws::Faults faults;
  localaws::AlarmQuota alarm_quota;  // any number of calls, unless a test sets it
  // A body that AWS would not give, instead of the next answer.
  void answer_with(const std::string& operation, const std::string& body);
  // Something else happens just before the nth call of the operation from now on.
  void before(const std::string& operation, std::function<void()> happens, int nth = 1);

  std::vector<Result<http::Response>> send(std::span<const http::Request> requests,
                                           Deadline deadline) override;

  std::ptrdiff_t count(std::string_view operation) const;
  // Whether a call was made that changes anything.
  bool wrote() const;
  std::vector<EventTold> events;             // every change of a job's state, in order
  std::vector<std::string> calls;            // operations, in order
  std::vector<http::Request> requests;       // beside them
  std::vector<std::size_t> batches;          // how many went out together
  std::vector<std::string> wrong;            // what must never be, and was
  std::vector<std::string> create_requests;  // bodies of CreateTrainingJob that succeeded
  // What the client takes of an answer; more is kTooLarge, as of the transport.
  std::size_t most_bytes = std::size_t{16} << 20U;
  Death death;
  // Called before each call with its number: something else may happen meanwhile.
  std::function<void(int)> meanwhile;

 private:
  struct Happening {
    std::string operation;
    int left;
    std::function<void()> happens;
  };

  Result<http::Response> answer(const http::Request& request);
  localaws::Answer<std::string> carry_out(const localaws::Address& address,
                                          const std::string& body);
  void happen(const std::string& operation);
  void check(json::Value input);
  void advance();
  localaws::Service* service_of(const localaws::Address& address);

  ManualClock& clock_;
  localaws::SageMaker sagemaker_;
  localaws::Sns sns_;
  localaws::CloudWatch cloudwatch_;
  localaws::Ssm ssm_;
  localaws::Logs logs_;
  localaws::DynamoDb dynamodb_;
  localaws::S3 s3_{kRegion};
  localaws::Quotas quotas_{kRegion, kAccount};
  std::map<std::string, std::deque<std::string>> odd_;
  std::vector<Happening> happenings_;
  std::chrono::milliseconds waited_{0};  // in the calls that went out together
  std::vector<std::string> created_;
};

}  // namespace trainwarden::testing
