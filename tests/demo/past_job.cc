#include "tests/demo/past_job.h"

#include <chrono>

namespace trainwarden::demo {
namespace {

std::int64_t epoch(sys_seconds t) { return t.time_since_epoch().count(); }

void write_states(json::Sink& out, const PastJob& job) {
  out.member("TrainingJobStatus", "InProgress").member("SecondaryStatus", job.states.back().first);
  out.member("CreationTime", epoch(job.created));
  out.member("LastModifiedTime", epoch(job.states.back().second));
  for (const auto& [state, since] : job.states)
    if (state == "Downloading" || state == "Training") {
      out.member("TrainingStartTime", epoch(since));
      break;
    }
  out.key("SecondaryStatusTransitions").begin_array();
  for (std::size_t i = 0; i < job.states.size(); ++i) {
    out.begin_object().member("Status", job.states[i].first);
    out.member("StartTime", epoch(job.states[i].second));
    if (i + 1 < job.states.size()) out.member("EndTime", epoch(job.states[i + 1].second));
    out.member("StatusMessage", "").end_object();
  }
  out.end_array();
}

}  // namespace

json::Document describe_document(const PastJob& job) {
  const std::int64_t max_runtime = std::chrono::seconds(job.max_runtime).count();
  return json::Document::build([&](json::Sink& out) {
    out.begin_object();
    write_states(out, job);
    out.member("RoleArn", "arn:aws:iam::111122223333:role/TrainingRole");
    out.key("AlgorithmSpecification").begin_object();
    out.member("TrainingImage",
               "763104351884.dkr.ecr.eu-central-1.amazonaws.com/pytorch-training:2.5.1-gpu-py311");
    out.member("TrainingInputMode", "File").end_object();
    out.key("OutputDataConfig").begin_object();
    out.member("S3OutputPath", "s3://example-bucket/out/").end_object();
    out.key("ResourceConfig").begin_object().member("InstanceType", job.instance_type);
    out.member("InstanceCount", job.instances).member("VolumeSizeInGB", 500).end_object();
    out.key("StoppingCondition").begin_object().member("MaxRuntimeInSeconds", max_runtime);
    if (job.spot) out.member("MaxWaitTimeInSeconds", max_runtime);
    out.end_object().member("EnableManagedSpotTraining", job.spot);
    if (!job.checkpoints.empty())
      out.key("CheckpointConfig").begin_object().member("S3Uri", job.checkpoints).end_object();
    out.key("Tags").begin_object();
    for (const auto& [key, value] : job.tags) out.member(key, value);
    out.end_object().end_object();
  });
}

}  // namespace trainwarden::demo
