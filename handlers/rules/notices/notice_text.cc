#include "handlers/rules/notices/notice_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/decide/decision_text.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/notices/chat_text.h"
#include "handlers/rules/notices/notice_reasons.h"
#include "handlers/rules/notices/notice_steps.h"
#include "handlers/rules/notices/plain_text.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "runtime/json/json.h"
#include "runtime/json/one_line.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kMessage = "Message";

std::string_view participle_of(ActionKind act) {
  if (act == ActionKind::kStop) return "stopped";
  return act == ActionKind::kRestart ? "restarted" : "released";
}

std::string nothing_done(const NoticeContext& context) {
  const auto& [decision, outcome, reports, job, form] = context;
  const std::optional<ActionKind> act = strongest_act(context);
  if (only_notified_of_end(context))
    return fmt::format(
        "The training job {} is {}. Trainwarden leaves it at that: the rule {} only tells of it.",
        job.name, status(context), decision.rule);
  const std::string matches = fmt::format("The rule {} matches the training job {}{}.",
                                          decision.rule, job.name, why(decision, form));
  const bool asks_for_it = act && *act != ActionKind::kRelease;
  if (!job.other_rule.empty() && (!act || decision.mode == Mode::kEnforce))
    return fmt::format(
        "{} {} the rule {} asks for its stop or restart.", matches,
        asks_for_it ? "This rule's own restart is not done, since" : "This rule only tells;",
        cut_stored(job.other_rule, form.name));
  if (!act) return matches + " The job was not stopped: the rule does not ask for it.";
  const std::string_view would = participle_of(*act);
  if (!job.other_rule.empty())
    return fmt::format(
        "{} By this rule nothing was {}: the mode is {}, which only tells. The rule {} asks for "
        "the "
        "job's stop or restart.",
        matches, would, name(decision.mode), cut_stored(job.other_rule, form.name));
  const bool tuner = job.has_tuner && std::ranges::any_of(decision.actions, stops_tuner);
  return fmt::format(
      "{} Nothing was {}: the mode is {}, which only tells. In the mode enforce {} would be {}{}.",
      matches, would, name(decision.mode),
      tuner                          ? "the tuning or AutoML job that launched it"
      : *act == ActionKind::kRelease ? "its warm pool"
                                     : "the job",
      would, tuner ? ", with every training job that it runs" : "");
}

std::string result_of_act(const NoticeContext& context) {
  const ActionReport* const act = act_of(context);
  return act == nullptr ? std::string() : result(context, *act);
}

// Without the word that says what kind of result it is.
std::string reason_of_act(const NoticeContext& context) {
  const ActionReport* const act = act_of(context);
  return act == nullptr || !act->result.reason ? std::string()
                                               : foreign(text(*act->result.reason), context.form);
}

std::string stop_time(const NoticeContext& context) {
  const auto at = announced_stop(context);
  return at ? rfc3339(*at) : std::string("a later time");
}

// What happened, in a sentence or two.
std::string headline(const NoticeContext& context) {
  const auto& [decision, outcome, reports, job, form] = context;
  const std::string_view verb = asks(context, ActionKind::kStop)      ? "stop"
                                : asks(context, ActionKind::kRestart) ? "restart"
                                                                      : "release the warm pool of";
  switch (outcome) {
    case NoticeOutcome::kNone:
      return nothing_done(context);
    case NoticeOutcome::kStopped: {
      if (const ActionReport* const act = act_of(context); act != nullptr && act->result.tuner)
        return fmt::format(
            "Trainwarden stopped {}, because the rule {} matches the training job {}, which is one "
            "of them ({}).",
            foreign(text(*act->result.tuner), form), decision.rule, job.name, job.acted_at);
      std::string out = fmt::format("Trainwarden stopped the training job {}", job.name);
      if (context.job.job_status == JobStatus::kStopping) out += ", which is stopping now";
      if (!job.acted_at.empty()) out += fmt::format(" ({})", job.acted_at);
      return out + '.';
    }
    case NoticeOutcome::kRestarted:
      return fmt::format("Trainwarden restarts the training job {}: {}.", job.name,
                         result_of_act(context));
    case NoticeOutcome::kReleased:
      return fmt::format(
          "Trainwarden released the warm pool of the training job {}: its machines were kept after "
          "the job's end.",
          job.name);
    case NoticeOutcome::kWarned:
      return fmt::format(
          "Trainwarden will stop the training job {} from {} on. The rule {} matches it{}. If it "
          "no "
          "longer does then, the job runs on.",
          job.name, stop_time(context), decision.rule, why(decision, form));
    case NoticeOutcome::kWaits: {
      return fmt::format("The training job {} found no machines, and its restart waits: {}.",
                         job.name, reason_of_act(context));
    }
    case NoticeOutcome::kEnded:
      return fmt::format(
          "The rule {} matches the training job {}, which was {} already. Trainwarden did nothing "
          "to it.",
          decision.rule, job.name, status(context));
    case NoticeOutcome::kHeldBack: {
      return fmt::format("The {} of the training job {} is held back, and the job runs on: {}.",
                         verb, job.name, reason_of_act(context));
    }
    case NoticeOutcome::kRefused:
      return fmt::format("Trainwarden did not {} the training job {}: {}.", verb, job.name,
                         result_of_act(context));
    case NoticeOutcome::kFailed:
      return fmt::format("Trainwarden could not {} the training job {}: {}.", verb, job.name,
                         result_of_act(context));
  }
  return {};
}

