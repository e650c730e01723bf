#include "handlers/rules/notices/notice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "handlers/rules/notices/notice_text.h"
#include "runtime/base/fnv1a.h"
#include "runtime/json/one_line.h"

namespace trainwarden::rules {
namespace {

// In the order of Outcome.
constexpr std::array<std::string_view, 10> kOutcomeNames = {
    "none",      "stopped", "restarted", "waits",    "ended",
    "held-back", "refused", "failed",    "released", "warned"};

// Names of attributes that are read back from stored notices.
constexpr std::string_view kOutcome = "outcome";
constexpr std::string_view kRule = "rule";
constexpr std::string_view kTeam = "team";
constexpr std::string_view kOwner = "owner";

std::optional<Outcome> parse_outcome(std::string_view text) {
  const auto found = std::ranges::find(kOutcomeNames, text);
  if (found == kOutcomeNames.end()) return std::nullopt;
  return static_cast<Outcome>(found - kOutcomeNames.begin());
}

bool acted_before(const Decision& decision, const NoticeJob& job) {
  return !job.acted_rule.empty() && job.acted_rule == decision.rule &&
         (job.job_status == JobStatus::kStopping || job.job_status == JobStatus::kStopped);
}

std::optional<Outcome> outcome_of(const Decision& decision, const ActionReport& report,
                                  const NoticeJob& job) {
  const bool stop = report.action == ActionKind::kStop;
  if (report.error != nullptr)
    return refused_for_good(*report.error) ? std::optional(Outcome::kFailed) : std::nullopt;
  using Kind = ActionResult::Kind;
  if (report.action == ActionKind::kRelease &&
      (report.result.is(Kind::kNotDone) || report.result.is(Kind::kLeft)))
    return std::nullopt;
  switch (report.result.kind) {
    case Kind::kReleased:
    case Kind::kReleasedByRule:
      return Outcome::kReleased;
    case Kind::kStopped:
    case Kind::kStoppedByRule:
    case Kind::kTunerStopped:
    case Kind::kTunerStoppedBefore:
      return Outcome::kStopped;
    case Kind::kWarned:
    case Kind::kWarnedBefore:
      return Outcome::kWarned;
    case Kind::kHeldBack:
      return Outcome::kHeldBack;
    case Kind::kWaits:
      return Outcome::kWaits;
    case Kind::kNotDone:
    case Kind::kEndedBefore:
      if (acted_before(decision, job)) return stop ? Outcome::kStopped : Outcome::kRestarted;
      return report.result.is(Kind::kEndedBefore) ? std::optional(Outcome::kEnded) : std::nullopt;
    case Kind::kRefused:
    case Kind::kRefusedAtEnd:
    case Kind::kRestartClosed:
    case Kind::kNotCarriedOut:
      return Outcome::kRefused;
    default:
      return stop ? Outcome::kRefused : Outcome::kRestarted;
  }
}

std::string_view strongest(const Decision& decision) {
  for (const ActionKind kind : {ActionKind::kStop, ActionKind::kRestart, ActionKind::kRelease,
                                ActionKind::kTag, ActionKind::kWatch})
    if (std::ranges::find(decision.actions, kind, &Action::kind) != decision.actions.end())
      return name(kind);
  return name(ActionKind::kNotify);
}

}  // namespace

std::string_view name(Outcome outcome) { return kOutcomeNames[static_cast<std::size_t>(outcome)]; }

bool may_recur(Outcome outcome) {
  switch (outcome) {
    case Outcome::kNone:
    case Outcome::kHeldBack:
    case Outcome::kRefused:
    case Outcome::kFailed:
      return true;
    case Outcome::kStopped:
    case Outcome::kRestarted:
    case Outcome::kWaits:
    case Outcome::kEnded:
    case Outcome::kReleased:
    case Outcome::kWarned:
      return false;
  }
  return false;
}

bool refused_for_good(const Error& error) {
  return error.code == ErrorCode::kAccessDenied || error.code == ErrorCode::kLimitExceeded ||
         error.code == ErrorCode::kRejected;
}

std::optional<Outcome> outcome_of(const Decision& decision, std::span<const ActionReport> reports,
                                  const NoticeJob& job) {
  if (decision.mode != Mode::kEnforce) return Outcome::kNone;
  for (const ActionReport& one : reports)
    if (acts_on_job(one.action)) return outcome_of(decision, one, job);
  for (const ActionReport& one : reports)
    if (one.action == ActionKind::kRelease) return outcome_of(decision, one, job);
  return Outcome::kNone;
}

Notice notice(NoticeFormat format, const Decision& decision, Outcome outcome,
              std::span<const ActionReport> reports, const NoticeJob& job) {
  const NoticeContext context{decision, outcome, reports, job};
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
  out.reported = {outcome, decision.rule, json::one_line(job.team), json::one_line(job.owner)};
  out.attributes = {{std::string(kRule), decision.rule},
                    {"action", std::string(strongest(decision))},
                    {"mode", std::string(name(decision.mode))},
                    {std::string(kOutcome), std::string(name(outcome))}};
  if (!job.team.empty()) out.attributes.emplace_back(kTeam, out.reported.team);
  if (!job.owner.empty()) out.attributes.emplace_back(kOwner, out.reported.owner);
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

std::string notice_key(const Decision& decision, Outcome outcome, std::string_view topic,
                       std::string_view about) {
  return fmt::format("{:016x}",
                     fnv1a(fmt::format("{}\n{}\n{}\n{}\n{}", decision.rule, name(decision.mode),
                                       name(outcome), topic, about)));
}

}  // namespace trainwarden::rules
