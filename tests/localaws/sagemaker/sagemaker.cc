#include "tests/localaws/sagemaker/sagemaker.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "tests/localaws/http/http_message.h"
#include "tests/localaws/sagemaker/job_listing.h"
#include "tests/localaws/sagemaker/job_search.h"
#include "tests/localaws/sagemaker/job_view.h"
#include "tests/localaws/sagemaker/sagemaker_shapes.h"
#include "tests/localaws/sagemaker/warm_pool.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::size_t kMaxTags = 50;
constexpr std::int64_t kDefaultRuntime = 86400;

std::string_view text_in(Value input, std::string_view name) {
  const auto found = input.find_present(name);
  return found && found->is_string() ? found->as_string() : std::string_view();
}

bool reserved_key(std::string_view key) { return lower(key.substr(0, 4)) == "aws:"; }

std::unexpected<AwsError> not_found() { return invalid("Requested resource not found."); }

// Tags that a caller gives: none of AWS's own, and no key twice.
Answer<void> check_tags(Value tags) {
  std::vector<std::string_view> keys;
  for (const Value tag : tags.elements()) {
    const std::string_view key = text_in(tag, "Key");
    if (reserved_key(key))
      return invalid("aws: prefixed tag key names are not allowed for external use.");
    if (std::find(keys.begin(), keys.end(), key) != keys.end())
      return invalid(fmt::format("Duplicate tag keys found: {}", key));
    keys.push_back(key);
  }
  return {};
}

// Tags of AWS's own do not count against the limit.
std::size_t own_tags(const Tags& tags) {
  return static_cast<std::size_t>(std::count_if(
      tags.begin(), tags.end(), [](const auto& tag) { return !reserved_key(tag.first); }));
}

std::int64_t max_runtime(Value document) {
  const auto condition = document.find_present("StoppingCondition");
  const auto given = condition ? condition->find_present("MaxRuntimeInSeconds") : std::nullopt;
  return given ? given->as_integer().value_or(kDefaultRuntime) : kDefaultRuntime;
}

}  // namespace

SageMaker::SageMaker(std::string region, std::string account, Listener changed,
                     std::chrono::milliseconds search_lag)
    : Service(sagemaker_inputs()),
      region_(std::move(region)),
      account_(std::move(account)),
      changed_(std::move(changed)),
      history_(search_lag) {}

Answer<std::string> SageMaker::call(std::string_view operation, Value input, sys_millis now) {
  if (operation == "CreateTrainingJob") return create(input, now);
  if (operation == "DescribeTrainingJob") return describe(input);
  if (operation == "StopTrainingJob") return stop(input, now);
  if (operation == "UpdateTrainingJob") return update(input, now);
  if (operation == "ListTrainingJobs") return list_jobs(input);
  if (operation == "ListTags") return list_tags(input);
  if (operation == "AddTags") return add_tags(input, now);
  if (operation == "DeleteTags") return delete_tags(input, now);
  if (operation == "DeleteTrainingJob") return delete_job(input, now);
  if (operation == "Search") return search(input, now);
  return call_tuner(operation, input, now);
}

void SageMaker::advance(sys_millis now) {
  for (auto& [key, tuner] : tuners_) advance(tuner, now);
  if (now < next_step_) return;
  next_step_ = sys_millis::max();
  for (auto& [name, job] : jobs_) {
    while (job.machine.step(now)) tell(job, now);
    if (step_pool(job, now)) history_.changed(job, now);
    next_step_ = std::min({next_step_, job.machine.next_step().value_or(sys_millis::max()),
                           pool_end(job).value_or(sys_millis::max())});
  }
}

void SageMaker::clear() {
  jobs_.clear();
  tuners_.clear();
  history_.clear();
}

void SageMaker::tell(Job& job, sys_millis now) {
  step_pool(job, now);
  next_step_ = std::min({next_step_, job.machine.next_step().value_or(sys_millis::max()),
                         pool_end(job).value_or(sys_millis::max())});
  history_.changed(job, now);
  changed_(job);
}

Answer<std::string> SageMaker::create(Value input, sys_millis now) {
  if (auto ok = check_create(input); !ok) return std::unexpected(ok.error());
  const auto tags = input.find_present("Tags");
  if (tags)
    if (auto ok = check_tags(*tags); !ok) return std::unexpected(ok.error());
  const std::string name(text_in(input, "TrainingJobName"));
  const std::string arn = arn_of(name);
  if (jobs_.contains(name))
    return refuse(400, "ResourceInUse",
                  fmt::format("Training job names must be unique within an AWS account and region, "
                              "and a training job with this name already exists ({})",
                              arn));
  auto copy = json::Document::parse(json::to_text(input));
  if (!copy) return refuse(400, "SerializationException", copy.error().message);
  const auto [at, added] = jobs_.emplace(
      name, Job{.name = name,
                .arn = arn,
                .document = std::move(*copy),
                .tags = tags ? tags_from(*tags) : Tags(),
                .machine = JobMachine(now, std::chrono::seconds(max_runtime(input)))});
  const auto kept = std::find_if(jobs_.begin(), jobs_.end(),
                                 [&](const auto& one) { return takes_pool(input, one.second); });
  if (kept != jobs_.end()) {
    reuse_pool(kept->second, at->second, now);
    history_.changed(kept->second, now);
  }
  tell(at->second, now);
  json::Writer out;
  out.begin_object().member("TrainingJobArn", arn).end_object();
  return out.take();
}

