#include "handlers/rules/policy/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <unordered_set>
#include <utility>

#include "handlers/rules/facts/silence.h"
#include "handlers/rules/patterns/compile.h"
#include "handlers/rules/patterns/nearest.h"
#include "handlers/rules/policy/announced_stop.h"
#include "handlers/rules/policy/failures.h"
#include "handlers/rules/policy/price_table.h"
#include "handlers/rules/policy/reader.h"
#include "runtime/base/fnv1a.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {
namespace {

constexpr std::array<std::string_view, 3> kModes = {"observe", "notify", "enforce"};
constexpr std::array<std::string_view, 3> kNoticeFormats = {"text", "json", "chat"};

using Kind = MemberForm::Kind;

constexpr std::array<MemberForm, 11> kPolicyMembers = {{
    {.name = "$schema", .kind = Kind::kText},
    {.name = "version", .kind = Kind::kVersion, .required = true},
    {.name = "mode", .kind = Kind::kChoice, .choices = kModes, .fallback = 0},
    {.name = "since", .kind = Kind::kTime},
    {.name = "limits", .kind = Kind::kLimits},
    {.name = "watches", .kind = Kind::kWatches},
    {.name = "unless", .kind = Kind::kPatterns},
    {.name = "rules", .kind = Kind::kRules, .required = true},
    {.name = "prices", .kind = Kind::kPrices},
    {.name = "notify", .kind = Kind::kNotices},
    {.name = "failures", .kind = Kind::kFailures},
}};
constexpr std::int64_t kLongestContact = 200;
constexpr std::int64_t kLongestOwnerTag = 128;
constexpr std::array<MemberForm, 3> kNoticeMembers = {{
    {.name = "format", .kind = Kind::kChoice, .choices = kNoticeFormats, .fallback = 0},
    {.name = "contact", .kind = Kind::kText, .least = 1, .most = kLongestContact},
    {.name = "owner_tag", .kind = Kind::kText, .least = 1, .most = kLongestOwnerTag},
}};
constexpr std::int64_t kLongestName = 128;
constexpr std::array<MemberForm, 6> kRuleMembers = {{
    {.name = "name", .kind = Kind::kText, .required = true, .least = 1, .most = kLongestName},
    {.name = "match", .kind = Kind::kPatterns, .required = true},
    {.name = "unless", .kind = Kind::kPatterns},
    {.name = "mode", .kind = Kind::kChoice, .choices = kModes},
    {.name = "actions", .kind = Kind::kActions, .required = true},
    {.name = "message", .kind = Kind::kText},
}};
constexpr auto kPolicyNames = names_of(kPolicyMembers);
constexpr auto kNoticeNames = names_of(kNoticeMembers);
constexpr auto kRuleNames = names_of(kRuleMembers);

// Paths as policies have them: a group of facts, then a leaf of it. The watches are those of the
// policy: a rule that waits for another will wait for ever.
class FactNaming final : public Naming {
 public:
  explicit FactNaming(std::span<const Watch> watches) : watches_(watches) {}

  std::optional<PatternPath> resolve(std::span<const std::string_view> names, const JsonPath& where,
                                     Diagnostics& diagnostics) override {
    std::optional<FactPath> found = find_fact_path(names, where, diagnostics);
    if (!found) return std::nullopt;
    PatternPath path{.group = static_cast<std::uint8_t>(found->group), .path = found->path};
    facts_.try_emplace(path, std::move(*found));
    return path;
  }
  bool replaces() const override { return false; }
  void review(const PatternPath& path, const Test& test, const JsonPath& where,
              Diagnostics& diagnostics) const override {
    const FactPath& fact = facts_.at(path);
    rules::review(fact, test, where, diagnostics);
    if (fact.group != Group::kAlarm || fact.path != "watch") return;
    for (const std::string& text : test.whole_texts()) {
      if (std::ranges::find(watches_, text, &Watch::name) != watches_.end()) continue;
      std::vector<std::string_view> known;
      for (const Watch& watch : watches_) known.push_back(watch.name);
      diagnostics.error(
          where, fmt::format("expected the name of a watch of this policy, found `{}`{}", text,
                             did_you_mean(text, known)));
    }
  }

  void review_leaf(const PatternPath& path, const Condition& condition, const JsonPath& where,
                   Diagnostics& diagnostics) const override {
    rules::review_leaf(facts_.at(path), condition, where, diagnostics);
  }

  // What resolve() returned before.
  const FactPath& at(std::uint8_t group, const std::string& path) const {
    return facts_.at({.group = group, .path = path});
  }

