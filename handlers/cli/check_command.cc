#include "handlers/cli/check_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/setup/policy_source.h"
#include "handlers/cli/sample_jobs.h"
#include "handlers/cli/text.h"
#include "handlers/cli/until_warnings.h"
#include "handlers/rules/policy/contradictions.h"
#include "handlers/rules/policy/cost_doubts.h"
#include "handlers/rules/policy/policy.h"
#include "handlers/rules/policy/remarks.h"
#include "handlers/rules/policy/told_ends.h"

namespace trainwarden::cli {

namespace {

// Meant, maybe, and more than a rule about one job says by itself.
std::vector<std::string> stops_of_tuners(const rules::Policy& policy) {
  return rules::remarks(
      policy,
      [](const rules::Rule& rule) { return std::ranges::any_of(rule.actions, rules::stops_tuner); },
      "where a tuning or AutoML job launched the job, `tuning_job` stops that one, which ends "
      "every "
      "training job that it runs: healthy ones, and those of its other definitions, too");
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

// A restart by a sweep, which makes up for lost events, begins with failures after the rule was
// first enforced.
std::vector<std::string> restarts_by_sweeps(const rules::Policy& policy) {
  return rules::remarks(
      policy,
      [](const rules::Rule& rule) {
        return rule.has(rules::ActionKind::kRestart) && may_match_ended(rule);
      },
      "sweeps restart no job that ended before this rule was first enforced, and a rule that is "
      "edited begins anew");
}

}  // namespace

Printed check(const std::string& path) {
  const auto text = actions::read_file(path == "-" ? "/dev/stdin" : path);
  if (!text) return {2, {}, fmt::format("trainwarden: {}\n", printable(text.error().message))};
  Printed printed;
  const auto mistakes = rules::check_policy(*text);
  for (const Error& mistake : mistakes)
    printed.output +=
        wrapped(fmt::format("error: {}", printable(mistake.message)), kColumns, 7) + '\n';
  if (!mistakes.empty()) {
    printed.status = 1;
    const bool all = mistakes.size() < rules::kMaxErrors;
    printed.output += fmt::format("{}: {} {}{}\n", printable(path), mistakes.size(),
                                  mistakes.size() == 1 ? "error" : "errors",
                                  all ? "" : " or more: the rest was not read");
    return printed;
  }
  const auto policy = rules::parse_policy(*text);
  if (!policy) return {1, fmt::format("error: {}\n", printable(policy.error().message)), {}};
  for (const auto& warnings :
       {rules::warnings_of(*policy), rules::unpriced_machines(*policy),
        stops_of_everything(*policy), rules::told_ends(*policy), until_warnings(*policy)})
    for (const std::string& warning : warnings)
      printed.output += wrapped(fmt::format("warning: {}", printable(warning)), kColumns, 9) + '\n';
  printed.output += fmt::format(
      "{}: sound; {} {}, mode {}, hash {}\n", printable(path), policy->rules().size(),
      policy->rules().size() == 1 ? "rule" : "rules", rules::name(policy->mode()), policy->hash());
  for (const auto& notes : {stops_of_tuners(*policy), restarts_by_sweeps(*policy)})
    for (const std::string& note : notes)
      printed.output += wrapped(fmt::format("note: {}", printable(note)), kColumns, 6) + '\n';
  return printed;
}

}  // namespace trainwarden::cli
