"""The dashboard: each line of it is a metric that the functions emit, as policy.md's table (R2) describes it.

usage: python3 -m unittest discover -p dashboard_test.py
"""
import json
import pathlib
import re
import sys
import tempfile
import unittest

try:
    import yaml  # noqa: F401
except ImportError:
    raise unittest.SkipTest('python3-yaml is not installed')

import drawing
from cloudformation import REPOSITORY, Stack, load

sys.path.insert(0, str(REPOSITORY / 'tests/report'))
from browser import CHROMIUM, Browser  # noqa: E402

WIDGETS = ['Money kept', 'Stops a day by rule', 'Held back', 'Restarts', 'Blind, and errors', 'Age of the last sweep']
FUNCTIONS = ('StateFunction', 'AlarmFunction')
# Lambda's own: https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
LAMBDA = {('AWS/Lambda', 'Errors', 'FunctionName')}


def emitted():
    """metric -> (unit, dimension), as the sources of the functions add them."""
    text = '\n'.join(path.read_text() for path in sorted((REPOSITORY / 'handlers').rglob('*.cc'))
                     if {'function', 'state', 'alarm'} & set(path.parts))
    found = {}
    for name, rest in re.findall(r'\b(?:add|count)\("([A-Z]\w+)",([^;]*);', text):
        found.setdefault(name, set()).add('None' if 'Unit::kNone' in rest else 'Count')
    dimensions = {metric: name for name, metric in re.findall(
        r'(?:pair<std::string, std::string>\(|dimension = \{)"(\w+)".*?\badd\("(\w+)"', text, re.S)}
    return {name: (*units, dimensions.get(name, '')) for name, units in found.items()}


def documented():
    """metric -> (unit, dimension), as the table of R2 in policy.md has them."""
    text = (REPOSITORY / 'handlers/policy.md').read_text()
    begin = text.index('\n### R2 Metrics')
    table = text[begin:text.index('\n## ', begin)]
    rows = [[cell.strip() for cell in row.strip('|').split('|')] for row in re.findall(r'^\|.*\|$', table, re.M)]
    assert rows[0] == ['metric', 'unit', 'dimension', 'what it counts'], rows[0]
    assert all(len(row) == 4 and len(row[3]) > 5 for row in rows[2:]), rows
    return {row[0]: (row[1], row[2]) for row in rows[2:]}


def wrong_with(body):
    """What a reader of this definition would stumble over."""
    wrong, known = [], emitted()
    taken = set()
    for widget in body['widgets']:
        properties = widget['properties']
        cells = {(x, y) for x in range(widget['x'], widget['x'] + widget['width']) for y in range(widget['y'], widget['y'] + widget['height'])}
        if cells & taken or widget['x'] + widget['width'] > 24:
            wrong.append(f'{properties["title"]}: lies over another, or beyond the grid')
        taken |= cells
        ids = {options['id'] for _, options in drawing.lines_of(properties) if 'id' in options}
        for metric, options in drawing.lines_of(properties):
            expression = options.get('expression')
            if expression is None:
                namespace, name, *dimension = metric
                if namespace == 'Trainwarden':
                    good = name in known and known[name][1] == ''.join(dimension[:1])
                else:
                    good = (namespace, name, ''.join(dimension[:1])) in LAMBDA
                if not good or len(dimension) not in (0, 2):
                    wrong.append(f'{properties["title"]}: nothing emits {metric}')
            elif expression.startswith('SEARCH('):
                searched = re.fullmatch(r"SEARCH\('\{Trainwarden,(\w+)\} MetricName=\"(\w+)\"', 'Sum', (\d+)\)", expression)
                if not searched or known.get(searched[2], ('', ''))[1] != searched[1] or int(searched[3]) != properties['period']:
                    wrong.append(f'{properties["title"]}: nothing emits {expression}')
            elif set(re.findall(r'\b[a-z]\w*\b', expression)) - ids:
                wrong.append(f'{properties["title"]}: {expression} names a line that is not there')
            if expression is None and options.get('visible', True) and not options.get('label'):
                wrong.append(f'{properties["title"]}: {metric} has no label')
    return wrong


