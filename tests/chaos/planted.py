#!/usr/bin/env python3
"""Plants bugs in a copy of the product, one after the other, and sees whether chaos finds each.

usage: planted.py [--histories N] [--only NAME] | --check

The copy lies in build/planted. A bug is one place of a source that is written otherwise; where that
place is not there any more, this fails loudly, and the bug has to be planted anew. Builds take a
minute each, so this is run by hand (./dev chaos --planted). The tests only see that each bug can still be
planted (--check).
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

# Name, what it means, the source, what stands there, what is planted, and the invariants (main.cc)
# of which one must be told to be broken.
BUGS = [
    ("late-tags", "an absent tag counts at once, although tags arrive late (A1)",
     "handlers/actions/fetch/recheck.cc",
     "  if (wait.count() <= 0) return {};\n",
     "  if (wait.count() <= 1'000'000) return {};\n",
     ["stopped without a rule"]),
    ("brake", "the brake forgets before its hour is over (P7)",
     "handlers/rules/state/brake.h",
     "kSlotCounts = std::chrono::hours(1) + kSlotHolds;",
     "kSlotCounts = std::chrono::minutes(40) + kSlotHolds;",
     ["limit"]),
    ("orphans", "no sweep deletes the alarms of jobs that ended (S1)",
     "handlers/actions/sweep/sweep.cc",
     "    queue.add(lists_.orphaned, 8, orphan);\n",
     "",
     ["alarm without a job"]),
    ("owed", "no sweep sees to copies and notices that are owed (S1)",
     "handlers/actions/sweep/sweep.cc",
     "    queue.add(lists_.due, 2, due);\n",
     "    queue.add(lists_.due, 2, [due](const std::string&) { static_cast<void>(due); });\n",
     ["endless chain", "not copied", "silent"]),
    ("noted", "a notice that was sent is not noted as sent (A5)",
     "handlers/actions/tell/claims.cc",
     "    return rules::notice_done(std::move(item), key);\n",
     "    return item;\n",
     ["told twice", "endless chain"]),
    ("denied", "a job whose stop was denied is never tried again (A1)",
     "handlers/rules/state/begin_steps.cc",
     "  return item.refused && now < refused_until(*item.refused);\n",
     "  return item.refused && now > refused_until(*item.refused) - std::chrono::days(9);\n",
     ["left running"]),
    ("ceiling", "TRAINWARDEN_MODE does not hold rules back (P3)",
     "handlers/rules/decide/decide.cc",
     "  return std::min({rule.mode.value_or(Mode::kEnforce), policy.mode(), ceiling});\n",
     "  return std::min({rule.mode.value_or(Mode::kEnforce), policy.mode(), std::max(ceiling, Mode::kEnforce)});\n",
     ["wrote without enforce", "stopped without a rule", "not told"]),
]


def copy_tree():
    """What git knows of, as it is now; files that did not change keep their time."""
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    for name in names:
        source, target = ROOT / name, COPY / name
        if not source.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copyfile(source, target)
            shutil.copymode(source, target)


def build():
    environment = dict(os.environ, CCACHE_BASEDIR=str(COPY), CCACHE_NOHASHDIR="1", CCACHE_SLOPPINESS="time_macros")
    for command in (["cmake", "--preset", "release"],
                    ["cmake", "--build", "--preset", "release", "--target", "chaos"]):
        done = subprocess.run(command, cwd=COPY, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"planted: `{' '.join(command)}` failed in {COPY}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")


def chaos(histories):
    """The first violation, as (the line, the invariant); else what was said last. Without the shortest history."""
    process = subprocess.Popen([COPY / "build/release/bin/chaos", "--histories", str(histories)], stdout=subprocess.PIPE,
                               text=True)
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
    for name, _, source, stands, _, _ in BUGS:
        count = (ROOT / source).read_text().count(stands)
        if count != 1:
            sys.exit(f"planted: {name}: expected once in {source}, found {count} times: {stands.strip()!r}. "
                     "Plant the bug where its code is now.")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--histories", type=int, default=2000)
    arguments.add_argument("--only", choices=[bug[0] for bug in BUGS])
    arguments.add_argument("--check", action="store_true")
    options = arguments.parse_args()
    check_bugs()
    if options.check:
        return
    copy_tree()
    missed = []
    for name, meaning, source, stands, planted, invariants in BUGS:
        if options.only not in (None, name):
            continue
        file = COPY / source
        sound = file.read_text()
        file.write_text(sound.replace(stands, planted))
        try:
            build()
            line, broken = chaos(options.histories)
        finally:
            file.write_text(sound)
        if broken not in invariants:
            missed.append(name)
        print(f"{name}: {'found' if broken in invariants else 'NOT FOUND'}: {meaning}\n  {line}", flush=True)
    if missed:
        sys.exit(f"planted: not found: {', '.join(missed)}")


if __name__ == "__main__":
    main()
