#include "handlers/cli/backtest/findings_output.h"

#include <gtest/gtest.h>

#include "handlers/cli/backtest/findings_words.h"
#include "handlers/cli/terminal/amounts.h"
#include "handlers/cli/terminal/html.h"
#include "tests/report/made_up.h"

namespace trainwarden::cli::findings_output_test {
namespace {

std::string text_of(const rules::Findings& findings) {
  Page page({});
  print_findings(findings, page);
  return page.take();
}

json::Document json_of(const rules::Findings& findings) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    write_findings(sink, findings);
    sink.end_object();
  });
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Where lines are broken does not matter.
std::string unbroken(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != '\n' && c != ' ')
      out += c;
    else if (!out.ends_with(' '))
      out += ' ';
  return out;
}

double number_at(const json::Document& document, std::string_view object, std::string_view name) {
  return document.root().find(object)->find(name)->as_number();
}

TEST(FindingsOutput, TheThreeFiguresAreTheSameInEachForm) {
  const rules::Findings findings = made_up::fleet();
  const json::Document notified = json_of(findings);
  const std::string text = text_of(findings);
  const std::string html = html_of(findings);
  for (const std::string& figure :
       {dollars(number_at(notified, "totals", "kept_usd")),
        dollars(number_at(notified, "totals", "destroyed_usd")),
        fmt::format("{} to look at first", number_at(notified, "totals", "stops_to_look_at"))}) {
    EXPECT_TRUE(contains(text, figure)) << figure;
    EXPECT_TRUE(contains(html, ">" + figure + "</data>")) << figure;
  }
}

TEST(FindingsOutput, AmountsAreReadable) {
  EXPECT_EQ(dollars(0), "$0");
  EXPECT_EQ(dollars(0.004), "$0");
  EXPECT_EQ(dollars(9.049), "$9.05");
  EXPECT_EQ(dollars(99.994), "$99.99");
  EXPECT_EQ(dollars(99.996), "$100");
  EXPECT_EQ(dollars(1234567.4), "$1,234,567");
  EXPECT_EQ(dollars(std::nullopt), "no price");
  EXPECT_EQ(dollars(12.0, true), "up to $12.00");
  EXPECT_EQ(share_text(1, 0), "");
  EXPECT_EQ(share_text(1, 1000), "below 1%");
}

TEST(FindingsOutput, WithoutAPolicyNothingIsSaidOfOne) {
  const rules::Findings findings = made_up::fleet(60, false);
  const json::Document notified = json_of(findings);
  EXPECT_FALSE(notified.root().find("rules"));
  EXPECT_FALSE(notified.root().find("totals")->find("kept_usd"));
  for (const std::string& out : {text_of(findings), html_of(findings)}) {
    EXPECT_FALSE(contains(out, "this policy"));
    EXPECT_FALSE(contains(out, "look at first"));
    EXPECT_TRUE(contains(out, "60"));
  }
}

TEST(FindingsOutput, ItSaysWhyARuleCouldNotBeDecided) {
  using Cause = rules::Undecidable::Cause;
  const std::pair<rules::Undecidable, std::string_view> cases[] = {
      {{.cause = Cause::kSkipped,
        .errors = {{rules::Source::kTags, {ErrorCode::kAccessDenied, "not allowed"}}}},
       "tags: not allowed"},
      {{.cause = Cause::kOtherPolicy},
       "the export was made for another policy, and left out what it names"},
      {{.sources = {rules::Source::kTags, rules::Source::kLogs}},
       "the export does not have it: tags, logs"},
      {{.cause = Cause::kMetricTooOld, .watch = "idle"},
       "CloudWatch does not keep the metric of idle for so long"},
      {{.cause = Cause::kMetricMissing, .watch = "idle"},
       "the export does not have the metric of idle"},
  };
  for (const auto& [given, said] : cases) EXPECT_EQ(undecidable_text(given), said);
}