 private:
  std::span<const Watch> watches_;
  std::map<PatternPath, FactPath> facts_;
};

// The conditions keep their order within each group.
Conjunction split(GroupedConjunction conditions, const FactNaming& naming) {
  Conjunction out;
  for (GroupedCondition& grouped : conditions) {
    const FactPath& fact = naming.at(grouped.group, grouped.condition.path);
    auto part = std::ranges::find(out.parts, fact.group, &Part::group);
    if (part == out.parts.end()) {
      out.parts.push_back({.group = fact.group, .conditions = {}, .early = {}});
      part = out.parts.end() - 1;
    }
    part->conditions.push_back(std::move(grouped.condition));
    part->early.push_back(fact.early);
  }
  for (Part& part : out.parts) {
    part.search_lacks_some = part.group == Group::kJob &&
                             std::ranges::any_of(part.conditions, search_lacks, &Condition::path);
    if (part.search_lacks_some)
      std::ranges::copy_if(
          part.conditions, std::back_inserter(part.search_tells),
          [](const Condition& condition) { return !search_lacks(condition.path); });
  }
  std::ranges::sort(out.parts, {}, &Part::group);  // what the event tells comes first
  return out;
}

}  // namespace

std::string_view name(NoticeFormat format) {
  return kNoticeFormats[static_cast<std::size_t>(format)];
}

NoticeFormat notice_format(std::string_view word) {
  const auto found = std::ranges::find(kNoticeFormats, word);
  return found == kNoticeFormats.end() ? NoticeFormat::kText
                                       : static_cast<NoticeFormat>(found - kNoticeFormats.begin());
}

// Reads one text and collects every error.
class PolicyReader {
 public:
  std::optional<Policy> read(std::string_view text) {
    if (text.size() > kLongestPolicy) {
      reader_.diagnostics.error(
          reader_.where, fmt::format("expected a policy of at most {} bytes, which is what a "
                                     "function of 128 MB has room for, found {}",
                                     kLongestPolicy, text.size()));
      return std::nullopt;
    }
    Result<json::Document> document = json::Document::parse(text, json::Syntax::kRelaxed);
    if (!document) {
      reader_.diagnostics.error(reader_.where, document.error().message);
      return std::nullopt;
    }
    policy(document->root());
    if (reader_.diagnostics.any_errors()) return std::nullopt;
    for (const Rule& rule : policy_.rules_) {
      add_silences(rule.match, false);
      add_silences(rule.unless, true);
    }
    add_silences(policy_.unless(), true);
    std::ranges::sort(policy_.silences_);
    const auto twice = std::ranges::unique(policy_.silences_);
    policy_.silences_.erase(twice.begin(), twice.end());
    warn();
    policy_.hash_ = fmt::format("{:016x}", fnv1a_words(text));
    policy_.warnings_ = reader_.diagnostics.take_warnings();
    return std::move(policy_);
  }

  // With the values that only `check` refuses, if there is a mistake.
  std::vector<Remark> take_errors() {
    std::vector<Remark> out = reader_.diagnostics.take_errors();
    if (out.empty()) return out;
    std::ranges::copy_if(reader_.diagnostics.take_warnings(), std::back_inserter(out),
                         &Remark::is_refusal);
    return out;
  }

 private:
  void policy(json::Value root) {
    if (!reader_.check_object(root, "a policy")) return;
    reader_.check_members(root, kPolicyNames);
    if (auto value = reader_.require(root, required(kPolicyMembers, "version"))) version(*value);
    policy_.mode_ = mode(root).value_or(policy_.mode_);
    if (auto value = root.find("since")) since(*value);
    reader_.string(root, "$schema");
    if (auto value = root.find("limits")) policy_.limits_ = read_limits(*value, reader_);
    if (auto value = root.find("watches")) watches(*value);
    if (auto value = root.find("prices")) policy_.prices_ = read_prices(*value, reader_);
    if (auto value = root.find("notify")) notify(*value);
    if (auto value = root.find("failures")) policy_.failures_ = read_failures(*value, reader_);
    for (const std::string_view name : {"since", "prices"}) all_rules_on_ += text_in(root, name);
    rules_on_failures_on_ = text_in(root, "failures");
    if (auto value = root.find("unless")) {
      unless_ = std::make_shared<const FactPattern>(pattern(*value, "unless"));
      unless_text_ = fmt::format("unless:{:016x}", fnv1a_words(json::to_text(*value)));
    }
    if (auto value = reader_.require(root, required(kPolicyMembers, "rules"))) rules(*value);
  }

  void version(json::Value value) {
    if (value.is_number() && value.as_integer() == kPolicyVersion) return;
    JsonPath::Step step(reader_.where, "version");
    const bool is_newer = value.is_number() && value.as_number() > kPolicyVersion;
    reader_.unexpected(fmt::format("{}", kPolicyVersion), value,
                       is_newer ? ": this policy is made for a newer Trainwarden" : "");
  }

