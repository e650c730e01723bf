#include "handlers/rules/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "handlers/rules/compile.h"
#include "handlers/rules/nearest.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {
namespace {

constexpr std::array<std::string_view, 3> kModes = {"observe", "notify", "enforce"};
constexpr std::array<std::string_view, 2> kActions = {"stop", "notify"};
constexpr std::array<std::string_view, 3> kLaterActions = {"restart", "watch", "tag"};

constexpr std::array<std::string_view, 5> kPolicyMembers = {"$schema", "version", "mode", "since",
                                                            "rules"};
constexpr std::array<std::string_view, 4> kLaterPolicyMembers = {"limits", "watches", "prices",
                                                                 "notify"};
constexpr std::array<std::string_view, 6> kRuleMembers = {"name", "match",   "unless",
                                                          "mode", "actions", "message"};

constexpr std::int64_t kVersion = 1;
constexpr std::size_t kLongestName = 128;

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string shown(json::Value value) { return fmt::format("found `{}`", value.excerpt()); }

std::string fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return fmt::format("{:016x}", hash);
}

// Paths as policies have them: a group of facts, then a leaf of it.
class FactNaming final : public Naming {
 public:
  std::optional<Place> place(std::span<const std::string_view> names, const Where& where,
                             Complaints& complaints) const override {
    return find_place(names, where, complaints);
  }
  bool replaces() const override { return false; }
  void review(const Place& place, const Test& test, const Where& where,
              Complaints& complaints) const override {
    rules::review(place, test, where, complaints);
  }
};

// The conditions keep their order within each group.
Conjunction split(PlacedConjunction conditions) {
  Conjunction out;
  for (PlacedCondition& placed : conditions) {
    auto part = std::ranges::find(out.parts, placed.place.group, &Part::group);
    if (part == out.parts.end()) {
      out.parts.push_back({placed.place.group, {}, {}});
      part = out.parts.end() - 1;
    }
    part->conditions.push_back(std::move(placed.condition));
    part->early.push_back(placed.place.early);
  }
  std::ranges::sort(out.parts, {}, &Part::group);  // what the event tells comes first
  return out;
}

}  // namespace

// Reads one text, collecting every complaint.
class PolicyReader {
 public:
  std::optional<Policy> read(std::string_view text) {
    Result<json::Document> document = json::Document::parse(text, json::Syntax::kRelaxed);
    if (!document) {
      complaints_.error(where_, document.error().message);
      return std::nullopt;
    }
    policy(document->root());
    if (complaints_.any_errors()) return std::nullopt;
    policy_.hash_ = fnv1a(text);
    policy_.warnings_ = complaints_.take_warnings();
    return std::move(policy_);
  }

  std::vector<Error> take_errors() { return complaints_.take_errors(); }

 private:
  void policy(json::Value root) {
    if (!root.is_object()) {
      return complaints_.error(where_,
                               fmt::format("expected a policy (an object), {}", shown(root)));
    }
    check_members(root, kPolicyMembers, kLaterPolicyMembers);
    if (auto value = require(root, "version")) version(*value);
    if (auto value = root.find("mode")) {
      Where::Step step(where_, "mode");
      if (std::optional<Mode> mode = read_mode(*value)) policy_.mode_ = *mode;
    }
    if (auto value = root.find("since")) since(*value);
    if (auto value = root.find("$schema")) string(*value, "$schema");
    if (auto value = require(root, "rules")) rules(*value);
  }

  void check_members(json::Value object, std::span<const std::string_view> known,
                     std::span<const std::string_view> later) {
    for (json::Member member : object.members()) {
      if (contains(known, member.name)) continue;
      Where::Step step(where_, member.name);
      if (contains(later, member.name)) {
        complaints_.error(where_, fmt::format("`{}` is not supported by this version; expected {}",
                                              member.name, one_of(known)));
      } else {
        complaints_.error(where_, fmt::format("expected {}, found `{}`{}", one_of(known),
                                              member.name, did_you_mean(member.name, known)));
      }
    }
  }

  std::optional<json::Value> require(json::Value object, std::string_view member) {
    std::optional<json::Value> value = object.find(member);
    if (!value) {
      complaints_.error(where_, fmt::format("expected the member `{}`, found none", member));
    }
    return value;
  }

  std::optional<std::string_view> string(json::Value value, std::string_view member) {
    if (value.is_string()) return value.as_string();
    Where::Step step(where_, member);
    complaints_.error(where_, fmt::format("expected a string, {}", shown(value)));
    return std::nullopt;
  }

  void version(json::Value value) {
    if (value.is_number() && value.as_integer() == kVersion) return;
    Where::Step step(where_, "version");
    complaints_.error(where_, fmt::format("expected {}, {}", kVersion, shown(value)));
  }

  std::optional<Mode> read_mode(json::Value value) {
    if (value.is_string()) {
      if (std::optional<Mode> mode = parse_mode(value.as_string())) return mode;
    }
    complaints_.error(
        where_, fmt::format("expected {}, {}{}", one_of(kModes), shown(value),
                            value.is_string() ? did_you_mean(value.as_string(), kModes) : ""));
    return std::nullopt;
  }

  void since(json::Value value) {
    Where::Step step(where_, "since");
    if (value.is_string()) {
      if (Result<sys_seconds> time = parse_rfc3339(value.as_string())) {
        policy_.since_ = *time;
        return;
      }
    }
    complaints_.error(
        where_, fmt::format("expected a time such as \"2026-11-01T00:00:00Z\", {}", shown(value)));
  }

