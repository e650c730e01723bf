"""What a program does, counted: instructions by callgrind, system calls by strace, bytes of the zips.

Nothing here depends on how busy the machine is. Programs run in a folder of their own, whose path is always as long, with
an environment that holds nothing of this machine's (runtime_api.py).
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from runtime_api import RuntimeApi, Stuck, wait_until_asleep

ROOT = pathlib.Path(__file__).resolve().parents[2]
FEW, MANY = 10, 110  # of events and of decisions: what one costs is the difference, so that what comes before does not count
NEXT = '/runtime/invocation/next '


class Missing(Exception):
    """A tool that is not there, or may not do its work."""


def tool(name, *trial):
    if shutil.which(name) is None:
        raise Missing(f'{name} is not installed')
    tried = subprocess.run([name, *trial], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise Missing(f'{name} cannot work here: {(tried.stderr.strip().splitlines() or ["it said nothing"])[0]}')


class Folder:
    """A copy of a program, with the shipped policy beside it."""

    def __init__(self, program):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix='trainwarden-budget-', dir='/tmp'))
        shutil.copy(program, self.path / 'bootstrap')
        shutil.copy(ROOT / 'handlers/policy.json', self.path / 'policy.json')

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def counted(log):
    found = re.search(r'Collected : (\d+)', log.read_text(errors='replace'))
    if found is None:
        raise Stuck(f'callgrind has counted nothing: {log.read_text(errors="replace")[-300:]}')
    return int(found[1])


def callgrind(folder):
    tool('valgrind', '--version')
    return ['valgrind', '--tool=callgrind', '--vgdb=no', f'--callgrind-out-file={folder}/callgrind', f'--log-file={folder}/log']


def instructions_until_next(program, events, *arguments):
    """From exec until the program waits for the event after so many."""
    with Folder(program) as folder, RuntimeApi() as api:
        process = subprocess.Popen([*callgrind(folder), './bootstrap', *arguments], cwd=folder, env=api.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            api.serve(events)
            wait_until_asleep(process.pid)
        finally:
            process.send_signal(signal.SIGTERM)  # at which callgrind writes down what it has counted
            process.wait(30)
        return counted(folder / 'log')


def instructions(program, *arguments):
    """(of the start: exec to the first `next`; of one event that needs no call)."""
    few, many = (instructions_until_next(program, events, *arguments) for events in (FEW, MANY))
    return instructions_until_next(program, 0, *arguments), (many - few) // (MANY - FEW)


def instructions_of_decision(rules_bench, rules=100):
    """Of one decision on an event that none of so many rules can match."""
    def run(times):
        with Folder(rules_bench) as folder:
            subprocess.run([*callgrind(folder), './bootstrap', 'none', str(rules), str(times)], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={'PATH': '/usr/bin:/bin'})
            return counted(folder / 'log')
    return (run(MANY) - run(FEW)) // (MANY - FEW)


def traced_calls(program, events, *arguments):
    """The system calls up to the request for the event after so many, as strace tells them."""
    tool('strace', '-o', '/dev/null', 'true')
    with Folder(program) as folder, RuntimeApi() as api:
        trace = folder / 'trace'
        tracer = subprocess.Popen(['strace', '-f', '-s', '100', '-o', trace, './bootstrap', *arguments], cwd=folder, env=api.environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            api.serve(events)
            for _ in range(500):
                lines = trace.read_text(errors='replace').splitlines()
                if sum(NEXT in line for line in lines) > events:
                    break
                time.sleep(0.01)
            else:
                raise Stuck('strace does not show that the program has asked for an event')
        finally:
            os.kill(int(trace.read_text().split(' ', 1)[0]), signal.SIGKILL)
            tracer.wait(30)
        calls = [line.split(maxsplit=1)[1] for line in lines]
        return [call for call in calls if not call.startswith(('---', '+++', '<... '))]


def system_calls(program, *arguments):
    """(those of the start: exec to the first `next`; those of one event that needs no call, a list for each of some)."""
    calls = traced_calls(program, FEW, *arguments)
    asked = [i for i, call in enumerate(calls) if NEXT in call]
    return calls[:asked[0] + 1], [calls[begin + 1:end + 1] for begin, end in zip(asked, asked[1:])]


def summary_of_an_event(program):
    """What `strace -c` says of one event that needs no call."""
    tool('strace', '-o', '/dev/null', 'true')
    with Folder(program) as folder, RuntimeApi() as api:
        process = subprocess.Popen(['./bootstrap'], cwd=folder, env=api.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            api.serve(FEW)
            wait_until_asleep(process.pid)
            tracer = subprocess.Popen(['strace', '-f', '-c', '-p', str(process.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            tracer.stderr.readline()  # "Process … attached"
            api.serve(1)
            wait_until_asleep(process.pid)
            tracer.send_signal(signal.SIGINT)
            told = tracer.communicate()[1]
        finally:
            process.kill()
            process.wait()
        return ''.join(line + '\n' for line in told.splitlines() if not line.startswith('strace: '))


def page_faults(program):
    """From exec to the first `next`."""
    with Folder(program) as folder, RuntimeApi() as api:
        pid = os.posix_spawn(folder / 'bootstrap', ['bootstrap'], api.environment,
                             file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)])
        try:
            api.serve(0)
        finally:
            os.kill(pid, signal.SIGKILL)
            used = os.wait4(pid, 0)[2]
        return used.ru_minflt


def zip_bytes(build, deps):
    """Of the zips that `./dev package` makes, by function."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([sys.executable, ROOT / 'handlers/package.py', '--build', build, '--deps', deps, '--out', out],
                       check=True, capture_output=True)
        return {path.stem: path.stat().st_size for path in pathlib.Path(out).glob('*.zip')}
