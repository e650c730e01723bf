// Whatever people, the policy and AWS write, a notice fits into the claim that keeps it (A5).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "handlers/rules/notices/notice_form.h"
#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/kept_notice.h"
#include "handlers/rules/state/notice_claims.h"
#include "runtime/json/one_line.h"
#include "runtime/json/utf8.h"
#include "tests/handlers/rules/notices/notice_support.h"

namespace trainwarden::rules::notice_room_test {
namespace {

using test::has;
using test::job;
using test::violation;

constexpr std::array kFormats = {NoticeFormat::kText, NoticeFormat::kJson, NoticeFormat::kChat};

std::string topic() { return "arn:aws:sns:eu-central-1:111122223333:" + std::string(256, 't'); }

KeptNotice kept(NoticeFormat format, const Notice& notice) {
  return {.topic = topic(),
          .format = std::string(name(format)),
          .subject = notice.subject,
          .message = notice.message,
          .attributes = notice.attributes};
}

// Characters of every length, those that JSON escapes, those that a line escapes, and halves.
std::string nasty(std::mt19937& random, std::size_t characters) {
  static constexpr std::array<std::string_view, 14> kOdd = {
      "\x01",    "\n",         "\u2028", "\u202e", "\"",   "\\",   "`",
      "<!here>", "\U0001F600", "視",     "ö",      "\xff", "\x7f", "a"};
  const std::string_view one = kOdd[random() % kOdd.size()];
  std::string out;
  for (std::size_t i = 0; i < characters; ++i)
    out += random() % 4 == 0 ? kOdd[random() % kOdd.size()] : one;
  return out;
}

struct Nasty {
  Decision decision = violation();
  NoticeJob job = test::job();
  Error error{ErrorCode::kRejected, ""};
  std::vector<ActionReport> reports;
};

Nasty nasty_case(std::uint32_t seed) {
  std::mt19937 random(seed);
  Nasty out;
  const auto text = [&] { return nasty(random, random() % 4 == 0 ? 1500 : random() % 300); };
  // A policy is valid UTF-8.
  out.decision.rule = json::one_line(nasty(random, 100));
  out.decision.rule.resize(json::utf8_boundary(out.decision.rule, 120));
  out.decision.rule += "\"\\\x01\n";
  out.decision.message = text();
  out.decision.because.clear();
  for (std::size_t i = random() % 3 == 0 ? 200 : random() % 30; i > 0; --i)
    out.decision.because.push_back({.group = Group::kTags,
                                    .member = nasty(random, random() % 128),
                                    .value = nasty(random, random() % 300),
                                    .absent = random() % 3 == 0,
                                    .asked = nasty(random, random() % 100)});
  out.job.name = std::string(63, 'n');
  out.job.arn = "arn:aws:sagemaker:eu-central-1:111122223333:training-job/" + out.job.name;
  out.job.status = out.job.status_text = text();
  out.job.machines = text();
  out.job.team = nasty(random, 256);
  out.job.owner = nasty(random, 256);
  for (int i = 0; i < 8; ++i)
    out.job.people.emplace_back("owner" + std::to_string(i), nasty(random, 256));
  out.job.tuning_job = text();
  out.job.contact = nasty(random, 200).substr(0, 200);
  out.job.acted_at = "2026-07-02T13:50:13Z";
  for (int i = 0; i < 20; ++i)
    out.job.extensions.push_back({.tag = nasty(random, 128), .at_most = std::chrono::hours(7)});
  out.error.message = text();
  for (const ActionKind kind : {ActionKind::kStop, ActionKind::kRestart, ActionKind::kTag})
    out.reports.push_back(
        {kind, {.kind = ActionResult::Kind::kFailed, .name = text()}, &out.error});
  return out;
}

TEST(NoticeRoom, A5_InShortAnyNoticeFitsItsClaimWhole) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Nasty one = nasty_case(seed);
    const auto outcome = static_cast<NoticeOutcome>(seed % 10);
    for (const NoticeFormat format : kFormats) {
      const Notice told =
          notice(format, one.decision, outcome, one.reports, one.job, NoticeDetail::kShort);
      const KeptNotice claim = kept(format, told);
      EXPECT_TRUE(has_room(claim))
          << seed << ' ' << name(outcome) << ' ' << name(format) << ' ' << told.message.size();
      EXPECT_TRUE(has(told.message, one.job.name));
      if (format != NoticeFormat::kText) {
        EXPECT_TRUE(json::Document::parse(told.message)) << told.message;
      }
    }
  }
}

