// The schema is what the command prints, and its facts, members of DescribeTrainingJob's answer and
// operators are those of the loader and of policy.md.
#include "handlers/cli/schema/policy_schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/job/describe_members.h"
#include "handlers/rules/patterns/operators.h"
#include "handlers/rules/policy/action.h"
#include "handlers/rules/policy/member_form.h"
#include "handlers/rules/policy/price_table.h"
#include "tests/handlers/cli/schema/one_schema.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::cli::policy_schema_test {
namespace {

using namespace one_schema;
using rules::MemberForm;
using rules::test::read_file;

constexpr const char* kSchemaFile = "handlers/policy.schema.json";

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
  add("price", names(rules::price_members(), &MemberForm::name));
  add("prices", {std::string(rules::kSpotFactor)});
  add("restart", names(rules::restart_members(), &MemberForm::name));
  add("notify", names(rules::notify_members(), &MemberForm::name));
  add("stop", names(rules::stop_members(), &MemberForm::name));
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
    if (group == "job" || group == "tags" || group == "until") continue;
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
  for (const auto& row : table("| `label` | what it stands for |"))
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

  const std::string elements = guide("\n#### Elements", "\n#### ");
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

}  // namespace
}  // namespace trainwarden::cli::policy_schema_test
