// A restart, a stop for good and a copy, interleaved in every way with a person, another job, the
// clock and the death of a function before any step. Forms that broke are put back in place of the
// transitions, to show that the exploration finds what is wrong with them.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/handlers/rules/interleavings/job_happenings.h"

namespace trainwarden::rules::test::job_interleavings_test {
namespace {

// Which worlds a scenario begins in.
struct Begin {
  World world = {};
  JobItem item = {};
};

Findings explored(const Scenario& scenario, const Begin& begin, std::string enough = {}) {
  Findings found = explore(scenario, begin.world, begin.item, std::move(enough));
  std::printf("%zu worlds, %zu steps, %.3g interleavings\n", found.worlds, found.steps,
              found.interleavings);
  return found;
}

void expect_nothing_wrong(const Scenario& scenario, const Begin& begin = {}) {
  const Findings found = explored(scenario, begin);
  EXPECT_TRUE(found.wrong.empty()) << found.report();
  EXPECT_GT(found.worlds, 1000U);
}

void expect_found(const std::string& wrong, const Scenario& scenario, const Begin& begin = {}) {
  const Findings found = explored(scenario, begin, wrong);
  EXPECT_TRUE(found.wrong.contains(wrong)) << "found instead:\n" << found.report();
}

Scenario restart_and_end() {
  return {.programs = {Program::kRestart, Program::kEnd}, .jumps = {20}, .person_stops = true};
}

Scenario two_restarts() {
  return {.programs = {Program::kRestart, Program::kRestart}, .jumps = {20}, .person_stops = true};
}

Scenario stop_and_restart() {
  return {.programs = {Program::kStop, Program::kRestart}, .jumps = {20, 301}};
}

// The job was stopped for an accepted restart, and its event comes twice, or a sweep beside it.
Scenario two_ends() {
  return {.programs = {Program::kEnd, Program::kEnd}, .jumps = {180}, .other_starts = true};
}

Begin accepted_restart() {
  Begin out;
  out.world.status = ObservedJob::Status::kStopping;
  out.world.stopping = 0;
  out.world.stopper = Stopper::kRestart;
  out.item.restart =
      RestartRecord{.rule = kRestart.rule, .why = kRestart.why, .at = at(0), .accepted = true};
  return out;
}

// A stop for good begins while the job dies, and a rule asks for the copy of what failed.
Scenario stop_and_failure() {
  return {.programs = {Program::kStop, Program::kEnd},
          .jumps = {20},
          .job_fails = true,
          .rule_on_failure = true};
}

TEST(Interleavings, A2_ARestartAndItsEndAgainstAPerson) {
  Scenario scenario = restart_and_end();
  scenario.jumps = {20, 301};
  expect_nothing_wrong(scenario);
}

TEST(Interleavings, A2_ARestartAndTheCheckpointTakenMeanwhile) {
  Scenario scenario = restart_and_end();
  scenario.person_stops = false;
  scenario.other_starts = true;
  expect_nothing_wrong(scenario);
}

TEST(Interleavings, A2_ARestartOfAJobThatFailsMeanwhile) {
  Scenario scenario = restart_and_end();
  scenario.job_fails = true;
  scenario.rule_on_failure = true;
  expect_nothing_wrong(scenario);
}

TEST(Interleavings, A2_TwoDeliveriesOfARestartAgainstAPerson) {
  expect_nothing_wrong(two_restarts());
}

TEST(Interleavings, P4_AStopForGoodAgainstARestart) { expect_nothing_wrong(stop_and_restart()); }

TEST(Interleavings, P4_AStopForGoodAgainstTheEndOfARestart) {
  Scenario scenario = stop_and_failure();
  Begin begin;
  begin.item.restart = RestartRecord{
      .rule = kRestart.rule, .why = kRestart.why, .at = at(0), .attempts = {"request-9"}};
  expect_nothing_wrong(scenario, begin);
}

TEST(Interleavings, P4_AStopForGoodAgainstTheCopyOfWhatFailed) {
  expect_nothing_wrong(stop_and_failure());
}

TEST(Interleavings, A3_TwoMakeTheCopyWhileAnotherJobTakesTheCheckpoint) {
  expect_nothing_wrong(two_ends(), accepted_restart());
}

TEST(Interleavings, A3_TwoMakeTheCopyWhileAPersonDoes) {
  Scenario scenario = two_ends();
  scenario.other_starts = false;
  scenario.person_copies = true;
  expect_nothing_wrong(scenario, accepted_restart());
}

// Form 1: a copy of every restart that was begun, whoever stopped the job.
TEST(Interleavings, A2_BitesWhereARestartNeedsNoAcceptedStop) {
  const auto believed = [](JobItem item) {
    if (item.restart) item.restart->accepted = true;
    item.closed.reset();
    return item;
  };
  Scenario scenario = restart_and_end();
  scenario.forms.settle = [=](const JobItem& item, const ObservedJob& job, sys_seconds now) {
    return settle(believed(item), job, now);
  };
  scenario.forms.may_create = [=](const JobItem& item, const ObservedJob& job, sys_seconds now) {
    return may_create(believed(item), job, now);
  };
  scenario.forms.claim_copy = [=](JobItem item, std::string_view name, const ObservedJob& job,
                                  sys_seconds now) {
    return claim_copy(believed(std::move(item)), name, job, now);
  };
  expect_found("a person's stop is undone", scenario);
}

// Form 2: who finds a claimed copy makes it, without asking the guards again.
TEST(Interleavings, A3_BitesWhereTheGuardsAreNotAskedAgain) {
  Scenario scenario = two_ends();
  scenario.forms.guards_before_create = false;
  expect_found("two live jobs on one checkpoint", scenario, accepted_restart());
}

// Form 3: a stop for good is set whether there is a copy or not.
TEST(Interleavings, P4_BitesWhereAStopIsSetBesideACopy) {
  Scenario scenario = stop_and_failure();
  scenario.forms.begin_stop = [](JobItem item, const StopOrder& order, sys_seconds now) {
    const auto copy = std::exchange(item.copy, std::nullopt);
    auto step = begin_stop(std::move(item), order, now);
    step.next.copy = copy;
    return step;
  };
  expect_found("stopped for good and copied, by the item", scenario);
}

// Form 4: a claim that is there counts as told, whoever made it and whatever became of it.
TEST(Interleavings, A5_BitesWhereAClaimCountsAsTold) {
  Scenario scenario = two_ends();
  scenario.forms.knows_own_writes = false;
  scenario.forms.claim_notice = [](JobItem item, std::string_view key, std::string_view what,
                                   std::string_view by, sys_seconds now) {
    if (item.notices.contains(key))
      return Step<JobItem, NoticeDecision>{std::move(item),
                                           {.kind = NoticeDecision::Kind::kNotifiedBefore}};
    return claim_notice(std::move(item), key, what, by, now);
  };
  expect_found("copied, and nobody told", scenario, accepted_restart());
}

TEST(Interleavings, A5_BitesWhereAFreshClaimOfAnotherIsIgnored) {
  Scenario scenario = two_ends();
  scenario.forms.claim_notice = [](JobItem item, std::string_view key, std::string_view what,
                                   std::string_view by, sys_seconds now) {
    item.notices.erase(std::string(key));
    return claim_notice(std::move(item), key, what, by, now);
  };
  expect_found("told twice", scenario, accepted_restart());
}

TEST(Interleavings, A5_BitesWhereTheNoticeIsClaimedInAWriteOfItsOwn) {
  Scenario scenario = restart_and_end();
  scenario.forms.tells_with_closing = false;
  expect_found("closed, and nobody told", scenario);
}

TEST(Interleavings, A2_BitesWhereOneAttemptClosesWhatAnotherMayHaveDone) {
  Scenario scenario = two_restarts();
  scenario.forms.restart_not_done = [](JobItem item, std::string_view, Closed why,
                                       sys_seconds now) {
    if (item.restart && !item.restart->accepted) item.closed = ClosedRecord{now, why};
    return item;
  };
  expect_found("stopped for a copy, and neither copied nor told", scenario);
}

TEST(Interleavings, A2_BitesWhereAnAnswerThatIsStillToBeWrittenIsNotWaitedFor) {
  Scenario scenario = restart_and_end();
  const auto later = [](const ObservedJob& job, sys_seconds now) {
    return job.ended ? std::max(now, *job.ended + std::chrono::seconds(60)) : now;
  };
  scenario.forms.settle = [=](const JobItem& item, const ObservedJob& job, sys_seconds now) {
    return settle(item, job, later(job, now));
  };
  scenario.forms.may_create = [=](const JobItem& item, const ObservedJob& job, sys_seconds now) {
    return may_create(item, job, later(job, now));
  };
  scenario.forms.claim_copy = [=](JobItem item, std::string_view name, const ObservedJob& job,
                                  sys_seconds now) {
    return claim_copy(std::move(item), name, job, later(job, now));
  };
  expect_found("a person's stop is undone", scenario);
}

}  // namespace
}  // namespace trainwarden::rules::test::job_interleavings_test