// What the outcome saves, or what the job may still cost up to its limit; absent where neither is
// there, since the job has ended by itself.
std::optional<double> avoided_usd(const NoticeContext& context) {
  if (context.outcome == NoticeOutcome::kReleased) {
    const ActionReport* const act = act_of(context);
    return act == nullptr ? std::nullopt : act->saved_usd;
  }
  const bool over = context.outcome == NoticeOutcome::kEnded || is_terminal(context.job.job_status);
  return over && context.outcome != NoticeOutcome::kStopped ? std::nullopt
                                                            : context.job.avoided_usd;
}

// Its job runs on, or would have.
std::string cost(const NoticeContext& context) {
  const NoticeJob& job = context.job;
  if (!job.usd_per_hour) return {};
  const auto bound = [](bool is_bound) { return is_bound ? "at most " : ""; };
  std::string out = bound(job.rate_is_bound) + money(*job.usd_per_hour) + " an hour";
  if (job.spent_usd) out += ", " + (bound(job.spent_is_bound) + money(*job.spent_usd)) + " so far";
  const auto avoided = avoided_usd(context);
  if (context.outcome == NoticeOutcome::kReleased) {
    if (avoided) out += "; releasing its warm pool saves up to " + money(*avoided);
    return out;
  }
  if (!is_terminal(context.job.job_status) && job.pool_usd)
    out += "; its warm pool may cost up to " + money(*job.pool_usd) + " after its end";
  else if (job.pool_usd)
    out += "; its warm pool may cost up to " + money(*job.pool_usd) + " more";
  if (!avoided || *avoided <= 0) return out;
  if (context.outcome == NoticeOutcome::kStopped)
    out += "; stopping it saves up to " + money(*avoided);
  else
    out +=
        "; up to " + money(*avoided + job.pool_usd.value_or(0)) + " more if it runs to its limit";
  return out;
}

// As many as there is room for.
std::string reasons(const NoticeContext& context) {
  const std::vector<Because>& all = context.decision.because;
  const std::size_t shown = std::min(all.size(), context.form.reasons);
  if (shown == 0) return all.empty() ? "" : "it has no room here, and stands in the functions' log";
  std::string out;
  for (std::size_t i = 0; i < shown; ++i)
    out.append(i == 0 ? "" : "; ").append(reason(all[i], context.form));
  if (shown < all.size()) out += fmt::format("; and {} more", all.size() - shown);
  return out;
}

using Lines = std::vector<std::pair<std::string, std::string>>;

// What is known, label by label.
Lines facts(const NoticeContext& context) {
  const auto& [decision, outcome, reports, job, form] = context;
  Lines out;
  const auto add = [&out](std::string_view label, std::string text) {
    if (!text.empty()) out.emplace_back(label, std::move(text));
  };
  add("Job", job.name);
  add("Status", foreign(job.status, form));
  add("Machines", foreign(job.machines, form));
  if (!job.account.empty()) add("Account", fmt::format("{}, {}", job.account, job.region));
  add("Team", cut_stored(job.team, form.tag));
  if (form.reasons > 0)
    for (const auto& [key, value] : job.people) add(key, cut_stored(value, form.tag));
  if (job.generation.value_or(0) > 0) add("Generation", fmt::format("{}", *job.generation));
  add("Rule", fmt::format("{} (mode {})", decision.rule, name(decision.mode)));
  add(kMessage, cut_stored(decision.message, form.message));
  add("Because", reasons(context));
  for (const ActionReport& one : reports.first(std::min(reports.size(), form.actions)))
    if (one.action == ActionKind::kWatch)
      add("Watch", result(context, one) + cut_stored(watches_of(decision), form.text));
    else if (one.action != ActionKind::kNotify)
      add(one.action == ActionKind::kStop      ? "Stop"
          : one.action == ActionKind::kRestart ? "Restart"
          : one.action == ActionKind::kRelease ? "Release"
                                               : "Tag",
          result(context, one));
  add("Cost", cost(context));
  add("Spot", spot_saving(context));
  return out;
}

