"""README's weekend: the export is what weekend.py makes, the picture shows the page that the command of README makes of it, and
the words and figures beside it in README are those of that page.

usage: TRAINWARDEN=build/release/bin/trainwarden python3 -m unittest weekend_test
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import weekend

TRAINWARDEN = pathlib.Path(os.environ.get('TRAINWARDEN', weekend.ROOT / 'build/release/bin/trainwarden')).resolve()
README = (weekend.ROOT / 'README.md').read_text(encoding='utf-8')
COMMAND = f'trainwarden report --policy {weekend.POLICY.relative_to(weekend.ROOT)} {weekend.EXPORT.relative_to(weekend.ROOT)}'
ANEW = 'made anew by `python3 tests/report/weekend.py`'


class Weekend(unittest.TestCase):
    def told(self):
        command = [TRAINWARDEN, *COMMAND.split()[1:], '--json']
        return json.loads(subprocess.run(command, cwd=weekend.ROOT, check=True, capture_output=True).stdout)

    def test_the_export_is_what_the_script_makes(self):
        self.assertTrue(weekend.EXPORT.read_text() == weekend.export(), f'{weekend.EXPORT.name} is {ANEW}')

    def test_the_picture_shows_the_page_of_this_build(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / 'weekend.html'
            weekend.write_page(TRAINWARDEN, page)
            now = weekend.shown(page)
        self.assertEqual(weekend.page_of(weekend.PICTURE.read_bytes()), now, f'the page has changed: the picture is {ANEW}')

    def test_what_it_does_not_show_may_change_and_what_it_shows_may_not(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / 'weekend.html'
            weekend.write_page(TRAINWARDEN, page)
            text, before = page.read_text(), weekend.shown(page)
            for old, new, same in (('Every rule is taken as enforced', 'Every rule is enforced', True), ('$16,060', '$16,061', False),
                                   ('llm-weekend', 'llm-monday', False)):
                self.assertIn(old, text)
                page.write_text(text.replace(old, new))
                self.assertEqual(weekend.shown(page) == before, same, old)

    def test_a_picture_of_nothing_says_of_no_page(self):
        png = weekend.PICTURE.read_bytes()
        bare = png[:8] + b''.join(whole for kind, _, whole in weekend.chunks(png) if kind != b'tEXt')
        self.assertIsNone(weekend.page_of(bare))

    def test_readme_shows_it_the_command_and_the_figures(self):
        self.assertIn(f'({weekend.PICTURE.relative_to(weekend.ROOT)})', README)
        self.assertIn(COMMAND + ' --html', README)
        totals = self.told()['totals']
        for key in ('kept_usd', 'destroyed_usd'):
            self.assertIn(f'${totals[key]:,.0f}', README)

    def test_readme_shows_the_policy_and_it_is_sound(self):
        self.assertIn('```jsonc\n' + weekend.POLICY.read_text() + '```', README)
        checked = subprocess.run([TRAINWARDEN, 'check', '--strict', weekend.POLICY], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_one_stop_is_right_and_one_is_wrong(self):
        stops = {job['name']: job['stop']['verdict'] for job in self.told()['jobs'] if job.get('stop')}
        self.assertEqual(stops, {'llm-weekend': 'right', 'ranker-evaluates': 'wrong', 'digits-without-owner': 'rule'})


if __name__ == '__main__':
    unittest.main()
