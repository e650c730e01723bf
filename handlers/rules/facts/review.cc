#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/facts/fact_values.h"
#include "handlers/rules/facts/groups.h"
#include "handlers/rules/facts/silence.h"
#include "handlers/rules/facts/value_forms.h"
#include "handlers/rules/job/always_given.h"
#include "handlers/rules/job/instance_types.h"
#include "handlers/rules/patterns/nearest.h"

namespace trainwarden::rules {
namespace {

// The facts that name machines.
bool names_instance_type(const FactPath& fact) {
  return (fact.group == Group::kMachines && fact.path == "instance_types") ||
         (fact.group == Group::kJob && fact.path.starts_with("ResourceConfig.") &&
          fact.path.ends_with("InstanceType"));
}

// Reports a beginning that no instance type has, such as `p5`.
void review_type_beginnings(const Test& test, const JsonPath& where, Diagnostics& diagnostics) {
  constexpr std::string_view kBegin = "ml.";
  const Test::Kind form = test.kind == Test::Kind::kAnythingBut ? test.form : test.kind;
  if (form != Test::Kind::kPrefix && form != Test::Kind::kWildcard) return;
  const std::span<const std::string> texts =
      test.kind == form ? std::span(&test.text, 1) : std::span(test.texts);
  for (const std::string& text : texts) {
    const std::string_view begin = std::string_view(text).substr(0, text.find('*'));
    if (!begin.starts_with(kBegin) && !kBegin.starts_with(begin))
      diagnostics.warning(where, fmt::format("no instance type begins with `{}`: all begin with "
                                             "`{}`",
                                             begin, kBegin));
  }
}

// The one number of a description that may be below 0.
constexpr std::string_view kMetricValue = "FinalMetricDataList.Value";

// Whether only numbers below 0 pass the test.
bool is_below_zero(const Test& test) {
  if (test.kind == Test::Kind::kNumber) return test.number < 0;
  return test.kind == Test::Kind::kNumeric && (test.high < 0 || (test.high == 0 && test.open_high));
}

bool is_account(std::string_view text) {
  constexpr std::size_t kDigits = 12;
  return text.size() == kDigits && text.find_first_not_of("0123456789") == text.npos;
}

// Whether some value of that type can pass the test.
bool fits(LeafType type, const Test& test) {
  switch (test.kind) {
    case Test::Kind::kNumber:
    case Test::Kind::kNumeric:
      return type == LeafType::kNumber || type == LeafType::kTime;
    case Test::Kind::kBoolean:
      return type == LeafType::kBoolean;
    case Test::Kind::kNull:
    case Test::Kind::kPresent:
    case Test::Kind::kAbsent:
    case Test::Kind::kAnythingBut:
      return true;
    default:  // the operators on texts
      return type == LeafType::kString;
  }
}

// Whether what an anything-but names is of another type than the leaf, so that it excludes nothing.
bool always_differs(LeafType type, const Test& test) {
  if (test.kind != Test::Kind::kAnythingBut) return false;
  if (type == LeafType::kTime) return false;  // times come as numbers and as texts
  return type != (test.form == Test::Kind::kNumber ? LeafType::kNumber : LeafType::kString);
}

// What a pattern for EventBridge asks of every event, as the value of a tag.
bool is_event_as_tag(const FactPath& fact, const Test& test) {
  const std::string_view text = test.text;
  return fact.group == Group::kTags && test.kind == Test::Kind::kText &&
         ((fact.path == "source" && text.starts_with("aws.")) ||
          (fact.path == "detail-type" && text.starts_with("SageMaker ")));
}

}  // namespace

void review(const FactPath& fact, const Test& test, const JsonPath& where,
            Diagnostics& diagnostics) {
  if (fact.group == Group::kLogs && fact.path == kSilentSeconds) {
    review_silence(test, where, diagnostics);
    return;
  }
  if (test.kind == Test::Kind::kNull) {
    diagnostics.warning(where,
                        "never matches: a null fact counts as absent; write "
                        "`{\"exists\": false}`");
    return;
  }
  if (!always_differs(fact.type, test) && review_value(fact, test, where, diagnostics)) return;
  if (!fits(fact.type, test)) {
    diagnostics.warning(where, fmt::format("never matches: {}.{} is {}", name(fact.group),
                                           fact.path, describe(fact.type)));
    return;
  }
  if (always_differs(fact.type, test)) {
    diagnostics.error(where, fmt::format("`anything-but` would match every job: {}.{} is {}",
                                         name(fact.group), fact.path, describe(fact.type)));
    return;
  }
  if (review_form(fact, test, where, diagnostics)) return;
  if (is_event_as_tag(fact, test))
    diagnostics.warning(where,
                        fmt::format("no job has such a tag: `{}` is a member of EventBridge's "
                                    "events; leave it out",
                                    fact.path));
  if (names_instance_type(fact)) {
    for (const std::string& text : test.whole_texts())
      if (const auto doubt = doubt_of_instance_type(text)) diagnostics.warning(where, *doubt);
    review_type_beginnings(test, where, diagnostics);
  }
  if (fact.group == Group::kJob && fact.path != kMetricValue && is_below_zero(test) &&
      fact.type == LeafType::kNumber)
    diagnostics.warning(where, fmt::format("never matches: job.{} is 0 or more", fact.path));
  if (fact.group == Group::kEvent && fact.path == "account") {
    for (const std::string& text : test.whole_texts())
      if (!is_account(text))
        diagnostics.refusal(where, fmt::format("`{}` is no account, which has 12 digits", text));
  }
  const auto known = known_values(fact.group, fact.path);
  if (known.empty()) return;
  for (const std::string& text : test.whole_texts()) {
    if (std::ranges::find(known, text) == known.end())
      diagnostics.warning(where, fmt::format("`{}` is not a known {}{}", text, fact.path,
                                             did_you_mean(text, known)));
  }
}

void review_leaf(const FactPath& fact, const Condition& condition, const JsonPath& where,
                 Diagnostics& diagnostics) {
  const AlwaysGiven* const given = fact.group == Group::kJob ? always_given(fact.path) : nullptr;
  if (given == nullptr) return;
  const auto is = [](Test::Kind kind) { return [kind](const Test& t) { return t.kind == kind; }; };
  const bool wants_absence =
      !condition.tests.empty() && std::ranges::all_of(condition.tests, is(Test::Kind::kAbsent));
  const bool takes_any = std::ranges::any_of(condition.tests, is(Test::Kind::kPresent));
  if (wants_absence && given->unset.empty())
    diagnostics.warning(where, fmt::format("never matches: AWS always gives job.{}", fact.path));
  else if (wants_absence)
    diagnostics.warning(where, fmt::format("never matches: AWS always gives job.{}, also where "
                                           "nobody set it; write `{}`",
                                           fact.path, given->unset));
  else if (takes_any && !given->set.empty())
    diagnostics.warning(where, fmt::format("matches every job: AWS always gives job.{}, also where "
                                           "nobody set it; write `{}`",
                                           fact.path, given->set));
}

}  // namespace trainwarden::rules
