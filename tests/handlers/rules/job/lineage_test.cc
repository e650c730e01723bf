#include "handlers/rules/job/lineage.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainwarden::rules {
namespace {

json::Document parse(std::string_view text) { return *json::Document::parse(text); }

constexpr std::string_view kDigest =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

TEST(Lineage, A3_AJobWithoutOurTagsIsTheRootOfItsLine) {
  const auto tags = parse(R"({"team": "vision"})");
  const Lineage lineage = lineage_of(read_job_tags(tags.root()), "train-1");
  EXPECT_EQ(lineage.generation, 0);
  EXPECT_EQ(lineage.root, "train-1");
  EXPECT_EQ(lineage.parent, "");
}

TEST(Lineage, A3_ACopyTellsItsLine) {
  const auto tags = parse(
      R"({"trainwarden:generation": "2", "trainwarden:root": "a", "trainwarden:parent": "a-r1-0",
          "trainwarden:child": "a-r3-1"})");
  const Lineage lineage = lineage_of(read_job_tags(tags.root()), "a-r2-9");
  EXPECT_EQ(lineage.generation, 2);
  EXPECT_EQ(lineage.root, "a");
  EXPECT_EQ(lineage.parent, "a-r1-0");
  EXPECT_EQ(lineage.child, "a-r3-1");
}

TEST(Lineage, A3_AnIntentThatIsDoneTellsTheCopyWhereThereIsNoRoomForATag) {
  const auto done = parse(R"({"trainwarden:intent": "done a-r1-0"})");
  EXPECT_EQ(lineage_of(read_job_tags(done.root()), "a").child, "a-r1-0");
  const auto both = parse(R"({"trainwarden:intent": "done b", "trainwarden:child": "c"})");
  EXPECT_EQ(lineage_of(read_job_tags(both.root()), "a").child, "c");
  for (const char* const text :
       {R"({"trainwarden:intent": "done"})", R"({"trainwarden:intent": "done "})",
        R"({"trainwarden:intent": "void"})", R"({"trainwarden:intent": "v1 gen=1 at=1"})"})
    EXPECT_EQ(lineage_of(read_job_tags(parse(text).root()), "a").child, "") << text;
}

TEST(Lineage, A2_AGenerationThatCannotBeReadIsNotZero) {
  for (const char* const text :
       {R"({"trainwarden:generation": "two"})", R"({"trainwarden:generation": "-1"})",
        R"({"trainwarden:generation": ""})", R"({"trainwarden:generation": "1 "})",
        R"({"trainwarden:generation": "99999999999999999999"})",
        R"({"trainwarden:parent": "a"})"}) {
    const auto tags = parse(text);
    EXPECT_FALSE(lineage_of(read_job_tags(tags.root()), "b").generation) << text;
  }
}

// Tags come before the stop, and stay where it was refused: the transitions tell whether there was
// one.
TEST(StoppedForGood, P4_TagsAndTransitionsTellTogether) {
  struct Case {
    const char* tags;
    const char* transitions;
    const char* secondary;
    bool stopped;
  };
  constexpr const char* kAt = R"({"trainwarden:stopped": "2026-07-02T13:46:41Z"})";  // 1783000001
  constexpr const char* kOld =
      R"({"trainwarden:action": "stop", "trainwarden:at": "2026-07-02T13:46:41Z"})";
  constexpr Case kCases[] = {
      {kAt, R"([{"Status": "Stopping", "StartTime": 1783000003}])", "Failed", true},
      {kOld, R"([{"Status": "Stopping", "StartTime": 1783000003}])", "Failed", true},
      // Another delivery stopped it, and this one's tags came after.
      {kAt, R"([{"Status": "Stopping", "StartTime": 1782999950}])", "Stopped", true},
      {kAt, R"([{"Status": "Stopping", "StartTime": 1783000601}])", "Stopped", true},
      // That stop was somebody else's, or SageMaker's own.
      {kAt, R"([{"Status": "Stopping", "StartTime": 1783000602}])", "Stopped", false},
      {kAt, R"([{"Status": "Stopping", "StartTime": 1783090000}])", "MaxRuntimeExceeded", false},
      {kAt, R"([{"Status": "Training", "StartTime": 1783000003}])", "Failed", false},
      // What does not tell leaves the tags alone.
      {kAt, R"([{"Status": "Training", "StartTime": 1783000003}])", "Stopped", true},
      {kAt, R"([{"Status": "Stopping"}])", "Failed", true},
      {kAt, "[]", "Failed", true},
      {R"({"trainwarden:action": "stop"})", R"([{"Status": "Training", "StartTime": 1}])", "Failed",
       true},
      {R"({"trainwarden:stopped": "once"})", R"([{"Status": "Training", "StartTime": 1}])",
       "Failed", true},
      {R"({"trainwarden:action": "restart"})",
       R"([{"Status": "Stopping", "StartTime": 1783000003}])", "Stopped", false},
  };
  for (const Case& c : kCases) {
    const auto describe = parse(std::string(R"({"SecondaryStatus": ")") + c.secondary +
                                R"(", "SecondaryStatusTransitions": )" + c.transitions + "}");
    EXPECT_EQ(was_stopped_for_good(read_job_tags(parse(c.tags).root()),
                                   read_training_job(describe.root())),
              c.stopped)
        << c.tags << c.transitions << c.secondary;
  }
  EXPECT_TRUE(was_stopped_for_good(read_job_tags(parse(kAt).root()),
                                   read_training_job(parse("{}").root())));
}

