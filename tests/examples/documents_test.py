"""The documents for people: each link and picture is there, each anchor is a heading, the lists of contents are whole, and
README's costs are what the command prints.

usage: TRAINWARDEN=build/release/bin/trainwarden python3 -m unittest documents_test
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRAINWARDEN = str(pathlib.Path(os.environ.get('TRAINWARDEN', ROOT / 'build/release/bin/trainwarden')).resolve())
DOCUMENTS = [ROOT / 'README.md', *(ROOT / 'handlers' / f'{name}.md' for name in ('commands', 'operations', 'organisations'))]
LINKED = [*DOCUMENTS, *(ROOT / name for name in ('handlers/policy.md', 'handlers/can-it.md', 'runtime/README.md', 'tests/localaws/README.md',
                                                   '.github/SECURITY.md', '.github/CONTRIBUTING.md'))]
README = DOCUMENTS[0].read_text(encoding='utf-8')


def prose(path):
    return re.sub(r'^ *```.*?^ *```', '', path.read_text(encoding='utf-8'), flags=re.S | re.M)


def headings(path):
    return re.findall(r'^#+ (.*)$', prose(path), flags=re.M)


def anchor(heading):
    """As GitHub makes it."""
    return re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')


def links(path):
    """(file, anchor) of each link that does not leave the repository."""
    for target in re.findall(r'\]\(([^)\s]+)\)', prose(path)):
        if not re.match(r'[a-z]+:', target):
            name, _, fragment = target.partition('#')
            yield (path.parent / name).resolve() if name else path, fragment


class Documents(unittest.TestCase):
    def test_each_link_leads_somewhere(self):
        for path in LINKED:
            found = list(links(path))
            self.assertGreater(len(found), 0, path)
            for file, fragment in found:
                with self.subTest(document=path.name, file=str(file), fragment=fragment):
                    self.assertTrue(file.exists())
                    if fragment:
                        self.assertIn(fragment, [anchor(heading) for heading in headings(file)])

    def test_the_list_of_contents_is_whole(self):
        for path in DOCUMENTS:
            with self.subTest(path.name):
                listed = re.findall(r'(?:^ *- |^| · )\[[^]]*\]\(#([^)]*)\)(?=$| ·)', prose(path), flags=re.M)
                self.assertEqual(listed, [anchor(heading) for heading in headings(path)[1:]])

    def test_policy_md_lists_its_chapters_and_each_numbered_promise(self):
        path = ROOT / 'handlers/policy.md'
        contents = path.read_text(encoding='utf-8').partition('\n## Contents\n')[2].partition('\n## ')[0]
        listed = re.findall(r'\]\(#([^)]*)\)', contents)
        chapters = re.findall(r'^#{2,3} (.*)$', prose(path), flags=re.M)
        self.assertEqual(listed, [anchor(heading) for heading in chapters[1:]])
        self.assertGreater(len([heading for heading in chapters if re.match(r'[A-Z]\d+ ', heading)]), 40)

    def test_each_tool_is_read_about_somewhere(self):
        section = README.partition('\n## Beside other tools\n')[2].partition('\n## ')[0]
        tools = [line for line in section.splitlines() if line.startswith('- ')]
        self.assertEqual(len(tools), 8)
        for tool in tools:
            self.assertRegex(tool, r'^- \*\*')
            self.assertIn('](https://', section.partition(tool)[1] + section.partition(tool)[2].partition('\n- ')[0])


class CanIt(unittest.TestCase):
    PATH = ROOT / 'handlers/can-it.md'

    def test_41_11_twenty_wishes_each_in_the_list(self):
        listed = re.findall(r'^- \[[^]]*\]\(#([^)]*)\)$', prose(self.PATH), flags=re.M)
        self.assertEqual(listed, [anchor(heading) for heading in headings(self.PATH)[1:]])
        self.assertGreaterEqual(len(listed), 20)

    def test_41_11_each_answer_is_a_yes_with_a_rule_or_a_link_or_a_no(self):
        for section in self.PATH.read_text(encoding='utf-8').split('\n## ')[1:]:
            title, _, answer = section.partition('\n')
            self.assertRegex(answer.strip(), r'^(Yes|No|After a failure, yes)\b', title)
            if answer.strip().startswith('Yes'):
                self.assertRegex(answer, r'```jsonc|\]\(policy\.md#|`"since"', title)

    def test_41_11_its_rules_are_sound(self):
        blocks = re.findall(r'```jsonc\n(.*?)```', self.PATH.read_text(encoding='utf-8'), flags=re.S)
        self.assertGreaterEqual(len(blocks), 8)
        for block in blocks:
            policy = block if '"version"' in block else '{"version": 1, "rules": [' + block + ']}'
            checked = subprocess.run([TRAINWARDEN, 'check', '--strict', '-'], input=policy, capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr + block)


class Readme(unittest.TestCase):
    def test_the_costs_are_what_the_command_prints(self):
        printed = subprocess.run([sys.executable, ROOT / 'bench/month.py'], capture_output=True, text=True, check=True).stdout
        self.assertIn(f'```\n{printed}```', README)
        for option in set(re.findall(r'`(--\w+)`', README.partition('\n## What it costs to run\n')[2].partition('\n## ')[0])):
            usage = subprocess.run([sys.executable, ROOT / 'bench/month.py', '--help'], capture_output=True, text=True, check=True).stdout
            self.assertIn(option, usage)

    def test_the_first_policy_can_be_explained_as_it_says(self):
        section = README.partition('\n## A first policy\n')[2].partition('\n## ')[0]
        line, = re.findall(r'^trainwarden explain --policy .*$', section.replace('\\\n', ' '), flags=re.M)
        command = [str(ROOT / 'tests/examples/first-policy.json') if word == 'my-policy.json' else word for word in shlex.split(line)[1:]]
        told = subprocess.run([TRAINWARDEN, *command], capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn('1 of 3 rules hold', told.stdout)

    def test_the_commands_of_dev_are_there(self):
        usage = subprocess.run([ROOT / 'dev', 'help'], capture_output=True, text=True, check=True).stdout
        for path in DOCUMENTS:
            for command in set(re.findall(r'\./dev (\w+)', path.read_text(encoding='utf-8'))) - {'help'}:
                self.assertRegex(usage, rf'(?m)^  {command}\b')


if __name__ == '__main__':
    unittest.main()