// The policy's own message may have several lines: they stand in the column, where no label does.
std::string in_column(std::string_view text, std::size_t column) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    out += json::one_line(std::string(text.substr(0, end)));
    if (end == std::string_view::npos) return out;
    out.append("\n").append(column, ' ');
    text.remove_prefix(end + 1);
  }
}

void maybe(json::Sink& sink, std::string_view name, std::string_view text) {
  if (!text.empty()) sink.member(name, text);
}

void maybe(json::Sink& sink, std::string_view name, std::optional<double> usd) {
  if (usd) sink.member(name, std::round(*usd * 100) / 100);
}

void write_job(json::Sink& sink, const NoticeContext& context) {
  const NoticeJob& job = context.job;
  const NoticeForm& form = context.form;
  sink.key("job").begin_object().member("name", job.name);
  maybe(sink, "arn", job.arn);
  maybe(sink, "status", cut_stored(job.status, form.text));
  maybe(sink, "machines", cut_stored(job.machines, form.text));
  maybe(sink, "account", job.account);
  maybe(sink, "region", job.region);
  maybe(sink, "console", job.console);
  maybe(sink, "team", cut_stored(job.team, form.tag));
  maybe(sink, "owner", cut_stored(job.owner, form.tag));
  sink.key("people").begin_object();
  if (form.reasons > 0)
    for (const auto& [key, value] : job.people) sink.member(key, cut_stored(value, form.tag));
  sink.end_object();
  if (job.generation) sink.member("generation", *job.generation);
  maybe(sink, "tuning_job", cut_stored(job.tuning_job, form.text));
  if (job.spot_saved) sink.member("spot_saved_fraction", std::round(*job.spot_saved * 1000) / 1000);
  sink.end_object();
  if (!job.usd_per_hour) return;
  sink.key("cost").begin_object();
  maybe(sink, "usd_per_hour", job.usd_per_hour);
  maybe(sink, "spent_usd", job.spent_usd);
  const auto avoided = avoided_usd(context);
  maybe(sink, "avoided_usd", avoided);
  if (job.rate_is_bound || job.spent_is_bound) {
    sink.key("at_most").begin_array();
    if (job.rate_is_bound) sink.string("usd_per_hour");
    if (job.spent_is_bound) sink.string("spent_usd");
    if (job.rate_is_bound && avoided) sink.string("avoided_usd");
    sink.end_array();
  }
  maybe(sink, "pool_usd", job.pool_usd);
  sink.end_object();
}

std::string title_of(const NoticeContext& context) {
  const auto& [decision, outcome, reports, job, form] = context;
  switch (outcome) {
    case NoticeOutcome::kNone:
      if (only_notified_of_end(context))
        return fmt::format("Trainwarden: {} {} ({})", job.name, status(context), decision.rule);
      return fmt::format("Trainwarden: {} matches {}{}", job.name, decision.rule,
                         why_in_short(decision, form));
    case NoticeOutcome::kStopped:
      return fmt::format("Trainwarden stopped {} ({})", job.name, decision.rule);
    case NoticeOutcome::kRestarted:
      return fmt::format("Trainwarden restarts {} ({})", job.name, decision.rule);
    case NoticeOutcome::kReleased:
      return fmt::format("Trainwarden released the warm pool of {} ({})", job.name, decision.rule);
    case NoticeOutcome::kWarned:
      return fmt::format("Trainwarden will stop {} at {} ({})", job.name, stop_time(context),
                         decision.rule);
    case NoticeOutcome::kWaits:
      return fmt::format("Trainwarden waits for machines: {} ({})", job.name, decision.rule);
    case NoticeOutcome::kEnded:
      return fmt::format("Trainwarden: {} matched {}", job.name, decision.rule);
    case NoticeOutcome::kHeldBack:
      return fmt::format("Trainwarden held back: {} ({})", job.name, decision.rule);
    case NoticeOutcome::kRefused:
      return fmt::format("Trainwarden refused: {} ({})", job.name, decision.rule);
    case NoticeOutcome::kFailed:
      return fmt::format("Trainwarden failed on {} ({})", job.name, decision.rule);
  }
  return {};
}

}  // namespace

