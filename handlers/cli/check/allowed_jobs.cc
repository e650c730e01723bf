#include "handlers/cli/check/allowed_jobs.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/job/describe_members.h"
#include "handlers/rules/job/job_at.h"
#include "handlers/rules/job/training_job.h"

namespace trainwarden::cli {
namespace {

using rules::Condition;
using rules::Conjunction;
using rules::Group;
using rules::Part;
using rules::Scalar;
using rules::Test;

constexpr std::string_view kRunningStatus = "InProgress";

// Whether the fact exists only for a job that has ended.
bool is_of_ended(Group group, std::string_view path) {
  switch (group) {
    case Group::kFailure:
    case Group::kDiagnosis:
    case Group::kWarmPool:
    case Group::kPoolCost:
      return true;
    case Group::kJob: {
      const auto of_end = rules::paths_of_ended_jobs();
      return path.starts_with("WarmPoolStatus.") || std::ranges::find(of_end, path) != of_end.end();
    }
    default:
      return false;
  }
}

bool is_status(Group group, std::string_view path) {
  return group == Group::kJob && rules::is_status(path);
}

// Whether the fact is transient: it goes and comes back, so that it keeps no job safe for good.
bool is_of_the_moment(Group group, std::string_view path) {
  return group == Group::kAlarm || (group == Group::kEvent && path == "trigger");
}

// Whether a running job can meet the condition for good.
bool may_hold(Group group, const Condition& condition) {
  if (is_of_the_moment(group, condition.path)) return false;
  if (is_of_ended(group, condition.path)) return condition.accepts_absence();
  if (!is_status(group, condition.path)) return true;
  if (condition.path == "TrainingJobStatus") return condition.accepts(Scalar::of(kRunningStatus));
  return std::ranges::any_of(
      rules::known_values(group, condition.path), [&condition](std::string_view status) {
        return rules::go_together(kRunningStatus, status) && condition.accepts(Scalar::of(status));
      });
}

bool may_exempt(const Conjunction& unless) {
  return std::ranges::all_of(unless.parts, [](const Part& part) {
    return std::ranges::all_of(part.conditions, [&part](const Condition& condition) {
      return may_hold(part.group, condition);
    });
  });
}

// A text that the wildcard matches: each star is replaced by nothing.
std::string text_of_wildcard(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*') continue;
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    out += pattern[i];
  }
  return out;
}

// Whether the condition names a value that it does not accept: one that an `anything-but` excludes.
bool refuses_named(const Condition& condition) {
  return std::ranges::any_of(condition.tests, [&condition](const Test& test) {
    if (test.kind != Test::Kind::kAnythingBut) return false;
    const auto refused = [&](const std::string& text) {
      const std::string some = test.form == Test::Kind::kWildcard ? text_of_wildcard(text) : text;
      return !condition.accepts(Scalar::of(some));
    };
    return std::ranges::any_of(test.texts, refused) ||
           std::ranges::any_of(test.numbers, [&condition](double number) {
             return !condition.accepts({json::Type::kNumber, false, number, {}});
           });
  });
}

bool asks_for_absence_alone(const Condition& condition) {
  return std::ranges::all_of(condition.tests,
                             [](const Test& test) { return test.kind == Test::Kind::kAbsent; });
}

// Whether a running job can escape this alternative, by a value that the alternative itself
// excludes or by having what it wants absent.
bool may_pass_over(const Conjunction& match) {
  return std::ranges::any_of(match.parts, [](const Part& part) {
    return std::ranges::any_of(part.conditions, [&part](const Condition& condition) {
      if (is_of_the_moment(part.group, condition.path) || is_of_ended(part.group, condition.path) ||
          is_status(part.group, condition.path))
        return false;
      return refuses_named(condition) || asks_for_absence_alone(condition);
    });
  });
}

}  // namespace

bool leaves_some_alone(const rules::Rule& rule) {
  return std::ranges::any_of(rule.unless.any, may_exempt) ||
         std::ranges::all_of(rule.match.any, may_pass_over);
}

}  // namespace trainwarden::cli
