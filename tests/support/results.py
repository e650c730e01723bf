#!/usr/bin/env python3
"""Prints what a test run came to: one table of all that it left out (which test, how many cases, and why), and the
closing line. Exit status 1 where a test failed, or none ran.

usage: results.py JUNIT_XML CASES

JUNIT_XML is ctest's record. Where a test of ctest is a part of a program's cases (unit_test() in CMakeLists.txt),
CASES/<its name>.xml is GoogleTest's record of them, and each case counts.

Tests that skip say so in one of three ways, and all are found in what ctest recorded: a whole test that GoogleTest or a
script skipped, and single cases of Python's unittest inside a test that passed ("... skipped 'reason'"). A part of a case
is told on a line of its own, "left out: <reason>". A reason says how many cases it leaves out as "<N> cases"; without
that, a test counts as one.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree

# A docstring's first line, where a case has one, stands on a line of its own.
UNITTEST = re.compile(r"^(\w+) \(([\w.]+)\)(?:\n[^\n]*)? \.\.\. skipped (['\"])(.*?)\3\s*$", re.M)
UNITTEST_CLASS = re.compile(r"^(?:setUpClass|setUpModule) \(([\w.]+)\) \.\.\. skipped (['\"])(.*?)\2\s*$", re.M)
PART = re.compile(r"(?:^|\.\.\. )left out: (.+)$", re.M)
COUNT = re.compile(r"(\d[\d,]*) cases?\b")


def cases_of(reason):
    found = COUNT.search(reason)
    return int(found.group(1).replace(',', '')) if found else 1


def reason_of(output):
    """Why a whole test was skipped: GoogleTest prints it after the place, scripts as their last line."""
    lines = [line.strip() for line in output.splitlines()]
    for i, line in enumerate(lines):
        if line.endswith(': Skipped') and i + 1 < len(lines):
            return lines[i + 1]
    told = [line for line in lines if line and not line.startswith(('[', 'Ran ', 'OK', '-', '='))]
    return told[-1] if told else 'no reason was given'


def skips_in(tests):
    """(test, cases left out, reason), one for each skip."""
    for name, verdict, output in tests:
        inner = [(f'{name}: {m.group(1)}', m.group(4)) for m in UNITTEST.finditer(output)]
        inner += [(f'{name}: {m.group(1)}', m.group(3)) for m in UNITTEST_CLASS.finditer(output)]
        inner += [(name, part) for part in PART.findall(output)]
        if inner:
            yield from ((test, cases_of(reason), reason) for test, reason in inner)
        elif verdict == 'skipped':
            reason = reason_of(output)
            yield name, cases_of(reason), reason


def tests_in(junit, cases):
    """(name, 'passed', 'failed' or 'skipped', output), one for each test; of a part, one for each of its cases."""
    for test in xml.etree.ElementTree.parse(junit).getroot().iter('testcase'):
        name, output = test.get('name'), test.findtext('system-out') or ''
        if test.find('failure') is not None or test.get('status') == 'fail':
            verdict = 'failed'
        else:
            left_out = test.get('status') in ('notrun', 'disabled') or test.find('skipped') is not None
            verdict = 'skipped' if left_out else 'passed'
        record = cases / f'{name}.xml'
        inside = list(cases_in(record, name.split('.')[0])) if record.is_file() else []
        # A program that ended before its time leaves no record, or one without what it died of.
        if not inside or (verdict == 'failed' and all(case[1] != 'failed' for case in inside)):
            yield name, verdict, output
        yield from inside


def cases_in(record, program):
    try:
        root = xml.etree.ElementTree.parse(record).getroot()
    except xml.etree.ElementTree.ParseError:
        return
    for case in root.iter('testcase'):
        if case.get('status') == 'notrun':  # of another part
            continue
        left_out = case.find('skipped')
        verdict = 'failed' if case.find('failure') is not None else 'passed' if left_out is None else 'skipped'
        # GoogleTest's message is the place, and then what was said.
        said = '' if left_out is None else left_out.get('message', '').partition('\n')[2]
        yield f"{program}.{case.get('classname')}.{case.get('name')}", verdict, said


def main():
    tests = list(tests_in(sys.argv[1], pathlib.Path(sys.argv[2])))
    rows = {}  # what one test says several times is one row
    for test, cases, reason in skips_in(tests):
        same = test, COUNT.sub('', reason)
        rows[same] = rows.get(same, 0) + cases
    rows = sorted((test, cases, reason.strip()) for (test, reason), cases in rows.items())
    if rows:
        width = max(len(test) for test, _, _ in rows)
        print(f'Left out ({sum(cases for _, cases, _ in rows):,} cases):')
        print(f'  {"test":{width}}  {"cases":>6}  reason')
        for test, cases, reason in rows:
            print(f'  {test:{width}}  {cases:>6,}  {reason}')
    counts = {verdict: sum(test[1] == verdict for test in tests) for verdict in ('passed', 'failed', 'skipped')}
    print(', '.join(f'{count} {verdict}' for verdict, count in counts.items()))
    return 1 if counts['failed'] or counts['passed'] == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
