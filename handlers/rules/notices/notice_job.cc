#include "handlers/rules/notices/notice_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "handlers/rules/facts/facts.h"
#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/job/lineage.h"

namespace trainwarden::rules {
namespace {

constexpr double kHour = 3600;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

// The parts of an ARN: arn, partition, service, region, account, resource.
std::array<std::string_view, 6> parts(std::string_view arn) {
  std::array<std::string_view, 6> out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t colon = i + 1 < out.size() ? arn.find(':') : std::string_view::npos;
    out[i] = arn.substr(0, colon);
    arn.remove_prefix(colon == std::string_view::npos ? arn.size() : colon + 1);
  }
  return out;
}

// https://docs.aws.amazon.com/awsconsolehelpdocs/latest/gsg/working-with-console.html and its pages
// for China and GovCloud. Of other partitions nothing is told.
std::string console_link(std::string_view partition, std::string_view region,
                         std::string_view job) {
  std::string host;
  if (partition == "aws") host = fmt::format("{}.console.aws.amazon.com", region);
  if (partition == "aws-cn") host = fmt::format("{}.console.amazonaws.cn", region);
  if (partition == "aws-us-gov") host = fmt::format("{}.console.amazonaws-us-gov.com", region);
  if (host.empty()) return host;
  return fmt::format("https://{}/sagemaker/home?region={}#/jobs/{}", host, region, job);
}

void read_tags(json::Value tags, NoticeJob& out) {
  static constexpr std::array<std::string_view, 7> kPeople = {
      "owner", "user", "username", "creator", "created_by", "email", "contact"};
  for (const json::Member tag : tags.members()) {
    if (!tag.value.is_string() || tag.value.as_string().empty()) continue;
    const std::string key = lower(tag.name);
    if (key == "team" && out.team.empty()) out.team = tag.value.as_string();
    if (std::ranges::find(kPeople, key) != kPeople.end())
      out.people.emplace_back(tag.name, tag.value.as_string());
  }
  const auto ours = [&](std::string_view name) {
    return std::string(string_of(tags, "trainwarden:" + std::string(name)).value_or(""));
  };
  // Read here, since the group `lineage` is known with Describe only, and tags may come alone.
  out.generation = lineage_of(tags, out.name).generation;
  const std::string action = ours("action");
  if (action != "stop" && action != "restart") return;
  out.acted_rule = ours("rule");
  out.acted_at = ours("at");
  out.acted_reason = ours("reason");
}

void read_describe(json::Value describe, NoticeJob& out) {
  out.status = string_of(describe, "TrainingJobStatus").value_or("");
  const auto secondary = string_of(describe, "SecondaryStatus");
  if (secondary && *secondary != out.status) out.status.append("/").append(*secondary);
  for (const Instances& some : instances_of(describe)) {
    if (!out.machines.empty()) out.machines += ", ";
    out.machines += fmt::format("{} x {}", static_cast<std::int64_t>(some.count), some.type);
  }
  const std::string_view tuning = string_of(describe, "TuningJobArn").value_or("");
  out.tuning_job = tuning.substr(tuning.rfind('/') + 1);
}

std::optional<double> number_at(const Facts& facts, Group group, std::string_view path) {
  if (!facts.knows(group)) return std::nullopt;
  const auto found = facts.fields(group).at(path);
  if (found.empty() || found.front().value.type != json::Type::kNumber) return std::nullopt;
  return found.front().value.number;
}

void read_cost(json::Value describe, const Facts& facts, NoticeJob& out) {
  out.usd_per_hour = number_at(facts, Group::kCost, "usd_per_hour");
  if (!out.usd_per_hour) return;
  out.spent_usd = number_at(facts, Group::kCost, "spent_usd");
  const JobTimes times = job_times(describe, facts.now());
  double left = times.remaining_seconds.value_or(0);
  // A job that our stop has ended meanwhile could have used the rest.
  if (times.ended)
    left = std::max(0.0, times.max_runtime_seconds - times.training_seconds.value_or(0));
  out.avoided_usd = *out.usd_per_hour * left / kHour;
}

}  // namespace

NoticeJob notice_job(std::string_view name, std::string_view arn, const Sources& sources,
                     const Prices& prices, sys_seconds now) {
  NoticeJob out;
  out.name = name;
  const auto describe = sources.known(Source::kDescribe);
  out.arn = describe ? string_of(*describe, "TrainingJobArn").value_or(arn) : arn;
  const auto of_arn = parts(out.arn);
  out.region = of_arn[3];
  out.account = of_arn[4];
  out.console = console_link(of_arn[1], of_arn[3], name);
  const auto tags = sources.known(Source::kTags);
  out.generation.reset();
  if (tags) read_tags(*tags, out);
  if (!describe) return out;
  const Facts facts = facts_from(sources, prices, now);
  read_describe(*describe, out);
  // Tags of a stop that was refused, of a job that somebody else stopped.
  if (tags && string_of(*tags, kActionTag) == "stop" &&
      string_of(*describe, "TrainingJobStatus") != "InProgress" &&
      !was_stopped_for_good(*tags, *describe))
    out.acted_rule = out.acted_at = out.acted_reason = "";
  read_cost(*describe, facts, out);
  return out;
}

}  // namespace trainwarden::rules
