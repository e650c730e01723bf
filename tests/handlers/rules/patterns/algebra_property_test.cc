// F6 as properties, over policies and jobs made at random from fixed seeds: with everything known a
// rule agrees with a plain two-valued matcher; over one snapshot, revealing more never changes a
// decided verdict; asking for what is needed ends; what is decided needs nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::algebra_property_test {
namespace {

using test::doc;
using test::kNow;

constexpr int kRounds = 4000;

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint32_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T, std::size_t N>
  const T& pick(const std::array<T, N>& from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(N)))];
  }

 private:
  std::mt19937 engine_;
};

constexpr std::array<std::string_view, 3> kValues = {"x", "y", "z"};
constexpr std::array<std::string_view, 3> kTriggers = {"state", "alarm", "sweep"};
constexpr std::array<std::string_view, 3> kTagKeys = {"a", "b.c", "d"};

// One condition, kept beside its JSON so that the plain matcher reads no JSON.
struct PlainCondition {
  std::string group;
  std::string member;  // the leaf's name, as in Job below
  std::vector<std::string> any;
  bool absent = false;
  bool present = false;

  bool holds(const std::optional<std::string>& value) const {
    if (!value) return absent;
    return present || std::ranges::find(any, *value) != any.end();
  }
};

using PlainPattern = std::vector<PlainCondition>;

struct PlainRule {
  std::vector<PlainPattern> match;
  std::vector<PlainPattern> unless;
};

constexpr std::array<std::string_view, 5> kJobMembers = {
    "TrainingJobName", "TrainingJobStatus", "SecondaryStatus", "FailureReason", "RoleArn"};
constexpr std::array<std::string_view, 2> kElementMembers = {"InstanceType", "InstanceGroupName"};

struct Job {
  std::string trigger;
  std::vector<std::pair<std::string, std::optional<std::string>>> members;
  std::vector<std::vector<std::pair<std::string, std::optional<std::string>>>> instance_groups;
  std::vector<std::pair<std::string, std::optional<std::string>>> tags;
};

std::optional<std::string> value_of(
    const std::vector<std::pair<std::string, std::optional<std::string>>>& from,
    std::string_view key) {
  for (const auto& [name, value] : from) {
    if (name == key) return value;
  }
  return std::nullopt;
}

// The plain matcher: two values, no flattening. Conditions on instance groups are never satisfied
// by absence (made so below), so that one element must meet them all.
bool holds(const PlainPattern& pattern, const Job& job) {
  bool on_elements = false;
  for (const PlainCondition& c : pattern) {
    if (c.group == "event" && !c.holds(job.trigger)) return false;
    if (c.group == "tags" && !c.holds(value_of(job.tags, c.member))) return false;
    if (c.group == "job" && !c.holds(value_of(job.members, c.member))) return false;
    if (c.group == "element") on_elements = true;
  }
  if (!on_elements) return true;
  return std::ranges::any_of(job.instance_groups, [&pattern](const auto& element) {
    return std::ranges::all_of(pattern, [&element](const PlainCondition& c) {
      return c.group != "element" || c.holds(value_of(element, c.member));
    });
  });
}

bool holds(const std::vector<PlainPattern>& any, const Job& job) {
  return std::ranges::any_of(any, [&job](const PlainPattern& p) { return holds(p, job); });
}

bool holds(const PlainRule& rule, const Job& job) {
  return holds(rule.match, job) && !holds(rule.unless, job);
}

PlainCondition make_condition(Random& random, std::string group, std::string member) {
  PlainCondition out{std::move(group), std::move(member), {}, false, false};
  if (out.group != "element" && random.chance(30)) out.absent = true;
  if (random.chance(15)) out.present = true;
  const auto& values = out.group == "event" ? kTriggers : kValues;
  while (out.any.empty() && !out.absent && !out.present) {
    for (std::string_view v : values) {
      if (random.chance(45)) out.any.emplace_back(v);
    }
  }
  return out;
}

PlainPattern make_pattern(Random& random) {
  PlainPattern out;
  while (out.empty()) {
    if (random.chance(20)) out.push_back(make_condition(random, "event", "trigger"));
    for (std::string_view m : kJobMembers) {
      if (random.chance(20)) out.push_back(make_condition(random, "job", std::string(m)));
    }
    for (std::string_view m : kElementMembers) {
      if (random.chance(15)) out.push_back(make_condition(random, "element", std::string(m)));
    }
    for (std::string_view k : kTagKeys) {
      if (random.chance(25)) out.push_back(make_condition(random, "tags", std::string(k)));
    }
  }
  return out;
}

