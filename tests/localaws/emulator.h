// All that localaws is, apart from sockets: the services, the functions with their processes, the
// log of calls and the faults, behind one lock. handle() answers one request and may be called from
// many threads; tick() lets time pass and belongs on one long-lived thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/environment.h"
#include "runtime/base/time.h"
#include "tests/localaws/call_log.h"
#include "tests/localaws/cloudwatch/alarm_quota.h"
#include "tests/localaws/cloudwatch/cloudwatch.h"
#include "tests/localaws/dynamodb/dynamodb.h"
#include "tests/localaws/faults.h"
#include "tests/localaws/function_environment.h"
#include "tests/localaws/http/http_message.h"
#include "tests/localaws/http/protocol.h"
#include "tests/localaws/lambda/function.h"
#include "tests/localaws/lambda/supervisor.h"
#include "tests/localaws/logs/line_inbox.h"
#include "tests/localaws/logs/logs.h"
#include "tests/localaws/options.h"
#include "tests/localaws/pricing/pricing.h"
#include "tests/localaws/quotas/service_quotas.h"
#include "tests/localaws/s3/s3.h"
#include "tests/localaws/sagemaker/sagemaker.h"
#include "tests/localaws/sns/sns.h"
#include "tests/localaws/ssm/ssm.h"

namespace trainwarden::localaws {

class Emulator {
 public:
  Emulator(Options options, Credentials credentials, trainwarden::Clock& clock);

  Result<void> open_record() { return calls_.record_to(options_.record); }
  // Once the ports are known: from now on tick() starts the functions that were given.
  void start_functions(const Places& places, const Environment& environment);

  // Before anything is handled.
  void show_messages(Sns::Show show) { sns_.show_messages(std::move(show)); }

  HttpResponse handle(const HttpRequest& request);
  void tick();
  // Kills the functions' processes and ends every wait. No tick() may follow.
  void stop();

 private:
  struct Hosted {
    Function function;
    std::optional<Supervisor> supervisor;
  };
  using Lock = std::unique_lock<std::mutex>;

  // aws_endpoint.cc
  HttpResponse handle_aws(const HttpRequest& request);
  // runtime_endpoint.cc: below /_localaws/runtime/<function>
  HttpResponse handle_runtime(const HttpRequest& request);
  HttpResponse next(const HttpRequest& request, Function& function, std::size_t session);
  HttpResponse init_error(const HttpRequest& request, Function& function, std::size_t session);
  // control_endpoint.cc
  HttpResponse handle_control(const HttpRequest& request);
  HttpResponse place_job(const HttpRequest& request, std::string_view name);
  HttpResponse transition_job(const HttpRequest& request, std::string_view name);
  HttpResponse place_jobs(const HttpRequest& request);
  HttpResponse place_tuner(const HttpRequest& request, TunerType type, std::string_view name);
  HttpResponse call_each(std::string_view operation, const HttpRequest& request);
  HttpResponse invoke(std::string event, Hosted& hosted);
  HttpResponse add_faults(const HttpRequest& request);
  HttpResponse reset();
  HttpResponse health();
  HttpResponse dead_letters();

  HttpResponse messages();

  Service& service(ServiceId id);
  Hosted* hosted(std::string_view name);
  Hosted* hosted_at(std::string_view function_arn);
  // The function's process that this request came from: by the trace of its invocation, else by the
  // connection. No hosted: another client's.
  struct Caller {
    Hosted* hosted = nullptr;
    std::size_t session = 0;
  };
  Caller caller_of(const HttpRequest& request);
  void sweep_when_due(sys_millis now);
  // What the functions have written goes into their log groups.
  void take_lines();
  // Queues an event. Those that nobody could take are not kept: a rule without a target.
  void deliver(Hosted& hosted, std::string event);

  Options options_;
  Credentials credentials_;
  trainwarden::Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  LineInbox lines_;                       // outlives the processes that write them
  std::optional<sys_millis> next_sweep_;  // with --sweep, once time began
  Hosted state_;
  Hosted alarm_;
  SageMaker sagemaker_;
  Sns sns_;
  CloudWatch cloudwatch_;
  Ssm ssm_;
  Logs logs_;
  DynamoDb dynamodb_;
  Pricing pricing_;
  S3 s3_;
  Quotas quotas_;
  CallLog calls_;
  Faults faults_;
  AlarmQuota alarm_quota_;
};

}  // namespace trainwarden::localaws