Answer<std::string> SageMaker::describe(Value input) const {
  const auto job = named(input);
  if (!job) return std::unexpected(job.error());
  json::Writer out;
  write_description(out, **job);
  return out.take();
}

Answer<std::string> SageMaker::stop(Value input, sys_millis now) {
  const auto found = named(input);
  if (!found) return std::unexpected(found.error());
  Job& job = jobs_.find((*found)->name)->second;
  if (!job.machine.stop(now))
    return invalid(fmt::format("The request was rejected because the training job is in status {}.",
                               job.machine.state().status));
  tell(job, now);
  return "";
}

Answer<std::string> SageMaker::update(Value input, sys_millis now) {
  const auto found = named(input);
  if (!found) return std::unexpected(found.error());
  Job& job = jobs_.find((*found)->name)->second;
  if (const auto resources = input.find_present("ResourceConfig")) {
    const auto seconds = resources->find_present("KeepAlivePeriodInSeconds");
    if (auto ok = update_pool(job, seconds->as_integer().value_or(0), now); !ok)
      return std::unexpected(ok.error());
    next_step_ = std::min(next_step_, pool_end(job).value_or(sys_millis::max()));
    history_.changed(job, now);
  }
  json::Writer out;
  out.begin_object().member("TrainingJobArn", job.arn).end_object();
  return out.take();
}

Answer<std::string> SageMaker::list_jobs(Value input) const {
  std::vector<const Job*> all;
  all.reserve(jobs_.size());
  for (const auto& [name, job] : jobs_) all.push_back(&job);
  return list_training_jobs(std::move(all), input);
}

Answer<std::string> SageMaker::search(Value input, sys_millis now) {
  if (history_.lags()) return search_training_jobs(history_.seen(now), input, fixed_pages_);
  std::vector<const Job*> all;
  all.reserve(jobs_.size());
  for (const auto& [name, job] : jobs_) all.push_back(&job);
  return search_training_jobs(all, input, fixed_pages_);
}

// Frees the name for another job.
Answer<std::string> SageMaker::delete_job(Value input, sys_millis now) {
  const auto found = named(input);
  if (!found) return std::unexpected(found.error());
  const std::string& status = (*found)->machine.state().status;
  if (!ended(status))
    return refuse(
        400, "ResourceInUse",
        fmt::format("The request was rejected because the training job is in status {}.", status));
  history_.gone((*found)->name, now);
  jobs_.erase((*found)->name);
  return "";
}

Answer<std::string> SageMaker::list_tags(Value input) const {
  const auto job = tagged(input);
  if (!job) return std::unexpected(job.error());
  return list_job_tags(**job, input);
}

Answer<std::string> SageMaker::add_tags(Value input, sys_millis now) {
  const auto found = tagged(input);
  if (!found) return std::unexpected(found.error());
  const Value given = *input.find_present("Tags");
  if (auto ok = check_tags(given); !ok) return std::unexpected(ok.error());
  Tags tags = (*found)->tags;
  for (const auto& [key, value] : tags_from(given)) put_tag(tags, key, value);
  if (own_tags(tags) > kMaxTags)
    return invalid(fmt::format("The number of tags on a resource must not exceed {}.", kMaxTags));
  Job& job = jobs_.find((*found)->name)->second;
  job.tags = std::move(tags);
  history_.changed(job, now);
  json::Writer out;
  out.begin_object().member("Tags", given).end_object();
  return out.take();
}

Answer<std::string> SageMaker::delete_tags(Value input, sys_millis now) {
  const auto found = tagged(input);
  if (!found) return std::unexpected(found.error());
  Job& job = jobs_.find((*found)->name)->second;
  for (const Value key : input.find_present("TagKeys")->elements())
    std::erase_if(job.tags, [&](const auto& tag) { return tag.first == key.as_string(); });
  history_.changed(job, now);
  return "{}";
}

Result<void> SageMaker::place(std::string_view name, std::string_view document, sys_millis now) {
  TRY(json::Document parsed, json::Document::parse(document));
  TRY(Job job, placed_job(name, arn_of(name), std::move(parsed), now));
  history_.changed(job, now);
  jobs_.insert_or_assign(std::string(name), std::move(job));
  return {};
}

Result<void> SageMaker::transition(std::string_view name, JobMachine::Forced forced, sys_millis at,
                                   sys_millis now) {
  const auto found = jobs_.find(name);
  if (found == jobs_.end())
    return fail(ErrorCode::kNotFound, fmt::format("no training job is named `{}`", name));
  found->second.machine.force(std::move(forced), at);
  tell(found->second, now);
  return {};
}

const Job* SageMaker::find(std::string_view name) const {
  const auto found = jobs_.find(name);
  return found == jobs_.end() ? nullptr : &found->second;
}

std::string SageMaker::arn_of(std::string_view name) const {
  return fmt::format("arn:aws:sagemaker:{}:{}:training-job/{}", region_, account_, name);
}

Answer<const Job*> SageMaker::named(Value input) const {
  const Job* job = find(text_in(input, "TrainingJobName"));
  if (job == nullptr) return not_found();
  return job;
}

Answer<const Job*> SageMaker::tagged(Value input) const {
  const std::string_view arn = text_in(input, "ResourceArn");
  const auto slash = arn.find('/');
  const Job* job = slash == std::string_view::npos ? nullptr : find(arn.substr(slash + 1));
  if (job != nullptr && job->arn == arn) return job;
  // A placed job may have any ARN.
  for (const auto& [name, other] : jobs_)
    if (other.placed && other.arn == arn) return &other;
  return not_found();
}

}  // namespace trainwarden::localaws
