#include "handlers/rules/notices/notice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "handlers/rules/notices/chat_text.h"
#include "handlers/rules/notices/notice_text.h"
#include "handlers/rules/state/brake.h"
#include "runtime/base/fnv1a.h"
#include "runtime/json/one_line.h"
#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

// In the order of NoticeOutcome.
constexpr std::array<std::string_view, 10> kOutcomeNames = {
    "none",      "stopped", "restarted", "waits",    "ended",
    "held-back", "refused", "failed",    "released", "warned"};

// Names of attributes that are read back from stored notices.
constexpr std::string_view kOutcome = "outcome";
constexpr std::string_view kRule = "rule";
constexpr std::string_view kTeam = "team";
constexpr std::string_view kOwner = "owner";

std::optional<NoticeOutcome> parse_outcome(std::string_view text) {
  const auto found = std::ranges::find(kOutcomeNames, text);
  if (found == kOutcomeNames.end()) return std::nullopt;
  return static_cast<NoticeOutcome>(found - kOutcomeNames.begin());
}

bool acted_before(const Decision& decision, const NoticeJob& job) {
  return !job.acted_rule.empty() && job.acted_rule == decision.rule &&
         (job.job_status == JobStatus::kStopping || job.job_status == JobStatus::kStopped);
}

std::optional<NoticeOutcome> outcome_of(const Decision& decision, const ActionReport& report,
                                        const NoticeJob& job) {
  const bool stop = report.action == ActionKind::kStop;
  if (report.error != nullptr)
    return refused_for_good(*report.error) ? std::optional(NoticeOutcome::kFailed) : std::nullopt;
  using Kind = ActionResult::Kind;
  if (report.action == ActionKind::kRelease &&
      (report.result.is(Kind::kNotDone) || report.result.is(Kind::kLeft)))
    return std::nullopt;
  switch (report.result.kind) {
    case Kind::kReleased:
    case Kind::kReleasedByRule:
      return NoticeOutcome::kReleased;
    case Kind::kStopped:
    case Kind::kStoppedByRule:
    case Kind::kTunerStopped:
    case Kind::kTunerStoppedBefore:
      return NoticeOutcome::kStopped;
    case Kind::kWarned:
    case Kind::kWarnedBefore:
      return NoticeOutcome::kWarned;
    case Kind::kHeldBack:
      return NoticeOutcome::kHeldBack;
    case Kind::kWaits:
      return NoticeOutcome::kWaits;
    case Kind::kNotDone:
    case Kind::kEndedBefore:
      if (acted_before(decision, job))
        return stop ? NoticeOutcome::kStopped : NoticeOutcome::kRestarted;
      return report.result.is(Kind::kEndedBefore) ? std::optional(NoticeOutcome::kEnded)
                                                  : std::nullopt;
    case Kind::kRefused:
    case Kind::kRefusedAtEnd:
    case Kind::kRestartClosed:
    case Kind::kNotCarriedOut:
      return NoticeOutcome::kRefused;
    default:
      return stop ? NoticeOutcome::kRefused : NoticeOutcome::kRestarted;
  }
}

// A tag's value, which is 256 characters at most, in fewer bytes than those may take.
std::string tag_attribute(std::string_view value) {
  std::string out = json::one_line(std::string(value));
  out.resize(json::utf8_boundary(out, kLongestTagAttribute));
  return out;
}

std::string_view strongest(const Decision& decision) {
  for (const ActionKind kind : {ActionKind::kStop, ActionKind::kRestart, ActionKind::kRelease,
                                ActionKind::kTag, ActionKind::kWatch})
    if (std::ranges::find(decision.actions, kind, &Action::kind) != decision.actions.end())
      return name(kind);
  return name(ActionKind::kNotify);
}

}  // namespace

std::string_view name(NoticeOutcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}

bool may_recur(NoticeOutcome outcome) {
  switch (outcome) {
    case NoticeOutcome::kNone:
    case NoticeOutcome::kHeldBack:
    case NoticeOutcome::kRefused:
    case NoticeOutcome::kFailed:
      return true;
    case NoticeOutcome::kStopped:
    case NoticeOutcome::kRestarted:
    case NoticeOutcome::kWaits:
    case NoticeOutcome::kEnded:
    case NoticeOutcome::kReleased:
    case NoticeOutcome::kWarned:
      return false;
  }
  return false;
}

