// F9: a FailureReason that holds the end of a log says what the log says, as far as SageMaker's cut
// to 1,024 characters leaves the line that tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "tests/handlers/rules/failure/cases.h"

namespace trainwarden::rules::reasons_test {
namespace {

using namespace failure_cases;

constexpr std::size_t kMostCharacters = 1024;

std::string text_of_log(const Case& c) {
  std::string out;
  for (const std::string& line : c.log) out += (out.empty() ? "" : "\n") + line;
  return out;
}

// Every text whose verdict rests on a line that is left after the cut.
void expect_the_same(const std::vector<Case>& cases, int least) {
  const std::vector<std::string> heads = {
      "", "AlgorithmError: ExecuteUserScriptError:\nExitCode 1\nErrorMessage \""};
  int ran = 0;
  int same = 0;
  for (const Case& c : cases) {
    if (!c.reason.empty() || c.label == "unknown") continue;
    const Diagnosis alone = of(c);
    if (alone.evidence.empty()) continue;
    for (const std::string& head : heads) {
      const std::string whole = head + text_of_log(c);
      const std::string cut = whole.substr(0, kMostCharacters);
      if (cut.size() < whole.size() && !cut.contains(alone.evidence)) continue;
      const Diagnosis now = of(cut, {});
      ++ran;
      same += verdict(now) == verdict(alone) ? 1 : 0;
      EXPECT_FALSE(now.resume == RunAgain::kYes && alone.resume == RunAgain::kNo)
          << cut << "\nrests on: " << now.evidence;
    }
  }
  std::cout << ran << " FailureReasons ran, " << same << " say what the log says\n";
  EXPECT_GE(ran, least);
  EXPECT_GE(same * 1000, ran * 990);
}

TEST(Reasons, F9_HoldTheTextsOfRealFailures) {
  REQUIRE_SHARED(kFailures);
  expect_the_same(failures(), 200);
}

TEST(Reasons, F9_HoldOwnTexts) { expect_the_same(own_failures(), 1500); }

// A time within a sentence begins no line.
TEST(Reasons, F9_ATimeWithinASentence) {
  EXPECT_EQ(verdict(of("slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-04-20T09:09:37 DUE TO "
                       "TIME LIMIT ***",
                       {})),
            "timeout/once");
}

// F9: cut to 1,024 characters, on one line.
std::string verdict_of_end(const std::string& end) {
  return verdict(of("AlgorithmError: ExecuteUserScriptError:\nExitCode 1\nErrorMessage \"" + end +
                        "\"\nCommand \"/opt/conda/bin/python3.10 train.py\", exit code: 1",
                    {}));
}

// The end of the log on one line: records of loggers, of which one reports and the others do not.
TEST(Reasons, F9_RecordsOfLoggersOnOneLine) {
  const std::string oom = "CUDA out of memory. Tried to allocate 2.00 GiB";
  for (const auto& [news, error] : std::vector<std::pair<std::string, std::string>>{
           {"I0610 09:12:01.101000 140012 train.py:31] ", "E0610 09:12:05.101000 140012 t.py:44] "},
           {"[2024-06-10 09:12:01,123] [INFO] [a.py:12:f] ",
            "[2024-06-10 09:12:05,123] [ERROR] [a.py:12:f] "},
           {"[2024-06-10 09:12:01,123][__main__][INFO] - ",
            "[2024-06-10 09:12:05,123][__main__][ERROR] - "},
           {"[INFO] ", "[ERROR] "},
           {"06/10/2024 09:12:01 - INFO - __main__ - ",
            "06/10/2024 09:12:05 - ERROR - __main__ - "},
           {"INFO:__main__:", "ERROR:__main__:"},
           {"INFO: ", "ERROR: "},
           {"[06/10/2024 09:12:01 INFO 140012] ", "[06/10/2024 09:12:05 ERROR 140012] "},
           {"[2024-06-10:09:12:01:INFO] ", "[2024-06-10:09:12:05:ERROR] "}}) {
    EXPECT_EQ(verdict_of_end(news + "starting epoch 3 " + error + oom), "oom_gpu/no") << error;
    EXPECT_EQ(verdict_of_end(news + "the error was " + oom + " and is got over"), "unknown/once")
        << news;
    EXPECT_EQ(verdict_of_end(news + "learning rate is 0 ValueError: Target size must be the same"),
              "user_code/no")
        << news;
    EXPECT_EQ(verdict_of_end(news + "retrying after ConnectionError: reset by peer"),
              "unknown/once")
        << news;
  }
}

TEST(Reasons, F9_ExceptionsBehindTheirFrameOnOneLine) {
  const std::string frame = "File \"/opt/ml/code/train.py\", line 44, in load     f(x) ";
  EXPECT_EQ(verdict_of_end(frame + "AssertionError"), "user_code/no");
  EXPECT_EQ(verdict_of_end(frame + "KeyboardInterrupt"), "interrupted/no");
  EXPECT_EQ(verdict_of_end(frame + "__main__.TrainingDiverged: loss became nan at step 300"),
            "user_code/no");
  EXPECT_EQ(verdict_of_end(frame + "numpy.core._exceptions._ArrayMemoryError: Unable to allocate "
                                   "63.2 GiB for an array"),
            "oom_host/no");
  EXPECT_EQ(verdict_of_end(frame + "socket.gaierror: [Errno -3] Temporary failure in name "
                                   "resolution"),
            "network/yes");
}

// A bar that goes on behind an exception, and breaks that syslog wrote out.
TEST(Reasons, F9_ABarBehindAnException) {
  const std::string bar = "  0%|          | 0/1500 [00:03<?, ?it/s]";
  const std::string end =
      "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB";
  EXPECT_EQ(verdict_of_end("Traceback (most recent call last): File \"t.py\", line 3, in f f(x) " +
                           end + bar),
            "oom_gpu/no");
  EXPECT_EQ(verdict(of("", {end + bar})), "oom_gpu/no");
  EXPECT_EQ(verdict(of("", {end + "#015" + bar})), "oom_gpu/no");
  EXPECT_EQ(verdict_of_end("Traceback (most recent call last):#012  File \"t.py\", line 3, in "
                           "f#012    f(x)#012" +
                           end),
            "oom_gpu/no");
  EXPECT_EQ(verdict(of("", {"Loading checkpoint shards:  50%|#####     | 1/2 [00:01<00:01, 1.2s/it]"
                            "KeyError: 'x'"})),
            "user_code/no");
}

TEST(Logs, F9_AReasonThatHoldsTheLog) {
  const std::string frames =
      " Traceback (most recent call last):   File \"/opt/conda/lib/python3.8/runpy.py\", line 194, "
      "in "
      "_run_module_as_main     return _run_code(code, main_globals, None,   File "
      "\"/opt/ml/code/train.py\", line 38, in <module>     main()";
  const auto reason = [&](std::string_view last) {
    std::string out = "AlgorithmError: ExecuteUserScriptError: ExitCode 1 ErrorMessage \"" +
                      std::string(last) + frames + frames + frames + frames;
    out.resize(std::min<std::size_t>(out.size(), 1024));
    return out;
  };
  EXPECT_EQ(verdict(of(reason("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB"), {})),
            "oom_gpu/no");
  EXPECT_EQ(verdict(of(reason("OSError: [Errno 28] No space left on device"), {})), "disk/no");
  EXPECT_EQ(verdict(of(reason("KeyError: 'loss'"), {})), "user_code/no");
}

}  // namespace
}  // namespace trainwarden::rules::reasons_test
