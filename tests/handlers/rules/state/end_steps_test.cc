#include "handlers/rules/state/end_steps.h"

#include <gtest/gtest.h>

#include "handlers/rules/state/notice_claims.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::test::end_steps_test {
namespace {

using Kind = Settlement::Kind;
using Status = ObservedJob::Status;

sys_seconds at(int seconds) { return kNow + std::chrono::seconds(seconds); }
constexpr int kHour = 3600;

JobItem with_restart(bool accepted, bool of_ended = false) {
  JobItem out;
  out.restart =
      RestartRecord{.rule = "slow", .at = at(0), .accepted = accepted, .of_ended = of_ended};
  return out;
}

ObservedJob ended(Status status, std::optional<int> stopping, int end = 60) {
  ObservedJob out{.status = status, .ended = at(end)};
  if (stopping) out.stopping = at(*stopping);
  return out;
}

Settlement closes(Closed why) { return {.kind = Kind::kClose, .why = why}; }
Settlement not_yet(std::optional<sys_seconds> until = {}) {
  return {.kind = Kind::kNotYet, .until = until};
}
constexpr Settlement kCopies{.kind = Kind::kMakeCopy};

TEST(Settle, A2_ARestartsEnd) {
  struct Case {
    bool accepted;
    ObservedJob job;
    int now;
    Settlement settled;
  };
  const Case cases[] = {
      {true, {}, 30, not_yet()},
      {true, {.status = Status::kStopping, .stopping = at(1)}, 30, not_yet()},
      {true, ended(Status::kStopped, 1), 61, kCopies},
      {true, ended(Status::kStopped, 900), 961, kCopies},
      // It failed as it was being stopped.
      {true, ended(Status::kFailed, 1), 61, kCopies},
      {true, ended(Status::kFailed, {}), 61, kCopies},
      // It was stopping already: the stop that was taken was no stop of ours.
      {true, ended(Status::kStopped, -3), 61, closes(Closed::kNotStoppedByIt)},
      {true, ended(Status::kStopped, -2), 61, kCopies},
      {true, ended(Status::kCompleted, {}), 61, closes(Closed::kCompleted)},
      {true, ended(Status::kStopped, 1), 60 + 26 * kHour, kCopies},
      {true, ended(Status::kStopped, 1), 61 + 26 * kHour, closes(Closed::kOverdue)},
      {true, {.status = Status::kStopped, .stopping = at(1)}, 61, closes(Closed::kOverdue)},
      {true, {.status = Status::kGone}, 61, closes(Closed::kGone)},
      // Nobody wrote down what StopTrainingJob answered.
      {false, {}, 30, not_yet()},
      {false, ended(Status::kStopped, 0), 61, kCopies},
      {false, ended(Status::kStopped, 15), 61, kCopies},
      // Our estimate of the service's clock is two seconds off at most.
      {false, ended(Status::kStopped, -2), 61, kCopies},
      {false, ended(Status::kStopped, -3), 61, closes(Closed::kNotStoppedByIt)},
      {false, ended(Status::kStopped, 17), 61, kCopies},
      {false, ended(Status::kStopped, 18), 61, closes(Closed::kNotStoppedByIt)},
      {false, ended(Status::kFailed, {}), 61, closes(Closed::kNotStoppedByIt)},
      // It may be about to be written.
      {false, ended(Status::kStopped, 3, 5), 17, not_yet(at(17))},
      {false, ended(Status::kStopped, 3, 5), 18, kCopies},
  };
  for (const Case& c : cases) {
    const JobItem item = with_restart(c.accepted);
    EXPECT_EQ(settle(item, c.job, at(c.now)), c.settled) << &c - cases;
    JobItem closed = item;
    closed.closed = ClosedRecord{.at = at(1), .why = Closed::kThrottled};
    EXPECT_EQ(settle(closed, c.job, at(c.now)), Settlement()) << &c - cases;
  }
  EXPECT_EQ(settle({}, ended(Status::kStopped, 1), at(61)), Settlement());
}

TEST(Settle, A2_AStopThatALaterAttemptAskedForCountsToo) {
  // The first died before its stop, the second after it.
  const RestartOrder order{.rule = "slow"};
  JobItem item = begin_restart({}, order, "first", {}, at(0)).next;
  item = begin_restart(std::move(item), order, "second", {}, at(60)).next;
  EXPECT_EQ(settle(item, ended(Status::kStopped, 62, 70), at(100)), kCopies);
  EXPECT_EQ(settle(item, ended(Status::kStopped, 1, 70), at(100)), kCopies);
  EXPECT_EQ(settle(item, ended(Status::kStopped, 78, 80), at(100)),
            closes(Closed::kNotStoppedByIt));
  EXPECT_EQ(settle(item, {}, at(359)), not_yet());
  EXPECT_EQ(settle(item, {}, at(360)), closes(Closed::kNoLongerAsked));
}

TEST(Settle, A2_WhatNobodyCarriedOutIsTakenBackWhileTheJobRuns) {
  const JobItem begun = with_restart(false);
  EXPECT_EQ(settle(begun, {}, at(299)), not_yet());
  EXPECT_EQ(settle(begun, {}, at(300)), closes(Closed::kNoLongerAsked));
  EXPECT_FALSE(is_final(Closed::kNoLongerAsked));
  // Its stop was done, or may have been.
  EXPECT_EQ(settle(with_restart(true), {}, at(300)), not_yet());
  EXPECT_EQ(settle(begun, {.status = Status::kStopping, .stopping = at(1)}, at(300)), not_yet());
  // Nothing is known of it.
  EXPECT_EQ(settle(begun, {.status = Status::kUnknown}, at(300)), not_yet());
  JobItem copied = begun;
  copied.copy = CopyRecord{.name = "c", .at = at(61)};
  EXPECT_EQ(settle(copied, {}, at(300)), not_yet());
}

TEST(Settle, P4_AStopForGoodThatCountsBeatsTheRestart) {
  JobItem item = with_restart(true);
  item.stop = StopRecord{.rule = "idle", .at = at(1)};
  EXPECT_EQ(settle(item, ended(Status::kStopped, 2), at(61)), closes(Closed::kStoppedForGood));
  EXPECT_EQ(settle(item, ended(Status::kStopped, 0), at(61)), kCopies);
  item.stop->accepted = true;
  EXPECT_EQ(settle(item, ended(Status::kStopped, 0), at(61)), closes(Closed::kStoppedForGood));
}

TEST(OrderCopy, A4_OfAJobThatEndedMayWait) {
  const RestartOrder order{.rule = "capacity", .why = "no machines", .types = {"ml.p5.48xlarge"}};
  const ObservedJob job = ended(Status::kFailed, {});
  auto [item, decision] = order_copy({}, order, at(960), job, at(61));
  EXPECT_EQ(decision, OrderDecision::kOrdered);
  EXPECT_TRUE(item.restart->of_ended);
  EXPECT_EQ(item.restart->types, order.types);
  EXPECT_EQ(due_since(item), at(960));
  EXPECT_EQ(settle(item, job, at(959)), not_yet(at(960)));
  EXPECT_EQ(settle(item, job, at(960)), kCopies);
  EXPECT_EQ(claim_copy(item, "c", job, at(959)).decision, CopyDecision::kNotYet);
  EXPECT_EQ(order_copy(item, order, {}, job, at(62)).decision, OrderDecision::kPendingBefore);
  EXPECT_EQ(order_copy(item, order, {}, job, at(62)).next, item);
}

TEST(OrderCopy, A2_NotOfWhatWasStoppedForGoodCopiedOrEnded) {
  const RestartOrder order{.rule = "resume"};
  const ObservedJob job = ended(Status::kFailed, 2);
  JobItem stopped;
  stopped.stop = StopRecord{.rule = "idle", .at = at(1)};
  EXPECT_EQ(order_copy(stopped, order, {}, job, at(61)).decision, OrderDecision::kStoppedForGood);
  JobItem copied;
  copied.copy = CopyRecord{.name = "c", .at = at(61), .made = true};
  EXPECT_EQ(order_copy(copied, order, {}, job, at(62)).decision, OrderDecision::kCopied);
  for (const Closed why : {Closed::kRefused, Closed::kOverdue, Closed::kNameTaken}) {
    JobItem closed = with_restart(true);
    closed.closed = ClosedRecord{.at = at(61), .why = why};
    EXPECT_EQ(order_copy(closed, order, {}, job, at(62)).decision, OrderDecision::kClosedForGood);
  }
  // A restart that came to nothing while the job ran is no reason to leave its failure alone.
  JobItem throttled = with_restart(false);
  throttled.closed = ClosedRecord{.at = at(1), .why = Closed::kThrottled};
  EXPECT_EQ(order_copy(throttled, order, {}, ended(Status::kFailed, {}), at(62)).decision,
            OrderDecision::kOrdered);
}

TEST(Copy, A3_IsClaimedAndFoundAgainUntilItIsMade) {
  const ObservedJob job = ended(Status::kStopped, 1);
  auto [item, decision] = claim_copy(with_restart(true), "c", job, at(61));
  EXPECT_EQ(decision, CopyDecision::kClaimed);
  EXPECT_EQ(item.copy, (CopyRecord{.name = "c", .at = at(61)}));
  EXPECT_EQ(due_since(item), at(61));
  // By another delivery, or a sweep hours later.
  const auto again = claim_copy(item, "c", job, at(9000));
  EXPECT_EQ(again.decision, CopyDecision::kClaimed);
  EXPECT_EQ(again.next, item);
  EXPECT_EQ(may_create(item, job, at(9000)), CopyDecision::kClaimed);
  const JobItem made = copy_made(item);
  EXPECT_EQ(may_create(made, job, at(9000)), CopyDecision::kMade);
  EXPECT_FALSE(due_since(made));
  EXPECT_EQ(copy_made(made), made);
}

TEST(Copy, A3_IsNotClaimedWhereItIsNotOwed) {
  const ObservedJob job = ended(Status::kStopped, 1);
  EXPECT_EQ(claim_copy({}, "c", job, at(61)).decision, CopyDecision::kNotPending);
  EXPECT_EQ(claim_copy(with_restart(true), "c", {}, at(61)).decision, CopyDecision::kNotYet);
  JobItem stopped = with_restart(true);
  stopped.stop = StopRecord{.rule = "idle", .at = at(0), .accepted = true};
  const auto closes = claim_copy(stopped, "c", job, at(61));
  EXPECT_EQ(closes.decision, CopyDecision::kHasToClose);
  EXPECT_EQ(closes.next, stopped);
  JobItem nothing_came_of = with_restart(true);
  nothing_came_of.stop = StopRecord{.rule = "idle", .at = at(10)};
  EXPECT_FALSE(claim_copy(nothing_came_of, "c", job, at(61)).next.stop);
}

TEST(Copy, A3_WhatIsNotMadeWithin26HoursEnds) {
  const ObservedJob job = ended(Status::kStopped, 1);
  const JobItem item = claim_copy(with_restart(true), "c", job, at(61)).next;
  EXPECT_EQ(may_create(item, job, at(60 + 26 * kHour)), CopyDecision::kClaimed);
  EXPECT_EQ(may_create(item, job, at(61 + 26 * kHour)), CopyDecision::kHasToClose);
  auto closed = close_copy(item, Closed::kOverdue, at(61 + 26 * kHour));
  EXPECT_TRUE(closed.decision);
  EXPECT_FALSE(due_since(closed.next));
  EXPECT_FALSE(close_copy(closed.next, Closed::kRefused, at(62 + 26 * kHour)).decision);
  // Told by the same write, and due until it was told.
  const auto told = claim_notice(closed.next, "refused", "overdue", "request-1", at(0));
  EXPECT_TRUE(due_since(told.next));
  EXPECT_FALSE(due_since(notice_done(told.next, "refused")));
  // A CreateTrainingJob that was under way has succeeded all the same.
  EXPECT_FALSE(copy_made(closed.next).closed);
}

constexpr const char* kOriginal = R"({
  "RoleArn": "arn:aws:iam::111122223333:role/train",
  "AlgorithmSpecification": {"TrainingImage": "image:1"},
  "CheckpointConfig": {"S3Uri": "s3://b/c"}, "CreationTime": 1782990000})";

