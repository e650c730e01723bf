#include "handlers/cli/explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "handlers/cli/terminal/text.h"
#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/alarms/measured_text.h"
#include "handlers/rules/decide/decision_text.h"
#include "handlers/rules/outcome/outcome_text.h"

namespace trainwarden::cli {
namespace {

std::optional<rules::Reason> why_unconfirmed(const rules::Policy& policy,
                                             const rules::Sources& sources, sys_seconds now) {
  const rules::AlarmEvent& alarm = *sources.event().alarm;
  const auto watch = rules::watch_of(alarm, policy);
  if (!watch) return watch.error();
  const rules::TrainingJob* const job = sources.job();
  return job != nullptr ? rules::why_not_confirmable(**watch, *job, now) : std::nullopt;
}

// Takes back what was decided of a rule that needs what is not given.
void leave_undecided(const std::string& rule, rules::Evaluation& out) {
  std::erase_if(out.decisions, [&](const rules::Decision& one) { return one.rule == rule; });
  std::erase_if(out.skipped, [&](const rules::Skipped& one) { return one.rule == rule; });
  std::erase_if(out.dropped, [&](const rules::Dropped& one) { return one.rule == rule; });
}

// Counts the rules that hold and lists those that cannot be decided.
void count_rules(const rules::Facts& facts, const GivenFacts* given, Explanation& out) {
  for (std::size_t i = 0; i < out.policy->rules().size(); ++i) {
    const std::string& name = out.policy->rules()[i].name;
    std::set<std::string> missing;
    if (given != nullptr) missing = given_verdict(*given, out.policy->rules()[i], facts).missing;
    if (!missing.empty()) {
      leave_undecided(name, out.evaluation);
      out.undecided.push_back({name, {}, std::move(missing)});
      continue;
    }
    const rules::RuleVerdict rule =
        rules::evaluate_rule(*out.policy, i, facts, rules::Mode::kEnforce);
    if (rule.verdict == rules::Truth::kTrue) ++out.held;
    if (rule.verdict != rules::Truth::kUnknown) continue;
    out.undecided.push_back({name, rule.needs});
  }
}

// The names of the changed settings: "max_runtime_seconds, hyperparameters.batch_size". Values may
// be secret.
std::string changed_settings(const rules::CopySettings& settings) {
  std::vector<std::string> out;
  if (settings.max_runtime_seconds) out.emplace_back("max_runtime_seconds");
  if (settings.max_wait_seconds) out.emplace_back("max_wait_seconds");
  if (settings.instance_count) out.emplace_back("instance_count");
  for (const auto& [form, changes] :
       {std::pair(&rules::kHyperParameters, &settings.hyperparameters),
        std::pair(&rules::kEnvironment, &settings.environment)})
    for (const auto& [key, value] : *changes)
      out.push_back(fmt::format("{}.{}", form->name, printable(key)));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string actions_of(const rules::Decision& decision) {
  std::string out;
  for (const rules::Action& action : decision.actions) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", rules::name(action.kind));
    if (rules::stops_tuner(action)) out += " with tuning_job";
    if (rules::is_announced(action))
      out += fmt::format(", announced {} s before", action.stop.grace.count());
    for (const std::string& watch : action.watches) out += " " + watch;
    const std::string changed = changed_settings(action.restart.settings);
    if (!changed.empty()) out += fmt::format(" (with other {})", changed);
  }
  return out;
}

std::string_view would(rules::Mode mode) {
  switch (mode) {
    case rules::Mode::kObserve:
      return "observe: only recorded";
    case rules::Mode::kNotify:
      return "notify: people are told, nothing else is done";
    case rules::Mode::kEnforce:
      return "enforce";
  }
  return "";
}

void print(const rules::Decision& decision, Page& page) {
  const std::string actions = actions_of(decision);
  const bool acts = decision.mode == rules::Mode::kEnforce;
  page.line(fmt::format("{}: {} ({})", page.bold(printable(decision.rule)),
                        acts ? page.alert(actions) : actions, would(decision.mode)),
            2);
  std::string_view lead = "  because ";
  for (const rules::Because& because : decision.because) {
    const std::string wanted = rules::asked_text(because);
    const std::string asked = wanted.empty() ? "" : fmt::format(", asked: {}", printable(wanted));
    page.line(fmt::format("{}{}{}", lead, printable(because_text(because)), asked), 12);
    lead = "      and ";
  }
  if (!decision.message.empty()) page.line(page.faint("  " + printable(decision.message)), 2);
}

void print_exemption(const rules::Evaluation& evaluation, Page& page) {
  page.gap();
  page.line(
      fmt::format("{} the policy's own `unless` exempts the job from {}", page.bold("exempted:"),
                  printable(fmt::format("{}", fmt::join(evaluation.exempted, ", ")))),
      2);
  for (const rules::Because& because : evaluation.exempted_because)
    page.line("  because " + printable(because_text(because)), 12);
}

}  // namespace

std::string because_text(const rules::Because& because) {
  if (because.absent) return because.path() + " is absent";
  const std::string value = rules::value_text(because);
  return value.empty() ? because.path() + " (not shown)"
                       : fmt::format("{} = {}", because.path(), value);
}

void print_decisions(const Explanation& e, Page& page) {
  page.line(
      fmt::format("policy {}, mode {}: {} of {} rules hold{}", e.policy->hash(),
                  rules::name(e.policy->mode()), e.held, e.policy->rules().size(),
                  e.undecided.empty() ? "" : fmt::format(", {} not decided", e.undecided.size())),
      2);
  for (const rules::Decision& decision : e.evaluation.decisions) {
    page.gap();
    print(decision, page);
  }
  if (e.unconfirmed) {
    page.gap();
    page.line("nothing would be done: the alarm is not confirmed: " +
                  printable(rules::text(*e.unconfirmed)),
              2);
  } else if (e.to_confirm) {
    page.gap();
    page.line("if CloudWatch confirms the breach when the alarm's message comes", 2);
  }
  if (!e.evaluation.exempted.empty()) print_exemption(e.evaluation, page);
  if (!e.evaluation.dropped.empty()) page.gap();
  for (const rules::Dropped& dropped : e.evaluation.dropped) {
    page.line(fmt::format("{}: {} dropped: {}", page.bold(printable(dropped.rule)),
                          rules::name(dropped.action), printable(rules::text(dropped.reason))),
              2);
  }
  if (!e.evaluation.skipped.empty()) page.gap();
  for (const rules::Skipped& skipped : e.evaluation.skipped)
    page.line(fmt::format("{}: skipped: {}", page.bold(printable(skipped.rule)),
                          printable(rules::text(skipped))),
              2);
  if (!e.undecided.empty()) page.gap();
  for (const Undecided& rule : e.undecided) {
    page.line(rule.missing.empty()
                  ? fmt::format("{}: undecided, needs {}", page.bold(printable(rule.rule)),
                                rule.needs.names())
                  : fmt::format("{}: not decided: {}", page.bold(printable(rule.rule)),
                                printable(fmt::format("{}", fmt::join(rule.missing, "; ")))),
              2);
  }
  if (std::ranges::any_of(e.undecided, [](const Undecided& rule) { return !rule.missing.empty(); }))
    page.line(page.faint("AWS tells these of every such job: give its whole answer, from `aws "
                         "sagemaker describe-training-job`, with --job"),
              2);
  rules::SourceSet to_give = e.evaluation.needs;
  to_give.remove(rules::Source::kSilence);
  to_give.remove(rules::Source::kCheckpoint);
  if (!to_give.empty())
    page.line(page.faint("give what AWS says with --job (describe), --tags, --logs and --fleet"),
              2);
  if (e.evaluation.needs.contains(rules::Source::kSilence))
    page.line(page.faint("whether the logs are silent is for the functions to look up"), 2);
  if (e.evaluation.needs.contains(rules::Source::kCheckpoint))
    page.line(page.faint("what lies at the job's checkpoint is for the functions to look up"), 2);
}

std::string page_of(const Explanation& e, const Screen& screen) {
  Page page(screen);
  page.line(fmt::format("job {}, {}, by {}, at {}", page.bold(printable(e.event.job_name)),
                        printable(e.state), rules::name(e.event.trigger), rfc3339(e.now)),
            2);
  print_decisions(e, page);
  return page.take();
}

namespace {

// ---- for programs

// Writes the keys alone: values may be secret.
void write(json::Sink& sink, std::string_view name, const rules::EntryChanges& changes) {
  if (changes.empty()) return;
  const auto keys = [&](std::string_view list, bool set) {
    sink.key(list).begin_array();
    for (const auto& [key, value] : changes)
      if (value.has_value() == set) sink.string(key);
    sink.end_array();
  };
  sink.key(name).begin_object();
  keys("set", true);
  keys("removed", false);
  sink.end_object();
}

void write(json::Sink& sink, const rules::CopySettings& settings) {
  if (settings.max_runtime_seconds)
    sink.member("max_runtime_seconds", *settings.max_runtime_seconds);
  if (settings.max_wait_seconds) sink.member("max_wait_seconds", *settings.max_wait_seconds);
  if (settings.instance_count) sink.member("instance_count", *settings.instance_count);
  write(sink, rules::kHyperParameters.name, settings.hyperparameters);
  write(sink, rules::kEnvironment.name, settings.environment);
}

void write(json::Sink& sink, const rules::Action& action) {
  sink.begin_object().member("action", rules::name(action.kind));
  if (!action.topic.empty()) sink.member("topic", action.topic);
  if (rules::stops_tuner(action)) sink.member("tuning_job", true);
  if (rules::is_announced(action)) sink.member("grace_seconds", action.stop.grace.count());
  if (!action.watches.empty()) {
    sink.key("watches").begin_array();
    for (const std::string& watch : action.watches) sink.string(watch);
    sink.end_array();
  }
  if (!action.tags.empty()) {
    sink.key("tags").begin_object();
    for (const auto& [key, value] : action.tags) sink.member(key, value);
    sink.end_object();
  }
  if (action.kind == rules::ActionKind::kRestart) {
    if (action.restart.spot) sink.member("spot", *action.restart.spot);
    sink.member("limit", action.restart.limit);
    sink.member("min_progress_seconds", action.restart.min_progress_seconds);
    sink.key("instance_types").begin_array();
    for (const std::string& type : action.restart.instance_types) sink.string(type);
    sink.end_array();
    write(sink, action.restart.settings);
  }
  sink.end_object();
}

void write(json::Sink& sink, const rules::Decision& decision) {
  sink.begin_object()
      .member("rule", decision.rule)
      .member("mode", rules::name(decision.mode))
      .member("message", decision.message);
  sink.key("actions").begin_array();
  for (const rules::Action& action : decision.actions) write(sink, action);
  sink.end_array().key("because").begin_array();
  for (const rules::Because& because : decision.because) rules::write_because(sink, because);
  sink.end_array().end_object();
}

void write(json::Sink& sink, rules::SourceSet sources) {
  sink.begin_array();
  for (rules::Source source : sources) sink.string(rules::name(source));
  sink.end_array();
}

}  // namespace

void write_members(json::Sink& sink, const Explanation& e) {
  sink.member("trigger", rules::name(e.event.trigger))
      .member("job", e.event.job_name)
      .member("state", e.state)
      .member("now", rfc3339(e.now))
      .member("policy", e.policy->hash());
  sink.key("decisions").begin_array();
  for (const rules::Decision& decision : e.evaluation.decisions) write(sink, decision);
  sink.end_array().key("dropped").begin_array();
  for (const rules::Dropped& dropped : e.evaluation.dropped) {
    sink.begin_object()
        .member("rule", dropped.rule)
        .member("action", rules::name(dropped.action))
        .member("reason", rules::text(dropped.reason))
        .member("code", rules::code(dropped.reason.why))
        .end_object();
  }
  if (!e.evaluation.skipped.empty()) {
    sink.end_array().key("skipped").begin_array();
    for (const rules::Skipped& skipped : e.evaluation.skipped) {
      sink.begin_object()
          .member("rule", skipped.rule)
          .member("unavailable", skipped.sources.names())
          .key("unavailable_sources");
      write(sink, skipped.sources);
      sink.member("error", rules::text(skipped))
          .member("comes_again", skipped.comes_again)
          .end_object();
    }
  }
  if (!e.evaluation.exempted.empty()) {
    sink.end_array().key("exempted").begin_object().key("rules").begin_array();
    for (const std::string& rule : e.evaluation.exempted) sink.string(rule);
    sink.end_array().key("because").begin_array();
    for (const rules::Because& because : e.evaluation.exempted_because)
      rules::write_because(sink, because);
    sink.end_array().end_object().key("undecided").begin_array();
  } else {
    sink.end_array().key("undecided").begin_array();
  }
  for (const Undecided& rule : e.undecided) {
    sink.begin_object().member("rule", rule.rule).key("needs");
    write(sink, rule.needs);
    if (!rule.missing.empty()) {
      sink.key("missing").begin_array();
      for (const std::string& one : rule.missing) sink.string(one);
      sink.end_array();
    }
    sink.end_object();
  }
  sink.end_array().key("needs");
  write(sink, e.evaluation.needs);
  if (e.to_confirm && !e.unconfirmed) sink.member("to_confirm", true);
  if (e.unconfirmed)
    sink.member("not_confirmed", rules::text(*e.unconfirmed))
        .member("not_confirmed_code", rules::code(*e.unconfirmed));
}

std::string json_of(const Explanation& e) {
  json::Writer writer;
  writer.begin_object();
  write_members(writer, e);
  writer.end_object();
  return printable(writer.take()) + '\n';
}

Explanation explain_offline(const rules::Policy& policy, const rules::Sources& sources,
                            sys_seconds now, const GivenFacts* given) {
  const rules::Facts facts = rules::facts_from(sources, policy.prices(), now, policy.failures());
  Explanation out{&policy, sources.event(), rules::state_of(sources), now};
  out.evaluation = rules::decide(policy, facts, rules::Mode::kEnforce);
  count_rules(facts, given, out);
  auto& decisions = out.evaluation.decisions;
  const auto& alarm = sources.event().alarm;
  out.to_confirm =
      alarm && !std::ranges::all_of(decisions, rules::only_watches, &rules::Decision::actions);
  std::optional<rules::Reason> unconfirmed;
  const bool is_told = given == nullptr || missing_for_alarms(*given).empty();
  if (is_told && (out.to_confirm || (alarm && alarm->state != rules::kInAlarm)))
    unconfirmed = why_unconfirmed(policy, sources, now);
  if (unconfirmed) {
    out.unconfirmed = *std::move(unconfirmed);
    decisions.clear();
    out.evaluation.dropped.clear();
  }
  return out;
}

Explanation explain_considered(const rules::Policy& policy, const actions::Considered& considered,
                               sys_seconds now) {
  const rules::Sources& sources = considered.sources;
  const rules::Facts facts = rules::facts_from(sources, policy.prices(), now, policy.failures());
  Explanation out{&policy, sources.event(), considered.record.state, now, considered.evaluation};
  count_rules(facts, nullptr, out);
  const actions::Record& record = considered.record;
  if (record.conclusion == actions::Conclusion::kNotConfirmed) {
    if (record.measurement)
      out.unconfirmed = *record.measurement;
    else if (record.error)
      out.unconfirmed = rules::because_of(*record.error);
  }
  return out;
}

}  // namespace trainwarden::cli
