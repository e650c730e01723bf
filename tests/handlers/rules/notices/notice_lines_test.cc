// What users write begins no line of ours, and points nobody at what they do not have (A5).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "handlers/rules/notices/brake_notice.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/rules/notices/notice_support.h"

namespace trainwarden::rules::notice_lines_test {
namespace {

using test::has;
using test::job;
using test::sent;
using test::set_status;
using test::violation;

constexpr const char* kForged =
    "jo\nRule:       none\r\nStop: \u2028nothing\u2029was\u0085stopped\u202e\x1b[2J";

// Everything in a notice that a user of the account can write, or a service quote.
Notice forged(NoticeFormat format, NoticeOutcome outcome) {
  static const Error kError{ErrorCode::kRejected, kForged};
  Decision decision = violation();
  decision.because = {
      {.group = Group::kTags, .member = "owner", .value = kForged, .asked = "what begins with jo"},
      {.group = Group::kDiagnosis, .member = "evidence", .value = kForged}};
  NoticeJob of = job();
  of.team = kForged;
  of.people = {{"owner", kForged}};
  of.machines = kForged;
  of.status = of.status_text = outcome == NoticeOutcome::kNone ? kForged : "Failed";
  if (outcome != NoticeOutcome::kNone) of.job_status = JobStatus::kFailed;
  of.tuning_job = kForged;
  const std::vector<ActionReport> reports = {
      {ActionKind::kStop, refused(because_of(kError))},
      {ActionKind::kTag, {ActionResult::Kind::kFailed}, &kError}};
  return sent(format, decision, outcome, reports, of);
}

void expect_plain(const std::string& text) {
  for (const char* gone : {"\r", "\u2028", "\u2029", "\u0085", "\u202e", "\x1b"})
    EXPECT_FALSE(has(text, gone)) << text;
}

TEST(NoticeLines, A5_WhatAJobSaysBeginsNoLineOfAText) {
  for (int i = 0; i <= static_cast<int>(NoticeOutcome::kReleased); ++i) {
    const Notice told = forged(NoticeFormat::kText, static_cast<NoticeOutcome>(i));
    expect_plain(told.subject + told.message);
    EXPECT_FALSE(has(told.subject, "\n"));
    EXPECT_FALSE(has(told.message, "\nRule:       none")) << told.message;
    EXPECT_FALSE(has(told.message, "\nStop: nothing"));
    EXPECT_TRUE(has(told.message, "\nRule:       required-tags (mode enforce)\n"));
    EXPECT_TRUE(has(told.message, "owner:      jo\\u000ARule:       none\\u000D"));
    for (const auto& [name, value] : told.attributes) {
      EXPECT_FALSE(has(value, "\n"));
      expect_plain(value);
    }
  }
}

TEST(NoticeLines, A5_NorOfAChatOrOfJson) {
  for (const NoticeFormat format : {NoticeFormat::kChat, NoticeFormat::kJson}) {
    const Notice told = forged(format, NoticeOutcome::kRefused);
    expect_plain(told.message);
    EXPECT_FALSE(has(told.message, "\n"));
    const json::Document document = test::doc(told.message);
    const json::Value root = document.root();
    if (format == NoticeFormat::kJson) {
      expect_plain(std::string(root.find("text")->as_string()));
      EXPECT_FALSE(has(std::string(root.find("text")->as_string()), "\n"));
    } else {
      const std::string text(root.find("content")->find("description")->as_string());
      expect_plain(text);
      EXPECT_FALSE(has(text, "\nRule:       none"));
    }
  }
}

TEST(NoticeLines, A5_ThePolicysOwnMessageMayHaveSeveralLines) {
  Decision decision = violation();
  decision.message = "Tag your jobs.\nRule: ask in #ml";
  const std::string all =
      sent(NoticeFormat::kText, decision, NoticeOutcome::kNone, {}, job()).message;
  EXPECT_TRUE(has(all, "Message:    Tag your jobs.\n            Rule: ask in #ml\n")) << all;
}

TEST(NoticeLines, A5_LettersOfAnyScriptAreShown) {
  NoticeJob of = job();
  of.team = "视觉";
  of.people = {{"owner", "Zoë מודל"}};
  const std::string all =
      sent(NoticeFormat::kText, violation(), NoticeOutcome::kNone, {}, of).message;
  EXPECT_TRUE(has(all, "Team:       视觉\n"));
  EXPECT_TRUE(has(all, "owner:      Zoë מודל\n"));
}

TEST(NoticeLines, P7_NorOfWhatOperatorsAreToldOfABrake) {
  const Reason held{.why = Why::kStopsPerSweep, .name = kForged, .number = 9, .limit = 5};
  const Notice told = brake_notice(NoticeFormat::kText, held, {});
  expect_plain(told.message);
  EXPECT_FALSE(has(told.message, "\nRule:"));
}

TEST(NoticeLines, R1_NorOfASentenceInARecord) {
  const std::string line = text(refused(because_of({ErrorCode::kRejected, kForged})));
  expect_plain(line);
  EXPECT_FALSE(has(line, "\n"));
}

// Owners get mail: they have neither the policy nor the event, and need not have the command.
TEST(NoticeLines, A5_NobodyIsPointedAtFilesThatTheyDoNotHave) {
  for (int i = 0; i <= static_cast<int>(NoticeOutcome::kReleased); ++i) {
    for (const char* status : {"InProgress/Training", "Stopping", "Failed", "Completed"}) {
      NoticeJob of = job();
      set_status(of, status);
      of.contact = "#ml-platform";
      for (const ActionKind kind : {ActionKind::kStop, ActionKind::kRestart, ActionKind::kNotify}) {
        Decision decision = violation();
        decision.actions = {{.kind = kind}, {.kind = ActionKind::kNotify}};
        const std::vector<ActionReport> reports = {{kind, refused(Why::kEndedLongAgo)}};
        const std::string all =
            sent(NoticeFormat::kText, decision, static_cast<NoticeOutcome>(i), reports, of).message;
        for (const char* file : {".md", ".json", "handlers/", "README"})
          EXPECT_FALSE(has(all, file)) << all;
        EXPECT_TRUE(has(all, "required-tags"));
        if (has(all, "`unless`") || has(all, ": trainwarden ")) {
          EXPECT_TRUE(has(all, "ask #ml-platform")) << all;
        }
        // Whoever is told of the command is told who has it.
        EXPECT_EQ(has(all, ": trainwarden "), has(all, "do not have the command trainwarden"));
      }
    }
  }
}

TEST(NoticeLines, A5_WithoutAContactThePolicysKeepersAreNamed) {
  const std::string all =
      sent(NoticeFormat::kText, violation(), NoticeOutcome::kNone, {}, job()).message;
  EXPECT_TRUE(has(all,
                  "ask the people who keep Trainwarden's policy to exempt it by `unless` in "
                  "the rule required-tags"))
      << all;
}

}  // namespace
}  // namespace trainwarden::rules::notice_lines_test
