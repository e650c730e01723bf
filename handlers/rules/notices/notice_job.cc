#include "handlers/rules/notices/notice_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/job_cost.h"
#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/job/lineage.h"
#include "handlers/rules/job/tuner.h"
#include "runtime/base/arn.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

std::string console_link(std::string_view arn, std::string_view job) {
  const std::string host = console_host(arn);
  if (host.empty()) return {};
  return fmt::format("https://{}/sagemaker/home?region={}#/jobs/{}", host,
                     arn_field(arn, ArnField::kRegion), job);
}

void read_people(json::Value tags, std::string_view owner_tag, NoticeJob& out) {
  static constexpr std::array<std::string_view, 7> kPeople = {
      "owner", "user", "username", "creator", "created_by", "email", "contact"};
  const std::string named = lower_case(owner_tag);
  std::string_view otherwise;
  out.team = team_of(tags);
  for (const json::Member tag : tags.members()) {
    if (!tag.value.is_string()) continue;
    if (tag.value.as_string().find_first_not_of(' ') == std::string_view::npos) continue;
    const std::string key = lower_case(tag.name);
    if (key == named && out.owner.empty()) out.owner = tag.value.as_string();
    if (key == "owner" && otherwise.empty()) otherwise = tag.value.as_string();
    const bool names_people =
        std::ranges::find(kPeople, key) != kPeople.end() || (key == named && key != "team");
    const bool is_first = std::ranges::none_of(
        out.people, [&](const auto& other) { return lower_case(other.first) == key; });
    if (names_people && is_first) out.people.emplace_back(tag.name, tag.value.as_string());
  }
  if (out.owner.empty()) out.owner = otherwise;
}

void read_job(const TrainingJob& job, NoticeJob& out) {
  out.job_status = job.status;
  out.status_text = job.status_text;
  out.status = job.status_text;
  if (!job.secondary_text.empty() && job.secondary_text != job.status_text)
    out.status.append("/").append(job.secondary_text);
  out.machines = instances_text(job);
  out.role = job.role_arn;
  out.tuning_job = name_in(job.tuning_job_arn);
  out.has_tuner = tuner_of(job).has_value();
  out.spot_saved = spot_saved_fraction(job);
}

void read_cost(const TrainingJob& job, const Prices& prices, sys_seconds now, NoticeJob& out) {
  constexpr double kHour = 3600;
  const auto cost = cost_of(job, prices, now);
  if (!cost) return;
  out.usd_per_hour = cost->usd_per_hour;
  out.spent_usd = cost->spent_usd;
  out.rate_is_bound = cost->rate_is_bound;
  out.spent_is_bound = cost->spent_is_bound;
  const JobTimes times = job_times(job, now);
  double left = times.remaining_seconds.value_or(0);
  // A job that our stop has ended meanwhile could have used the rest.
  if (times.ended)
    left = std::max(0.0, times.max_runtime_seconds - times.training_seconds.value_or(0));
  out.avoided_usd = cost->usd_per_hour * std::max(0.0, left - pool_seconds(job)) / kHour;
  const auto pool = pool_times(job, now);
  const double kept = pool ? pool->remaining_seconds.value_or(0) : pool_seconds(job);
  if (kept > 0 && (pool || !times.ended)) out.pool_usd = cost->usd_per_hour * kept / kHour;
}

}  // namespace

NoticeJob notice_job(std::string_view name, std::string_view arn, const Sources& sources,
                     const Prices& prices, sys_seconds now, std::string_view owner_tag) {
  NoticeJob out;
  out.name = name;
  out.seen_at = now;
  const TrainingJob* const job = sources.job();
  out.arn = job != nullptr && !job->arn.empty() ? job->arn : arn;
  out.region = arn_field(out.arn, ArnField::kRegion);
  out.account = arn_field(out.arn, ArnField::kAccount);
  out.console = console_link(out.arn, name);
  out.generation.reset();
  if (const auto tags = sources.known(Source::kTags)) read_people(*tags, owner_tag, out);
  // Read here, since the group `lineage` is known with Describe only, and tags may come alone.
  if (const JobTags* const tags = sources.tags())
    out.generation = lineage_of(*tags, out.name).generation;
  if (job == nullptr) return out;
  read_job(*job, out);
  read_cost(*job, prices, now, out);
  return out;
}

}  // namespace trainwarden::rules
