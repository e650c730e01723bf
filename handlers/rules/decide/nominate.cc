#include "handlers/rules/decide/nominate.h"

#include <algorithm>
#include <array>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/facts/facts.h"

namespace trainwarden::rules {
namespace {

// A job keeps its machine type, so a rule that lacks its price would be skipped whatever a look
// found. The records of the job's events have reported that already.
bool lacks_prices_only(const Policy& policy, std::size_t index, const Facts& facts) {
  const RuleVerdict judged = evaluate_rule(policy, index, facts, Mode::kEnforce);
  return judged.skipped && judged.skipped->sources == SourceSet{Source::kPrices};
}

// arn:partition:sagemaker:region:account:training-job/name
struct Home {
  std::string_view region;
  std::string_view account;
};

std::optional<Home> home_of(std::string_view arn) {
  constexpr std::size_t kRegion = 3;
  constexpr std::size_t kFields = 5;
  std::array<std::string_view, kFields> fields;
  for (std::string_view& field : fields) {
    const std::size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    field = arn.substr(0, colon);
    arn.remove_prefix(colon + 1);
  }
  if (fields[kRegion].empty() || fields[kRegion + 1].empty()) return std::nullopt;
  return Home{fields[kRegion], fields[kRegion + 1]};
}

}  // namespace

std::optional<Sources> sources_of_search(const TrainingJob& job) {
  if (job.name.empty()) return std::nullopt;
  JobEvent event{.trigger = Trigger::kSweep, .job_name = std::string(job.name)};
  event.creation_time = job.created;
  if (const auto home = home_of(job.arn)) {
    event.account = home->account;
    event.region = home->region;
  }
  Sources out(std::move(event));
  out.set(Source::kDescribe, json::Document::build([&](json::Sink& sink) { sink.value(job.raw); }));
  out.set(Source::kTags, search_tags(job.raw));
  out.mark_provisional();
  return out;
}

Nomination nominate(const Policy& policy, const Sources& search, sys_seconds now) {
  Nomination out;
  const Facts facts = facts_from(search, policy.prices(), now, policy.failures());
  for (std::size_t i = 0; i < policy.rules().size(); ++i) {
    const Rule& rule = policy.rules()[i];
    const Truth verdict = rule_verdict(policy, i, facts);
    if (verdict == Truth::kFalse) continue;
    if (verdict == Truth::kUnavailable && lacks_prices_only(policy, i, facts)) continue;
    if (verdict != Truth::kTrue || !only_watches(rule.actions)) {
      out.look = true;
      return out;
    }
    for (const Action& action : rule.actions)
      for (const std::string& name : action.watches) {
        const Watch* const watch = policy.find_watch(name);
        if (watch != nullptr && std::ranges::find(out.watches, watch) == out.watches.end())
          out.watches.push_back(watch);
      }
  }
  return out;
}

}  // namespace trainwarden::rules
