// Notices that are told once each (policy.md A5). One is claimed in the job's item, together with
// what it tells of wherever that is possible, then sent, then noted as done. So nothing is told
// that was not claimed, and who finds a claim that nobody saw to for two minutes sends what was
// claimed.
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
#include "handlers/rules/state/job_look.h"

namespace trainwarden::actions {

// A notice as it is sent, and what tells it from the job's others.
struct Prepared {
  std::string key;
  std::string topic;
  rules::Notice notice = {};
  // Since when the alarm that asks for it is in ALARM: then it is told anew when that goes off
  // anew.
  std::optional<sys_seconds> since = {};
};

// Where an action notify goes: its own topic, else that of the environment; empty where there is
// neither.
const std::string& topic_of(const rules::Action& action, const Apis& apis);

Prepared prepare(const ActivePolicy& rules, const rules::Decision& decision, rules::Outcome outcome,
                 std::span<const rules::ActionReport> reports, const rules::NoticeJob& job,
                 const std::string& topic, std::string_view about = {});
// One for each topic that the decision's actions tell, and without any the environment's where
// even_so. about: sets apart what would else pass for another notice of that outcome.
std::vector<Prepared> prepare_all(const ActivePolicy& rules, const rules::Decision& decision,
                                  rules::Outcome outcome,
                                  std::span<const rules::ActionReport> reports,
                                  const rules::NoticeJob& job, const Apis& apis,
                                  bool even_so = false, std::string_view about = {});

// To be written at once with what they tell of.
rules::JobItem claim(rules::JobItem item, std::span<const Prepared> notices, const Apis& apis,
                     sys_seconds now);

// Those that are claimed and not told yet tell this instead.
rules::JobItem reword(rules::JobItem item, std::span<const Prepared> notices);

// A notice that is ours to publish until then.
struct ClaimedNotice {
  std::string id;  // of the item that keeps the claim
  Prepared prepared;
  sys_seconds until;
};

// Claims it, unless that was done: what comes out else is that it was told, or an error.
// Somebody else's fresh claim is kUnavailable, as for send().
std::variant<ActionOutcome, ClaimedNotice> claim_now(std::string id, Prepared prepared,
                                                     const Apis& apis);
// Publishes it and notes that.
ActionOutcome publish(const ClaimedNotice& claimed, const Apis& apis);

// The rule that a claimed notice tells of; empty where the claim does not keep that.
std::string rule_of_claim(std::string_view key, const rules::NoticeRecord& notice);

// Claims it, unless that was done, sends it and notes that. Somebody else's fresh claim is
// kUnavailable, so that the event comes again: the other may have died.
ActionOutcome send(const std::string& id, const Prepared& prepared, const Apis& apis);

// What the job was told to do by us, as far as the item knows and its look bears it out: for
// NoticeJob's acted_rule, acted_at and acted_reason.
void tell_acted(rules::NoticeJob& job, const rules::JobItem& item, const rules::JobLook& look,
                sys_seconds now);

// Whether the job has such notices as send_owed() sees to. True where nobody knows.
bool owes_notices(const std::string& id, const Apis& apis);

// Notices that were claimed and not sent, by this invocation or two minutes ago by one that died:
// sent now if what they tell has come about, forgotten if it has not and will not. What comes out
// are those that were sent or failed.
std::vector<OwedNotice> send_owed(const std::string& id, const rules::JobLook& look,
                                  const Apis& apis);

}  // namespace trainwarden::actions
