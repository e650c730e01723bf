// An export that is cut, and one that goes on with a file.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/handlers/cli/export/export_fixture.h"
#include "tests/handlers/cli/stdio_file.h"

namespace trainwarden::cli::export_resume_test {
namespace {

using export_fixture::Export;
using std::chrono::days;
using std::chrono::hours;
using testing::kThrottled;

TEST_F(Export, ThrottledItEndsWithAWholeDayAndGoesOn) {
  aws_.place({.name = "old", .age = hours(50)});
  aws_.place({.name = "new", .age = hours(1)});
  aws_.spare("Search", 2);
  aws_.refuse("Search", kThrottled, 1);
  const Printed cut = run();
  EXPECT_EQ(cut.status, 2);
  EXPECT_EQ(order(), "29| old 30| ");
  EXPECT_TRUE(has(cut.error, "AWS asks for fewer calls")) << cut.error;
  EXPECT_TRUE(has(cut.error,
                  "all jobs until 2026-06-30 are there; to go on: trainwarden export "
                  "--for policy.json --last 90d --out "))
      << cut.error;
  EXPECT_TRUE(has(cut.error, "--resume\n"));
  const Printed again = run(true);
  EXPECT_EQ(again.status, 0) << again.error;
  EXPECT_EQ(order(), "29| old 30| 01| new 02| end");
  EXPECT_EQ(run(true).status, 0);
  EXPECT_TRUE(has(run(true).error, "is whole already: 2 jobs"));
}

TEST_F(Export, ASessionThatEndsIsSaidSoAndGoesOn) {
  aws_.place({.name = "old", .age = hours(50)});
  aws_.spare("Search", 3);
  aws_.refuse("Search", {400, "ExpiredTokenException", "expired"}, 1);
  const Printed cut = run();
  EXPECT_EQ(cut.status, 2);
  EXPECT_TRUE(has(cut.error, "sign in again, then go on")) << cut.error;
  EXPECT_EQ(run(true).status, 0);
  EXPECT_EQ(order(), "29| old 30| 01| 02| end");
}

// A person's session, good for so many calls.
class Ending final : public aws::CredentialSource {
 public:
  explicit Ending(int calls) : calls_(calls) {}
  Result<aws::Credentials> current() override {
    if (calls_-- > 0) return aws::Credentials{"AKIDEXAMPLE", Secret("s"), Secret()};
    return fail(ErrorCode::kInvalidConfig, "the credentials have ended");
  }
  bool renew() override { return false; }