bool refused_for_good(const Error& error) {
  return error.code == ErrorCode::kAccessDenied || error.code == ErrorCode::kLimitExceeded ||
         error.code == ErrorCode::kRejected;
}

std::optional<NoticeOutcome> outcome_of(const Decision& decision,
                                        std::span<const ActionReport> reports,
                                        const NoticeJob& job) {
  if (decision.mode != Mode::kEnforce) return NoticeOutcome::kNone;
  for (const ActionReport& one : reports)
    if (acts_on_job(one.action)) return outcome_of(decision, one, job);
  for (const ActionReport& one : reports)
    if (one.action == ActionKind::kRelease) return outcome_of(decision, one, job);
  return NoticeOutcome::kNone;
}

Notice notice(NoticeFormat format, const Decision& decision, NoticeOutcome outcome,
              std::span<const ActionReport> reports, const NoticeJob& job, NoticeDetail detail) {
  NoticeForm form = detail == NoticeDetail::kFull ? kInFull : kInShort;
  form.marks = format == NoticeFormat::kChat;
  Decision shown = decision;
  shown.rule = cut_stored(decision.rule, form.name);
  const NoticeContext context{shown, outcome, reports, job, form};
  Notice out;
  out.subject = title(context);
  switch (format) {
    case NoticeFormat::kText:
      out.message = as_text(context);
      break;
    case NoticeFormat::kJson:
      out.message = as_json(context);
      break;
    case NoticeFormat::kChat:
      out.message = as_chat(context);
      break;
  }
  out.reported = {outcome, decision.rule, tag_attribute(job.team), tag_attribute(job.owner),
                  job.role.empty() ? job.role : role_key(job.role)};
  out.attributes = {{std::string(kRule), decision.rule},
                    {"action", std::string(strongest(decision))},
                    {"mode", std::string(name(decision.mode))},
                    {std::string(kOutcome), std::string(name(outcome))}};
  if (!job.team.empty()) out.attributes.emplace_back(kTeam, out.reported.team);
  if (!job.owner.empty()) out.attributes.emplace_back(kOwner, out.reported.owner);
  return out;
}

std::string brief_message(NoticeFormat format, std::string_view subject,
                          std::span<const std::pair<std::string, std::string>> attributes) {
  constexpr std::string_view kRest = "What else there is to say stands in the functions' log.";
  switch (format) {
    case NoticeFormat::kText:
      return fmt::format("{}\n\n{}\n", subject, kRest);
    case NoticeFormat::kChat:
      return chat_message(subject, kRest);
    case NoticeFormat::kJson:
      break;
  }
  json::Writer sink;
  sink.begin_object().member("source", "trainwarden").member("version", 1);
  sink.member("text", fmt::format("{}. {}", subject, kRest));
  for (const auto& [name, value] : attributes) sink.member(name, value);
  sink.end_object();
  return json::one_line(sink.take());
}

std::vector<std::pair<std::string, std::string>> without_tags(
    std::span<const std::pair<std::string, std::string>> attributes) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, value] : attributes)
    if (name != kTeam && name != kOwner) out.emplace_back(name, value);
  return out;
}

Reported reported_by(std::span<const std::pair<std::string, std::string>> attributes) {
  Reported out;
  for (const auto& [name, value] : attributes) {
    if (name == kOutcome) out.outcome = parse_outcome(value);
    if (name == kRule) out.rule = value;
    if (name == kTeam) out.team = value;
    if (name == kOwner) out.owner = value;
  }
  return out;
}

std::string notice_key(const Decision& decision, NoticeOutcome outcome, std::string_view topic,
                       std::string_view about) {
  return fmt::format("{:016x}",
                     fnv1a(fmt::format("{}\n{}\n{}\n{}\n{}", decision.rule, name(decision.mode),
                                       name(outcome), topic, about)));
}

}  // namespace trainwarden::rules
