#include "tests/demo/people.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "runtime/json/json.h"

namespace trainwarden::demo {
namespace {

constexpr const char* kBoto3 = R"(
import json, os, boto3
boto3.client('sagemaker', endpoint_url=os.environ['DEMO_URL'], region_name='eu-central-1',
             aws_access_key_id='test', aws_secret_access_key='test',
             ).create_training_job(**json.loads(os.environ['DEMO_JOB']))
)";

std::string create_request(const NewJob& job) {
  json::Writer writer;
  writer.begin_object()
      .member("TrainingJobName", job.name)
      .member("RoleArn", "arn:aws:iam::111122223333:role/TrainingRole");
  writer.key("AlgorithmSpecification")
      .begin_object()
      .member("TrainingImage",
              "763104351884.dkr.ecr.eu-central-1.amazonaws.com/pytorch-training:2.5.1-gpu-py311")
      .member("TrainingInputMode", "File")
      .end_object();
  writer.key("OutputDataConfig")
      .begin_object()
      .member("S3OutputPath", "s3://example-bucket/out/")
      .end_object();
  writer.key("ResourceConfig")
      .begin_object()
      .member("InstanceType", "ml.g5.12xlarge")
      .member("InstanceCount", 1)
      .member("VolumeSizeInGB", 100)
      .end_object();
  writer.key("StoppingCondition").begin_object().member("MaxRuntimeInSeconds", 86400).end_object();
  writer.key("Tags").begin_array();
  for (const auto& [key, value] : job.tags)
    writer.begin_object().member("Key", key).member("Value", value).end_object();
  writer.end_array().end_object();
  return writer.take();
}

// Runs a command with its output hidden; true if it succeeds.
bool run(const std::vector<std::string>& command, const std::string& url, const std::string& job) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("DEMO_URL", url.c_str(), 1);
    setenv("DEMO_JOB", job.c_str(), 1);
    setenv("AWS_ACCESS_KEY_ID", "test", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "test", 1);
    unsetenv("AWS_SESSION_TOKEN");
    unsetenv("AWS_PROFILE");
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

// Debian's python3-boto3 belongs to /usr/bin/python3, whatever else PATH has.
std::string python_with_boto3() {
  for (const char* python : {"python3", "/usr/bin/python3"})
    if (run({python, "-c", "import boto3"}, "", "")) return python;
  return {};
}

}  // namespace

ClientKind find_client() {
  if (!python_with_boto3().empty()) return ClientKind::kBoto3;
  if (run({"aws", "--version"}, "", "")) return ClientKind::kAwsCli;
  return ClientKind::kOwn;
}

std::string_view name(ClientKind kind) {
  switch (kind) {
    case ClientKind::kBoto3:
      return "boto3";
    case ClientKind::kAwsCli:
      return "the aws command";
    case ClientKind::kOwn:
      return "the demo's own client";
  }
  return "";
}

Result<void> create(ClientKind kind, const NewJob& job, const std::string& url, aws::Client& own) {
  const std::string request = create_request(job);
  if (kind == ClientKind::kOwn) {
    const aws::CallContext context{Deadline::at(Deadline::Clock::now() + std::chrono::seconds(10)),
                                   "", nullptr};
    CHECK_OK(own.call({&aws::kSageMaker, "CreateTrainingJob", request}, context));
    return {};
  }
  const bool created = kind == ClientKind::kBoto3
                           ? run({python_with_boto3(), "-c", kBoto3}, url, request)
                           : run({"aws", "sagemaker", "create-training-job", "--endpoint-url", url,
                                  "--region", "eu-central-1", "--cli-input-json", request},
                                 url, request);
  if (created) return {};
  return fail(ErrorCode::kInternal,
              fmt::format("{} could not create the job {}", name(kind), job.name));
}

}  // namespace trainwarden::demo
