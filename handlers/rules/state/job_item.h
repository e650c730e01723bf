// What the table stores of one training job: what was begun, what is pending, and which notices
// were sent. A job's item is keyed by its name and Describe's CreationTime in milliseconds, never
// an event's, so that a later job of the same name has its own item.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/state/stored.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// A stop for good: asked for by a rule, which no restart undoes.
struct StopRecord {
  std::string rule = {};
  std::string why = {};  // for people
  sys_seconds at = {};
  bool accepted = false;  // StopTrainingJob was answered with success

  bool operator==(const StopRecord&) const = default;
};

// A restart: of a job that runs, which is stopped first, or of one that had ended.
struct RestartRecord {
  std::string rule = {};
  std::string why = {};
  sys_seconds at = {};
  bool accepted = false;
  // The attempts to stop the job whose answer was not recorded. One that died before its answer
  // stays here for ever, so that another's failure does not close a restart that may have
  // succeeded.
  std::vector<std::string> attempts = {};
  std::optional<sys_seconds> again = {};  // when the last of several attempts began
  // The job had ended when the rule asked for it: there is nothing to stop.
  bool of_ended = false;
  std::optional<bool> spot = {};  // as the job had it, where absent
  std::vector<std::string> types = {};
  CopySettings settings = {};

  bool operator==(const RestartRecord&) const = default;
};

struct CopyRecord {
  std::string name = {};
  sys_seconds at = {};
  bool made = false;

  bool operator==(const CopyRecord&) const = default;
};

// Why nothing more is done for a restart.
enum class Closed : std::uint8_t {
  // Its own stop was not done. The rule may begin anew.
  kThrottled,      // or another answer that may pass
  kDenied,         // for good
  kConflict,       // the job was stopping or had ended
  kNoLongerAsked,  // a second look: the rule no longer matches; or its function died before its
                   // stop
  kCompleted,
  kNotStoppedByIt,  // at the job's end: the stop was somebody else's
  // The copy is not made any more.
  kStoppedForGood,
  kRefused,    // by a guard
  kNameTaken,  // by a job that is not the copy
  kOverdue,    // kCopiedWithin after the job's end
  kGone,       // there is no such job any more
};

// "throttled", "denied", …
std::string_view name(Closed why);
// Whether a restart that was closed so stays closed.
bool is_final(Closed why);

struct ClosedRecord {
  sys_seconds at = {};
  Closed why = Closed::kThrottled;

  bool operator==(const ClosedRecord&) const = default;
};

// StopTrainingJob was denied.
struct RefusedRecord {
  sys_seconds at = {};     // last
  std::string error = {};  // the service's code
  std::int64_t times = 1;  // one after another

  bool operator==(const RefusedRecord&) const = default;
};

struct NoticeRecord {
  Claim claim = {};
  // The notice as it is to be sent (kept_notice.h); empty once it was sent.
  std::string what = {};
  sys_seconds since = {};  // of what an alarm asks for: since when it was in ALARM (A5)

  bool operator==(const NoticeRecord&) const = default;
};

// What the end of a failed job's log says of the failure. It does not change any more, and is read
// once.
struct LogVerdict {
  std::string policy = {};  // by whose signatures: the policy's hash
  std::string label = {};   // as policies have them
  std::string resume = {};
  std::string evidence = {};
  std::string too_large = {};  // why there is no verdict and will be none; empty where there is one

  bool operator==(const LogVerdict&) const = default;
};

// A stop that was announced: when, for when, and by which notices.
struct GraceRecord {
  sys_seconds at = {};
  sys_seconds until = {};
  std::vector<std::string> notices = {};  // their keys
  std::string rule = {};  // Rule::fingerprint of the rule as it was announced; empty: not known
  sys_seconds confirmed = {};  // when a later look found that the rule still held
  // Since when it has been announced anew again and again, since it could not be sent.
  std::optional<sys_seconds> in_vain_since = {};

  bool operator==(const GraceRecord&) const = default;
};

struct JobItem {
  std::optional<StopRecord> stop;
  std::optional<RestartRecord> restart;
  std::optional<CopyRecord> copy;
  std::optional<ClosedRecord> closed;
  std::optional<RefusedRecord> refused;
  std::optional<LogVerdict> log;
  std::optional<sys_seconds> waits;  // from when on the copy may be made (A4)
  std::map<std::string, NoticeRecord, std::less<>> notices;
  std::map<std::string, GraceRecord, std::less<>> graces;  // by rule

  bool operator==(const JobItem&) const = default;
};

// Whether a copy is pending: a restart was begun, and its copy is neither made nor given up.
bool has_pending_copy(const JobItem& item);

// Since when something is due: a pending copy, once its waiting time is over, a notice that was
// claimed but not sent, or a stop that was announced. nullopt if nothing is. The table's index
// contains an item exactly while something is due.
std::optional<sys_seconds> due_since(const JobItem& item);

inline constexpr std::size_t kLargestItem = std::size_t{32} * 1024;
// With announced stops, or notices that are not told: a policy in which hundreds of rules announce
// a stop of the same job needs more. DynamoDB takes 400 KB.
inline constexpr std::size_t kLargestThatOwes = std::size_t{350} * 1024;
// Texts for people are cut to this many bytes.
inline constexpr std::size_t kLongestWhy = 1024;

// attributes: as awsapi gives them; nullopt where there is no such item. kUnavailable: what is
// there is none of our items, and what was found.
Result<Stored<JobItem>> parse_job_item(std::string_view id, std::optional<json::Value> attributes);
// The item as it is put back; now: by the service's clock. Where it is larger than kLargestItem,
// the oldest claimed notices lose their messages first (whoever claimed one still has it), then the
// oldest that were told are forgotten. Announced stops, their notices and claims that are not told
// stay: what people wrote takes no stop away. kLimitExceeded where that is not enough.
Result<json::Document> job_attributes(std::string_view id, const JobItem& item, sys_seconds now);

}  // namespace trainwarden::rules