  std::optional<Mode> mode(json::Value object) {
    const auto at = reader_.choice(object, "mode", kModes);
    return at ? std::optional(static_cast<Mode>(*at)) : std::nullopt;
  }

  void since(json::Value value) {
    JsonPath::Step step(reader_.where, "since");
    if (value.is_string()) {
      if (Result<sys_seconds> time = parse_rfc3339(value.as_string())) {
        policy_.since_ = *time;
        return;
      }
    }
    reader_.unexpected("a time such as \"2026-11-01T00:00:00Z\"", value);
  }

  void watches(json::Value object) {
    JsonPath::Step step(reader_.where, "watches");
    if (!reader_.check_object(object, "watches by name")) return;
    for (json::Member member : object.members()) {
      if (reader_.diagnostics.enough()) return;
      JsonPath::Step step_in(reader_.where, member.name);
      if (!is_watch_name(member.name)) {
        reader_.diagnostics.error(
            reader_.where, fmt::format("expected a name of 1 to 63 of a-z, 0-9 and -, a letter "
                                       "first, found `{}`",
                                       member.name));
      }
      if (auto watch = read_watch(member.name, member.value, reader_)) {
        policy_.watches_.push_back(std::move(*watch));
      }
    }
  }

  void notify(json::Value object) {
    JsonPath::Step step(reader_.where, "notify");
    if (!reader_.check_object(object, "how people are told")) return;
    reader_.check_members(object, kNoticeNames);
    policy_.notice_format_ =
        reader_.choice<NoticeFormat>(object, form(kNoticeMembers, "format", Kind::kChoice));
    policy_.contact_ = text_of(object, "contact", kLongestContact);
    policy_.owner_tag_ = text_of(object, "owner_tag", kLongestOwnerTag);
  }

  // Empty where it is missing.
  std::string text_of(json::Value object, std::string_view name, std::int64_t longest) {
    const auto text = reader_.string(object, name);
    if (!text) return {};
    JsonPath::Step step(reader_.where, name);
    if (text->empty() || std::ssize(*text) > longest)
      reader_.diagnostics.error(
          reader_.where, fmt::format("expected 1 to {} bytes, found {}", longest, text->size()));
    return std::string(*text);
  }

  void rules(json::Value list) {
    JsonPath::Step step(reader_.where, "rules");
    if (!list.is_array() || list.size() == 0) {
      reader_.unexpected("a list of rules", list);
      return;
    }
    policy_.rules_.reserve(list.size());
    std::unordered_set<std::string_view> names;
    std::size_t index = 0;
    for (json::Value item : list.elements()) {
      if (reader_.diagnostics.enough()) return;
      JsonPath::Step step_in(reader_.where, index++);
      if (reader_.check_object(item, "a rule")) rule(item, names);
    }
  }

  // A member with its name, without blanks and comments; empty where there is none.
  static std::string text_in(json::Value object, std::string_view name) {
    const auto value = object.find(name);
    return value ? fmt::format(",{}:{}", name, json::to_text(*value)) : std::string();
  }

  static bool looks_at(const FactPattern& pattern, Group group) {
    return std::ranges::any_of(pattern.any, [group](const Conjunction& one) {
      return std::ranges::find(one.parts, group, &Part::group) != one.parts.end();
    });
  }

  // names: those of the rules before this one.
  void rule(json::Value object, std::unordered_set<std::string_view>& names) {
    reader_.check_members(object, kRuleNames);
    Rule rule;
    if (reader_.require(object, required(kRuleMembers, "name"))) {
      if (const auto text = reader_.string(object, "name")) {
        rule.name = *text;
        rule_name(*text, names);
      }
    }
    rule.mode = mode(object);
    if (auto value = reader_.require(object, required(kRuleMembers, "match")))
      rule.match = pattern(*value, "match");
    if (auto value = object.find("unless")) rule.unless = pattern(*value, "unless");
    if (auto value = reader_.require(object, required(kRuleMembers, "actions"))) {
      JsonPath::Step step(reader_.where, "actions");
      rule.actions = read_actions(*value, policy_.watches_, reader_);
    }
    rule.unless_of_policy = unless_;
    check_announced_stop(rule, reader_);
    rule.message = reader_.string(object, "message").value_or("");
    rule.text = json::to_text(object) + unless_text_;
    rule.text.shrink_to_fit();  // kept as long as the policy
    const bool on_failures =
        looks_at(rule.match, Group::kFailure) || looks_at(rule.unless, Group::kFailure);
    rule.fingerprint = fmt::format(
        "{:016x}",
        fnv1a_words(rule.text + all_rules_on_ + (on_failures ? rules_on_failures_on_ : "")));
    policy_.rules_.push_back(std::move(rule));
  }

