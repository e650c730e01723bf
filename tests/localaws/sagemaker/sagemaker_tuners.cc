#include <fmt/core.h>

#include <algorithm>

#include "tests/localaws/sagemaker/sagemaker.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::string_view kTunerName = "HyperParameterTuningJobName";

std::string tuner_arn(TunerType type, std::string_view region, std::string_view account,
                      std::string_view name) {
  return fmt::format("arn:aws:sagemaker:{}:{}:{}/{}", region, account,
                     type == TunerType::kAutoMlJob ? "automl-job" : "hyper-parameter-tuning-job",
                     name);
}

}  // namespace

Answer<std::string> SageMaker::call_tuner(std::string_view operation, Value input, sys_millis now) {
  const bool auto_ml = operation == "ListAutoMLJobs" || operation == "StopAutoMLJob";
  const TunerType type = auto_ml ? TunerType::kAutoMlJob : TunerType::kTuningJob;
  if (operation == "CreateHyperParameterTuningJob") return create_tuner(input, now);
  if (operation == "ListHyperParameterTuningJobs" || operation == "ListAutoMLJobs") {
    std::vector<std::pair<const Tuner*, TunerCounters>> all;
    for (const auto& [key, tuner] : tuners_) all.emplace_back(&tuner, count_children(jobs_, tuner));
    return list_tuners(all, type, input);
  }
  const auto found = named_tuner(type, input::text(input, auto_ml ? "AutoMLJobName" : kTunerName));
  if (!found) return std::unexpected(found.error());
  if (operation == "DescribeHyperParameterTuningJob")
    return describe_tuner(**found, count_children(jobs_, **found));
  return stop_tuner(**found, now);
}

Answer<std::string> SageMaker::create_tuner(Value input, sys_millis now) {
  if (auto ok = check_tuning_request(input); !ok) return std::unexpected(ok.error());
  const std::string name(input::text(input, kTunerName));
  const auto key = std::pair(TunerType::kTuningJob, name);
  const std::string arn = tuner_arn(key.first, region_, account_, name);
  if (tuners_.contains(key))
    return refuse(
        400, "ResourceInUse",
        fmt::format("Hyperparameter tuning job names must be unique within an AWS account "
                    "and region, and one with this name already exists ({})",
                    arn));
  auto document = json::Document::parse(json::to_text(input));
  if (!document) return refuse(400, "SerializationException", document.error().message);
  const auto tags = input.find_present("Tags");
  const auto [at, added] = tuners_.emplace(key, Tuner{.type = key.first,
                                                      .name = name,
                                                      .arn = arn,
                                                      .status = "InProgress",
                                                      .created = now,
                                                      .changed = now,
                                                      .document = std::move(*document),
                                                      .tags = tags ? tags_from(*tags) : Tags()});
  advance(at->second, now);
  json::Writer out;
  out.begin_object().member("HyperParameterTuningJobArn", arn).end_object();
  return out.take();
}

// Its children stop with it.
Answer<std::string> SageMaker::stop_tuner(Tuner& tuner, sys_millis now) {
  if (auto ok = check_stop(tuner); !ok) return std::unexpected(ok.error());
  tuner.status = "Stopping";
  tuner.changed = now;
  for (auto& [name, job] : jobs_)
    if (is_child(job, tuner) && job.machine.stop(now)) tell(job, now);
  return "";
}

void SageMaker::advance(Tuner& tuner, sys_millis now) {
  const auto running = [&] { return count_children(jobs_, tuner)["InProgress"]; };
  const auto become = [&](std::string_view status) {
    tuner.status = status;
    tuner.changed = now;
  };
  if (tuner.status == "Stopping" && running() == 0) become("Stopped");
  if (tuner.placed || tuner.status != "InProgress") return;
  const std::int64_t most = tuning_limit(tuner, "MaxNumberOfTrainingJobs");
  const std::int64_t parallel = tuning_limit(tuner, "MaxParallelTrainingJobs");
  while (tuner.launched < most && running() < parallel) launch(tuner, now);
  if (tuner.launched >= most && running() == 0) become("Completed");
}

void SageMaker::launch(Tuner& tuner, sys_millis now) {
  const std::string name = child_name(tuner);
  auto document = *json::Document::parse(child_request(tuner, name));
  const auto seconds = std::chrono::seconds(
      input::integer(document.root().find_present("StoppingCondition").value_or(document.root()),
                     "MaxRuntimeInSeconds", 86400));
  ++tuner.launched;
  const auto [at, added] = jobs_.emplace(name, Job{.name = name,
                                                   .arn = arn_of(name),
                                                   .document = std::move(document),
                                                   .tags = tuner.tags,
                                                   .machine = JobMachine(now, seconds)});
  tell(at->second, now);
}

Answer<Tuner*> SageMaker::named_tuner(TunerType type, std::string_view name) {
  const auto found = tuners_.find(std::pair(type, std::string(name)));
  if (found != tuners_.end()) return &found->second;
  return refuse(
      400, "ResourceNotFound",
      type == TunerType::kAutoMlJob
          ? "Requested resource not found."
          : fmt::format("Amazon SageMaker can't find a tuning job called {}. Type another "
                        "name.",
                        name));
}

Result<void> SageMaker::place_tuner(TunerType type, std::string_view name,
                                    std::string_view document, sys_millis now) {
  TRY(json::Document parsed, json::Document::parse(document));
  const Value root = parsed.root();
  CHECK_OK(root.object("the tuner"));
  const std::string_view kind =
      type == TunerType::kAutoMlJob ? "AutoMLJob" : "HyperParameterTuningJob";
  const std::string arn = tuner_arn(type, region_, account_, name);
  TRY(json::Document kept, json::Document::parse(document));
  Tuner tuner{.type = type,
              .name = std::string(name),
              .arn = std::string(input::text(root, fmt::format("{}Arn", kind), arn)),
              .status = std::string(input::text(root, fmt::format("{}Status", kind), "InProgress")),
              .created = now,
              .changed = now,
              .document = std::move(kept),
              .tags = {},
              .placed = true};
  for (const auto& [member, time] :
       {std::pair("CreationTime", &tuner.created), std::pair("LastModifiedTime", &tuner.changed)})
    if (const auto given = root.find_present(member)) {
      TRY(*time, instant_from(*given, member));
    }
  tuners_.insert_or_assign(std::pair(type, std::string(name)), std::move(tuner));
  return {};
}

const Tuner* SageMaker::find_tuner(TunerType type, std::string_view name) const {
  const auto found = tuners_.find(std::pair(type, std::string(name)));
  return found == tuners_.end() ? nullptr : &found->second;
}

}  // namespace trainwarden::localaws
