#include "handlers/rules/alarms/alarm_name.h"

#include <gtest/gtest.h>

namespace trainwarden::rules::alarm_name_test {
namespace {

TEST(AlarmName, W1_ReadsOneWayOnly) {
  const auto one = AlarmName::parse("trainwarden/train-1/gpu-idle");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->job, "train-1");
  EXPECT_EQ(one->watch, "gpu-idle");
  EXPECT_EQ(one->part, 0);
  EXPECT_EQ(AlarmName::parse("trainwarden/train-1/gpu-idle/12")->part, 12);
}

TEST(AlarmName, W1_WhatItTakesItGivesBack) {
  for (const char* name : {"trainwarden/a/b", "trainwarden/Train--1/gpu-idle/1",
                           "trainwarden/9/w9/10", "trainwarden/j/w/2147483647"}) {
    const auto parsed = AlarmName::parse(name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(parsed->str(), name);
  }
}

TEST(AlarmName, W1_TheLongestNameIsWithinCloudWatchsLimit) {
  const AlarmName longest{std::string(63, 'j'), std::string(63, 'w'), 2147483647};
  EXPECT_EQ(AlarmName::parse(longest.str()), longest);
  EXPECT_LE(longest.str().size(), 255U);
}

TEST(AlarmName, W3_ForeignNamesAreNotOurs) {
  const std::string long_job = "trainwarden/" + std::string(64, 'j') + "/w";
  const std::string long_watch = "trainwarden/j/" + std::string(64, 'w');
  for (const char* name : {"",
                           "HighCPU-prod-db",
                           "trainwarden",
                           "trainwarden/",
                           "trainwarden/job",
                           "trainwarden/job/",
                           "trainwarden//watch",
                           "trainwarden/job/Watch",
                           "trainwarden/job/9watch",
                           "trainwarden/job/watch/",
                           "trainwarden/job/watch/0",
                           "trainwarden/job/watch/x",
                           "trainwarden/job/watch/01",
                           "trainwarden/job/watch/+1",
                           "trainwarden/job/watch/-1",
                           "trainwarden/job/watch/1/2",
                           "trainwarden/job/watch/99999999999",
                           "Trainwarden/job/watch",
                           "trainwarden/-job/watch",
                           "trainwarden/job-/watch",
                           "trainwarden/jöb/watch",
                           "trainwarden/job.1/watch",
                           long_job.c_str(),
                           long_watch.c_str()})
    EXPECT_FALSE(AlarmName::parse(name)) << name;
}

TEST(AlarmName, W1_AStackReadsNamesUnderItsOwnPrefixOnly) {
  const AlarmName name{"job", "idle", 2, "team-a"};
  EXPECT_EQ(name.str(), "team-a/job/idle/2");
  EXPECT_EQ(AlarmName::parse("team-a/job/idle/2", "team-a"), name);
  EXPECT_EQ(alarm_prefix("job", "team-a"), "team-a/job/");
  for (const char* other : {"trainwarden/job/idle", "team-/job/idle", "team-ab/job/idle",
                            "team-a-2/job/idle", "team-a", "team-a//idle", "TEAM-A/job/idle"})
    EXPECT_FALSE(AlarmName::parse(other, "team-a")) << other;
  const AlarmName longest{std::string(63, 'j'), std::string(63, 'w'), 2147483647,
                          std::string(64, 'p')};
  EXPECT_EQ(AlarmName::parse(longest.str(), longest.prefix), longest);
  EXPECT_LE(longest.str().size(), 255U);
}

TEST(AlarmName, W1_WhatMayBeAPrefix) {
  for (const char* good : {"a", "9", "trainwarden", "Team_A.2-x"})
    EXPECT_TRUE(is_alarm_prefix(good)) << good;
  for (const char* bad : {"", "-a", ".a", "_a", "a/b", "a b", "a*", "a:b", "jö"})
    EXPECT_FALSE(is_alarm_prefix(bad)) << bad;
  EXPECT_TRUE(is_alarm_prefix(std::string(64, 'p')));
  EXPECT_FALSE(is_alarm_prefix(std::string(65, 'p')));
}

TEST(AlarmName, W3_ThePrefixOfAJobIsNotThatOfALongerName) {
  EXPECT_EQ(alarm_prefix("train-1"), "trainwarden/train-1/");
  EXPECT_FALSE(std::string("trainwarden/train-10/w").starts_with(alarm_prefix("train-1")));
}

}  // namespace
}  // namespace trainwarden::rules::alarm_name_test
