#!/usr/bin/env python3
"""What stands at the top of the repository is what a newcomer sees first: nothing but what is listed here, and hidden
files. Only what git has counts, since people keep policies of their own and packages beside it.

usage: top_level_test.py [root of the repository]
"""

import pathlib
import subprocess
import sys
import unittest

ALLOWED = {'CMakeLists.txt', 'CMakePresets.json', 'LICENSE', 'Makefile', 'README.md', 'dev', 'template.yaml',
           'awsapi', 'bench', 'handlers', 'runtime', 'tests'}


def strangers(files):
    """files: paths from the root, as `git ls-files` has them."""
    return sorted({top for top in (path.split('/')[0] for path in files) if not top.startswith('.')} - ALLOWED)


class Strangers(unittest.TestCase):
    def test_what_is_not_listed_is_one(self):
        self.assertEqual(strangers(['README.md', '.ci/run', 'tests/a/b.cc', '.gitignore']), [])
        self.assertEqual(strangers(['README.md', 'export_test.PCizJo/jobs.jsonl', 'notes.txt']), ['export_test.PCizJo', 'notes.txt'])


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    if not unittest.main(argv=[sys.argv[0]], exit=False).result.wasSuccessful():
        return 1
    listed = subprocess.run(['git', '-C', root, 'ls-files', '-z'], capture_output=True, text=True, check=False)
    if not (root / '.git').exists() or listed.returncode != 0:
        print('top level: git does not list it, nothing to look at')
        return 0
    found = strangers(filter(None, listed.stdout.split('\0')))
    for name in found:
        print(f'{name}: expected nothing at the top but {", ".join(sorted(ALLOWED))} and hidden files')
    print(f'top level: {len(found)} strangers')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
