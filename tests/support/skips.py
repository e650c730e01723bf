#!/usr/bin/env python3
"""Prints one table of all that a test run left out: which test, how many cases, and why.

usage: skips.py JUNIT_XML

Tests that skip say so in one of three ways, and all are found in what ctest recorded: a whole test that GoogleTest or a
script skipped, and single cases of Python's unittest inside a test that passed ("... skipped 'reason'"). A part of a case
is told on a line of its own, "left out: <reason>". A reason says how many cases it leaves out as "<N> cases"; without
that, a test counts as one.
"""

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


def skips_in(junit):
    """(test, cases left out, reason), one for each skip."""
    for case in xml.etree.ElementTree.parse(junit).getroot().iter('testcase'):
        name, output = case.get('name'), case.findtext('system-out') or ''
        inner = [(f'{name}: {m.group(1)}', m.group(4)) for m in UNITTEST.finditer(output)]
        inner += [(f'{name}: {m.group(1)}', m.group(3)) for m in UNITTEST_CLASS.finditer(output)]
        inner += [(name, part) for part in PART.findall(output)]
        if inner:
            yield from ((test, cases_of(reason), reason) for test, reason in inner)
        elif case.get('status') in ('notrun', 'disabled') or case.find('skipped') is not None:
            reason = reason_of(output)
            yield name, cases_of(reason), reason


def main():
    rows = {}  # what one test says several times is one row
    for test, cases, reason in skips_in(sys.argv[1]):
        same = test, COUNT.sub('', reason)
        rows[same] = rows.get(same, 0) + cases
    rows = sorted((test, cases, reason.strip()) for (test, reason), cases in rows.items())
    if not rows:
        return
    width = max(len(test) for test, _, _ in rows)
    print(f'Left out ({sum(cases for _, cases, _ in rows):,} cases):')
    print(f'  {"test":{width}}  {"cases":>6}  reason')
    for test, cases, reason in rows:
        print(f'  {test:{width}}  {cases:>6,}  {reason}')


if __name__ == '__main__':
    main()
