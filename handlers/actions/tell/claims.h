// Notices that are sent once each (policy.md A5). A notice is claimed in the job's item, if
// possible in the same write as the step that it reports, then sent, then marked done. So nothing
// is sent unclaimed, and a claim that is not done after two minutes is taken over and sent by the
// next invocation that finds it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/notices/notice.h"
#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/observed_job.h"

namespace trainwarden::actions {

// A notice as it is sent, and its key among the job's notices.
struct Prepared {
  std::string key = {};
  std::string topic = {};
  rules::NoticeFormat format = rules::NoticeFormat::kText;
  rules::Notice notice = {};
  // Since when its alarm is in ALARM, if it has one: the notice is repeated when that alarm goes
  // off again.
  std::optional<sys_seconds> since = {};
};

// The topic of a notify action: its own, otherwise the environment's; empty if there is neither.
const std::string& topic_of(const rules::Action& action, const Apis& apis);

Prepared prepare(const ActivePolicy& rules, const rules::Decision& decision,
                 rules::NoticeOutcome outcome, std::span<const rules::ActionReport> reports,
                 const rules::NoticeJob& job, const std::string& topic,
                 std::string_view about = {});
// One for each topic that the decision's actions name. or_default_topic: without any, one for the
// environment's topic. about: distinguishes notices of the same outcome.
std::vector<Prepared> prepare_all(const ActivePolicy& rules, const rules::Decision& decision,
                                  rules::NoticeOutcome outcome,
                                  std::span<const rules::ActionReport> reports,
                                  const rules::NoticeJob& job, const Apis& apis,
                                  bool or_default_topic = false, std::string_view about = {});

// To be written together with the step that they report.
rules::JobItem claim(rules::JobItem item, std::span<const Prepared> notices, const Apis& apis,
                     sys_seconds now);

// Replaces the text of those that are claimed and not sent yet.
rules::JobItem reword(rules::JobItem item, std::span<const Prepared> notices);

// A notice that is ours to publish until then.
struct ClaimedNotice {
  std::string id;  // of the item that keeps the claim
  Prepared prepared;
  sys_seconds until;
  bool again = false;  // its alarm went off again (A9)
};

// Claims it. If it was claimed before, the result is that it was already sent, or an error.
// Somebody else's fresh claim is kUnavailable, as for send().
std::variant<ActionOutcome, ClaimedNotice> claim_now(std::string id, Prepared prepared,
                                                     const Apis& apis);
// Publishes it, or leaves it to its topic's digest (A9), and marks it done.
ActionOutcome publish(const ClaimedNotice& claimed, const ActivePolicy& rules, const Apis& apis);

// The rule of a claimed notice; empty if the claim does not store it.
std::string rule_of_claim(std::string_view key, const rules::NoticeRecord& notice);

// Claims it if it is unclaimed, sends it and marks it done. Another's fresh claim is kUnavailable,
// so that the event is retried: the other may have died.
ActionOutcome send(const std::string& id, const Prepared& prepared, const ActivePolicy& rules,
                   const Apis& apis);

// What the job was told to do by us, as far as the item knows and its look bears it out: for
// NoticeJob's acted_rule, acted_at and acted_reason.
void add_own_action(rules::NoticeJob& job, const rules::JobItem& item,
                    const rules::ObservedJob& observed, sys_seconds now);

// Whether the job has notices for send_pending(). True if that is not known.
bool has_pending_notices(const std::string& id, const Apis& apis);

// Notices that were claimed and not sent, by this invocation or two minutes ago by one that died:
// sent now if what they tell has come about, forgotten if it has not and will not. What comes out
// are those that were sent or failed.
std::vector<PendingNotice> send_pending(const std::string& id, const rules::ObservedJob& observed,
                                        const Apis& apis);

}  // namespace trainwarden::actions
