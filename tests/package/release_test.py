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
        repository = ROOT / 'tests/examples/policy-repository'
        examples = ['first-policy.json', *(f'policy-repository/{path.relative_to(repository)}' for path in repository.rglob('*') if path.is_file())]
        self.assertEqual(found, sorted(['CHANGELOG.md', 'LICENSE', 'README.md', 'SHA256SUMS', 'policy.json', 'policy.schema.json',
                                        *(f'examples/{name}' for name in examples), *(f'x86_64/{name}' for name in EACH)]))
        for name in EACH:
            mode = (self.made / 'x86_64' / name).stat().st_mode & 0o777
            self.assertEqual(mode, 0o755 if name in ('trainwarden', 'localaws') else 0o644, name)

    def test_the_programs_run_where_nothing_is_installed(self):
        for name in ('trainwarden', 'localaws'):
            program = self.made / 'x86_64' / name
            self.assertNotIn(b'/lib64/ld-linux', program.read_bytes()[:4096])  # no interpreter: static
            done = subprocess.run([program, '--help'], env={}, cwd='/', capture_output=True, text=True, check=False)
            self.assertRegex(done.stdout + done.stderr, 'usage: |trainwarden help COMMAND')

    def test_it_is_found_without_its_version(self):
        self.assertEqual((self.made.with_name('latest')).resolve(), self.made.resolve())

    def test_the_README_is_filled_in_and_names_what_is_there(self):
        text = (self.made / 'README.md').read_text()
        info = release.sbom.build_info(BUILD)
        self.assertTrue(text.startswith(f'# Trainwarden {info["version"]}\n'))
        self.assertIn(f'commit `{info["commit"]}`', text)
        self.assertNotRegex(text, '@[A-Z]+@')
        named = re.findall(r'(?<![\w/.-])((?:x86_64|examples)/[\w./-]+|policy(?:\.schema)?\.json|CHANGELOG\.md|LICENSE|SHA256SUMS)', text)
        self.assertGreater(len(named), 8)
        for name in named:
            self.assertTrue((self.made / name).exists(), name)

    def test_what_the_README_tries_first_works(self):
        text = (self.made / 'README.md').read_text()
        for command in re.findall(r'^trainwarden (check .*)$', text, re.M):
            done = subprocess.run([self.made / 'x86_64/trainwarden', *command.replace('my-policy', 'examples/first-policy').split()], cwd=self.made,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

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
