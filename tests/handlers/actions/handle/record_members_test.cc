// The members of a record and the table of policy.md R1 are the same, and the codes stand there.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "handlers/actions/context/record.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::actions::record_members_test {
namespace {

using Kind = rules::ActionResult::Kind;
using rules::Source;
using rules::Why;
using Paths = std::set<std::string, std::less<>>;

constexpr const char* kManual = "handlers/policy.md";

std::string section_r1() {
  const std::string manual = rules::test::read_file(kManual);
  const std::size_t begin = manual.find("### R1 Because");
  return manual.substr(begin, manual.find("### R2 ", begin) - begin);
}

// What stands in backticks in the first cells of the rows of the section's first table.
Paths documented() {
  const std::string section = section_r1();
  Paths out;
  std::size_t at = section.find("\n| `");
  while (at != std::string::npos && section.compare(at, 3, "\n| ") == 0) {
    const std::size_t end = section.find(" | ", at + 3);
    const std::string cell = section.substr(at + 3, end - at - 3);
    for (std::size_t from = cell.find('`'); from != std::string::npos;
         from = cell.find('`', from)) {
      const std::size_t to = cell.find('`', from + 1);
      out.insert(cell.substr(from + 1, to - from - 1));
      from = to + 1;
    }
    at = section.find('\n', end);
  }
  return out;
}

// The members that a record's value has, by their paths, but for the objects around others.
void collect(json::Value value, const std::string& path, Paths& out) {
  const bool is_list_of_objects =
      value.is_array() && value.size() > 0 && (*value.elements().begin()).is_object();
  // The members of an action, and the names of lists.
  const bool is_known =
      path == "restart" || path.ends_with(".outcome") || path.ends_with("left_out");
  if (is_list_of_objects) {
    for (const json::Value element : value.elements()) collect(element, path + "[]", out);
  } else if (value.is_object() && !is_known) {
    if (path == "event") out.insert(path);
    for (const json::Member member : value.members())
      collect(member.value, (path.empty() ? "" : path + ".") + std::string(member.name), out);
  } else {
    out.insert(path);
  }
}

// An outcome that has each member, and of its alarms too many to be shown.
ActionOutcome full_outcome() {
  ActionOutcome out{rules::ActionKind::kStop,
                    {.kind = Kind::kTunerStopped,
                     .reason = rules::Reason{.why = Why::kGone},
                     .tuner = rules::StoppedTuner{.name = "tuner", .running = 3}},
                    Error{ErrorCode::kRejected, "no"},
                    "a note",
                    2.5};
  out.alarms = {.created = {"a"}, .deleted = {"a"}, .reset = {"a"}, .left = {"a"}};
  return out;
}

Record full_record() {
  Record record;
  record.job = "job-1";
  record.state = "InProgress/Training";
  record.event = EventClaim{.id = "e",
                            .time = sys_seconds(),
                            .status = "Failed/Failed",
                            .created = sys_seconds(),
                            .alarm = "trainwarden/job-1/idle",
                            .state = "ALARM"};
  record.generation = 1;
  record.measurement = std::make_shared<rules::Measurement>(rules::Reason{.why = Why::kWarmUp});
  record.error = Error{ErrorCode::kRejected, "no"};
  record.decisions.emplace_back();
  record.decisions[0].decision.message = "a message";
  record.decisions[0].decision.because = {
      {.group = rules::Group::kTags, .member = "team", .value = "a", .asked = "b"},
      {.group = rules::Group::kTags, .member = "team", .value = "", .absent = true}};
  record.decisions[0].actions = {full_outcome()};
  const std::string escaped(2000, '\x01');
  for (int i = 0; i < 50; ++i)
    record.decisions[0].decision.because.push_back(
        {.group = rules::Group::kTags, .member = escaped, .value = escaped});
  record.restart = full_outcome();
  record.pending_notices = {{"r", full_outcome()}};
  record.open_intents = {{.rule = "r", .until = sys_seconds(), .why = {.why = Why::kNotEnded}}};
  record.dropped = {{"r", rules::ActionKind::kStop, {.why = Why::kBeatenByStop}}};
  record.skipped = {{"r", 0, {Source::kTags}}};
  record.unknown_members.assign(32, escaped);
  record.exempted.assign(2000, "a rule");
  record.exempted_because = {
      {.group = rules::Group::kTags, .member = "team", .value = "a", .asked = "b"},
      {.group = rules::Group::kTags, .member = "team", .value = "", .absent = true}};
  record.left_over.deleted.assign(500, escaped);
  record.left_over.error = Error{ErrorCode::kRejected, "no"};
  for (int i = 0; i < 2000; ++i)
    record.calls.push_back({.service = "sagemaker",
                            .operation = "StopTrainingJob",
                            .outcome = "ok",
                            .target = "job-1",
                            .at = sys_millis(std::chrono::milliseconds(1))});
  record.policy_hash = "0";
  return record;
}

TEST(RecordMembers, R1_EachMemberIsDocumentedAndNoOther) {
  Paths found;
  collect(full_record().to_json().root(), "", found);
  const Paths listed = documented();
  for (const std::string& path : found)
    EXPECT_TRUE(listed.contains(path)) << path << " is not in the table of R1";
  for (const std::string& path : listed)
    EXPECT_TRUE(found.contains(path)) << path << " is in the table of R1 and not in a record";
}

TEST(RecordMembers, R1_EachConclusionHasACodeThatIsDocumented) {
  const std::string section = section_r1();
  const std::size_t list = section.find("`conclusion_code` is ");
  ASSERT_NE(list, std::string::npos);
  const std::string codes = section.substr(list, section.find("\n\n", list) - list);
  std::set<std::string_view> seen;
  for (int i = 0; i <= static_cast<int>(kLastConclusion); ++i) {
    const std::string_view one = code(static_cast<Conclusion>(i));
    EXPECT_FALSE(one.empty()) << i;
    EXPECT_EQ(one.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), one.npos) << one;
    EXPECT_TRUE(seen.insert(one).second) << one;
    EXPECT_NE(codes.find("`" + std::string(one) + "`"), codes.npos) << one;
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(std::ranges::count(codes, '`')) / 2 - 1);
  Record record;
  record.conclusion = Conclusion::kOrphanedAlarms;
  EXPECT_EQ(record.to_json().root().find("conclusion_code")->as_string(), "orphaned-alarms");
}

}  // namespace
}  // namespace trainwarden::actions::record_members_test