std::string text_of(const PlainCondition& c) {
  std::string out = "\"" + c.member + "\": [";
  for (const std::string& v : c.any) out += "\"" + v + "\",";
  if (c.absent) out += R"({"exists": false},)";
  if (c.present) out += R"({"exists": true},)";
  return out + "],";
}

std::string text_of(const PlainPattern& pattern) {
  std::string event;
  std::string job;
  std::string elements;
  std::string tags;
  for (const PlainCondition& c : pattern) {
    (c.group == "event"  ? event
     : c.group == "job"  ? job
     : c.group == "tags" ? tags
                         : elements) += text_of(c);
  }
  if (!elements.empty()) job += R"("ResourceConfig": {"InstanceGroups": {)" + elements + "}},";
  std::string out = "{";
  if (!event.empty()) out += R"("event": {)" + event + "},";
  if (!job.empty()) out += R"("job": {)" + job + "},";
  if (!tags.empty()) out += R"("tags": {)" + tags + "},";
  return out + "}";
}

std::string text_of(const std::vector<PlainPattern>& patterns) {
  if (patterns.size() == 1) return text_of(patterns[0]);
  std::string out = "[";
  for (const PlainPattern& p : patterns) out += text_of(p) + ",";
  return out + "]";
}

struct Made {
  PlainRule plain;
  std::string text;
};

Made make_rule(Random& random) {
  Made out;
  do {
    out.plain.match.push_back(make_pattern(random));
  } while (random.chance(40));
  while (random.chance(40)) out.plain.unless.push_back(make_pattern(random));
  std::string members = "\"match\": " + text_of(out.plain.match);
  if (!out.plain.unless.empty()) members += ", \"unless\": " + text_of(out.plain.unless);
  out.text = test::stop_rule(members);
  return out;
}

std::optional<std::string> maybe(Random& random) {
  if (random.chance(35)) return std::nullopt;
  return std::string(random.pick(kValues));
}

Job make_job(Random& random) {
  Job out;
  out.trigger = random.pick(kTriggers);
  for (std::string_view m : kJobMembers) out.members.emplace_back(m, maybe(random));
  // AWS always tells these three.
  for (std::size_t i = 0; i < 3; ++i) out.members[i].second = std::string(random.pick(kValues));
  for (int n = random.below(4); n > 0; --n) {
    auto& element = out.instance_groups.emplace_back();
    for (std::string_view m : kElementMembers) element.emplace_back(m, maybe(random));
  }
  for (std::string_view k : kTagKeys) out.tags.emplace_back(k, maybe(random));
  return out;
}

std::string text_of(
    const std::vector<std::pair<std::string, std::optional<std::string>>>& members) {
  std::string out;
  for (const auto& [name, value] : members) {
    if (value) out += "\"" + name + "\": \"" + *value + "\",";
  }
  return out;
}

json::Document describe_of(const Job& job) {
  std::string groups;
  for (const auto& element : job.instance_groups) groups += "{" + text_of(element) + "},";
  return doc("{" + text_of(job.members) + R"("ResourceConfig": {"InstanceGroups": [)" + groups +
             "]}}");
}

JobEvent event_of(const Job& job, bool tells_status) {
  JobEvent out;
  out.trigger = job.trigger == "state"   ? Trigger::kState
                : job.trigger == "alarm" ? Trigger::kAlarm
                                         : Trigger::kSweep;
  out.job_name = *job.members[0].second;
  if (tells_status) {
    out.training_job_status = job.members[1].second;
    out.secondary_status = job.members[2].second;
  }
  return out;
}

void reveal(Sources& sources, Source source, const Job& job, bool available) {
  if (!available) {
    sources.set_unavailable(source, {ErrorCode::kAccessDenied, "not allowed"});
  } else if (source == Source::kDescribe) {
    sources.set(source, describe_of(job));
  } else {
    sources.set(source, doc("{" + text_of(job.tags) + "}"));
  }
}

