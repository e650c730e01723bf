// F7, F8: what reads like a machine's, a service's or somebody's taking a machine, and is none; and
// beside each, what is one.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "tests/handlers/rules/failure/cases.h"

namespace trainwarden::rules::lookalikes_test {
namespace {

using namespace failure_cases;

using Lines = std::vector<std::string>;

const Lines kBug = {
    "Traceback (most recent call last):", "  File \"/opt/ml/code/train.py\", line 40, in main",
    "    x = batch[\"labels\"]", "KeyError: 'labels'"};
const Lines kNoMemory = {
    "Traceback (most recent call last):", "  File \"/opt/ml/code/train.py\", line 88, in <module>",
    "    loss.backward()",
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a "
    "total "
    "capacity of 39.39 GiB of which 1.12 GiB is free."};
const Lines kThrottled = {
    "Traceback (most recent call last):", "  File \"/opt/ml/code/ckpt.py\", line 12, in upload",
    "    s3.upload_file(p, b, k)",
    "botocore.exceptions.ClientError: An error occurred (SlowDown) when calling the PutObject "
    "operation (reached max retries: 4): Please reduce your request rate."};
const std::string kUploadFailed =
    "upload failed: ./ckpt to s3://b/ckpt An error occurred (SlowDown) when calling the PutObject "
    "operation (reached max retries: 4): Please reduce your request rate.";

Lines both(Lines a, const Lines& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string read(const Lines& log) { return verdict(of("", log)); }

TEST(Lookalikes, F7_WhatMayHappenHasNotHappened) {
  for (const std::string& line :
       Lines{"This job runs on spot instances and may be preempted at any time.",
             "2024-03-11 10:00:00,000 WARNING spot: this instance is a spot instance and can be "
             "interrupted at any time",
             "[spot-watcher] polling http://169.254.169.254/latest/meta-data/spot/instance-action",
             "Subscribed to EC2 Spot Instance Interruption Warning events",
             "Checkpoint on: SIGTERM, spot interruption notice, Xid 79"})
    EXPECT_EQ(read(both({line}, kNoMemory)), "oom_gpu/no") << line;
  EXPECT_EQ(read({"slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-03-11T10:00:00 DUE TO "
                  "PREEMPTION ***"}),
            "interrupted/yes");
  EXPECT_EQ(read({"The spot instance was preempted"}), "interrupted/yes");
  EXPECT_EQ(read({"ERROR: the host may be unhealthy: uncorrectable ECC error encountered"}),
            "hardware/yes");
}

TEST(Lookalikes, F7_ACheckThatPassesFoundNothing) {
  for (const std::string& line :
       Lines{"uncorrectable ECC errors: PASS", "[epilog] check_xid: PASS (no Xid 79 found)",
             "Checking for Xid 79... OK", "| Uncorrectable ECC errors  | Pass         |",
             "{\"check\":\"uncorrectable ECC error\",\"status\":\"PASS\"}", "[PASS] Xid 79",
             "WARNING: GPU 3 has 2 corrected ECC errors, 0 uncorrectable ECC errors",
             "GPU fallen off the bus: no"}) {
    EXPECT_EQ(read({line}), "unknown/once") << line;
    EXPECT_EQ(read(both(kBug, {line})), "user_code/no") << line;
  }
  EXPECT_EQ(read({"uncorrectable ECC errors: 2"}), "hardware/yes");
  EXPECT_EQ(read({"check_xid: FAIL (Xid 79 found)"}), "hardware/yes");
  EXPECT_EQ(read({"scheduler: job 7 was preempted and cancelled"}), "interrupted/yes");
}

TEST(Lookalikes, F7_WhatSourceAndSamplesShowIsNobodysReport) {
  EXPECT_NE(of("", {"Traceback (most recent call last):",
                    "  File \"/opt/ml/code/prep.py\", line 12, in <module>",
                    "    raise ConfigError(\"Xid 79 missing in lookup table\") from None",
                    "app.ConfigError: Xid 79 missing in lookup table"})
                .resume,
            RunAgain::kYes);
  const std::string fault = "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.";
  for (const std::string& line : Lines{"Sample 1: \"" + fault + "\" label=hardware",
                                       "{\"text\": \"kernel: " + fault + "\", \"label\": 1}",
                                       "+ echo \"Monitoring dmesg for " + fault + "\""})
    EXPECT_EQ(read(both({line}, kBug)), "user_code/no") << line;
  EXPECT_EQ(read(both({"[ 1234.567890] " + fault}, kBug)), "hardware/yes");
  EXPECT_EQ(read({"{\"log\":\"" + fault +
                  "\\n\",\"stream\":\"stderr\",\"time\":\"2024-03-11T10:00:00Z\"}"}),
            "hardware/yes");
}

TEST(Lookalikes, F8_AnExceptionThatStepsFollowDidNotEndTheProgram) {
  for (const std::string& step :
       Lines{"step 1300 loss 1.2", "{'loss': 1.7, 'epoch': 0.3}", "INFO:root:step 1300 loss 1.2"})
    EXPECT_EQ(read(both(both(kThrottled, {step}), kBug)), "user_code/no") << step;
  EXPECT_EQ(read(both(kThrottled, {"step 1300 loss 1.2"})), "service/yes");
  EXPECT_EQ(read(both(kThrottled, {"closing"})), "service/yes");
}

TEST(Lookalikes, F8_WhatComesAfterAProgramsEndDidNotEndIt) {
  for (const Lines& end : {
           Lines{"panic: runtime error: index out of range [8] with length 8", "",
                 "goroutine 1 [running]:", "main.main()", "\t/src/main.go:33 +0x1c5",
                 "exit status 2"},
           Lines{"Exception in thread \"main\" java.lang.ArrayIndexOutOfBoundsException: Index 8 "
                 "out of bounds for length 8",
                 "\tat com.acme.Main.main(Main.java:31)"},
           Lines{"thread 'main' panicked at src/main.rs:12:5:",
                 "index out of bounds: the len is 8 but the index is 8"},
       })
    EXPECT_EQ(read(both(end, {kUploadFailed})), "user_code/no") << end[0];
  EXPECT_EQ(read(both({"Detected KeyboardInterrupt, attempting graceful shutdown ..."},
                      {"wandb: ERROR Failed to sync: 502 Server Error: Bad Gateway for url: "
                       "https://api.wandb.ai/graphql"})),
            "interrupted/no");
  EXPECT_EQ(read({kUploadFailed}), "service/yes");
}

TEST(Lookalikes, F7_WhatRustPanickedOfIsTheProgramsOwn) {
  EXPECT_EQ(read({"thread 'main' panicked at src/spot.rs:14:9:",
                  "not yet implemented: spot interruption"}),
            "user_code/no");
}

TEST(Lookalikes, F8_AFailureReasonsBugIsNotExplainedByAService) {
  const std::string reason =
      "AlgorithmError: ExecuteUserScriptError:\nExitCode 1\nErrorMessage \"KeyError: 'labels'\"";
  EXPECT_EQ(verdict(of(reason, {kUploadFailed})), "user_code/no");
  EXPECT_EQ(verdict(of(reason, {"kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the "
                                "bus."})),
            "hardware/yes");
  const std::string any =
      "AlgorithmError: ExecuteUserScriptError:\nExitCode 1\nErrorMessage \"RuntimeError: stopped\"";
  EXPECT_EQ(verdict(of(any, {kUploadFailed})), "service/yes");
}

TEST(Lookalikes, F9_PinosErrorIsRead) {
  EXPECT_EQ(
      read({"{\"level\":50,\"time\":1710151111000,\"msg\":\"training failed\",\"err\":{\"type\":"
            "\"TypeError\",\"message\":\"x\",\"stack\":\"TypeError: Cannot read properties of "
            "undefined (reading 'loss')\\n    at step (/app/train.js:12:3)\"}}"}),
      "user_code/no");
}

// A zero of another count, a notice that was received, a cause that is told: each beside words that
// tell of no fault elsewhere.
TEST(Lookalikes, F7_WhatHappenedIsToldBesideSuchWords) {
  for (const std::string& line : Lines{
           "Node condition ReadonlyFilesystem is now: True, reason: FilesystemIsReadOnly, message: "
           "\"EXT4-fs (nvme0n1p1): Remounting filesystem read-only\"",
           "dmesg: \"[12345.6] pcieport 0000:00:01.0: AER: Uncorrected (Fatal) error received\"",
           "Node i-0abc: XID 79 detected on GPU 3 (volatile ECC corrected=0, uncorrected=1)",
           "Xid 79 on GPU 0: GPU has fallen off the bus; remapped rows: 0 pending: 0",
           "GPU 0 Xid 48: DBE count: 2, SBE count: 0",
           "GPU Health Check: FAIL xid=79 gpu=3 ecc_corrected=0 nvlink_errors=0",
           "Node n7 was excluded from the allocation because GPU has fallen off the bus (Xid 79)",
           "subscribed to XID events: received critical XID 79 on GPU-4d5c"})
    EXPECT_EQ(read({line}), "hardware/yes") << line;
  for (const std::string& line : Lines{
           "[spot-poller] polling metadata ... got 200: Spot interruption notice received for i-0a",
           "Checkpoint on spot interruption notice received at 2024-05-01T10:02:00Z: saved",
           "Compute Engine instance preempted: compute.instances.preempted - pod failure policy"})
    EXPECT_EQ(read({line}), "interrupted/yes") << line;
  EXPECT_EQ(read({"max retries exceeded, not retrying RunInstances: InsufficientInstanceCapacity: "
                  "We currently do not have sufficient p4d.24xlarge capacity"}),
            "capacity/yes");
}

TEST(Lookalikes, F8_AServiceThatAProgramCouldNotHandleIsTheCause) {
  const std::string reason =
      "AlgorithmError: ExecuteUserScriptError: ExitCode 1 ErrorMessage \"KeyError: 'Contents'\"";
  EXPECT_EQ(
      verdict(of(reason,
                 both(kThrottled, {"During handling of the above exception, another "
                                   "exception occurred:",
                                   "Traceback (most recent call last):", "KeyError: 'Contents'"}))),
      verdict(of(
          "", both(kThrottled, {"During handling of the above exception, another "
                                "exception occurred:",
                                "Traceback (most recent call last):", "KeyError: 'Contents'"}))));
  EXPECT_EQ(verdict(of(reason, {"Spot interruption notice received for i-0abc",
                                "Host EC2 (instance i-0abc) terminated."})),
            "interrupted/yes");
  EXPECT_EQ(read({"thread 'main' panicked at src/main.rs:10:5:",
                  "called `Result::unwrap()` on an `Err` value: reqwest::Error { kind: Status(503),"
                  " url: \"https://huggingface.co/x\" }",
                  "requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: "
                  "https://huggingface.co/x"}),
            "service/yes");
  EXPECT_EQ(read({"panic: runtime error: invalid memory address or nil pointer dereference",
                  "BidEvictedEvent: EC2 Spot Instance interruption notice"}),
            "interrupted/yes");
}

// What transports put before each line takes nothing from a traceback.
TEST(Lookalikes, F8_TransportsArePrefixes) {
  const auto with = [](std::string_view before, const Lines& lines, std::string_view after) {
    Lines out;
    for (std::string line : lines) {
      for (std::size_t at = line.find('"'); at != line.npos && !after.empty();
           at = line.find('"', at + 2))
        line.insert(at, "\\");
      out.push_back(std::string(before) + line + std::string(after));
    }
    return out;
  };
  for (const std::string_view before :
       {"2024-03-11T10:22:31.123000+00:00 train-job/algo-1-1710151111 ",
        "10.0.3.1: ", "trainer_1 | ", "2024-03-11 10:22:31,123 stderr "}) {
    EXPECT_EQ(read(with(before, both(kBug, {kUploadFailed}), "")), "user_code/no") << before;
    EXPECT_EQ(read(with(before, kThrottled, "")), "service/yes") << before;
  }
  const std::string_view before = "{\"timestamp\": 1710151111000, \"message\": \"";
  const std::string_view after = "\", \"ingestionTime\": 1710151112000}";
  EXPECT_EQ(read(with(before, both(kBug, {kUploadFailed}), after)), "user_code/no");
  EXPECT_EQ(read(with(before, kThrottled, after)), "service/yes");
}

TEST(Lookalikes, F7_QuietLevelsAreQuietByAnyName) {
  const std::string text = "EC2 Spot Instance Interruption Warning received";
  for (const std::string& line :
       Lines{"{\"level\":30,\"time\":1710151111000,\"pid\":12,\"msg\":\"" + text + "\"}",
             "{\"@timestamp\":\"2024-03-11T10:00:00Z\",\"log.level\":\"info\",\"message\":\"" +
                 text + "\"}",
             "{\"severity_text\":\"INFO\",\"body\":\"" + text + "\"}",
             "{\"lvl\":\"info\",\"message\":\"" + text + "\"}"})
    EXPECT_EQ(read(both({line}, kNoMemory)), "oom_gpu/no") << line;
  EXPECT_EQ(read({"{\"level\":50,\"time\":1710151111000,\"pid\":12,\"msg\":\"" + text + "\"}"}),
            "interrupted/yes");
}

TEST(Lookalikes, F7_WhatIsToldOfRealFaultsIsKnown) {
  EXPECT_EQ(read({"2025-Feb-01 10:22:31.100 1234:2345 ERROR  TDRV:exec_consume_infer_status "
                  "[ND 3] Uncorrectable HBM memory error is detected."}),
            "hardware/yes");
  EXPECT_EQ(read({"tensorflow.python.framework.errors_impl.InternalError: Failed copying input "
                  "tensor from /job:localhost/replica:0/task:0/device:CPU:0 to GPU:0 in order to "
                  "run Identity: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error "
                  "encountered"}),
            "hardware/yes");
  EXPECT_EQ(read({"[1234.5] NVRM: Xid (PCI:0000:3b:00): 54, pid=1234, Auxiliary power is not "
                  "connected to the GPU board"}),
            "hardware/yes");
  EXPECT_EQ(read({"Preempted by pod 12ab in namespace prod on node ip-10-0-3-1"}),
            "interrupted/yes");
}

// What a package raises, in classes that Python has.
Lines raised_by_a_package(const std::string& last) {
  return {
      "Traceback (most recent call last):",
      "  File \"/opt/conda/lib/python3.10/site-packages/streaming/base/dataset.py\", line 7, in f",
      "    raise RuntimeError(", last};
}

TEST(Lookalikes, F7_WhatALibraryRaisesOfAnotherPartIsNoBug) {
  for (const std::string& last :
       Lines{"RuntimeError: Background thread failed. Check other traceback.",
             "RuntimeError: Nanny failed to start worker process",
             "ValueError: Horovod initialization failed. Please check log messages above.",
             "RuntimeError: One of the subprocesses has abruptly died during map operation."})
    EXPECT_EQ(read(raised_by_a_package(last)), "unknown/once") << last;
  EXPECT_EQ(read(raised_by_a_package("RuntimeError: Ranks 3 failed to download.")), "network/once");
  EXPECT_EQ(read(raised_by_a_package("RuntimeError: Ranks 3 failed to download: 403 Forbidden")),
            "permission/no");
  EXPECT_EQ(read(raised_by_a_package("ValueError: `download_retry` must be non-negative")),
            "user_code/no");
  EXPECT_EQ(read(both(raised_by_a_package("RuntimeError: Background thread failed. Check other "
                                          "traceback."),
                      kBug)),
            "user_code/no");
}

TEST(Lookalikes, F7_TheMemoryOfACommunicationLibraryIsNotTheHosts) {
  EXPECT_EQ(read({"w:1:8 [0] NCCL WARN NET/OFI Memory registration may not have completed."}),
            "unknown/once");
  EXPECT_EQ(read({"w:1:8 [0] NCCL WARN Error: failed to open shared memory mapping nccl-3"}),
            "unknown/once");
  EXPECT_EQ(read({"ERROR the host ran out of memory"}), "oom_host/no");
}

TEST(Lookalikes, F7_ACodeOfAProgramsOwnReportIsNoAnswer) {
  EXPECT_EQ(read({"{\"exceptionType\": \"worker.exceptions\", \"errorCode\": \"503\", \"message\": "
                  "\"An error occured: index 3 is odd\"}"}),
            "unknown/once");
  EXPECT_EQ(read({"{\"error\": {\"message\": \"try later\", \"errorCode\": \"503\"}}"}),
            "service/yes");
}

}  // namespace
}  // namespace trainwarden::rules::lookalikes_test
