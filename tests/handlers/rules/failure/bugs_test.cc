// F7: a program's own failure is never resumed, whatever words it uses, and a machine's is.
// bugs.jsonl and bugs.txt hold bugs of each form.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "tests/handlers/rules/failure/cases.h"

namespace trainwarden::rules::bugs_test {
namespace {

using namespace failure_cases;

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
      EXPECT_NE(d.resume, RunAgain::kYes) << line << " is " << verdict(d) << ": " << d.evidence;
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
      EXPECT_NE(d.resume, RunAgain::kYes) << bug << " is " << verdict(d);
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

}  // namespace
}  // namespace trainwarden::rules::bugs_test
