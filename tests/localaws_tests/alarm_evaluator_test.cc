#include "tests/localaws/cloudwatch/alarm_evaluator.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace trainwarden::localaws::alarm_evaluator_test {
namespace {

using std::chrono::minutes;

const sys_millis kEnd{std::chrono::milliseconds(1'783'000'020'000)};  // 2026-07-02T13:47:00Z

// "0 - X - X": the newest at the right; 0 is within the threshold, X breaches, - is missing.
std::vector<Datapoint> points(std::string_view text) {
  std::vector<Datapoint> out;
  for (auto at = text.rbegin(); at != text.rend(); ++at) {
    if (*at == ' ') continue;
    const sys_millis begin = kEnd - minutes(static_cast<int>(out.size()) + 1);
    out.push_back({begin, *at == '-' ? std::nullopt : std::optional(*at == 'X' ? 5.0 : 0.0)});
  }
  return out;
}

AlarmRule rule(int datapoints, int periods, MissingData missing) {
  return {.periods = periods,
          .datapoints = datapoints,
          .threshold = 1,
          .comparison = Comparison::kGreater,
          .missing = missing};
}

std::string_view decided(const AlarmRule& rule, std::string_view text) {
  const auto verdict = evaluate_alarm(rule, points(text), AlarmState::kOk);
  return verdict ? name(verdict->state) : "retain";
}

struct Row {
  int datapoints;
  std::string_view points;
  std::array<std::string_view, 4> states;  // missing, ignore, breaching, notBreaching
};

// The two tables of "How alarm state is evaluated when data is missing", row by row: three of
// three, and two of three, looked for among five.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
constexpr std::array kRows = {
    Row{3, "0 - X - X", {"OK", "OK", "OK", "OK"}},
    Row{3, "0 - - - -", {"OK", "OK", "OK", "OK"}},
    Row{3, "- - - - -", {"INSUFFICIENT_DATA", "retain", "ALARM", "OK"}},
    Row{3, "0 X X - X", {"ALARM", "ALARM", "ALARM", "ALARM"}},
    Row{3, "- - X - -", {"ALARM", "retain", "ALARM", "OK"}},
    Row{2, "0 - X - X", {"ALARM", "ALARM", "ALARM", "ALARM"}},
    Row{2, "0 0 X 0 X", {"ALARM", "ALARM", "ALARM", "ALARM"}},
    Row{2, "0 - X - -", {"OK", "OK", "ALARM", "OK"}},
    Row{2, "- - - - 0", {"OK", "OK", "ALARM", "OK"}},
    Row{2, "- - - X -", {"ALARM", "retain", "ALARM", "OK"}},
};

TEST(AlarmEvaluatorTest, AgreesWithTheTablesOfTheDocumentation) {
  constexpr std::array kTreatments = {MissingData::kMissing, MissingData::kIgnore,
                                      MissingData::kBreaching, MissingData::kNotBreaching};
  for (const Row& row : kRows)
    for (std::size_t i = 0; i < kTreatments.size(); ++i)
      EXPECT_EQ(decided(rule(row.datapoints, 3, kTreatments[i]), row.points), row.states[i])
          << row.datapoints << " of 3, " << row.points << ", treatment " << i;
}

// The same page, "Avoiding premature transitions to alarm state", missing data being missing. What
// a lone young breach is, if not an alarm, is only said by the tables of the page's editions until
// 2019 ("- - - - X" of 3 and of 2: insufficient data).
TEST(AlarmEvaluatorTest, AYoungBreachIsNoAlarmYet) {
  struct Case {
    int datapoints;
    std::string_view points;
    std::string_view state;
  };
  for (const Case& tested : {
           Case{3, "- - - - X", "INSUFFICIENT_DATA"},
           Case{3, "- - - X -", "INSUFFICIENT_DATA"},
           Case{3, "- - - X 0", "OK"},     // the next datapoint does not breach
           Case{3, "- - X - 0", "OK"},     //
           Case{3, "- - X - -", "ALARM"},  // as old as M, and nothing else since
           Case{3, "- - X X -", "ALARM"},  // breaching or missing since
           Case{3, "X - - - -", "ALARM"},  // anywhere in the evaluation range
           Case{2, "- - - - X", "INSUFFICIENT_DATA"},
           Case{2, "- - X - -", "ALARM"},
           Case{2, "- - - X X", "ALARM"},
           Case{1, "- - - - X", "ALARM"},
       })
    EXPECT_EQ(decided(rule(tested.datapoints, 3, MissingData::kMissing), tested.points),
              tested.state)
        << tested.datapoints << " of 3, " << tested.points;
}

// "CloudWatch uses missing data points only as few times as possible": by hand, N less the real
// ones.
TEST(AlarmEvaluatorTest, NoMoreIsFilledInThanIsMissing) {
  struct Case {
    int datapoints;
    std::string_view points;
    std::array<std::string_view, 4> states;  // missing, ignore, breaching, notBreaching
  };
  constexpr std::array kTreatments = {MissingData::kMissing, MissingData::kIgnore,
                                      MissingData::kBreaching, MissingData::kNotBreaching};
  for (const Case& tested : {
           // 4 of 5 among seven.
           Case{4, "0 X X X X - -", {"ALARM", "ALARM", "ALARM", "ALARM"}},
           Case{4, "X 0 0 X X - -", {"OK", "OK", "OK", "OK"}},
           Case{4, "- - X X X - -", {"ALARM", "retain", "ALARM", "OK"}},  // 2 filled in
           Case{4, "- - 0 X X - X", {"OK", "OK", "ALARM", "OK"}},         // 1 filled in: 4 or 3
           Case{4, "- - 0 X 0 - X", {"OK", "OK", "OK", "OK"}},            // 1 filled in: 3 or 2
           Case{
               4, "X X X X - - -", {"ALARM", "ALARM", "ALARM", "ALARM"}},  // 4 real ones are enough
       })
    for (std::size_t i = 0; i < kTreatments.size(); ++i)
      EXPECT_EQ(decided(rule(tested.datapoints, 5, kTreatments[i]), tested.points),
                tested.states[i])
          << tested.points << ", treatment " << i;
}

TEST(AlarmEvaluatorTest, OnlyTheNewestOfEnoughDatapointsCount) {
  EXPECT_EQ(decided(rule(3, 3, MissingData::kMissing), "X X 0 X X"), "OK");
  EXPECT_EQ(decided(rule(3, 3, MissingData::kMissing), "0 0 X X X"), "ALARM");
  EXPECT_EQ(decided(rule(1, 1, MissingData::kMissing), "X X 0"), "OK");
}

TEST(AlarmEvaluatorTest, EachComparisonHasItsOwnEdge) {
  struct Edge {
    Comparison comparison;
    bool below;
    bool at;
    bool above;
  };
  for (const Edge& edge :
       {Edge{Comparison::kGreaterOrEqual, false, true, true},
        Edge{Comparison::kGreater, false, false, true}, Edge{Comparison::kLess, true, false, false},
        Edge{Comparison::kLessOrEqual, true, true, false}}) {
    AlarmRule tested = rule(1, 1, MissingData::kMissing);
    tested.comparison = edge.comparison;
    EXPECT_EQ(breaches(tested, 0.5), edge.below);
    EXPECT_EQ(breaches(tested, 1), edge.at);
    EXPECT_EQ(breaches(tested, 1.5), edge.above);
  }
}

TEST(AlarmEvaluatorTest, ReasonsAreCloudWatchs) {
  const auto reason = [](const AlarmRule& rule, std::string_view text) {
    return evaluate_alarm(rule, points(text), AlarmState::kOk)->reason;
  };
  EXPECT_EQ(reason(rule(2, 2, MissingData::kMissing), "- - X X"),
            "Threshold Crossed: 2 out of the last 2 datapoints [5.0 (02/07/26 13:46:00), 5.0 "
            "(02/07/26 13:45:00)] were greater than the threshold (1.0) (minimum 2 datapoints for "
            "OK -> ALARM transition).");
  EXPECT_EQ(reason(rule(2, 2, MissingData::kMissing), "- - - -"),
            "Insufficient Data: 2 datapoints were unknown.");
  EXPECT_EQ(reason(rule(2, 2, MissingData::kNotBreaching), "- - - -"),
            "Threshold Crossed: no datapoints were received for 2 periods and 2 missing datapoints "
            "were treated as [NonBreaching].");
}

}  // namespace
}  // namespace trainwarden::localaws::alarm_evaluator_test
