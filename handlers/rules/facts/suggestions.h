// What was probably meant by a name in a pattern that leads to no fact: a fact of another group, a
// member of DescribeTrainingJob's answer, a hyperparameter, a tag. Only for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trainwarden::rules {

// "`a`, `b`" -> "; did you mean one of `a`, `b`?"
std::string did_you_mean_one_of(const std::string& quoted);

// The leaves of DescribeTrainingJob's answer below a structure, quoted, at most `most` of them,
// then "…"; empty where there is no such structure.
std::string leaves_below(std::string_view structure, std::size_t most);

// Whether a pattern of EventBridge that was pasted has such a member: `source`, `detail-type`,
// `detail`.
bool is_of_event_bridge(std::string_view name);
// What to write instead: "; this is a pattern for EventBridge: leave …".
std::string suggest_for_event(std::span<const std::string_view> names);

// Of names that begin with no fact group; "; did you mean …?" or empty.
std::string suggest_group(std::span<const std::string_view> names);

// Of names below `job` that lead to no leaf. What lies in `job` too is named without it.
std::string suggest_member(std::span<const std::string_view> names);

// Of a path that its group lacks: facts of other groups by that name.
std::string suggest_fact(std::string_view path);

}  // namespace trainwarden::rules
