// What a program got over weighs less than what it ended of.
#include "handlers/rules/failure/got_over.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "tests/handlers/rules/failure/cases.h"

namespace trainwarden::rules::got_over_test {
namespace {

using namespace failure_cases;

TEST(GotOver, F8_WhatIsDoneInsteadIsSaidInTheNextLine) {
  constexpr const char* kThrottled =
      "ERROR Could not reach the Hub: 429 Client Error: Too Many Requests";
  constexpr const char* kMemory =
      "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8 GiB.";
  EXPECT_EQ(of_log({kThrottled, "Will try to load from local cache.", kMemory}), "oom_gpu/no");
  EXPECT_EQ(of_log({kThrottled, "Will try to load from local cache."}), "service/yes");
  constexpr const char* kDenied =
      "botocore.exceptions.ClientError: An error occurred (AccessDenied) when calling the "
      "GetObject "
      "operation: Access Denied";
  EXPECT_EQ(of_log({kDenied, "Retrying in 30s", kDenied, kBrokenLink}), "permission/no");
}

TEST(GotOver, F8_SuccessAnswersThreadsAndHintsOnly) {
  constexpr const char* kSuccess =
      "2024-03-05 07:01:51,123 sagemaker-training-toolkit INFO     Reporting training SUCCESS";
  EXPECT_EQ(of_log({"Exception in thread Thread-7:", "Traceback (most recent call last):",
                    "  File \"/opt/ml/code/w.py\", line 9, in run", "KeyError: 'x'", kSuccess}),
            "unknown/once");
  EXPECT_EQ(of_log({"Traceback (most recent call last):",
                    "  File \"/opt/ml/code/w.py\", line 9, in run", "KeyError: 'x'", kSuccess}),
            "user_code/no");
}

TEST(GotOver, F8_WhatWasOnlyWarnedOfAndTriedAgainEndedNothing) {
  constexpr const char* kWarns =
      "[2025-12-06 15:32:18,446][huggingface_hub.utils._http][WARNING] - '(MaxRetryError(\"Max "
      "retries exceeded with url: /x (Caused by SSLError(SSLEOFError(8, '[SSL: "
      "UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol')))\"), '(Request ID: "
      "1)')' thrown while requesting HEAD https://huggingface.co/x";
  constexpr const char* kAgain =
      "[2025-12-06 15:32:18,447][huggingface_hub.utils._http][WARNING] - Retrying in 1s [Retry "
      "1/5].";
  constexpr const char* kStep = "step 372 loss 0.10";
  EXPECT_EQ(of_log({kStep, kWarns, kAgain, kStep}), "unknown/once");
  // Nothing that nobody went on after, or tried again, and no error.
  EXPECT_EQ(of_log({kStep, kWarns, kAgain}), "network/yes");
  EXPECT_EQ(of_log({kStep, kWarns, kStep}), "network/yes");
  EXPECT_EQ(of_log({kStep, kWarns, kAgain, kStep,
                    "requests.exceptions.ConnectionError: ('Connection aborted.', "
                    "ConnectionResetError(104, 'Connection reset by peer'))"}),
            "network/once");
}

TEST(GotOver, F8_WhatStepsFollowIsNotWhatALaterEndIsAbout) {
  constexpr const char* kTraceback = "Traceback (most recent call last):";
  constexpr const char* kFrame = "  File \"/opt/ml/code/data.py\", line 71, in __getitem__";
  constexpr const char* kSample =
      "PIL.UnidentifiedImageError: cannot identify image file '/d/8.jpg'";
  constexpr const char* kStep = "step 8110 loss 2.31";
  constexpr const char* kNext = "step 8120 loss 2.30";
  constexpr const char* kTaken =
      "slurmstepd: error: *** JOB 4 ON n CANCELLED AT 2024 DUE TO PREEMPTION ***";
  constexpr const char* kTime =
      "slurmstepd: error: *** JOB 4 ON n CANCELLED AT 2024 DUE TO TIME LIMIT ***";
  EXPECT_EQ(of_log({kTraceback, kFrame, kSample, kStep, kNext, kTaken}), "interrupted/yes");
  EXPECT_EQ(of_log({kTraceback, kFrame, kSample, kStep, kNext, kTime}), "timeout/once");
  EXPECT_EQ(of_log({kTraceback, kFrame, kSample, kStep, kNext, "Killed"}), "oom_host/once");
  EXPECT_EQ(
      of_log({kTraceback, kFrame, kSample, kStep, kNext, kTraceback, kFrame, "KeyError: 'pixels'"}),
      "user_code/no");
  EXPECT_EQ(of_log({"mkdir: cannot create directory '/.cache': Permission denied", kStep, kNext,
                    "Killed"}),
            "oom_host/once");
  // The last words of other hosts are no steps of this one, and nothing else ended it.
  EXPECT_EQ(of_log({kTraceback, kFrame, kSample, kStep, kTaken}), "data/no");
  EXPECT_EQ(of_log({kTraceback, kFrame, kSample, kStep, kStep, "Killed"}), "data/no");
  EXPECT_EQ(of_log({kTraceback, kFrame, kSample, kStep, kNext}), "data/no");
  // What the death of a process leaves behind in others is no end of their own.
  EXPECT_EQ(of_log({kTraceback, kFrame, kSample, kStep, kNext,
                    "RuntimeError: Connection closed by peer [10.0.0.1]:1234"}),
            "data/no");
  EXPECT_EQ(
      of_log({"NVRM: Xid (PCI:0000:91:00): 79, GPU has fallen off the bus.", kStep, kNext, kTime}),
      "hardware/yes");
}

TEST(GotOver, F8_SageMakersOwnEndIsNotWhatStepsFollow) {
  const std::vector<std::string_view> log = {
      "Traceback (most recent call last):", "  File \"/opt/ml/code/data.py\", line 71, in load",
      "PIL.UnidentifiedImageError: cannot identify image file '/d/8.jpg'", "step 8110 loss 2.31",
      "step 8120 loss 2.30"};
  const auto with = [&log](std::string_view reason, std::size_t lines) {
    return verdict(diagnose_texts(reason, std::span(log).first(lines)));
  };
  constexpr std::string_view kTime =
      "MaxRuntimeExceeded: Training job runtime exceeded MaxRuntimeInSeconds provided";
  EXPECT_EQ(with(kTime, 5), "timeout/once");
  EXPECT_EQ(with(kTime, 4), "data/no");
  EXPECT_EQ(with("InternalServerError: We encountered an internal error. Please try again.", 5),
            "service/yes");
  EXPECT_EQ(with("AlgorithmError: ExecuteUserScriptError: ExitCode -9", 5), "oom_host/once");
  EXPECT_EQ(with("AlgorithmError: ExecuteUserScriptError: ExitCode 1", 5), "data/no");
}

TEST(GotOver, F8_WhoWarnsWentOnWhereStepsFollow) {
  constexpr const char* kStep = "2024-06-05 03:11:09,812 INFO train: step 120 loss 2.31";
  constexpr const char* kNext = "2024-06-05 03:11:19,812 INFO train: step 130 loss 2.30";
  constexpr const char* kBusy =
      "2024-06-05 03:10:58,101 WARNING s3fs: Client error (maybe retryable): An error occurred "
      "(SlowDown) when calling the GetObject operation: Please reduce your request rate.";
  constexpr const char* kGone =
      "2024-06-05 03:10:58,101 WARNING watcher: spot interruption notice received";
  EXPECT_EQ(of_log({kBusy, kStep, kNext}), "unknown/once");
  EXPECT_EQ(of_log({kBusy}), "service/yes");
  EXPECT_EQ(of_log({kBusy, kStep, kStep}), "service/yes") << "one step, said twice";
  EXPECT_EQ(of_log({kGone, kStep, kNext}), "interrupted/yes") << "it takes two minutes";
}

// Steps as XGBoost's container, LightGBM and MXNet print them.
TEST(GotOver, F8_StepsOfManyTools) {
  constexpr const char* kBusy =
      "WARNING: An error occurred (SlowDown) when calling the PutObject "
      "operation (reached max retries: 4): Please reduce your request rate.";
  for (const auto& [step, next] : std::vector<std::pair<const char*, const char*>>{
           {"[98]#011train-logloss:0.03111#011validation-logloss:0.11201",
            "[99]#011train-logloss:0.03101#011validation-logloss:0.11191"},
           {"[20]\tvalid_0's auc: 0.711211", "[30]\tvalid_0's auc: 0.721211"},
           {"[06/10/2024 09:12:11 INFO 140012] Epoch[8] Train-accuracy=0.971",
            "[06/10/2024 09:12:41 INFO 140012] Epoch[9] Train-accuracy=0.981"}})
    EXPECT_EQ(of_log({kBusy, step, next}), "unknown/once") << step;
  EXPECT_EQ(of_log({kBusy, "uploading train-2024.tar", "uploading train-2025.tar"}), "service/yes");
}

TEST(GotOver, F8_WhatIsTriedAgainWasGotOverWhereStepsFollow) {
  constexpr const char* kHub =
      "'(ReadTimeoutError(\"HTTPSConnectionPool(host='huggingface.co', port=443): Read timed out. "
      "(read timeout=10)\"))' thrown while requesting HEAD https://huggingface.co/a/config.json";
  constexpr const char* kAgain = "Retrying in 1s [Retry 1/5].";
  EXPECT_EQ(of_log({kHub, kAgain, "step 10 loss 2.0", "step 20 loss 1.9"}), "unknown/once");
  EXPECT_EQ(of_log({kHub, kAgain}), "network/once");
  EXPECT_EQ(of_log({"wandb: 429 encountered (Filestream rate limit exceeded, retrying in 2.1 "
                    "seconds.), retrying request"}),
            "unknown/once");
}

// What only an ordinary line tells of was no end where steps follow; a summary is no step.
TEST(GotOver, F8_WhatAnOrdinaryLineMentionsWasGotOverWhereStepsFollow) {
  constexpr const char* kMissing =
      "There were missing keys in the checkpoint model loaded: ['lm_head.weight'].";
  constexpr const char* kNan = "Loss is nan, stopping training";
  EXPECT_EQ(of_log({kMissing}), "config/no");
  EXPECT_EQ(of_log({kMissing, "step 10 loss 2.0", "step 20 loss 1.9"}), "unknown/once");
  EXPECT_EQ(of_log({kNan}), "user_code/no");
  EXPECT_EQ(of_log({kNan, "wandb: Run summary:", "wandb:      train/epoch 0.41",
                    "wandb:       train/loss 0.31"}),
            "user_code/no");
}

// A notice of an earlier attempt: the job resumed, and then ended of a bug.
TEST(GotOver, F8_ANoticeBeforeTheJobBeganAnewIsPast) {
  constexpr const char* kNotice =
      "2024-06-10 09:00:01,100 WARNING train: Spot interruption notice received, saving checkpoint";
  constexpr const char* kResumes =
      "2024-06-10 09:15:11,100 INFO train: resuming from /opt/ml/checkpoints/checkpoint-500";
  constexpr const char* kTraceback = "Traceback (most recent call last):";
  constexpr const char* kFrame = "  File \"/opt/ml/code/train.py\", line 31, in main";
  EXPECT_EQ(of_log({kNotice, kResumes, kTraceback, kFrame, "KeyError: 'state'"}), "user_code/no");
  EXPECT_EQ(of_log({kNotice, kTraceback, kFrame, "KeyError: 'state'"}), "interrupted/yes");
}

TEST(GotOver, F8_WhatIsWithdrawnWasNothing) {
  constexpr const char* kStalled = "nfs: server 10.0.1.2 not responding, still trying";
  EXPECT_EQ(of_log({kStalled}), "network/yes");
  EXPECT_EQ(of_log({kStalled, "nfs: server 10.0.1.2 OK"}), "unknown/once");
  EXPECT_EQ(of_log({kStalled, "nfs: server 10.0.1.2 OK", "Traceback (most recent call last):",
                    "  File \"t.py\", line 3, in f", "KeyError: 'x'"}),
            "user_code/no");
  EXPECT_EQ(of_log({"nfs: server 10.0.1.2 OK", kStalled}), "network/yes");
  constexpr const char* kDown =
      "n1:2:3 [2] NCCL WARN NET/IB : mlx5_2:1 Got async event : port error";
  constexpr const char* kUp =
      "n1:2:3 [2] NCCL WARN NET/IB : mlx5_2:1 Got async event : port active";
  EXPECT_EQ(of_log({kDown}), "hardware/yes");
  EXPECT_EQ(of_log({kDown, kUp}), "unknown/once");
}

TEST(GotOver, F7_WhatIsSaidOfAnEarlierAttemptIsPast) {
  for (const char* const past :
       {"Job was preempted on gpu-03 at step 7000, resuming from checkpoint step_7000",
        "Cluster was preempted. Recovered in us-east-1b (recovery #2)", "requeued after NODE_FAIL",
        "Restarting after node failure, excluded nodes: gpu-07", "| Uncorrectable ECC Errors | 0 |",
        "Retired pages: double bit ECC 0, pending no"})
    EXPECT_EQ(of_log({past}), "unknown/once") << past;
  EXPECT_EQ(of_log({"Job was preempted on gpu-03 at step 7000"}), "interrupted/yes");
  EXPECT_EQ(of_log({"requeue job JobId=10 due to node failure"}), "hardware/yes");
  EXPECT_EQ(of_log({"Retired pages: double bit ECC 2, pending yes"}), "hardware/yes");
}

TEST(GotOver, F8_WhatFailsWhileAProgramShutsDownForANoticeIsNoOtherReason) {
  constexpr const char* kNotice =
      "2024-06-05 03:11:01,812 WARNING spot_watcher: EC2 spot interruption notice received, "
      "instance "
      "i-0abc will be terminated at 03:13:01";
  constexpr const char* kTraceback = "Traceback (most recent call last):";
  constexpr const char* kFrame = "  File \"/workspace/train.py\", line 188, in <module>";
  constexpr const char* kEnd = "RuntimeError: cannot schedule new futures after shutdown";
  EXPECT_EQ(of_log({"step 8 loss 2.3", kNotice, kTraceback, kFrame, kEnd}), "interrupted/yes");
  EXPECT_EQ(of_log({"test output: Spot instance interruption notice", kTraceback, kFrame,
                    "AssertionError: lists differ"}),
            "user_code/no");
  EXPECT_EQ(of_log({kNotice, "step 9 loss 2.2", "step 10 loss 2.1", kTraceback, kFrame,
                    "KeyError: 'pixels'"}),
            "user_code/no")
      << "it went on";
}

TEST(GotOver, F8_AWarningThatIsTriedAgainIsWorthOneMoreRunAtMost) {
  constexpr const char* kCut =
      "[2025-12-06 15:32:18,446][huggingface_hub.utils._http][WARNING] - Max retries exceeded with "
      "url: /m (Caused by SSLError(SSLEOFError(8, 'EOF occurred in violation of protocol')))";
  constexpr const char* kAgain =
      "[2025-12-06 15:32:18,447][huggingface_hub.utils._http][WARNING] - Retrying in 1s [Retry "
      "1/5].";
  constexpr const char* kStep = "[2025-12-06 15:32:20,373][__main__][INFO] - step 7 loss 0.3";
  constexpr const char* kSaved = "[2025-12-06 15:32:20,373][__main__][INFO] - Saved the tokenizer";
  EXPECT_EQ(of_log({kCut}), "network/yes");
  EXPECT_EQ(of_log({kCut, kAgain}), "network/yes");
  EXPECT_EQ(of_log({kCut, kAgain, kSaved}), "network/once");
  EXPECT_EQ(of_log({kCut, kAgain, kStep}), "unknown/once");
  constexpr const char* kForbidden =
      "[2025-12-06 15:32:18,446][huggingface_hub.utils._http][WARNING] - 403 Client Error: "
      "Forbidden for url: https://huggingface.co/m";
  EXPECT_EQ(of_log({kForbidden, kAgain, kSaved}), of_log({kForbidden}));
}

}  // namespace
}  // namespace trainwarden::rules::got_over_test
