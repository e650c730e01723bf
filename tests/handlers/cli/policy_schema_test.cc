// What a policy may say stands in four places: the loader's tables, describe_members, the schema
// and policy.md. Here they are held together: what one of them has, all have.
#include "handlers/cli/policy_schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/cli/indented.h"
#include "handlers/rules/facts/groups.h"
#include "handlers/rules/job/describe_members.h"
#include "handlers/rules/patterns/operators.h"
#include "handlers/rules/policy/action.h"
#include "handlers/rules/policy/member_form.h"
#include "handlers/rules/policy/policy.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::cli {
namespace {

using Names = std::set<std::string>;
using Kind = rules::MemberForm::Kind;
using rules::MemberForm;
using rules::test::read_file;

constexpr const char* kSchemaFile = "handlers/policy.schema.json";
constexpr const char* kPolicyGuide = "handlers/policy.md";

template <class Rows, class Name>
Names names(const Rows& rows, Name name) {
  Names out;
  for (const auto& row : rows) out.emplace(std::invoke(name, row));
  return out;
}

Names members_of(json::Value object) {
  Names out;
  for (json::Member member : object.members()) out.emplace(member.name);
  return out;
}

json::Value at(json::Value value, std::initializer_list<std::string_view> path) {
  for (const std::string_view name : path) {
    const auto next = value.find(name);
    if (!next) throw std::runtime_error(fmt::format("no {} in {}", name, value.excerpt()));
    value = *next;
  }
  return value;
}

// What the expression's first group finds.
Names all(const std::string& text, const char* expression) {
  const std::regex regex(expression);
  Names out;
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i)
    out.insert((*i)[1].str());
  return out;
}

// The part of policy.md from one text to the next place of another.
std::string guide(std::string_view from, std::string_view to) {
  static const std::string text = read_file(kPolicyGuide);
  const std::size_t begin = text.find(from);
  const std::size_t end = text.find(to, begin + from.size());
  if (begin == text.npos || end == text.npos)
    throw std::runtime_error(fmt::format("{} has no `{}` before `{}`", kPolicyGuide, from, to));
  return text.substr(begin, end - begin);
}

// The rows of the table under that head, each its cells.
std::vector<std::vector<std::string>> table(std::string_view head) {
  std::vector<std::vector<std::string>> out;
  const std::string text = guide(head, "\n\n");
  std::size_t line = 0;
  for (std::size_t start = 0; start < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string row = text.substr(start, end - start);
    start = end + 1;
    if (line < 2) continue;  // the head and the rule below it
    std::vector<std::string>& cells = out.emplace_back();
    for (std::size_t cell = row.find('|') + 1; cell < row.size();) {
      const std::size_t next = std::min(row.find('|', cell), row.size());
      cells.push_back(row.substr(cell, next - cell));
      cell = next + 1;
    }
  }
  return out;
}

bool loads(const std::string& policy) { return rules::parse_policy(policy).has_value(); }

bool loads_pattern(const std::string& pattern) {
  return loads(R"({"version": 1, "rules": [{"name": "r", "actions": ["stop"], "match": )" +
               pattern + "}]}");
}

bool loads_fact(std::string_view group, std::string_view path) {
  return loads_pattern(fmt::format(R"({{"{}": {{"{}": [{{"exists": true}}]}}}})", group, path));
}

TEST(OneSchema, TheFileIsWhatTheCommandPrints) {
  EXPECT_TRUE(policy_schema_text() == read_file(kSchemaFile))
      << "run: trainwarden schema >" << kSchemaFile;
}

TEST(OneSchema, EveryPartHasADescriptionAndNoneDescribesNothing) {
  Names parts = {"policy.", "watch.", "pattern.$or", "pattern.alternatives", "pattern.values"};
  const auto add = [&parts](std::string_view of, const Names& more) {
    for (const std::string& name : more) parts.insert(fmt::format("{}.{}", of, name));
  };
  add("policy", names(rules::policy_members(), &MemberForm::name));
  add("limits", names(rules::limit_members(), &MemberForm::name));
  add("notices", names(rules::notice_members(), &MemberForm::name));
  add("rule", names(rules::rule_members(), &MemberForm::name));
  add("watch", names(rules::watch_members(), &MemberForm::name));
  add("failure", names(rules::failure_members(), &MemberForm::name));
  add("restart", names(rules::restart_members(), &MemberForm::name));
  add("notify", names(rules::notify_members(), &MemberForm::name));
  add("group", names(rules::group_names(), std::identity()));
  add("operator", names(rules::operators(), &rules::Operator::name));
  for (const rules::ActionForm& action : rules::action_forms())
    if (action.options != rules::Options::kNone) add("action", {std::string(action.name)});
  EXPECT_EQ(names(schema_descriptions(), &Description::of), parts);
  const std::string text = policy_schema_text();
  for (const Description& one : schema_descriptions()) {
    const auto quoted = json::Document::build([&](json::Sink& out) { out.string(one.text); });
    EXPECT_NE(text.find(json::to_text(quoted.root())), text.npos) << one.of;
  }
}

