// Diagnosis: what a failure's words mean. failure_cases.jsonl holds texts of each family with the
// label and verdict that the definitions in policy.md give them.
#include "handlers/rules/failure/diagnose.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "handlers/rules/failure/signatures.h"
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

// F7: so they are in other languages, in a program's own exceptions, and in what it logs.
TEST(Diagnose, F7_BugsOfAnyFormAreNeverResumed) {
  std::ifstream in("tests/handlers/rules/failure/bugs.jsonl");
  int ran = 0;
  for (std::string line; std::getline(in, line); ++ran) {
    const auto document = json::Document::parse(line);
    ASSERT_TRUE(document) << line;
    const std::vector<std::string_view> log = lines_of(*document->root().find("log"));
    std::string reason = "AlgorithmError: ExecuteUserScriptError:\nExitCode 1\nErrorMessage \"";
    for (const std::string_view one : log) reason += std::string(one) + "\n";
    for (const Diagnosis& d : {diagnose_texts("", log), diagnose_texts(reason, {})})
      EXPECT_NE(d.resume, "yes") << line << " is " << verdict(d) << ": " << d.evidence;
  }
  EXPECT_GE(ran, 60);
}

// The same words are a machine's where they name what is outside of the program, or where an
// installed package raised them.
TEST(Diagnose, F7_AProgramMayTellOfMachines) {
  EXPECT_EQ(of_log({"Traceback (most recent call last):",
                    "  File \"/opt/ml/code/train.py\", line 3, in main", "    step()",
                    "RuntimeError: CUDA error: uncorrectable ECC error encountered"}),
            "hardware/yes");
  EXPECT_EQ(
      of_log({"Traceback (most recent call last):",
              "  File \"/opt/conda/lib/python3.10/site-packages/openai/_base_client.py\", line 3, "
              "in request",
              "    raise err", "openai.RateLimitError: Error code: 429 - slow down"}),
      "service/yes");
  EXPECT_EQ(of_log({"Traceback (most recent call last):",
                    "  File \"/opt/ml/code/limits.py\", line 3, in take", "    raise err",
                    "limits.RateLimitError: the bucket of agent 3 is empty"}),
            "service/once");
}

// F7: where nothing else tells, an ordinary line may; not one that prints a label, a plan or a
// count.
TEST(Diagnose, F7_WhatAProgramOnlyMentionsResumesNothing) {
  for (const std::string_view line :
       {"dataset card: 'GPU has fallen off the bus' is class 7",
        "label 12 = uncorrectable ECC error", "Injected node failure into simulated host 3",
        "health check passed: no Xid, no ECC errors",
        "Will resume automatically if the instance is preempted", "num_preempted=0 num_failed=0",
        "retry policy: resume on 503 Service Unavailable",
        "question: why was my spot instance terminated?",
        "Episode 12: spot instance reclaimed, reward -10"})
    EXPECT_FALSE(of_log({"epoch 1 loss 0.3", line}).ends_with("/yes")) << line;
  EXPECT_EQ(of_log({"epoch 1 loss 0.3", "Compute Engine instance was preempted."}),
            "interrupted/yes");
}

// The command line that an exception quotes happened to nobody.
TEST(Diagnose, F7_QuotedCommandsBearNoVerdict) {
  const std::string_view ended =
      "subprocess.CalledProcessError: Command '['python', 'train.py', "
      "'--on', 'ECC error']' returned non-zero exit status 1.";
  EXPECT_EQ(of_log({ended}), "unknown/once");
  EXPECT_EQ(of_log({"KeyError: 'loss'", ended}), "user_code/no");
  EXPECT_EQ(of_log({"subprocess.CalledProcessError: Command '['nvidia-smi']' died with "
                    "<Signals.SIGKILL: 9>."}),
            "oom_host/once");
}

