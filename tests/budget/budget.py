#!/usr/bin/env python3
"""What the functions may cost, and what they cost: instructions, system calls, bytes.

usage: budget.py --build DIR --deps DIR [--record] [--runs N] [--calls] [--order]

--build DIR   a release build
--deps DIR    what runtime/deps/build.sh printed
--record      writes what was found as the new budgets, instead of judging it
--runs N      measures so often, and shows by how much the figures differ
--calls       shows the system calls of one event as well
--order       writes handlers/function/start_order.ld for this build, and ends: build anew, then measure

The median of the runs counts. Exit status 1: a figure is more than 5 % above its budget (budgets.json; another `percent` where
it is given there), or could not be measured.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import measure
import start_order

BUDGETS = pathlib.Path(__file__).with_name('budgets.json')
PERCENT = 5
COMMAND = './dev budgets'


def read():
    return json.loads(BUDGETS.read_text())


def write(budgets):
    lines = ',\n'.join(f'  {json.dumps(name)}: {json.dumps(entry)}' for name, entry in budgets.items())
    BUDGETS.write_text(f'{{\n{lines}\n}}\n')


def over(found, budget, percent=PERCENT):
    return found * 100 > budget * (100 + percent)


def under(found, budget, percent=PERCENT):
    return found * 100 < budget * (100 - percent)


def verdict(name, entry, found):
    """(whether it holds, a sentence)."""
    budget, percent = entry['budget'], entry.get('percent', PERCENT)
    told = f'{name}: found {found:,} {entry["unit"]}, the budget is {budget:,}'
    if over(found, budget, percent):
        return False, (f'{told}: {found / budget - 1:.1%} more, {percent} % are allowed. It is {entry["what"]}. Find out what '
                       f'grew ({entry["how"]}), or, if it is worth it, record a new budget: {COMMAND} --record writes '
                       f'tests/budget/{BUDGETS.name}; say in the commit why')
    if under(found, budget, percent):
        return True, f'{told}: it can be lowered by {COMMAND} --record'
    return True, told


def instructions(build):
    start, event = measure.instructions(build / 'bin/state/bootstrap')
    return {'start_instructions': start, 'event_instructions': event}


def decision(build):
    program = build / 'bin/bench/rules_bench'
    if not program.exists():
        raise measure.Missing('bench/rules_bench is not built: libbenchmark-dev is not installed')
    return {'decision_instructions': measure.instructions_of_decision(program)}


def system_calls(build):
    start, events = measure.system_calls(build / 'bin/state/bootstrap')
    return {'start_system_calls': len(start), 'event_system_calls': statistics.median_low(map(len, events))}


def file_windows(build):
    return {'start_file_windows': start_order.windows(build / 'bin/state/bootstrap')}


def zips(build, deps):
    return {f'{function}_zip_bytes': size for function, size in measure.zip_bytes(build, deps).items()}


def all_of(build, deps):
    return {**instructions(build), **decision(build), **system_calls(build), **file_windows(build),
            **zips(build, deps)}


def show_calls(build):
    _, events = measure.system_calls(build / 'bin/state/bootstrap')
    usual = statistics.median_low(map(len, events))
    calls = next(event for event in reversed(events) if len(event) == usual)
    print(f'the system calls of one event that needs no call of AWS ({len(calls)}):')
    for call in calls:
        print(f'  {call}')
    print(measure.summary_of_an_event(build / 'bin/state/bootstrap'), end='')


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[2].removeprefix('usage: '))
    for name in ('build', 'deps'):
        parser.add_argument(f'--{name}', type=pathlib.Path, required=True)
    parser.add_argument('--record', action='store_true')
    parser.add_argument('--calls', action='store_true')
    parser.add_argument('--order', action='store_true')
    parser.add_argument('--runs', type=int, default=1)
    options = parser.parse_args()
    if options.order:
        start_order.write(options.build)
        print(f'{start_order.SCRIPT.relative_to(measure.ROOT)} is written: `./dev build`, then `{COMMAND}`')
        return 0
    runs = [all_of(options.build, options.deps) for _ in range(options.runs)]
    budgets, good = read(), True
    for name, entry in budgets.items():
        figures = [run[name] for run in runs]
        found = statistics.median_low(figures)
        spread = f', {min(figures):,} to {max(figures):,} ({max(figures) / min(figures) - 1:.2%})' if len(runs) > 1 else ''
        if options.record:
            print(f'{name}: {entry["budget"]:,} → {found:,} {entry["unit"]}{spread}')
            entry['budget'] = found
            continue
        holds, sentence = verdict(name, entry, found)
        good = good and holds
        print(f'{"" if holds else "TOO MUCH: "}{sentence}{spread}')
    if options.record:
        write(budgets)
    print(f'page faults at start: {measure.page_faults(options.build / "bin/state/bootstrap")} (not judged)')
    if options.calls:
        show_calls(options.build)
    return 0 if good else 1


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (measure.Missing, measure.Stuck, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f'budget.py: {error}')
