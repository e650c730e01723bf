"""The page of `trainwarden report` and `backtest` in a real browser (issue 17, 4 and 5): nothing is loaded, nothing runs, hostile
text stands there as text, it fits a phone, and its figures are those of --json.

usage: REPORT_PAGES=build/release/bin/report_pages python3 -m unittest report_page_test
       PICTURES=FOLDER besides keeps a picture of each page
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from browser import CHROMIUM, Browser

REPORT_PAGES = pathlib.Path(os.environ.get('REPORT_PAGES', 'build/release/bin/report_pages')).resolve()
PICTURES = os.environ.get('PICTURES')
PAGES = ('fleet', 'misspelt', 'past', 'one', 'none', 'hostile')
LOOKS = [(width, scheme) for width in (1000, 390) for scheme in ('light', 'dark')]
# Of all text that is shown: how its colour stands out from what lies behind it, as WCAG 2 reckons.
# https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio
WEAK_TEXT = '''(() => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = color => { const [r, g, b] = parts(color).map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
                           return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = element => { for (let at = element; at; at = at.parentElement) {
                                const color = getComputedStyle(at).backgroundColor, rgba = parts(color);
                                if (rgba.length < 4 || rgba[3] === 1) return color; }
                              return 'rgb(255, 255, 255)'; };
  const weak = [];
  let seen = 0;
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest('svg') || ![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
    ++seen;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) weak.push(element.tagName + '.' + element.className + ': ' + element.textContent.slice(0, 30));
  }
  return {seen, weak: weak.slice(0, 5)};
})()'''
TOO_SMALL = '''[...document.querySelectorAll('body *')].filter(element => !element.closest('svg') && [...element.childNodes].some(
  node => node.nodeType === 3 && node.data.trim()) && parseFloat(getComputedStyle(element).fontSize) < 12).map(element => element.outerHTML.slice(0, 80))'''


@unittest.skipUnless(CHROMIUM, f'chromium is not installed: 6 cases of {len(PAGES)} pages')
class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([REPORT_PAGES, cls.folder], check=True)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, name, width=1000, scheme='light'):
        self.browser.open(f'file://{self.folder}/{name}.html', width, scheme)
        if PICTURES:
            self.browser.picture(f'{PICTURES}/{name}-{width}-{scheme}.png')

    def told(self, name):
        return json.loads((self.folder / f'{name}.json').read_text())

    def each(self, judge):
        for name, width, scheme in ((name, *look) for name in PAGES for look in LOOKS):
            with self.subTest(page=name, width=width, scheme=scheme):
                self.open(name, width, scheme)
                judge(name, width, scheme)

    def test_nothing_is_loaded_nothing_complains_and_it_fits(self):
        def judge(name, width, _):
            self.assertEqual(self.browser.requested(), [f'file://{self.folder}/{name}.html'])
            self.assertEqual(self.browser.complaints(), [])
            scrolled, seen = self.browser.evaluate('[document.documentElement.scrollWidth, window.innerWidth]')
            self.assertLessEqual(scrolled, width)
            self.assertEqual(seen, width)
        self.each(judge)

    def test_text_stands_out_and_is_large_enough(self):
        backgrounds = set()

        def judge(_, __, scheme):
            found = self.browser.evaluate(WEAK_TEXT)
            self.assertGreater(found['seen'], 3)
            self.assertEqual(found['weak'], [])
            self.assertEqual(self.browser.evaluate(TOO_SMALL), [])
            backgrounds.add((scheme, self.browser.evaluate('getComputedStyle(document.body).backgroundColor')))
        self.each(judge)
        self.assertEqual(len(backgrounds), 2, backgrounds)  # one light, one dark

    def test_the_figures_are_those_of_json(self):
        for name in ('fleet', 'misspelt', 'one', 'hostile'):
            with self.subTest(page=name):
                self.open(name)
                totals = self.told(name)['totals']
                shown = self.browser.evaluate("[...document.querySelectorAll('.figure data')].map(one => [one.id, Number(one.value), one.textContent])")
                self.assertEqual([(id, value) for id, value, _ in shown], [
                    ('figure-stopped', totals['stopped']['jobs']), ('figure-kept', round(totals['kept_usd'], 2)), ('figure-destroyed', round(totals['destroyed_usd'], 2)),
                    ('figure-look', totals['stops_to_look_at'])])
                for (_, value, text), key in zip(shown[1:3], ('kept_usd', 'destroyed_usd')):
                    self.assertLessEqual(abs(float(text.replace('$', '').replace(',', '')) - totals[key]), 0.5, text)
        self.open('past')
        paid = self.browser.evaluate("Number(document.getElementById('figure-paid').value)")
        self.assertEqual(paid, round(self.told('past')['totals']['usd'], 2))

    def test_41_1_a_policy_that_stops_all_is_no_calm_page(self):
        for name in ('misspelt', 'fleet', 'none'):
            self.open(name)
            stopped = self.told(name)['totals']['stopped']
            alarming = int(stopped['by_what_they_are'] * 10 > stopped['of_jobs'])
            self.assertEqual(self.browser.evaluate("document.querySelectorAll('.figure.alarming').length"), alarming, name)
        self.open('misspelt')
        text = self.browser.evaluate("document.querySelector('main').innerText")
        jobs = self.told('misspelt')['totals']['stopped']['of_jobs']
        self.assertIn(f'{jobs} of {jobs} jobs', text)
        self.assertIn('No job has the tag `projct`', text)
        self.assertIn('behind', text)

    def test_41_17_on_a_phone_the_rules_are_rows(self):
        self.open('misspelt', 390)
        wide, seen = self.browser.evaluate("(() => { const one = document.querySelector('[aria-labelledby=rules] .wide'); "
                                           "return [one.scrollWidth, one.clientWidth]; })()")
        self.assertLessEqual(wide, seen)
        self.assertEqual(self.browser.evaluate("getComputedStyle(document.querySelector('[aria-labelledby=rules] td'), '::before').content"), '"right stops"')

    def test_41_17_under_three_weeks_the_columns_are_days(self):
        self.open('weekdays')
        title = self.browser.evaluate("document.querySelector('#weeks').textContent")
        columns = self.browser.evaluate("document.querySelectorAll('.weeks .names span').length")
        self.assertEqual((title, columns), ('Day by day', 12))

    def test_each_picture_has_a_name_and_the_weeks_a_table(self):
        self.open('fleet')
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('svg')].filter(one => !(one.getAttribute('aria-label') "
                                               "&& one.querySelector('title'))).length"), 0)
        rows = self.browser.evaluate("[...document.querySelectorAll('[aria-labelledby=weeks] tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
        weeks = self.told('fleet')['weeks']
        self.assertEqual([int(row[1]) for row in rows], [week['jobs'] for week in weeks])
        for week in weeks:
            self.assertAlmostEqual(sum(week['spent'].values()), week['usd'], places=6)

    def test_hostile_text_stands_there_as_text(self):
        self.open('hostile')
        jobs = [job['name'] for job in self.told('hostile')['jobs']]
        text = self.browser.evaluate('document.body.textContent')
        for name in jobs:
            shown = ''.join(c if c.isprintable() and c not in '\u202e\u2066' else f'\\u{ord(c):04X}' for c in name)
            self.assertIn(shown, text)
        self.assertIn("<script>document.title='ran'</script>", text)
        self.assertNotIn('\u202e', text)
        self.assertEqual(self.browser.evaluate('document.title'), 'Trainwarden: What this policy would have done')
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('script, img, iframe, object, embed, form, link, base').length"), 0)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('*')].filter(one => [...one.attributes].some(it => /^on/i.test(it.name))).length"), 0)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('a')].filter(one => one.protocol !== 'https:').length"), 0)

    def test_a_page_that_would_run_a_script_is_seen(self):
        (self.folder / 'bad.html').write_text('<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
                                              '<body style="width:2000px"><script>document.title=1</script><img src="x.png">')
        self.browser.open(f'file://{self.folder}/bad.html', 390)
        self.assertNotEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.evaluate('document.title'), '')


if __name__ == '__main__':
    unittest.main()
