"""The protections of what is shipped, read from the programs, from the archives they are linked of, and, as the check must be
able to fail, from tiny programs that lack one each."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import elf

BUILD = pathlib.Path(os.environ['TRAINWARDEN_BUILD'])
DEPS = pathlib.Path(os.environ['TRAINWARDEN_DEPS'])
NM = os.environ['TRAINWARDEN_NM']
CXX = os.environ['TRAINWARDEN_CXX']
ROOT = pathlib.Path(__file__).resolve().parents[2]
THIRD = [DEPS / 'lib' / name for name in ('libcurl.a', 'libssl.a', 'libcrypto.a', 'libfmt.a')]
HARD = '-Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code'
LINK = ['-static', '-no-pie', HARD]

STACK_PROTECTOR = r'__stack_chk_fail'
FORTIFIED = r'__\w+_chk'
ASSERTIONS = r'_ZSt21__glibcxx_assert_fail\w+'
FLAGS = ['-fstack-protector-strong', '-D_FORTIFY_SOURCE=3', '-D_GLIBCXX_ASSERTIONS', '-fcf-protection=none']
OPTIMISED = {'-O2', '-Os'}  # _FORTIFY_SOURCE does nothing without


def own_archives():
    """Our layers, as the linker of the state function loaded them; the file that tells the commit has no code to speak of."""
    loaded = re.findall(r'^LOAD (\S+\.a)$', (BUILD / 'bin/state/bootstrap.map').read_text(errors='replace'), re.M)
    paths = [(BUILD / name).resolve() for name in loaded]
    return [path for path in paths if BUILD.resolve() in path.parents and 'build_info' not in path.name]


def undefined(path):
    """The symbols that an object or an archive refers to."""
    output = subprocess.run([NM, '--undefined-only', '--format=just-symbols', path], check=True, capture_output=True, text=True)
    return set(output.stdout.split())


def refers(path, pattern):
    return any(re.fullmatch(pattern, symbol) for symbol in undefined(path))


class Shipped(unittest.TestCase):
    def test_the_programs(self):
        for function in ('state', 'alarm'):
            with self.subTest(function):
                self.assertEqual(elf.complaints(BUILD / 'bin' / function / 'bootstrap'), [])

    def test_no_folder_of_the_machine_that_built_them(self):
        folders = [str(folder).encode() for folder in (ROOT, BUILD, DEPS, DEPS.parent)]
        for function in ('state', 'alarm'):
            program = (BUILD / 'bin' / function / 'bootstrap').read_bytes()
            self.assertEqual([folder for folder in folders if folder in program], [], function)

    def test_the_archives_guard_their_stacks(self):
        self.assertGreater(len(own_archives()), 5)
        self.assertEqual([path.name for path in own_archives() + THIRD if not refers(path, STACK_PROTECTOR)], [])

    def test_the_archives_call_the_checked_forms_of_library_functions(self):
        # The others have no call whose buffer has a known size.
        checked = [DEPS / 'lib' / 'libcurl.a', DEPS / 'lib' / 'libcrypto.a']
        self.assertEqual([path.name for path in checked if not refers(path, FORTIFIED)], [])

    def test_our_archives_check_what_they_ask_of_the_standard_library(self):
        self.assertEqual([path.name for path in own_archives() if not refers(path, ASSERTIONS)], [])

    def test_every_file_of_ours_is_compiled_so(self):
        commands = json.loads((BUILD / 'compile_commands.json').read_text())
        ours = {entry['file']: shlex.split(entry['command']) for entry in commands
                if pathlib.Path(entry['file']).is_relative_to(ROOT) and '/googletest/' not in entry['file']}
        self.assertGreater(len(ours), 60)
        lacking = {file: [flag for flag in FLAGS if flag not in command] for file, command in ours.items()}
        self.assertEqual({file: flags for file, flags in lacking.items() if flags}, {})
        self.assertEqual([file for file, command in ours.items() if not OPTIMISED & set(command)], [])


class Bites(unittest.TestCase):
    """Each check fails where its protection is missing."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compiled(self, code, *options):
        source, out = self.folder / 'tiny.cc', self.folder / 'tiny'
        source.write_text(code)
        made = subprocess.run([CXX, '-O2', '-fno-pie', source, '-o', out, *options], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        return out

    def test_programs(self):
        table = [
            (LINK, []),
            ([*LINK, '-Wl,-z,execstack'], ['the stack is executable']),
            ([*LINK, '-Wl,-z,norelro'], ['no RELRO segment']),
            ([*LINK, '-Wl,-z,noseparate-code'], ['a code segment holds the ELF header']),
            ([*LINK, '-nostdlib', '-Wl,-e,main', '-Wl,-N'], ['a segment is writable and executable']),
            (['-static-pie', '-fPIE', HARD], ['not a static program at a fixed address']),
        ]
        for options, expected in table:
            with self.subTest(options):
                found = elf.complaints(self.compiled('int main() { return 0; }\n', *options))
                if not expected:
                    self.assertEqual(found, [])
                for complaint in expected:
                    self.assertTrue(any(one.startswith(complaint) for one in found), found)

    def test_objects(self):
        code = ('#include <string.h>\n#include <vector>\n'
                'void put(char*);\n'
                'int guarded(const char* text, const std::vector<int>& all, unsigned i) {\n'
                '  char copy[16];\n  put(copy);\n  strcpy(copy, text);\n  return all[i] + copy[3];\n}\n')
        hard = self.compiled(code, '-c', '-fstack-protector-strong', '-U_FORTIFY_SOURCE', '-D_FORTIFY_SOURCE=3',
                             '-D_GLIBCXX_ASSERTIONS')
        self.assertEqual([refers(hard, pattern) for pattern in (STACK_PROTECTOR, FORTIFIED, ASSERTIONS)], [True] * 3)
        soft = self.compiled(code, '-c', '-fno-stack-protector', '-U_FORTIFY_SOURCE', '-U_GLIBCXX_ASSERTIONS')
        self.assertEqual([refers(soft, pattern) for pattern in (STACK_PROTECTOR, FORTIFIED, ASSERTIONS)], [False] * 3)

    def test_what_is_no_program(self):
        script = self.folder / 'script'
        script.write_text('#!/bin/sh\n')
        with self.assertRaises(ValueError):
            elf.complaints(script)


if __name__ == '__main__':
    sys.exit(unittest.main())
