#!/usr/bin/env python3
"""Plants bugs in a copy of the product, and sees whether chaos finds each.

usage: planted.py [--histories N] [--only NAME]… [--chaos PROGRAM] | --check | --prepare

The copy lies in build/planted. A bug is one or several places of the sources that are written otherwise; where such a
place is not there any more, this fails loudly, and the bug has to be planted anew. All are built into one program, in
which TRAINWARDEN_PLANTED names the one that is awake. The build takes some minutes, so this is run by hand
(./dev chaos --planted). The tests only see that each bug can still be planted (--check). With --prepare only the copy is
made, and --chaos names the program that was built of it in another way.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "planted"
SWITCH = """#pragma once
#include <cstdlib>
#include <string_view>
inline bool trainwarden_is_planted(std::string_view name) {
  static const char* const planted = std::getenv("TRAINWARDEN_PLANTED");
  return planted != nullptr && name == planted;
}
"""

# Name, what it means, the edits (each: the source, what stands there, what is planted), and the invariants (main.cc) of
# which one must be told to be broken. PLANTED is true while the bug is awake.
BUGS = [
    ("late-tags", "an absent tag counts at once, although tags arrive late (A1)",
     [("handlers/actions/fetch/recheck.cc",
       "  if (wait.count() <= 0) return {};\n",
       "  if (wait.count() <= 0 || PLANTED) return {};\n")],
     ["stopped without a rule"]),
    ("brake", "the brake forgets before its hour is over (P7)",
     [("handlers/rules/state/brake.h",
       "inline constexpr std::chrono::seconds kSlotCounts = std::chrono::hours(1) + kSlotHolds;\n",
       "inline const std::chrono::seconds kSlotCounts = std::chrono::minutes(PLANTED ? 40 : 60) + kSlotHolds;\n")],
     ["limit"]),
    ("orphans", "no sweep deletes the alarms of jobs that ended (S1)",
     [("handlers/actions/sweep/sweep.cc",
       "    queue.add(lists_.orphaned, 8, orphan);\n",
       "    if (!PLANTED) queue.add(lists_.orphaned, 8, orphan);\n")],
     ["alarm without a job"]),
    ("owed", "no sweep sees to copies and notices that are owed (S1)",
     [("handlers/actions/sweep/sweep.cc",
       "    queue.add(lists_.due, 2, due);\n",
       "    if (!PLANTED) queue.add(lists_.due, 2, due);\n")],
     ["endless chain", "not copied", "silent"]),
    ("noted", "a notice that was sent is not noted as sent (A5)",
     [("handlers/actions/tell/claims.cc",
       "    return rules::notice_done(std::move(item), key);\n",
       "    return PLANTED ? item : rules::notice_done(std::move(item), key);\n")],
     ["told twice", "endless chain", "unannounced", "spared"]),
    ("ceiling", "TRAINWARDEN_MODE does not hold rules back (P3)",
     [("handlers/rules/decide/decide.cc",
       "  return std::min({rule.mode.value_or(Mode::kEnforce), policy.mode(), ceiling});\n",
       "  return std::min({rule.mode.value_or(Mode::kEnforce), policy.mode(), PLANTED ? Mode::kEnforce : ceiling});\n")],
     ["wrote without enforce", "stopped without a rule", "not told"]),
    # Those that people found before chaos did (issue 39).
    ("clock", "a restart's own stop does not count where AWS's clock is a second behind (A2)",
     [("handlers/rules/state/end_steps.cc",
       "  return job.stopping && *job.stopping + kClockError >= restart.at &&\n",
       "  return job.stopping && *job.stopping + (PLANTED ? kClockError * 0 : kClockError) >= restart.at &&\n")],
     ["not copied", "silent"]),
    ("half-restart", "a restart whose function died before its stop stays pending until the job's end (A2)",
     [("handlers/rules/state/end_steps.cc",
       "  if (came_to_nothing(item, job, now)) return close(Closed::kNoLongerAsked);\n",
       "  if (!PLANTED && came_to_nothing(item, job, now)) return close(Closed::kNoLongerAsked);\n")],
     ["endless chain"]),
    ("old-look", "a restart acts on another state than its rule was decided on (A2)",
     [("handlers/actions/restart/restart.cc",
       "  if (!is_same_state(*look->sources->job(), original->job()))\n",
       "  if (!PLANTED && !is_same_state(*look->sources->job(), original->job()))\n")],
     ["copied without a rule"]),
    ("log", "what is read of one job has no bound (S1)",
     [("awsapi/read_budget.cc",
       "std::optional<Error> ReadBudget::spent(std::string_view operation) const {\n",
       "std::optional<Error> ReadBudget::spent(std::string_view operation) const {\n  if (PLANTED) return std::nullopt;\n"),
      ("awsapi/read_budget.cc",
       "  time_ = std::max(time_ - time, milliseconds(0));\n",
       "  if (!PLANTED) time_ = std::max(time_ - time, milliseconds(0));\n")],
     ["left running", "not copied", "spared", "endless chain", "not told", "alarm without a job", "not watched"]),
    ("large-notice", "a notice of many and long tags finds no room in its claim, and is lost (A1, A5)",
     [("handlers/rules/notices/notice_job.cc",
       "    if (names_people && is_first) out.people",
       "    if (names_people && (is_first || PLANTED)) out.people"),
      ("handlers/rules/state/kept_notice.cc",
       "bool has_room(const KeptNotice& notice) { return written(",
       "bool has_room(const KeptNotice& notice) { return PLANTED || written("),
      ("handlers/rules/state/kept_notice.cc",
       "  return whole.size() <= kLongestWhat ? whole : written(notice, false);\n",
       "  return PLANTED || whole.size() <= kLongestWhat ? whole : written(notice, false);\n")],
     ["spared", "endless chain", "silent", "unannounced"]),
    ("lapsed", "an announcement counts that nothing has confirmed, and any alarm keeps it (A1)",
     [("handlers/rules/state/grace_steps.cc",
       "    const bool lapsed = unconfirmed(",
       "    const bool lapsed = !PLANTED && unconfirmed("),
      ("handlers/actions/sweep/announced_stops.cc",
       "      may_hold_by_alarm(*rule, job, alarms))\n",
       "      may_hold_by_alarm(*rule, job, alarms) ||\n"
       "      (PLANTED && std::ranges::find(alarms.firing, job.view(), &AlarmCensus::Firing::job) !=\n"
       "                      alarms.firing.end()))\n")],
     ["unannounced"]),
    ("cursor", "a sweep writes where its lists stood although the policy observes (P3)",
     [("handlers/actions/sweep/sweep_lists.cc",
       "  bool remembers() const { return apis_.table && rules_.enforces(); }\n",
       "  bool remembers() const {\n    return apis_.table && "
       "(PLANTED ? rules_.ceiling != rules::Mode::kObserve : rules_.enforces());\n  }\n")],
     ["wrote without enforce"]),
    ("day", "what AWS says of credentials counts as a denial, and spares a job for a day (A1)",
     [("awsapi/service_error.cc",
       "  if (contains(kUnauthenticated, error.code)) return ErrorCode::kUnauthenticated;\n",
       "  if (contains(kUnauthenticated, error.code))\n"
       "    return PLANTED ? ErrorCode::kAccessDenied : ErrorCode::kUnauthenticated;\n"),
      ("handlers/rules/state/begin_steps.cc",
       "  const auto after = std::clamp<std::int64_t>(refused.times - 1, 0, last);\n",
       "  const auto after = std::clamp<std::int64_t>(PLANTED ? last : refused.times - 1, 0, last);\n")],
     ["spared", "left running"]),
    ("events", "events take all permits of an hour (P7)",
     [("handlers/rules/state/brake.cc",
       "  return one.by_events >= part_of(one.limit, kEventsPart);\n",
       "  return !PLANTED && one.by_events >= part_of(one.limit, kEventsPart);\n")],
     ["limit"]),
    ("none", "a sweep stops none of those that are too many, however old their rule is (P7)",
     [("handlers/actions/sweep/sweep_limit.cc",
       "         (rule.is_mature && rule.dearest",
       "         (!PLANTED && rule.is_mature && rule.dearest")],
     ["left running"]),
    ("turn", "copies that wait go in the order in which they are listed (P7)",
     [("handlers/actions/sweep/copy_queue.cc",
       "  if (queue.size() < 2) return;\n",
       "  if (queue.size() < 2 || PLANTED) return;\n")],
     ["out of turn"]),
    ("crowd", "who loses a race for the table's item waits for moments only, and all of them again (P8)",
     [("handlers/actions/table/items.cc",
       "  const milliseconds wait(1 + jitter % static_cast<std::uint64_t>(longest.count()));\n",
       "  const milliseconds wait(1 + jitter % (PLANTED ? std::uint64_t{64} >> static_cast<unsigned>(std::min(tries / 4, 6))\n"
       "                                                : static_cast<std::uint64_t>(longest.count())));\n"),
      ("handlers/actions/table/items.cc",
       "    if (tries == 0) {\n",
       "    if (tries == 0 || PLANTED) {\n")],
     ["crowded out"]),
]


def copy_tree():
    """What git knows of, as it is now; files that did not change keep their time."""
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    planted = {}
    for name, _, edits, _ in BUGS:
        for source, stands, text in edits:
            before = planted.get(source) or (ROOT / source).read_text()
            planted[source] = before.replace(stands, text.replace("PLANTED", f'trainwarden_is_planted("{name}")'))
    for name in names:
        source, target = ROOT / name, COPY / name
        if not source.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        content = planted[name].encode() if name in planted else source.read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.write_bytes(content)
            shutil.copymode(source, target)
    switch = COPY / "planted.h"
    if not switch.exists() or switch.read_text() != SWITCH:
        switch.write_text(SWITCH)


def build():
    environment = dict(os.environ, CCACHE_BASEDIR=str(COPY), CCACHE_NOHASHDIR="1", CCACHE_SLOPPINESS="time_macros")
    for command in (["cmake", "--preset", "release", f"-DCMAKE_CXX_FLAGS=-include {COPY}/planted.h"],
                    ["cmake", "--build", "--preset", "release", "--target", "chaos"]):
        done = subprocess.run(command, cwd=COPY, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"planted: `{' '.join(command)}` failed in {COPY}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return COPY / "build/release/bin/chaos"


def chaos(program, name, histories):
    """The first violation, as (the line, the invariant); else what was said last. Without the shortest history."""
    process = subprocess.Popen([program, "--histories", str(histories)], stdout=subprocess.PIPE, text=True,
                               env=dict(os.environ, TRAINWARDEN_PLANTED=name))
    line = ""
    for line in process.stdout:
        found = re.match(r"seed \d+: (.+?): ", line)
        if found:
            process.kill()
            process.wait()
            return line.strip(), found[1]
    process.wait()
    return line.strip(), None


def check_bugs():
    for name, _, edits, _ in BUGS:
        for source, stands, _ in edits:
            count = (ROOT / source).read_text().count(stands)
            if count != 1:
                sys.exit(f"planted: {name}: expected once in {source}, found {count} times: {stands.strip()!r}. "
                         "Plant the bug where its code is now.")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--histories", type=int, default=2000)
    arguments.add_argument("--only", action="append", choices=[bug[0] for bug in BUGS])
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--prepare", action="store_true")
    arguments.add_argument("--chaos", type=pathlib.Path)
    options = arguments.parse_args()
    check_bugs()
    if options.check:
        return
    if options.chaos is None:
        copy_tree()
    if options.prepare:
        return
    program = options.chaos or build()
    missed = []
    for name, meaning, _, invariants in BUGS:
        if options.only and name not in options.only:
            continue
        line, broken = chaos(program, name, options.histories)
        if broken not in invariants:
            missed.append(name)
        print(f"{name}: {'found' if broken in invariants else 'NOT FOUND'}: {meaning}\n  {line}", flush=True)
    if missed:
        sys.exit(f"planted: not found: {', '.join(missed)}")


if __name__ == "__main__":
    main()
