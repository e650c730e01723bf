#include "handlers/rules/restart/machines_in_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "handlers/rules/failure/capacity.h"
#include "handlers/rules/job/allowed_list.h"
#include "handlers/rules/restart/guards.h"

namespace trainwarden::rules {
namespace {

// What the copy needs; instance groups share a quota. One entry for each of its preferences, of
// which AWS selects one; otherwise a single one.
std::vector<MachineCounts> needed(const TrainingJob& job, const CopyChanges& changes) {
  const bool spot = !job.has_preferences && changes.spot.value_or(job.spot);
  const auto& count = changes.settings.instance_count;
  std::vector<MachineCounts> out;
  out.reserve(std::max<std::size_t>(1, job.preferences.size()));
  for (const Instances& one : job.preferences)
    out.push_back({{{std::string(one.type), false}, count.value_or(std::llround(one.count))}});
  if (!out.empty()) return out;
  MachineCounts all;
  for (const Instances& instances : job.instances) {
    const bool other = !job.has_instance_groups && !changes.instance_type.empty();
    const std::string type = other ? changes.instance_type : std::string(instances.type);
    const auto has = static_cast<std::int64_t>(std::llround(instances.count));
    all[{type, spot}] += count && !job.has_instance_groups ? *count : has;
  }
  return {std::move(all)};
}

bool needs_more(const MachineCounts& has, const MachineCounts& needs) {
  return std::ranges::any_of(needs, [&](const auto& need) {
    const auto own = has.find(need.first);
    return own == has.end() || need.second > own->second;
  });
}

// On spot a job may not run for longer than it may wait and run in all. A longer running time was
// meant for machines on demand: with its own the job may wait for as long as it may run.
void fit_wait(const TrainingJob& job, CopySettings& settings) {
  const auto& runs = settings.max_runtime_seconds;
  if (!job.spot || !runs || settings.max_wait_seconds) return;
  if (job.max_wait_seconds && std::llround(*job.max_wait_seconds) < *runs)
    settings.max_wait_seconds = runs;
}

}  // namespace

std::vector<CopyChanges> machines_in_order(const TrainingJob& job, const AskedMachines& asked) {
  const auto& [spot, types, settings] = asked;
  std::vector<CopyChanges> out = {changes_for(job, spot, types, settings)};
  if (job.instance_type.empty()) return out;
  const std::string& changed = out.front().instance_type;
  const std::string_view first = changed.empty() ? job.instance_type : std::string_view(changed);
  const auto at = std::ranges::find(types, first);
  if (at == types.end()) return out;
  for (auto next = at + 1; next != types.end(); ++next)
    if (*next != first) out.push_back({spot, *next, settings});
  return out;
}

std::vector<CopyChanges> machines_or_own(const TrainingJob& job, const AskedMachines& asked) {
  std::vector<CopyChanges> out = machines_in_order(job, asked);
  CopyChanges own{.spot = std::nullopt, .instance_type = {}, .settings = asked.settings};
  own.settings.instance_count.reset();
  fit_wait(job, own.settings);
  const std::vector<MachineCounts> has = needed(job, own);
  const bool asked_for = std::ranges::any_of(
      out, [&](const CopyChanges& changes) { return needed(job, changes) == has; });
  if (!asked_for && !is_capacity_failure(job)) out.push_back(std::move(own));
  return out;
}

bool is_move(const TrainingJob& job, const CopyChanges& changes) {
  const std::vector<MachineCounts> has = needed(job, {});
  const std::vector<MachineCounts> needs = needed(job, changes);
  for (std::size_t i = 0; i < needs.size(); ++i)
    if (needs_more(has[i], needs[i])) return true;
  return false;
}

std::optional<Reason> why_never(const TrainingJob& job, std::span<const CopyChanges> candidates,
                                const MachineCounts& quotas) {
  std::optional<Reason> out;
  for (const CopyChanges& changes : candidates) {
    for (const MachineCounts& need : needed(job, changes)) {
      const auto short_of = std::ranges::find_if(need, [&](const auto& one) {
        const auto quota = quotas.find(one.first);
        return quota != quotas.end() && quota->second < one.second;
      });
      if (short_of == need.end()) return std::nullopt;
      if (!out)
        out = Reason{.why = Why::kQuotaTooSmall,
                     .name = quota_name(short_of->first),
                     .number = short_of->second,
                     .limit = quotas.at(short_of->first)};
    }
  }
  return out;
}

std::optional<Reason> why_not_allowed(const TrainingJob& job,
                                      std::span<const CopyChanges> candidates,
                                      std::span<const std::string> allowed) {
  if (allowed.empty()) return std::nullopt;
  std::optional<Reason> out;
  for (const CopyChanges& changes : candidates) {
    // Of InstancePreferences the request names every type.
    MachineCounts need;
    for (const MachineCounts& one : needed(job, changes)) need.insert(one.begin(), one.end());
    const auto other = std::ranges::find_if(need, [&](const auto& one) {
      return std::ranges::none_of(
          allowed, [&](const std::string& type) { return is_like(type, one.first.type); });
    });
    if (!need.empty() && other == need.end()) return std::nullopt;
    if (!out)
      out = Reason{.why = Why::kTypeNotAllowed,
                   .name = need.empty() ? std::string() : other->first.type};
  }
  return out;
}

std::string machines_text(const TrainingJob& job, const CopyChanges& changes) {
  std::string out;
  for (const MachineCounts& need : needed(job, changes)) {
    if (!out.empty()) out += " or ";
    bool first = true;
    for (const auto& [kind, count] : need) {
      out += fmt::format("{}{} × {} {}", first ? "" : ", ", count, kind.type,
                         kind.spot ? "on spot" : "on demand");
      first = false;
    }
  }
  return out;
}

}  // namespace trainwarden::rules
