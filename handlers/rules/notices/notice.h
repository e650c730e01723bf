// What people are told about a job that a rule matches (policy.md A5): what happened to it, by
// which rule and because of which values, what that costs or saves, and what its owner can do. It
// is true in every mode: if nothing was stopped, it says so. Values that must not be shown (R1)
// never reach this code, since a Decision does not contain them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/notices/notice_job.h"
#include "handlers/rules/outcome/action_result.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/error.h"

namespace trainwarden::rules {

// The result of another action of the same decision, as in the record.
struct ActionReport {
  ActionKind action;
  ActionResult result = {};
  const Error* error = nullptr;          // why it failed
  std::optional<double> saved_usd = {};  // by the release of a warm pool, at most
};

// The outcome in one word.
enum class NoticeOutcome : std::uint8_t {
  kNone,       // nothing was done to the job: the mode is notify, or the rule only tells
  kStopped,    // by this rule, now or when the same event came before
  kRestarted,  // or is about to be
  kWaits,      // its restart waits for machines (A4)
  kEnded,      // it was stopping or had ended, not by this rule
  kHeldBack,   // P7
  kRefused,    // a restart that the guards refuse (A2)
  kFailed,     // the service refused for good
  kReleased,   // its warm pool
  kWarned,     // its stop is announced (A1)
};

// "none", "stopped", "restarted", "waits", "ended", "held-back", "refused", "failed",
// "released", "warned"
std::string_view name(NoticeOutcome outcome);

// Whether the service refused in a way that a retry would repeat: nothing was done.
bool refused_for_good(const Error& error);

// Whether the outcome is news again when its alarm goes off again. What happens to a job once in
// its life is not.
bool may_recur(NoticeOutcome outcome);

// nullopt if there is nothing to report, now or any more: the rule no longer matches and has done
// nothing, or an action failed temporarily and the event will be retried.
std::optional<NoticeOutcome> outcome_of(const Decision& decision,
                                        std::span<const ActionReport> reports,
                                        const NoticeJob& job);

// What a notice reports, for our own code. Its attributes say the same to subscribers.
struct Reported {
  // Absent: no outcome of a job, as in the weekly report, or one that this version does not know.
  std::optional<NoticeOutcome> outcome = {};
  std::string rule = {};  // empty where no rule asked for it
  std::string team = {};  // of the job, on one line; empty: no such tag
  std::string owner = {};
  std::string role = {};  // a key of the role under which the job runs; not stored
};

struct Notice {
  std::string subject;  // one line; the sender converts it to ASCII and cuts it
  std::string message;  // in the policy's format
  // For subscribers' filter policies: rule, action (the strongest that the rule asks for), mode,
  // outcome, and team and owner if tagged, at most kLongestTagAttribute bytes of each.
  std::vector<std::pair<std::string, std::string>> attributes;
  // Those with one or several values, of which a filter policy need name only one.
  std::vector<std::pair<std::string, std::vector<std::string>>> lists = {};
  Reported reported = {};
};

inline constexpr std::size_t kLongestTagAttribute = 256;
inline constexpr std::size_t kLongestTitle = 256;

// For a notice that was stored with its attributes alone.
Reported reported_by(std::span<const std::pair<std::string, std::string>> attributes);

// kShort: without the facts that made the rule match and the tags that name people, for a notice
// that has no room for all.
enum class NoticeDetail : std::uint8_t { kFull, kShort };

// kText: for mail. kJson: one object for machines. kChat: a custom notification of Amazon Q
// Developer in chat applications, whose schema is at
// https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html
Notice notice(NoticeFormat format, const Decision& decision, NoticeOutcome outcome,
              std::span<const ActionReport> reports, const NoticeJob& job,
              NoticeDetail detail = NoticeDetail::kFull);

// The message of a notice of which only its subject and its attributes are left.
std::string brief_message(NoticeFormat format, std::string_view subject,
                          std::span<const std::pair<std::string, std::string>> attributes);

// Those attributes in which nothing stands that people wrote.
std::vector<std::pair<std::string, std::string>> without_tags(
    std::span<const std::pair<std::string, std::string>> attributes);

// Identifies a notice among a job's: the same rule's is a new one if its mode or its outcome
// differs. 16 hexadecimal digits. topic: where it goes. about: what else sets it apart.
std::string notice_key(const Decision& decision, NoticeOutcome outcome, std::string_view topic,
                       std::string_view about = {});

}  // namespace trainwarden::rules