  void rule_name(std::string_view text, std::unordered_set<std::string_view>& names) {
    JsonPath::Step step(reader_.where, "name");
    if (text.empty() || std::ssize(text) > kLongestName) {
      reader_.diagnostics.error(reader_.where, fmt::format("expected 1 to {} bytes, found {}",
                                                           kLongestName, text.size()));
    } else if (!names.insert(text).second) {
      reader_.diagnostics.error(reader_.where,
                                fmt::format("expected a name of its own, found `{}`, the name of "
                                            "an earlier rule",
                                            text));
    }
  }

  FactPattern pattern(json::Value value, std::string_view member) {
    JsonPath::Step step(reader_.where, member);
    FactPattern out;
    if (!value.is_array()) {
      add(value, out);
    } else if (value.size() == 0) {
      reader_.unexpected("a pattern or a list of patterns", value);
    } else {
      std::size_t index = 0;
      for (json::Value item : value.elements()) {
        JsonPath::Step step_in(reader_.where, index++);
        add(item, out);
      }
    }
    if (out.any.size() > kMostConjunctions) {
      reader_.diagnostics.error(reader_.where,
                                fmt::format("expected at most {} alternatives, found {}",
                                            kMostConjunctions, out.any.size()));
    }
    return out;
  }

  void add(json::Value value, FactPattern& out) {
    FactNaming naming(policy_.watches_);
    for (GroupedConjunction& conjunction :
         compile(value, naming, reader_.where, reader_.diagnostics)) {
      out.any.push_back(split(std::move(conjunction), naming));
    }
  }

  // In an exemption it is the end of the exemption that speaks for the rule.
  void add_silences(const FactPattern& pattern, bool exempts) {
    for (const Conjunction& conjunction : pattern.any) {
      const Condition* const silent = conjunction.find(Group::kLogs, kSilentSeconds);
      if (silent == nullptr) continue;
      for (const Test& test : silent->tests) {
        std::ranges::copy(silences_asked(test), std::back_inserter(policy_.silences_));
        const auto from = exempts ? silence_that_fails(test) : silence_that_passes(test);
        if (!from) continue;
        policy_.shortest_silence_ = std::min(policy_.shortest_silence_.value_or(*from), *from);
      }
    }
  }

  // What is allowed, and probably not meant.
  void warn() {
    JsonPath::Step step(reader_.where, "rules");
    for (std::size_t i = 0; i < policy_.rules_.size(); ++i) {
      const Rule& rule = policy_.rules_[i];
      if (!rule.has(ActionKind::kStop) || !rule.has(ActionKind::kRestart)) continue;
      JsonPath::Step step_in(reader_.where, i);
      JsonPath::Step step_actions(reader_.where, "actions");
      reader_.diagnostics.warning(reader_.where, "the restart never happens: a stop beats it (P4)");
    }
  }

  Policy policy_;
  std::string all_rules_on_;                   // what all rules depend on, and
  std::string rules_on_failures_on_;           // what those on failures do
  std::shared_ptr<const FactPattern> unless_;  // of the policy itself
  std::string unless_text_;                    // names it in the rules' texts
  Reader reader_;
};

std::span<const MemberForm> policy_members() { return kPolicyMembers; }
std::span<const MemberForm> notice_members() { return kNoticeMembers; }
std::span<const MemberForm> rule_members() { return kRuleMembers; }

std::string_view name(Mode mode) { return kModes[static_cast<std::size_t>(mode)]; }

std::optional<Mode> parse_mode(std::string_view text) {
  const auto at = std::ranges::find(kModes, text);
  if (at == kModes.end()) return std::nullopt;
  return static_cast<Mode>(at - kModes.begin());
}

const Watch* Policy::find_watch(std::string_view name) const {
  const auto at = std::ranges::find(watches_, name, &Watch::name);
  return at == watches_.end() ? nullptr : &*at;
}

Result<Policy> parse_policy(std::string_view text) {
  PolicyReader reader;
  if (std::optional<Policy> policy = reader.read(text)) return std::move(*policy);
  std::vector<Remark> errors = reader.take_errors();
  std::erase_if(errors, [](const Remark& error) { return error.is_refusal; });
  Error first{ErrorCode::kInvalidPolicy, errors.front().text()};
  if (errors.size() > 1) {
    first.message += fmt::format(" (and {} more {})", errors.size() - 1,
                                 errors.size() == 2 ? "mistake" : "mistakes");
  }
  return fail(std::move(first));
}

std::vector<Remark> check_policy(std::string_view text) {
  PolicyReader reader;
  reader.read(text);
  return reader.take_errors();
}

}  // namespace trainwarden::rules
