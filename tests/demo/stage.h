// What the scenes play on: the embedded AWS, seen as its users see it (signed calls) and, for what
// no user can do or see, through its control endpoints. Scenes print only what they find here.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "awsapi/client.h"
#include "awsapi/cloudwatch.h"
#include "awsapi/sagemaker.h"
#include "tests/demo/embedded_aws.h"
#include "tests/demo/timeline.h"

namespace trainwarden::demo {

// An AWS call of a function.
struct CallSeen {
  sys_millis time;
  std::string function;  // state, alarm
  std::string operation;
  std::string request;
  int status;
};

// A message to people.
struct MessageSeen {
  sys_millis time;
  std::string subject;
  std::string text;
  std::string outcome;  // its attribute
};

class Stage {
 public:
  // policy: the functions' own, for its prices.
  Stage(const EmbeddedAws& cloud, aws::Client& client, json::Document policy)
      : cloud_(cloud),
        client_(client),
        policy_(std::move(policy)),
        sagemaker_(client),
        cloudwatch_(client) {}

  Timeline& timeline() { return timeline_; }
  const EmbeddedAws& cloud() const { return cloud_; }
  aws::Client& client() const { return client_; }

  // What is there in an account that trains: a topic for people, and the log group of the jobs.
  Result<void> prepare() const;

  // A job as a Describe document says it, in the past if it says so; and its next state.
  Result<void> place(std::string_view job, const json::Document& describe) const;
  Result<void> transition(std::string_view job, std::string_view secondary, sys_seconds at,
                          std::string_view failure_reason = {}) const;
  // The last lines that its first host logged, up to a time.
  Result<void> put_log(std::string_view job, std::span<const std::string_view> lines,
                       sys_seconds until) const;
  // A value a minute and host, from begin until before end: at most 1,000 in all.
  Result<void> put_gpu_load(std::string_view job, int hosts, sys_seconds begin, sys_seconds end,
                            const std::function<double(int minute, int host)>& percent) const;

  Result<json::Document> describe(std::string_view job) const;
  // {key: value}
  Result<json::Document> tags(std::string_view job) const;
  // The least and the most of the GPU load over all hosts; nullopt: there is none.
  Result<std::optional<std::pair<double, double>>> gpu_load(std::string_view job, int hosts,
                                                            sys_seconds begin,
                                                            sys_seconds end) const;
  // DescribeAlarms' entries of the job's alarms.
  Result<json::Document> alarms(std::string_view job) const;
  // The calls of the functions that name the job, oldest first.
  Result<std::vector<CallSeen>> calls(std::string_view job) const;
  // Those that speak of the job.
  Result<std::vector<MessageSeen>> messages(std::string_view job) const;
  // What CloudWatch published about the job's alarms: the messages' time and parsed text.
  Result<std::vector<std::pair<sys_millis, json::Document>>> alarm_messages(
      std::string_view job) const;
  // The last decision record that a function logged about the job; nullopt: there is none yet.
  std::optional<json::Document> record(std::string_view function, std::string_view job) const;

  // What a job costs by the policy's prices; nullopt: it has none for this machine.
  std::optional<double> usd_per_hour(json::Value described) const;

  // Asks until there is an answer; kInternal, saying what was waited for, after half a minute.
  template <class T>
  Result<T> wait_for(std::string_view what,
                     const std::function<Result<std::optional<T>>()>& ask) const {
    for (int tries = 0; tries < kTries; ++tries) {
      TRY(std::optional<T> found, ask());
      if (found) return std::move(*found);
      pause();
    }
    return fail(ErrorCode::kInternal, "this did not happen: " + std::string(what));
  }
  // Its SecondaryStatus is this.
  Result<json::Document> wait_for_status(std::string_view job, std::string_view secondary) const;

  // The last that people got about it.
  Result<MessageSeen> wait_for_message(std::string_view job) const;

  static aws::CallContext context();

 private:
  static constexpr int kTries = 600;
  static void pause();

  const EmbeddedAws& cloud_;
  aws::Client& client_;
  json::Document policy_;
  aws::SageMaker sagemaker_;
  aws::CloudWatch cloudwatch_;
  Timeline timeline_;
};

// "$1,234.50"
std::string dollars(double usd);
// The text or number at "A.B" in a document; empty or 0 where there is none.
std::string text_at(json::Value value, std::string_view path);
double number_at(json::Value value, std::string_view path);
// A time in Describe.
sys_millis time_at(json::Value value, std::string_view path);

}  // namespace trainwarden::demo
