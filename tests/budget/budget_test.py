"""The functions keep to their budgets (budgets.json), and the guards bite.

usage: TRAINWARDEN_BUILD=build/release TRAINWARDEN_DEPS=… python3 -m unittest budget_test
"""
import json
import os
import pathlib
import platform
import re
import statistics
import unittest
import unittest.mock

import budget
import measure

BUILD = pathlib.Path(os.environ['TRAINWARDEN_BUILD'])
DEPS = pathlib.Path(os.environ['TRAINWARDEN_DEPS'])
FLOOR = BUILD / 'bin/bench/floor'
FIGURES = {'start_instructions', 'event_instructions', 'decision_instructions', 'start_system_calls', 'event_system_calls',
           'start_file_windows', 'state_zip_bytes', 'alarm_zip_bytes'}
ENTRY = {'budget': 1000, 'unit': 'instructions', 'what': 'a start', 'how': 'by counting'}


def found(figures, *arguments):
    """What was measured; without the tool, on a developer's machine, the case is left out, and in CI it fails."""
    try:
        return figures(*arguments)
    except measure.Missing as missing:
        if os.environ.get('CI') == 'true':
            raise
        raise unittest.SkipTest(str(missing)) from missing


class Tools(unittest.TestCase):
    """A tool that is not there, or may not trace, leaves a case out with its reason; in CI it is an error."""
    def test_by_what_is_missing(self):
        cases = {'sh cannot work here: ptrace is forbidden': ('sh', '-c', 'echo ptrace is forbidden >&2; exit 1'),
                 'no-such-tool is not installed': ('no-such-tool', '--version')}
        for reason, command in cases.items():
            with self.subTest(reason):
                with unittest.mock.patch.dict(os.environ, CI='false'), self.assertRaisesRegex(unittest.SkipTest, re.escape(reason)):
                    found(measure.tool, *command)
                with unittest.mock.patch.dict(os.environ, CI='true'), self.assertRaises(measure.Missing):
                    found(measure.tool, *command)
        measure.tool('sh', '-c', 'true')


class Verdicts(unittest.TestCase):
    def test_five_percent_more_are_allowed_and_not_six(self):
        for more, holds in ((0.5, True), (0.94, True), (1, True), (1.04, True), (1.05, True), (1.051, False), (1.06, False), (9, False)):
            with self.subTest(more):
                self.assertEqual(budget.verdict('start', ENTRY, int(1000 * more))[0], holds)

    def test_a_few_calls_are_not_rounded_down(self):
        for calls, holds in ((4, True), (5, False)):
            self.assertEqual(budget.verdict('calls', {**ENTRY, 'budget': 4}, calls)[0], holds)

    def test_a_budget_may_allow_more(self):
        for windows, holds in ((4, True), (12, True), (18, True), (19, False)):
            with self.subTest(windows):
                self.assertEqual(budget.verdict('windows', {**ENTRY, 'budget': 12, 'percent': 50}, windows)[0], holds)

    def test_it_says_what_was_found_what_is_allowed_where_and_what_to_do(self):
        _, sentence = budget.verdict('start', ENTRY, 1060)
        for part in ('start: found 1,060 instructions', 'the budget is 1,000', '6.0% more', 'a start', 'by counting',
                     './dev budgets --record', 'tests/budget/budgets.json'):
            self.assertIn(part, sentence)

    def test_a_budget_that_is_too_high_is_told(self):
        self.assertIn('can be lowered', budget.verdict('start', ENTRY, 940)[1])
        self.assertNotIn('can be lowered', budget.verdict('start', ENTRY, 960)[1])

    def test_each_figure_has_a_budget_and_says_what_it_is(self):
        budgets = budget.read()
        self.assertEqual(set(budgets), FIGURES)
        for entry in budgets.values():
            self.assertEqual(set(entry) - {'percent'}, {'budget', 'unit', 'what', 'how'})
            self.assertGreater(entry['budget'], 0)

    def test_what_is_recorded_is_read_again_a_line_each(self):
        budgets = budget.read()
        with unittest.mock.patch.object(budget, 'BUDGETS', unittest.mock.Mock()) as file:
            budget.write(budgets)
        text, = file.write_text.call_args.args
        self.assertEqual(json.loads(text), budgets)
        self.assertEqual(text, budget.BUDGETS.read_text())
        self.assertEqual(len(text.splitlines()), len(budgets) + 2)


@unittest.skipUnless(platform.machine() == 'x86_64', 'budgets are recorded on x86_64')
class Budgets(unittest.TestCase):
    def judge(self, figures):
        budgets = budget.read()
        for name, value in figures.items():
            with self.subTest(name):
                holds, sentence = budget.verdict(name, budgets[name], value)
                print(sentence)
                self.assertTrue(holds, sentence)

    def test_instructions(self):
        self.judge(found(budget.instructions, BUILD))

    def test_instructions_of_a_decision(self):
        self.judge(found(budget.decision, BUILD))

    def test_system_calls(self):
        self.judge(found(budget.system_calls, BUILD))

    def test_windows_of_the_file(self):
        self.judge(found(budget.file_windows, BUILD))

    def test_zips(self):
        self.judge(budget.zips(BUILD, DEPS))

    def test_page_faults_are_told_and_not_judged(self):
        faults = measure.page_faults(BUILD / 'bin/state/bootstrap')
        print(f'page faults at start: {faults}')
        self.assertGreater(faults, 10)


class Bites(unittest.TestCase):
    """A program that wastes 4 % passes, one that wastes 6 % does not: the floor, which wastes as much as it is told."""
    TURNS, CALLS = 200_000, 100

    def holds(self, budgeted, value):
        return budget.verdict('floor', {**ENTRY, 'budget': budgeted}, value)[0]

    def test_instructions_of_start_and_event(self):
        def count(start, event):
            return found(measure.instructions, FLOOR, str(start), str(event), '0')
        base, twice = count(self.TURNS, self.TURNS), count(2 * self.TURNS, 2 * self.TURNS)
        turn = [(twice[i] - base[i]) / self.TURNS for i in (0, 1)]
        for more, holds in ((0.04, True), (0.06, False)):
            with self.subTest(more):
                wasteful = count(*(self.TURNS + int(base[i] * more / turn[i]) for i in (0, 1)))
                for i in (0, 1):
                    self.assertAlmostEqual(wasteful[i] / base[i], 1 + more, delta=0.002)
                    self.assertEqual(self.holds(base[i], wasteful[i]), holds)

    def test_system_calls_of_start_and_event(self):
        def count(calls):
            start, events = found(measure.system_calls, FLOOR, '0', '0', str(calls))
            return len(start), statistics.median_low(map(len, events))
        base = count(self.CALLS)
        self.assertGreater(min(base), self.CALLS)
        for more, holds in ((0.04, True), (0.06, False)):
            for i in (0, 1):
                with self.subTest(more=more, event=bool(i)):
                    value = count(self.CALLS + round(base[i] * more + (0.49 if more > 0.05 else -0.49)))[i]
                    self.assertEqual(self.holds(base[i], value), holds, (base[i], value))

    def test_a_program_that_does_not_ask_is_stuck_and_not_cheap(self):
        with unittest.mock.patch('runtime_api.SECONDS', 1), self.assertRaises(measure.Stuck):
            found(measure.instructions, pathlib.Path('/bin/true'))


if __name__ == '__main__':
    unittest.main()
