// Diagnosis: what a failure's words mean. failure_cases.jsonl holds texts of each family with the
// label and verdict that the definitions in policy.md give them.
#include "handlers/rules/failure/diagnose.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "handlers/rules/failure/failure_signatures.h"
#include "handlers/rules/failure/phrase_search.h"
#include "tests/handlers/rules/support.h"
#include "tests/support/files.h"

namespace trainwarden::rules {
namespace {

std::string verdict(const Diagnosis& d) {
  return std::string(d.label) + "/" + std::string(d.resume);
}

std::string of_log(std::vector<std::string_view> log) { return verdict(diagnose_texts("", log)); }

std::vector<std::string_view> lines_of(json::Value list) {
  std::vector<std::string_view> out;
  for (const json::Value line : list.elements()) out.push_back(line.as_string());
  return out;
}

// Text that is there, or empty: FailureReason may be null.
std::string_view text_of(json::Value object, std::string_view name) {
  return string_of(object, name).value_or("");
}

TEST(Diagnose, EveryFamilyOfTexts) {
  std::ifstream in("tests/handlers/rules/failure/failure_cases.jsonl");
  int ran = 0;
  for (std::string line; std::getline(in, line); ++ran) {
    const auto document = json::Document::parse(line);
    ASSERT_TRUE(document) << line;
    const json::Value c = document->root();
    const Diagnosis d = diagnose_texts(text_of(c, "reason"), lines_of(*c.find("log")));
    EXPECT_EQ(verdict(d),
              std::string(text_of(c, "label")) + "/" + std::string(text_of(c, "resume")))
        << line << "\nrests on: " << d.evidence;
  }
  EXPECT_GT(ran, 250);
}

// Texts of public threads with a careful label: ../shared/vectors/failures-guide.md.
TEST(Diagnose, AgreesWithTheLabelsOfRealFailures) {
  const std::filesystem::path path = trainwarden::testing::kShared / "vectors/failures.jsonl";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "191 cases need " << path.string() << ", which is not here";
  std::ifstream in(path);
  int ran = 0;
  int labels = 0;
  int resumes = 0;
  for (std::string line; std::getline(in, line); ++ran) {
    const auto document = json::Document::parse(line);
    ASSERT_TRUE(document) << line;
    const json::Value c = document->root();
    const Diagnosis d = diagnose_texts(text_of(c, "failure_reason"), lines_of(*c.find("log_tail")));
    labels += d.label == text_of(c, "label") ? 1 : 0;
    resumes += d.resume == text_of(c, "resume") ? 1 : 0;
    EXPECT_FALSE(text_of(c, "label") == "user_code" && d.resume == "yes") << line;
  }
  std::cout << ran << " cases ran: " << labels << " labels and " << resumes
            << " resume verdicts agree\n";
  EXPECT_GE(ran, 150);
  EXPECT_GE(labels * 100, ran * 95);
  EXPECT_GE(resumes * 100, ran * 97);
}

TEST(Diagnose, RootCausesOutrankWhatTheyLeaveBehind) {
  EXPECT_EQ(of_log({"[rank1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=10)",
                    "[rank3] ConnectionResetError: [Errno 104] Connection reset by peer",
                    "[rank2] KeyError: 'loss'", "Sending process 5 closing signal SIGTERM",
                    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"}),
            "user_code/no");
  EXPECT_EQ(of_log({"[rank1] KeyError: 'loss'", "[rank2] CUDA error: uncorrectable ECC error"}),
            "hardware/yes");
  // Of two causes, the first.
  EXPECT_EQ(of_log({"OSError: [Errno 28] No space left on device", "CUDA out of memory."}),
            "disk/no");
  EXPECT_EQ(of_log({"CUDA out of memory.", "OSError: [Errno 28] No space left on device"}),
            "oom_gpu/no");
}

TEST(Diagnose, NoUserCodeIsEverResumedWithoutLimit) {
  for (const Signature& row : failure_signatures()) {
    EXPECT_FALSE(row.label == "user_code" && row.resume == "yes") << row.phrases;
    EXPECT_FALSE(row.why.empty()) << row.phrases;
  }
}

// What an exception about names in the program quotes did not happen.
TEST(Diagnose, WordsThatTheProgramQuotesResumeNothing) {
  EXPECT_EQ(of_log({"AttributeError: module 'botocore' has no attribute 'ThrottlingException'"}),
            "user_code/no");
  EXPECT_EQ(of_log({"KeyError: 'InsufficientInstanceCapacity'"}), "user_code/no");
  // A remote service's answer in the program's traceback is the service's (the guide's own rule).
  EXPECT_EQ(of_log({"RuntimeError: upload failed: 503 Server Error: Service Unavailable"}),
            "service/yes");
}

TEST(Diagnose, WhatIsOnlyReportedOrWarnedOfCountsLessThanTheProgramsOwnFailure) {
  const std::string_view died = "ZeroDivisionError: division by zero";
  EXPECT_EQ(of_log({"[INFO] the checkpoint file /opt/ml/c.json does not exist.", died}),
            "user_code/no");
  EXPECT_EQ(of_log({"[WARNING] allocator: there is high memory pressure", died}), "user_code/no");
  EXPECT_EQ(of_log({"No checkpoint found, starting training from scratch", died}), "user_code/no");
}

TEST(Diagnose, HintsCountWhereNothingSaysMore) {
  EXPECT_EQ(of_log({"fatal: the scratch disk of this job is not what it was"}), "disk/no");
  EXPECT_EQ(of_log({"the scratch disk is fine"}), "unknown/once");        // tells of no failure
  EXPECT_EQ(of_log({"failed in /mnt/disk/storage.py"}), "unknown/once");  // a path
  EXPECT_EQ(of_log({"fatal: the disk", "KeyError: 'x'"}), "user_code/no");
}

// A phrase that a row above always wins over would be dead.
TEST(Diagnose, NoPhraseOfTheTableIsShadowed) {
  for (const Signature& row : failure_signatures()) {
    std::string_view rest = row.phrases;
    while (!rest.empty()) {
      const std::size_t end = rest.find(" | ");
      std::string phrase(rest.substr(0, end));
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 3);
      for (std::size_t at = phrase.find('*'); at != phrase.npos; at = phrase.find('*'))
        phrase.replace(at, 1, "x");
      // Hints count only in lines that tell of a failure.
      if (row.rank == Rank::kHint) phrase = "failed: " + phrase;
      EXPECT_EQ(diagnose_texts("", std::vector<std::string_view>{phrase}).label, row.label)
          << phrase;
    }
  }
}

TEST(Diagnose, LogsAreAskedForOnlyWhereTheReasonDoesNotTell) {
  EXPECT_TRUE(diagnose_reason("CapacityError: Unable to provision requested ML compute capacity.")
                  .conclusive);
  EXPECT_TRUE(diagnose_reason("InternalServerError: We encountered an internal error.").conclusive);
  EXPECT_TRUE(diagnose_reason("ClientError: No value(s) were specified for 'k'").conclusive);
  EXPECT_TRUE(diagnose_reason("AlgorithmError: ExecuteUserScriptError:\nErrorMessage \"CUDA out of "
                              "memory. Tried to allocate 2.00 GiB\"")
                  .conclusive);
  // Wrappers, bare signals, and exceptions that another may have caused.
  EXPECT_FALSE(diagnose_reason("").conclusive);
  EXPECT_FALSE(diagnose_reason("AlgorithmError: Exit Code: 1").conclusive);
  EXPECT_FALSE(diagnose_reason("AlgorithmError: , exit code: 137").conclusive);
  EXPECT_FALSE(diagnose_reason("AlgorithmError: RuntimeError: it did not work").conclusive);
}

TEST(Diagnose, TheReasonCountsMoreThanLogsOfTheSameWeight) {
  const std::vector<std::string_view> log = {"ConnectionResetError: Connection reset by peer"};
  EXPECT_EQ(verdict(diagnose_texts("AlgorithmError: , exit code: 137", log)), "oom_host/once");
  EXPECT_EQ(verdict(diagnose_texts("AlgorithmError: , exit code: 1", log)), "network/once");
}

TEST(Diagnose, ThePlatformsBareWordYieldsToACauseInTheLogs) {
  static constexpr std::string_view kReason =
      "InternalServerError: We encountered an internal error. Please try again.";
  const auto with_log = [](std::string_view line) {
    return verdict(diagnose_texts(kReason, std::vector<std::string_view>{line}));
  };
  EXPECT_EQ(with_log("Platform Error: SageMaker pipe channel timed out."), "service/once");
  EXPECT_EQ(with_log("OSError: [Errno 28] No space left on device"), "disk/no");
  // What is no cause, or perhaps none of this failure, does not.
  EXPECT_EQ(with_log("KeyError: 'x'"), "service/yes");
  EXPECT_EQ(with_log("Epoch 3 done"), "service/yes");
}

TEST(Diagnose, OnlyFailedJobsHaveADiagnosis) {
  const auto how = [](std::string_view describe) {
    Diagnosis d;
    const auto document = test::doc(describe);
    const Diagnosed told = diagnose(document.root(), std::nullopt, d);
    return std::pair(told, verdict(d));
  };
  EXPECT_EQ(how(R"({"TrainingJobStatus": "Completed", "FailureReason": "CapacityError: x"})").first,
            Diagnosed::kNoFailure);
  EXPECT_EQ(how(R"({"TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: x"})").first,
            Diagnosed::kAskTheLogs);
  EXPECT_EQ(how(R"({"TrainingJobStatus": "Failed"})").first, Diagnosed::kAskTheLogs);
  EXPECT_EQ(
      how(R"({"TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxWaitTimeExceeded"})").second,
      "timeout/once");
}

TEST(Diagnose, LogsThatAreEmptyTellNothing) {
  Diagnosis d;
  const auto describe =
      test::doc(R"({"TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: "})");
  const auto logs = test::doc(R"({"tail": []})");
  EXPECT_EQ(diagnose(describe.root(), logs.root(), d), Diagnosed::kTold);
  EXPECT_EQ(verdict(d), "unknown/once");
}

TEST(DiagnoseEvidence, IsTheLineItRestsOn) {
  EXPECT_EQ(
      diagnose_texts("", std::vector<std::string_view>{"epoch 1", "  KeyError: 'loss'  ", "x"})
          .evidence,
      "KeyError: 'loss'");
}

TEST(DiagnoseEvidence, IsShortCleanAndValid) {
  const std::string noise(5000, 'x');
  const std::string line =
      "\x1b[31m\x01" + noise.substr(0, 300) + "  \t CUDA out of memory. \xff\xfe" + noise;
  const Diagnosis d = diagnose_texts("", std::vector<std::string_view>{line});
  EXPECT_EQ(verdict(d), "oom_gpu/no");
  EXPECT_LE(d.evidence.size(), 200U);
  EXPECT_NE(d.evidence.find("CUDA out of memory. \xef\xbf\xbd"), std::string::npos) << d.evidence;
  for (const char c : d.evidence) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << d.evidence;
}

// R1: FailureReason quotes the command line, and with it the hyperparameters.
TEST(DiagnoseEvidence, R1_ShowsNoHyperparametersNorEnvironment) {
  Diagnosis d;
  const auto describe = test::doc(R"({"TrainingJobStatus": "Failed",
      "FailureReason": "AlgorithmError: ExecuteUserScriptError:\nErrorMessage \"KeyError: 'hunter22'\"\nCommand \"/opt/conda/bin/python train.py --token hunter22 --lr 0.1\", exit code: 1",
      "HyperParameters": {"token": "\"hunter22\""}, "Environment": {"HF": "s3cr3t"}})");
  const auto logs = test::doc(
      R"({"tail": ["ValueError: cannot log in with s3cr3t or hunter22, python train.py --token hunter22"]})");
  ASSERT_EQ(diagnose(describe.root(), logs.root(), d), Diagnosed::kTold);
  EXPECT_EQ(d.evidence.find("hunter22"), std::string::npos) << d.evidence;
  EXPECT_EQ(d.evidence.find("s3cr3t"), std::string::npos) << d.evidence;
  EXPECT_NE(d.evidence.find("KeyError: '…'"), std::string::npos) << d.evidence;
  EXPECT_EQ(
      diagnose_texts(
          "", std::vector<std::string_view>{"train.py: error: unrecognized arguments: x --token y"})
          .evidence,
      "train.py: error: unrecognized arguments: x");
  // A secret that the cut would halve is cut out whole.
  const std::string secret(100, 'q');
  const std::string line = "KeyError: " + std::string(150, 'a') + " " + secret;
  EXPECT_EQ(
      diagnose_texts("", std::vector<std::string_view>{line}, std::vector<std::string_view>{secret})
          .evidence.find('q'),
      std::string::npos);
}

// The record tells the verdict and the line it rests on, whole.
TEST(DiagnoseEvidence, R1_StandsBesideTheVerdictInTheDecision) {
  const Policy policy = test::policy(R"({"version": 1, "rules": [{"name": "r", "match":
      {"failure": {"resume": ["no"]}}, "actions": ["notify"]}]})");
  Sources sources(test::running());
  sources.set(Source::kDescribe,
              test::doc(R"({"TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: "})"));
  const std::string line = "ValueError: " + std::string(100, 'x');
  sources.set(Source::kLogs, test::doc(R"({"tail": [")" + line + R"("]})"));
  const Evaluation out = decide(policy, facts_from(sources, test::kNow), Mode::kEnforce);
  ASSERT_EQ(out.decisions.size(), 1U);
  const auto& because = out.decisions[0].because;
  ASSERT_EQ(because.size(), 2U);
  EXPECT_EQ(because[0].path, "failure.resume");
  EXPECT_EQ(because[0].value, "no");
  EXPECT_EQ(because[1].path, "failure.evidence");
  EXPECT_EQ(because[1].value, line);
  EXPECT_TRUE(out.decisions[0].rests_on.contains(Source::kLogs));
}

