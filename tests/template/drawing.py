"""The dashboard of template.yaml as a page, with made-up data, so that a person can see what it will look like.

usage: drawing.py PAGE.html [PICTURE.png]
The grid, the titles, the labels and the stacking are those of the definition; CloudWatch's own look is not imitated.
"""
import html
import json
import pathlib
import random
import sys

from cloudformation import REPOSITORY, Stack, load

COLUMN, ROW, GAP = 56, 52, 8
COLOURS = ['#1f77b4', '#ff7f0e', '#2ca02c', '#d62728', '#9467bd', '#8c564b', '#e377c2']
RULES = ['idle-gpus', 'no-owner', 'spot-without-checkpoints']  # what SEARCH would find
DAYS = 7


def definition(**parameters):
    dashboard, = Stack(load(), **parameters).of_type('AWS::CloudWatch::Dashboard').values()
    return json.loads(dashboard['DashboardBody'])


def lines_of(properties):
    """(metric or expression, options) of each line, as the definition has it."""
    for entry in properties['metrics']:
        options = entry[-1] if isinstance(entry[-1], dict) else {}
        yield [part for part in entry if not isinstance(part, dict)], options


def labels(properties):
    for metric, options in lines_of(properties):
        if not options.get('visible', True):
            continue
        if options.get('expression', '').startswith('SEARCH('):
            yield from RULES
        else:
            yield options.get('label') or ' '.join(metric)


def made_up(properties):
    """label -> values, one a period of the last week. Most are zero most of the time, as these metrics are."""
    points = DAYS * 86400 // properties['period']
    for number, label in enumerate(labels(properties)):
        chance = random.Random(label)
        if properties['title'].startswith('Age'):  # a sweep in each period, and once eight stay out
            yield label, [max(0, 15 * (point - 400)) if point < 409 else 0 for point in range(points)]
        elif properties['title'].startswith('Money'):
            yield label, [chance.choice([0, 400, 2600, 7300, 16900]) for _ in range(points)]
        else:
            most, often = (6, 0.7) if points <= DAYS else (5 - number % 4, 0.03)
            yield label, [chance.randint(1, most) if chance.random() < often else 0 for _ in range(points)]


def drawn(widget):
    properties = widget['properties']
    width, height = widget['width'] * COLUMN - GAP, widget['height'] * ROW - GAP
    left, top, right, bottom = 52, 34, width - 12, height - 74
    series = list(made_up(properties))
    stacked = properties.get('stacked', False)
    base = [0] * len(series[0][1])
    curves = []
    for _, values in series:
        base = [a + b for a, b in zip(base, values)] if stacked else values
        curves.append(base)
    most = max(max(curve) for curve in curves) or 1

    def at(point, value, count):
        return f'{left + (right - left) * point / max(1, count - 1):.1f},{bottom - (bottom - top) * value / most:.1f}'
    parts = [f'<text x="12" y="21" class="title">{html.escape(properties["title"])}</text>']
    for share in (0, 0.5, 1):
        y = bottom - (bottom - top) * share
        parts.append(f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>'
                     f'<text x="{left - 6}" y="{y + 4:.1f}" class="axis">{most * share:,.0f}</text>')
    for number in reversed(range(len(curves))):
        points = ' '.join(at(point, value, len(curves[number])) for point, value in enumerate(curves[number]))
        fill = COLOURS[number] if stacked else 'none'
        if stacked:
            points = f'{left},{bottom} {points} {right},{bottom}'
        parts.append(f'<polyline points="{points}" stroke="{COLOURS[number]}" fill="{fill}" fill-opacity="0.45"/>')
    x, y = 14, height - 50
    for number, (label, _) in enumerate(series):
        room = 18 + 6.6 * len(label)
        if x + room > width and x > 14:
            x, y = 14, y + 17
        parts.append(f'<rect x="{x:.0f}" y="{y - 9}" width="10" height="10" fill="{COLOURS[number]}"/>'
                     f'<text x="{x + 14:.0f}" y="{y}" class="legend">{html.escape(label)}</text>')
        x += room
    style = f'left:{widget["x"] * COLUMN}px;top:{widget["y"] * ROW}px;width:{width}px;height:{height}px'
    return f'<div class="widget" style="{style}"><svg width="{width}" height="{height}">{"".join(parts)}</svg></div>'


def page(body):
    height = max(widget['y'] + widget['height'] for widget in body['widgets']) * ROW
    return ('<!doctype html><html lang="en"><meta charset="utf-8"><title>Trainwarden</title><style>body{margin:12px;background:#f2f3f3;'
            'font:12px "DejaVu Sans",sans-serif}.widget{position:absolute;background:#fff;border:1px solid #d5dbdb}'
            f'#all{{position:relative;width:{24 * COLUMN}px;height:{height}px}}.title{{font-size:14px;font-weight:bold}}.grid{{stroke:#ddd}}'
            '.axis{text-anchor:end;font-size:11px;fill:#555}.legend{font-size:11px}</style>'
            f'<p>The data is made up.</p><div id="all">{"".join(map(drawn, body["widgets"]))}</div></html>')


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    out.write_text(page(definition()))
    if len(sys.argv) > 2:
        sys.path.insert(0, str(REPOSITORY / 'tests/report'))
        from browser import Browser
        browser = Browser()
        browser.open(out.as_uri(), width=24 * COLUMN + 24)
        browser.picture(sys.argv[2], height=12 * ROW + 56)
        browser.close()


if __name__ == '__main__':
    main()
