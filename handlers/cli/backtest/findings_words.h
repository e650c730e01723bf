// Words for findings: labels, verdicts and grounds as people read them. The terminal's text and the
// HTML page use the same ones.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/backtest/totals.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

// The label of a part of the spending: "completed", "kept by right stops".
std::string_view label(rules::Spending spending);
// "right", "wrong", "rule", "unknown"; for a stop that is part of a restart "restart, wrong".
std::string verdict_text(const rules::ReplayedStop& stop);
// The ground of a verdict: "the job completed", "it ran when the export was made".
std::string_view ground_text(rules::StopGround ground);
// "oom_gpu" and "no" of a failure; "not told" where it has no diagnosis.
std::string label_text(const std::optional<rules::Verdict>& failure);
std::string resume_text(const std::optional<rules::Verdict>& failure);
std::string rule_name(const rules::Findings& findings, std::size_t rule);
// "stopped after 18.0 h of 36.0 h": the job's hours when it was stopped.
std::string stop_text(const rules::JobFinding& job, const rules::ReplayedStop& stop,
                      sys_seconds until);
// "tags.team = vision"; a confidential value is not shown.
std::string because_text(const rules::ReplayedStop& stop);
std::string held_back_text(const rules::HeldBack& held);
std::string undecidable_text(const rules::Undecidable& one);
std::string explain_command(const rules::Findings& findings, const rules::JobFinding& job);
// "260 training jobs of account …, eu-central-1", "24 Aug 2026 to 22 Nov 2026".
std::string scope_text(const rules::Findings& findings);
std::string days_text(const rules::Findings& findings);

// The figures with which findings begin.
struct Figure {
  std::string number;
  std::string means;
};
Figure stopped_figure(const rules::Totals& totals);
// Whether more than one job of ten would have been stopped by what it is.
bool stops_many(const rules::Totals& totals);
Figure kept_figure(const rules::Totals& totals);
Figure destroyed_figure(const rules::Totals& totals);
Figure look_at_figure(const rules::Totals& totals);
// The figures without a policy: what was paid, what of it went to jobs that did not complete,
// and the number of jobs.
Figure paid_figure(const rules::Totals& totals);
Figure lost_figure(const rules::Totals& totals);
Figure jobs_figure(const rules::Findings& findings, const rules::Totals& totals);

// "No job has the tag `projct`, which the rule needs-project names; 580 jobs have `project`."
std::string missing_key_text(const rules::MissingKey& missing);
// "12 right ($16,060), 1 wrong ($134), told 5": what the rule says of jobs behind another's stop.
std::string behind_text(const rules::RuleTotal& total);
bool any_behind(const rules::Totals& totals);

// A line for each thing that these findings cannot know.
std::vector<std::string> unknowns(const rules::Findings& findings, const rules::Totals& totals);

// Stops that limits or guards held back, and facts without which a rule could not be decided: each
// text once with its number of jobs, the most frequent first.
struct Counted {
  std::string rule;
  std::string what;
  std::size_t jobs = 0;
};
std::vector<Counted> held_back(const rules::Findings& findings);
std::vector<Counted> undecidable(const rules::Findings& findings);

}  // namespace trainwarden::cli
