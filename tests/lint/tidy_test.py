"""When tidy.py looks at a file again, and when not. A script stands in for clang-tidy: it finds the word BAD in what the
file includes; which headers those are is the compiler's to say."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name('tidy.py')
STAND_IN = """#!/bin/sh
if [ "$1" = --version ]; then echo "stand-in 1"; exit; fi
for file; do :; done
echo "$file" >> looked
if grep -rqw BAD --include='*.h' lib || grep -qw BAD "$file"; then echo "$file: found BAD"; exit 1; fi
"""


@unittest.skipUnless(shutil.which('g++'), 'g++ is not installed')
class Tidy(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix='a clone with blanks ')
        self.addCleanup(self.temporary.cleanup)
        self.root = pathlib.Path(self.temporary.name).resolve()
        (self.root / 'lib').mkdir()
        (self.root / 'build').mkdir()
        (self.root / 'tools').mkdir()
        for name in ('clang-tidy-19', 'clang++-19'):
            tool = self.root / 'tools' / name
            tool.write_text(STAND_IN if 'tidy' in name else '#!/bin/sh\nexec g++ "$@"\n')
            tool.chmod(0o755)
        self.write('.clang-tidy', 'Checks: all')
        self.write('lib/a.h', 'int a();')
        self.write('lib/other.h', 'int other();')
        self.write('a.cc', '#include "lib/a.h"\n')
        self.write('b.cc', '#include "lib/other.h"\n')
        self.configure()

    def write(self, name, text):
        (self.root / name).write_text(text)

    def configure(self, *flags, names=('a.cc', 'b.cc')):
        command = ' '.join(['c++', f'"-I{self.root}"', *flags])
        self.write('build/compile_commands.json', json.dumps(
            [{'file': str(self.root / name), 'command': command, 'directory': str(self.root)} for name in names]))

    def lint(self):
        """The exit status, and the files that were looked at."""
        (self.root / 'looked').unlink(missing_ok=True)
        done = subprocess.run([sys.executable, SCRIPT, 'build', self.root / 'cache', 'a.cc', 'b.cc'], cwd=self.root,
                              capture_output=True, text=True, check=False,
                              env={**os.environ, 'PATH': f'{self.root}/tools:{os.environ["PATH"]}'})
        self.assertEqual(done.stderr, '')
        looked = self.root / 'looked'
        return done.returncode, sorted(looked.read_text().split()) if looked.exists() else []

    def test_a_pass_stands_until_the_file_or_a_header_of_its_own_changes(self):
        self.assertEqual(self.lint(), (0, ['a.cc', 'b.cc']))
        self.assertEqual(self.lint(), (0, []))
        self.write('lib/a.h', 'int a(); int more();')
        self.assertEqual(self.lint(), (0, ['a.cc']))
        self.write('b.cc', '#include "lib/other.h"\nint b;\n')
        self.assertEqual(self.lint(), (0, ['b.cc']))
        self.write('lib/a.h', 'int a();')
        self.assertEqual(self.lint(), (0, []), 'what passed before passes again')

    def test_a_room_is_looked_at_once_and_again_when_one_of_its_files_changes(self):
        (self.root / 'build/rooms').mkdir()
        self.write('build/rooms/r.cc', '#include "a.cc"\n#include "b.cc"\n')
        self.configure(names=['build/rooms/r.cc'])
        self.assertEqual(self.lint(), (0, ['build/rooms/r.cc']))
        self.assertEqual(self.lint(), (0, []))
        self.write('b.cc', '#include "lib/other.h"\nint b;\n')
        self.assertEqual(self.lint(), (0, ['build/rooms/r.cc']))
        self.write('lib/a.h', 'int BAD;')
        self.assertEqual(self.lint(), (1, ['build/rooms/r.cc']))

    def test_other_third_parties_under_the_same_path_are_looked_at_anew(self):
        for name in ('one', 'two'):
            (self.root / name).mkdir()
        (self.root / 'third').symlink_to('one')
        self.configure('-isystem', f'"{self.root}/third"')
        self.assertEqual(self.lint(), (0, ['a.cc', 'b.cc']))
        self.assertEqual(self.lint(), (0, []))
        (self.root / 'third').unlink()
        (self.root / 'third').symlink_to('two')
        self.assertEqual(self.lint(), (0, ['a.cc', 'b.cc']))

    def test_what_is_found_is_no_pass(self):
        self.write('a.cc', '#include "lib/a.h"\nint BAD;\n')
        self.assertEqual(self.lint()[0], 1)
        self.assertEqual(self.lint(), (1, ['a.cc']), 'it is looked at until it is mended')
        self.write('a.cc', '#include "lib/a.h"\n')
        self.assertEqual(self.lint(), (0, ['a.cc']))
        self.write('lib/a.h', 'int BAD;')
        self.assertEqual(self.lint(), (1, ['a.cc']))

    def test_other_flags_and_checks_are_looked_at_anew(self):
        self.lint()
        self.configure('-DMORE')
        self.assertEqual(self.lint(), (0, ['a.cc', 'b.cc']))
        self.write('.clang-tidy', 'Checks: more')
        self.assertEqual(self.lint(), (0, ['a.cc', 'b.cc']))

    def test_a_stamp_that_was_cut_short_counts_for_nothing(self):
        self.lint()
        for stamp in (self.root / 'cache').iterdir():
            stamp.write_text(stamp.read_text()[:20])
        self.assertEqual(self.lint(), (0, ['a.cc', 'b.cc']))

    def test_a_file_that_the_compiler_refuses_gets_no_stamp(self):
        self.write('a.cc', '#include "lib/missing.h"\n')
        self.lint()
        self.assertEqual(self.lint(), (0, ['a.cc']))


if __name__ == '__main__':
    unittest.main()
