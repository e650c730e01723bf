"""The boto3 session of localaws' README, run as it is written there, and its control endpoints.

usage: LOCALAWS=path/to/localaws python3 readme_test.py
"""
import doctest
import pathlib
import re
import subprocess
import unittest

from localaws_server import LOCALAWS, Server, boto3

README = pathlib.Path(__file__).resolve().parents[1] / 'localaws' / 'README.md'


@unittest.skipIf(boto3 is None, 'boto3 cannot be imported')
@unittest.skipUnless(LOCALAWS, 'LOCALAWS does not name the binary')
class Readme(unittest.TestCase):
    def test_the_session_holds(self):
        text = README.read_text()
        blocks = re.findall(r'^```python\n(.*?)^```', text, flags=re.S | re.M)
        self.assertTrue(blocks)
        server = Server()
        try:
            session = '\n'.join(blocks).replace('http://127.0.0.1:4566', server.url)
            test = doctest.DocTestParser().get_doctest(session, {}, 'README.md', str(README), 0)
            self.assertGreater(len(test.examples), 15)
            complaints = []
            found = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=complaints.append)
            self.assertEqual(found.failed, 0, ''.join(complaints))
        finally:
            self.assertEqual(server.stop(), 0)

    def test_the_usage_names_each_option_of_the_readme(self):
        named = set(re.findall(r'`(--[a-z-]+)', README.read_text()))
        usage = subprocess.run([LOCALAWS, '--help'], capture_output=True, text=True, check=True).stdout
        self.assertEqual(named, set(re.findall(r'^  (--[a-z-]+)', usage, flags=re.M)) - {'--help'})


if __name__ == '__main__':
    unittest.main()
