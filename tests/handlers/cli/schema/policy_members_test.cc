// The actions of the schema and the members of its objects are those of the loader and of
// policy.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/cli/schema/policy_schema.h"
#include "handlers/rules/policy/action.h"
#include "handlers/rules/policy/member_form.h"
#include "handlers/rules/policy/policy.h"
#include "tests/handlers/cli/schema/one_schema.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::cli::policy_members_test {
namespace {

using namespace one_schema;
using Kind = rules::MemberForm::Kind;
using rules::MemberForm;

// Actions

constexpr std::string_view kBeforeActions =
    R"({"version": 1, "watches": {"w": {"metric": "CPUUtilization", "statistic": "Sum",
        "period_seconds": 60, "periods": 1, "below": 1}},
        "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": )";

std::string with_actions(const std::string& actions) {
  return std::string(kBeforeActions) + actions + "}]}";
}

std::string options(rules::Options options) {
  switch (options) {
    case rules::Options::kNone:
    case rules::Options::kRestart:
      return "{}";
    case rules::Options::kNotify:
      return R"({"topic": "arn:aws:sns:eu-central-1:111122223333:ml"})";
    case rules::Options::kWatches:
      return R"(["w"])";
    case rules::Options::kTags:
      return R"({"a": "b"})";
    case rules::Options::kStop:
      return R"({"tuning_job": true})";
  }
  return {};
}

TEST(OneSchema, ActionsOfTheLoaderAreThoseOfTheSchemaAndPolicyMd) {
  const json::Document schema = policy_schema();
  Names alone;
  Names with_options;
  for (json::Value one : at(schema.root(), {"$defs", "action", "oneOf"}).elements()) {
    if (const auto listed = one.find("enum"))
      for (json::Value action : listed->elements()) alone.emplace(action.as_string());
    if (const auto properties = one.find("properties")) with_options.merge(members_of(*properties));
  }
  for (const rules::ActionForm& action : rules::action_forms()) {
    const std::string name(action.name);
    EXPECT_TRUE(alone.contains(name) || with_options.contains(name)) << name;
    EXPECT_EQ(loads(with_actions(fmt::format(R"(["{}"])", name))), alone.erase(name) == 1) << name;
    EXPECT_EQ(loads(with_actions(fmt::format(R"([{{"{}": {}}}])", name, options(action.options)))),
              with_options.erase(name) == 1)
        << name;
  }
  EXPECT_EQ(alone, Names()) << "only the schema has them";
  EXPECT_EQ(with_options, Names()) << "only the schema has them";

  Names known = names(rules::action_forms(), &rules::ActionForm::name);
  known.merge(names(rules::restart_members(), &MemberForm::name));
  known.merge(names(rules::notify_members(), &MemberForm::name));
  known.merge(names(rules::stop_members(), &MemberForm::name));
  EXPECT_EQ(all(guide("\n## Actions", "\n## "), R"re("([a-z_]+)")re"), known);
}

// Members of objects

// A table of members, and the policy of which one such object is a part.
struct Table {
  std::string_view name;
  std::span<const MemberForm> members;
  std::map<std::string, std::string> least;  // what each object has
  std::string before;
  std::string after;

  std::string policy(const std::map<std::string, std::string>& object) const {
    std::string out = before + '{';
    for (const auto& [member, value] : object)
      out += fmt::format(R"({}"{}": {})", out.ends_with('{') ? "" : ", ", member, value);
    return out + '}' + after;
  }
  std::string with(const MemberForm& member, const std::string& value) const {
    auto object = least;
    const auto is_limit = [](Kind kind) { return kind == Kind::kThreshold || kind == Kind::kDrop; };
    if (is_limit(member.kind))
      for (const MemberForm& other : members)
        if (is_limit(other.kind)) object.erase(std::string(other.name));
    if (member.kind == Kind::kDrop) {  // W6
      object["source"] = R"("algorithm")";
      object["period_seconds"] = "300";
    }
    object[std::string(member.name)] = value;
    return policy(object);
  }
};

