// What one event costs inside the process, piece by piece.
#include <benchmark/benchmark.h>

#include <string>

#include "awsapi/sigv4.h"
#include "handlers/actions/setup/policy_source.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/state/state_event.h"

namespace trainwarden {
namespace {

constexpr sys_seconds kNow{std::chrono::seconds(1783000213)};

std::string event(const char* status) {
  return std::string(R"({"id":"e","detail-type":"SageMaker Training Job State Change",)") +
         R"("source":"aws.sagemaker","account":"111122223333","region":"eu-central-1","detail":{)" +
         R"("TrainingJobName":"job-1","TrainingJobStatus":")" + status +
         R"(","SecondaryStatus":"Starting","CreationTime":1783000000000,"HyperParameters":{"epochs":"10"},)" +
         R"("ResourceConfig":{"InstanceType":"ml.g5.12xlarge","InstanceCount":1,"VolumeSizeInGB":100},)" +
         R"("StoppingCondition":{"MaxRuntimeInSeconds":86400},"Tags":{"username":"johndoe"}}})";
}

void ParseStateEvent(benchmark::State& state) {
  const std::string payload = event("InProgress");
  for (auto _ : state) benchmark::DoNotOptimize(state::parse_event(payload));
}
BENCHMARK(ParseStateEvent);

void LoadDefaultPolicy(benchmark::State& state) {
  const auto text = actions::read_file("handlers/policy.json");
  for (auto _ : state) benchmark::DoNotOptimize(rules::parse_policy(*text));
}
BENCHMARK(LoadDefaultPolicy);

void DecideOnEventAlone(benchmark::State& state) {
  const auto policy = actions::load_policy("", "handlers");
  const auto parsed = state::parse_event(event("Completed"));
  const rules::Sources sources(std::get<state::StateEvent>(*parsed).job_event);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        rules::decide(*policy, rules::facts_from(sources, kNow), rules::Mode::kEnforce));
}
BENCHMARK(DecideOnEventAlone);

void DecideOnViolation(benchmark::State& state) {
  const auto policy = actions::load_policy("", "handlers");
  const auto parsed = state::parse_event(event("InProgress"));
  rules::Sources sources(std::get<state::StateEvent>(*parsed).job_event);
  sources.set(rules::Source::kTags, *json::Document::parse(R"({"username":"johndoe"})"));
  for (auto _ : state)
    benchmark::DoNotOptimize(
        rules::decide(*policy, rules::facts_from(sources, kNow), rules::Mode::kEnforce));
}
BENCHMARK(DecideOnViolation);

void SignRequest(benchmark::State& state) {
  const aws::Credentials credentials{"AKIDEXAMPLE", Secret("secret"),
                                     Secret(std::string(400, 't'))};
  const http::Request request{"POST",
                              "https://api.sagemaker.eu-central-1.amazonaws.com/",
                              {{"Content-Type", "application/x-amz-json-1.1"},
                               {"X-Amz-Target", "SageMaker.DescribeTrainingJob"}},
                              R"({"TrainingJobName":"job-1"})"};
  for (auto _ : state)
    benchmark::DoNotOptimize(aws::sign(request, credentials, {"eu-central-1", "sagemaker"}, kNow));
}
BENCHMARK(SignRequest);

}  // namespace
}  // namespace trainwarden

BENCHMARK_MAIN();
