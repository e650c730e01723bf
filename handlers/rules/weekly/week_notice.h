// The weekly report as people get it (policy.md S2): the figures themselves, no link. Names of
// teams are what users write: they stand on one line, quoted and cut.
#pragma once

#include <cstddef>
#include <string_view>

#include "handlers/rules/notices/notice.h"
#include "handlers/rules/policy/policy.h"
#include "handlers/rules/weekly/week_totals.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

inline constexpr std::string_view kReportOutcome = "report";

// Teams with a line of their own; the others are summed in one.
inline constexpr std::size_t kMostTeams = 20;
inline constexpr std::size_t kLongestTeam = 64;  // bytes of a name

// Its one attribute: outcome (`report`). It has as many teams as fit into a claim that is kept
// (state/notice_claims.h), and into a message for chats.
Notice week_notice(NoticeFormat format, const WeekReport& report);

// The members of the report's object: for the record, and for notices in JSON.
void write_week(json::Sink& sink, const WeekReport& report, std::size_t most_teams = kMostTeams);

}  // namespace trainwarden::rules
