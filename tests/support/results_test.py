"""What a run came to (results.py), on made-up records of ctest's and GoogleTest's."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import results  # noqa: E402

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


def shown(record, **cases):
    """What is printed of a record, and the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, 'junit.xml')
        file.write_text(record)
        for name, text in cases.items():
            pathlib.Path(folder, f'{name}.part_1_of_1.xml').write_text(text)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            sys.argv = ['results.py', str(file), folder]
            status = results.main()
        return out.getvalue(), status


def table(record):
    return shown(record)[0]


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

    def test_a_run_that_left_nothing_out_prints_no_table(self):
        self.assertEqual(table('<testsuite><testcase name="a" status="run"><system-out>ok</system-out></testcase></testsuite>'),
                         '1 passed, 0 failed, 0 skipped\n')


PART = '<testsuite><testcase name="rules.part_1_of_1" status="{}">{}<system-out>{}</system-out></testcase></testsuite>'
CASES = '''<testsuites><testsuite name="A">
 <testcase name="One" status="run" result="completed" classname="A"/>
 <testcase name="Two" status="run" result="skipped" classname="A"><skipped message="a_test.cc:3&#x0A;7 cases need ../shared/x"/></testcase>
 <testcase name="Elsewhere" status="notrun" result="suppressed" classname="A"/>{}
</testsuite></testsuites>'''
FAILED = '<testcase name="Three" status="run" classname="A"><failure message="no"/></testcase>'


class Parts(unittest.TestCase):
    def test_each_case_of_a_part_counts(self):
        said, status = shown(PART.format('run', '', ''), rules=CASES.format(''))
        self.assertEqual(said.splitlines()[-1], '1 passed, 0 failed, 1 skipped')
        self.assertIn('rules.A.Two 7 need ../shared/x', [' '.join(line.split()) for line in said.splitlines()])
        self.assertEqual(status, 0)

    def test_a_case_that_failed_fails_the_run(self):
        said, status = shown(PART.format('fail', '<failure message=""/>', ''), rules=CASES.format(FAILED))
        self.assertEqual((said.splitlines()[-1], status), ('1 passed, 1 failed, 1 skipped', 1))

    def test_a_program_that_dies_fails_the_run(self):
        for cases in ({}, {'rules': ''}, {'rules': '<testsuites><tests'}, {'rules': CASES.format('')}):
            said, status = shown(PART.format('fail', '<failure message=""/>', 'Segmentation fault'), **cases)
            self.assertIn(', 1 failed, ', said)
            self.assertEqual(status, 1)

    def test_a_run_of_nothing_fails(self):
        self.assertEqual(shown('<testsuite/>'), ('0 passed, 0 failed, 0 skipped\n', 1))


if __name__ == '__main__':
    unittest.main()