TEST(Diagnose, HostileTextsAreOnlyLong) {
  const std::vector<std::string> hostile = {
      std::string(1 << 20, 'e'), std::string(1 << 20, '\n'), std::string(1 << 20, '\xff'),
      std::string(1 << 20, '['), [] {
        std::string out;
        while (out.size() < (1 << 20))
          out += "xid epoch [1:1:1 ran out of memor exit code error: Error:";
        return out;
      }()};
  for (const std::string& text : hostile) {
    const std::vector<std::string_view> log(20, text);
    const Diagnosis d = diagnose_texts(text, log);
    EXPECT_LE(d.evidence.size(), 200U);
  }
}

TEST(Diagnose, OfLongLogsTheEndCounts) {
  std::vector<std::string_view> log = {"CUDA out of memory."};
  const std::string filler(1000, '.');
  for (int i = 0; i < 100; ++i) log.push_back(filler);
  log.push_back("KeyError: 'loss'");
  EXPECT_EQ(of_log(log), "user_code/no");
}

std::vector<std::size_t> rows_found(std::string_view text, std::vector<PhraseSearch::Row> rows) {
  std::vector<std::size_t> out;
  for (const auto& hit : PhraseSearch(rows).search(text)) out.push_back(hit.row);
  return out;
}

TEST(PhraseSearch, PartsStandInOrderOnOneLineNotFarApart) {
  using Rows = std::vector<std::size_t>;
  const std::vector<PhraseSearch::Row> row = {{"disk * full", ""}};
  EXPECT_EQ(rows_found("the disk is now full", row), Rows{0});
  EXPECT_EQ(rows_found("disk: disk full", row), Rows{0});
  EXPECT_EQ(rows_found("a full disk", row), Rows{});
  EXPECT_EQ(rows_found("the disk\nis full", row), Rows{});
  EXPECT_EQ(rows_found("the disk " + std::string(200, '.') + " full", row), Rows{});
  EXPECT_EQ(rows_found("disk " + std::string(200, '.') + " disk full", row), Rows{0});
}

TEST(PhraseSearch, UnlessLooksAtTheWholeLine) {
  using Rows = std::vector<std::size_t>;
  const std::vector<PhraseSearch::Row> row = {{"quota | limit", "disk quota"}};
  EXPECT_EQ(rows_found("quota\nlimit", row), (Rows{0, 0}));
  EXPECT_EQ(rows_found("limit of the disk quota\nquota", row), Rows{0});
  EXPECT_EQ(rows_found("quo", row), Rows{});
  EXPECT_EQ(rows_found("", row), Rows{});
}

}  // namespace
}  // namespace trainwarden::rules
