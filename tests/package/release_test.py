"""What `./dev release` gathers: whole, true to its checksums, the same each time and from each folder.

That two whole builds are the same is a matter of `./dev release --verify`, which takes as long as two builds. Here the
gathering is done twice, and one room is compiled in two folders.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ['TRAINWARDEN_BUILD']).resolve()
DEPS = pathlib.Path(os.environ['TRAINWARDEN_DEPS'])
sys.path.insert(0, str(ROOT / 'handlers'))
import release  # noqa: E402

EACH = ['LICENSES.txt', 'alarm.cdx.json', 'alarm.zip', 'localaws', 'localaws.cdx.json', 'state.cdx.json', 'state.zip', 'template.yaml',
        'trainwarden', 'trainwarden.cdx.json']


def make(folder):
    for script, *arguments in (('package.py', '--build', BUILD, '--deps', DEPS, '--out', folder / 'package'),
                               ('release.py', '--out', folder / 'dist', f'x86_64={BUILD},{DEPS},{folder / "package"}')):
        subprocess.run([sys.executable, ROOT / 'handlers' / script, *arguments], check=True, capture_output=True, text=True)
    return folder / 'dist'


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.made = make(cls.folder / 'one')

    def test_what_it_carries(self):
        found = sorted(path.relative_to(self.made).as_posix() for path in self.made.rglob('*') if path.is_file())
        self.assertEqual(found, sorted(['LICENSE', 'SHA256SUMS', *(f'x86_64/{name}' for name in EACH)]))
        for name in EACH:
            mode = (self.made / 'x86_64' / name).stat().st_mode & 0o777
            self.assertEqual(mode, 0o755 if name in ('trainwarden', 'localaws') else 0o644, name)

    def test_the_programs_run_where_nothing_is_installed(self):
        for name in ('trainwarden', 'localaws'):
            program = self.made / 'x86_64' / name
            self.assertNotIn(b'/lib64/ld-linux', program.read_bytes()[:4096])  # no interpreter: static
            done = subprocess.run([program, '--help'], env={}, cwd='/', capture_output=True, text=True, check=False)
            self.assertRegex(done.stdout + done.stderr, 'usage: |trainwarden help COMMAND')

    def test_the_checksums_are_right_and_a_change_is_found(self):
        def check(folder):
            return subprocess.run(['sha256sum', '--check', '--strict', '--quiet', 'SHA256SUMS'], cwd=folder, capture_output=True, check=False).returncode
        self.assertEqual(check(self.made), 0)
        copy = shutil.copytree(self.made, self.folder / 'changed')
        with (copy / 'x86_64/state.zip').open('ab') as out:
            out.write(b'x')
        self.assertNotEqual(check(copy), 0)

    def test_twice_gives_the_same_bytes(self):
        time.sleep(2)  # as long as a zip's clock takes to tick
        again = make(self.folder / 'somewhere else' / 'deeper')
        self.assertEqual((again / 'SHA256SUMS').read_bytes(), (self.made / 'SHA256SUMS').read_bytes())

    def test_each_bill_is_of_its_program_and_names_what_went_in(self):
        common = {'openssl', 'fmt', 'rapidjson', 'glibc', 'libstdc++', 'libgcc'}
        for name, parts in (('trainwarden', common | {'curl', 'ca-certificates'}), ('localaws', common | {'cpp-httplib'})):
            bill = json.loads((self.made / f'x86_64/{name}.cdx.json').read_text())
            self.assertEqual({entry['name'] for entry in bill['components']}, parts, name)
            self.assertEqual(bill['metadata']['component']['description'], release.sbom.DESCRIPTIONS[name])
        licences = (self.made / 'x86_64/LICENSES.txt').read_text()
        for phrase in ('Yuji Hirose', 'Daniel Stenberg', 'Victor Zverovich', 'Mozilla Public License'):
            self.assertIn(phrase, licences)

    def test_the_template_names_the_zips_and_is_else_the_same(self):
        ours = (ROOT / 'template.yaml').read_text()
        for processor in ('x86_64', 'arm64'):
            text = release.template(ours, processor)
            named = re.findall(r'^  (\w+Function):\n    Type: AWS::Lambda::Function\n.*?^      Code: (\S+)$', text, re.M | re.S)
            self.assertEqual(named, [('StateFunction', 'state.zip'), ('AlarmFunction', 'alarm.zip')])
            self.assertIn(f'    Default: {processor}\n    AllowedValues: [{processor}]\n', text)
            changed = set(text.splitlines()) ^ set(ours.splitlines())
            self.assertLess(len(changed), 12, changed)
        self.assertEqual((self.made / 'x86_64/template.yaml').read_text(), release.template(ours, 'x86_64'))

    def test_a_template_without_a_folder_in_Code_is_refused(self):
        ours = (ROOT / 'template.yaml').read_text()
        with self.assertRaisesRegex(ValueError, 'expected `Code: .` in AlarmFunction'):
            release.template(''.join(ours.rsplit('      Code: .\n', 1)), 'x86_64')


class Compiled(unittest.TestCase):
    """One room, in two folders with names of different lengths."""

    def compiled(self, folder, added=''):
        for layer in ('runtime', 'awsapi', 'handlers'):
            shutil.copytree(ROOT / layer, folder / layer)
        build = folder / 'build/other'
        shutil.copytree(BUILD / 'rooms', build / 'rooms')
        (build / 'deps').symlink_to(DEPS)
        with (folder / 'runtime/base/time.cc').open('a') as out:
            out.write(added)
        commands = json.loads((BUILD / 'compile_commands.json').read_text())
        command, = (entry['command'] for entry in commands if entry['file'].endswith('/rooms/runtime/base.cc'))
        words = [word.replace(str(BUILD), str(build)).replace(str(ROOT), str(folder)) for word in shlex.split(command)]
        words[words.index('-o') + 1] = str(build / 'base.o')
        subprocess.run(words, cwd=build, check=True, env={**os.environ, 'CCACHE_DISABLE': '1'})
        return (build / 'base.o').read_bytes()

    def test_the_folder_leaves_no_trace(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory(prefix='a much longer name of a folder ') as other:
            self.assertEqual(self.compiled(pathlib.Path(one) / 'a'), self.compiled(pathlib.Path(other) / 'b'))

    def test_the_check_bites(self):
        trace = '\nextern const char* const kWhere;\nconst char* const kWhere = __FILE__;\n'
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory(prefix='a much longer name of a folder ') as other:
            self.assertNotEqual(self.compiled(pathlib.Path(one) / 'a', trace), self.compiled(pathlib.Path(other) / 'b', trace))


if __name__ == '__main__':
    unittest.main()