// Facts

TEST(OneSchema, FactsOfTheLoaderAreThoseOfTheSchema) {
  const json::Document schema = policy_schema();
  const json::Value groups = at(schema.root(), {"$defs", "pattern", "properties"});
  Names expected = names(rules::group_names(), std::identity());
  expected.insert("$or");
  EXPECT_EQ(members_of(groups), expected);
  for (const std::string_view group : rules::group_names()) {
    if (group == "job" || group == "tags") continue;
    Names facts = {"$or"};
    for (const rules::Fact& fact : rules::facts())
      if (name(fact.group) == group) facts.emplace(fact.name);
    EXPECT_GT(facts.size(), 1U) << group;
    EXPECT_EQ(members_of(at(groups, {group, "properties"})), facts) << group;
    for (const std::string& fact : facts)
      EXPECT_EQ(loads_fact(group, fact), fact != "$or") << group << '.' << fact;
    EXPECT_FALSE(loads_fact(group, "no_such_fact")) << group;
  }
  EXPECT_FALSE(loads_fact("no_such_group", "spot"));
}

TEST(OneSchema, FactsOfTheLoaderAreThoseOfPolicyMd) {
  const auto rows = table("| group | members | fetched by |");
  Names groups;
  for (const auto& row : rows) {
    ASSERT_GE(row.size(), 3U);
    const Names first = all(row[0], "`([^`]+)`");
    ASSERT_EQ(first.size(), 1U) << row[0];
    const std::string& group = *first.begin();
    groups.insert(group);
    Names facts;
    Names values;
    for (const rules::Fact& fact : rules::facts()) {
      if (name(fact.group) != group) continue;
      facts.emplace(fact.name);
      for (const std::string_view value : rules::known_values(fact.group, fact.name))
        values.emplace(value);
    }
    const Names listed = all(row[1], "`([^`]+)`");
    EXPECT_TRUE(std::ranges::includes(listed, facts))
        << group << " lists "
        << fmt::format("{} of {}", fmt::join(listed, ", "), fmt::join(facts, ", "));
    for (const std::string& name : listed)
      EXPECT_TRUE(facts.contains(name) || values.contains(name)) << group << " has no " << name;
  }
  EXPECT_EQ(groups, names(rules::group_names(), std::identity()));
}

TEST(OneSchema, SourcesOfTheLoaderAreThoseOfPolicyMd) {
  for (const auto& row : table("| group | members | fetched by |")) {
    const Names group = all(row[0], "`([^`]+)`");
    rules::SourceSet sources;
    for (std::size_t i = 0; i < rules::kGroupCount; ++i) {
      const auto one = static_cast<rules::Group>(i);
      if (name(one) != *group.begin()) continue;
      for (const rules::Source source : sources_of(one)) sources.add(source);
    }
    const auto mentions = [&row](std::string_view what) {
      return row[2].find(what) != row[2].npos;
    };
    EXPECT_EQ(mentions("DescribeTrainingJob"), sources.contains(rules::Source::kDescribe))
        << row[0];
    EXPECT_EQ(mentions("ListTags"), sources.contains(rules::Source::kTags)) << row[0];
    EXPECT_EQ(mentions("Search"), sources.contains(rules::Source::kFleet)) << row[0];
    EXPECT_EQ(mentions("nothing"), sources.contains(rules::Source::kEvent)) << row[0];
  }
}

TEST(OneSchema, LabelsOfFailuresAreThoseOfPolicyMd) {
  Names listed;
  for (const auto& row : table("  | `label` | what it stands for |"))
    listed.merge(all(row.at(0), "`([^`]+)`"));
  EXPECT_EQ(listed, names(rules::known_values(rules::Group::kDiagnosis, "label"), std::identity()));
}

// Members of DescribeTrainingJob's answer

