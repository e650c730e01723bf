#include "handlers/cli/check/sample_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "handlers/cli/check/allowed_jobs.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/policy/remarks.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {
namespace {

// A sample job. `members` is part of DescribeTrainingJob's answer; sources_of() adds statuses,
// times, and what AWS always gives (rules/job/always_given.h).
struct Sample {
  std::string_view name;
  std::string_view secondary_status;
  bool tagged;  // has every tag key that the policy names
  std::string_view members;
};

constexpr std::array<Sample, 6> kSamples = {{
    {"cpu", "Training", true,
     R"("ResourceConfig":{"InstanceType":"ml.m5.xlarge","InstanceCount":1,"VolumeSizeInGB":30,
        "VolumeKmsKeyId":"arn:aws:kms:eu-central-1:111122223333:key/sample"},
        "StoppingCondition":{"MaxRuntimeInSeconds":3600},"EnableNetworkIsolation":true,
        "VpcConfig":{"Subnets":["subnet-1"],"SecurityGroupIds":["sg-1"]})"},
    {"large", "Training", false,
     R"("ResourceConfig":{"InstanceType":"ml.p5.48xlarge","InstanceCount":16,"VolumeSizeInGB":500},
        "StoppingCondition":{"MaxRuntimeInSeconds":2419200},"EnableNetworkIsolation":false)"},
    {"spot", "Interrupted", true,
     R"("ResourceConfig":{"InstanceType":"ml.g5.12xlarge","InstanceCount":1,"VolumeSizeInGB":100},
        "StoppingCondition":{"MaxRuntimeInSeconds":86400,"MaxWaitTimeInSeconds":172800},
        "EnableManagedSpotTraining":true,"CheckpointConfig":{"S3Uri":"s3://example-bucket/c/"})"},
    {"groups", "Starting", false,
     R"("ResourceConfig":{"InstanceGroups":[
        {"InstanceType":"ml.g5.xlarge","InstanceCount":2,"InstanceGroupName":"a"},
        {"InstanceType":"ml.c5.xlarge","InstanceCount":4,"InstanceGroupName":"b"}]},
        "StoppingCondition":{"MaxRuntimeInSeconds":43200})"},
    {"tuned", "Downloading", false,
     R"("ResourceConfig":{"InstanceType":"ml.trn1.32xlarge","InstanceCount":1,"VolumeSizeInGB":50},
        "TuningJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:hyper-parameter-tuning-job/t",
        "StoppingCondition":{"MaxRuntimeInSeconds":7200},"Environment":{"STAGE":"test"})"},
    {"tagged", "Uploading", true,
     R"("ResourceConfig":{"InstanceType":"ml.p4d.24xlarge","InstanceCount":2,"VolumeSizeInGB":200},
        "StoppingCondition":{"MaxRuntimeInSeconds":172800},"EnableManagedSpotTraining":false)"},
}};

constexpr sys_seconds kCreated{std::chrono::seconds(1'783'000'000)};  // a Thursday, 13:46 UTC
constexpr std::string_view kTimeOfTag = "2026-07-03T12:00:00Z";       // 21 hours later than now

// A tag for every key that the policy names: a time if rules read it as one, else "sample".
json::Document tags(const rules::Policy& policy, bool tagged) {
  std::map<std::string_view, std::string_view> keys;
  for (const rules::Rule& rule : policy.rules()) {
    for (const auto* pattern : {&rule.match, &rule.unless, &rule.policy_wide()}) {
      for (const rules::Conjunction& conjunction : pattern->any) {
        for (const rules::Part& part : conjunction.parts) {
          const bool is_time = part.group == rules::Group::kUntil;
          if (!is_time && part.group != rules::Group::kTags) continue;
          for (const rules::Condition& condition : part.conditions)
            keys.try_emplace(condition.path, is_time ? kTimeOfTag : "sample");
        }
      }
    }
  }
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    for (const auto& [key, value] : keys) {
      if (tagged) sink.member(key, value);
    }
    sink.end_object();
  });
}

// The flags that the sample does not have; with tags, it has encryption too.
std::string always_given(const Sample& sample) {
  std::string out = fmt::format(
      R"("OutputDataConfig":{{"S3OutputPath":"s3://example-bucket/o/","KmsKeyId":"{}"}})",
      sample.tagged ? "arn:aws:kms:eu-central-1:111122223333:key/sample" : "");
  for (const std::string_view flag : {"EnableInterContainerTrafficEncryption",
                                      "EnableManagedSpotTraining", "EnableNetworkIsolation"})
    if (sample.members.find(flag) == std::string_view::npos)
      out += fmt::format(R"(,"{}":{})", flag,
                         sample.tagged && flag.ends_with("Encryption") ? "true" : "false");
  return out;
}

rules::Sources sources_of(const Sample& sample, const rules::Policy& policy) {
  rules::JobEvent event{rules::Trigger::kState, std::string(sample.name), "InProgress",
                        std::string(sample.secondary_status), kCreated};
  event.account = "111122223333";
  event.region = "eu-central-1";
  rules::Sources out(std::move(event));
  const std::string describe = fmt::format(
      R"({{"TrainingJobName":"{}","TrainingJobStatus":"InProgress","SecondaryStatus":"{}",)"
      R"("TrainingJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:training-job/{}",)"
      R"("AlgorithmSpecification":{{"TrainingImage":"{}.dkr.ecr.eu-central-1.amazonaws.com/{}:1"}},)"
      R"("RoleArn":"arn:aws:iam::111122223333:role/{}","CreationTime":1783000000,)"
      R"("TrainingStartTime":1783000300,"SecondaryStatusTransitions":[],{},{}}})",
      sample.name, sample.secondary_status, sample.name,
      sample.tagged ? "763104351884" : "111122223333", sample.name, sample.name,
      always_given(sample), sample.members);
  if (auto document = json::Document::parse(describe)) {
    out.set(rules::Source::kDescribe, std::move(*document));
  }
  out.set(rules::Source::kTags, tags(policy, sample.tagged));
  return out;
}

}  // namespace

std::vector<rules::Remark> stops_of_everything(const rules::Policy& policy) {
  constexpr std::chrono::hours kLater{1};
  std::vector<rules::Sources> jobs;
  jobs.reserve(kSamples.size());
  for (const Sample& sample : kSamples) jobs.push_back(sources_of(sample, policy));
  std::vector<rules::Facts> facts;
  facts.reserve(kSamples.size());
  for (const rules::Sources& job : jobs) {
    facts.push_back(rules::facts_from(job, policy.prices(), kCreated + kLater, policy.failures()));
  }
  std::vector<rules::Remark> out;
  for (std::size_t i = 0; i < policy.rules().size(); ++i) {
    const rules::Rule& rule = policy.rules()[i];
    if (!rule.has(rules::ActionKind::kStop)) continue;
    const bool all = std::ranges::all_of(facts, [&](const rules::Facts& job) {
      return rules::evaluate_rule(policy, i, job, rules::Mode::kEnforce).verdict ==
             rules::Truth::kTrue;
    });
    if (!all || leaves_some_alone(rule)) continue;
    out.push_back(rules::remark(
        policy, i,
        fmt::format("stops every one of {} sample jobs, which are small and large, with and "
                    "without GPUs, spot, tags and network",
                    kSamples.size())));
  }
  return out;
}

}  // namespace trainwarden::cli
