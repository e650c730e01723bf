// The functions' programs: how they use the transitions, one step at a time.
#pragma once

#include "handlers/rules/state/brake.h"
#include "tests/handlers/rules/interleavings/job_change.h"

namespace trainwarden::rules::test {

inline void JobSteps::begin_restart(const World& world, std::size_t i, Out& out) {
  const int id = world.functions[i].id;
  change(
      world, i, out,
      [&](const JobItem& item, sys_seconds now) {
        auto step = rules::begin_restart(item, kRestart, request(id), ObservedJob(), now);
        return Changed{std::move(step.next), static_cast<int>(step.decision)};
      },
      [](World&, Function& f, const Changed& changed) {
        const bool stops = changed.decision == static_cast<int>(RestartDecision::kStop);
        go(f, stops ? Pc::kStopForRestart : Pc::kOver);
      });
}

// StopTrainingJob, and every answer that it can have.
inline void JobSteps::stop(const World& world, std::size_t i, bool for_good, Out& out) {
  const Pc accepted = for_good ? Pc::kStopAccepted : Pc::kRestartAccepted;
  const Pc denied = for_good ? Pc::kStopRefused : Pc::kRestartDenied;
  const Pc not_done = for_good ? Pc::kOver : Pc::kRestartNotDone;
  const auto answer = [&](std::string_view what, World after, Pc pc, Closed why) {
    after.functions[i].why = why;
    go(after.functions[i], pc);
    out.push_back({what, i + 1, std::move(after)});
  };
  // The brake's slot has ended: the event comes again.
  if (world.now > world.functions[i].read_at + kSlotHolds.count()) {
    answer("is late with its stop", world, not_done, Closed::kThrottled);
    return;
  }
  if (world.status != ObservedJob::Status::kRuns) {
    answer("finds nothing to stop", world, not_done, Closed::kConflict);
    return;
  }
  World stopped = world;
  stopped.status = ObservedJob::Status::kStopping;
  stopped.stopping = world.now;
  stopped.stopper = for_good ? Stopper::kForGood : Stopper::kRestart;
  stopped.stopped_for_good = for_good;
  answer("stops the job", stopped, accepted, Closed::kConflict);
  answer("stops the job, and the answer is lost", stopped, Pc::kOver, Closed::kConflict);
  answer("is throttled", world, not_done, Closed::kThrottled);
  answer("is denied the stop", world, denied, Closed::kDenied);
  World unknown = world;
  unknown.was_lost = unknown.was_lost || !for_good;
  answer("asks for the stop in vain and never knows", unknown, Pc::kOver, Closed::kConflict);
}

inline bool failed_by_itself(const World& world) {
  return world.status == ObservedJob::Status::kFailed && world.stopping < 0;
}

inline void JobSteps::settle(const World& world, std::size_t i, Out& out) {
  World after = world;
  Function& f = after.functions[i];
  switch (scenario_.forms.settle(items_[world.item], look(world), at(world.now)).kind) {
    case Settlement::Kind::kNothingOwed:
      go(f, scenario_.rule_on_failure && failed_by_itself(world) ? Pc::kOrder : Pc::kOwedNotices);
      break;
    case Settlement::Kind::kNotYet:
      go(f, Pc::kOwedNotices);
      break;
    case Settlement::Kind::kClose:
      go(f, Pc::kClose);
      f.why = Closed::kOverdue;  // settle says it again, of the item that is written
      break;
    case Settlement::Kind::kMakeCopy:
      go(f, Pc::kGuards);
      break;
  }
  out.push_back({"settles", i + 1, std::move(after)});
}

// With kRefused: a guard refused the copy. Else settle says whether and why.
inline void JobSteps::close(const World& world, std::size_t i, Out& out) {
  const Function& self = world.functions[i];
  enum Decided { kAgain, kTell, kElsewhere };
  change(
      world, i, out,
      [&](const JobItem& item, sys_seconds now) {
        Closed why = self.why;
        if (why != Closed::kRefused && why != Closed::kNameTaken) {
          const Settlement settled = scenario_.forms.settle(item, look(world), now);
          if (settled.kind != Settlement::Kind::kClose) return Changed{item, kAgain};
          why = settled.why;
        }
        auto closed = close_copy(item, why, now);
        if (!closed.decision) return Changed{std::move(closed.next), kAgain};
        if (!scenario_.forms.tells_with_closing) return Changed{std::move(closed.next), kElsewhere};
        auto told = scenario_.forms.claim_notice(std::move(closed.next), kKeys[0], rules::name(why),
                                                 request(self.id), now);
        const bool mine = told.decision.kind == NoticeDecision::Kind::kPublish;
        return Changed{std::move(told.next), mine ? kTell : kAgain};
      },
      [](World&, Function& f, const Changed& changed) {
        f.copied = false;
        f.claimed_at = f.read_at;
        go(f, changed.decision == kTell        ? Pc::kPublish
              : changed.decision == kElsewhere ? Pc::kClaimNotice
                                               : Pc::kOver);
      });
}

inline void JobSteps::claim_copy(const World& world, std::size_t i, Out& out) {
  change(
      world, i, out,
      [&](const JobItem& item, sys_seconds now) {
        auto step = scenario_.forms.claim_copy(item, kCopyName, look(world), now);
        return Changed{std::move(step.next), static_cast<int>(step.decision)};
      },
      [&](World&, Function& f, const Changed& changed) {
        switch (static_cast<CopyDecision>(changed.decision)) {
          case CopyDecision::kClaimed:
            go(f, Pc::kMayCreate);
            break;
          case CopyDecision::kHasToClose:
            f.why = Closed::kOverdue;
            go(f, Pc::kClose);
            break;
          default:
            go(f, Pc::kOwedNotices);
        }
      });
}

// The guard's look at other jobs and CreateTrainingJob are one step: what comes between the two is
// out of anybody's hands.
inline void JobSteps::create(const World& world, std::size_t i, Out& out) {
  World after = world;
  Function& f = after.functions[i];
  const JobItem& item = items_[world.item];
  if (world.copy_lives) {
    // What is_that_copy says of a job that is like the original in all else.
    const int claimed = static_cast<int>((item.copy->at - kEpoch).count());
    const bool ours = world.copied_at + 2 >= claimed;
    f.why = Closed::kNameTaken;
    go(f, ours ? Pc::kMade : Pc::kClose);
    out.push_back({"finds the name taken", i + 1, std::move(after)});
    return;
  }
  if (world.other_lives && scenario_.forms.guards_before_create) {
    f.why = Closed::kRefused;
    go(f, Pc::kClose);
    out.push_back({"is refused by a guard", i + 1, std::move(after)});
    return;
  }
  after.copy_lives = true;
  after.copied_at = world.now;
  if (world.other_lives) after.wrong = "two live jobs on one checkpoint";
  if (world.stopped_for_good) after.wrong = "a copy of a job that was stopped for good";
  if (world.stopper == Stopper::kPerson) {
    // Give or take the two seconds by which clocks may differ.
    const auto since = [&](sys_seconds time) { return static_cast<int>((time - kEpoch).count()); };
    const bool documented =
        world.was_lost && item.restart && world.stopping >= since(item.restart->at) - 2 &&
        world.stopping <= since(item.restart->again.value_or(item.restart->at)) + 17;
    if (!documented) after.wrong = "a person's stop is undone";
  }
  go(f, Pc::kMade);
  out.push_back({"creates the copy", i + 1, std::move(after)});
}

inline void JobSteps::claim_notice(const World& world, std::size_t i, Out& out) {
  const Function& self = world.functions[i];
  change(
      world, i, out,
      [&](const JobItem& item, sys_seconds now) {
        auto step = scenario_.forms.claim_notice(item, kKeys[self.copied ? 1 : 0], "",
                                                 request(self.id), now);
        const bool mine = step.decision.kind == NoticeDecision::Kind::kPublish;
        return Changed{std::move(step.next), mine ? 1 : 0};
      },
      [](World&, Function& f, const Changed& changed) {
        f.claimed_at = f.read_at;
        go(f, changed.decision == 1 ? Pc::kPublish : Pc::kOver);
      });
}

inline void JobSteps::publish(const World& world, std::size_t i, Out& out) {
  World after = world;
  Function& f = after.functions[i];
  if (world.now >= f.claimed_at + 120) {
    go(f, Pc::kClaimNotice);
    out.push_back({"is late with its notice", i + 1, std::move(after)});
    return;
  }
  ++after.published[f.copied ? 1 : 0];
  go(f, Pc::kNoticeDone);
  out.push_back({f.copied ? "tells of the copy" : "tells of the refusal", i + 1, std::move(after)});
}

inline void JobSteps::pending_notices(const World& world, std::size_t i, Out& out) {
  World after = world;
  Function& f = after.functions[i];
  const auto pending = rules::pending_notices(items_[world.item], request(f.id), at(world.now));
  f.copied = !pending.empty() && pending.front() == kKeys[1];
  go(f, pending.empty() ? Pc::kOver : Pc::kClaimNotice);
  out.push_back({"looks for notices", i + 1, std::move(after)});
}

inline void JobSteps::step(const World& world, std::size_t i, Out& out) {
  const Function& f = world.functions[i];
  const auto to = [&](Pc pc, std::string_view what) {
    World after = world;
    go(after.functions[i], pc);
    out.push_back({what, i + 1, std::move(after)});
  };
  const auto write = [&](auto transition, Pc then) {
    change(
        world, i, out,
        [&](const JobItem& item, sys_seconds now) { return Changed{transition(item, now)}; },
        [then](World&, Function& g, const Changed&) { go(g, then); });
  };
  const auto over = [&](auto transition) { write(transition, Pc::kOver); };
  switch (f.pc) {
    case Pc::kLook:
      if (f.program == Program::kEnd) {
        if (look(world).has_ended()) to(Pc::kSettle, "hears of the end");
      } else if (world.status != ObservedJob::Status::kRuns) {
        to(Pc::kOver, "finds no job that runs");
      } else {
        to(f.program == Program::kStop ? Pc::kBeginStop : Pc::kBeginRestart,
           "finds the job running");
      }
      return;
    case Pc::kBeginRestart:
      return begin_restart(world, i, out);
    case Pc::kStopForRestart:
      return stop(world, i, false, out);
    case Pc::kRestartAccepted:
      return over([](JobItem item, sys_seconds now) {
        return restart_accepted(std::move(item), kRestart, now);
      });
    case Pc::kRestartNotDone:
      return over([&](JobItem item, sys_seconds now) {
        return scenario_.forms.restart_not_done(std::move(item), request(f.id), f.why, now);
      });
    case Pc::kRestartDenied:
      return over([&](JobItem item, sys_seconds now) {
        return restart_denied(std::move(item), request(f.id), "AccessDenied", now);
      });
    case Pc::kBeginStop:
      return change(
          world, i, out,
          [&](const JobItem& item, sys_seconds now) {
            auto step = scenario_.forms.begin_stop(item, kStop, now);
            return Changed{std::move(step.next), static_cast<int>(step.decision)};
          },
          [](World&, Function& g, const Changed& changed) {
            const bool stops = changed.decision == static_cast<int>(StopDecision::kStop);
            go(g, stops ? Pc::kStopForGood : Pc::kOver);
          });
    case Pc::kStopForGood:
      return stop(world, i, true, out);
    case Pc::kStopAccepted:
      return over(
          [](JobItem item, sys_seconds now) { return stop_accepted(std::move(item), kStop, now); });
    case Pc::kStopRefused:
      return over([](JobItem item, sys_seconds now) {
        return stop_refused(std::move(item), "AccessDenied", now);
      });
    case Pc::kSettle:
      return settle(world, i, out);
    case Pc::kOrder:
      return change(
          world, i, out,
          [&](const JobItem& item, sys_seconds now) {
            auto step = order_copy(item, kRestart, std::nullopt, look(world), now);
            return Changed{std::move(step.next), static_cast<int>(step.decision)};
          },
          [](World&, Function& g, const Changed& changed) {
            const auto decision = static_cast<OrderDecision>(changed.decision);
            const bool pending =
                decision == OrderDecision::kOrdered || decision == OrderDecision::kPendingBefore;
            go(g, pending ? Pc::kSettle : Pc::kOwedNotices);
          });
    case Pc::kClose:
      return close(world, i, out);
    case Pc::kGuards: {
      World after = world;
      Function& g = after.functions[i];
      g.why = Closed::kRefused;
      go(g, world.other_lives ? Pc::kClose : Pc::kWriteCopyItem);
      out.push_back({"asks the guards", i + 1, std::move(after)});
      return;
    }
    case Pc::kWriteCopyItem: {
      World after = world;
      after.copy_item = true;  // the same whoever writes it, and however often
      go(after.functions[i], Pc::kClaimCopy);
      out.push_back({"writes the copy's item", i + 1, std::move(after)});
      return;
    }
    case Pc::kClaimCopy:
      return claim_copy(world, i, out);
    case Pc::kMayCreate: {
      const CopyDecision may =
          scenario_.forms.may_create(items_[world.item], look(world), at(world.now));
      World after = world;
      Function& g = after.functions[i];
      g.why = Closed::kOverdue;
      go(g, may == CopyDecision::kClaimed      ? Pc::kCreate
            : may == CopyDecision::kHasToClose ? Pc::kClose
                                               : Pc::kOwedNotices);
      out.push_back({"reads the item once more", i + 1, std::move(after)});
      return;
    }
    case Pc::kCreate:
      return create(world, i, out);
    case Pc::kMade:
      return change(
          world, i, out,
          [&](const JobItem& item, sys_seconds now) {
            auto told = scenario_.forms.claim_notice(copy_made(item), kKeys[1], kCopyName,
                                                     request(f.id), now);
            const bool mine = told.decision.kind == NoticeDecision::Kind::kPublish;
            return Changed{std::move(told.next), mine ? 1 : 0};
          },
          [](World&, Function& g, const Changed& changed) {
            g.copied = true;
            g.claimed_at = g.read_at;
            go(g, changed.decision == 1 ? Pc::kPublish : Pc::kOver);
          });
    case Pc::kOwedNotices:
      return pending_notices(world, i, out);
    case Pc::kClaimNotice:
      return claim_notice(world, i, out);
    case Pc::kPublish:
      return publish(world, i, out);
    case Pc::kNoticeDone:
      return over([&](JobItem item, sys_seconds) {
        return notice_done(std::move(item), kKeys[f.copied ? 1 : 0]);
      });
    case Pc::kOver:
      return;
  }
}

}  // namespace trainwarden::rules::test
