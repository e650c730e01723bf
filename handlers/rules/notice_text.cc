#include "handlers/rules/notice_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/job_times.h"
#include "runtime/json/json.h"
#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

// The page gives no limits but Slack's own: a header of 150 characters, a text of 3,000.
constexpr std::size_t kLongestChatTitle = 150;
constexpr std::size_t kLongestChatText = 2900;

// "1,556.10 USD"
std::string money(double usd) {
  const auto cents = static_cast<std::int64_t>(std::llround(std::max(0.0, usd) * 100));
  const std::string digits = fmt::format("{}", cents / 100);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return fmt::format("{}.{:02} USD", out, cents % 100);
}

bool asks(const Telling& telling, ActionKind kind) {
  const auto& actions = telling.decision.actions;
  return std::ranges::find(actions, kind, &Action::kind) != actions.end();
}

// What the rule would do to the job, as a participle; empty where it only tells.
std::string_view would_be(const Telling& telling) {
  if (asks(telling, ActionKind::kStop)) return "stopped";
  return asks(telling, ActionKind::kRestart) ? "restarted" : "";
}

bool is_act(const Came& came) {
  return came.action == ActionKind::kStop || came.action == ActionKind::kRestart;
}

// What came of one action. Of a stop that an earlier delivery of the event did, this one says that
// the rule no longer matches: true for the record, and no news for people.
std::string_view result(const Telling& telling, const Came& came) {
  if (came.error != nullptr) return came.error->message;
  const bool earlier =
      is_act(came) && (came.result.starts_with("not done") ||
                       (came.result.starts_with("already") && !came.result.contains(" copied ")));
  if (earlier && telling.outcome == Outcome::kStopped) return "stopped";
  if (earlier && telling.outcome == Outcome::kRestarted)
    return "stopping, to be copied when it has ended";
  return came.result;
}

// What came of the stop or restart.
std::string_view result(const Telling& telling) {
  const auto act = std::ranges::find_if(telling.came, is_act);
  return act == telling.came.end() ? std::string_view() : result(telling, *act);
}

std::string_view status(const Telling& telling) {
  const std::string_view whole = telling.job.status;
  return whole.empty() ? "ended" : whole.substr(0, whole.find('/'));
}

// Told of when it was over, by a rule that asks for nothing more.
bool only_told_of_end(const Telling& telling) {
  return telling.outcome == Outcome::kNone && would_be(telling).empty() &&
         is_terminal(status(telling));
}

std::string nothing_done(const Telling& telling) {
  const auto& [decision, outcome, came, job] = telling;
  const std::string_view would = would_be(telling);
  if (only_told_of_end(telling))
    return fmt::format(
        "The training job {} is {}. Trainwarden leaves it at that: the rule {} only tells of it.",
        job.name, status(telling), decision.rule);
  if (would.empty())
    return fmt::format(
        "The rule {} matches the training job {}. The job was not stopped: the "
        "rule does not ask for it.",
        decision.rule, job.name);
  return fmt::format(
      "The rule {} matches the training job {}. Nothing was {}: the mode is {}, which only "
      "tells. In the mode enforce the job would be {}.",
      decision.rule, job.name, would, name(decision.mode), would);
}