std::string title(const NoticeContext& context) {
  const std::string text = title_of(context);
  return context.form.marks ? cut_chat(chat_line(text), kLongestTitle)
                            : cut_stored(json::one_line(text), kLongestTitle);
}

std::string as_text(const NoticeContext& context) {
  constexpr std::size_t kColumn = 12;
  std::string out = json::one_line(headline(context)) + "\n\n";
  for (const auto& [label, text] : facts(context))
    out += fmt::format("{:<{}}{}\n", json::one_line(label) + ":", kColumn,
                       label == kMessage ? in_column(text, kColumn) : json::one_line(text));
  out += "\nWhat you can do\n";
  for (const std::string& step : steps(context)) out += "- " + json::one_line(step) + "\n";
  return out;
}

std::string as_json(const NoticeContext& context) {
  const auto& [decision, outcome, reports, job, form] = context;
  json::Writer sink;
  sink.begin_object()
      .member("source", "trainwarden")
      .member("version", 1)
      .member("text", json::one_line(headline(context)))
      .member("rule", decision.rule)
      .member("mode", name(decision.mode))
      .member("outcome", name(outcome));
  maybe(sink, "message", cut_stored(decision.message, form.message));
  if (const auto at = announced_stop(context)) sink.member("stop_at", rfc3339(*at));
  sink.key("because").begin_array();
  const std::size_t shown = std::min(decision.because.size(), form.reasons);
  for (const Because& one : std::span(decision.because).first(shown)) {
    sink.begin_object().member("path", cut_stored(one.path(), form.text));
    if (one.absent)
      sink.member("absent", true);
    else
      maybe(sink, "value", cut_stored(value_text(one), form.text));
    maybe(sink, "asked", cut_stored(asked_text(one), form.text));
    sink.end_object();
  }
  sink.end_array();
  if (shown < decision.because.size())
    sink.member("because_left_out", decision.because.size() - shown);
  sink.key("actions").begin_array();
  for (const ActionReport& one : reports.first(std::min(reports.size(), form.actions))) {
    if (one.action == ActionKind::kNotify) continue;
    const ActionResult told = result_to_tell(context, one);
    sink.begin_object()
        .member("action", name(one.action))
        .member("result", json::one_line(result(context, one)))
        .member("code", code(told.kind));
    if (told.reason) sink.member("reason_code", code(told.reason->why));
    sink.end_object();
  }
  sink.end_array();
  write_job(sink, context);
  sink.key("steps").begin_array();
  for (const std::string& step : steps(context)) sink.string(json::one_line(step));
  sink.end_array().end_object();
  return json::one_line(sink.take());
}

std::string as_chat(const NoticeContext& context) {
  const auto& [decision, outcome, reports, job, form] = context;
  std::string text = chat_line(headline(context));
  for (const auto& [label, line] : facts(context))
    text += fmt::format("\n{}: {}", plain(label), code_span(line));
  const std::string subject = title(context);
  json::Writer sink;
  sink.begin_object().member("version", "1.0").member("source", "custom");
  begin_chat_content(sink, subject, text);
  sink.key("nextSteps").begin_array();
  for (const std::string& step : steps(context)) sink.string(chat_line(step));
  sink.end_array().key("keywords").begin_array();
  sink.string(plain(decision.rule)).string(name(outcome));
  if (!job.team.empty()) sink.string(quoted(cut_stored(job.team, form.tag)));
  sink.end_array().end_object();
  // One thread a job.
  sink.key("metadata")
      .begin_object()
      .member("threadId", job.arn.empty() ? job.name : job.arn)
      .member("summary", subject)
      .member("eventType", "TrainwardenNotice");
  sink.key("relatedResources").begin_array();
  if (!job.arn.empty()) sink.string(job.arn);
  sink.end_array().key("additionalContext").begin_object();
  sink.member("rule", plain(decision.rule))
      .member("mode", name(decision.mode))
      .member("outcome", name(outcome));
  sink.end_object().end_object().end_object();
  return json::one_line(sink.take());
}

}  // namespace trainwarden::rules
