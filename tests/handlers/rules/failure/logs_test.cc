// Diagnosis on whole logs: of jobs that succeeded and that failed, alone and one behind the other.
// The corpora lie in ../shared/vectors and are skipped, with a count, where that is missing; the
// logs and failures of this folder hold alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "tests/handlers/rules/failure/cases.h"

namespace trainwarden::rules::logs_test {
namespace {

using namespace failure_cases;

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Score {
  int ran = 0;
  int labels = 0;
  int resumes = 0;
  int changed = 0;

  void add(const Case& c, const Diagnosis& before, const Diagnosis& now) {
    ++ran;
    labels += name(now.label) == c.label ? 1 : 0;
    resumes += name(now.resume) == c.resume ? 1 : 0;
    changed += verdict(before) != verdict(now) ? 1 : 0;
    EXPECT_FALSE(c.label == "user_code" && now.resume == RunAgain::kYes) << c.reason;
  }
  void tell(std::string_view what) const {
    std::cout << what << ": " << ran << " cases ran, " << labels << " labels and " << resumes
              << " resume verdicts agree, " << changed << " changed\n";
  }
};

void expect_nothing_told(const std::vector<Case>& logs) {
  std::size_t lines = 0;
  for (const Case& log : logs) {
    const Diagnosis whole = of("", log.log);
    EXPECT_EQ(verdict(whole), "unknown/once") << whole.evidence;
    for (const std::string& line : log.log) {
      ++lines;
      const Diagnosis one = of("", {line});
      EXPECT_EQ(verdict(one), "unknown/once") << line;
    }
  }
  std::cout << logs.size() << " logs and " << lines << " lines ran\n";
}

// F7: a log of a job that succeeded says nothing, whole and each of its lines alone.
TEST(Logs, F7_SuccessesSayNothing) {
  REQUIRE_SHARED(kLogs);
  const std::vector<Case> ok = logs(true);
  EXPECT_GE(ok.size(), 72U);
  expect_nothing_told(ok);
}

TEST(Logs, F7_OwnSuccessesSayNothing) {
  const std::vector<Case> ok = own_logs();
  EXPECT_GE(ok.size(), 5U);
  expect_nothing_told(ok);
}

TEST(Logs, CompleteLogsOfFailures) {
  REQUIRE_SHARED(kLogs);
  Score score;
  for (const Case& c : logs(false)) score.add(c, of(c), of(c));
  score.tell("complete logs of failures");
  EXPECT_GE(score.ran, 23);
  EXPECT_GE(score.labels * 32, score.ran * 28);
  EXPECT_GE(score.resumes * 32, score.ran * 30);
}

// F8: what a job printed before it failed changes nothing.
void expect_behind(const std::vector<Case>& failed, const std::vector<Case>& ok, std::size_t each) {
  Score score;
  std::size_t next = 0;
  for (const Case& c : failed) {
    const Diagnosis alone = of(c);
    for (std::size_t n = 0; n < each; ++n) {
      const Case& log = ok[next++ % ok.size()];
      const Diagnosis now = of(c.reason, joined(log.log, c.log));
      EXPECT_EQ(verdict(now), verdict(alone)) << "rests on: " << now.evidence;
      score.add(c, alone, now);
    }
  }
  score.tell("behind logs of successes");
  EXPECT_EQ(score.changed, 0);
  EXPECT_GE(score.labels * 100, score.ran * 93);
  EXPECT_GE(score.resumes * 100, score.ran * 95);
}

TEST(Logs, F8_ASuccessBeforeAFailureChangesNothing) {
  REQUIRE_SHARED(kLogs);
  expect_behind(failures(), logs(true), 6);
}

TEST(Logs, F8_AnOwnSuccessBeforeAFailureChangesNothing) {
  expect_behind(own_failures(), own_logs(), 1);
}

// F8: hosts go on printing for a while after another's death.
void expect_after(const std::vector<Case>& failed, const std::vector<Case>& ok, std::size_t lines) {
  Score score;
  std::size_t next = 0;
  for (const Case& c : failed) {
    if (c.log.empty()) continue;
    const std::vector<std::string>& log = ok[next++ % ok.size()].log;
    const auto from =
        static_cast<std::ptrdiff_t>(next % 2 == 0 ? 0 : log.size() - std::min(lines, log.size()));
    const auto count = static_cast<std::ptrdiff_t>(std::min(lines, log.size()));
    const std::vector<std::string> tail(log.begin() + from, log.begin() + from + count);
    score.add(c, of(c), of(c.reason, joined(c.log, tail)));
  }
  score.tell(std::to_string(lines) + " lines after the failure");
  EXPECT_GE(score.labels * 100, score.ran * 85);
  EXPECT_GE(score.resumes * 100, score.ran * 90);
}

TEST(Logs, F8_LinesAfterTheFailure) {
  REQUIRE_SHARED(kLogs);
  expect_after(failures(), logs(true), 15);
  expect_after(failures(), logs(true), 60);
}

TEST(Logs, F8_OwnLinesAfterTheFailure) {
  expect_after(own_failures(), own_logs(), 15);
  expect_after(own_failures(), own_logs(), 60);
}

// A failure of many ranks, as their lines come out of one pipe.
std::vector<std::vector<std::string>> ranks() {
  return {
      {"[rank0]: Traceback (most recent call last):",
       "[rank0]:   File \"/opt/ml/code/train.py\", line 88, in main",
       "[rank0]:     loss.backward()",
       "[rank0]: torch.distributed.DistBackendError: NCCL communicator was aborted on rank 0."},
      {"[rank1]: Traceback (most recent call last):",
       "[rank1]:   File \"/opt/ml/code/train.py\", line 80, in main", "[rank1]:     out = model(x)",
       "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 "
       "has a total capacity of 15.77 GiB of which 1.10 GiB is free."},
      {"[rank2]:[E101 00:00:00.0 ProcessGroupNCCL.cpp:632] [Rank 2] Watchdog caught collective "
       "operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, Timeout(ms)=600000) ran for "
       "600013 milliseconds before timing out."}};
}

std::vector<std::string> flat(const std::vector<std::vector<std::string>>& parts) {
  std::vector<std::string> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

TEST(Logs, F8_TheOrderOfRanksChangesNothing) {
  std::vector<std::vector<std::string>> parts = ranks();
  std::ranges::sort(parts);
  do {
    EXPECT_EQ(verdict(of("", flat(parts))), "oom_gpu/no");
  } while (std::ranges::next_permutation(parts).found);
}

// F8: what transports, shells and launchers add changes nothing.
TEST(Logs, F8_WhatIsAddedAroundAFailureChangesNothing) {
  const std::vector<std::string> shutdown = {
      "WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 12 closing signal "
      "SIGTERM",
      "2024-01-01 10:00:00,000 sagemaker-training-toolkit INFO     Waiting for the process to "
      "finish "
      "and give a return code.",
      "2024-01-01 10:00:00,000 sagemaker-training-toolkit ERROR    Reporting training FAILURE",
      "2024-01-01 10:00:00,000 sagemaker-training-toolkit ERROR    ExecuteUserScriptError:",
      "ExitCode 1",
      "Command \"/usr/bin/python train.py --retry 3\"",
      "2024-01-01 10:00:00,000 sagemaker-training-toolkit ERROR    Encountered exit_code 1"};
  const std::vector<Case> failed = own_failures();
  int ran = 0;
  for (const Case& c : failed) {
    // One exception, in a line.
    if (!c.reason.empty() || c.log.size() != 1 || !c.log[0].contains("Error: ") ||
        c.log[0].starts_with('[') || c.label == "unknown" || c.label == "interrupted")
      continue;
    const std::string alone = verdict(of(c));
    const std::string& line = c.log[0];
    for (const std::string& added :
         {"\x1b[34m" + line + "\x1b[0m", "[1,mpirank:3,algo-2]<stderr>:" + line, "[rank3]: " + line,
          "(RayTrainWorker pid=12, ip=10.0.0.1) " + line, "2024-01-01T10:00:00.123Z " + line,
          "ks8vy-algo-1-xezda | " + line})
      EXPECT_EQ(verdict(of("", {added})), alone) << added;
    EXPECT_EQ(verdict(of("", {line, line})), alone) << line;
    EXPECT_EQ(verdict(of("", joined({line}, shutdown))), alone) << line;
    ++ran;
  }
  std::cout << ran << " failures ran\n";
  EXPECT_GT(ran, 100);
}

}  // namespace
}  // namespace trainwarden::rules::logs_test