// What happened, in a sentence or two.
std::string headline(const Telling& telling) {
  const auto& [decision, outcome, came, job] = telling;
  const std::string_view verb = asks(telling, ActionKind::kStop) ? "stop" : "restart";
  switch (outcome) {
    case Outcome::kNone:
      return nothing_done(telling);
    case Outcome::kStopped: {
      std::string out = fmt::format("Trainwarden stopped the training job {}", job.name);
      if (status(telling) == "Stopping") out += ", which is stopping now";
      if (!job.acted_at.empty()) out += fmt::format(" ({})", job.acted_at);
      return out + '.';
    }
    case Outcome::kRestarted:
      return fmt::format("Trainwarden restarts the training job {}: {}.", job.name,
                         result(telling));
    case Outcome::kEnded:
      return fmt::format(
          "The rule {} matches the training job {}, which was {} already. Trainwarden did nothing "
          "to it.",
          decision.rule, job.name, status(telling));
    case Outcome::kHeldBack: {
      constexpr std::string_view kPrefix = "held back: ";
      std::string_view why = result(telling);
      if (why.starts_with(kPrefix)) why.remove_prefix(kPrefix.size());
      return fmt::format("The {} of the training job {} is held back, and the job runs on: {}.",
                         verb, job.name, why);
    }
    case Outcome::kRefused:
      return fmt::format("Trainwarden did not {} the training job {}: {}.", verb, job.name,
                         result(telling));
    case Outcome::kFailed:
      return fmt::format("Trainwarden could not {} the training job {}: {}.", verb, job.name,
                         result(telling));
  }
  return {};
}

std::string reason(const Because& because) {
  if (because.absent) return because.path + " is absent";
  if (because.value.empty()) return because.path + " (its value is not shown)";
  return because.path + " is " + because.value;
}

// Its job runs on, or would have.
std::string cost(const Telling& telling) {
  const NoticeJob& job = telling.job;
  if (!job.usd_per_hour) return {};
  std::string out = money(*job.usd_per_hour) + " an hour";
  if (job.spent_usd) out += ", " + money(*job.spent_usd) + " so far";
  if (!job.avoided_usd || *job.avoided_usd <= 0) return out;
  if (telling.outcome == Outcome::kStopped)
    out += "; stopping it saves up to " + money(*job.avoided_usd);
  else if (telling.outcome != Outcome::kEnded && !is_terminal(status(telling)))
    out += "; up to " + money(*job.avoided_usd) + " more if it runs to its limit";
  return out;
}

using Lines = std::vector<std::pair<std::string, std::string>>;

// What is known, label by label.
Lines facts(const Telling& telling) {
  const auto& [decision, outcome, came, job] = telling;
  Lines out;
  const auto add = [&out](std::string_view label, std::string text) {
    if (!text.empty()) out.emplace_back(label, std::move(text));
  };
  add("Job", job.name);
  add("Status", job.status);
  add("Machines", job.machines);
  if (!job.account.empty()) add("Account", fmt::format("{}, {}", job.account, job.region));
  add("Team", job.team);
  for (const auto& [key, value] : job.people) add(key, value);
  if (job.generation > 0) add("Generation", fmt::format("{}", job.generation));
  add("Rule", fmt::format("{} (mode {})", decision.rule, name(decision.mode)));
  add("Message", decision.message);
  std::string because;
  for (const Because& one : decision.because) {
    if (!because.empty()) because += "; ";
    because += reason(one);
  }
  add("Because", std::move(because));
  for (const Came& one : came)
    if (one.action != ActionKind::kNotify)
      add(one.action == ActionKind::kStop      ? "Stop"
          : one.action == ActionKind::kRestart ? "Restart"
                                               : (one.action == ActionKind::kTag ? "Tag" : "Watch"),
          std::string(result(telling, one)));
  add("Cost", cost(telling));
  return out;
}

// A tag that is not there can be set while the job runs, else for the next try.
std::string set_tag(const Telling& telling, std::string_view key) {
  const bool over = telling.outcome == Outcome::kStopped || telling.outcome == Outcome::kEnded;
  if (over || telling.job.arn.empty())
    return fmt::format("Set the tag {} when you start the job again.", key);
  return fmt::format(
      "Set the tag {}: aws sagemaker add-tags --resource-arn {} --tags 'Key={},Value=...'", key,
      telling.job.arn, key);
}

