"""The table of what a run left out (skips.py), on a made-up record of ctest's."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import skips  # noqa: E402

RECORD = '''<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="x" tests="6" failures="0" disabled="0" skipped="2">
 <testcase name="rules.Pattern.Agrees" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/><system-out>
[ RUN      ] Pattern.Agrees
tests/pattern_test.cc:16: Skipped
3051 cases need ../shared/vectors, which is not here

[  SKIPPED ] Pattern.Agrees (0 ms)</system-out></testcase>
 <testcase name="rules.schema" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>python3-jsonschema is not installed
</system-out></testcase>
 <testcase name="cloudwatch" status="run"><system-out>test_fires (__main__.Alarms.test_fires) ... ok
test_sample (__main__.Alarms.test_sample) ... skipped '1 case needs ../shared/samples, which is not here'
test_it's_text (__main__.Alarms.test_other)
What the second line of a docstring looks like. ... ok
OK (skipped=1)</system-out></testcase>
 <testcase name="e2e" status="run"><system-out>test_a (e2e_test.A.test_a) ... left out: 40 cases (requests judged by models) need ../shared/tools, which is not here
ok
left out: 2 cases (requests judged by models) need ../shared/tools, which is not here
left out: 3 cases (requests judged by models) need ../shared/tools, which is not here</system-out></testcase>
 <testcase name="passes" status="run"><system-out>nothing is left out here; skipped 'no' word counts</system-out></testcase>
</testsuite>'''


def table(record):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, 'junit.xml')
        file.write_text(record)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            sys.argv = ['skips.py', str(file)]
            skips.main()
        return out.getvalue()


class Skips(unittest.TestCase):
    def test_each_skip_has_its_test_its_cases_and_its_reason(self):
        lines = [line.split(None, 2) for line in table(RECORD).splitlines()]
        rows = [' '.join(words) for words in lines]
        self.assertEqual(rows[0], 'Left out (3,098 cases):')
        self.assertIn('rules.Pattern.Agrees 3,051 need ../shared/vectors, which is not here', rows)
        self.assertIn('rules.schema 1 python3-jsonschema is not installed', rows)
        self.assertIn('cloudwatch: test_sample'.split(), [row.split()[:2] for row in rows])
        self.assertEqual(sum(row.startswith('e2e ') for row in rows), 1, 'equal reasons of a test are one row')
        self.assertNotIn('passes', table(RECORD))

    def test_a_run_that_left_nothing_out_prints_nothing(self):
        self.assertEqual(table('<testsuite><testcase name="a" status="run"><system-out>ok</system-out></testcase></testsuite>'), '')


if __name__ == '__main__':
    unittest.main()