// F7: plain bugs in the words of hardware, networks and spot instances are the program's own.
TEST(Diagnose, F7_BugsInTheWordsOfMachinesAreNeverResumed) {
  std::ifstream in("tests/handlers/rules/failure/bugs.txt");
  int ran = 0;
  for (std::string bug; std::getline(in, bug); ++ran) {
    const std::string reason =
        "AlgorithmError: ExecuteUserScriptError:\nExitCode 1\nErrorMessage \"" + bug +
        "\"\nCommand \"/usr/bin/python train.py\", exit code: 1";
    for (const Diagnosis& d :
         {diagnose_texts("", std::vector<std::string_view>{bug}),
          diagnose_texts(
              "", std::vector<std::string_view>{"Traceback (most recent call last):",
                                                "  File \"/opt/ml/code/train.py\", line 3, in main",
                                                "    step()", bug}),
          diagnose_texts(reason, {})})
      EXPECT_NE(d.resume, "yes") << bug << " is " << verdict(d);
  }
  EXPECT_GE(ran, 40);
}

// F7: the same words, where a machine or a service says them.
TEST(Diagnose, F7_TheSameWordsOfAMachineAreResumed) {
  EXPECT_EQ(of_log({"GPU 3: uncorrectable ECC error encountered"}), "hardware/yes");
  EXPECT_EQ(of_log({"RuntimeError: CUDA error: uncorrectable ECC error encountered"}),
            "hardware/yes");
  EXPECT_EQ(of_log({"Warning  NodeNotReady  node/n1  Node is not ready"}), "hardware/yes");
  // Who raised it tells: an installed package's words are not the user's.
  EXPECT_EQ(of_log({"Traceback (most recent call last):",
                    "  File \"/usr/lib/python3/site-packages/agent/run.py\", line 3, in run",
                    "    raise RuntimeError(\"node failed the node check\")",
                    "RuntimeError: node failed the node check"}),
            "hardware/yes");
  EXPECT_EQ(of_log({"Traceback (most recent call last):",
                    "  File \"/opt/ml/code/graph.py\", line 3, in run",
                    "    raise RuntimeError(\"node failed the node check\")",
                    "RuntimeError: node failed the node check"}),
            "user_code/no");
}

// F7: what only shows settings, commands, source or progress bears no verdict.
TEST(Diagnose, F7_OnlyWhatReportsAFailureBearsAVerdict) {
  for (const std::string_view line :
       {"SM_HPS={\"mini_batch_size\": 32, \"on_failure\": \"cuda out of memory\"}",
        "mpirun -np 8 -x NCCL_DEBUG=INFO train --retry no space left on device",
        "2024-01-01 10:00:00,000 sagemaker-training-toolkit INFO     no space left on device: no",
        "{'a': 1, 'b': 2, 'c': 3, 'mini_batch_size': '1000', 'd': 'out of memory handler'}",
        "  3%|▎         | 3/100 [00:01<00:40,  2.4it/s, loss=0.1]", "Speed: 286.897910 samples/sec",
        "Determined delimiter of CSV input is ','", "UserWarning: Failed to import matplotlib",

        "Exception ignored in: <function Pool.__del__ at 0x7f>"})
    EXPECT_EQ(of_log({line}), "unknown/once") << line;
  // Followed by what does, only that counts.
  EXPECT_EQ(of_log({"2024-01-01 10:00:00,000 INFO no space left on device", "KeyError: 'x'"}),
            "user_code/no");
}

// F8: an ordinary line counts among the last dozen only, and only where no report tells.
TEST(Diagnose, F8_OrdinaryLinesCountNearTheEndOnly) {
  const std::string_view told = "the host had too many open files";
  EXPECT_EQ(of_log({told}), "config/no");
  std::vector<std::string_view> log = {told};
  for (int i = 0; i < 20; ++i) log.push_back("a line about nothing");
  EXPECT_EQ(of_log(log), "unknown/once");
  EXPECT_EQ(of_log({told, "KeyError: 'x'"}), "user_code/no");
  // A report counts wherever it stands.
  log[0] = "OSError: [Errno 28] No space left on device";
  EXPECT_EQ(of_log(log), "disk/no");
}

// F8: of a chain of exceptions, what the program meant to get over counts less.
TEST(Diagnose, F8_WhatWasHandledCountsLess) {
  EXPECT_EQ(
      of_log({"Traceback (most recent call last):", "  File \"t.py\", line 1, in f", "    d['x']",
              "KeyError: 'x'", "",
              "During handling of the above exception, another exception occurred:", "",
              "Traceback (most recent call last):", "  File \"t.py\", line 2, in f", "    open(p)",
              "FileNotFoundError: [Errno 2] No such file or directory: '/data/a.csv'"}),
      "data/no");
}

