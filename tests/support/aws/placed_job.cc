#include "tests/support/aws/placed_job.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/json/json.h"
#include "tests/localaws/sagemaker/job_machine.h"

namespace trainwarden::testing {

std::string arn_of(std::string_view job) {
  return fmt::format("arn:aws:sagemaker:eu-central-1:111122223333:training-job/{}", job);
}

std::string document(const PlacedJob& job, sys_millis now) {
  const double created = static_cast<double>((now - job.age).time_since_epoch().count()) / 1000;
  const auto since_time = now - std::min(job.since, job.age);
  const double since = static_cast<double>(since_time.time_since_epoch().count()) / 1000;
  json::Writer out;
  const auto more = json::Document::parse(
      "{" + (job.more.empty() ? std::string() : job.more.substr(job.more.find(',') + 1)) + "}");
  const json::Value given = more->root();
  out.begin_object();
  const auto unless_given = [&](std::string_view name, const auto& write) {
    if (given.find(name)) return;
    out.key(name);
    write();
  };
  const auto text = [&](std::string_view name, std::string_view value) {
    unless_given(name, [&] { out.string(value); });
  };
  const auto json_text = [&](std::string_view name, const std::string& value) {
    unless_given(name, [&] { out.value(json::Document::parse(value)->root()); });
  };
  const auto number = [&](std::string_view name, double value) {
    unless_given(name, [&] { out.number(value); });
  };
  text("TrainingJobName", job.name);
  text("TrainingJobArn", arn_of(job.name));
  text("TrainingJobStatus", job.status);
  text("SecondaryStatus", job.secondary);
  number("CreationTime", created);
  number("TrainingStartTime", created);
  number("LastModifiedTime", since);
  if (localaws::ended(job.status)) number("TrainingEndTime", since);
  text("RoleArn", "arn:aws:iam::111122223333:role/training/SomeRole");
  json_text("AlgorithmSpecification",
            R"({"TrainingImage":"example/image:1","TrainingInputMode":"File"})");
  json_text("OutputDataConfig", R"({"S3OutputPath":"s3://example-bucket/out/","KmsKeyId":""})");
  json_text("ResourceConfig",
            fmt::format(R"({{"InstanceType":"{}","InstanceCount":{},"VolumeSizeInGB":100}})",
                        job.type, job.count));
  json_text("StoppingCondition", R"({"MaxRuntimeInSeconds":172800})");
  json_text("HyperParameters", R"({"password":"hunter2"})");
  json_text("SecondaryStatusTransitions",
            fmt::format(R"([{{"Status":"Starting","StartTime":{},"EndTime":{}}},)"
                        R"({{"Status":"{}","StartTime":{}}}])",
                        created, since, job.secondary, since));
  if (!job.tags.empty()) {
    out.key("Tags").begin_object();
    for (const auto& [key, value] : job.tags) out.member(key, value);
    out.end_object();
  }
  for (const json::Member member : given.members()) out.member(member.name, member.value);
  out.end_object();
  return out.take();
}

}  // namespace trainwarden::testing
