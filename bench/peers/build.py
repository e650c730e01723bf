"""Builds the peers on aws-lambda-ric: its native client, and a function on the aws-lambda-cpp that it brings in its deps.

What is built lies in the user's cache, in a folder named by the hash of what it is made of: package-lock.json, the sources
and this file.
"""
import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# As aws-lambda-ric's own script has it, but by cmake alone: HTTP, and nothing besides.
CURL = ['-DBUILD_SHARED_LIBS=OFF', '-DBUILD_CURL_EXE=OFF', '-DBUILD_TESTING=OFF', '-DHTTP_ONLY=ON', '-DCURL_ENABLE_SSL=OFF',
        '-DCURL_USE_LIBSSH2=OFF', '-DUSE_LIBIDN2=OFF', '-DCURL_ZLIB=OFF', '-DENABLE_THREADED_RESOLVER=OFF', '-DENABLE_MANUAL=OFF',
        '-DENABLE_IPV6=OFF']


class Unavailable(Exception):
    """Why a peer cannot be had."""


def step(log, *command, cwd):
    """One step of a build; Unavailable says which failed, and where its output is."""
    with open(log, 'a') as out:
        out.write(f'$ {" ".join(map(str, command))}\n')
        out.flush()
        try:
            status = subprocess.run([str(part) for part in command], cwd=cwd, stdout=out, stderr=subprocess.STDOUT,
                                    stdin=subprocess.DEVNULL).returncode
        except OSError as error:
            status = error
    if status != 0:
        raise Unavailable(f'{command[0]} failed ({status}): {log}')


def artifacts(folder):
    return folder / 'node_modules/aws-lambda-ric/deps/artifacts'


def sources(folder, name):
    """The unpacked sources of that name in the deps of aws-lambda-ric."""
    found = [path.parent for path in (folder / 'node_modules/aws-lambda-ric/deps').glob(f'{name}-*/CMakeLists.txt')]
    if len(found) != 1:
        raise Unavailable(f'aws-lambda-ric holds no {name} in its deps: {folder}')
    return found[0]


def build_node(folder, log):
    for program in ('npm', 'node', 'cmake', 'ninja'):
        if shutil.which(program) is None:
            raise Unavailable(f'{program} is not installed')
    for file in ('package.json', 'package-lock.json', 'handler.mjs'):
        shutil.copy(HERE / 'node' / file, folder)
    step(log, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', cwd=folder)
    package = folder / 'node_modules/aws-lambda-ric'
    for archive in (package / 'deps').glob('*.tar.gz'):
        step(log, 'tar', 'xzf', archive.name, '--no-same-owner', cwd=package / 'deps')
    for source, options in ((sources(folder, 'curl-curl'), CURL), (sources(folder, 'aws-lambda-cpp'), [])):
        step(log, 'cmake', '-S', source, '-B', source / 'build', '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release',
             '-DCMAKE_POSITION_INDEPENDENT_CODE=ON', f'-DCMAKE_PREFIX_PATH={artifacts(folder)}',
             f'-DCMAKE_INSTALL_PREFIX={artifacts(folder)}', '-DCMAKE_INSTALL_LIBDIR=lib', *options, cwd=folder)
        step(log, 'cmake', '--build', source / 'build', '--target', 'install', cwd=folder)
    # With the headers that came with node; without them node-gyp fetches them.
    prefix = pathlib.Path(shutil.which('node')).resolve().parents[1]
    known = [f'--nodedir={prefix}'] if (prefix / 'include/node/node.h').exists() else []
    step(log, folder / 'node_modules/.bin/node-gyp', 'rebuild', *known, cwd=package)
    (package / 'dist').mkdir(exist_ok=True)
    shutil.copy(package / 'build/Release/rapid-client.node', package / 'dist')


def build_cpp(folder, log):
    step(log, 'cmake', '-S', HERE / 'cpp', '-B', folder / 'cpp', '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release',
         f'-DCMAKE_PREFIX_PATH={artifacts(folder)}', cwd=folder)
    step(log, 'cmake', '--build', folder / 'cpp', cwd=folder)


def cache():
    parts = [pathlib.Path(__file__), *sorted(file for name in ('node', 'cpp') for file in (HERE / name).iterdir())]
    digest = hashlib.sha256(b''.join(file.read_bytes() for file in parts)).hexdigest()[:16]
    return pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache') / 'trainwarden/bench' / digest


def once(name, build):
    """The folder in which `build` has done its work, now or before."""
    folder = cache()
    if not (folder / name).exists():
        print(f'building {name} for the table, once; some minutes', file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / f'{name}.log'
        log.unlink(missing_ok=True)
        build(folder, log)
        (folder / name).touch()
    return folder


@functools.cache
def attempt(name):
    """A folder or the reason why there is none: what failed is not tried twice in a run."""
    try:
        return once(name, {'aws-lambda-ric': build_node, 'aws-lambda-cpp': build_cpp}[name])
    except Unavailable as why:
        return why


def built(name):
    outcome = attempt(name)
    if isinstance(outcome, Unavailable):
        raise outcome
    return outcome


def node_folder():
    """Where npm's packages and the handler are."""
    return built('aws-lambda-ric')


def cpp_program():
    """(the function's bootstrap, the name of the library with its version)."""
    node_folder()  # whose package brings the library
    folder = built('aws-lambda-cpp')
    return folder / 'cpp/bootstrap', sources(folder, 'aws-lambda-cpp').name
