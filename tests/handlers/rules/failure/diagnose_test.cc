// Diagnosis: what a failure's words mean. failure_cases.jsonl holds texts of each family with the
// label and verdict that the definitions in policy.md give them.
#include "handlers/rules/failure/diagnose.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "handlers/rules/failure/signature_match.h"
#include "tests/handlers/rules/failure/cases.h"
#include "tests/handlers/rules/support.h"
#include "tests/support/files.h"

namespace trainwarden::rules::diagnose_test {
namespace {

using namespace failure_cases;

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
    labels += name(d.label) == text_of(c, "label") ? 1 : 0;
    resumes += name(d.resume) == text_of(c, "resume") ? 1 : 0;
    EXPECT_FALSE(text_of(c, "label") == "user_code" && d.resume == RunAgain::kYes) << line;
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

// Where neither the type nor the words tell, who raised it does.
TEST(Diagnose, AnExceptionOfWhatReadsFilesIsAboutTheData) {
  EXPECT_EQ(of_log({"soundfile.LibsndfileError: Error opening 'a.wav': Format not recognised."}),
            "data/no");
  EXPECT_EQ(
      of_log({"decord._ffi.base.DECORDError: cannot find video stream with wanted index: -1"}),
      "data/no");
  const auto in_frame = [](std::string_view frame, std::string_view raised) {
    return of_log({"Traceback (most recent call last):", frame, "    read(f)", raised});
  };
  constexpr std::string_view kPil =
      "  File \"/opt/conda/lib/python3.10/site-packages/PIL/ImageFile.py\", line 9, in load";
  EXPECT_EQ(in_frame(kPil, "OSError: it cannot be read"), "data/no");
  EXPECT_EQ(in_frame("  File \"/opt/conda/lib/python3.10/gzip.py\", line 9, in read",
                     "OSError: it cannot be read"),
            "data/no");
  // What they were called with is the program's, and so is a folder of its own.
  EXPECT_EQ(in_frame(kPil, "TypeError: cannot handle this"), "user_code/no");
  EXPECT_EQ(in_frame("  File \"/home/av/code/PIL/load.py\", line 9, in load",
                     "RuntimeError: it is not to be"),
            "user_code/no");
  EXPECT_EQ(of_log({"OSError: [Errno 28] No space left on device"}), "disk/no");
}

TEST(Diagnose, AnExceptionOfWhatCarriesRequestsIsAboutTheNetwork) {
  EXPECT_EQ(of_log({"aiohttp.client_exceptions.ClientPayloadError: it is not completed"}),
            "network/once");
  EXPECT_EQ(of_log({"urllib3.exceptions.PoolError: it has none left"}), "network/once");
  EXPECT_EQ(of_log({"requests.exceptions.MissingSchema: No scheme supplied in 'x'"}),
            "user_code/no");
  // A client of a service is none of them, also where its message follows.
  EXPECT_EQ(of_log({"grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that ended with:"}),
            "unknown/once");
}

TEST(Diagnose, CodesOfAwsAsTheCppSdkWritesThem) {
  const auto aws = [](std::string_view code) {
    return of_log({"OSError: When reading information for key 'a' in bucket 'b': AWS Error " +
                   std::string(code) + " during HeadObject operation: No response body."});
  };
  EXPECT_EQ(aws("ACCESS_DENIED"), "permission/no");
  EXPECT_EQ(aws("SLOW_DOWN"), "service/yes");
  EXPECT_EQ(aws("NO_SUCH_BUCKET"), "data/no");
  EXPECT_EQ(aws("UNKNOWN"), "user_code/no") << "tells nothing";
}

// Who waits for a server waits for the network; who waits for the job's other processes does not.
TEST(Diagnose, AServerThatDoesNotAnswerInTime) {
  EXPECT_EQ(of_log({"curl: (28) Operation timed out after 300001 milliseconds"}), "network/once");
  EXPECT_EQ(of_log({"error: dial tcp 10.0.0.1:443: it timed out"}), "network/once");
  EXPECT_EQ(of_log({"RuntimeError: DataLoader timed out after 120 seconds"}), "timeout/once");
  EXPECT_EQ(of_log({"RuntimeError: Timed out waiting for all workers (http://algo-1:80/b)"}),
            "timeout/once");
}

TEST(Diagnose, AFailedCheckTellsByItsSourceWhatItWasOf) {
  EXPECT_EQ(of_log({"lightgbm.basic.LightGBMError: Check failed: (num_data) > (0) at "
                    "/src/io/dataset.cpp, line 33"}),
            "data/no");
  EXPECT_EQ(of_log({"[10:00:00] src/operator/nn/layer.h:135: Check failed: assign(&a, b)"}),
            "user_code/no");
}

// Ray names the class of what failed; whose memory it was stands where the traceback ends.
TEST(Diagnose, TheClassInARayTaskErrorIsNoCauseByItself) {
  EXPECT_EQ(of_log({"ray.exceptions.RayTaskError(OutOfMemoryError): ray::Worker.f() (pid=1)",
                    "  File \"t.py\", line 3, in f",
                    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."}),
            "oom_gpu/no");
  EXPECT_EQ(of_log({"ray.exceptions.OutOfMemoryError: Task was killed due to the node running low "
                    "on memory."}),
            "oom_host/no");
}

// A program in Rust says where it gave up, and then why.
TEST(Diagnose, PanicsOfPrograms) {
  constexpr std::string_view kPackage =
      "thread '<unnamed>' panicked at /root/.cargo/registry/src/x-1/y-0.1.0/src/lib.rs:17:35:";
  EXPECT_EQ(of_log({kPackage, "explicit panic"}), "unknown/once");
  EXPECT_EQ(of_log({"thread 'main' panicked at src/main.rs:10:5:", "explicit panic"}),
            "user_code/no");
  EXPECT_EQ(of_log({kPackage,
                    "called `Result::unwrap()` on an `Err` value: Os { code: 28, kind: "
                    "StorageFull, message: \"No space left on device\" }"}),
            "disk/no");
  EXPECT_EQ(of_log({"thread 'main' panicked at 'called `Result::unwrap()` on an `Err` value: Os { "
                    "code: 28, kind: StorageFull, message: \"No space left on device\" }', "
                    "src/writer.rs:88:14"}),
            "disk/no")
      << "no dump of settings";
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
    const Diagnosed told = diagnose(read_training_job(document.root()), std::nullopt, d);
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
  EXPECT_EQ(diagnose(read_training_job(describe.root()), logs.root(), d), Diagnosed::kDiagnosed);
  EXPECT_EQ(verdict(d), "unknown/once");
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
  const std::vector<OwnSignature> own = {{signature_text("Licence server * busy"),
                                          FailureLabel::kService, RunAgain::kYes,
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

}  // namespace
}  // namespace trainwarden::rules::diagnose_test