void leaves(json::Value schema, const std::string& path, Names& out) {
  const auto properties = schema.find("properties");
  const auto any = schema.find("additionalProperties");
  if (properties) {
    for (json::Member member : properties->members())
      leaves(member.value, path + (path.empty() ? "" : ".") + std::string(member.name), out);
  } else if (any) {
    leaves(*any, path + ".*", out);
  } else {
    out.insert(path);
  }
}

TEST(OneSchema, DescribeMembersOfTheLoaderAreThoseOfTheSchema) {
  const json::Document schema = policy_schema();
  Names listed;
  leaves(at(schema.root(), {"$defs", "pattern", "properties", "job"}), "", listed);
  EXPECT_EQ(listed, names(rules::describe_members(), &rules::Leaf::path));
  for (std::string path : listed) {
    if (path.ends_with('*')) path.back() = 'x';
    EXPECT_TRUE(loads_fact("job", path)) << path;
  }
  EXPECT_FALSE(loads_fact("job", "NoSuchMember"));
}

// Operators

std::string operand(rules::Operand operand) {
  switch (operand) {
    case rules::Operand::kBoolean:
      return "true";
    case rules::Operand::kText:
    case rules::Operand::kWildcard:
    case rules::Operand::kAffix:
    case rules::Operand::kExclusion:
      return R"("x")";
    case rules::Operand::kNetwork:
      return R"("10.0.0.0/8")";
    case rules::Operand::kBounds:
      return R"([">=", 0, "<", 8])";
  }
  return {};
}

bool loads_test(const std::string& test) {
  return loads_pattern(R"({"tags": {"a": [)" + test + "]}}");
}

TEST(OneSchema, OperatorsOfTheLoaderAreThoseOfTheSchemaAndPolicyMd) {
  const Names known = names(rules::operators(), &rules::Operator::name);
  const json::Document schema = policy_schema();
  Names listed;
  for (json::Value one : at(schema.root(), {"$defs", "values", "items", "oneOf"}).elements())
    if (one.find("properties")) listed.merge(members_of(*one.find("properties")));
  EXPECT_EQ(listed, known);

  const std::string elements = guide("  - Elements:", "\n  - ");
  EXPECT_EQ(all(elements, R"re(`\{"([^"]+)": [^`]+\}`)re"), known);
  const std::string excluded = elements.substr(elements.find("anything-but"));
  Names excludable;
  for (const rules::Operator& op : rules::operators())
    if (op.excludable) excludable.emplace(op.name);
  EXPECT_EQ(all(excluded, "`([a-z-]+)`"), excludable);

  for (const rules::Operator& op : rules::operators()) {
    const std::string test = fmt::format(R"({{"{}": {}}})", op.name, operand(op.operand));
    EXPECT_TRUE(loads_test(test)) << test;
    EXPECT_FALSE(loads_test(fmt::format(R"({{"{}": null}})", op.name)));
    EXPECT_EQ(loads_test(fmt::format(R"({{"anything-but": {}}})", test)), op.excludable) << test;
  }
  EXPECT_FALSE(loads_test(R"({"no-such-operator": "x"})"));
  for (const rules::Bound& bound : rules::bounds())
    EXPECT_TRUE(loads_test(fmt::format(R"({{"numeric": ["{}", 1]}})", bound.sign))) << bound.sign;
}

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
    if (member.kind == Kind::kThreshold)
      for (const MemberForm& other : members)
        if (other.kind == Kind::kThreshold) object.erase(std::string(other.name));
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
      {"restart", rules::restart_members(), {}, actions + R"([{"restart": )", "}]}]}"},
      {"notify", rules::notify_members(), {{"topic", topic}}, actions + R"([{"notify": )", "}]}]}"},
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
  }
  return out;
}

// Values that it refuses. No member takes a list in a list.
std::vector<std::string> refused(const MemberForm& member) {
  std::vector<std::string> out = {"[[]]"};
  if (member.kind == Kind::kFailures) out.emplace_back("[]");
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
  const std::string text = guide("\n## Watches", "\n- **W1");
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

TEST(Indented, BreaksWhatDoesNotFitIntoALine) {
  const std::string text(90, 'x');
  const auto value = rules::test::doc(R"({"a": [1, {"b": []}], ")" + text + R"(": ["y\"", {}]})");
  EXPECT_EQ(indented(value.root()), "{\n  \"a\": [1, {\"b\": []}],\n  \"" + text +
                                        "\": [\n    \"y\\\"\",\n    {}\n  ]\n}\n");
  EXPECT_EQ(indented(rules::test::doc("[]").root()), "[]\n");
}

}  // namespace
}  // namespace trainwarden::cli