TEST(FindingsOutput, WhatIsNotKnownIsSaidToBeUnknown) {
  rules::Findings findings = made_up::findings();
  findings.complete = false;
  findings.bad_lines = 3;
  findings.jobs = {made_up::job("run", rules::JobStatus::kFailed, std::chrono::hours(9),
                                std::chrono::hours(2), 1)};
  findings.jobs[0].usd.reset();
  findings.jobs[0].undecidable = {{.rule = 1, .sources = {rules::Source::kSilence}}};
  const std::string text = unbroken(text_of(findings));
  for (const std::string_view part :
       {"No job would have been stopped", "export was cut", "3 lines of the export",
        "1 job ran on machines without a price", "the export does not have it: silence", "63 days",
        "60 jobs its data are", "Tags are today's"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  const json::Document notified = json_of(findings);
  EXPECT_FALSE(notified.root().find("jobs")->elements().begin().operator*().find("usd"));
  EXPECT_FALSE(notified.root().find("complete")->as_boolean());
}

// One stop is not "them", and of none nothing is said.
TEST(FindingsOutput, OneStopIsSpokenOfAsOne) {
  rules::Findings findings = made_up::findings();
  for (const auto verdict : {rules::StopVerdict::kRight, rules::StopVerdict::kWrong}) {
    const bool right = verdict == rules::StopVerdict::kRight;
    rules::JobFinding job = made_up::job(
        right ? "idle" : "busy", right ? rules::JobStatus::kFailed : rules::JobStatus::kCompleted,
        std::chrono::hours(90), std::chrono::hours(20), 10);
    job.stop = made_up::stop(
        job, 0, 0.5, verdict,
        right ? rules::StopGround::kBreachLasted : rules::StopGround::kMetricCameBack);
    findings.jobs.push_back(job);
  }
  findings.watches.front().not_kept = 0;
  findings.watches.front().missing = 0;
  const std::string text = unbroken(text_of(findings));
  for (const std::string_view part :
       {"1 right stop: spent after it, to the job's real end.", "1 wrong stop: spent before it on",
        "1 wrong: the policy may be wrong there."})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  for (const std::string_view part : {"Of 0", "of 0", "its data are"})
    EXPECT_FALSE(contains(text, part)) << part << "\n" << text;
  EXPECT_TRUE(contains(unbroken(text_of(made_up::fleet())), "spent after them, to each job's"));
}

TEST(FindingsOutput, NoJobsAreNoMistake) {
  const rules::Findings findings = made_up::findings();
  EXPECT_TRUE(contains(html_of(findings), "No training job was created"));
  EXPECT_TRUE(contains(text_of(findings), "0 training jobs"));
}

TEST(FindingsOutput, HostileTextIsShownInATerminal) {
  const std::string text = text_of(made_up::hostile());
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_TRUE(contains(text, "\\u001B[31m"));
  EXPECT_TRUE(contains(text, "\\u202E"));
  EXPECT_FALSE(contains(text, "\u202E"));
  EXPECT_FALSE(contains(text, "\u0085"));
}

TEST(FindingsOutput, HostileTextIsNoMarkup) {
  const std::string html = html_of(made_up::hostile());
  EXPECT_TRUE(contains(html, "&lt;script&gt;"));
  for (const std::string_view part :
       {"<script", "<img", "javascript:alert(1)\">", "\x1b", "\u202E"})
    EXPECT_FALSE(contains(html, part)) << part;
  // The page's own style is the only one, and it ends once.
  EXPECT_EQ(html.find("</style>"), html.rfind("</style>"));
}

TEST(FindingsOutput, APagesColorsAreItsOwn) {
  Page page({.color = true});
  page.line(Page::bold("\x1b[31mred") + " \x1b[0m\u202E and\nmore");
  EXPECT_EQ(page.take(), "\x1b[1m\\u001B[31mred\x1b[0m \\u001B[0m\\u202E and\\u000Amore\n");
}

TEST(FindingsOutput, ALogIsLinkedOnlyWhereItsNameIsSound) {
  const std::string arn = "arn:aws:sagemaker:eu-central-1:111122223333:training-job/run-1";
  EXPECT_EQ(log_link(arn, "run-1"),
            "https://eu-central-1.console.aws.amazon.com/cloudwatch/home?region=eu-central-1"
            "#logsV2:log-groups/log-group/$252Faws$252Fsagemaker$252FTrainingJobs"
            "$3FlogStreamNameFilter$3Drun-1$252F");
  EXPECT_TRUE(contains(log_link("arn:aws-cn:sagemaker:cn-north-1:1:x", "a"),
                       "//cn-north-1.console.amazonaws.cn/"));
  for (const std::string_view bad : {"", "a\"b", "a/b", "a b", "é"})
    EXPECT_EQ(log_link(arn, bad), "") << bad;
  for (const std::string_view bad : {"", "arn:aws", "arn:aws:sagemaker:evil.example/:1:x",
                                     "arn:mine:sagemaker:eu-central-1:1:x"})
    EXPECT_EQ(log_link(bad, "run-1"), "") << bad;
}

}  // namespace
}  // namespace trainwarden::cli::findings_output_test