TEST(Copy, A3_AJobOfItsNameIsItIfItWasCreatedSinceAndIsTheSame) {
  struct Case {
    std::string from;
    std::string to;
    bool is_it;
  };
  const Case cases[] = {
      {"1782990000", "1783000600", true},
      {"1782990000", "1783000598.0", true},  // clocks
      {"1782990000", "1783000597", false},
      {"1782990000", "1782990000", false},
      {"1782990000", "null", false},
      {"role/train", "role/other", false},
      {"image:1", "image:2", false},
      {"TrainingImage", "AlgorithmName", false},
      {"s3://b/c", "s3://b/d", false},
      {R"("CheckpointConfig": {"S3Uri": "s3://b/c"}, )", "", false},
  };
  const auto original = doc(kOriginal);
  for (const Case& c : cases) {
    std::string text = kOriginal;
    text.replace(text.find("1782990000"), 10, "1783000605");
    if (c.from == "1782990000") text.replace(text.find("1783000605"), 10, c.to);
    if (const auto found = text.find(c.from); found != std::string::npos)
      text.replace(found, c.from.size(), c.to);
    const auto other = doc(text);
    EXPECT_EQ(
        is_that_copy(read_training_job(original.root()), read_training_job(other.root()), kNow),
        c.is_it)
        << text;
  }
}

TEST(ObservedJob, IsWhatDescribeTells) {
  struct Case {
    const char* describe;
    ObservedJob observed;
  };
  const Case cases[] = {
      {R"({"TrainingJobStatus": "InProgress"})", {}},
      {"{}", {.status = Status::kUnknown}},
      {R"({"TrainingJobStatus": "Stopping", "SecondaryStatusTransitions": [
           {"Status": "Training", "StartTime": 1783000500.2},
           {"Status": "Stopping", "StartTime": 1783000600.9}]})",
       {.status = Status::kStopping, .stopping = kNow}},
      {R"({"TrainingJobStatus": "Stopped", "TrainingEndTime": 1783000600})",
       {.status = Status::kStopped, .ended = kNow}},
      {R"({"TrainingJobStatus": "Failed", "LastModifiedTime": 1783000600, "CreationTime": 1})",
       {.status = Status::kFailed, .ended = kNow}},
      {R"({"TrainingJobStatus": "Completed"})", {.status = Status::kCompleted}},
      {R"({"TrainingJobStatus": "Deleting"})", {.status = Status::kGone}},
  };
  for (const Case& c : cases) {
    const auto describe = doc(c.describe);
    const ObservedJob observed = observed_job(read_training_job(describe.root()));
    EXPECT_EQ(observed.status, c.observed.status) << c.describe;
    EXPECT_EQ(observed.stopping, c.observed.stopping) << c.describe;
    EXPECT_EQ(observed.ended, c.observed.ended) << c.describe;
  }
}

TEST(ObservedJob, TellsTheMillisecondOfTheCreation) {
  const auto created = [](const char* text) {
    return read_training_job(doc(text).root()).created_exactly;
  };
  EXPECT_EQ(created(R"({"CreationTime": 1783000600.123})"),
            sys_millis(std::chrono::milliseconds(1'783'000'600'123)));
  EXPECT_EQ(created(R"({"CreationTime": 1783000600.9999})"),
            sys_millis(std::chrono::milliseconds(1'783'000'601'000)));
  for (const char* const text :
       {"{}", R"({"CreationTime": null})", R"({"CreationTime": "yesterday"})",
        R"({"CreationTime": -1})", R"({"CreationTime": 1e300})"})
    EXPECT_FALSE(created(text)) << text;
}

}  // namespace
}  // namespace trainwarden::rules::test::end_steps_test
