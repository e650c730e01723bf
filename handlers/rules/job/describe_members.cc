#include "handlers/rules/job/describe_members.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace trainwarden::rules {
namespace {

constexpr bool kList = true;  // lies in a list, or is one
using enum LeafType;

// Sorted by path. "*" stands for any name.
constexpr std::array kMembers = {
    Leaf{"AlgorithmSpecification.AlgorithmName", kString},
    Leaf{"AlgorithmSpecification.ContainerArguments", kString, kList},
    Leaf{"AlgorithmSpecification.ContainerEntrypoint", kString, kList},
    Leaf{"AlgorithmSpecification.EnableSageMakerMetricsTimeSeries", kBoolean},
    Leaf{"AlgorithmSpecification.MetricDefinitions.Name", kString, kList},
    Leaf{"AlgorithmSpecification.MetricDefinitions.Regex", kString, kList},
    Leaf{"AlgorithmSpecification.TrainingImage", kString},
    Leaf{"AlgorithmSpecification.TrainingImageConfig.TrainingRepositoryAccessMode", kString},
    Leaf{"AlgorithmSpecification.TrainingImageConfig.TrainingRepositoryAuthConfig."
         "TrainingRepositoryCredentialsProviderArn",
         kString},
    Leaf{"AlgorithmSpecification.TrainingInputMode", kString},
    Leaf{"AutoMLJobArn", kString},
    Leaf{"BillableTimeInSeconds", kNumber},
    Leaf{"BillableTokenCount", kNumber},
    Leaf{"CheckpointConfig.LocalPath", kString},
    Leaf{"CheckpointConfig.S3Uri", kString},
    Leaf{"CreationTime", kTime},
    Leaf{"DebugHookConfig.CollectionConfigurations.CollectionName", kString, kList},
    Leaf{"DebugHookConfig.CollectionConfigurations.CollectionParameters.*", kString, kList},
    Leaf{"DebugHookConfig.HookParameters.*", kString},
    Leaf{"DebugHookConfig.LocalPath", kString},
    Leaf{"DebugHookConfig.S3OutputPath", kString},
    Leaf{"DebugRuleConfigurations.InstanceType", kString, kList},
    Leaf{"DebugRuleConfigurations.LocalPath", kString, kList},
    Leaf{"DebugRuleConfigurations.RuleConfigurationName", kString, kList},
    Leaf{"DebugRuleConfigurations.RuleEvaluatorImage", kString, kList},
    Leaf{"DebugRuleConfigurations.RuleParameters.*", kString, kList},
    Leaf{"DebugRuleConfigurations.S3OutputPath", kString, kList},
    Leaf{"DebugRuleConfigurations.VolumeSizeInGB", kNumber, kList},
    Leaf{"DebugRuleEvaluationStatuses.LastModifiedTime", kTime, kList},
    Leaf{"DebugRuleEvaluationStatuses.RuleConfigurationName", kString, kList},
    Leaf{"DebugRuleEvaluationStatuses.RuleEvaluationJobArn", kString, kList},
    Leaf{"DebugRuleEvaluationStatuses.RuleEvaluationStatus", kString, kList},
    Leaf{"DebugRuleEvaluationStatuses.StatusDetails", kString, kList},
    Leaf{"EnableInterContainerTrafficEncryption", kBoolean},
    Leaf{"EnableManagedSpotTraining", kBoolean},
    Leaf{"EnableNetworkIsolation", kBoolean},
    Leaf{"Environment.*", kString},
    Leaf{"ExperimentConfig.ExperimentName", kString},
    Leaf{"ExperimentConfig.RunName", kString},
    Leaf{"ExperimentConfig.TrialComponentDisplayName", kString},
    Leaf{"ExperimentConfig.TrialName", kString},
    Leaf{"FailureReason", kString},
    Leaf{"FinalMetricDataList.MetricName", kString, kList},
    Leaf{"FinalMetricDataList.Timestamp", kTime, kList},
    Leaf{"FinalMetricDataList.Value", kNumber, kList},
    Leaf{"HyperParameters.*", kString},
    Leaf{"InfraCheckConfig.EnableInfraCheck", kBoolean},
    Leaf{"InputDataConfig.ChannelName", kString, kList},
    Leaf{"InputDataConfig.CompressionType", kString, kList},
    Leaf{"InputDataConfig.ContentType", kString, kList},
    Leaf{"InputDataConfig.DataSource.DatasetSource.DatasetArn", kString, kList},
    Leaf{"InputDataConfig.DataSource.FileSystemDataSource.DirectoryPath", kString, kList},
    Leaf{"InputDataConfig.DataSource.FileSystemDataSource.FileSystemAccessMode", kString, kList},
    Leaf{"InputDataConfig.DataSource.FileSystemDataSource.FileSystemId", kString, kList},
    Leaf{"InputDataConfig.DataSource.FileSystemDataSource.FileSystemType", kString, kList},
    Leaf{"InputDataConfig.DataSource.S3DataSource.AttributeNames", kString, kList},
    Leaf{"InputDataConfig.DataSource.S3DataSource.HubAccessConfig.HubContentArn", kString, kList},
    Leaf{"InputDataConfig.DataSource.S3DataSource.InstanceGroupNames", kString, kList},
    Leaf{"InputDataConfig.DataSource.S3DataSource.ModelAccessConfig.AcceptEula", kBoolean, kList},
    Leaf{"InputDataConfig.DataSource.S3DataSource.S3DataDistributionType", kString, kList},
    Leaf{"InputDataConfig.DataSource.S3DataSource.S3DataType", kString, kList},
    Leaf{"InputDataConfig.DataSource.S3DataSource.S3Uri", kString, kList},
    Leaf{"InputDataConfig.InputMode", kString, kList},
    Leaf{"InputDataConfig.RecordWrapperType", kString, kList},
    Leaf{"InputDataConfig.ShuffleConfig.Seed", kNumber, kList},
    Leaf{"LabelingJobArn", kString},
    Leaf{"LastModifiedTime", kTime},
    Leaf{"MlflowConfig.MlflowExperimentName", kString},
    Leaf{"MlflowConfig.MlflowResourceArn", kString},
    Leaf{"MlflowConfig.MlflowRunName", kString},
    Leaf{"MlflowDetails.MlflowExperimentId", kString},
    Leaf{"MlflowDetails.MlflowRunId", kString},
    Leaf{"ModelArtifacts.S3ModelArtifacts", kString},
    Leaf{"ModelPackageConfig.ModelPackageGroupArn", kString},
    Leaf{"ModelPackageConfig.SourceModelPackageArn", kString},
    Leaf{"OutputDataConfig.CompressionType", kString},
    Leaf{"OutputDataConfig.KmsKeyId", kString},
    Leaf{"OutputDataConfig.S3OutputPath", kString},
    Leaf{"OutputModelPackageArn", kString},
    Leaf{"ProfilerConfig.DisableProfiler", kBoolean},
    Leaf{"ProfilerConfig.ProfilingIntervalInMilliseconds", kNumber},
    Leaf{"ProfilerConfig.ProfilingParameters.*", kString},
    Leaf{"ProfilerConfig.S3OutputPath", kString},
    Leaf{"ProfilerRuleConfigurations.InstanceType", kString, kList},
    Leaf{"ProfilerRuleConfigurations.LocalPath", kString, kList},
    Leaf{"ProfilerRuleConfigurations.RuleConfigurationName", kString, kList},
    Leaf{"ProfilerRuleConfigurations.RuleEvaluatorImage", kString, kList},
    Leaf{"ProfilerRuleConfigurations.RuleParameters.*", kString, kList},
    Leaf{"ProfilerRuleConfigurations.S3OutputPath", kString, kList},
    Leaf{"ProfilerRuleConfigurations.VolumeSizeInGB", kNumber, kList},
    Leaf{"ProfilerRuleEvaluationStatuses.LastModifiedTime", kTime, kList},
    Leaf{"ProfilerRuleEvaluationStatuses.RuleConfigurationName", kString, kList},
    Leaf{"ProfilerRuleEvaluationStatuses.RuleEvaluationJobArn", kString, kList},
    Leaf{"ProfilerRuleEvaluationStatuses.RuleEvaluationStatus", kString, kList},
    Leaf{"ProfilerRuleEvaluationStatuses.StatusDetails", kString, kList},
    Leaf{"ProfilingStatus", kString},
    Leaf{"ProgressInfo.CurrentEpoch", kNumber},
    Leaf{"ProgressInfo.CurrentStep", kNumber},
    Leaf{"ProgressInfo.MaxEpoch", kNumber},
    Leaf{"ProgressInfo.TotalStepCountPerEpoch", kNumber},
    Leaf{"RemoteDebugConfig.EnableRemoteDebug", kBoolean},
    Leaf{"ResourceConfig.InstanceCount", kNumber},
    Leaf{"ResourceConfig.InstanceGroups.InstanceCount", kNumber, kList},
    Leaf{"ResourceConfig.InstanceGroups.InstanceGroupName", kString, kList},
    Leaf{"ResourceConfig.InstanceGroups.InstanceType", kString, kList},
    Leaf{"ResourceConfig.InstancePlacementConfig.EnableMultipleJobs", kBoolean},
    Leaf{"ResourceConfig.InstancePlacementConfig.PlacementSpecifications.InstanceCount", kNumber,
         kList},
    Leaf{"ResourceConfig.InstancePlacementConfig.PlacementSpecifications.UltraServerId", kString,
         kList},
    Leaf{"ResourceConfig.InstanceType", kString},
    Leaf{"ResourceConfig.KeepAlivePeriodInSeconds", kNumber},
    Leaf{"ResourceConfig.TrainingPlanArn", kString},
    Leaf{"ResourceConfig.VolumeKmsKeyId", kString},
    Leaf{"ResourceConfig.VolumeSizeInGB", kNumber},
    Leaf{"RetryStrategy.MaximumRetryAttempts", kNumber},
    Leaf{"RoleArn", kString},
    Leaf{"SecondaryStatus", kString},
    Leaf{"SecondaryStatusTransitions.EndTime", kTime, kList},
    Leaf{"SecondaryStatusTransitions.StartTime", kTime, kList},
    Leaf{"SecondaryStatusTransitions.Status", kString, kList},
    Leaf{"SecondaryStatusTransitions.StatusMessage", kString, kList},
    Leaf{"ServerlessJobConfig.AcceptEula", kBoolean},
    Leaf{"ServerlessJobConfig.BaseModelArn", kString},
    Leaf{"ServerlessJobConfig.CustomizationTechnique", kString},
    Leaf{"ServerlessJobConfig.EvaluationType", kString},
    Leaf{"ServerlessJobConfig.EvaluatorArn", kString},
    Leaf{"ServerlessJobConfig.JobType", kString},
    Leaf{"ServerlessJobConfig.Peft", kString},
    Leaf{"StoppingCondition.MaxPendingTimeInSeconds", kNumber},
    Leaf{"StoppingCondition.MaxRuntimeInSeconds", kNumber},
    Leaf{"StoppingCondition.MaxWaitTimeInSeconds", kNumber},
    Leaf{"TensorBoardOutputConfig.LocalPath", kString},
    Leaf{"TensorBoardOutputConfig.S3OutputPath", kString},
    Leaf{"TrainingEndTime", kTime},
    Leaf{"TrainingJobArn", kString},
    Leaf{"TrainingJobName", kString},
    Leaf{"TrainingJobStatus", kString},
    Leaf{"TrainingStartTime", kTime},
    Leaf{"TrainingTimeInSeconds", kNumber},
    Leaf{"TuningJobArn", kString},
    Leaf{"VpcConfig.SecurityGroupIds", kString, kList},
    Leaf{"VpcConfig.Subnets", kString, kList},
    Leaf{"WarmPoolStatus.ResourceRetainedBillableTimeInSeconds", kNumber},
    Leaf{"WarmPoolStatus.ReusedByJob", kString},
    Leaf{"WarmPoolStatus.Status", kString},
};

static_assert(std::ranges::is_sorted(kMembers, {}, &Leaf::path));

}  // namespace

