"""`trainwarden report` on localaws (issue 17, 4): the past of an account, with and without a policy, of a file and of AWS.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest report_test
"""
import json
import os
import stat
import subprocess
import tempfile
import time
import unittest

from ask_test import TEST_KEYS, OnLocalaws
from embedded_aws import BIN, REGION, clean_environment

HOUR, DAY = 3600, 86400
LIMIT = {'version': 1, 'mode': 'observe', 'prices': {'ml.g5.12xlarge': 10.0},
         'rules': [{'name': 'too-dear', 'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'cost': {'spent_usd': [{'numeric': ['>', 20]}]}},
                    'actions': ['stop']}]}
HOSTILE = '<script>alert(1)</script>\x1b[31m\u202e'


class Report(OnLocalaws):
    def setUp(self):
        super().setUp()
        self.policy = self.folder / 'my-policy.json'
        self.policy.write_text(json.dumps(LIMIT))
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        self.work = folder.name
        self.temporary = os.path.join(self.work, 'tmp')
        os.mkdir(self.temporary)

    def report(self, *arguments, **environment):
        return self.ask('report', *arguments, TMPDIR=self.temporary, **environment)

    def place(self, name, age, lasted, status='Completed', tags=None, **members):
        now = time.time()
        begin, end = now - age, now - age + lasted
        self.aws.job(name, tags, age=age, **{
            'TrainingJobStatus': status, 'SecondaryStatus': status, 'TrainingStartTime': begin, 'TrainingEndTime': end, 'LastModifiedTime': end,
            'TrainingTimeInSeconds': lasted, 'BillableTimeInSeconds': lasted,
            'SecondaryStatusTransitions': [{'Status': 'Training', 'StartTime': begin, 'EndTime': end}, {'Status': status, 'StartTime': end, 'EndTime': end}],
            **members})

    def account(self):
        self.place('useful', DAY, 4 * HOUR, tags={'team': 'vision'})
        self.place('lost', DAY - HOUR, 6 * HOUR, 'Failed', FailureReason='AlgorithmError: ValueError: bad config, exit code: 1', tags={'team': 'speech'})
        self.place('hostile', DAY - 2 * HOUR, HOUR, tags={'team': HOSTILE[:25], 'owner': 'ana'})

    def test_without_a_policy_it_tells_what_was(self):
        self.account()
        ran = self.report('--last', '2d', '--json')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        told = json.loads(ran.stdout)
        self.assertEqual([job['name'] for job in told['jobs']], ['useful', 'lost', 'hostile'])
        self.assertNotIn('rules', told)
        self.assertEqual(told['totals']['jobs'], 3)
        self.assertEqual(sum(week['jobs'] for week in told['weeks']), 3)
        self.assertEqual({team['team'] for team in told['teams']}, {'vision', 'speech', HOSTILE[:25]})
        self.assertEqual([failure['jobs'] for failure in told['failures']], [1])
        self.assertEqual(os.listdir(self.temporary), [])  # nothing is left behind

    def test_an_export_says_the_same_and_asks_nobody(self):
        self.account()
        path = os.path.join(self.work, 'jobs.jsonl')
        self.assertEqual(self.ask('export', '--for', str(self.policy), '--last', '2d', '--out', path).returncode, 0)
        offline = clean_environment(PATH='/bin:/usr/bin')
        command = [BIN / 'trainwarden', 'report', '--policy', self.policy, '--json']
        of_file = subprocess.run([*command, path], capture_output=True, text=True, env=offline)
        self.assertEqual(of_file.returncode, 0, of_file.stderr)
        with open(path) as lines:
            of_input = subprocess.run([*command, '-'], stdin=lines, capture_output=True, text=True, env=offline)
        self.assertEqual(of_input.stdout, of_file.stdout)
        told = json.loads(of_file.stdout)
        # Each job costs 10 dollars an hour. One that completed was wrongly stopped, and nothing of it is called kept.
        self.assertAlmostEqual(told['totals']['usd'], 110, delta=0.5)
        stops = {job['name']: job['stop']['verdict'] for job in told['jobs'] if 'stop' in job}
        self.assertEqual(stops.get('useful'), 'wrong')
        self.assertNotIn('hostile', stops)
        self.assertAlmostEqual(sum(told['totals']['spent'].values()), told['totals']['usd'], places=6)

    def test_a_page_and_text(self):
        self.account()
        page = os.path.join(self.work, 'report.html')
        ran = self.report('--policy', str(self.policy), '--last', '2d', '--html', page)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        with open(page) as file:
            html = file.read()
        self.assertIn("default-src 'none'; style-src 'unsafe-inline'", html)
        self.assertNotIn('<script', html)
        self.assertIn('&lt;script&gt;', html)
        text = self.report('--policy', str(self.policy), '--last', '2d')
        self.assertEqual(text.returncode, 0, text.stderr)
        self.assertIn('what this policy would have done', text.stdout)
        self.assertNotIn('\x1b', text.stdout)

    def test_41_7_without_valid_credentials_no_page_is_written(self):
        page = os.path.join(self.work, 'report.html')
        for code in ('UnrecognizedClientException', 'ExpiredTokenException', 'AccessDeniedException', 'InvalidSignatureException'):
            with self.subTest(code):
                self.aws.control('POST', 'reset')
                self.account()
                self.aws.control('POST', 'faults', {'operation': 'Search', 'times': 50, 'status': 400, 'code': code})
                for arguments in (('--html', page), ('--json',), ()):
                    ran = self.report('--last', '2d', *arguments)
                    self.assertEqual((ran.returncode, ran.stdout), (2, ''), ran.stderr)
                    self.assertIn('Search', ran.stderr)
                    self.assertIn('no report is written, since no job could be read', ran.stderr)
                    if code in ('UnrecognizedClientException', 'ExpiredTokenException'):
                        self.assertIn('the credentials are not valid', ran.stderr)
                self.assertFalse(os.path.exists(page))
        self.aws.control('POST', 'reset')
        self.assertEqual(self.report('--last', '2d', '--html', page).returncode, 0)

    def test_the_export_of_a_report_is_its_owners_alone(self):
        self.place('run', DAY, HOUR)
        self.aws.control('POST', 'faults', [{'operation': 'Search', 'times': 9, 'delay_ms': 700}])
        process = subprocess.Popen([BIN / 'trainwarden', 'report', '--last', '2d', '--endpoint-url', self.aws.url, '--region', REGION],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(TMPDIR=self.temporary, **TEST_KEYS))
        self.addCleanup(process.communicate)
        self.aws.wait(lambda: os.listdir(self.temporary), what='it has made its folder')
        folder = os.path.join(self.temporary, os.listdir(self.temporary)[0])
        self.aws.wait(lambda: os.listdir(folder), what='it has made its file')
        self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(folder, os.listdir(folder)[0])).st_mode), 0o600)
        process.wait(timeout=60)
        self.assertEqual(os.listdir(self.temporary), [])

    def test_an_account_without_jobs_and_what_is_no_export(self):
        ran = self.report('--last', '1d')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('0 training jobs', ran.stdout)
        wrong = self.report('--policy', str(self.policy), str(self.policy))
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ''))
        missing = self.report('nowhere.jsonl')
        self.assertEqual(missing.returncode, 2)
        self.assertIn('cannot read nowhere.jsonl', missing.stderr)
        self.policy.write_text('{"version": 1, "rules": 7}')
        self.assertEqual(self.report('--policy', str(self.policy)).returncode, 1)


if __name__ == '__main__':
    unittest.main()
