// F8 and F9: what findings mean for each other, and what of a text is said at all.
#include "handlers/rules/failure/weighing.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "tests/handlers/rules/failure/cases.h"

namespace trainwarden::rules::weighing_test {
namespace {

using namespace failure_cases;

TEST(Weighing, F8_ADeathExplainsTheTroubleThatFollows) {
  EXPECT_EQ(of_log({"[rank0]: KeyError: 'lr'", kBrokenLink}), "user_code/no");
  EXPECT_EQ(of_log({"OSError: [Errno 28] No space left on device: '/x'", kBrokenLink}), "disk/no");
  EXPECT_EQ(of_log({"Training job stopped by user request", kBrokenLink}), "interrupted/no");
  EXPECT_EQ(of_log({"[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8 GiB.",
                    "Warning  NodeNotReady  pod/trainer-0  Node is not ready"}),
            "oom_gpu/no");
}

TEST(Weighing, F8_ButNotTheTroubleThatCameFirstNorABrokenMachine) {
  EXPECT_EQ(of_log({kBrokenLink, "[rank0]: KeyError: 'lr'"}), "network/yes");
  EXPECT_EQ(of_log({"[rank0]: KeyError: 'lr'",
                    "NVRM: Xid (PCI:0000:9c:00): 79, pid=812, GPU has fallen off the bus."}),
            "hardware/yes");
  EXPECT_EQ(of_log({"[rank0]: RuntimeError: CUDA error: unspecified launch failure", kBrokenLink}),
            "network/yes");
}

TEST(Weighing, F8_WhatAnExceptionWasRaisedFromIsItsCause) {
  const std::string_view direct =
      "The above exception was the direct cause of the following exception:";
  EXPECT_EQ(of_log({"ConnectionResetError: [Errno 104] Connection reset by peer", direct,
                    "Traceback (most recent call last):", "  File \"t.py\", line 9, in f",
                    "RuntimeError: failed to load batch"}),
            "network/once");
  EXPECT_EQ(of_log({direct, "Traceback (most recent call last):", "  File \"t.py\", line 9, in f",
                    "RuntimeError: failed to load batch"}),
            "user_code/no");
}

TEST(Weighing, F8_NamesPlansAndRefusedArgumentsSayNothing) {
  for (const char* const line :
       {"experiment_name: node failure ablation", "JobName=node_failure_test",
        "elastic: on_node_failure=restart", "Listening for spot interruption notices",
        "GPU thermal throttling: not active", "What is a spot interruption?"})
    EXPECT_EQ(of_log({line}), "unknown/once") << line;
  EXPECT_EQ(of_log({"train.py: error: unrecognized arguments: --node_failure_policy=restart"}),
            "config/no");
  for (const char* const line : {"[spot-handler] EC2 spot interruption notice: action=terminate",
                                 "job name: train-1 preempted by scheduler"})
    EXPECT_EQ(of_log({line}), "interrupted/yes") << line;
}

// What a job prints of its machine as it starts explains no signal at its end.
TEST(Weighing, F8_OrdinaryLinesTellOfAFailureBeforeTheyExplainASymptom) {
  constexpr const char* kSignal = "[rank: 0] Received SIGTERM: 15";
  for (const char* const line :
       {"System memory: 960 GB", "cuDNN version: 8902", "Using pinned memory for the loader",
        "You have enough quota for ml.p4d.24xlarge"})
    EXPECT_EQ(of_log({line, kSignal}), "interrupted/once") << line;
  EXPECT_EQ(of_log({"step 3: System memory exceeded", kSignal}), "oom_host/no");
}

TEST(Weighing, F8_WhatAMachineIsSaidToBeIsNotRunAgainForACrash) {
  for (const char* const line :
       {"Checking NVLink errors... OK", "[ OK ] NVLink errors", "remapped rows pending: No",
        "    HW Thermal Slowdown               : Active",
        "Fabric Manager: not required on this instance", "preempted: FALSE",
        "Polling http://169.254.169.254/latest/meta-data/spot/instance-action: 404",
        "Waiting for DNS resolution of algo-2 ... ok", "3: docker0: link is down: no carrier",
        "retry_on: SlowDown, Throttling, 503 Service Unavailable"})
    for (const char* const end : {"Segmentation fault (core dumped)", "Killed"})
      EXPECT_FALSE(of_log({line, end}).ends_with("/yes")) << line << ", " << end;
  // The driver says so itself.
  EXPECT_EQ(of_log({"NVRM: Xid (PCI:0000:9c:00): 79, pid=812, GPU has fallen off the bus.",
                    "Segmentation fault (core dumped)"}),
            "hardware/yes");
}

// It was got over, or may have led to the end or not.
TEST(Weighing, F8_TroubleThatDidNotEndTheProgramIsTriedOnceAtMost) {
  constexpr const char* kFailed =
      "[10:00:00] ERROR: metrics upload failed: 503 Service Unavailable";
  EXPECT_EQ(of_log({kFailed}), "service/yes");
  EXPECT_EQ(of_log({kFailed, "[10:00:05] step 100 loss 1.9", "[10:00:06] step 200 loss 1.8",
                    "train.sh: line 3: 12 Segmentation fault (core dumped) python train.py"}),
            "service/once");
  EXPECT_EQ(of_log({kFailed, "train.py: error: unrecognized arguments: --foo"}), "service/once");
  EXPECT_EQ(of_log({"ValueError: could not convert string to float: 'NVRM: Xid "
                    "(PCI:0000:00:1e): 79'"}),
            "data/no");
}

// Nor is it the end of a program that died of its input.
TEST(Weighing, F8_AnOrdinaryLineOfAMachineExplainsNoInputThatIsMissing) {
  for (const char* const line :
       {"Row Remapping Failure | Pass", "straggler detected on rank 3, continuing",
        "preflight: unhealthy nodes: []", "deep health check disabled"})
    EXPECT_EQ(of_log({line, "Traceback (most recent call last):",
                      "  File \"/opt/ml/code/train.py\", line 88, in main", "    open(path)",
                      "FileNotFoundError: [Errno 2] No such file or directory: '/opt/ml/x.csv'"}),
              "data/no")
        << line;
  EXPECT_EQ(of_log({"NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.",
                    "Traceback (most recent call last):",
                    "  File \"/opt/ml/code/train.py\", line 88, in main", "    x.cuda()",
                    "RuntimeError: No CUDA GPUs are available"}),
            "hardware/yes");
}

// Of a log of a success: a call of the Hub that was tried again.
// multiprocessing reports what its finalizers raise, and goes on.
TEST(Weighing, F8_WhatAFinalizerRaisesEndedNothing) {
  const auto raised_in = [](std::string_view frame) {
    return of_log({"Traceback (most recent call last):", frame, "    finalizer()",
                   "  File \"/usr/lib/python3.10/multiprocessing/synchronize.py\", line 87, in "
                   "_cleanup",
                   "    sem_unlink(name)",
                   "FileNotFoundError: [Errno 2] No such file or directory"});
  };
  EXPECT_EQ(raised_in("  File \"/usr/lib/python3.10/multiprocessing/util.py\", line 300, in "
                      "_run_finalizers"),
            "unknown/once");
  EXPECT_EQ(raised_in("  File \"/app/train.py\", line 300, in run_finalizers"), "data/no");
}

// NCCL goes on without a card that it cannot open, and without SHARP.
TEST(Weighing, F8_WhatNcclDoesWithoutEndedNothing) {
  for (const char* const line :
       {"n1:221:455 [2] ibvwrap.c:94 NCCL WARN Call to ibv_open_device failed",
        "n1:221:455 [2] p2p_plugin.c:565 NCCL WARN NET/IB : Unable to open device mlx5_an0",
        "[n1:0:3992259 - context.c:705] ERROR sharp_create_job failed: Failed to connect to "
        "Aggregation Manager (sharp_am)(-53)"})
    EXPECT_EQ(of_log({line, "step 3 loss 0.1"}), "unknown/once") << line;
  EXPECT_EQ(of_log({"n1:221:455 [2] NCCL WARN Call to ibv_modify_qp failed"}), "network/once");
}

// What others lost when a process crashed, and what an error says in its next line.
TEST(Weighing, F8_ACrashExplainsWhatWasLostAfterIt) {
  constexpr const char* kCrash = "[1,1]<stderr>:Segmentation fault (core dumped)";
  constexpr const char* kLost = "[1,0]<stderr>:Read error: Connection reset by peer";
  EXPECT_EQ(of_log({kCrash, kLost}), "unknown/once");
  EXPECT_EQ(of_log({kLost, kCrash}), "network/once");
  EXPECT_EQ(of_log({kCrash, kBrokenLink}), "network/yes");
}

TEST(Weighing, F8_AKillExplainsTheDaemonThatWasLostAfterIt) {
  constexpr const char* kKill = "command terminated with exit code 137";
  constexpr const char* kLost = "ORTE has lost communication with a remote daemon.";
  EXPECT_EQ(of_log({kKill, kLost}), "oom_host/once");
  EXPECT_EQ(of_log({kLost}), "network/yes");
  EXPECT_EQ(of_log({kLost, kKill}), "network/yes");
  EXPECT_EQ(of_log({kKill, "NCCL WARN NET/IB : Got completion from peer with status=12 opcode=1"}),
            "network/yes")
      << "a link that broke is told of by others than the dead";
}

// A sample that a loader skipped, a first try with a batch too large: nobody says which process it
// was, but steps follow, and then the program ends of something else.
// MaxRuntimeExceeded: SageMaker ended the job, and no exception did that steps follow.
TEST(Weighing, F8_AnErrorOfRSaysWhatItIsInTheNextLine) {
  EXPECT_EQ(of_log({"Error in fit(x, y) :", "  it is not to be"}), "user_code/no");
  EXPECT_EQ(of_log({"Error in `node_status()`:", "! node is down in the graph"}), "user_code/no");
  EXPECT_EQ(of_log({"Error in fit(x, y) :"}), "unknown/once");
  EXPECT_EQ(of_log({"Error in fit(x, y) :", "host 2: batch 0 of 500"}), "unknown/once");
  EXPECT_EQ(of_log({"EXCEPTION occurred: CUDA failure 30: unknown error ; GPU=0 ; hostname=n1"}),
            "hardware/yes");
}

TEST(Weighing, F8_WhereOtherZonesHadNoneFreePatienceMayDo) {
  constexpr const char* kNotThere =
      "W create: An error occurred (Unsupported) when calling the RunInstances operation: Your "
      "requested instance type (p3.16xlarge) is not supported in your requested Availability Zone "
      "(us-east-2c).";
  constexpr const char* kNoneFree =
      "W create: An error occurred (InsufficientInstanceCapacity) when calling the RunInstances "
      "operation (reached max retries: 0): Insufficient capacity., retrying.";
  EXPECT_EQ(of_log({kNotThere}), "config/no");
  EXPECT_EQ(of_log({kNoneFree, kNotThere}), "capacity/yes");
  EXPECT_EQ(of_log({kNotThere, kNoneFree}), "capacity/yes");
}

TEST(Weighing, F8_ANameThatTorchWarnedOfIsWhyNoAddressWasReached) {
  constexpr const char* kSix =
      "[W socket.cpp:558] [c10d] The IPv6 network addresses of (head, 50176) "
      "cannot be retrieved (gai error: -2 - Name or service not known).";
  constexpr const char* kFour =
      "[W socket.cpp:558] [c10d] The IPv4 network addresses of (head, 50176) "
      "cannot be retrieved (gai error: -2 - Name or service not known).";
  constexpr const char* kNone =
      "[E socket.cpp:610] [c10d] The client socket has failed to connect to "
      "any network address of (head, 50176).";
  EXPECT_EQ(of_log({kSix, kFour, kNone}), "network/yes");
  EXPECT_EQ(of_log({kSix, kNone}), "network/once");
  EXPECT_EQ(of_log({kSix, kFour, "epoch 1 loss 0.3", "KeyError: 'lr'"}), "user_code/no");
}

TEST(Weighing, F8_TheEndOfAPipeIsTheOthersEnd) {
  constexpr const char* kPipe =
      "  File \"/usr/lib/python3.12/multiprocessing/connection.py\", "
      "line 337, in _recv_bytes";
  constexpr const char* kPickle = "  File \"/opt/ml/code/data.py\", line 12, in load";
  EXPECT_EQ(of_log({"Traceback (most recent call last):", kPipe, "    raise EOFError", "EOFError"}),
            "unknown/once");
  EXPECT_EQ(of_log({"Traceback (most recent call last):", kPickle, "    pickle.load(f)",
                    "EOFError: Ran out of input"}),
            "data/no");
  EXPECT_EQ(of_log({"Traceback (most recent call last):", kPipe, "    raise EOFError", "EOFError",
                    "KeyError: 'lr'"}),
            "user_code/no");
}

TEST(Weighing, F9_BreaksThatWereLostAndOneTooMany) {
  EXPECT_EQ(
      of_log({"  File \"/venv/lib/python3.8/site-packages/google/cloud/_http.py\", line 483, "
              "in api_request raise from_http_response(response) "
              "google.api_core.exceptions.Forbidden: 403 GET https://storage.googleapis.com"}),
      "permission/no");
  EXPECT_EQ(of_log({"  File \"/opt/ml/code/train.py\", line 4, in f x: int = 3"}), "unknown/once");
  constexpr const char* kGaveUp =
      "ERROR:root:RetryError: HTTPSConnectionPool(host='x', port=443): Max retries exceeded with "
      "url: /v1";
  EXPECT_EQ(of_log({kGaveUp}), "network/once");
  EXPECT_EQ(of_log({kGaveUp, "(Caused by ResponseError('too many 504 error responses'))"}),
            of_log({std::string(kGaveUp) +
                    " (Caused by ResponseError('too many 504 error responses'))"}));
}

TEST(Weighing, F9_TracebacksOnOneLineAndColoursThatAreWrittenOut) {
  EXPECT_EQ(of_log({"Traceback (most recent call last): File \"t.py\", line 88, in <module> main() "
                    "KeyError: 'lr'"}),
            "user_code/no");
  for (const char* const line : {"#033[34mKeyError: 'lr'#033[0m", "^[[34mKeyError: 'lr'^[[0m",
                                 "\\u001b[34mKeyError: 'lr'\\u001b[0m", "[34mKeyError: 'lr'[0m"})
    EXPECT_EQ(of_log({line}), "user_code/no") << line;
  EXPECT_EQ(of_log({"[3] KeyError: 'lr'"}), of_log({"KeyError: 'lr'"}));
}

}  // namespace
}  // namespace trainwarden::rules::weighing_test
