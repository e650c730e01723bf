// `./dev demo`: two training jobs on the embedded AWS, one without the tag that the policy asks
// for. The state function stops that one and leaves the other alone; this program tells the story
// as it happens and fails if it comes out otherwise.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "awsapi/sagemaker.h"
#include "runtime/http/curl_transport.h"
#include "runtime/json/json.h"
#include "tests/demo/embedded_aws.h"
#include "tests/demo/people.h"

namespace trainwarden::demo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const NewJob kBad{"ana", "digits-without-owner", {{"username", "ana"}}};
const NewJob kGood{"ben", "digits-in-order", {{"username", "ben"}, {"model_name", "digits"}}};

class Story {
 public:
  void tell(std::string_view who, std::string_view what) const {
    const auto now = std::chrono::steady_clock::now() - begin_;
    const double elapsed = std::chrono::duration<double>(now).count();
    fmt::print("{:6.1f} s  {:<12} {}\n", elapsed, who, what);
    std::fflush(stdout);
  }
  milliseconds elapsed() const {
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin_);
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class Demo {
 public:
  Demo(const EmbeddedAws& cloud, aws::Client& client)
      : cloud_(cloud), client_(client), sagemaker_(client) {}

  Result<int> run() {
    const ClientKind kind = find_client();
    fmt::print("The policy: a training job needs the tag model_name, else it is stopped.\n\n");
    story_ = Story();
    for (const NewJob* job : {&kBad, &kGood}) {
      CHECK_OK(create(kind, *job, cloud_.url(), client_));
      std::string tags;
      for (const auto& [key, value] : job->tags) tags += fmt::format(" {}={}", key, value);
      story_.tell(job->owner,
                  fmt::format("creates {} with {}; tags:{}", job->name, name(kind), tags));
    }
    TRY(const bool stopped, watch());
    if (!stopped) {
      fmt::print(
          "\nThe job was not stopped within a minute: this is a defect. See build/demo.log\n");
      return 1;
    }
    return conclude();
  }

 private:
  // Tells each change of state until the bad job has ended.
  Result<bool> watch() {
    constexpr milliseconds kPatience{60'000};
    bool told_wait = false;
    while (story_.elapsed() < kPatience) {
      TRY(const std::string bad, tell_changes(kBad));
      TRY(const std::string good, tell_changes(kGood));
      if (good != "InProgress") {
        fmt::print("\n{} is {}, but nothing is wrong with it: this is a defect.\n", kGood.name,
                   good);
        return false;
      }
      if (bad == "Stopped") return true;
      if (!told_wait && story_.elapsed() > seconds(5)) {
        told_wait = true;
        story_.tell("trainwarden",
                    "waits: tags arrive late on AWS, so an absent one counts from 15 s on");
      }
      std::this_thread::sleep_for(milliseconds(100));
    }
    return false;
  }

  Result<std::string> tell_changes(const NewJob& job) {
    TRY(const json::Document describe,
        sagemaker_.describe_training_job(*aws::JobName::parse(job.name), context()));
    std::string secondary(describe.root().find("SecondaryStatus")->as_string());
    if (std::string& last = last_told_[job.name]; last != secondary) {
      last = secondary;
      story_.tell("SageMaker", fmt::format("{} is {}", job.name, secondary));
    }
    return std::string(describe.root().find("TrainingJobStatus")->as_string());
  }

  Result<int> conclude() {
    TRY(const json::Document describe,
        sagemaker_.describe_training_job(*aws::JobName::parse(kBad.name), context()));
    TRY(const json::Document tags,
        sagemaker_.list_tags(describe.root().find("TrainingJobArn")->as_string(), context()));
    fmt::print("\nWhat {} finds on {}:\n", kBad.owner, kBad.name);
    for (const auto& [key, value] : tags.root().members())
      fmt::print("  {:<20} {}\n", key, value.as_string());
    fmt::print("{} still trains.\n", kGood.name);
    if (!tags.root().find("trainwarden:rule")) {
      fmt::print("\nThe tag trainwarden:rule is missing: this is a defect.\n");
      return 1;
    }
    return tell_calls();
  }

  // The calls of the function, each of whose signatures the embedded AWS has verified.
  Result<int> tell_calls() {
    TRY(const http::Response response,
        http::send(transport_, {"GET", cloud_.url() + "/_localaws/calls", {}, {}},
                   context().deadline));
    TRY(const json::Document calls, json::Document::parse(response.body));
    fmt::print("\nCalls of the state function until then, signatures verified:\n");
    bool stopped = false;
    for (const json::Value call : calls.root().elements()) {
      if (stopped) break;  // what follows are the events that queued up meanwhile
      const auto request = call.find("request");
      const auto job = request ? request->find("TrainingJobName") : std::nullopt;
      const auto arn = request ? request->find("ResourceArn") : std::nullopt;
      const std::string_view target = job ? job->as_string() : arn ? arn->as_string() : "";
      fmt::print("  {:<20} {} → {}\n", call.find("operation")->as_string(),
                 target.substr(target.rfind('/') + 1),
                 call.find("status")->as_integer().value_or(0));
      stopped = call.find("operation")->as_string() == "StopTrainingJob";
    }
    fmt::print("\nIts log: build/demo.log. The policy: tests/demo/policy.json\n");
    return 0;
  }

  static aws::CallContext context() {
    return {Deadline::at(Deadline::Clock::now() + seconds(10)), "", nullptr};
  }

  const EmbeddedAws& cloud_;
  aws::Client& client_;
  aws::SageMaker sagemaker_;
  http::CurlTransport transport_{{}, system_clock()};
  Story story_;
  std::map<std::string, std::string> last_told_;
};

Result<int> run(const std::string& bin) {
  TRY(const EmbeddedAws cloud, EmbeddedAws::start(bin, "tests/demo/policy.json", "build/demo.log"));
  http::CurlTransport transport({}, system_clock());
  aws::Client client({{"test", Secret("test"), Secret()},
                      "eu-central-1",
                      3,
                      aws::Endpoints::all_at(cloud.url() + "/")},
                     transport, system_clock(), [] { return 0.5; });
  return Demo(cloud, client).run();
}

}  // namespace
}  // namespace trainwarden::demo

int main(int argc, char** argv) {
  std::string bin = argc > 0 ? argv[0] : "";
  bin.resize(bin.rfind('/') == std::string::npos ? 0 : bin.rfind('/'));
  const auto status = trainwarden::demo::run(bin.empty() ? "." : bin);
  if (status) return *status;
  std::fputs(fmt::format("demo: {}\n", status.error().message).c_str(), stderr);
  return 1;
}
