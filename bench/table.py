#!/usr/bin/env python3
"""One table: this system beside what people would use instead, and beside the floor.

usage: table.py [--build DIR] [--rounds N] [--smoke] [--parts]

--build DIR  a release build with all programs (build/release)
--rounds N   so many rounds (7); in each, every program has its turn with every figure
--smoke      one short round of the floor and ours, and a sweep of 100 jobs: whether all this works
--parts      also what a stop calls, and the parts of an invocation in microseconds and instructions

Machines are noisy: read ratios within one run. Each figure is the median; in brackets is the least. bench/README.md says what
each row and column is. Exit status 1: ours or the floor could not be measured.
"""
import argparse
import collections
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'tests/budget'))
import measure  # noqa: E402
import programs  # noqa: E402
import runtime_api  # noqa: E402
import violation  # noqa: E402

STARTS, EVENTS = 15, 2000  # in a round
SLOW_STARTS = 2  # of those that take a hundred times longer, whose start also empties the caches for who comes next
CALL_MS = 75  # what a call of AWS takes in a sweep
MEGA = 1e6


class Bench:
    def __init__(self, build, folder, rounds, peers):
        self.build, self.folder, self.rounds = build, folder, rounds
        self.programs = programs.all_of(build, folder, peers)
        self.figures = collections.defaultdict(list)  # (program, figure) → its value in each round
        self.log = open(folder / 'log', 'w+')
        self.event = folder / 'event.json'
        self.event.write_bytes(runtime_api.EVENT)
        self.environment = {**runtime_api.environment(''), 'PATH': os.environ['PATH'], 'AWS_DEFAULT_REGION': 'eu-central-1',
                            'AWS_EC2_METADATA_DISABLED': 'true', '_HANDLER': 'handler.handler'}

    def there(self):
        return [program for program in self.programs if not program.missing]

    def add(self, program, figures):
        for name, value in figures.items():
            self.figures[program.name, name].append(value)

    def tool(self, name, *arguments, prefix=()):
        """The lines that a measuring program wrote. What the functions log goes to a file: through a pipe it would wake us."""
        result = self.folder / 'result'
        done = subprocess.run([*prefix, self.build / 'bin/bench' / name, result, *arguments], env=self.environment, stdout=self.log,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(f'{name}: {(done.stderr.strip().splitlines() or ["it said nothing"])[-1]}')
        return [json.loads(line) for line in result.read_text().splitlines()]

    def starts(self, runs):
        for native, times in ((True, runs), (False, min(runs, SLOW_STARTS))):
            group = [program for program in self.there() if program.native == native]
            arguments = [part for program in group for part in ('--', *program.command)][1:]
            for program, told in zip(group, self.tool('start_bench', str(times), *arguments) if group else ()):
                self.add(program, {f'start_{name}': value for name, value in told.items()})

    def events(self, count):
        one = max(os.sched_getaffinity(0))
        for program in self.there():
            told, = self.tool('warm_bench', str(count), self.event, *program.command, prefix=('taskset', '-c', str(one)))
            self.add(program, {f'event_{name}': value for name, value in told.items()})

    def violations(self, service):
        for far in (False, True):
            for program in self.there():
                if program.calls:
                    told = service.violation(program, far, self.log)
                    self.add(program, {f'{"far" if far else "near"}_{name}': value for name, value in vars(told).items()})

    def run(self, starts, events):
        service = violation.Service(self.build, self.folder)
        try:
            for number in range(self.rounds):
                print(f'round {number + 1} of {self.rounds}', end='\r', file=sys.stderr, flush=True)
                self.starts(starts)
                self.events(events)
                self.violations(service)
        finally:
            service.close()
            print(end='\033[K', file=sys.stderr)

    def median(self, program, name):
        return statistics.median(self.figures[program.name, name])

    def least(self, program, name):
        return min(self.figures[program.name, name])

    def instructions(self, program):
        """Of one event."""
        if not program.native:
            return '–'
        try:
            return f'{measure.instructions(program.command[0])[1]:,}'
        except (measure.Missing, measure.Stuck) as why:
            return f'({why})'

    def beside(self, other, program, name):
        """Round by round: what slows a round down slows both."""
        return f'{statistics.median(a / b for a, b in zip(self.figures[program.name, name], self.figures[other.name, name])):.2f}'

    def row(self, program, zip_bytes):
        if program.missing:
            return [program.name, program.missing]
        floor, ours = self.programs[:2]
        cells = [program.name,
                 f'{self.median(program, "start_wall_ms"):.2f} ({self.least(program, "start_least_ms"):.2f})', self.beside(floor, program, 'start_wall_ms'),
                 f'{self.median(program, "start_faults"):,.0f}',
                 f'{self.median(program, "event_median_us"):.1f} ({self.least(program, "event_least_us"):.1f})',
                 self.beside(floor, program, 'event_median_us'), self.instructions(program)]
        memory = [self.median(program, 'start_peak_kb'), self.median(program, 'event_peak_kb')]
        if program.calls:
            near, trips = self.median(program, 'near_wall_ms'), self.median(program, 'far_round_trips')
            allowed = near + violation.ROUND_TRIP_MS * trips
            cells += [f'{self.median(program, "near_cpu_ms"):.2f} ({self.least(program, "near_cpu_ms"):.2f})',
                      self.beside(ours, program, 'near_cpu_ms'),
                      f'{near:.1f} ({self.least(program, "near_wall_ms"):.1f})',
                      f'{self.median(program, "far_wall_ms"):.0f} / {allowed:.0f} ({trips:.0f})']
            memory.append(self.median(program, 'near_peak_kb'))
        else:
            cells += ['–'] * 4
        return cells + [' / '.join(f'{kb * 1024 / MEGA:.1f}' for kb in memory), f'{zip_bytes(program):,}']


HEADS = [('', ''), ('start', 'ms'), ('', '× floor'), ('', 'faults'), ('event', 'µs'), ('', '× floor'), ('', 'instructions'),
         ('violation', 'CPU ms'), ('', '× ours'), ('', 'wall ms'), ('', '+10 ms / allowed'), ('memory, MB', 'next / warm / violation'), ('zip', 'bytes')]


def show(rows):
    whole = [row for row in rows if len(row) == len(HEADS)]
    widths = [max(len(row[i]) for row in (*whole, *([head[line] for head in HEADS] for line in (0, 1)))) for i in range(len(HEADS))]
    widths[0] = max(len(row[0]) for row in rows)
    for row in (*([head[line] for head in HEADS] for line in (0, 1)), *rows):
        if len(row) == len(HEADS):
            print('  '.join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
        else:
            print(f'{row[0].ljust(widths[0])}  left out: {row[1]}')


def machine():
    model = [line.split(':', 1)[1].strip() for line in pathlib.Path('/proc/cpuinfo').read_text().splitlines() if line.startswith('model name')]
    return f'{len(os.sched_getaffinity(0))} × {model[0] if model else platform.machine()}'


def load():
    return ' '.join(f'{value:.1f}' for value in os.getloadavg())


def tool(*command):
    """Runs another benchmark; what it prints is its row."""
    sys.stdout.flush()
    return subprocess.run([str(part) for part in command], cwd=ROOT).returncode == 0


def decision(build):
    try:
        return f'{measure.instructions_of_decision(build / "bin/bench/rules_bench"):,} instructions'
    except (measure.Missing, OSError) as why:
        return f'left out: {why}'


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[2].removeprefix('usage: '))
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build/release')
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--smoke', action='store_true')
    parser.add_argument('--parts', action='store_true')
    options = parser.parse_args()
    build = options.build.resolve()
    if not (build / 'bin/bench/floor').exists():
        sys.exit(f'{build}: expected a release build with all programs, found none: run `./dev build` first')
    rounds, starts, events = (1, 1, 20) if options.smoke else (options.rounds, STARTS, EVENTS)
    os.environ['TRAINWARDEN_BIN'] = str(build / 'bin')

    begin, before = time.monotonic(), load()
    shm = pathlib.Path('/dev/shm')
    with tempfile.TemporaryDirectory(dir=shm if os.access(shm, os.W_OK) else None) as folder:
        bench = Bench(build, pathlib.Path(folder), rounds, peers=not options.smoke)
        bench.run(starts, events)
        zips = measure.zip_bytes(build, (build / 'deps').resolve())
        def zip_bytes(program):
            return zips['state'] if program.name == 'ours' else program.zip_bytes()
        print(f'{machine()}; load {before} before, {load()} after; {rounds} rounds in {time.monotonic() - begin:.0f} s, in each '
              f'{starts} starts (of Node and Python {min(starts, SLOW_STARTS)}), {events} events, 2 violations; medians (least)')
        show([bench.row(program, zip_bytes) for program in bench.programs])
        print(f'zip of the alarm function: {zips["alarm"]:,} bytes')
    print(f'decision, 100 rules of which none can match: {decision(build)}')
    jobs = 100 if options.smoke else 10_000
    print(f'one sweep, {CALL_MS} ms a call (bench/sweep_bench.py), and one of healthy jobs alone:', flush=True)
    good = tool(sys.executable, '-B', 'bench/sweep_bench.py', '--delay', CALL_MS, jobs)
    good = tool(sys.executable, '-B', 'bench/sweep_bench.py', '--healthy', '--delay', CALL_MS, jobs) and good
    print('a backtest of that many jobs of ninety days (bench/backtest_bench.py):', flush=True)
    many = [200] if options.smoke else [15_000, 100_000]
    good = tool(sys.executable, '-B', 'bench/backtest_bench.py', '--program', build / 'bin/trainwarden', *many) and good
    if options.parts:
        print('calls of a stop and of a restart (bench/calls_bench.py)')
        good = tool(sys.executable, '-B', 'bench/calls_bench.py') and good
        print('parts of an invocation')
        good = tool(build / 'bin/bench/micro_bench', '--benchmark_min_time=0.2') and good
        good = tool(build / 'bin/bench/rules_bench', '--benchmark_min_time=0.2') and good
        print('instructions of one decision')
        good = tool('bench/rules_count.sh') and good
        print('instructions of one diagnosis of 64 KiB of log')
        good = tool('bench/diagnose_count.sh') and good
    return 0 if good else 1


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (RuntimeError, OSError, measure.Stuck, subprocess.CalledProcessError) as error:
        sys.exit(f'table.py: {error}')
