// The sentences and figures of the weekly report (policy.md S2).
#include "handlers/rules/weekly/week_notice.h"

#include "handlers/rules/state/notice_claims.h"
#include "tests/handlers/rules/weekly/weeks.h"

namespace trainwarden::rules::week_notice_test {
namespace {

using std::chrono::hours;
using weeks::add;
using weeks::kPrices;
using weeks::kUntil;
using weeks::Ran;
using weeks::tagged;
using weeks::week;

std::string text_of(const WeekReport& report) {
  return week_notice(NoticeFormat::kText, report).message;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(WeekNotice, S2_TellsTheFiguresByTeam) {
  WeekReport report = week(
      Ran{.name = "a", .team = tagged("nlp"), .trained = hours(1000)},
      Ran{.name = "b", .status = "Failed", .team = tagged("nlp")},
      Ran{.name = "c", .status = "Stopped", .team = tagged("vision"), .trained = hours(2)},
      Ran{.name = "d", .status = "InProgress", .team = tagged("vision"), .ended_before = hours(0)},
      Ran{.name = "e"});
  report.account = "111122223333";
  report.region = "eu-central-1";
  const Notice notice = week_notice(NoticeFormat::kText, report);
  EXPECT_EQ(notice.subject, "Trainwarden: training in the week until 2026-11-23");
  const std::pair<std::string, std::string> outcome{"outcome", "report"};
  EXPECT_EQ(notice.attributes, std::vector{outcome});
  EXPECT_EQ(
      notice.message,
      "Training jobs of the account 111122223333 in eu-central-1 that ended from "
      "2026-11-16T07:00:00Z until 2026-11-23T07:00:00Z.\n"
      "\n"
      "4 jobs ended: 2 completed, 1 failed, 1 stopped.\n"
      "Cost: 2,044.00 USD, for 1022.0 hours of machines.\n"
      "Wasted at most: 24.00 USD (failed jobs: 20.00 USD; stopped jobs: 4.00 USD).\n"
      "Besides, 1 still runs (20.00 USD so far). This is in no other figure.\n"
      "\n"
      "By team, the costliest first:\n"
      "- \"nlp\": 2 jobs ended: 2,020.00 USD; 1 failed: 20.00 USD\n"
      "- \"vision\": 1 job ended: 4.00 USD; 1 stopped: 4.00 USD; 1 still runs (20.00 USD so far)\n"
      "- jobs without a tag team: 1 job ended: 20.00 USD\n"
      "\n"
      "A job counts to the week in which it ended, with all that it cost by the policy's prices. "
      "What a stopped job cost need not be lost: it may have left a checkpoint or a model.\n");
}

TEST(WeekNotice, S2_AWeekWithoutAJobIsOnePlainSentence) {
  EXPECT_EQ(text_of(week()),
            "Training jobs that ended from 2026-11-16T07:00:00Z until 2026-11-23T07:00:00Z.\n\n"
            "No training job ended in this week, and none runs.\n");
}

TEST(WeekNotice, S2_WhatHasNoPriceIsNotNothing) {
  const std::string none = text_of(week(Ran{.type = "ml.x"}));
  EXPECT_TRUE(has(none, "Cost: unknown, ")) << none;
  EXPECT_FALSE(has(none, ": 1 job ended: 0")) << none;
  const std::string lost =
      text_of(week(Ran{.name = "a", .team = tagged("nlp")},
                   Ran{.name = "b", .status = "Failed", .team = tagged("nlp"), .type = "ml.x"}));
  EXPECT_TRUE(has(lost,
                  "Wasted at most: unknown (failed jobs: unknown; stopped jobs: "
                  "0.00 USD).\n"))
      << lost;
  EXPECT_TRUE(has(lost,
                  "2 jobs ended: 20.00 USD and 1 job without a price; 1 failed: cost "
                  "unknown\n"))
      << lost;
  const std::string one = text_of(week(Ran{.name = "a"}, Ran{.name = "b", .type = "ml.x"}));
  EXPECT_TRUE(has(one, "Cost: 20.00 USD and 1 job without a price, ")) << one;
  EXPECT_TRUE(has(one, "A job without a price is in no sum of money."));
  const auto message = week_notice(NoticeFormat::kJson, week(Ran{.type = "ml.x"})).message;
  EXPECT_TRUE(has(message, R"("without_price":1)"));
  EXPECT_FALSE(has(message, R"("usd")")) << message;
  EXPECT_TRUE(has(message, R"("failed_usd":0)"));
}

TEST(WeekNotice, S2_ABoundIsCalledOne) {
  const std::string text = text_of(week(Ran{.more = R"(,"EnableManagedSpotTraining":true)"}));
  EXPECT_TRUE(has(text, "Cost: at most 20.00 USD")) << text;
  EXPECT_TRUE(has(text, "spot_factor"));
  EXPECT_FALSE(has(text_of(week(Ran{})), "t most 20"));
}

TEST(WeekNotice, S2_WhatTimeCutIsIncompleteAndSaysHowFarItCame) {
  WeekReport report = week(Ran{});
  report.ended_cut = ListCut{kUntil - hours(30)};
  report.running_cut = ListCut{};
  const Notice notice = week_notice(NoticeFormat::kText, report);
  EXPECT_TRUE(notice.subject.ends_with(" (incomplete)"));
  EXPECT_TRUE(has(notice.message,
                  "INCOMPLETE: time ran out before all jobs that ended were listed. Those that "
                  "were created after 2026-11-22T01:00:00Z are missing.\n"
                  "INCOMPLETE: time ran out before all jobs that run were listed. None of them is "
                  "in these figures.\n"))
      << notice.message;
  const std::string json = week_notice(NoticeFormat::kJson, report).message;
  EXPECT_TRUE(has(
      json, R"("complete":false,"listed_up_to":{"ended":"2026-11-22T01:00:00Z","running":null})"))
      << json;
  WeekReport nothing = week();
  nothing.running_cut = ListCut{};
  EXPECT_FALSE(has(text_of(nothing), "none runs")) << text_of(nothing);
}

TEST(WeekNotice, S2_WhatUsersWriteStaysOnOneLineAndIsCut) {
  std::string lengthy;
  for (int i = 0; i < 200; ++i) lengthy += "\u00e4";
  const WeekReport report =
      week(Ran{.name = "a", .team = tagged(R"(x\n- \"nlp\": 0 jobs <!channel> `b`)")},
           Ran{.name = "b", .team = tagged(R"(\u202e\u2028evil)")},
           Ran{.name = "c", .team = tagged(lengthy)});
  const std::string text = text_of(report);
  EXPECT_TRUE(has(text, "- \"x\\u000A- 'nlp': 0 jobs \u2039!channel\u203a 'b'\": 1 job ended"))
      << text;
  EXPECT_FALSE(has(text, "\u202e"));
  EXPECT_FALSE(has(text, "\u2028"));
  EXPECT_FALSE(has(text, lengthy.substr(0, kLongestTeam)));
  EXPECT_TRUE(has(text, "\u00e4\u2026\": 1 job ended"));
  for (const NoticeFormat format : {NoticeFormat::kJson, NoticeFormat::kChat}) {
    const std::string message = week_notice(format, report).message;
    EXPECT_TRUE(json::Document::parse(message));
    EXPECT_FALSE(has(message, "\n"));
    EXPECT_FALSE(has(message, "<!channel>"));
  }
}

// Whoever takes a claim over sends what it keeps: 8 KiB, with quotes escaped twice.
TEST(WeekNotice, S2_AnyReportFitsAClaimAndAChat) {
  WeekTotals totals(kPrices, kUntil);
  for (int i = 0; i < 60; ++i) {
    std::string team = fmt::format("{:02}", i);
    for (int n = 0; n < 120; ++n) team += "\\\\";
    for (const char* status : {"Completed", "Failed", "Stopped", "InProgress"})
      add(totals, {.name = fmt::format("job-{}-{}", i, status),
                   .status = status,
                   .team = tagged(team),
                   .ended_before = status == std::string("InProgress") ? hours(0) : hours(1),
                   .trained = hours(10 + i),
                   .machines = 1000});
  }
  const WeekReport report = totals.take();
  for (const NoticeFormat format :
       {NoticeFormat::kText, NoticeFormat::kJson, NoticeFormat::kChat}) {
    const Notice notice = week_notice(format, report);
    const std::string kept = json::to_text(
        json::Document::build([&](json::Sink& sink) { sink.string(notice.message); }).root());
    EXPECT_LT(kept.size() + 400, kLongestWhat);
    EXPECT_TRUE(has(notice.message, "other")) << notice.message;
  }
  const auto chat = json::Document::parse(week_notice(NoticeFormat::kChat, report).message);
  const json::Value content = *chat->root().find("content");
  EXPECT_LE(content.find("description")->as_string().size(), 2900U);
  EXPECT_TRUE(has(std::string(content.find("description")->as_string()), "A job counts to"));
  EXPECT_EQ(content.find("textType")->as_string(), "client-markdown");
}

TEST(WeekNotice, S2_OtherTeamsAreSummed) {
  WeekTotals totals(kPrices, kUntil);
  for (int i = 0; i < 23; ++i)
    add(totals, {.name = fmt::format("job-{}", i),
                 .team = tagged(fmt::format("team-{}", i)),
                 .trained = hours(100 - i)});
  const WeekReport report = totals.take();
  const std::string text = text_of(report);
  EXPECT_TRUE(has(text, "\"team-19\""));
  EXPECT_FALSE(has(text, "\"team-20\""));
  EXPECT_TRUE(has(text, "- 3 other teams: 3 jobs ended: 474.00 USD\n")) << text;
}

TEST(WeekNotice, S2_JsonHasEachFigureUnderItsName) {
  const auto message =
      week_notice(NoticeFormat::kJson, week(Ran{.status = "Failed", .team = tagged("nlp")}))
          .message;
  EXPECT_EQ(message,
            R"({"outcome":"report","from":"2026-11-16T07:00:00Z","until":"2026-11-23T07:00:00Z",)"
            R"("complete":true,"all":{"ended":1,"completed":0,"failed":1,"stopped":0,"running":0,)"
            R"("without_price":0,"machine_hours":10,"usd":20,"failed_usd":20,"stopped_usd":0,)"
            R"("running_usd":0},"teams":[{"team":"nlp","ended":1,"completed":0,"failed":1,)"
            R"("stopped":0,"running":0,"without_price":0,"machine_hours":10,"usd":20,)"
            R"("failed_usd":20,"stopped_usd":0,"running_usd":0}]})");
}

}  // namespace
}  // namespace trainwarden::rules::week_notice_test