// Of a restart that came to nothing: a person's command meets fewer guards. None where it would be
// refused as well.
std::string restart_by_hand(const Telling& telling) {
  const auto restart = std::ranges::find(telling.came, ActionKind::kRestart,
                                         [](const Came& one) { return one.action; });
  const bool nothing = telling.outcome == Outcome::kRefused ||
                       (telling.outcome == Outcome::kFailed && is_terminal(status(telling)));
  if (!nothing || restart == telling.came.end()) return {};
  const std::string_view why = result(telling, *restart);
  if (status(telling) == "Completed" || why.contains("launches its own jobs")) return {};
  const std::string limit = why.contains("and the limit is")
                                ? fmt::format(" --limit {}", telling.job.generation + 1)
                                : std::string();
  return fmt::format(
      "To run it again all the same, from its checkpoint if it has one: trainwarden restart {}{} "
      "--dry-run, which says whether that may be, and then without --dry-run.",
      telling.job.name, limit);
}

// What the owner can do, console first.
std::vector<std::string> steps(const Telling& telling) {
  const auto& [decision, outcome, came, job] = telling;
  std::vector<std::string> out;
  if (!job.console.empty()) out.push_back("See the job: " + job.console);
  if (!job.tuning_job.empty())
    out.push_back(fmt::format(
        "The job belongs to the tuning job {}, which may start the next one like it: stop that "
        "one, or change what it asks for.",
        job.tuning_job));
  constexpr std::string_view kTags = "tags.";
  for (const Because& one : decision.because)
    if (one.absent && one.path.starts_with(kTags))
      out.push_back(set_tag(telling, std::string_view(one.path).substr(kTags.size())));
  if (status(telling) == "Failed")
    out.push_back(
        fmt::format("Read the end of its log: aws logs tail /aws/sagemaker/TrainingJobs "
                    "--log-stream-name-prefix {}/ --since 7d",
                    job.name));
  if (std::string step = restart_by_hand(telling); !step.empty()) {
    if (telling.outcome == Outcome::kFailed)
      out.emplace_back("Each sweep tries it again, until 26 hours after the job's end.");
    out.push_back(std::move(step));
  }
  if (only_told_of_end(telling)) {
    out.push_back(fmt::format(
        "To run the same again all the same, from its checkpoint if it has one: trainwarden "
        "restart {} --dry-run, and then without --dry-run.",
        job.name));
    return out;
  }
  out.push_back(fmt::format(
      "If the job is right as it is, ask the policy's owners to exempt it by `unless` in the rule "
      "{}.",
      decision.rule));
  out.emplace_back(
      "To decide again on your own machine: trainwarden explain --policy policy.json --event "
      "event.json --job job.json --tags tags.json");
  return out;
}

// No mark-up and no mention of people out of what users write.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<' || c == '>')
      out += c == '<' ? "\u2039" : "\u203a";
    else
      out += c == '`' ? '\'' : (static_cast<unsigned char>(c) < ' ' ? ' ' : c);
  }
  return out;
}

std::string cut(std::string text, std::size_t bytes) {
  text.resize(json::utf8_boundary(text, bytes));
  return text;
}

void maybe(json::Sink& sink, std::string_view name, std::string_view text) {
  if (!text.empty()) sink.member(name, text);
}

void maybe(json::Sink& sink, std::string_view name, std::optional<double> usd) {
  if (usd) sink.member(name, std::round(*usd * 100) / 100);
}

void write_job(json::Sink& sink, const NoticeJob& job) {
  sink.key("job").begin_object().member("name", job.name);
  maybe(sink, "arn", job.arn);
  maybe(sink, "status", job.status);
  maybe(sink, "machines", job.machines);
  maybe(sink, "account", job.account);
  maybe(sink, "region", job.region);
  maybe(sink, "console", job.console);
  maybe(sink, "team", job.team);
  sink.key("people").begin_object();
  for (const auto& [key, value] : job.people) sink.member(key, value);
  sink.end_object().member("generation", job.generation);
  maybe(sink, "tuning_job", job.tuning_job);
  sink.end_object();
  if (!job.usd_per_hour) return;
  sink.key("cost").begin_object();
  maybe(sink, "usd_per_hour", job.usd_per_hour);
  maybe(sink, "spent_usd", job.spent_usd);
  maybe(sink, "avoided_usd", job.avoided_usd);
  sink.end_object();
}

}  // namespace

