"""`trainwarden backtest` of what `export` has of localaws (issue 17, 3): verdicts, comparison, bad input.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest backtest_test
"""
import json
import os
import subprocess
import tempfile
import time
import unittest

from ask_test import OnLocalaws
from embedded_aws import BIN, clean_environment

HOUR, DAY = 3600, 86400
LONG = {'version': 1, 'mode': 'observe', 'prices': {'ml.g5.12xlarge': 10.0},
        'rules': [{'name': 'too-long', 'match': {'job': {'TrainingJobStatus': ['InProgress']},
                                                 'runtime': {'training_seconds': [{'numeric': ['>', 3 * HOUR]}]}}, 'actions': ['stop']}]}
LONGER = json.loads(json.dumps(LONG).replace(str(3 * HOUR), str(5 * HOUR)))
NAMES = {'version': 1, 'rules': [{'name': 'debug', 'match': {'job': {'Environment': {'MODE': ['debug']}}}, 'actions': ['stop']}]}


class Backtest(OnLocalaws):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        self.work = folder.name
        self.jobs = os.path.join(self.work, 'jobs.jsonl')

    def policy(self, name, content):
        path = os.path.join(self.work, name)
        with open(path, 'w') as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def backtest(self, *arguments, **options):
        return subprocess.run([BIN / 'trainwarden', 'backtest', *arguments], capture_output=True, text=True,
                              env=clean_environment(PATH='/bin:/usr/bin'), **options)

    def place(self, name, age, lasted, status='Completed', secondary=None, **members):
        now = time.time()
        begin, end = now - age, now - age + lasted
        secondary = secondary or status
        self.aws.job(name, {'team': 'vision'}, age=age, **{
            'TrainingJobStatus': status, 'SecondaryStatus': secondary, 'TrainingStartTime': begin, 'TrainingEndTime': end, 'LastModifiedTime': end,
            'TrainingTimeInSeconds': lasted, 'BillableTimeInSeconds': lasted,
            'SecondaryStatusTransitions': [{'Status': 'Training', 'StartTime': begin, 'EndTime': end}, {'Status': secondary, 'StartTime': end, 'EndTime': end}],
            **members})

    def exported(self, policy):
        self.place('done', DAY, 4 * HOUR)
        self.place('short', DAY - HOUR, 2 * HOUR)
        self.place('limit', DAY - 2 * HOUR, 6 * HOUR, 'Stopped', 'MaxRuntimeExceeded')
        self.place('stopped', DAY - 3 * HOUR, 4 * HOUR, 'Stopped')
        self.place('bug', DAY - 4 * HOUR, 8 * HOUR, 'Failed', FailureReason="AlgorithmError: ExecuteUserScriptError: ErrorMessage \"KeyError: 'lr'\"")
        self.assertEqual(self.ask('export', '--for', policy, '--last', '2d', '--out', self.jobs).returncode, 0)

    def stops(self, ran):
        self.assertEqual(ran.stderr, '')
        return {job['name']: (job['stop']['verdict'], job['stop']['ground']) for job in json.loads(ran.stdout)['jobs'] if 'stop' in job}

    def test_each_stop_is_judged_by_how_the_job_went_on(self):
        policy = self.policy('long.json', LONG)
        self.exported(policy)
        ran = self.backtest(policy, self.jobs, '--json')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.stops(ran), {'done': ('wrong', 'completed'), 'limit': ('right', 'reached_limit'), 'stopped': ('unknown', 'stopped'),
                                           'bug': ('right', 'failed_for_good')})
        told = json.loads(ran.stdout)
        # Each stop comes by the sweep after three hours; a job costs ten dollars an hour.
        self.assertAlmostEqual(told['totals']['kept_usd'], (6 - 3 + 8 - 3) * 10, delta=2 * 2.6)
        self.assertAlmostEqual(told['totals']['destroyed_usd'], 30, delta=2.6)
        self.assertEqual(self.backtest(policy, self.jobs, '--json').stdout, ran.stdout)
        with open(self.jobs) as lines:
            self.assertEqual(self.backtest(policy, '-', '--json', stdin=lines).stdout, ran.stdout)

    def test_too_many_wrong_stops_fail(self):
        policy = self.policy('long.json', LONG)
        self.exported(policy)
        self.assertEqual(self.backtest(policy, self.jobs, '--max-wrong', '1').returncode, 0)
        ran = self.backtest(policy, self.jobs, '--max-wrong', '0')
        self.assertEqual(ran.returncode, 1)
        self.assertIn('1 stop is wrong, and --max-wrong allows 0', ran.stderr)
        self.assertIn('what this policy would have done', ran.stdout)

    def test_41_1_a_policy_that_stops_every_job_passes_no_gate(self):
        misspelt = {'version': 1, 'mode': 'observe', 'prices': LONG['prices'], 'limits': {'stops_per_hour': 0}, 'rules': [
            {'name': 'needs-team', 'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'tags': {'taem': [{'exists': False}]}}, 'actions': ['stop']},
            LONG['rules'][0]]}
        policy = self.policy('misspelt.json', misspelt)
        self.exported(policy)
        told = json.loads(self.backtest(policy, self.jobs, '--json').stdout)
        first = next(iter(told['totals'].items()))
        self.assertEqual(first[0], 'stopped')
        self.assertEqual({key: first[1][key] for key in ('jobs', 'of_jobs', 'by_what_they_are', 'held_back')},
                         {'jobs': 5, 'of_jobs': 5, 'by_what_they_are': 5, 'held_back': 5})
        self.assertAlmostEqual(first[1]['usd'], 240, delta=1)
        self.assertEqual(told['tag_keys_that_no_job_has'], [{'key': 'taem', 'rules': ['needs-team'], 'near': 'team', 'jobs': 5}])
        behind = {rule['name']: rule['behind'] for rule in told['rules']}['too-long']
        self.assertEqual({verdict: behind[verdict]['stops'] for verdict in ('right', 'wrong', 'unknown')}, {'right': 2, 'wrong': 1, 'unknown': 1})
        text = self.backtest(policy, self.jobs).stdout
        self.assertLess(text.index('5 of 5 jobs'), text.index('kept'))
        self.assertIn('No job has the tag `taem`', text)
        for most, status in (('4', 1), ('5', 0), ('99.9%', 1), ('100%', 0), ('0', 1), ('0%', 1)):
            ran = self.backtest(policy, self.jobs, '--max-stopped', most)
            self.assertEqual(ran.returncode, status, most)
            self.assertEqual('5 of 5 jobs would have been stopped (needs-team 5), and --max-stopped allows ' + most in ran.stderr, status == 1, ran.stderr)
        # A wrong stop behind the other counts as wrong: who is stopped at creation starts the job again.
        self.assertIn('1 stop is wrong (1 behind another stop)', self.backtest(policy, self.jobs, '--max-wrong', '0').stderr)
        for bad in ('x', '-1', '101%', '%', '1.5', '', '5 %', 'nan', 'inf%'):
            self.assertEqual(self.backtest(policy, self.jobs, '--max-stopped', bad).returncode, 2, bad)

    def test_41_1_restarts_count_as_stopped(self):
        restart = {**LONG, 'rules': [{**LONG['rules'][0], 'actions': [{'restart': {'spot': False}}]}]}
        policy = self.policy('restart.json', restart)
        self.exported(policy)
        stopped = json.loads(self.backtest(policy, self.jobs, '--json').stdout)['totals']['stopped']
        self.assertEqual((stopped['jobs'], stopped['restarts'], stopped['by_what_they_are']), (4, 4, 0))
        self.assertEqual(self.backtest(policy, self.jobs, '--max-stopped', '3').returncode, 1)

    def test_against_shows_what_changes(self):
        long, longer = self.policy('long.json', LONG), self.policy('longer.json', LONGER)
        self.exported(long)
        ran = self.backtest(longer, self.jobs, '--against', long, '--json')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        told = json.loads(ran.stdout)
        self.assertEqual({job['job']: (bool(job['before']), bool(job['after'])) for job in told['changed']},
                         {'done': (True, False), 'stopped': (True, False), 'limit': (True, True), 'bug': (True, True)})
        self.assertEqual((told['before']['wrong_stops'], told['after']['wrong_stops']), (1, 0))
        same = self.backtest(long, self.jobs, '--against', long)
        self.assertIn('jobs whose decision changes: 0 of 5', same.stdout)

    def test_an_export_for_another_policy_makes_its_rules_unknown(self):
        long, names = self.policy('long.json', LONG), self.policy('names.json', NAMES)
        self.exported(long)
        told = json.loads(self.backtest(names, self.jobs, '--json').stdout)
        self.assertEqual(told['totals']['stops'], 0)
        self.assertEqual(told['totals']['undecidable_jobs'], 5)

    def test_bad_input_is_told(self):
        policy = self.policy('long.json', LONG)
        self.exported(policy)
        with open(self.jobs) as file:
            lines = file.read().splitlines(keepends=True)
        cut = self.policy('cut.jsonl', ''.join(lines[:3]) + lines[3][:100])
        ran = self.backtest(policy, cut)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stdout, 'cut|not whole|incomplete')
        odd = self.policy('odd.jsonl', lines[0] + '{"job": {"TrainingJobName": 7}}\n' + 'x' * 100 + '\n' + ''.join(lines[1:]))
        self.assertEqual(len(self.stops(self.backtest(policy, odd, '--json'))), 4)
        for file, why in ((policy, 'expected the first line of `trainwarden export`'), (self.policy('none.jsonl', ''), 'empty'),
                          (os.path.join(self.work, 'nowhere.jsonl'), 'cannot read')):
            ran = self.backtest(policy, file)
            self.assertEqual((ran.returncode, ran.stdout), (2, ''), file)
            self.assertIn(why, ran.stderr)
        broken = self.backtest(self.policy('broken.json', '{"version": 1, "rules": [{}]}'), self.jobs)
        self.assertEqual((broken.returncode, broken.stdout), (1, ''))
        self.assertIn('broken.json', broken.stderr)
        for arguments in ([], [policy, self.jobs, 'more'], [policy, '--max-wrong', 'x'], [policy, '--json', '--html', 'x'], ['-', '-'], [policy, '--odd']):
            self.assertEqual(self.backtest(*arguments, stdin=subprocess.DEVNULL).returncode, 2, arguments)


if __name__ == '__main__':
    unittest.main()