std::string_view describe(LeafType type) {
  switch (type) {
    case kString:
      return "a string";
    case kNumber:
      return "a number";
    case kBoolean:
      return "a boolean";
    case kTime:
      return "a time (seconds since 1970)";
  }
  return "";
}

std::span<const Leaf> describe_members() { return kMembers; }

const Leaf* find_describe_member(std::string_view path) {
  auto at = std::ranges::lower_bound(kMembers, path, {}, &Leaf::path);
  if (at != kMembers.end() && at->path == path) return &*at;
  for (const Leaf& leaf : kMembers) {
    if (!leaf.is_map()) continue;
    const std::string_view prefix = leaf.path.substr(0, leaf.path.size() - 1);
    if (path.size() > prefix.size() && path.starts_with(prefix)) return &leaf;
  }
  return nullptr;
}

std::span<const std::string_view> paths_of_ended_jobs() {
  static constexpr std::array<std::string_view, 4> kPaths = {"TrainingEndTime", "FailureReason",
                                                             "BillableTimeInSeconds",
                                                             "ModelArtifacts.S3ModelArtifacts"};
  return kPaths;
}

bool search_lacks(std::string_view path) {
  // DescribeTrainingJobResponse's members that TrainingJob, which Search answers, has not.
  static constexpr std::array<std::string_view, 10> kLacking = {"BillableTokenCount",
                                                                "InfraCheckConfig",
                                                                "MlflowConfig",
                                                                "MlflowDetails",
                                                                "ProfilerRuleConfigurations",
                                                                "ProfilerRuleEvaluationStatuses",
                                                                "ProfilingStatus",
                                                                "ProgressInfo",
                                                                "RemoteDebugConfig",
                                                                "ServerlessJobConfig"};
  const std::string_view member = path.substr(0, path.find('.'));
  return std::ranges::find(kLacking, member) != kLacking.end();
}

}  // namespace trainwarden::rules