std::vector<Table> tables() {
  const std::string rule = R"({"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]})";
  const std::string start = R"({"version": 1, "rules": [)" + rule + "], ";
  const std::string actions(kBeforeActions);
  const std::string topic = R"("arn:aws:sns:eu-central-1:111122223333:ml")";
  return {
      {"policy", rules::policy_members(), {{"version", "1"}, {"rules", "[" + rule + "]"}}, "", ""},
      {"limits", rules::limit_members(), {}, start + R"("limits": )", "}"},
      {"notices", rules::notice_members(), {}, start + R"("notify": )", "}"},
      {"rule",
       rules::rule_members(),
       {{"name", R"("r")"}, {"match", R"({"tags": {"a": ["b"]}})"}, {"actions", R"(["stop"])"}},
       R"({"version": 1, "rules": [)",
       "]}"},
      {"watch",
       rules::watch_members(),
       {{"metric", R"("CPUUtilization")"},
        {"statistic", R"("Sum")"},
        {"period_seconds", "60"},
        {"periods", "1"},
        {"below", "1"}},
       start + R"("watches": {"w": )",
       "}}"},
      {"failure",
       rules::failure_members(),
       {{"text", R"("lost the lease")"}, {"label", R"("capacity")"}, {"resume", R"("once")"}},
       start + R"("failures": [)",
       "]}"},
      {"price",
       rules::price_members(),
       {{"usd", "1"}},
       start + R"("prices": {"ml.m5.large": )",
       "}}"},
      {"restart", rules::restart_members(), {}, actions + R"([{"restart": )", "}]}]}"},
      {"notify", rules::notify_members(), {{"topic", topic}}, actions + R"([{"notify": )", "}]}]}"},
      {"stop",
       rules::stop_members(),
       {{"tuning_job", "false"}},
       actions + R"([{"stop": )",
       "}]}]}"},
  };
}

// The least and, where there is one, the most that the member may be.
std::vector<std::int64_t> ends(const MemberForm& member) {
  // CloudWatch looks back a day at periods of a minute, so that so many never fit.
  const bool unbounded = member.most == MemberForm::kUnbounded || member.name == "periods";
  return unbounded ? std::vector{member.least} : std::vector{member.least, member.most};
}

// Values of the member that the loader takes.
std::vector<std::string> taken(const MemberForm& member) {
  std::vector<std::string> out;
  switch (member.kind) {
    case Kind::kText:
      for (const std::int64_t length : ends(member))
        out.push_back('"' + std::string(static_cast<std::size_t>(length), 'x') + '"');
      return out;
    case Kind::kBoolean:
      return {"true", "false"};
    case Kind::kInteger:
      for (const std::int64_t number : ends(member)) out.push_back(fmt::format("{}", number));
      return out;
    case Kind::kChoice:
    case Kind::kStatistic:
      for (const std::string_view choice : member.choices)
        out.push_back('"' + std::string(choice) + '"');
      return out;
    case Kind::kThreshold:
      return {"-1", "2.5"};
    case Kind::kDrop:
      return {"0.01", "0.99"};
    case Kind::kAmount:
      return {"0", "2.5"};
    case Kind::kShare:
      return {"0.01", "1"};
    case Kind::kVersion:
      return {fmt::format("{}", rules::kPolicyVersion)};
    case Kind::kTime:
      return {R"("2026-11-01T00:00:00Z")"};
    case Kind::kTopic:
      return {R"("arn:aws:sns:eu-central-1:111122223333:ml")"};
    case Kind::kPatterns:
      return {R"({"tags": {"a": ["b"]}})", R"([{"tags": {"a": ["b"]}}])"};
    case Kind::kInstanceTypes:
      return {R"(["ml.g5.xlarge"])"};
    case Kind::kRules:
      return {R"([{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}])"};
    case Kind::kActions:
      return {R"(["stop"])"};
    case Kind::kLimits:
    case Kind::kWatches:
    case Kind::kPrices:
    case Kind::kNotices:
      return {"{}"};
    case Kind::kFailures:
      return {R"([{"text": "lost the lease", "label": "capacity", "resume": "yes"}])"};
    case Kind::kHyperParameters:
      return {R"({"batch-size": "8"})", R"({"batch-size": null})"};
    case Kind::kEnvironment:
      return {R"({"LEVEL": "a\nb"})", R"({"LEVEL": null})"};
  }
  return out;
}

