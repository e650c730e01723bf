"""The policy repository beside this file, as its owners would use it (policy.md T1-T4): the commands of its workflows are read
out of them and run by the built binary, a policy that is made worse does not pass them, and its Terraform fits template.yaml.

usage: TRAINWARDEN=build/release/bin/trainwarden python3 -m unittest policy_repository_test
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

try:
    import yaml
except ImportError:
    raise unittest.SkipTest('python3-yaml is not installed')

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPOSITORY = pathlib.Path(__file__).resolve().parent / 'policy-repository'
TRAINWARDEN = str(pathlib.Path(os.environ.get('TRAINWARDEN', ROOT / 'build/release/bin/trainwarden')).resolve())
GUARDS = ['check --strict policy.json', 'test policy.json cases.jsonl --junit results.xml',
          'backtest policy.json export.jsonl --max-stopped 50% --max-wrong 0']


def github():
    workflow = yaml.safe_load((REPOSITORY / '.github/workflows/policy.yml').read_text(encoding='utf-8'))
    return [line for job in workflow['jobs'].values() for step in job['steps'] for line in step.get('run', '').splitlines()]


def gitlab():
    jobs = yaml.safe_load((REPOSITORY / '.gitlab-ci.yml').read_text(encoding='utf-8'))
    return [line for job in jobs.values() for line in job['script']]


def readme():
    return re.findall(r'^trainwarden .*$', (REPOSITORY / 'README.md').read_text(encoding='utf-8'), flags=re.M)


def of_trainwarden(lines):
    return [line for line in lines if line.startswith('trainwarden ')]


class PolicyRepository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name) / 'repository'
        shutil.copytree(REPOSITORY, self.place)

    def run_line(self, line):
        words = shlex.split(line)
        self.assertEqual(words[0], 'trainwarden')
        return subprocess.run([TRAINWARDEN, *words[1:]], cwd=self.place, capture_output=True, text=True, timeout=60)

    def statuses(self):
        return [self.run_line('trainwarden ' + guard).returncode for guard in GUARDS]

    def edit(self, name, old, new):
        path = self.place / name
        text = path.read_text(encoding='utf-8')
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding='utf-8')

    def cases(self):
        return [json.loads(line) for line in (self.place / 'cases.jsonl').read_text(encoding='utf-8').splitlines()]

    def rules(self):
        return re.findall(r'"name": "([a-z-]+)"', (self.place / 'policy.json').read_text(encoding='utf-8'))

    def test_the_workflows_have_all_guards(self):
        for lines in (github(), gitlab()):
            self.assertEqual(of_trainwarden(lines), ['trainwarden ' + guard for guard in GUARDS])

    def test_what_the_workflows_run_passes(self):
        for line in of_trainwarden(github()) + of_trainwarden(gitlab()) + readme():
            with self.subTest(line=line):
                done = self.run_line(line)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_t2_every_rule_is_tested_both_ways(self):
        done = self.run_line('trainwarden ' + GUARDS[1])
        self.assertNotIn('note:', done.stdout)
        held = {rule for case in self.cases() for rule in case['expect'].get('rules', [])}
        self.assertEqual(held, set(self.rules()))

    def test_t4_the_results_are_well_formed(self):
        self.run_line('trainwarden ' + GUARDS[1])
        suites = xml.etree.ElementTree.parse(self.place / 'results.xml').getroot()
        names = [case.get('name') for case in suites.iter('testcase')]
        self.assertEqual(names, [case['name'] for case in self.cases()])
        self.assertEqual((suites.get('tests'), suites.get('failures'), suites.get('errors')), (str(len(names)), '0', '0'))

    def test_t4_the_results_are_well_formed_whatever_a_name_holds(self):
        name = 'a <b> & "c" \'d\' ]]> \x00\x01\x1b\t\n\x7f\x85\ufffe\uffff\u202e\U0001f600'
        case = {**self.cases()[0], 'name': name, 'expect': {'rules': []}}
        (self.place / 'cases.jsonl').write_text(json.dumps(case) + '\n' + 'broken <&>\n', encoding='utf-8')
        self.assertEqual(self.run_line('trainwarden ' + GUARDS[1]).returncode, 2)
        suites = xml.etree.ElementTree.parse(self.place / 'results.xml').getroot()
        self.assertEqual([len(list(suites.iter(kind))) for kind in ('testcase', 'failure', 'error')], [2, 1, 1])
        self.assertTrue(next(suites.iter('testcase')).get('name').startswith('a <b> & "c" \'d\' ]]> '))

    def test_p2_a_misspelt_policy_passes_no_guard(self):
        self.edit('policy.json', '"TrainingJobStatus": ["Failed"]', '"TrainingJobStatuss": ["Failed"]')
        self.assertEqual(self.statuses(), [1, 2, 1])

    def test_p2_a_warning_fails_the_strict_check(self):
        self.edit('policy.json', '"TrainingJobStatus": ["Failed"]', '"TrainingJobStatus": ["Faild"]')
        self.assertEqual(self.statuses()[:2], [1, 1])

    def test_t2_a_rule_that_forgets_its_exception_fails_a_case(self):
        self.edit('policy.json', '"unless": { "tags": { "team": ["foundation"] } },', '')
        self.assertEqual(self.statuses(), [0, 1, 0])

    def test_41_1_a_misspelt_tag_fails_the_backtest(self):
        text = (self.place / 'policy.json').read_text(encoding='utf-8')
        rule = '{"name": "typo", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"taem": [{"exists": false}]}}, "actions": ["stop"]},'
        (self.place / 'policy.json').write_text(re.sub(r'"rules": \[', '"rules": [' + rule, text, count=1), encoding='utf-8')
        self.assertEqual(self.run_line('trainwarden ' + GUARDS[0]).returncode, 0)
        done = self.run_line('trainwarden backtest policy.json export.jsonl --max-stopped 50%')
        self.assertEqual(done.returncode, 1)
        self.assertIn('No job has the tag `taem`', done.stderr)

    def test_a_rule_that_stops_healthy_jobs_fails_the_backtest(self):
        self.edit('policy.json', '[">", 259200]', '[">", 3600]')
        self.assertEqual(self.statuses()[2], 1)

    def test_t4_a_case_about_an_unknown_rule_is_a_mistake(self):
        self.edit('cases.jsonl', '["own-fault"]', '["own-faults"]')
        done = self.run_line('trainwarden ' + GUARDS[1])
        self.assertEqual(done.returncode, 2)
        self.assertIn('did you mean `own-fault`?', done.stdout)

    def test_terraform_fits_the_template(self):
        text = (REPOSITORY / 'trainwarden.tf').read_text(encoding='utf-8')
        self.assertEqual(len(text.splitlines()), 6)
        given = dict(re.findall(r'(\w+)\s*=\s*"([^"]*)"', re.search(r'parameters\s*=\s*\{(.*?)\}', text).group(1)))
        self.assertTrue(given)

        class Loader(yaml.SafeLoader):
            pass

        Loader.add_multi_constructor('!', lambda loader, suffix, node: None)
        template = yaml.load((ROOT / 'template.yaml').read_text(encoding='utf-8'), Loader)
        for name, value in given.items():
            with self.subTest(parameter=name):
                parameter = template['Parameters'][name]
                self.assertIn(value, parameter.get('AllowedValues', [value]))
                self.assertRegex(value, parameter.get('AllowedPattern', '.'))
        needed = {name for name, parameter in template['Parameters'].items() if 'Default' not in parameter}
        self.assertEqual(needed - set(given), set())
        named = [one for one in template['Resources'].values() if one['Type'] == 'AWS::IAM::Role' and 'RoleName' in one['Properties']]
        self.assertEqual(named, [], 'CAPABILITY_IAM is not enough for roles with names')
        readme_text = (REPOSITORY / 'README.md').read_text(encoding='utf-8')
        self.assertIn(f"--name {given['PolicyParameter']} ", readme_text)


class CommandsMd(unittest.TestCase):
    TEXT = (ROOT / 'handlers/commands.md').read_text(encoding='utf-8').partition('\n## A policy in a repository of its own\n')[2]
    TEXT = TEXT.partition('\n## ')[0]

    def test_it_shows_the_guards_and_the_terraform(self):
        lines = [line.partition('#')[0].strip() for line in self.TEXT.splitlines()]
        self.assertEqual(of_trainwarden(lines), ['trainwarden ' + guard for guard in GUARDS])
        self.assertIn((REPOSITORY / 'trainwarden.tf').read_text(encoding='utf-8'), self.TEXT)

    def test_t1_its_case_passes(self):
        case = re.search(r'```jsonl\n(.*?)```', self.TEXT, flags=re.S).group(1)
        done = subprocess.run([TRAINWARDEN, 'test', str(REPOSITORY / 'policy.json'), '-'], input=case, capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class PolicyMd(unittest.TestCase):
    def test_t1_its_cases_pass_with_the_first_policy(self):
        text = (ROOT / 'handlers/policy.md').read_text(encoding='utf-8')
        policy = re.search(r'```jsonc\n(.*?)```', text[text.index('## A first policy'):], flags=re.S).group(1)
        cases = re.findall(r'```jsonl\n(.*?)```', text, flags=re.S)
        self.assertEqual(len(cases), 2)
        for case in cases:
            done = subprocess.run([TRAINWARDEN, 'test', policy, '-'], input=case, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == '__main__':
    unittest.main()