RuleVerdict evaluate(const Policy& policy, const Sources& sources) {
  return evaluate_rule(policy, 0, facts_from(sources, kNow), Mode::kEnforce);
}

bool decided(Truth truth) { return truth == Truth::kTrue || truth == Truth::kFalse; }

TEST(AlgebraF6, AllKnownAgreesWithTwoValues) {
  Random random(1);
  int held = 0;
  for (int i = 0; i < kRounds; ++i) {
    const Made rule = make_rule(random);
    const Policy policy = test::policy(rule.text);
    const Job job = make_job(random);
    Sources sources(event_of(job, random.chance(70)));
    reveal(sources, Source::kDescribe, job, true);
    reveal(sources, Source::kTags, job, true);
    const RuleVerdict out = evaluate(policy, sources);
    const bool expected = holds(rule.plain, job);
    held += expected ? 1 : 0;
    ASSERT_EQ(name(out.verdict), name(expected ? Truth::kTrue : Truth::kFalse)) << rule.text;
    ASSERT_TRUE(out.needs.empty());
  }
  EXPECT_GT(held, kRounds / 10);  // the cases are not all of one kind
  EXPECT_LT(held, kRounds * 9 / 10);
}

TEST(AlgebraF6, RevealingMoreNeverChangesADecidedVerdict) {
  Random random(2);
  int early = 0;
  for (int i = 0; i < kRounds; ++i) {
    const Made rule = make_rule(random);
    const Policy policy = test::policy(rule.text);
    const Job job = make_job(random);
    Sources sources(event_of(job, random.chance(70)));
    std::array order = {Source::kDescribe, Source::kTags};
    if (random.chance(50)) std::swap(order[0], order[1]);
    Truth before = evaluate(policy, sources).verdict;
    bool all_available = true;
    if (decided(before)) ++early;
    for (Source source : order) {
      const bool available = random.chance(70);
      all_available = all_available && available;
      reveal(sources, source, job, available);
      const Truth after = evaluate(policy, sources).verdict;
      if (decided(before)) {
        ASSERT_EQ(name(after), name(before)) << rule.text;
      }
      before = after;
    }
    ASSERT_NE(before, Truth::kUnknown) << rule.text;
    if (all_available || decided(before)) {
      ASSERT_EQ(before == Truth::kTrue, holds(rule.plain, job)) << rule.text;
    }
  }
  EXPECT_GT(early, kRounds / 10);
}

TEST(AlgebraF6, AskingForNeedsEndsAndNothingIsAskedTwice) {
  Random random(3);
  for (int i = 0; i < kRounds; ++i) {
    const Made rule = make_rule(random);
    const Policy policy = test::policy(rule.text);
    const Job job = make_job(random);
    Sources sources(event_of(job, random.chance(70)));
    SourceSet asked;
    for (int round = 0;; ++round) {
      const RuleVerdict out = evaluate(policy, sources);
      ASSERT_EQ(out.needs.empty(), out.verdict != Truth::kUnknown) << rule.text;
      if (out.needs.empty()) break;
      ASSERT_LT(round, 2) << rule.text;
      for (Source source : out.needs) {
        ASSERT_FALSE(asked.contains(source)) << rule.text;
        asked.add(source);
        reveal(sources, source, job, random.chance(80));
      }
    }
  }
}

// What a rule that holds rests on is enough to see it hold: everything else forgotten, it still
// does.
TEST(AlgebraF6, RestsOnIsEnough) {
  Random random(4);
  int held = 0;
  for (int i = 0; i < kRounds; ++i) {
    const Made rule = make_rule(random);
    const Policy policy = test::policy(rule.text);
    const Job job = make_job(random);
    Sources sources(event_of(job, true));
    reveal(sources, Source::kDescribe, job, true);
    reveal(sources, Source::kTags, job, true);
    const RuleVerdict out = evaluate(policy, sources);
    if (out.verdict != Truth::kTrue) continue;
    ++held;
    for (Source source : {Source::kDescribe, Source::kTags}) {
      if (!out.decision->rests_on.contains(source)) sources.forget(source);
    }
    ASSERT_EQ(name(evaluate(policy, sources).verdict), "true") << rule.text;
  }
  EXPECT_GT(held, kRounds / 10);
}

}  // namespace
}  // namespace trainwarden::rules::algebra_property_test
