#include "handlers/rules/alarms/described_alarm.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::described_alarm_test {
namespace {

using test::doc;

constexpr const char* kTopic = "arn:aws:sns:eu-central-1:111122223333:ours";

Maker maker(std::string_view description, std::string_view topic = kTopic) {
  return maker_of(doc(fmt::format(R"({{"AlarmDescription": "{}", "AlarmActions": ["{}"]}})",
                                  description, kTopic))
                      .root(),
                  topic);
}

TEST(DescribedAlarm, W3_ATokenAtTheEndOfTheDescriptionTellsThatItIsOurs) {
  for (const char* ours : {
           "Whatever these words are. [trainwarden]",
           " [trainwarden]",
           // An older version's.
           "x. Made by Trainwarden, and deleted by it when the job has ended.",
       })
    EXPECT_EQ(maker(ours), Maker::kThisStack) << ours;
  for (const char* other : {
           "",
           "Made by Trainwarden",
           "[trainwarden] was here",
           "Whatever these words are. [trainwarden] ",
           "Whatever these words are.[trainwarden]",
           "Made by Trainwarden, and deleted by it when the job has ended. Not.",
       })
    EXPECT_EQ(maker(other), Maker::kSomebody) << other;
  EXPECT_EQ(maker("x [trainwarden]", "arn:aws:sns:eu-central-1:111122223333:other"),
            Maker::kAnotherStack);
  EXPECT_EQ(maker("x [trainwarden]", ""), Maker::kSomebody);
}

}  // namespace
}  // namespace trainwarden::rules::described_alarm_test