class Metrics(unittest.TestCase):
    def test_R2_the_table_in_policy_md_is_what_the_functions_emit(self):
        self.assertEqual(documented(), emitted())
        self.assertGreater(len(emitted()), 15)

    def test_R2_money_is_said_to_be_an_upper_bound(self):
        text = (REPOSITORY / 'handlers/policy.md').read_text()
        self.assertRegex(text, r'\| SavedUSD \| None \| \| US dollars, an upper bound: ')


class Dashboard(unittest.TestCase):
    def setUp(self):
        self.body = drawing.definition()

    def test_six_widgets_each_of_this_region(self):
        titles = [widget['properties']['title'] for widget in self.body['widgets']]
        self.assertEqual(len(titles), 6)
        for title, begins in zip(titles, WIDGETS):
            self.assertTrue(title.startswith(begins), title)
        for widget in self.body['widgets']:
            properties = widget['properties']
            self.assertEqual((widget['type'], properties['region'], properties['stat'], properties['yAxis']['left']['min']),
                             ('metric', 'eu-central-1', 'Sum', 0))
            self.assertEqual(properties['period'] % 60, 0)
        self.assertLess(len(json.dumps(self.body)), 50000)

    def test_each_line_is_a_metric_that_the_functions_emit(self):
        self.assertEqual(wrong_with(self.body), [])

    def test_the_check_bites(self):
        text = json.dumps(self.body)
        for old, new in (('"HeldBack"', '"HeldBacks"'), ('"Mode", "observe"', '"Modes", "observe"'), ('{Trainwarden,Rule}', '{Trainwarden,Rules}'),
                         ('"SweepCompleted", "FunctionName", "StateFunction"', '"SweepCompleted"'), ('EPOCH(sweeps)', 'EPOCH(sweep)'),
                         ('"Errors", "FunctionName"', '"Errors", "Function"'), ('"x": 8', '"x": 7')):
            self.assertIn(old, text)
            self.assertNotEqual(wrong_with(json.loads(text.replace(old, new))), [], new)

    def test_the_functions_are_this_stacks_own(self):
        named = {metric[3] for widget in self.body['widgets'] for metric, _ in drawing.lines_of(widget['properties'])
                 if metric[2:3] == ['FunctionName']}
        self.assertEqual(named, set(FUNCTIONS))

    def test_is_a_choice(self):
        self.assertEqual(Stack(load(), Dashboard='off').of_type('AWS::CloudWatch::Dashboard'), {})
        self.assertNotIn('DashboardName', Stack(load(), Dashboard='off').outputs)
        self.assertIn('DashboardName', Stack(load()).outputs)


@unittest.skipUnless(CHROMIUM, 'chromium is not installed: 1 case')
class Drawn(unittest.TestCase):
    def test_every_title_and_label_is_seen_in_its_widget(self):
        browser = Browser()
        self.addCleanup(browser.close)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'dashboard.html'
            path.write_text(drawing.page(drawing.definition()))
            browser.open(path.as_uri(), width=24 * drawing.COLUMN + 24)
            shown = browser.evaluate("[...document.querySelectorAll('.widget')].map(w => [...w.querySelectorAll('text')].map(t => t.textContent))")
            out = browser.evaluate('''[...document.querySelectorAll('.widget')].flatMap(w => [...w.querySelectorAll('text')].filter(t => {
              const a = t.getBoundingClientRect(), b = w.getBoundingClientRect();
              return a.left < b.left || a.right > b.right || a.top < b.top || a.bottom > b.bottom; }).map(t => t.textContent))''')
            self.assertEqual((out, browser.complaints()), ([], []))
        for widget, texts in zip(drawing.definition()['widgets'], shown, strict=True):
            self.assertLessEqual({widget['properties']['title'], *drawing.labels(widget['properties'])}, set(texts))


if __name__ == '__main__':
    unittest.main()