// What does not fit is kept without its message: never nothing.
TEST(NoticeRoom, A5_WhatIsKeptIsReadBackAndNeverTooLong) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const Nasty one = nasty_case(seed);
    for (const NoticeFormat format : kFormats) {
      KeptNotice claim =
          kept(format, notice(format, one.decision, NoticeOutcome::kWarned, one.reports, one.job));
      const std::string what = keep(claim);
      EXPECT_LE(what.size(), kLongestWhat);
      const auto back = read_kept(what);
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_EQ(back->attributes, claim.attributes);
      if (!has_room(claim)) {
        EXPECT_EQ(back->message, "");
        EXPECT_FALSE(brief_message(format, back->subject, back->attributes).empty());
      } else {
        EXPECT_EQ(back->message, claim.message);
      }
    }
  }
}

TEST(NoticeRoom, A5_ThousandsOfReasonsAreCounted) {
  Decision decision = violation();
  decision.because.assign(3000, {Group::kTags, "team", "x"});
  const Notice text = notice(NoticeFormat::kText, decision, NoticeOutcome::kNone, {}, job());
  EXPECT_TRUE(has(text.message, "; and 2980 more\n")) << text.message;
  const json::Document read =
      test::doc(notice(NoticeFormat::kJson, decision, NoticeOutcome::kNone, {}, job()).message);
  EXPECT_EQ(read.root().find("because")->size(), 20U);
  EXPECT_EQ(read.root().find("because_left_out")->as_integer(), 2980);
}

// Who routes by an attribute gets it in full where AWS lets a tag have it in 256 bytes.
TEST(NoticeRoom, A8_TheAttributesOfTagsAreBounded) {
  NoticeJob of = job();
  of.owner = std::string(256, 'o');
  of.team = std::string(255, 't') + "視視";
  const Notice told = notice(NoticeFormat::kText, violation(), NoticeOutcome::kNone, {}, of);
  EXPECT_EQ(told.reported.owner, of.owner);
  EXPECT_EQ(told.reported.team, std::string(255, 't'));
}

TEST(NoticeRoom, A5_OfSeveralSpellingsOfOneTagTheFirstIsTold) {
  std::string tags = R"({"Owner": "jo")";
  for (int i = 1; i < 32; ++i) {
    std::string key = "owner";
    for (std::size_t bit = 0; bit < 5; ++bit)
      if ((i & (1 << bit)) != 0 && i != 1) key[bit] = static_cast<char>(key[bit] - 'a' + 'A');
    if (i > 1) tags += ",\"" + key + R"(": "other")";
  }
  const NoticeJob found =
      test::described(test::kDescribe, tags + R"(, "email": "jo@example.com"})");
  using People = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(found.people, (People{{"Owner", "jo"}, {"email", "jo@example.com"}}));
  EXPECT_EQ(found.owner, "jo");
}

TEST(NoticeRoom, A5_TextsAreCutAtACharacter) {
  EXPECT_EQ(cut_stored("short", 5), "short");
  EXPECT_EQ(cut_stored("longer", 5), "lo…");
  EXPECT_EQ(cut_stored("視視視", 9), "視視視");
  EXPECT_EQ(cut_stored("視視視視", 9), "視視…");
  EXPECT_EQ(cut_stored("\"\"\"", 11), "\"\"…");
  EXPECT_EQ(stored_size("a\u2028\n"), 26U);
}

}  // namespace
}  // namespace trainwarden::rules::notice_room_test
