// F8 and F9: what findings mean for each other, and what of a text is said at all.
#include "handlers/rules/failure/weighing.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/diagnose.h"

namespace trainwarden::rules::weighing_test {
namespace {

constexpr const char* kBrokenLink =
    "n2:221:455 [2] NCCL WARN NET/IB : Got completion from peer 10.0.2.7<43021> with error 12, "
    "opcode 0, len 0, vendor err 129";

std::string verdict(const std::vector<std::string_view>& log) {
  const Diagnosis d = diagnose_texts("", log);
  return std::string(name(d.label)) + "/" + std::string(name(d.resume));
}

TEST(Weighing, F8_ADeathExplainsTheTroubleThatFollows) {
  EXPECT_EQ(verdict({"[rank0]: KeyError: 'lr'", kBrokenLink}), "user_code/no");
  EXPECT_EQ(verdict({"OSError: [Errno 28] No space left on device: '/x'", kBrokenLink}), "disk/no");
  EXPECT_EQ(verdict({"Training job stopped by user request", kBrokenLink}), "interrupted/no");
  EXPECT_EQ(
      verdict({"[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8 GiB.",
               "Warning  NodeNotReady  pod/trainer-0  Node is not ready"}),
      "oom_gpu/no");
}

TEST(Weighing, F8_ButNotTheTroubleThatCameFirstNorABrokenMachine) {
  EXPECT_EQ(verdict({kBrokenLink, "[rank0]: KeyError: 'lr'"}), "network/yes");
  EXPECT_EQ(verdict({"[rank0]: KeyError: 'lr'",
                     "NVRM: Xid (PCI:0000:9c:00): 79, pid=812, GPU has fallen off the bus."}),
            "hardware/yes");
  EXPECT_EQ(verdict({"[rank0]: RuntimeError: CUDA error: unspecified launch failure", kBrokenLink}),
            "network/yes");
}

TEST(Weighing, F8_WhatAnExceptionWasRaisedFromIsItsCause) {
  const std::string_view direct =
      "The above exception was the direct cause of the following exception:";
  EXPECT_EQ(verdict({"ConnectionResetError: [Errno 104] Connection reset by peer", direct,
                     "Traceback (most recent call last):", "  File \"t.py\", line 9, in f",
                     "RuntimeError: failed to load batch"}),
            "network/once");
  EXPECT_EQ(verdict({direct, "Traceback (most recent call last):", "  File \"t.py\", line 9, in f",
                     "RuntimeError: failed to load batch"}),
            "user_code/no");
}

TEST(Weighing, F8_WhatIsDoneInsteadIsSaidInTheNextLine) {
  constexpr const char* kThrottled =
      "ERROR Could not reach the Hub: 429 Client Error: Too Many Requests";
  constexpr const char* kMemory =
      "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8 GiB.";
  EXPECT_EQ(verdict({kThrottled, "Will try to load from local cache.", kMemory}), "oom_gpu/no");
  EXPECT_EQ(verdict({kThrottled, "Will try to load from local cache."}), "service/yes");
  constexpr const char* kDenied =
      "botocore.exceptions.ClientError: An error occurred (AccessDenied) when calling the "
      "GetObject "
      "operation: Access Denied";
  EXPECT_EQ(verdict({kDenied, "Retrying in 30s", kDenied, kBrokenLink}), "permission/no");
}

TEST(Weighing, F8_SuccessAnswersThreadsAndHintsOnly) {
  constexpr const char* kSuccess =
      "2024-03-05 07:01:51,123 sagemaker-training-toolkit INFO     Reporting training SUCCESS";
  EXPECT_EQ(verdict({"Exception in thread Thread-7:", "Traceback (most recent call last):",
                     "  File \"/opt/ml/code/w.py\", line 9, in run", "KeyError: 'x'", kSuccess}),
            "unknown/once");
  EXPECT_EQ(verdict({"Traceback (most recent call last):",
                     "  File \"/opt/ml/code/w.py\", line 9, in run", "KeyError: 'x'", kSuccess}),
            "user_code/no");
}

TEST(Weighing, F8_NamesPlansAndRefusedArgumentsSayNothing) {
  for (const char* const line :
       {"experiment_name: node failure ablation", "JobName=node_failure_test",
        "elastic: on_node_failure=restart", "Listening for spot interruption notices",
        "GPU thermal throttling: not active", "What is a spot interruption?"})
    EXPECT_EQ(verdict({line}), "unknown/once") << line;
  EXPECT_EQ(verdict({"train.py: error: unrecognized arguments: --node_failure_policy=restart"}),
            "config/no");
  for (const char* const line : {"[spot-handler] EC2 spot interruption notice: action=terminate",
                                 "job name: train-1 preempted by scheduler"})
    EXPECT_EQ(verdict({line}), "interrupted/yes") << line;
}

// What a job prints of its machine as it starts explains no signal at its end.
TEST(Weighing, F8_OrdinaryLinesTellOfAFailureBeforeTheyExplainASymptom) {
  constexpr const char* kSignal = "[rank: 0] Received SIGTERM: 15";
  for (const char* const line :
       {"System memory: 960 GB", "cuDNN version: 8902", "Using pinned memory for the loader",
        "You have enough quota for ml.p4d.24xlarge"})
    EXPECT_EQ(verdict({line, kSignal}), "interrupted/once") << line;
  EXPECT_EQ(verdict({"step 3: System memory exceeded", kSignal}), "oom_host/no");
}

// Nor is it the end of a program that died of its input.
TEST(Weighing, F8_AnOrdinaryLineOfAMachineExplainsNoInputThatIsMissing) {
  for (const char* const line :
       {"Row Remapping Failure | Pass", "straggler detected on rank 3, continuing",
        "preflight: unhealthy nodes: []", "deep health check disabled"})
    EXPECT_EQ(verdict({line, "Traceback (most recent call last):",
                       "  File \"/opt/ml/code/train.py\", line 88, in main", "    open(path)",
                       "FileNotFoundError: [Errno 2] No such file or directory: '/opt/ml/x.csv'"}),
              "data/no")
        << line;
  EXPECT_EQ(verdict({"NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.",
                     "Traceback (most recent call last):",
                     "  File \"/opt/ml/code/train.py\", line 88, in main", "    x.cuda()",
                     "RuntimeError: No CUDA GPUs are available"}),
            "hardware/yes");
}

TEST(Weighing, F9_TracebacksOnOneLineAndColoursThatAreWrittenOut) {
  EXPECT_EQ(
      verdict({"Traceback (most recent call last): File \"t.py\", line 88, in <module> main() "
               "KeyError: 'lr'"}),
      "user_code/no");
  for (const char* const line : {"#033[34mKeyError: 'lr'#033[0m", "^[[34mKeyError: 'lr'^[[0m",
                                 "\\u001b[34mKeyError: 'lr'\\u001b[0m", "[34mKeyError: 'lr'[0m"})
    EXPECT_EQ(verdict({line}), "user_code/no") << line;
  EXPECT_EQ(verdict({"[3] KeyError: 'lr'"}), verdict({"KeyError: 'lr'"}));
}

}  // namespace
}  // namespace trainwarden::rules::weighing_test