TEST(StoppedForGood, P4_AJobThatRunsOnWasNotStopped) {
  const auto tags = parse(R"({"trainwarden:stopped": "2026-07-02T13:46:41Z"})");
  const auto at = [](long time) { return sys_seconds(std::chrono::seconds(time)); };
  EXPECT_TRUE(is_being_stopped_for_good(read_job_tags(tags.root()), at(1783000001)));
  EXPECT_TRUE(is_being_stopped_for_good(read_job_tags(tags.root()), at(1783000601)));
  EXPECT_FALSE(is_being_stopped_for_good(read_job_tags(tags.root()), at(1783000602)));
  EXPECT_FALSE(is_being_stopped_for_good(read_job_tags(parse("{}").root()), at(1783000001)));
}

TEST(Lineage, A3_ACopysNameIsItsRootsGenerationAndDigest) {
  EXPECT_EQ(copy_name("train", 1, kDigest), "train-r1-01234567");
  EXPECT_EQ(copy_name("train", 12, kDigest), "train-r12-01234567");
}

TEST(Lineage, A3_ACopysNameIsValidWhateverItsRootIsCalled) {
  struct Case {
    std::string root;
    std::string name;
  };
  // `-r1-01234567` has 12 characters, so 51 are left of the root.
  const Case cases[] = {
      {std::string(51, 'a'), std::string(51, 'a') + "-r1-01234567"},
      {std::string(63, 'a'), std::string(51, 'a') + "-r1-01234567"},
      {std::string(50, 'a') + "-" + std::string(12, 'b'), std::string(50, 'a') + "-r1-01234567"},
      {std::string(40, 'a') + std::string(20, '-') + "b", std::string(40, 'a') + "-r1-01234567"},
      // A root tag that somebody else wrote.
      {"-a b/c_", "abc-r1-01234567"},
      {"///", "job-r1-01234567"},
      {"", "job-r1-01234567"},
  };
  for (const Case& c : cases) {
    const std::string name = copy_name(c.root, 1, kDigest);
    EXPECT_EQ(name, c.name);
    EXPECT_LE(name.size(), 63U);
  }
}

TEST(Lineage, A3_ACopyByItsNameHasNoGenerationBeforeItsTagsAreThere) {
  const auto none = parse("{}");
  for (const char* const name : {"a-r3-01234567", "a-b-r12-89abcdef"})
    EXPECT_FALSE(lineage_of(read_job_tags(none.root()), name).generation) << name;
  for (const char* const name :
       {"a", "a-r3", "a-r3-0123456", "a-r3-012345678", "a-r3-0123456g", "a-r3-0123456F",
        "a-rx-01234567", "a-r-01234567", "a3-01234567", "01234567"})
    EXPECT_EQ(lineage_of(read_job_tags(none.root()), name).generation, 0) << name;
  const auto tags = parse(R"({"trainwarden:generation": "3", "trainwarden:parent": "b"})");
  EXPECT_EQ(lineage_of(read_job_tags(tags.root()), "a-r3-01234567").generation, 3);
}

TEST(Lineage, A3_TheDigestTellsParentsTheirNamesakesAndGenerationsApart) {
  const sys_seconds created{std::chrono::seconds(1783000000)};
  const std::string seed = copy_seed("arn:a", created, 1);
  EXPECT_EQ(seed, "arn:a\n1783000000\n1");
  EXPECT_NE(seed, copy_seed("arn:b", created, 1));
  EXPECT_NE(seed, copy_seed("arn:a", created + std::chrono::seconds(1), 1));
  EXPECT_NE(seed, copy_seed("arn:a", created, 2));
}

TEST(Lineage, A3_TheCopysTagsAreTheJobsWithoutAwssAndOurs) {
  const auto tags = parse(
      R"({"team": "vision", "AWS:owner": "x", "aws:cloudformation:stack-name": "s", "Aws:a": "b",
          "awsome": "yes", "trainwarden:mine": "kept", "empty": "",
          "trainwarden:intent": "v1 gen=1 at=1", "trainwarden:action": "restart",
          "trainwarden:rule": "r", "trainwarden:reason": "why", "trainwarden:at": "t",
          "trainwarden:told": "r", "trainwarden:stopped": "t", "trainwarden:child": "c", "trainwarden:root": "a",
          "trainwarden:parent": "a", "trainwarden:generation": "1"})");
  const Lineage lineage = lineage_of(read_job_tags(tags.root()), "a-r1-0");
  using Tags = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(copy_tags(tags.root(), lineage, "a-r1-0"), (Tags{{"team", "vision"},
                                                             {"awsome", "yes"},
                                                             {"trainwarden:mine", "kept"},
                                                             {"empty", ""},
                                                             {"trainwarden:root", "a"},
                                                             {"trainwarden:parent", "a-r1-0"},
                                                             {"trainwarden:generation", "2"}}));
}

}  // namespace
}  // namespace trainwarden::rules
