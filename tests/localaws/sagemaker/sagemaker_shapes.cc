#include "tests/localaws/sagemaker/sagemaker_shapes.h"

#include "tests/localaws/service/patterns.h"

namespace trainwarden::localaws {
namespace {

using namespace patterns;

Shape job_name() { return text(1, 63, kTrainingJobName); }
Shape any_text(std::int64_t max) { return text({}, max); }
Shape s3_uri() { return text({}, 1024, kS3Uri); }
Shape instance_type() { return text({}, {}, kInstanceType); }
Shape input_mode() { return choice({"Pipe", "File", "FastFile"}); }
Shape next_token() { return any_text(8192); }
Shape resource_arn() { return text({}, 256, kResourceArn); }
Shape training_plan_arn() { return text(50, 2048); }
Shape parameters(std::int64_t count) { return map(text(1, 256), any_text(256), count); }

Shape tag_key() { return text(1, 128, kTag); }
Shape tags() {
  return list(object({required("Key", tag_key()), required("Value", text({}, 256, kTag))}), {}, 50);
}

Shape algorithm() {
  return object(
      {optional("TrainingImage", any_text(255)), optional("AlgorithmName", text(1, 170)),
       required("TrainingInputMode", input_mode()),
       optional(
           "MetricDefinitions",
           list(object({required("Name", text(1, 255)), required("Regex", text(1, 500))}), {}, 40)),
       optional("EnableSageMakerMetricsTimeSeries", boolean()),
       optional("ContainerEntrypoint", list(any_text(256), 1, 100)),
       optional("ContainerArguments", list(any_text(256), 1, 100)),
       optional("TrainingImageConfig",
                object({required("TrainingRepositoryAccessMode", choice({"Platform", "Vpc"})),
                        optional("TrainingRepositoryAuthConfig",
                                 object({required("TrainingRepositoryCredentialsProviderArn",
                                                  any_text(2048))}))}))});
}

Shape data_source() {
  return object(
      {optional(
           "S3DataSource",
           object(
               {required("S3DataType",
                         choice({"ManifestFile", "S3Prefix", "AugmentedManifestFile", "Converse"})),
                required("S3Uri", s3_uri()),
                optional("S3DataDistributionType", choice({"FullyReplicated", "ShardedByS3Key"})),
                optional("AttributeNames", list(text(1, 256), {}, 16)),
                optional("InstanceGroupNames", list(text(1, 64), {}, 5)),
                optional("ModelAccessConfig", object({required("AcceptEula", boolean())})),
                optional("HubAccessConfig", object({required("HubContentArn", any_text(255))}))})),
       optional("FileSystemDataSource",
                object({required("FileSystemId", text(11, 21)),
                        required("FileSystemAccessMode", choice({"rw", "ro"})),
                        required("FileSystemType", choice({"EFS", "FSxLustre"})),
                        required("DirectoryPath", any_text(4096))})),
       optional("DatasetSource", object({required("DatasetArn", any_text(2048))}))});
}

Shape channels() {
  return list(object({required("ChannelName", text(1, 64, kChannelName)),
                      required("DataSource", data_source()), optional("ContentType", any_text(256)),
                      optional("CompressionType", choice({"None", "Gzip"})),
                      optional("RecordWrapperType", choice({"None", "RecordIO"})),
                      optional("InputMode", input_mode()),
                      optional("ShuffleConfig", object({required("Seed", integer())}))}),
              1, 20);
}

Shape output() {
  return object({optional("KmsKeyId", text({}, 2048, kKmsKeyId)),
                 required("S3OutputPath", s3_uri()),
                 optional("CompressionType", choice({"GZIP", "NONE"}))});
}

Shape resources() {
  return object(
      {optional("InstanceType", instance_type()), optional("InstanceCount", integer(0)),
       optional("VolumeSizeInGB", integer(0)),
       optional("VolumeKmsKeyId", text({}, 2048, kKmsKeyId)),
       optional("KeepAlivePeriodInSeconds", integer(0, 21600)),
       optional("InstanceGroups", list(object({required("InstanceType", instance_type()),
                                               required("InstanceCount", integer(0)),
                                               required("InstanceGroupName", text(1, 64))}),
                                       {}, 5)),
       optional("TrainingPlanArn", training_plan_arn()),
       optional("InstancePreferences",
                list(object({required("InstanceType", instance_type()),
                             optional("InstanceCount", integer(1)),
                             optional("TrainingPlanArns", list(training_plan_arn(), {}, 5))}),
                     1, 5)),
       optional("SelectedInstanceType", instance_type()),
       optional("SelectedInstanceCount", integer(0)),
       optional("InstancePlacementConfig",
                object({optional("EnableMultipleJobs", boolean()),
                        optional("PlacementSpecifications",
                                 list(object({optional("UltraServerId", any_text(256)),
                                              required("InstanceCount", integer(0))}),
                                      {}, 10))}))});
}

Shape stopping() {
  return object({optional("MaxRuntimeInSeconds", integer(1)),
                 optional("MaxWaitTimeInSeconds", integer(1)),
                 optional("MaxPendingTimeInSeconds", integer(7200, 2419200))});
}

Shape rules() {
  return list(
      object({required("RuleConfigurationName", text(1, 256)),
              optional("LocalPath", any_text(4096)), optional("S3OutputPath", s3_uri()),
              required("RuleEvaluatorImage", any_text(255)),
              optional("InstanceType", instance_type()), optional("VolumeSizeInGB", integer(0)),
              optional("RuleParameters", parameters(100))}),
      {}, 20);
}

Shape debug_hook() {
  return object({optional("LocalPath", any_text(4096)), required("S3OutputPath", s3_uri()),
                 optional("HookParameters", parameters(20)),
                 optional("CollectionConfigurations",
                          list(object({optional("CollectionName", text(1, 256)),
                                       optional("CollectionParameters", parameters(20))}),
                               {}, 20))});
}

Shape experiment() {
  return object({optional("ExperimentName", text(1, 120)), optional("TrialName", text(1, 120)),
                 optional("TrialComponentDisplayName", text(1, 120)),
                 optional("RunName", text(1, 120))});
}

Shape profiler() {
  return object(
      {optional("S3OutputPath", s3_uri()), optional("ProfilingIntervalInMilliseconds", integer()),
       optional("ProfilingParameters", parameters(20)), optional("DisableProfiler", boolean())});
}

Shape create_training_job() {
  return object(
      {required("TrainingJobName", job_name()),
       optional("HyperParameters", map(any_text(256), any_text(2500), 100)),
       optional("AlgorithmSpecification", algorithm()),
       required("RoleArn", text(20, 2048, kRoleArn)),
       optional("InputDataConfig", channels()),
       required("OutputDataConfig", output()),
       optional("ResourceConfig", resources()),
       optional("VpcConfig", object({required("SecurityGroupIds", list(text({}, 32, kVpcId), 1, 5)),
                                     required("Subnets", list(text({}, 32, kVpcId), 1, 16))})),
       optional("StoppingCondition", stopping()),
       optional("Tags", tags()),
       optional("EnableNetworkIsolation", boolean()),
       optional("EnableInterContainerTrafficEncryption", boolean()),
       optional("EnableManagedSpotTraining", boolean()),
       optional("CheckpointConfig",
                object({required("S3Uri", s3_uri()), optional("LocalPath", any_text(4096))})),
       optional("DebugHookConfig", debug_hook()),
       optional("DebugRuleConfigurations", rules()),
       optional("TensorBoardOutputConfig", object({optional("LocalPath", any_text(4096)),
                                                   required("S3OutputPath", s3_uri())})),
       optional("ExperimentConfig", experiment()),
       optional("ProfilerConfig", profiler()),
       optional("ProfilerRuleConfigurations", rules()),
       optional("Environment", map(text({}, 512, kEnvironmentKey), any_text(512), 100)),
       optional("RetryStrategy", object({required("MaximumRetryAttempts", integer(1, 30))})),
       optional("RemoteDebugConfig", object({optional("EnableRemoteDebug", boolean())})),
       optional("InfraCheckConfig", object({optional("EnableInfraCheck", boolean())})),
       optional("SessionChainingConfig", object({optional("EnableSessionTagChaining", boolean())})),
       optional("ServerlessJobConfig",
                object({required("BaseModelArn", text(1, 2048)), optional("AcceptEula", boolean()),
                        optional("SequenceLength", any_text(16)),
                        optional("CustomizationTechnique", any_text(64)),
                        optional("Peft", any_text(64)), optional("EvaluationType", any_text(64)),
                        optional("EvaluatorArn", any_text(2048)),
                        required("JobType", choice({"FineTuning", "Evaluation"}))})),
       optional("MlflowConfig", object({required("MlflowResourceArn", any_text(2048)),
                                        optional("MlflowExperimentName", text(1, 256)),
                                        optional("MlflowRunName", text(1, 256))})),
       optional("ModelPackageConfig", object({required("ModelPackageGroupArn", text(1, 2048)),
                                              optional("SourceModelPackageArn", text(1, 2048))}))});
}

Shape list_training_jobs_shape() {
  return object(
      {optional("NextToken", next_token()), optional("MaxResults", integer(1, 100)),
       optional("CreationTimeAfter", time()), optional("CreationTimeBefore", time()),
       optional("LastModifiedTimeAfter", time()), optional("LastModifiedTimeBefore", time()),
       optional("NameContains", text({}, 63, kNameContains)),
       optional("StatusEquals",
                choice({"InProgress", "Completed", "Failed", "Stopping", "Stopped", "Deleting"})),
       optional("SortBy", choice({"Name", "CreationTime", "Status"})),
       optional("SortOrder", choice({"Ascending", "Descending"})),
       optional("WarmPoolStatusEquals", choice({"Available", "Terminated", "Reused", "InUse"})),
       optional("TrainingPlanArnEquals", training_plan_arn())});
}

Shape filters() {
  return list(
      object({required("Name", text(1, 255)),
              optional("Operator", choice({"Equals", "NotEquals", "GreaterThan",
                                           "GreaterThanOrEqualTo", "LessThan", "LessThanOrEqualTo",
                                           "Contains", "Exists", "NotExists", "In"})),
              optional("Value", text(1, 1024))}),
      1, 20);
}

// The model's expression contains itself; here so many levels deep.
Shape search_expression(int levels) {
  std::vector<Field> fields = {
      optional("Filters", filters()),
      optional("NestedFilters", list(object({required("NestedPropertyName", text(1, 255)),
                                             required("Filters", filters())}),
                                     1, 20)),
      optional("Operator", choice({"And", "Or"}))};
  if (levels > 0)
    fields.push_back(optional("SubExpressions", list(search_expression(levels - 1), 1, 20)));
  return object(std::move(fields));
}

Shape search_shape() {
  return object(
      {required(
           "Resource",
           choice({"TrainingJob", "Experiment", "ExperimentTrial", "ExperimentTrialComponent",
                   "Endpoint", "Model", "ModelPackage", "ModelPackageGroup", "Pipeline",
                   "PipelineExecution", "FeatureGroup", "FeatureMetadata", "Image", "ImageVersion",
                   "Project", "HyperParameterTuningJob", "ModelCard", "PipelineVersion"})),
       optional("SearchExpression", search_expression(4)), optional("SortBy", text(1, 255)),
       optional("SortOrder", choice({"Ascending", "Descending"})),
       optional("NextToken", next_token()), optional("MaxResults", integer(1, 100)),
       optional("CrossAccountFilterOption", choice({"SameAccount", "CrossAccount"})),
       optional("VisibilityConditions",
                list(object({optional("Key", tag_key()), optional("Value", text({}, 256, kTag))}),
                     1, 5))});
}

Shape tuner_name() { return text(1, 32, kTrainingJobName); }

// In ListHyperParameterTuningJobs and ListAutoMLJobs.
Shape tuner_list(std::initializer_list<std::string_view> statuses) {
  return object({optional("NextToken", next_token()), optional("MaxResults", integer(1, 100)),
                 optional("SortBy", choice({"Name", "Status", "CreationTime"})),
                 optional("SortOrder", choice({"Ascending", "Descending"})),
                 optional("NameContains", text({}, 63)), optional("CreationTimeAfter", time()),
                 optional("CreationTimeBefore", time()), optional("LastModifiedTimeAfter", time()),
                 optional("LastModifiedTimeBefore", time()),
                 optional("StatusEquals", choice(statuses))});
}

// What localaws reads of a definition; the rest is kept as it is.
Shape tuning_definition() {
  return object(
      {optional("DefinitionName", text(1, 64)), optional("TuningObjective", object({})),
       optional("HyperParameterRanges", object({})), optional("StaticHyperParameters", object({})),
       required("AlgorithmSpecification", object({})), required("RoleArn", any_text(2048)),
       optional("InputDataConfig", channels()), optional("VpcConfig", object({})),
       required("OutputDataConfig", output()), optional("ResourceConfig", resources()),
       optional("HyperParameterTuningResourceConfig", object({})),
       required("StoppingCondition", object({})), optional("EnableNetworkIsolation", boolean()),
       optional("EnableInterContainerTrafficEncryption", boolean()),
       optional("EnableManagedSpotTraining", boolean()), optional("CheckpointConfig", object({})),
       optional("RetryStrategy", object({})), optional("Environment", object({}))});
}

Shape create_tuning_job() {
  return object({required("HyperParameterTuningJobName", tuner_name()),
                 required("HyperParameterTuningJobConfig", object({})),
                 optional("TrainingJobDefinition", tuning_definition()),
                 optional("TrainingJobDefinitions", list(tuning_definition(), 1, 10)),
                 optional("WarmStartConfig", object({})), optional("Tags", tags()),
                 optional("Autotune", object({}))});
}

Shape only_name() { return object({required("TrainingJobName", job_name())}); }

}  // namespace

Shapes sagemaker_inputs() {
  Shapes out;
  out.emplace("CreateTrainingJob", create_training_job());
  out.emplace("DescribeTrainingJob", only_name());
  out.emplace("StopTrainingJob", only_name());
  out.emplace(
      "UpdateTrainingJob",
      object({required("TrainingJobName", job_name()),
              optional("ResourceConfig",
                       object({required("KeepAlivePeriodInSeconds", integer(0, 21600))}))}));
  out.emplace("DeleteTrainingJob", only_name());
  out.emplace("Search", search_shape());
  out.emplace("ListTrainingJobs", list_training_jobs_shape());
  out.emplace("CreateHyperParameterTuningJob", create_tuning_job());
  out.emplace("DescribeHyperParameterTuningJob",
              object({required("HyperParameterTuningJobName", tuner_name())}));
  out.emplace("StopHyperParameterTuningJob",
              object({required("HyperParameterTuningJobName", tuner_name())}));
  out.emplace("ListHyperParameterTuningJobs",
              tuner_list({"Completed", "InProgress", "Failed", "Stopped", "Stopping", "Deleting",
                          "DeleteFailed"}));
  out.emplace("StopAutoMLJob", object({required("AutoMLJobName", tuner_name())}));
  out.emplace("ListAutoMLJobs",
              tuner_list({"Completed", "InProgress", "Failed", "Stopped", "Stopping"}));
  out.emplace("ListTags",
              object({required("ResourceArn", resource_arn()), optional("NextToken", next_token()),
                      optional("MaxResults", integer(50))}));
  out.emplace("AddTags",
              object({required("ResourceArn", resource_arn()), required("Tags", tags())}));
  out.emplace("DeleteTags", object({required("ResourceArn", resource_arn()),
                                    required("TagKeys", list(tag_key(), 1, 50))}));
  return out;
}

}  // namespace trainwarden::localaws
