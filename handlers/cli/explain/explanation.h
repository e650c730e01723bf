// What a policy decides about one event of one job, and why, as a page and as JSON.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "handlers/actions/handle/handle_job.h"
#include "handlers/cli/explain/given_facts.h"
#include "handlers/cli/terminal/page.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

struct Undecided {
  std::string rule;
  rules::SourceSet needs;
  std::set<std::string> missing = {};  // "job.ResourceConfig is not given"
};

struct Explanation {
  const rules::Policy* policy;
  rules::JobEvent event;
  std::string state;
  sys_seconds now;
  rules::Evaluation evaluation = {};
  std::vector<Undecided> undecided = {};
  std::size_t held = 0;  // rules that match, even if none of their actions is left
  // W4: the alarm's actions are carried out only if CloudWatch confirms the breach when the event
  // comes.
  bool to_confirm = false;
  // Why the alarm is not confirmed, so that nothing would be done; nullopt: it is, or may yet be.
  std::optional<rules::Measurement> unconfirmed = {};
};

// Decides by the sources alone; facts that they lack are reported as needed. given: what of the job
// is written down, so that a member that is missing there is not taken for absent.
Explanation explain_offline(const rules::Policy& policy, const rules::Sources& sources,
                            sys_seconds now, const GivenFacts* given = nullptr);
// Explains what a function would decide at this moment, after it has fetched all that it needs.
Explanation explain_considered(const rules::Policy& policy, const actions::Considered& considered,
                               sys_seconds now);

// "tags.team = vision"; for a value that is not shown, and for a member that is absent, so too.
std::string because_text(const rules::Because& because);

// Prints the decisions, and what was dropped, skipped or could not be decided.
void print_decisions(const Explanation& explanation, Page& page);
std::string page_of(const Explanation& explanation, const Screen& screen);

// Writes the members into an open object.
void write_members(json::Sink& sink, const Explanation& explanation);
std::string json_of(const Explanation& explanation);

}  // namespace trainwarden::cli