// Values that it refuses. No member takes a list in a list.
std::vector<std::string> refused(const MemberForm& member) {
  std::vector<std::string> out = {"[[]]"};
  if (member.kind == Kind::kFailures) out.emplace_back("[]");
  const bool keys = member.kind == Kind::kHyperParameters || member.kind == Kind::kEnvironment;
  if (keys) out.insert(out.end(), {"{}", R"({"": "x"})", R"({"a": 1})"});
  if (member.kind == Kind::kEnvironment) out.emplace_back(R"({"batch-size": "8"})");
  const bool bounded = member.most != MemberForm::kUnbounded;
  if (member.kind == Kind::kInteger) {
    out.push_back(fmt::format("{}", member.least - 1));
    if (bounded) out.push_back(fmt::format("{}", member.most + 1));
    if (member.multiple_of != 1) out.push_back(fmt::format("{}", member.least + 1));
  }
  if (member.kind == Kind::kText && bounded)
    out.push_back('"' + std::string(static_cast<std::size_t>(member.most + 1), 'x') + '"');
  if (member.kind == Kind::kChoice || member.kind == Kind::kStatistic)
    out.emplace_back(R"("no such choice")");
  if (member.kind == Kind::kAmount) out.emplace_back("-0.01");
  if (member.kind == Kind::kDrop) out.insert(out.end(), {"0", "1", "-0.5"});
  if (member.kind == Kind::kShare) out.insert(out.end(), {"0", "1.01"});
  return out;
}

TEST(OneSchema, TheLoaderReadsMembersByTheirTables) {
  for (const Table& table : tables()) {
    ASSERT_TRUE(loads(table.policy(table.least))) << table.policy(table.least);
    for (const MemberForm& member : table.members) {
      for (const std::string& value : taken(member))
        EXPECT_TRUE(loads(table.with(member, value))) << table.with(member, value);
      for (const std::string& value : refused(member))
        EXPECT_FALSE(loads(table.with(member, value))) << table.with(member, value);
      auto without = table.least;
      without.erase(std::string(member.name));
      const bool needed = member.required || table.least.contains(std::string(member.name));
      EXPECT_EQ(loads(table.policy(without)), !needed) << table.name << '.' << member.name;
    }
    auto more = table.least;
    more["no_such_member"] = "1";
    EXPECT_FALSE(loads(table.policy(more))) << table.name;
  }
}

TEST(OneSchema, MembersOfTheFileAreThoseOfPolicyMd) {
  std::string text = guide("## The file\n\n```jsonc\n", "\n```\n");
  const json::Document example = rules::test::doc(text.substr(text.find('{')));
  const json::Value root = example.root();
  EXPECT_EQ(members_of(root), names(rules::policy_members(), &MemberForm::name));
  EXPECT_EQ(members_of(at(root, {"notify"})), names(rules::notice_members(), &MemberForm::name));
  Names of_rules;
  for (json::Value rule : at(root, {"rules"}).elements()) of_rules.merge(members_of(rule));
  EXPECT_EQ(of_rules, names(rules::rule_members(), &MemberForm::name));
  const json::Value limits = at(root, {"limits"});
  EXPECT_EQ(members_of(limits), names(rules::limit_members(), &MemberForm::name));
  for (const MemberForm& limit : rules::limit_members())  // "these are the defaults"
    EXPECT_EQ(at(limits, {limit.name}).as_integer(), limit.fallback) << limit.name;
  for (const MemberForm& member : rules::policy_members())
    for (const std::string_view choice : member.choices)
      EXPECT_NE(text.find(choice), text.npos) << member.name << ": " << choice;
  for (const MemberForm& member : rules::notice_members())
    EXPECT_NE(text.find(fmt::format("{}", fmt::join(member.choices, " | "))), text.npos)
        << member.name;
}

// "default every", where policy.md has one.
std::string fallback(const MemberForm& member) {
  if (!member.fallback) return {};
  switch (member.kind) {
    case Kind::kBoolean:
      return fmt::format("default {}", *member.fallback != 0);
    case Kind::kChoice:
      return fmt::format("default {}", member.choices[static_cast<std::size_t>(*member.fallback)]);
    default:
      return fmt::format("default {}", *member.fallback);
  }
}

TEST(OneSchema, MembersOfWatchesAreThoseOfPolicyMd) {
  const std::string text = guide("\n## Watches", "\n### W1");
  EXPECT_EQ(all(text, "`([a-z_]+)`"), names(rules::watch_members(), &MemberForm::name));
  for (const MemberForm& member : rules::watch_members()) {
    std::size_t begin = text.find(fmt::format("`{}`", member.name));
    ASSERT_NE(begin, text.npos);
    begin += member.name.size() + 2;
    std::string listed = text.substr(begin, text.find('`', begin) - begin);
    std::ranges::replace(listed, '\n', ' ');
    EXPECT_NE(listed.find(fallback(member)), listed.npos)
        << member.name << ": " << fallback(member);
    if (member.kind != Kind::kText) {
      for (const std::string_view choice : member.choices)
        EXPECT_NE(listed.find(choice), listed.npos) << member.name << ": " << choice;
    }
  }
}

}  // namespace
}  // namespace trainwarden::cli::policy_members_test
