// F8: which process failed first, and which trouble was got over, whatever order the lines of
// several processes come in.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "handlers/rules/failure/speaker.h"

namespace trainwarden::rules::processes_test {
namespace {

using Lines = std::vector<std::string>;

Diagnosis of(const Lines& log) {
  const std::vector<std::string_view> lines(log.begin(), log.end());
  return diagnose_texts("", lines);
}
std::string verdict(const Lines& log) {
  const Diagnosis d = of(log);
  return std::string(name(d.label)) + "/" + std::string(name(d.resume));
}

Lines joined(std::vector<Lines> parts) {
  Lines out;
  for (const Lines& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

Lines raised_on(int rank, const std::string& exception) {
  const std::string prefix = "[rank" + std::to_string(rank) + "]: ";
  return {prefix + "Traceback (most recent call last):",
          prefix + "  File \"/opt/ml/code/train.py\", line 88, in main", prefix + "    step(batch)",
          prefix + exception};
}

// torchrun's table, as it stands at the end of a log.
Lines table(int root, int other,
            const std::string& how_the_other_ended = "exitcode  : 1 (pid: 7)") {
  const auto entry = [](int rank, const std::string& time, const std::string& ended) {
    return Lines{
        "[" + std::to_string(rank) + "]:",
        "  time      : " + time,
        "  host      : ip-10-0-0-1",
        "  rank      : " + std::to_string(rank) + " (local_rank: " + std::to_string(rank) + ")",
        "  " + ended,
        "  error_file: <N/A>"};
  };
  const Lines rule = {"------------------------------------------------------------"};
  return joined(
      {{"torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
        "============================================================", "train.py FAILED"},
       rule,
       {"Failures:"},
       entry(other, "2024-05-01_10:00:09", how_the_other_ended),
       rule,
       {"Root Cause (first observed failure):"},
       entry(root, "2024-05-01_10:00:03", "exitcode  : 1 (pid: 9)"),
       {"============================================================"}});
}

const std::string kMissing = "FileNotFoundError: [Errno 2] No such file or directory: '/opt/ml/a'";
const std::string kKey = "KeyError: 'loss'";

TEST(Processes, F8_TorchrunsRootCauseComesFirst) {
  const Lines one = raised_on(1, kMissing);
  const Lines three = raised_on(3, kKey);
  for (const std::vector<Lines>& order : {std::vector{one, three}, std::vector{three, one}}) {
    EXPECT_EQ(verdict(joined({joined(order), table(3, 1)})), "user_code/no");
    EXPECT_EQ(verdict(joined({joined(order), table(1, 3)})), "data/no");
  }
  // Without a table the first line counts.
  EXPECT_EQ(verdict(joined({one, three})), "data/no");
  EXPECT_EQ(verdict(joined({three, one})), "user_code/no");
}

TEST(Processes, F8_TorchrunNamesLocalRanksToo) {
  const auto local = [](int rank, const std::string& exception) {
    return Lines{"[default" + std::to_string(rank) + "]:" + exception};
  };
  EXPECT_EQ(verdict(joined({local(1, kMissing), local(3, kKey), table(3, 1)})), "user_code/no");
  EXPECT_EQ(verdict(joined({local(1, kMissing), local(3, kKey), table(1, 3)})), "data/no");
}

// The root cause decides only between evidence of one weight.
TEST(Processes, F8_ACauseOutweighsTheRootCausesException) {
  const Lines lost =
      raised_on(0, "torch.distributed.DistBackendError: NCCL communicator was aborted on rank 0.");
  const Lines memory =
      raised_on(1, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.");
  EXPECT_EQ(verdict(joined({lost, memory, table(0, 1)})), "oom_gpu/no");
  EXPECT_EQ(verdict(joined({memory, lost, table(0, 1)})), "oom_gpu/no");
}

TEST(Processes, F8_HowTheOthersEndedIsAConsequence) {
  for (const std::string ended : {"exitcode  : -15 (pid: 7)", "exitcode  : -9 (pid: 7)"})
    EXPECT_EQ(verdict(joined({{"the tokenizer's file is not valid JSON"}, table(0, 1, ended)})),
              verdict(joined({{"the tokenizer's file is not valid JSON"}, table(0, 1)})))
        << ended;
  // How the root cause ended is none.
  EXPECT_EQ(
      verdict({"Root Cause (first observed failure):", "[0]:", "  rank      : 0 (local_rank: 0)",
               "  exitcode  : -9 (pid: 7)", "  traceback : Signal 9 (SIGKILL) received by PID 7"}),
      "oom_host/once");
}

TEST(Processes, F8_EachHostHasItsTableAndTheFirstRootCauseCounts) {
  Lines late = table(3, 2);
  for (std::string& line : late)
    if (line.contains("10:00:03")) line = "  time      : 2024-05-01_10:00:07";
  const Lines both = joined({raised_on(3, kKey), raised_on(1, kMissing)});
  EXPECT_EQ(verdict(joined({both, late, table(1, 0)})), "data/no");
  EXPECT_EQ(verdict(joined({both, table(1, 0), late})), "data/no");
}

TEST(Processes, F8_TheEarliestByTheClock) {
  const auto at = [](const std::string& time, const std::string& host, const std::string& what) {
    return "2024-05-01T10:00:" + time + "Z " + host + " " + what;
  };
  const std::string key = at("07.100", "algo-1-1714557600", kKey);
  const std::string missing = at("03.900", "algo-2-1714557600", kMissing);
  EXPECT_EQ(verdict({key, missing}), "data/no");
  EXPECT_EQ(verdict({missing, key}), "data/no");
  // Where one tells no time, the first line.
  EXPECT_EQ(verdict({kKey, missing}), "user_code/no");
  // What weighs more counts, however late.
  EXPECT_EQ(verdict({missing, at("09.000", "algo-1-1714557600", "CUDA out of memory.")}),
            "oom_gpu/no");
}

const std::string kDown = "[rank2]: OSError: [Errno 28] No space left on device";
const std::string kStep = "epoch 3 step 200 loss=0.25";

TEST(Processes, F8_WhatTheSameProcessWentOnAfterWasGotOver) {
  const Lines died = raised_on(2, kKey);
  EXPECT_EQ(verdict(joined({{kDown}, died})), "disk/no");
  EXPECT_EQ(verdict(joined({{kDown, "[rank2]: " + kStep}, died})), "user_code/no");
  EXPECT_EQ(verdict(joined({{kDown, "[rank2]: Reporting training SUCCESS"}, died})),
            "user_code/no");
}

TEST(Processes, F8_WhatAnotherProcessWentOnAfterWasNot) {
  const Lines died = raised_on(3, kKey);
  EXPECT_EQ(verdict(joined({{kDown, "[rank3]: " + kStep}, died})), "disk/no");
  EXPECT_EQ(verdict(joined({{kDown, "[rank3]: Reporting training SUCCESS"}, died})), "disk/no");
  EXPECT_EQ(verdict(joined({{kDown, kStep}, died})), "disk/no") << "nobody is named";
}

// The job is known to have failed: what was got over counts where nothing else does.
TEST(Processes, F8_GettingOverDeletesNothing) {
  EXPECT_EQ(verdict({kDown, "[rank2]: " + kStep}), "disk/no");
  EXPECT_EQ(verdict({kDown, "[rank2]: " + kStep, "AlgorithmError: Exit Code: 1"}), "disk/no");
}

TEST(Speaker, Ranks) {
  EXPECT_EQ(rank_of("[rank3]: "), 3);
  EXPECT_EQ(rank_of("[1,mpirank:14,algo-2]<stderr>:"), 14);
  EXPECT_EQ(rank_of("[1,6]<stdout>:"), 6);
  EXPECT_EQ(rank_of("12: "), 12);
  EXPECT_EQ(rank_of("[rank: 5] "), 5);
  EXPECT_EQ(local_rank_of("[default7]:"), 7);
  for (const std::string_view prefix : {"", "[algo-1]: ", "2024-05-01 10:00:00 ", "[default7]:"})
    EXPECT_FALSE(rank_of(prefix)) << prefix;
  EXPECT_FALSE(local_rank_of("[rank3]: "));
}

TEST(Speaker, Moments) {
  const auto first = moment_of("2024-05-01 10:00:02,123 ");
  ASSERT_TRUE(first);
  EXPECT_EQ(moment_of("[2024-05-01T10:00:02.123Z] "), first);
  EXPECT_EQ(moment_of("time : 2024-05-01_10:00:02.123"), first);
  EXPECT_EQ(moment_of("E0501 10:00:02.123000 139 api.py:869] "), first);
  EXPECT_EQ(moment_of("05/01/2024 10:00:02.123 - ERROR - "), first);
  EXPECT_EQ(moment_of("May  1 10:00:02.123 host "), first);
  EXPECT_LT(first, moment_of("2024-05-01 10:00:02,124 "));
  EXPECT_LT(first, moment_of("2024-05-02 00:00:00 "));
  EXPECT_FALSE(moment_of("10:00:02 "));
  EXPECT_FALSE(moment_of("[rank3]: "));
}

}  // namespace
}  // namespace trainwarden::rules::processes_test
