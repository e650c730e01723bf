// F8: how a program's logger writes changes nothing of what was said.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "handlers/rules/failure/prefix.h"
#include "tests/handlers/rules/failure/cases.h"

namespace trainwarden::rules::loggers_test {
namespace {

using namespace failure_cases;

// What loggers put before a message at ERROR, as programs set them.
constexpr std::string_view kLoggers[] = {
    "ERROR:__main__:",
    "ERROR:my.pkg.trainer:",
    "ERROR: ",
    "[ERROR] ",
    "[my.trainer] ERROR: ",
    "trainer ERROR: ",
    "my.trainer - ERROR - ",
    "2024-05-01 10:00:00,123 - __main__ - ERROR - ",
    "2024-05-01 10:00:00,123 - my.trainer - ERROR - train.py:33 - ",
    "2024-05-01 10:00:00,123 ERROR    ",
    "2024-05-01 10:00:00,123 [ERROR] ",
    "2024-05-01 10:00:00,123 ERROR [train.py:33] ",
    "2024-05-01 10:00:00,123 ERROR train.py:33 ",
    "2024-05-01 10:00:00,123 [MainThread] ERROR my.trainer - ",
    "2024-05-01 10:00:00 | ERROR | my.trainer | ",
    "2024-05-01 10:00:00,123 ERROR [main] org.x.Trainer - ",
    "2024-05-01 10:00:00 ERROR TaskSetManager:91 - ",
    "2024-05-01 10:00:00,123\tERROR worker.py:409 -- ",
    "ERROR train.py:33: ",
    "[ERROR][train.py:33] ",
    "[2024-05-01 10:00:00,123][__main__][ERROR] - ",
    "[2024-05-01 10:00:00,123][my.pkg.train][ERROR] - [rank: 0] ",
    "2024-05-01 10:00:00.123 | ERROR    | __main__:main:33 - ",
    "2024-05-01 10:00:00.123 | ERROR    | my.pkg.train:<module>:33 - ",
    "2024-05-01 10:00:00 | ERROR    | ",
    "2024-05-01T10:00:00.123456Z [error    ] ",
    "[05/01/24 10:00:00] ERROR    ",
    "E0501 10:00:00.123456 140735 train.py:33] ",
    "2024-05-01 10:00:00.123456: E tensorflow/core/x.cc:131] ",
    "2024-05-01T10:00:00.123Z\tERROR\tcontroller.train\ttrain/main.go:33\t",
    "time=\"2024-05-01T10:00:00Z\" level=error msg=\"",
    "2024-05-01T10:00:00.123456Z ERROR my_crate::train: ",
    "[2024-05-01 10:00:00.123 ip-10-0-0-1:33 ERROR train.py:33] ",
    "[ERROR|trainer.py:2926] 2024-05-01 10:00:00,123 >> ",
    "[2024-05-01 10:00:00,123] [ERROR] [launch.py:315:sigkill_handler] ",
    "ERROR: lightning.pytorch: ",
    "[NeMo E 2024-05-01 10:00:00 train:33] ",
    "[05/01 10:00:00] d2.engine.train_loop ERROR: ",
    "wandb: ERROR ",
    "2024-05-01 10:00:00,123: rank0[33][MainThread]: ERROR: composer.cli.launcher: ",
};

void expect_nothing_changed(const std::vector<Case>& failed) {
  for (const std::string_view logger : kLoggers) {
    int ran = 0;
    int changed = 0;
    const std::string_view end = logger.ends_with("msg=\"") ? "\"" : "";
    for (const Case& c : failed) {
      if (!c.reason.empty()) continue;
      const Diagnosis alone = of(c);
      std::vector<std::string> log;
      for (const std::string& line : c.log)
        log.push_back(std::string(logger) + line + std::string(end));
      const Diagnosis now = of("", log);
      ++ran;
      changed += verdict(now) != verdict(alone) ? 1 : 0;
      EXPECT_FALSE(now.resume == RunAgain::kYes && alone.resume != RunAgain::kYes) << log.back();
    }
    std::cout << logger << ": " << ran << " ran, " << changed << " changed\n";
    EXPECT_GT(ran, 100);
    // A level is news where the line alone was none.
    EXPECT_LE(changed * 200, ran) << logger;
  }
}

TEST(Loggers, F8_WhatALoggerAddsChangesNothing) { expect_nothing_changed(own_failures()); }

TEST(Loggers, F8_WhatALoggerAddsChangesNothingInTheCorpus) {
  REQUIRE_SHARED(kFailures);
  expect_nothing_changed(failures());
}

// As lines are read, tabs are blanks by then.
std::string with_blanks(std::string_view line) {
  std::string out;
  for (const char c : line) out += c == '\t' ? "  " : std::string(1, c);
  return out;
}

std::string said(std::string_view line) { return std::string(line.substr(prefix_of(line).length)); }

TEST(Loggers, EndWhereTheMessageBegins) {
  for (const std::string_view logger : kLoggers) {
    EXPECT_EQ(said(with_blanks(logger) + "it failed"), "it failed") << logger;
    EXPECT_EQ(prefix_of(with_blanks(logger) + "it failed").level, Level::kError) << logger;
  }
  EXPECT_EQ(prefix_of("ERROR:root:trainer: INFO: done").level, Level::kQuiet);
}

// A log may end within a line: `time="…" level=error msg="` has a quote that nothing follows.
TEST(Loggers, MayBeCutAnywhere) {
  for (const std::string_view logger : kLoggers) {
    const std::string line = std::string(logger) + "it failed\"";
    for (std::size_t size = 0; size <= line.size(); ++size) {
      const std::string cut = line.substr(0, size);
      EXPECT_NE(of("", {cut}).resume, RunAgain::kYes) << cut;
      EXPECT_NE(of(cut, {}).resume, RunAgain::kYes) << cut;
    }
  }
}

// A time is nobody's name, also in brackets.
TEST(Loggers, TellOneProcessFromAnother) {
  const auto process = [](std::string_view line) { return prefix_of(line).process; };
  EXPECT_EQ(process("[2025-12-06 15:32:18,446] x"), process("[2025-12-06 15:32:19,447] x"));
  EXPECT_NE(process("[1,3]<stderr>:x"), process("[1,4]<stderr>:x"));
  EXPECT_EQ(said("[2025-12-06 15:32:04,363][/app/verl/fsdp.py][INFO] - saved"), "saved");
  EXPECT_EQ(said("submitit INFO (2022-07-12 04:18:45,881) - requeued"), "requeued");
  EXPECT_EQ(said("16/06/10 14:42:29 WARN util.NativeCodeLoader: no library"), "no library");
  EXPECT_EQ(said("16/06/10 14:42:29 WARN no: library"), "no: library");
  const Prefix dated = prefix_of("Tue Jun 15 12:25:59 2021[1]<stderr>:died");
  EXPECT_TRUE(dated.timed);
  EXPECT_EQ(dated.process, prefix_of("Tue Jun 15 12:26:11 2021[1]<stderr>:died").process);
  EXPECT_NE(dated.process, prefix_of("Tue Jun 15 12:26:11 2021[0]<stderr>:died").process);
  EXPECT_EQ(said("Tue trains leave"), "Tue trains leave");
}

// What looks like a name, and is the message.
TEST(Loggers, TakeNothingOfTheMessage) {
  for (const std::string_view message :
       {"torch.OutOfMemoryError: CUDA out of memory", "cv2.error: OpenCV(4.5.1) resize.cpp:4051",
        "socket.timeout: timed out", "torch._C._LinAlgError: linalg.cholesky: no",
        "CUDA ERROR: out of memory", "NCCL WARN Call to connect failed", "10.0.0.1:8080 refused",
        "worker lost - giving up", "error: unrecognized arguments: --x"}) {
    EXPECT_EQ(said("2024-05-01 10:00:00,123 ERROR " + std::string(message)), message);
    EXPECT_EQ(said(message), message);
  }
  EXPECT_EQ(said("train.py: error: the following arguments are required: --x"),
            "train.py: error: the following arguments are required: --x");
}

// F7: a program's own logger among other lines tells the program's words, however alarming.
TEST(Loggers, F7_WhatTheProgramItselfLogsIsNotResumed) {
  const std::string_view words = "ERROR:__main__:the instance was unhealthy, replaced by a twin";
  EXPECT_EQ(of_log({"epoch 1 loss 0.3", words}), "hardware/once");
  EXPECT_EQ(of_log({"epoch 1 loss 0.3", "the instance was unhealthy, replaced by a twin"}),
            "hardware/yes");
  EXPECT_EQ(of_log({"ERROR:__main__:epoch 1 loss 0.3", words}), "hardware/yes")
      << "all are handed on";
}

// Loguru and others write JSON, too.
TEST(Loggers, F8_RecordsAsJson) {
  const std::string record =
      R"({"text": "2024 | ERROR | it\n", "record": {"level": {"name": "ERROR", "no": 40}, )"
      R"("message": "CUDA out of memory. Tried to allocate 2.00 GiB.", "time": {"timestamp": 1}}})";
  EXPECT_EQ(of_log({record}), "oom_gpu/no");
  std::string quiet = record;
  quiet.replace(quiet.find("\"ERROR\""), 7, "\"INFO\"");
  EXPECT_EQ(of_log({quiet}), "unknown/once");
}

}  // namespace
}  // namespace trainwarden::rules::loggers_test
