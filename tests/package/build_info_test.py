"""What runtime/base/build_info.cmake takes for the commit: in a checkout, beside one, and in none."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / 'runtime' / 'base' / 'build_info.cmake'
CMAKE = os.environ.get('TRAINWARDEN_CMAKE', 'cmake')


def git(folder, *arguments):
    environment = {**os.environ, 'GIT_CONFIG_GLOBAL': os.devnull, 'GIT_CONFIG_SYSTEM': os.devnull}
    return subprocess.run(['git', '-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.invalid', *arguments],
                          check=True, capture_output=True, text=True, env=environment).stdout.strip()


def have_git():
    try:
        return subprocess.run(['git', '--version'], capture_output=True).returncode == 0
    except OSError:
        return False


@unittest.skipUnless(have_git(), 'git is not installed')
class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.checkout = self.root / 'checkout'
        self.checkout.mkdir()
        git(self.checkout, 'init', '-q')
        (self.checkout / 'file').write_text('one\n')
        git(self.checkout, 'add', 'file')
        git(self.checkout, 'commit', '-q', '-m', 'one')
        self.head = git(self.checkout, 'rev-parse', 'HEAD')

    def written(self, source, *options, **environment):
        out = self.root / 'out'
        clean = {name: value for name, value in os.environ.items() if name != 'TRAINWARDEN_COMMIT'}
        subprocess.run([CMAKE, f'-DSOURCE={source}', '-DVERSION=1.2.3', f'-DOUT={out}', *options, '-P', SCRIPT], check=True,
                       env={**clean, **environment})
        said = json.loads((out / 'build_info.json').read_text())
        self.assertEqual(said['version'], '1.2.3')
        self.assertIn(f'{{"1.2.3", "{said["commit"]}"}}', (out / 'build_info.cc').read_text())
        return said['commit']

    def test_a_checkout_gives_its_commit(self):
        self.assertEqual(self.written(self.checkout), self.head[:12])

    def test_a_new_file_is_told_where_it_is_compiled(self):
        (self.checkout / 'notes').write_text('')
        (self.checkout / '.git/info/exclude').write_text('*.orig\n')
        (self.checkout / 'handlers').mkdir()
        (self.checkout / 'handlers/old.orig').write_text('')
        self.assertEqual(self.written(self.checkout), self.head[:12])
        (self.checkout / 'handlers/new.cc').write_text('')
        self.assertEqual(self.written(self.checkout), self.head[:12] + '+changes')

    @unittest.skipUnless(os.geteuid() == 0, 'only root can give files to another user')
    def test_a_checkout_of_another_user_gives_its_commit(self):
        for path in [self.checkout, *self.checkout.rglob('*')]:
            os.chown(path, 12345, 12345)
        self.assertEqual(self.written(self.checkout), self.head[:12])

    def test_changed_files_are_told(self):
        (self.checkout / 'file').write_text('two\n')
        self.assertEqual(self.written(self.checkout), self.head[:12] + '+changes')

    def test_a_linked_work_tree_gives_its_own_commit(self):
        tree = self.root / 'tree'
        git(self.checkout, 'worktree', 'add', '-q', '-b', 'other', tree)
        (tree / 'file').write_text('other\n')
        git(tree, 'commit', '-q', '-a', '-m', 'other')
        self.assertEqual(self.written(tree), git(tree, 'rev-parse', 'HEAD')[:12])
        self.assertEqual(self.written(self.checkout), self.head[:12])

    def test_a_tarball_unpacked_in_another_checkout_has_no_commit(self):
        unpacked = self.checkout / 'vendor' / 'trainwarden'
        unpacked.mkdir(parents=True)
        self.assertEqual(self.written(unpacked), 'unknown')
        (unpacked / '.git').mkdir()  # broken
        self.assertEqual(self.written(unpacked), 'unknown')
        self.assertEqual(self.written(unpacked, GIT_DIR=str(self.checkout / '.git')), 'unknown')

    def test_a_checkout_without_a_commit_has_none(self):
        empty = self.root / 'empty'
        empty.mkdir()
        git(empty, 'init', '-q')
        self.assertEqual(self.written(empty), 'unknown')

    def test_without_git_there_is_no_commit(self):
        self.assertEqual(self.written(self.checkout, f'-Dgit={self.root}/no-such-git'), 'unknown')

    def test_the_environment_names_the_commit_of_a_copy_and_of_nothing_else(self):
        copy = self.root / 'copy'
        copy.mkdir()
        self.assertEqual(self.written(copy, TRAINWARDEN_COMMIT='0123456789abcdef0123456789abcdef01234567'), '0123456789ab')
        self.assertEqual(self.written(copy, TRAINWARDEN_COMMIT='"; evil'), 'unknown')
        self.assertEqual(self.written(self.checkout, TRAINWARDEN_COMMIT='0123456789ab'), self.head[:12])

    def test_what_has_not_changed_is_not_written_again(self):
        self.written(self.checkout)
        files = [self.root / 'out' / name for name in ('build_info.cc', 'build_info.json')]
        for file in files:
            os.utime(file, (1, 1))
        self.written(self.checkout)
        self.assertEqual([file.stat().st_mtime for file in files], [1, 1])


if __name__ == '__main__':
    unittest.main()
