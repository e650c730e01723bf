// What lines are read as: by form, before any word of the vocabulary.
#include "handlers/rules/failure/structures.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/prefix.h"

namespace trainwarden::rules::structures_test {
namespace {

std::string said(std::string_view line) { return std::string(line.substr(prefix_of(line).length)); }

std::vector<Structure> read(std::vector<std::string_view> log) {
  FailureText text = FailureText::of_log(log);
  read_structures(text, false);
  std::vector<Structure> out;
  for (const Line& line : text.lines()) out.push_back(line.structure);
  return out;
}

Structure read_one(std::string_view line) { return read(std::vector{line}).at(0); }

TEST(Prefix, WhatTransportsAddIsNotWhatWasSaid) {
  for (const std::string_view line :
       {"KeyError: 'x'",
        "[rank3]: KeyError: 'x'",
        "[1,mpirank:3,algo-2]<stderr>:KeyError: 'x'",
        "[1,14]<stderr>:KeyError: 'x'",
        "(RayTrainWorker pid=12, ip=10.0.0.1) KeyError: 'x'",
        "2024-03-22 15:18:20,466 KeyError: 'x'",
        "2024-05-01T10:00:00.123Z KeyError: 'x'",
        "ks8vy-algo-1-xezda | KeyError: 'x'",
        "3: KeyError: 'x'",
        "[2024-03-22 15:18:20.466 algo-1:84 ERROR run.py:67] KeyError: 'x'",
        "E0401 12:00:00.123456 1234 file.cc:77] KeyError: 'x'",
        "2024-05-01T10:00:00.123456789Z stderr F KeyError: 'x'",
        "2024-05-01T10:00:00.123000+00:00 algo-1-1714557600 KeyError: 'x'",
        "1714557600123  KeyError: 'x'",
        "[1714557600.123] KeyError: 'x'",
        "[pod/train-worker-0/pytorch] KeyError: 'x'",
        "[STDERR] KeyError: 'x'",
        "ERROR 2024-06-05T03:11:00.812412Z [resource.labels.taskName: workerpool0-0] KeyError: 'x'",
        "trainer/3 KeyError: 'x'",
        "node-3/3 KeyError: 'x'",
        "train_00 stderr | KeyError: 'x'",
        "    | KeyError: 'x'",
        " 13: KeyError: 'x'",
        "ip-10-0-0-1: KeyError: 'x'",
        "worker-3: KeyError: 'x'",
        "node001: KeyError: 'x'",
        "May  1 10:00:00 ip-10-0-0-1 python3[4711]: KeyError: 'x'",
        "[2024-05-01 10:00:00,123][__main__][ERROR] - KeyError: 'x'",
        "[2024-05-01 10:00:00,123][ERROR][__main__] KeyError: 'x'",
        "2024-05-01 10:00:00.123 | ERROR    | __main__:main:33 - KeyError: 'x'",
        "2024-05-01 10:00:00,123 ERROR train.py:33 -- KeyError: 'x'",
        "ErrorMessage \"KeyError: 'x'",
        " 65%|██████▌   | 781/1199 [47:47:33<26:47:45, 230.78s/it]KeyError: 'x'"})
    EXPECT_EQ(said(line).substr(said(line).find_first_not_of(' ')), "KeyError: 'x'") << line;
  // These are what was said.
  for (const std::string_view line :
       {"step/3 is done", "trainer/3", "| a | b |", "+ python3 train.py",
        "[Errno 28] No space left on device", "error: it failed", "12 files", "disk: full",
        "(core dumped)", "Xid (PCI:0000:91:00): 79", "node: lost", "eth0: link down",
        "nvme0n1: I/O error", "train.py:33: it failed", "[encoder] 3 layers"})
    EXPECT_EQ(said(line), line);
}

TEST(Prefix, LevelsAndSpeakers) {
  EXPECT_EQ(prefix_of("2024-03-22 15:18:20,466 toolkit INFO     done").level, Level::kQuiet);
  EXPECT_EQ(prefix_of("09/11/2023 17:25:09 - INFO - editor -   done").level, Level::kQuiet);
  EXPECT_EQ(prefix_of("ERROR:root:it failed").level, Level::kError);
  EXPECT_EQ(prefix_of("[W socket.cpp:432] [c10d] no").level, Level::kWarning);
  EXPECT_EQ(prefix_of("[E ProcessGroupNCCL.cpp:458] no").level, Level::kError);
  EXPECT_EQ(prefix_of("Error: it failed").level, Level::kNone);
  EXPECT_EQ(prefix_of("[rank3]: a").process, prefix_of("[rank3]: b").process);
  EXPECT_NE(prefix_of("[rank3]: a").process, prefix_of("[rank4]: a").process);
  EXPECT_EQ(prefix_of("a").process, 0U);
}

TEST(Prefix, TheKernelTellsTheTimeSinceItBegan) {
  EXPECT_TRUE(prefix_of("[12345.678901] NVRM: it failed").kernel);
  EXPECT_TRUE(prefix_of("[    1.000001] NVRM: it failed").kernel);
  EXPECT_FALSE(prefix_of("[1714557600.123] it failed").kernel);
  EXPECT_FALSE(prefix_of("[1714557600.123456] it failed").kernel);
}

TEST(Prefix, TheLoggerNextToWhatWasSaidTellsTheLevel) {
  EXPECT_EQ(prefix_of("ERROR:root:INFO: done").level, Level::kQuiet);
  EXPECT_EQ(prefix_of("2024-05-01 10:00:00,123 ERROR a.py:3 -- [INFO] done").level, Level::kQuiet);
}

TEST(Structures, ATracebackIsItsException) {
  using enum Structure;
  EXPECT_EQ(
      read({"Traceback (most recent call last):", "  File \"t.py\", line 3, in main",
            "    raise ValueError(\"no capacity\")", "    ^^^^^^^^^", "ValueError: no capacity"}),
      (std::vector{kFrame, kFrame, kFrame, kFrame, kException}));
  EXPECT_EQ(read({"Traceback (most recent call last):", "  File \"t.py\", line 3, in main",
                  "_queue.Empty"})
                .back(),
            kException);
  EXPECT_EQ(read({"DataLoader: ready"}).back(), kOrdinary) << "no traceback ends here";
}

// As CloudWatch's exports have it: a time before each line.
TEST(Structures, ATracebackWhoseLinesAllTellTheTime) {
  using enum Structure;
  EXPECT_EQ(read({"2024-05-01T10:00:00.123Z Traceback (most recent call last):",
                  "2024-05-01T10:00:00.123Z   File \"t.py\", line 3, in main",
                  "2024-05-01T10:00:00.123Z     queue.get_nowait()",
                  "2024-05-01T10:00:00.123Z _queue.Empty"}),
            (std::vector{kFrame, kFrame, kFrame, kException}));
  // Others' lines with a time end no traceback that has none.
  EXPECT_EQ(read({"Traceback (most recent call last):", "  File \"t.py\", line 3, in main",
                  "    queue.get_nowait()", "2024-05-01T10:00:00.123Z DataLoader: ready"})
                .back(),
            kOrdinary);
}

// Flyte shows below a traceback what was raised, on lines of its own.
TEST(Structures, WhatIsNotIndentedEndsATracebackThatIs) {
  using enum Structure;
  EXPECT_EQ(read({"Traceback (most recent call last):", "  File \"t.py\", line 3, in main",
                  "    run()", "Message:", "    Process 12 got signal: 15"}),
            (std::vector{kFrame, kFrame, kFrame, kOrdinary, kOrdinary}));
  // One that lost its indents goes on.
  EXPECT_EQ(read({"Traceback (most recent call last):", "File \"t.py\", line 3, in main", "run()",
                  "_queue.Empty"}),
            (std::vector{kFrame, kFrame, kFrame, kException}));
}

// As Python draws the exceptions of a group.
TEST(Structures, EachExceptionOfAGroupIsOne) {
  using enum Structure;
  EXPECT_EQ(
      read({"  + Exception Group Traceback (most recent call last):",
            "  |   File \"t.py\", line 12, in <module>", "  |     asyncio.run(main())",
            "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)",
            "  +-+---------------- 1 ----------------",
            "    | Traceback (most recent call last):", "    |   File \"t.py\", line 44, in get",
            "    |     await get(key)", "    | KeyError: 'x'"})
          .back(),
      kException);
}

// A front end that starts trainings logs at the level INFO all that these say.
TEST(Structures, ATracebackThatSomebodyRelaysEndsInAnException) {
  using enum Structure;
  EXPECT_EQ(read({"[2025-01-11 16:00:49] [INFO] Traceback (most recent call last):",
                  "[2025-01-11 16:00:49] [INFO]   File \"t.py\", line 3, in main",
                  "[2025-01-11 16:00:49] [INFO]     read(path)",
                  "[2025-01-11 16:00:49] [INFO] AssertionError: the file is empty"})
                .back(),
            kException);
  EXPECT_EQ(read_one("[2025-01-11 16:00:49] [INFO] AssertionError: the file is empty"), kSilent);
  EXPECT_EQ(read({"Traceback (most recent call last):", "  File \"t.py\", line 3, in main",
                  "    read(path)", "[2025-01-11 16:00:49] [INFO] AssertionError: was got over"})
                .back(),
            kSilent);
}

TEST(Structures, WhatHappensWhileThingsAreClearedAwayIsNoReport) {
  using enum Structure;
  EXPECT_EQ(read({"Error in atexit._run_exitfuncs:", "Traceback (most recent call last):",
                  "  File \"t.py\", line 3, in stop", "BrokenPipeError: [Errno 32] Broken pipe"}),
            (std::vector{kSilent, kFrame, kFrame, kSilent}));
  EXPECT_EQ(read_one("BrokenPipeError: [Errno 32] Broken pipe"), kException);
}

TEST(Structures, WhatALoggerCouldNotWriteIsNoReport) {
  using enum Structure;
  EXPECT_EQ(read({"Traceback (most recent call last):",
                  "  File \"/usr/lib/python3.10/logging/__init__.py\", line 1103, in emit",
                  "    stream.write(msg + self.terminator)",
                  "UnicodeEncodeError: 'ascii' codec can't encode character", "Call stack:"})
                .at(3),
            kSilent);
  EXPECT_EQ(
      read({"Traceback (most recent call last):",
            "  File \"/usr/lib/python3.10/multiprocessing/resource_tracker.py\", line 209, in "
            "main",
            "    cache[rtype].remove(name)", "KeyError: '/psm_12ab34cd'"})
          .back(),
      kSilent);
}

TEST(Structures, LinesOfALoggerThatWritesJson) {
  using enum Structure;
  EXPECT_EQ(read_one(R"({"levelname": "ERROR", "message": "it is gone"})"), kError);
  EXPECT_EQ(read_one(R"({"level": "info", "msg": "KeyError: 'x' was got over"})"), kSilent);
  EXPECT_EQ(read_one(R"({"log": "KeyError: 'x'\n", "stream": "stderr"})"), kException);
  EXPECT_EQ(
      read(
          {R"({"time": "t", "message": "gone", "exc_info": "Traceback (most recent call last):\n  File \"t.py\", line 3, in f\nKeyError: 1"})"}),
      (std::vector{kOrdinary, kFrame, kFrame, kException}));
  // A service's answer and settings are none.
  EXPECT_EQ(read_one(R"({"error": {"message": "no such model", "code": 404}})"), kError);
  EXPECT_EQ(read_one(R"({"epochs": 3, "message_size": 4})"), kSilent);
}

TEST(Structures, FormTellsWhoSpeaks) {
  using enum Structure;
  EXPECT_EQ(read_one("NVRM: Xid (PCI:0000:91:00): 79, GPU has fallen off the bus."), kKernel);
  EXPECT_EQ(read_one("slurmstepd: error: *** JOB 1 ON n CANCELLED AT 2024-01-01T00:00:00 ***"),
            kScheduler);
  EXPECT_EQ(read_one("terminate called after throwing an instance of 'c10::Error'"), kNative);
  EXPECT_EQ(read_one("algo-1:1:2 [0] NCCL WARN NET/IB : Got completion"), kLibrary);
  EXPECT_EQ(read_one("algo-1:1:2 [0] NCCL INFO NET/IB : Using mlx5"), kSilent);
  EXPECT_EQ(read_one("train.py: error: unrecognized arguments: -x"), kError);
  EXPECT_EQ(read_one("[LightGBM] [Fatal] the label is not what it was"), kError);
  EXPECT_EQ(read_one("SM_HPS={}"), kSilent);
  EXPECT_EQ(read_one("Requirement already satisfied: numpy"), kSilent);
  EXPECT_EQ(read_one("/a/b.py:3: UserWarning: odd"), kWarning);
  EXPECT_EQ(read_one("the end is near"), kOrdinary);
}

}  // namespace
}  // namespace trainwarden::rules::structures_test
