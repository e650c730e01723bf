#include "handlers/cli/check/check_remarks.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <tuple>
#include <utility>

#include "handlers/cli/check/grace_warnings.h"
#include "handlers/cli/check/sample_jobs.h"
#include "handlers/cli/check/until_warnings.h"
#include "handlers/cli/files/inputs.h"
#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/policy/contradictions.h"
#include "handlers/rules/policy/cost_doubts.h"
#include "handlers/rules/policy/idle_actions.h"
#include "handlers/rules/policy/notified_ends.h"
#include "handlers/rules/policy/remarks.h"
#include "handlers/rules/policy/volume_keys.h"

namespace trainwarden::cli {
namespace {

// This may be intended, but it does more than a rule about one job says by itself.
std::vector<rules::Remark> stops_of_tuners(const rules::Policy& policy) {
  return rules::remarks(
      policy,
      [](const rules::Rule& rule) { return std::ranges::any_of(rule.actions, rules::stops_tuner); },
      "where a tuning or AutoML job launched the job, `tuning_job` stops that one, which ends "
      "every training job that it runs: healthy ones, and those of its other definitions, too");
}

bool may_match_ended(const rules::Rule& rule) {
  constexpr std::array<std::string_view, 2> kEnded{"Failed", "Stopped"};
  constexpr std::array<std::string_view, 4> kEndedAs{"Failed", "Stopped", "MaxRuntimeExceeded",
                                                     "MaxWaitTimeExceeded"};
  return std::ranges::any_of(rule.match.any, [&](const rules::Conjunction& one) {
    return !one.refuses(rules::Group::kJob, "TrainingJobStatus", kEnded) &&
           !one.refuses(rules::Group::kJob, "SecondaryStatus", kEndedAs);
  });
}

// Sweeps make up for lost events, but restart only jobs that failed after the rule was first
// enforced.
std::vector<rules::Remark> restarts_by_sweeps(const rules::Policy& policy) {
  return rules::remarks(
      policy,
      [](const rules::Rule& rule) {
        return rule.has(rules::ActionKind::kRestart) && may_match_ended(rule);
      },
      "sweeps restart no job that ended before this rule was first enforced, and a rule that is "
      "edited begins anew");
}

bool restarts_with(const rules::Rule& rule, bool (*asks)(const rules::Restart& restart)) {
  return std::ranges::any_of(rule.actions, [&](const rules::Action& action) {
    return action.kind == rules::ActionKind::kRestart && asks(action.restart);
  });
}

// Of jobs with InstancePreferences (F16).
std::vector<rules::Remark> beside_preferences(const rules::Policy& policy) {
  std::vector<rules::Remark> out = rules::remarks(
      policy,
      [](const rules::Rule& rule) {
        return restarts_with(
            rule, [](const rules::Restart& restart) { return !restart.instance_types.empty(); });
      },
      "the copy of a job with InstancePreferences keeps these, and `instance_types` changes "
      "nothing "
      "of them");
  for (rules::Remark& more : rules::remarks(
           policy,
           [](const rules::Rule& rule) {
             return restarts_with(
                 rule, [](const rules::Restart& restart) { return restart.spot == true; });
           },
           "a job with InstancePreferences is not run again with `\"spot\": true`, which AWS "
           "refuses "
           "beside them"))
    out.push_back(std::move(more));
  return out;
}

constexpr std::string_view kSingleType = "ResourceConfig.InstanceType";
constexpr std::string_view kTypeOfPreferences = "ResourceConfig.InstancePreferences.InstanceType";

bool names(const rules::FactPattern& pattern, std::string_view path) {
  return std::ranges::any_of(pattern.any, [path](const rules::Conjunction& one) {
    return one.find(rules::Group::kJob, path) != nullptr;
  });
}

std::vector<rules::Remark> single_types(const rules::Policy& policy) {
  return rules::remarks(
      policy,
      [](const rules::Rule& rule) {
        return (names(rule.match, kSingleType) || names(rule.unless, kSingleType)) &&
               !names(rule.match, kTypeOfPreferences) && !names(rule.unless, kTypeOfPreferences);
      },
      "job.ResourceConfig.InstanceType says nothing of jobs with InstanceGroups or "
      "InstancePreferences: resources.instance_types has the types of all");
}

// What whoever starts a job writes: its name, tags, hyperparameters and the like. Only who may pass
// a role gives it to a job, so that RoleArn is another's word, and so is an account.
bool is_of_tenant(const rules::Part& part, const rules::Condition& condition) {
  switch (part.group) {
    case rules::Group::kTags:
    case rules::Group::kUntil:
    case rules::Group::kLineage:
      return true;
    case rules::Group::kJob:
      return condition.path == "TrainingJobName" || condition.path == "TrainingJobArn" ||
             condition.path.starts_with("ExperimentConfig.") ||
             rules::is_in_free_map(condition.path);
    default:
      return false;
  }
}

std::vector<rules::Remark> exemptions_by_tenants(const rules::Policy& policy) {
  const auto by_tenant = [](const rules::Conjunction& one) {
    return std::ranges::all_of(one.parts, [](const rules::Part& part) {
      return std::ranges::all_of(part.conditions, [&part](const rules::Condition& condition) {
        return is_of_tenant(part, condition);
      });
    });
  };
  if (std::ranges::none_of(policy.unless().any, by_tenant)) return {};
  std::vector<rules::Remark> out;
  out.push_back(
      {"unless", "/unless",
       "exempts jobs from every rule by a name or tag alone, which whoever starts a job "
       "chooses: add a condition on `job.RoleArn`, since only who may pass a role gives it "
       "to a job"});
  return out;
}

// Finds the rules' names and the places of the remarks in one text.
class Placer {
 public:
  explicit Placer(std::string_view text)
      : text_(text), document_(json::Document::parse(text, json::Syntax::kRelaxed)) {}

