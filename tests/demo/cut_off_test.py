"""Whoever reads the demo may stop reading, as `./dev demo | head` does: nothing that it started is left behind.

usage: DEMO=build/release/bin/demo python3 -m unittest cut_off_test
"""
import os
import pathlib
import subprocess
import time
import unittest

DEMO = pathlib.Path(os.environ.get('DEMO', 'build/release/bin/demo')).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]


def of_session(session):
    """The processes of a session: the fourth number behind the name, which stands in brackets."""
    found = []
    for status in pathlib.Path('/proc').glob('[0-9]*/stat'):
        try:
            name, _, rest = status.read_text().rpartition(')')
        except OSError:
            continue
        state, _, _, its_session = rest.split()[:4]
        if int(its_session) == session and state != 'Z':
            found.append(name)
    return found


class CutOff(unittest.TestCase):
    def test_the_embedded_aws_ends_with_the_demo(self):
        demo = subprocess.Popen([DEMO, 'weekend'], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                start_new_session=True)
        self.assertIn('embedded AWS', demo.stdout.readline())
        self.assertGreater(len(of_session(demo.pid)), 1)
        demo.stdout.close()
        demo.wait(timeout=60)
        end = time.monotonic() + 20
        while of_session(demo.pid) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(of_session(demo.pid), [])


if __name__ == '__main__':
    unittest.main()