 private:
  int calls_;
};

// Wherever the session ends, no job is marked as one whose data nobody may have.
TEST_F(Export, ASessionThatEndsBetweenTheCallsOfADayCutsTheDay) {
  aws_.place({.name = "run", .age = hours(2), .since = hours(1)});
  aws_.place({.name = "bad",
              .status = "Failed",
              .secondary = "Failed",
              .age = hours(3),
              .more = R"(, "FailureReason": "AlgorithmError: , exit code: 1")"});
  for (int calls = 0; calls < 6; ++calls) {
    ::unlink(folder_.file().c_str());
    Ending source(calls);
    aws::Client ending(
        {{}, "eu-central-1", 1, aws::Endpoints::all_at("https://api.example/"), &source}, aws_,
        clock_, [] { return 0.0; });
    asking_ = &ending;
    const Printed cut = run();
    EXPECT_EQ(cut.status, 2) << calls;
    EXPECT_TRUE(has(cut.error, "sign in again, then go on")) << calls << cut.error;
    asking_ = &client_;
    EXPECT_EQ(run(true).status, 0);
    EXPECT_EQ(order(), "29| 30| 01| bad run 02| end") << calls;
    for (const std::string& line : lines()) EXPECT_FALSE(has(line, "unavailable")) << line;
  }
}

// What was written of a day that is not closed is taken away: it comes again, whole.
TEST_F(Export, AFileThatWasCutWithinALineGoesOnBehindItsLastWholeDay) {
  aws_.place({.name = "old", .age = hours(50)});
  aws_.place({.name = "new", .age = hours(1)});
  ASSERT_EQ(run().status, 0);
  const std::vector<std::string> whole = lines();
  std::string text;
  for (std::size_t i = 0; i < 4; ++i) text += whole[i] + "\n";
  {
    std::ofstream cut(folder_.file(), std::ios::trunc);
    cut << text << R"({"job": {"TrainingJobName": "half)";
  }
  clock_.advance(hours(5));  // the time that was asked for stays
  ASSERT_EQ(run(true).status, 0);
  const std::vector<std::string> again = lines();
  ASSERT_EQ(again.size(), whole.size());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(again[i], whole[i]);
  EXPECT_EQ(order(), "29| old 30| 01| new 02| end");
}

TEST_F(Export, AFileIsNotOverwrittenAndGoesOnOnlyAsItBegan) {
  ASSERT_EQ(run().status, 0);
  EXPECT_TRUE(has(run().error, "is there already: --resume"));
  {
    std::ofstream cut(folder_.file(), std::ios::trunc);
    cut << R"({"export":{"version":1,"since":"2026-06-29T13:50:00Z","until":"2026-07-02T13:50:00Z",)"
           R"("region":"eu-central-1","policy":"another"}})"
        << "\n";
  }
  EXPECT_TRUE(has(run(true).error, "begun for the policy another"));
  {
    std::ofstream other(folder_.file(), std::ios::trunc);
    other << "{\"mine\": 1}\n";
  }
  EXPECT_TRUE(has(run(true).error, "expected an export"));
  EXPECT_EQ(lines(), std::vector<std::string>{"{\"mine\": 1}"});
}

// A path that was mistyped costs nobody a file, nor its mode.
TEST_F(Export, WhatIsNoExportStaysAsItWas) {
  for (const std::string text : {"{\"mine\": 1}", "{\"mine\": 1}\n", "x", "{\"exports\":1}"}) {
    {
      std::ofstream other(folder_.file(), std::ios::trunc);
      other << text;
    }
    ASSERT_EQ(::chmod(folder_.file().c_str(), 0644), 0);
    EXPECT_TRUE(has(run(true).error, "expected an export")) << text;
    std::ifstream in(folder_.file());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
    struct stat found = {};
    ASSERT_EQ(::stat(folder_.file().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0644U) << text;
  }
}

// Killed while it wrote the first line.
TEST_F(Export, AFirstLineThatWasCutIsBegunAnew) {
  for (const char* const text : {"", "{\"ex", "{\"export\":{\"version\":1,"}) {
    {
      std::ofstream cut(folder_.file(), std::ios::trunc);
      cut << text;
    }
    EXPECT_EQ(run(true).status, 0) << text;
    EXPECT_TRUE(has(order(), "end")) << text;
  }
}

TEST_F(Export, APipeOrALinkIsNoFileToGoOnWith) {
  ASSERT_EQ(::mkfifo(folder_.file().c_str(), 0600), 0);
  EXPECT_TRUE(has(run(true).error, "expected a file, found a pipe or a device"));
  ::unlink(folder_.file().c_str());
  ASSERT_EQ(::symlink("elsewhere", folder_.file().c_str()), 0);
  EXPECT_TRUE(has(run(true).error, "expected a file, found a symbolic link"));
}

TEST_F(Export, AFileThatCannotGrowSaysHowToGoOn) {
  aws_.place({.name = "old", .age = hours(50)});
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 300;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Printed cut = run();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(cut.status, 2);
  EXPECT_TRUE(has(cut.error, "jobs.jsonl cannot be written: File too large\n")) << cut.error;
  EXPECT_TRUE(has(cut.error, "all jobs until 2026-06-29 are there; to go on: ")) << cut.error;
  EXPECT_TRUE(has(cut.error, "--resume\n")) << cut.error;
  EXPECT_EQ(run(true).status, 0);
  EXPECT_EQ(order(), "29| old 30| 01| 02| end");
}

TEST_F(Export, AfterTodayThereIsNothing) {
  const auto today = std::chrono::floor<days>(clock_.now());
  for (const int ahead : {0, 1, 900}) {
    inputs_.after = today + days(ahead);
    const Printed refused = run();
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(has(refused.error, "expected a day before today's (2026-07-02)")) << refused.error;
    EXPECT_TRUE(lines().empty());
    ::unlink(folder_.file().c_str());
  }
  inputs_.after = today - days(1);
  EXPECT_EQ(run().status, 0);
  EXPECT_EQ(order(), "02| end");
}

TEST_F(Export, InterruptedItSaysHowToGoOn) {
  aws_.place({.name = "old", .age = hours(50)});
  aws_.before("Search", [this] { interrupted_ = true; }, 3);
  const Printed cut = run();
  EXPECT_EQ(cut.status, 130);
  EXPECT_TRUE(has(cut.error, "interrupted\nall jobs until 2026-06-30 are there; to go on: "))
      << cut.error;
  interrupted_ = false;
  EXPECT_EQ(run(true).status, 0);
}

// A list has hundreds of types: those of the days that stood there before are among them.
TEST_F(Export, AnExportThatGoesOnHasThePricesOfOneThatWasNotCut) {
  aws_.place({.name = "old", .type = "ml.p5.48xlarge", .age = hours(50)});
  aws_.place({.name = "new", .age = hours(1)});
  ASSERT_EQ(run().status, 0);
  const std::vector<std::string> whole = lines();
  for (std::size_t kept = 1; kept + 1 < whole.size(); ++kept) {
    {
      std::ofstream cut(folder_.file(), std::ios::trunc);
      for (std::size_t i = 0; i < kept; ++i) cut << whole[i] << "\n";
    }
    const Printed again = run(true);
    ASSERT_EQ(again.status, 0) << again.error;
    EXPECT_EQ(lines(), whole) << kept;
    EXPECT_TRUE(has(again.error, "has none, or several, for ml.p5.48xlarge\n")) << again.error;
  }
}

}  // namespace
}  // namespace trainwarden::cli::export_resume_test
