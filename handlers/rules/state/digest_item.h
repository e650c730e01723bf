// What one topic is told together (policy.md A9): the limits that were reached (P7), and the jobs
// whose alarms went off again (A5). The first limit, and the first alarm, goes out at once; what
// follows within the hour is gathered here, and goes out as one digest when the hour is over. A
// digest is claimed, published, and then what it told is taken out, so that nothing is lost to a
// function that dies in between; then people may hear it twice.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/state/stored.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

inline constexpr std::chrono::hours kDigestEach{1};
// What could not be sent for so long after that is forgotten: its topic may be gone.
inline constexpr std::chrono::hours kDigestKept{26};
// More are counted, not named. Where there are more, each role under which jobs run has its share
// of them, and of a role's share each job.
inline constexpr std::size_t kMostGathered = 50;

// Of the newest Reason of its kind.
struct GatheredLimit {
  std::string name = {};
  std::int64_t number = 0;
  std::int64_t limit = 0;
  sys_seconds at = {};  // when it was held back last

  bool operator==(const GatheredLimit&) const = default;
};

// A notice of an alarm that went off again.
struct GatheredNotice {
  std::string job = {};
  std::string key = {};  // notice_key(): its rule and watch
  std::string rule = {};
  std::string subject = {};  // the notice's, at most kLongestSubject bytes
  std::string team = {};     // as the notice's attributes, at most kLongestGatheredTag bytes each
  std::string owner = {};
  std::string role = {};  // role_key() of the job's; empty: not known
  sys_seconds at = {};

  bool operator==(const GatheredNotice&) const = default;
};
inline constexpr std::size_t kLongestSubject = 200;
inline constexpr std::size_t kLongestGatheredTag = 256;

struct Digest {
  std::map<Why, GatheredLimit> limits = {};  // each of the limits of P7
  std::vector<GatheredNotice> again = {};
  std::int64_t left_out = 0;  // of `again`, beyond kMostGathered

  // The notices in which each role has its turn, and of a role each job.
  std::vector<const GatheredNotice*> in_turn() const;
  bool empty() const { return limits.empty() && again.empty(); }
  std::vector<Reason> held() const;  // of each limit
  bool operator==(const Digest&) const = default;
};

struct DigestItem {
  std::string topic = {};                      // its ARN
  std::optional<sys_seconds> sent = {};        // when the topic was last told at once, or a digest
  std::optional<sys_seconds> limit_sent = {};  // the same, of a limit
  Digest gathered = {};
  std::optional<Claim> claim = {};  // of the digest that is about to be sent

  bool operator==(const DigestItem&) const = default;
};

// Whether it is to be told at once, by a message of its own; else it was gathered, be it for a
// digest that is due now. held.why: one of the limits.
Step<DigestItem, bool> gather_limit(DigestItem item, std::string_view topic, const Reason& held,
                                    sys_seconds now);
// What was to be told at once at that moment could not be published: the next may be.
DigestItem not_told_at_once(DigestItem item, sys_seconds at);
// As gather_limit, of a notice. Of one job and key, the newest is kept. Where there is no room, one
// of the role and the job with the most gives way, or the new one.
Step<DigestItem, bool> gather_notice(DigestItem item, std::string_view topic, GatheredNotice notice,
                                     sys_seconds now);

// What is to be sent now, by this caller: publish it, then digest_sent. nullopt where there is
// nothing, the hour is not over, or somebody else claimed it within kClaimHolds.
Step<DigestItem, std::optional<Digest>> claim_digest(DigestItem item, std::string_view by,
                                                     sys_seconds now);
// What was gathered meanwhile stays.
DigestItem digest_sent(DigestItem item, const Digest& sent, sys_seconds now);

// From when on a digest may be sent; nullopt where nothing is gathered.
std::optional<sys_seconds> digest_due(const DigestItem& item);

// attributes: as awsapi gives them; nullopt where there is no such item. kUnavailable: what is
// there is none of our items, and what was found.
Result<Stored<DigestItem>> parse_digest_item(std::string_view id,
                                             std::optional<json::Value> attributes);
// The item as it is put back.
json::Document digest_attributes(const DigestItem& item, sys_seconds now);

}  // namespace trainwarden::rules
