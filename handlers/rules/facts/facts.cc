#include "handlers/rules/facts/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

#include "handlers/rules/facts/derive.h"
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

}  // namespace

Facts::Facts(const Sources& sources, const Prices* prices, sys_seconds now,
             std::span<const OwnSignature> failures)
    : sources_(&sources), prices_(prices), failures_(failures), now_(now), known_{Source::kEvent} {
  for (Source source : {Source::kDescribe, Source::kTags, Source::kLogs, Source::kFleet,
                        Source::kSilence, Source::kCheckpoint}) {
    if (sources.known(source)) known_.add(source);
  }
  if (const TrainingJob* const job = sources.job()) {
    if (prices != nullptr) unpriced_ = why_unpriced(*job, *prices);
    if (!unpriced_) known_.add(Source::kPrices);
  }
  // A job that writes no checkpoints has nothing to fetch.
  if (sources.job() != nullptr && sources.job()->checkpoint_uri.empty())
    known_.add(Source::kCheckpoint);
  for (std::size_t i = 0; i < kGroupCount; ++i) {
    const auto group = static_cast<Group>(i);
    knows_[i] = group != Group::kEvent && known_.includes(sources_of(group));
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
    untold_ = Error{ErrorCode::kUnavailable,
                    event.account  ? "the event does not tell its region"
                    : event.region ? "the event does not tell its account"
                                   : "the event does not tell its account and region"};
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
    if (!known_.contains(source)) out.add(source);
  }
  if (group == Group::kEvent && untold_) out.add(Source::kEvent);
  // The fleet's machine types come from Describe, which often decides the rule alone.
  if (group == Group::kFleet && out.contains(Source::kDescribe)) out.remove(Source::kFleet);
  // The types that need prices come from Describe too.
  if (out.contains(Source::kDescribe)) out.remove(Source::kPrices);
  // Describe says since when a job trains, and thus whether it can be silent.
  if (group == Group::kLogs && out.contains(Source::kDescribe)) out.remove(Source::kSilence);
  if (group == Group::kCheckpoint && out.contains(Source::kDescribe))
    out.remove(Source::kCheckpoint);
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
  if (group == Group::kJob || group == Group::kTags) {
    const Source source = group == Group::kJob ? Source::kDescribe : Source::kTags;
    made.emplace(std::nullopt, Fields::of(*sources_->known(source), Fields::Nulls::kMissing));
    return made->fields;
  }
  const bool told = group == Group::kDiagnosis && diagnosed().how == Diagnosed::kDiagnosed;
  const Diagnosis* diagnosis = told ? &diagnosed().diagnosis : nullptr;
  const Derivation from{*sources_, prices_, now_, diagnosis};
  json::Document document =
      json::Document::build([&](json::Sink& sink) { derive(group, from, sink); });
  Fields fields = Fields::of(document.root(), Fields::Nulls::kMissing);
  made.emplace(std::move(document), std::move(fields));
  return made->fields;
}

bool Facts::is_upper_bound(Group group, std::string_view path) const {
  const TrainingJob* const job = sources_->job();
  if (group != Group::kCost || job == nullptr || prices_ == nullptr || !job->spot) return false;
  const auto cost = cost_of(*job, *prices_, now_);
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
