#include "handlers/rules/facts/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

#include "handlers/rules/facts/derive.h"
#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/job_cost.h"
#include "handlers/rules/job/training_segment.h"

namespace trainwarden::rules {
namespace {

// nullopt where every machine has a price.
std::optional<Error> why_unpriced(const TrainingJob& job, const Prices& prices) {
  const auto types = unpriced_types(job, prices);
  if (types.empty()) return std::nullopt;
  return Error{ErrorCode::kUnavailable,
               fmt::format("the policy has no price for {}", fmt::join(types, ", "))};
}

std::optional<Error> unavailable_for(std::optional<std::string> why) {
  if (!why) return std::nullopt;
  return Error{ErrorCode::kUnavailable, *std::move(why)};
}

std::optional<Error> why_gpus_unknown(const TrainingJob& job) {
  for (const Instances& some : job.instances)
    if (!gpus_per_instance(some.type))
      return Error{ErrorCode::kUnavailable,
                   fmt::format("the GPUs of `{}` are not known to this version", some.type)};
  return std::nullopt;
}

}  // namespace

Facts::Facts(const Sources& sources, const Prices* prices, sys_seconds now,
             std::span<const OwnSignature> failures)
    : sources_(&sources), prices_(prices), failures_(failures), now_(now), known_{Source::kEvent} {
  for (Source source : {Source::kDescribe, Source::kTags, Source::kLogs, Source::kFleet,
                        Source::kSilence, Source::kCheckpoint}) {
    if (sources.known(source)) known_.add(source);
  }
  SourceSet fetched = known_ | kNeverFetched;
  // A job that writes no checkpoints has nothing to fetch.
  if (sources.job() != nullptr && sources.job()->checkpoint_uri.empty())
    fetched.add(Source::kCheckpoint);
  for (std::size_t i = 0; i < kGroupCount; ++i) {
    const auto group = static_cast<Group>(i);
    knows_[i] = group != Group::kEvent && fetched.includes(sources_of(group));
  }
  const JobEvent& event = sources.event();
  auto tell = [this](Early fact, std::string_view text) {
    early_[static_cast<std::size_t>(fact)] = Scalar::of(text);
  };
  tell(Early::kTrigger, name(event.trigger));
  tell(Early::kTrainingJobName, event.job_name);
  if (event.training_job_status) tell(Early::kTrainingJobStatus, *event.training_job_status);
  if (event.secondary_status) tell(Early::kSecondaryStatus, *event.secondary_status);
  if (event.account) tell(Early::kAccount, *event.account);
  if (event.region) tell(Early::kRegion, *event.region);
  if (!event.account || !event.region)
    untold_event_ = Error{ErrorCode::kUnavailable,
                          event.account  ? "the event does not tell its region"
                          : event.region ? "the event does not tell its account"
                                         : "the event does not tell its account and region"};
}

bool Facts::is_told(Group group) const {
  switch (group) {
    case Group::kMachines:
      return is_told(Source::kMachines);
    case Group::kGpus:
      return is_told(Source::kMachines) && is_told(Source::kGpus);
    case Group::kCost:
    case Group::kPoolCost:
      return is_told(Source::kMachines) && is_told(Source::kPrices);
    case Group::kLauncher:
      return is_told(Source::kLauncher);
    case Group::kCheckpoint:
      return is_told(Source::kCheckpoint);
    case Group::kAccelerator:
    case Group::kDiagnosis:
      return lacking(group).empty();
    default:
      return true;
  }
}

const Error* Facts::unavailable(Source source) const {
  const auto found = [](const std::optional<Error>& error) { return error ? &*error : nullptr; };
  switch (source) {
    case Source::kEvent:
      return found(untold_event_);
    case Source::kMachines:
      return found(untold().machines);
    case Source::kGpus:
      return found(untold().gpus);
    case Source::kPrices:
      return found(untold().prices);
    case Source::kLauncher:
      return found(launcher_untold());
    case Source::kCheckpoint:
      // A job that writes no checkpoints has nothing to fetch.
      if (described() != nullptr && described()->checkpoint_uri.empty())
        return found(checkpoint_untold());
      break;
    default:
      break;
  }
  return sources_->unavailable(source);
}

bool Facts::is_told(Source source) const {
  if (!known_.contains(Source::kDescribe)) return false;
  if (source == Source::kMachines && untold().machines_open) return false;
  return unavailable(source) == nullptr;
}

const Facts::Untold& Facts::untold() const {
  if (!untold_) untold_ = find_untold();
  return *untold_;
}

Facts::Untold Facts::find_untold() const {
  Untold out;
  const TrainingJob* const of = described();
  if (of == nullptr) return out;
  // Search's records lack what tells a serverless job, so that a look decides.
  out.machines_open =
      sources_->provisional() && !of->machines_unknown.empty() && !of->has_resource_config;
  if (!of->machines_unknown.empty() && !out.machines_open)
    out.machines = Error{ErrorCode::kUnavailable, of->machines_unknown};
  out.gpus = why_gpus_unknown(*of);
  if (prices_ != nullptr) out.prices = why_unpriced(*of, *prices_);
  return out;
}

const std::optional<Error>& Facts::launcher_untold() const {
  if (launcher_untold_) return *launcher_untold_;
  launcher_untold_.emplace();
  const JobTags* const tags = sources_->tags();
  const bool by_tags = tags != nullptr && (is_pipeline_step(*tags) || is_state_machine_task(*tags));
  if (described() != nullptr && !by_tags)
    *launcher_untold_ = unavailable_for(why_launcher_unknown(*described()));
  return *launcher_untold_;
}

const std::optional<Error>& Facts::checkpoint_untold() const {
  if (checkpoint_untold_) return *checkpoint_untold_;
  checkpoint_untold_.emplace();
  if (described() != nullptr)
    *checkpoint_untold_ = unavailable_for(why_checkpoint_unknown(*described()));
  return *checkpoint_untold_;
}

std::vector<Facts> Facts::of_each_preference() const {
  std::vector<Facts> out;
  const TrainingJob* const of = described();
  if (of == nullptr || !of->one_of) return out;
  for (std::size_t i = 0; i < of->instances.size(); ++i) {
    out.emplace_back(*sources_, prices_, now_, failures_);
    out.back().selected_ = with_selected(*of, i);
    out.back().preference_ = i;
  }
  return out;
}

const Facts::Found& Facts::diagnosed() const {
  if (!diagnosed_) {
    Diagnosis diagnosis;
    const Diagnosed how =
        diagnose(*sources_->job(), sources_->known(Source::kLogs), diagnosis, failures_);
    diagnosed_ = Found{how, std::move(diagnosis)};
  }
  return *diagnosed_;
}

SourceSet Facts::lacking(Group group) const {
  SourceSet out;
  for (Source source : sources_of(group)) {
    const bool told = kNeverFetched.contains(source) ||
                      (source == Source::kCheckpoint && described() != nullptr &&
                       described()->checkpoint_uri.empty());
    if (told ? !is_told(source) : !known_.contains(source)) out.add(source);
  }
  if (group == Group::kEvent && untold_event_) out.add(Source::kEvent);
  // What Describe tells is not asked for elsewhere: the machines, the types that need prices, which
  // machines the fleet shares, since when a job trains and where it writes checkpoints.
  if (out.contains(Source::kDescribe)) {
    out.remove(kNeverFetched);
    if (group == Group::kFleet) out.remove(Source::kFleet);
    if (group == Group::kLogs) out.remove(Source::kSilence);
    if (group == Group::kCheckpoint) out.remove(Source::kCheckpoint);
  }
  // The machines say which fleet is asked for.
  if (group == Group::kFleet && known_.contains(Source::kFleet)) out.remove(Source::kMachines);
  // The name of a type often says which accelerator it has, and the machines that are known that
  // there is one.
  if (group == Group::kAccelerator && described() != nullptr && accelerator_of(*described()))
    out.remove(Source::kGpus);
  // Only Describe shows whether the logs are needed.
  if (group == Group::kDiagnosis && out.empty() && !known_.contains(Source::kLogs) &&
      diagnosed().how == Diagnosed::kAskTheLogs) {
    out.add(Source::kLogs);
  }
  return out;
}

const Fields& Facts::fields(Group group) const {
  std::optional<Derived>& made = derived_[static_cast<std::size_t>(group)];
  if (made) return made->fields;
  assert(lacking(group).empty());
  if (group == Group::kJob && selected_) {
    json::Document own = description_with(*selected_, preference_);
    Fields fields = Fields::of(own.root(), Fields::Nulls::kMissing);
    made.emplace(std::move(own), std::move(fields));
    return made->fields;
  }
  if (group == Group::kJob || group == Group::kTags) {
    const Source source = group == Group::kJob ? Source::kDescribe : Source::kTags;
    made.emplace(std::nullopt, Fields::of(*sources_->known(source), Fields::Nulls::kMissing));
    return made->fields;
  }
  const bool told = group == Group::kDiagnosis && diagnosed().how == Diagnosed::kDiagnosed;
  const Diagnosis* diagnosis = told ? &diagnosed().diagnosis : nullptr;
  const Derivation from{*sources_, described(), prices_, now_, diagnosis};
  json::Document document =
      json::Document::build([&](json::Sink& sink) { derive(group, from, sink); });
  Fields fields = Fields::of(document.root(), Fields::Nulls::kMissing);
  made.emplace(std::move(document), std::move(fields));
  return made->fields;
}

bool Facts::is_upper_bound(Group group, std::string_view path) const {
  const TrainingJob* const of = described();
  if (of == nullptr) return false;
  if ((group == Group::kMachines && path == "instance_count") ||
      (group == Group::kGpus && path == "gpus"))
    return of->one_of;
  if (group != Group::kCost || prices_ == nullptr || (!of->spot && !of->one_of)) return false;
  const auto cost = cost_of(*of, *prices_, now_);
  return cost && (path == "spent_usd" ? cost->spent_is_bound : cost->rate_is_bound);
}

std::optional<std::chrono::seconds> Facts::trains_for() const {
  const TrainingJob* const job = sources_->job();
  if (job == nullptr) return std::nullopt;
  const auto since = current_training(*job);
  if (!since) return std::nullopt;
  return std::max(now_ - *since, std::chrono::seconds(0));
}

std::optional<sys_seconds> Facts::creation_time() const {
  const TrainingJob* const job = sources_->job();
  return job != nullptr ? job->created : std::nullopt;
}

Facts facts_from(const Sources& sources, sys_seconds now) {
  return Facts(sources, nullptr, now, {});
}

Facts facts_from(const Sources& sources, const Prices& prices, sys_seconds now,
                 std::span<const OwnSignature> failures) {
  return Facts(sources, &prices, now, failures);
}

}  // namespace trainwarden::rules
