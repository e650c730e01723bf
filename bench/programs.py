"""The rows of the table: our state function, the floor, and what people would use instead (bench/peers).

A peer that cannot be had is a row that says why.
"""
import dataclasses
import pathlib
import shutil
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = pathlib.Path(__file__).with_name('peers')
sys.path.insert(0, str(PEERS))
import build as peers_build  # noqa: E402
from build import Unavailable  # noqa: E402

PYTHONS = ['python3', '/usr/bin/python3', *sorted(map(str, pathlib.Path.home().glob('.pyenv/versions/*/bin/python3')))]


@dataclasses.dataclass
class Program:
    name: str
    command: list = dataclasses.field(default_factory=list)
    files: list = dataclasses.field(default_factory=list)  # what goes into the zip
    calls: bool = False   # it can describe, tag and stop
    native: bool = False  # its instructions can be counted
    missing: str = ''     # why it cannot be had

    def zip_bytes(self):
        """What zip makes of its files; what the runtime or Lambda brings (an SDK, libc) is not in it."""
        def deflated(data):
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            return len(packer.compress(data) + packer.flush())
        return sum(deflated(pathlib.Path(file).read_bytes()) + 120 for file in self.files)


def ours(build, folder):
    """A fresh copy: how an older one lies in the page cache moves a start by some percent."""
    shutil.copy(build / 'bin/state/bootstrap', folder / 'bootstrap')
    shutil.copy(ROOT / 'handlers/policy.json', folder / 'policy.json')
    return Program('ours', [str(folder / 'bootstrap')], calls=True, native=True)


def floor(build, folder):
    shutil.copy(build / 'bin/bench/floor', folder / 'floor')
    return Program('floor: C, one socket', [str(folder / 'floor')], [folder / 'floor'], native=True)


def boto3(*_):
    """The newest boto3 of the Pythons that are installed."""
    found = []
    for python in PYTHONS:
        try:
            told = subprocess.run([python, '-c', 'import boto3, sys; print(boto3.__version__, sys.executable)'],
                                  capture_output=True, text=True, timeout=60)
        except OSError:
            continue
        if told.returncode == 0:
            version, executable = told.stdout.split()
            found.append(([int(part) for part in version.split('.')], version, executable))
    if not found:
        raise Unavailable('boto3 is not installed (Debian: python3-boto3)')
    _, version, executable = max(found)
    handler = PEERS / 'boto3/handler.py'
    return Program(f'boto3 {version}', [executable, '-B', str(handler)], [handler], calls=True)


def version_of(package):
    return package.joinpath('package.json').read_text().split('"version": "')[1].split('"')[0]


def node(*_):
    folder = peers_build.node_folder()
    modules = folder / 'node_modules'
    name = f'Node {subprocess.check_output(["node", "--version"], text=True).strip()}, SDK {version_of(modules / "@aws-sdk/client-sagemaker")}'
    command = [shutil.which('node'), str(modules / 'aws-lambda-ric/bin/index.mjs'), 'handler.handler']
    return Program(name, ['env', '-C', str(folder), *command], [folder / 'handler.mjs'], calls=True)


def cpp(*_):
    program, name = peers_build.cpp_program()
    return Program(name, [str(program)], [program], native=True)


def all_of(build, folder, peers=True):
    """The floor, ours, and the peers."""
    out = [floor(build, folder), ours(build, folder)]
    for name, make in (('aws-lambda-cpp', cpp), ('boto3', boto3), ('Node', node)) if peers else ():
        try:
            out.append(make(build, folder))
        except Unavailable as why:
            out.append(Program(name, missing=str(why)))
    return out