  void rules(json::Value list) {
    Where::Step step(where_, "rules");
    if (!list.is_array() || list.size() == 0) {
      return complaints_.error(where_, fmt::format("expected a list of rules, {}", shown(list)));
    }
    policy_.rules_.reserve(list.size());
    std::unordered_set<std::string_view> names;
    std::size_t index = 0;
    for (json::Value item : list.elements()) {
      if (complaints_.enough()) return;
      Where::Step step_in(where_, index++);
      if (item.is_object()) {
        rule(item, names);
      } else {
        complaints_.error(where_, fmt::format("expected a rule (an object), {}", shown(item)));
      }
    }
  }

  // names: those of the rules before this one.
  void rule(json::Value object, std::unordered_set<std::string_view>& names) {
    check_members(object, kRuleMembers, {});
    Rule rule;
    if (auto value = require(object, "name")) {
      if (auto text = string(*value, "name")) {
        rule.name = *text;
        rule_name(*text, names);
      }
    }
    if (auto value = object.find("mode")) {
      Where::Step step(where_, "mode");
      rule.mode = read_mode(*value);
    }
    if (auto value = require(object, "match")) rule.match = pattern(*value, "match");
    if (auto value = object.find("unless")) rule.unless = pattern(*value, "unless");
    if (auto value = require(object, "actions")) rule.actions = actions(*value);
    if (auto value = object.find("message")) {
      if (auto text = string(*value, "message")) rule.message = *text;
    }
    policy_.rules_.push_back(std::move(rule));
  }

  void rule_name(std::string_view text, std::unordered_set<std::string_view>& names) {
    Where::Step step(where_, "name");
    if (text.empty() || text.size() > kLongestName) {
      complaints_.error(where_,
                        fmt::format("expected 1 to {} bytes, found {}", kLongestName, text.size()));
    } else if (!names.insert(text).second) {
      complaints_.error(where_, fmt::format("expected a name of its own, found `{}`, the name of "
                                            "an earlier rule",
                                            text));
    }
  }

  FactPattern pattern(json::Value value, std::string_view member) {
    Where::Step step(where_, member);
    FactPattern out;
    if (!value.is_array()) {
      add(value, out);
    } else if (value.size() == 0) {
      complaints_.error(where_, "expected a pattern or a list of patterns, found `[]`");
    } else {
      std::size_t index = 0;
      for (json::Value item : value.elements()) {
        Where::Step step_in(where_, index++);
        add(item, out);
      }
    }
    if (out.any.size() > kMostConjunctions) {
      complaints_.error(where_, fmt::format("expected at most {} alternatives, found {}",
                                            kMostConjunctions, out.any.size()));
    }
    return out;
  }

  void add(json::Value value, FactPattern& out) {
    for (PlacedConjunction& conjunction : compile(value, FactNaming(), where_, complaints_)) {
      out.any.push_back(split(std::move(conjunction)));
    }
  }

  std::vector<ActionKind> actions(json::Value list) {
    Where::Step step(where_, "actions");
    std::vector<ActionKind> out;
    if (!list.is_array() || list.size() == 0) {
      complaints_.error(
          where_, fmt::format("expected a list of actions, {}, {}", one_of(kActions), shown(list)));
      return out;
    }
    std::size_t index = 0;
    for (json::Value item : list.elements()) {
      Where::Step step_in(where_, index++);
      std::optional<ActionKind> action = read_action(item);
      if (!action) continue;
      if (std::ranges::find(out, *action) != out.end()) {
        complaints_.error(
            where_, fmt::format("expected each action once, found `{}` again", name(*action)));
      }
      out.push_back(*action);
    }
    return out;
  }

  std::optional<ActionKind> read_action(json::Value item) {
    std::string_view text;  // the name of an action, be it written as text or as {name: arguments}
    if (item.is_string()) text = item.as_string();
    if (item.is_object() && item.size() == 1) text = (*item.members().begin()).name;
    const auto at = std::ranges::find(kActions, text);
    if (at != kActions.end() && item.is_string()) {
      return static_cast<ActionKind>(at - kActions.begin());
    }
    if (contains(kLaterActions, text)) {
      complaints_.error(where_, fmt::format("the action `{}` is not supported by this version; "
                                            "expected {}",
                                            text, one_of(kActions)));
    } else if (at != kActions.end()) {
      complaints_.error(where_, fmt::format("arguments of `{}` are not supported by this version; "
                                            "expected \"{}\"",
                                            text, text));
    } else {
      complaints_.error(where_, fmt::format("expected an action, {}, {}{}", one_of(kActions),
                                            shown(item), did_you_mean(text, kActions)));
    }
    return std::nullopt;
  }

  Policy policy_;
  Where where_;
  Complaints complaints_;
};

std::string_view name(Mode mode) { return kModes[static_cast<std::size_t>(mode)]; }

std::optional<Mode> parse_mode(std::string_view text) {
  const auto at = std::ranges::find(kModes, text);
  if (at == kModes.end()) return std::nullopt;
  return static_cast<Mode>(at - kModes.begin());
}

std::string_view name(ActionKind action) { return kActions[static_cast<std::size_t>(action)]; }

bool Rule::has(ActionKind action) const {
  return std::ranges::find(actions, action) != actions.end();
}

Result<Policy> parse_policy(std::string_view text) {
  PolicyReader reader;
  if (std::optional<Policy> policy = reader.read(text)) return std::move(*policy);
  std::vector<Error> errors = reader.take_errors();
  Error first = std::move(errors.front());
  if (errors.size() > 1) {
    first.message += fmt::format(" (and {} more {})", errors.size() - 1,
                                 errors.size() == 2 ? "mistake" : "mistakes");
  }
  return fail(std::move(first));
}

std::vector<Error> check_policy(std::string_view text) {
  PolicyReader reader;
  reader.read(text);
  return reader.take_errors();
}

}  // namespace trainwarden::rules