  void add(Severity severity, const std::vector<rules::Remark>& remarks) {
    const auto begin = std::ssize(out_);
    for (const rules::Remark& remark : remarks)
      out_.push_back({severity, remark.pointer, rule_of(remark.pointer),
                      json::locate(text_, remark.pointer), remark.path, remark.message,
                      remark.is_hint});
    std::stable_sort(out_.begin() + begin, out_.end(),
                     [](const CheckRemark& a, const CheckRemark& b) {
                       return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
                     });
  }

  std::vector<CheckRemark> take() { return std::move(out_); }

 private:
  std::optional<std::string> rule_of(std::string_view pointer) const {
    constexpr std::string_view kRules = "/rules/";
    if (!document_ || !pointer.starts_with(kRules)) return std::nullopt;
    pointer.remove_prefix(kRules.size());
    std::size_t index = 0;
    const char* const end = pointer.data() + pointer.size();
    if (std::from_chars(pointer.data(), end, index).ec != std::errc()) return std::nullopt;
    const auto rules = document_->root().find("rules");
    if (!rules || index >= rules->size()) return std::nullopt;
    for (const json::Value rule : rules->elements()) {
      if (index-- != 0) continue;
      const auto name = rule.find("name");
      if (name && name->is_string()) return std::string(name->as_string());
    }
    return std::nullopt;
  }

  std::string_view text_;
  Result<json::Document> document_;
  std::vector<CheckRemark> out_;
};

std::string what_of(const json::Fault& fault, std::string_view text) {
  return fault.at ? fmt::format("not valid JSON: {}{}", fault.detail, what_it_looks_like(text))
                  : fmt::format("member `{}` is there twice", fault.detail);
}

}  // namespace

std::string_view name(Severity severity) {
  constexpr std::array<std::string_view, 3> kNames = {"error", "warning", "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::vector<CheckRemark> mistakes_of(std::string_view text) {
  const std::vector<rules::Remark> mistakes = rules::check_policy(text);
  if (mistakes.empty()) return {};
  if (text.size() <= rules::kLongestPolicy) {
    if (const auto fault = json::fault_of(text, json::Syntax::kRelaxed)) {
      const json::Position at = fault->at ? *fault->at : json::locate(text, fault->pointer);
      return {{Severity::kError, fault->pointer, {}, at, {}, what_of(*fault, text)}};
    }
  }
  Placer placer(text);
  placer.add(Severity::kError, mistakes);
  return placer.take();
}

std::vector<CheckRemark> doubts_of(const rules::Policy& policy, std::string_view text) {
  std::vector<rules::Remark> warnings = rules::warnings_of(policy);
  for (const auto& more :
       {rules::unpriced_machines(policy), stops_of_everything(policy), rules::notified_ends(policy),
        rules::stopped_ends(policy), rules::idle_actions(policy), until_warnings(policy),
        grace_warnings(policy), rules::demanded_volume_keys(policy), exemptions_by_tenants(policy)})
    warnings.insert(warnings.end(), more.begin(), more.end());
  std::vector<rules::Remark> notes = stops_of_tuners(policy);
  for (const auto& more :
       {restarts_by_sweeps(policy), beside_preferences(policy), single_types(policy)})
    notes.insert(notes.end(), more.begin(), more.end());
  const auto refused = std::ranges::stable_partition(
      warnings, [](const rules::Remark& warning) { return warning.is_refusal; });
  Placer placer(text);
  placer.add(Severity::kError, {warnings.begin(), refused.begin()});
  placer.add(Severity::kWarning, {refused.begin(), refused.end()});
  placer.add(Severity::kNote, notes);
  return placer.take();
}

}  // namespace trainwarden::cli
