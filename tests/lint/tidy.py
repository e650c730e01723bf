#!/usr/bin/env python3
"""clang-tidy over the product's files, as many at once as there are processors.

usage: tidy.py BUILD CACHE FILE...

BUILD has the compile commands of the dev preset. A file that is compiled as part of a room (BUILD/rooms, a file of
#includes) is looked at with all of that room. A file is not looked at again where it passed before with the same text,
the same files of ours included, checks, flags and third parties: CACHE/<hash of the file's own part> lists, one line a
pass, the files that were included and the hash of their texts together. So a changed header sends only those files
through clang-tidy that include it. Exit status 1 where clang-tidy finds something.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

TIDY = 'clang-tidy-19'
COMPILER = 'clang++-19'


def digest(*parts):
    sha = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        sha.update(len(data).to_bytes(8, 'big') + data)
    return sha.hexdigest()[:40]


class Headers:
    """The hash of a list of headers, each read once."""

    def __init__(self, root):
        self.root = root
        self.known = {}

    def hash_of(self, names):
        """None where one of them is missing: no pass can rest on that."""
        for name in names:
            if name not in self.known:
                file = self.root / name
                self.known[name] = digest(file.read_bytes()) if file.is_file() else None
        if any(self.known[name] is None for name in names):
            return None
        return digest(*(name + self.known[name] for name in names))


def included(root, flags, file):
    """The headers of this repository that a file includes, directly or not, named from the root; None where the compiler
    refuses the file."""
    made = subprocess.run([COMPILER, *flags, '-MM', str(root / file)], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return None
    names = shlex.split(made.stdout.replace('\\\n', ' ').split(':', 1)[1])  # a blank in a path is escaped as in a shell
    inside = {os.path.relpath(name, root) for name in names}
    return sorted(name for name in inside if not name.startswith(('..', 'build/')) and name != file)


def flags_of(command):
    """What of a compile command decides how a file is read."""
    words = shlex.split(command)
    kept = []
    for i, word in enumerate(words):
        if word.startswith(('-I', '-D', '-std', '-f', '-W')) or words[i - 1] == '-isystem' or word == '-isystem':
            kept.append(word)
    return kept


def third_parties(command):
    """Where the headers of others really are: their path may be a link that stays when they change."""
    words = shlex.split(command)
    return ' '.join(os.path.realpath(word) for i, word in enumerate(words) if i and words[i - 1] == '-isystem')


def rooms(root, build, commands):
    """Source -> the room that it is compiled in, both named from the root."""
    inside = {}
    for name in commands:
        room = pathlib.Path(name)
        if root / build / 'rooms' in room.parents:
            for line in room.read_text().splitlines():
                inside[line.removeprefix('#include "').removesuffix('"')] = os.path.relpath(room, root)
    return inside


def judge(root, build, cache, headers, common, commands, file):
    """What clang-tidy says of a file; empty where it passes, None where it passed before."""
    command = commands[str(root / file)]
    flags = flags_of(command)
    portable = [flag.replace(str(root), '.') for flag in flags]
    passes = cache / digest(common, ' '.join(portable), third_parties(command), file, (root / file).read_bytes())
    if passes.is_file():
        for line in passes.read_text().splitlines():
            try:
                known = json.loads(line)
            except ValueError:  # cut short by a full disk or a kill
                continue
            if known['hash'] is not None and headers.hash_of(known['headers']) == known['hash']:
                return None
    names = included(root, flags, file)
    seen = None if names is None else headers.hash_of(names)  # before clang-tidy reads them: what is edited meanwhile has not passed
    done = subprocess.run([TIDY, '--quiet', '-p', str(build), file], capture_output=True, text=True, cwd=root)
    if done.returncode != 0:
        return done.stdout + done.stderr
    if names is not None:
        with passes.open('a') as out:
            out.write(json.dumps({'headers': names, 'hash': seen}) + '\n')
    return ''


def main():
    build, cache, *sources = sys.argv[1:]
    root, cache = pathlib.Path.cwd(), pathlib.Path(cache)
    cache.mkdir(parents=True, exist_ok=True)
    commands = {entry['file']: entry['command'] for entry in json.loads((pathlib.Path(build) / 'compile_commands.json').read_text())}
    version = subprocess.run([TIDY, '--version'], capture_output=True, text=True, check=True).stdout
    common = digest(version, (root / '.clang-tidy').read_bytes())
    headers = Headers(root)
    room_of = rooms(root, build, commands)
    files = list(dict.fromkeys(room_of.get(source, source) for source in sources))
    missing = [file for file in files if str(root / file) not in commands]
    if missing:
        print(f'tidy: no compile command for {" ".join(missing)}: is build/dev configured anew?')
        return 1
    failed = looked = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda file: judge(root, build, cache, headers, common, commands, file), files)
        for file, said in zip(files, results):
            if said is None:
                continue
            looked += 1
            if said:
                failed += 1
                print(said, flush=True)
            if looked % 20 == 0:
                print(f'tidy: {looked} looked at', flush=True)
    print(f'tidy: {len(sources)} files in {len(files)} compilations, {looked} of them looked at, {failed} with findings')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
