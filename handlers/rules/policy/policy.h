// The policy: which states of a job are unwanted, and what to do about them. A Policy is a policy
// file that was accepted whole: every path names a leaf, every action exists, every rule's patterns
// are compiled. A file with any mistake does not become a Policy (P2): its errors name the path,
// what was found and what was expected. Immutable, and independent of the text it came from.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/failure/own_signature.h"
#include "handlers/rules/job/prices.h"
#include "handlers/rules/patterns/diagnostics.h"
#include "handlers/rules/patterns/pattern.h"
#include "handlers/rules/policy/action.h"
#include "handlers/rules/policy/limits.h"
#include "handlers/rules/policy/watch.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// What a rule may do: decide only, tell people too, act too. Ordered from weak to strong (P3).
enum class Mode : std::uint8_t { kObserve, kNotify, kEnforce };

// "observe", "notify", "enforce"
std::string_view name(Mode mode);
std::optional<Mode> parse_mode(std::string_view text);

// The conditions of one conjunction on one fact group. Array consistency does not extend beyond it.
struct Part {
  Group group;
  std::vector<Condition> conditions;        // ordered by path_less
  std::vector<std::optional<Early>> early;  // beside each condition: the early fact it looks at
  // Of the group `job`: whether there are conditions on members that Search lacks; if so, the
  // remaining conditions.
  bool search_lacks_some = false;
  std::vector<Condition> search_tells = {};
};

struct Conjunction {
  std::vector<Part> parts;

  // The condition on that leaf; nullptr if there is none.
  const Condition* find(Group group, std::string_view path) const;
  // Whether the conditions require some leaf of that group to be present.
  bool looks_into(Group group) const;
  // Whether there is a condition on that leaf which none of these texts passes.
  bool refuses(Group group, std::string_view path, std::span<const std::string_view> texts) const;
};

// A disjunction of conjunctions; an empty one never holds.
struct FactPattern {
  std::vector<Conjunction> any;
};

struct Rule {
  std::string name;
  std::string message;       // for people; may be empty
  std::optional<Mode> mode;  // the rule's own; the policy's where absent
  FactPattern match;
  FactPattern unless;
  // The policy's own `unless`, one for all rules; null where it has none.
  std::shared_ptr<const FactPattern> unless_of_policy;
  std::vector<Action> actions;  // at least one, none twice
  // The rule's JSON without blanks and comments, members in file order, and a hash of the policy's
  // own `unless`. It does not depend on the file's layout or on other rules. Any change of the rule
  // itself changes it, its name and message included.
  std::string text;
  // 16 hexadecimal digits, for the text and for what else of the policy changes whom the rule
  // stops: `since`, the prices, which also tell who is the dearest, and for a rule on failures the
  // own signatures. Watches are not in it, since what an alarm asks for is measured (P7).
  std::string fingerprint;

  bool has(ActionKind kind) const;
  // An empty pattern where the policy has none.
  const FactPattern& policy_wide() const;
  // Its own `unless` and the policy's: each exempts the job.
  std::array<const FactPattern*, 2> exemptions() const { return {&unless, &policy_wide()}; }
  // Whether holds(one) of an alternative of either.
  template <class Holds>
  bool any_exemption(Holds holds) const {
    return std::ranges::any_of(unless.any, holds) || std::ranges::any_of(policy_wide().any, holds);
  }
};

inline constexpr std::int64_t kPolicyVersion = 1;
// In bytes of text. Most policies take 20 to 40 bytes of memory for each of them, and 105 those
// that are lists of one-digit numbers: so much fits into the 128 MB that a function has by default.
inline constexpr std::size_t kLongestPolicy = std::size_t{1} << 20U;

// The format of notices.
enum class NoticeFormat : std::uint8_t { kText, kJson, kChat };
// The policy's word, and what it means; kText for any other.
std::string_view name(NoticeFormat format);
NoticeFormat notice_format(std::string_view word);

class Policy {
 public:
  Policy(Policy&&) noexcept = default;
  Policy& operator=(Policy&&) noexcept = default;

  Mode mode() const { return mode_; }
  // Stops and restarts ignore jobs created earlier.
  std::optional<sys_seconds> since() const { return since_; }
  const Limits& limits() const { return limits_; }
  // In the order of the file.
  std::span<const Watch> watches() const { return watches_; }
  const Watch* find_watch(std::string_view name) const;
  const Prices& prices() const { return prices_; }
  NoticeFormat notice_format() const { return notice_format_; }
  // Whom people may ask about the policy; may be empty.
  const std::string& contact() const { return contact_; }
  // The key of the tag that names a job's owner, before `owner`; may be empty.
  const std::string& owner_tag() const { return owner_tag_; }
  // A team's own signatures of failures, in the order of the file; they count before ours.
  std::span<const OwnSignature> failures() const { return failures_; }
  // What exempts a job from every rule; never holds where the policy says nothing.
  const FactPattern& unless() const { return rules_.front().policy_wide(); }
  std::span<const Rule> rules() const { return rules_; }
  // Where the rules' conditions on the silence of logs change their answers, shortest first
  // (facts/silence.h).
  std::span<const std::chrono::seconds> silences() const { return silences_; }
  // The shortest silence that speaks for a rule; nullopt if none does.
  std::optional<std::chrono::seconds> shortest_silence() const { return shortest_silence_; }
  // Warnings of what is allowed but probably not meant, each with its path.
  std::span<const Remark> warnings() const { return warnings_; }
  // Identifies the policy in records: 16 hexadecimal digits (FNV-1a of the text); not a signature.
  const std::string& hash() const { return hash_; }

 private:
  friend class PolicyReader;
  Policy() = default;

  Mode mode_ = Mode::kObserve;
  std::optional<sys_seconds> since_;
  Limits limits_;
  std::vector<Watch> watches_;
  Prices prices_;
  NoticeFormat notice_format_ = NoticeFormat::kText;
  std::string contact_;
  std::string owner_tag_;
  std::vector<OwnSignature> failures_;
  std::vector<Rule> rules_;
  std::vector<std::chrono::seconds> silences_;
  std::optional<std::chrono::seconds> shortest_silence_;
  std::vector<Remark> warnings_;
  std::string hash_;
};

// kInvalidPolicy: the first mistake, and how many more there are. Comments and trailing commas are
// allowed in the text.
Result<Policy> parse_policy(std::string_view text);

// All mistakes of the text, in its order; empty if parse_policy succeeds.
std::vector<Remark> check_policy(std::string_view text);

}  // namespace trainwarden::rules