// F9: FailureReason is one line that holds the end of a log.
TEST(Diagnose, F9_AReasonIsBrokenIntoLines) {
  EXPECT_EQ(
      verdict(diagnose_texts(
          "AlgorithmError: ExecuteUserScriptError: ExitCode 1 ErrorMessage \"RuntimeError: CUDA "
          "out of memory. Tried to allocate 2.00 GiB Traceback (most recent call last): File "
          "\"/opt/ml/code/t.py\", line 3, in main raise ValueError(\"no capacity\")\" Command "
          "\"/usr/bin/python t.py\"",
          {})),
      "oom_gpu/no");
  EXPECT_EQ(
      verdict(diagnose_texts(
          "AlgorithmError: ExecuteUserScriptError: ErrorMessage \"Traceback (most recent call "
          "last): File \"/opt/ml/code/t.py\", line 3, in main check(\"fallen off the bus\") "
          "KeyError: 'a'\" Command \"/usr/bin/python t.py\"",
          {})),
      "user_code/no");
}

// F9: one line of 64 KiB is broken up at the same marks.
TEST(Diagnose, F9_ALogOnOneLine) {
  std::string line;
  while (line.size() < 60 * 1024) line += "2024-01-01 10:00:00,000 INFO step 1 of many ";
  const std::string failed = line + "2024-01-01 10:00:01,000 ERROR CUDA out of memory. " + line;
  EXPECT_EQ(verdict(diagnose_texts("", std::vector<std::string_view>{line})), "unknown/once");
  EXPECT_EQ(verdict(diagnose_texts(
                "", std::vector<std::string_view>{failed.substr(line.size() - 1000, 63 * 1024)})),
            "oom_gpu/no");
}

// F10: a team's own signatures come before ours, where a line may bear a verdict.
TEST(Diagnose, F10_OwnSignaturesComeFirst) {
  const std::vector<OwnSignature> own = {{signature_text("Licence server * busy"), "service", "yes",
                                          "they come back within the hour"}};
  const auto with = [&own](std::string_view line) {
    const std::vector<std::string_view> log = {line};
    return verdict(diagnose_texts({.reason = {}, .log = log, .secrets = {}, .own = own}));
  };
  EXPECT_EQ(with("ValueError: the licence server of ACME is Busy"), "service/yes");
  EXPECT_EQ(with("OSError: [Errno 28] licence server busy: No space left on device"),
            "service/yes");
  EXPECT_EQ(with("ValueError: the licence is busy"), "user_code/no");
  EXPECT_EQ(with("2024-01-01 10:00:00,000 INFO licence server busy"), "unknown/once");
  EXPECT_EQ(with("Command \"train --on licence server busy\""), "unknown/once");
}

// F11: how it came about: what counted first, then what lost against it.
TEST(Diagnose, F11_TellsWhy) {
  const std::vector<std::string_view> log = {"KeyError: 'x'",
                                             "NVRM: GPU 3 has fallen off the bus."};
  std::vector<Reading> why;
  const Diagnosis d = explain_texts({.reason = {}, .log = log, .secrets = {}, .own = {}}, why);
  EXPECT_EQ(verdict(d), "hardware/yes");
  ASSERT_GE(why.size(), 2U);
  EXPECT_EQ(why[0].line, log[1]);
  EXPECT_EQ(why[0].structure, "kernel or driver");
  EXPECT_EQ(why[0].id, "hardware.gpu_lost");
  EXPECT_FALSE(why[0].why.empty());
  EXPECT_EQ(why.back().line, log[0]);
  EXPECT_EQ(why.back().structure, "exception");
}

// R1: evidence is the line that names the cause, not one that raises it, and no frame.
TEST(DiagnoseEvidence, R1_IsNoSourceLine) {
  EXPECT_EQ(diagnose_texts(
                "", std::vector<std::string_view>{"Traceback (most recent call last):",
                                                  "  File \"/opt/ml/code/t.py\", line 3, in main",
                                                  "    raise ValueError(f\"bad {x}\")",
                                                  "ValueError: bad 7"})
                .evidence,
            "ValueError: bad 7");
}

}  // namespace
}  // namespace trainwarden::rules