std::string title(const Telling& telling) {
  const auto& [decision, outcome, came, job] = telling;
  switch (outcome) {
    case Outcome::kNone:
      if (only_told_of_end(telling))
        return fmt::format("Trainwarden: {} {} ({})", job.name, status(telling), decision.rule);
      return fmt::format("Trainwarden: {} matches {}", job.name, decision.rule);
    case Outcome::kStopped:
      return fmt::format("Trainwarden stopped {} ({})", job.name, decision.rule);
    case Outcome::kRestarted:
      return fmt::format("Trainwarden restarts {} ({})", job.name, decision.rule);
    case Outcome::kEnded:
      return fmt::format("Trainwarden: {} matched {}", job.name, decision.rule);
    case Outcome::kHeldBack:
      return fmt::format("Trainwarden held back: {} ({})", job.name, decision.rule);
    case Outcome::kRefused:
      return fmt::format("Trainwarden refused: {} ({})", job.name, decision.rule);
    case Outcome::kFailed:
      return fmt::format("Trainwarden failed on {} ({})", job.name, decision.rule);
  }
  return {};
}

std::string as_text(const Telling& telling) {
  constexpr std::size_t kColumn = 12;
  std::string out = headline(telling) + "\n\n";
  for (const auto& [label, text] : facts(telling))
    out += fmt::format("{:<{}}{}\n", label + ":", kColumn, text);
  out += "\nWhat you can do\n";
  for (const std::string& step : steps(telling)) out += "- " + step + "\n";
  return out;
}

std::string as_json(const Telling& telling) {
  const auto& [decision, outcome, came, job] = telling;
  json::Writer sink;
  sink.begin_object()
      .member("source", "trainwarden")
      .member("version", 1)
      .member("text", headline(telling))
      .member("rule", decision.rule)
      .member("mode", name(decision.mode))
      .member("outcome", name(outcome));
  maybe(sink, "message", decision.message);
  sink.key("because").begin_array();
  for (const Because& one : decision.because) {
    sink.begin_object().member("path", one.path);
    if (one.absent)
      sink.member("absent", true);
    else
      maybe(sink, "value", one.value);
    sink.end_object();
  }
  sink.end_array().key("actions").begin_array();
  for (const Came& one : came) {
    if (one.action == ActionKind::kNotify) continue;
    sink.begin_object().member("action", name(one.action)).member("result", result(telling, one));
    sink.end_object();
  }
  sink.end_array();
  write_job(sink, job);
  sink.key("steps").begin_array();
  for (const std::string& step : steps(telling)) sink.string(step);
  sink.end_array().end_object();
  return sink.take();
}

std::string as_chat(const Telling& telling) {
  const auto& [decision, outcome, came, job] = telling;
  std::string text = plain(headline(telling));
  for (const auto& [label, line] : facts(telling))
    text += fmt::format("\n{}: `{}`", plain(label), plain(line));
  const std::string subject = plain(title(telling));
  json::Writer sink;
  sink.begin_object().member("version", "1.0").member("source", "custom");
  sink.key("content")
      .begin_object()
      .member("textType", "client-markdown")
      .member("title", cut(subject, kLongestChatTitle))
      .member("description", cut(std::move(text), kLongestChatText));
  sink.key("nextSteps").begin_array();
  for (const std::string& step : steps(telling)) sink.string(plain(step));
  sink.end_array().key("keywords").begin_array();
  sink.string(plain(decision.rule)).string(name(outcome));
  if (!job.team.empty()) sink.string(plain(job.team));
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
  return sink.take();
}

}  // namespace trainwarden::rules
