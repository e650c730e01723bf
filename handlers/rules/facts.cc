#include "handlers/rules/facts.h"

#include <cassert>
#include <charconv>
#include <string_view>
#include <system_error>

namespace trainwarden::rules {

Facts::Facts(const Sources& sources, sys_seconds now)
    : sources_(&sources), now_(now), known_{Source::kEvent} {
  for (Source source : {Source::kDescribe, Source::kTags, Source::kLogs, Source::kFleet}) {
    if (sources.known(source)) known_.add(source);
  }
  const JobEvent& event = sources.event();
  auto tell = [this](Early fact, std::string_view text) {
    early_[static_cast<std::size_t>(fact)] = Scalar::of(text);
  };
  tell(Early::kTrigger, name(event.trigger));
  tell(Early::kTrainingJobName, event.job_name);
  if (event.training_job_status) tell(Early::kTrainingJobStatus, *event.training_job_status);
  if (event.secondary_status) tell(Early::kSecondaryStatus, *event.secondary_status);
}

const Fields& Facts::fields(Group group) const {
  std::optional<Fields>& made = fields_[static_cast<std::size_t>(group)];
  if (!made) {
    const std::optional<json::Value> root = sources_->known(source_of(group));
    assert(root);
    made = Fields::of(*root, Fields::Nulls::kMissing);
  }
  return *made;
}

std::optional<sys_seconds> Facts::creation_time() const {
  const std::optional<json::Value> job = sources_->known(Source::kDescribe);
  if (!job) return std::nullopt;
  const std::optional<json::Value> time = job->find_present("CreationTime");
  return time ? read_time(*time) : std::nullopt;
}

std::optional<sys_seconds> read_time(json::Value value) {
  if (value.is_number()) return from_epoch(value.as_number());
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = value.as_string();
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return from_epoch(number);
  if (Result<sys_seconds> time = parse_rfc3339(text)) return *time;
  return std::nullopt;
}

Facts facts_from(const Sources& sources, sys_seconds now) { return Facts(sources, now); }

}  // namespace trainwarden::rules
