// Findings as JSON: the same sums as on the page, and each job.
#include <string_view>

#include "handlers/cli/backtest/findings_output.h"
#include "handlers/cli/backtest/findings_words.h"
#include "handlers/rules/backtest/totals.h"
#include "handlers/rules/decide/decision_text.h"
#include "runtime/base/day.h"

namespace trainwarden::cli {
namespace {

using rules::Spending;
using rules::StopVerdict;

constexpr std::array kVerdicts = {StopVerdict::kRight, StopVerdict::kWrong, StopVerdict::kRule,
                                  StopVerdict::kUnknown};

// Members whose value is unknown are left out.
void text_member(json::Sink& sink, std::string_view name, std::string_view text) {
  if (!text.empty()) sink.member(name, text);
}

// label: what the member with the failure's label is called.
void verdict_members(json::Sink& sink, std::string_view label,
                     const std::optional<rules::Verdict>& failure) {
  if (failure)
    sink.member(label, rules::name(failure->label)).member("resume", rules::name(failure->resume));
}
void number_member(json::Sink& sink, std::string_view name, std::optional<double> number) {
  if (number) sink.member(name, *number);
}
void time_member(json::Sink& sink, std::string_view name, std::optional<sys_seconds> time) {
  if (time) sink.member(name, std::string_view(rfc3339(*time)));
}

void write_sum(json::Sink& sink, const rules::Sum& sum) {
  sink.member("jobs", sum.jobs)
      .member("jobs_without_price", sum.without_price)
      .member("usd", sum.usd())
      .member("hours", sum.hours);
  sink.key("spent").begin_object();
  for (std::size_t i = 0; i < rules::kSpendings; ++i)
    sink.member(rules::name(static_cast<Spending>(i)), sum.split[i]);
  sink.end_object();
}

void write_stop_sum(json::Sink& sink, const rules::StopSum& sum) {
  sink.begin_object()
      .member("stops", sum.stops)
      .member("stops_without_price", sum.without_price)
      .member("before_usd", sum.before_usd)
      .member("after_usd", sum.after_usd)
      .end_object();
}

void write_verdicts(json::Sink& sink, const rules::StopSums& total) {
  for (const StopVerdict verdict : kVerdicts)
    write_stop_sum(sink.key(rules::name(verdict)), total.of(verdict));
  write_stop_sum(sink.key("restarts"), total.restarts);
  sink.member("wrong_restarts", total.wrong_restarts);
}

void write_group(json::Sink& sink, std::string_view what, const rules::GroupTotal& group) {
  sink.begin_object();
  if (group.name.empty())
    sink.key(what).null();
  else
    sink.member(what, std::string_view(group.name));
  sink.member("stops", group.stops);
  write_sum(sink, group.sum);
  sink.end_object();
}

// First of all, since it shows a policy that stops what nobody wants stopped.
void write_stopped(json::Sink& sink, const rules::Totals& totals) {
  const rules::StoppedJobs& stopped = totals.stopped;
  sink.key("stopped")
      .begin_object()
      .member("jobs", stopped.jobs)
      .member("of_jobs", totals.all.jobs)
      .member("by_what_they_are", stopped.by_what_they_are)
      .member("by_what_they_did", stopped.jobs - stopped.by_what_they_are)
      .member("usd", stopped.usd)
      .member("jobs_without_price", stopped.without_price)
      .member("restarts", stopped.restarts)
      .member("held_back", stopped.held_back)
      .end_object();
}

void write_totals(json::Sink& sink, const rules::Findings& findings, const rules::Totals& totals) {
  sink.key("totals").begin_object();
  if (!findings.policy.empty()) write_stopped(sink, totals);
  write_sum(sink, totals.all);
  if (!findings.policy.empty()) {
    sink.member("kept_usd", totals.kept_usd())
        .member("destroyed_usd", totals.destroyed_usd())
        .member("stops_to_look_at", totals.look_at.size())
        .member("stops", totals.stops())
        .member("held_back", totals.held_back)
        .member("undecidable_jobs", totals.undecidable);
    write_verdicts(sink, totals);
  }
  sink.end_object();
}

void write_rules(json::Sink& sink, const rules::Findings& findings, const rules::Totals& totals) {
  sink.key("rules").begin_array();
  for (const rules::RuleTotal& total : totals.rules) {
    const rules::RuleOfPolicy& rule = findings.rules[total.rule];
    sink.begin_object()
        .member("name", std::string_view(rule.name))
        .member("mode", rules::name(rule.mode))
        .member("rests_on_tags", rule.rests_on_tags);
    write_verdicts(sink, total);
    sink.member("told", total.notified)
        .member("tagged", total.tagged)
        .member("other_actions", total.other_actions)
        .member("held_back", total.held_back)
        .member("undecidable_jobs", total.undecidable)
        .key("behind")
        .begin_object();
    write_verdicts(sink, total.behind);
    sink.member("told", total.notified_behind).end_object().end_object();
  }
  sink.end_array();
}

void write_missing_keys(json::Sink& sink, const rules::Findings& findings) {
  sink.key("tag_keys_that_no_job_has").begin_array();
  for (const rules::MissingKey& missing : findings.missing_keys) {
    sink.begin_object().member("key", std::string_view(missing.key)).key("rules").begin_array();
    for (const std::string& rule : missing.rules) sink.string(rule);
    sink.end_array()
        .member("near", std::string_view(missing.near))
        .member("jobs", missing.jobs)
        .end_object();
  }
  sink.end_array();
}

void write_groups(json::Sink& sink, const rules::Totals& totals) {
  sink.key("teams").begin_array();
  for (const rules::GroupTotal& team : totals.teams) write_group(sink, "team", team);
  sink.end_array().key("tags").begin_array();
  for (const rules::TagTotal& tag : totals.tags) {
    sink.begin_object().member("key", std::string_view(tag.key)).key("values").begin_array();
    for (const rules::GroupTotal& value : tag.values) write_group(sink, "value", value);
    sink.end_array().end_object();
  }
  sink.end_array().key("weeks").begin_array();
  for (const rules::SpanTotal& week : totals.weeks) {
    sink.begin_object().member("monday", std::string_view(rfc3339_day(sys_seconds(week.begin))));
    write_sum(sink, week.sum);
    sink.end_object();
  }
  sink.end_array().key("failures").begin_array();
  for (const rules::FailureTotal& failure : totals.failures) {
    sink.begin_object();
    verdict_members(sink, "label", failure.verdict);
    write_sum(sink, failure.sum);
    sink.end_object();
  }
  sink.end_array();
}

void write_watches(json::Sink& sink, const rules::Findings& findings) {
  sink.key("watches").begin_array();
  for (const rules::WatchCoverage& watch : findings.watches)
    sink.begin_object()
        .member("watch", std::string_view(watch.watch))
        .member("metric", std::string_view(watch.metric))
        .member("period_seconds", watch.period_seconds)
        .member("days", watch.days)
        .member("judged", watch.judged)
        .member("not_kept", watch.not_kept)
        .member("missing", watch.missing)
        .end_object();
  sink.end_array();
}

void write_replayed_stop(json::Sink& sink, const rules::Findings& findings,
                         const rules::ReplayedStop& stop) {
  sink.begin_object().member("rule", std::string_view(rule_name(findings, stop.rule)));
  text_member(sink, "watch", stop.watch);
  sink.member("at", std::string_view(rfc3339(stop.at)))
      .member("by", rules::name(stop.trigger))
      .member("restarts", stop.restarts)
      .member("verdict", rules::name(stop.verdict))
      .member("ground", rules::name(stop.ground));
  number_member(sink, "before_usd", stop.before_usd);
  number_member(sink, "after_usd", stop.after_usd);
  if (stop.noticed_after) sink.member("noticed_after_seconds", stop.noticed_after->count());
  sink.member("rests_on_tags", stop.rests_on_tags).key("because").begin_array();
  for (const rules::Because& one : stop.because) {
    sink.begin_object().member("path", std::string_view(one.path()));
    text_member(sink, "value", rules::value_text(one));
    sink.end_object();
  }
  sink.end_array().end_object();
}

void write_decisions(json::Sink& sink, const rules::Findings& findings,
                     const rules::JobFinding& job) {
  if (job.stop) write_replayed_stop(sink.key("stop"), findings, *job.stop);
  if (job.asked && !job.stop) write_replayed_stop(sink.key("stop_held_back"), findings, *job.asked);
  sink.key("behind").begin_array();
  for (const rules::ReplayedStop& stop : job.behind) write_replayed_stop(sink, findings, stop);
  sink.end_array().key("actions").begin_array();
  for (const rules::ReplayedAction& action : job.actions)
    sink.begin_object()
        .member("rule", std::string_view(rule_name(findings, action.rule)))
        .member("action", rules::name(action.action))
        .member("at", std::string_view(rfc3339(action.at)))
        .member("behind", action.behind)
        .end_object();
  sink.end_array().key("held_back").begin_array();
  for (const rules::HeldBack& held : job.held_back)
    sink.begin_object()
        .member("rule", std::string_view(rule_name(findings, held.rule)))
        .member("at", std::string_view(rfc3339(held.at)))
        .member("reason", std::string_view(held_back_text(held)))
        .end_object();
  sink.end_array().key("undecidable").begin_array();
  for (const rules::Undecidable& one : job.undecidable) {
    sink.begin_object().member("rule", std::string_view(rule_name(findings, one.rule)));
    text_member(sink, "sources", one.sources.names());
    text_member(sink, "why", undecidable_text(one));
    sink.end_object();
  }
  sink.end_array();
}

void write_job(json::Sink& sink, const rules::Findings& findings, const rules::JobFinding& job) {
  sink.begin_object().member("name", std::string_view(job.name));
  text_member(sink, "arn", job.arn);
  text_member(sink, "owner", job.owner);
  text_member(sink, "team", job.team);
  sink.key("tags").begin_object();
  for (const auto& [key, value] : job.tags) sink.member(key, std::string_view(value));
  sink.end_object();
  text_member(sink, "machines", job.machines);
  sink.member("machine_count", job.machine_count).member("spot", job.spot);
  sink.member("state", std::string_view(job.state));
  time_member(sink, "created", job.created);
  time_member(sink, "trained_from", job.trained_from);
  time_member(sink, "ended", job.ended);
  number_member(sink, "paid_hours", job.paid_hours);
  number_member(sink, "usd", job.usd);
  if (job.usd) sink.member("usd_is_bound", job.usd_is_bound);
  number_member(sink, "spot_saving", job.spot_saving);
  number_member(sink, "interruptions", job.interruptions);
  if (job.generation) sink.member("generation", *job.generation);
  text_member(sink, "parent", job.parent);
  text_member(sink, "did", job.did);
  text_member(sink, "did_rule", job.did_rule);
  verdict_members(sink, "failure", job.failure);
  text_member(sink, "evidence", job.failure_evidence);
  if (!findings.policy.empty()) write_decisions(sink, findings, job);
  sink.end_object();
}

}  // namespace

void write_findings(json::Sink& sink, const rules::Findings& findings) {
  const rules::Totals totals = rules::totals_of(findings);
  text_member(sink, "policy", findings.policy);
  text_member(sink, "policy_hash", findings.policy_hash);
  time_member(sink, "since", findings.since);
  time_member(sink, "until", findings.until);
  text_member(sink, "account", findings.account);
  text_member(sink, "region", findings.region);
  time_member(sink, "prices_asked", findings.prices_asked);
  write_totals(sink, findings, totals);
  sink.member("complete", findings.complete).member("bad_lines", findings.bad_lines);
  if (!findings.policy.empty()) {
    write_missing_keys(sink, findings);
    write_rules(sink, findings, totals);
  }
  write_groups(sink, totals);
  write_watches(sink, findings);
  sink.key("cannot_know").begin_array();
  for (const std::string& one : unknowns(findings, totals)) sink.string(one);
  sink.end_array().key("jobs").begin_array();
  for (const rules::JobFinding& job : findings.jobs) write_job(sink, findings, job);
  sink.end_array();
}

}  // namespace trainwarden::cli
