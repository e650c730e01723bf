"""`trainwarden export` on localaws (issue 17, 2): what a policy needs of the account's jobs, day by day, gently.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest export_test
"""
import bisect
import json
import os
import signal
import stat
import subprocess
import tempfile
import time
import unittest

from ask_test import GROUP, POLICY, PROCESS, RIGHTS, TEST_KEYS, OnLocalaws, read_only_policy
from embedded_aws import BIN, REGION, REPOSITORY, clean_environment, judge_by_models

import iam  # of tests/template, which ask_test has found

HOUR, DAY = 3600, 86400
WATCHING = {'version': 1, 'mode': 'enforce',
            'watches': {'gpu-idle': {'metric': 'GPUUtilization', 'statistic': 'Maximum', 'period_seconds': 300, 'periods': 3, 'at_most': 1,
                                     'missing': 'notBreaching'}},
            'rules': [{'name': 'debug', 'match': {'job': {'Environment': {'MODE': ['debug']}}}, 'actions': ['notify']},
                      {'name': 'remote', 'match': {'job': {'RemoteDebugConfig': {'EnableRemoteDebug': [True]}}}, 'actions': ['notify']},
                      {'name': 'again', 'match': {'failure': {'resume': ['yes']}}, 'actions': ['restart']}]}
PLAIN = {'version': 1, 'rules': [{'name': 'team', 'match': {'tags': {'team': [{'exists': False}]}}, 'actions': ['notify']}]}


class Export(OnLocalaws):
    def setUp(self):
        super().setUp()
        self.policy = self.folder / 'my-policy.json'
        self.policy.write_text(json.dumps(WATCHING))
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        self.file = f'{folder.name}/jobs.jsonl'

    def export(self, *arguments, **environment):
        return self.ask('export', '--for', str(self.policy), '--last', '3d', *arguments, **environment)

    def place(self, name, age, lasted=HOUR, tags=None, **members):
        now = time.time()
        begin, end = now - age, now - age + lasted
        self.aws.job(name, tags, age=age, **{
            'TrainingJobStatus': 'Completed', 'SecondaryStatus': 'Completed', 'TrainingStartTime': begin, 'TrainingEndTime': end,
            'LastModifiedTime': end, 'SecondaryStatusTransitions': [
                {'Status': 'Training', 'StartTime': begin, 'EndTime': end}, {'Status': 'Completed', 'StartTime': end, 'EndTime': end}], **members})

    def lines(self, text):
        return [json.loads(line) for line in text.splitlines()]

    def names(self, text):
        return [line['job']['TrainingJobName'] for line in self.lines(text) if 'job' in line]

    def test_what_the_policy_needs_and_nothing_else(self):
        self.place('old', 2 * DAY + HOUR, Environment={'MODE': 'debug', 'TOKEN': 'hunter2'}, HyperParameters={'key': 'hunter2'},
                   RemoteDebugConfig={'EnableRemoteDebug': True}, tags={'team': 'vision'})
        self.place('new', 2 * HOUR)
        self.place('broken', DAY, TrainingJobStatus='Failed', SecondaryStatus='Failed', FailureReason='AlgorithmError: , exit code: 1')
        base = time.time() // 300 * 300
        self.client('cloudwatch').put_metric_data(Namespace=GROUP, MetricData=[
            {'MetricName': 'GPUUtilization', 'Dimensions': [{'Name': 'Host', 'Value': 'new/algo-1'}], 'Timestamp': at, 'Value': value}
            for at, value in ((base - 6900, 40), (base - 6300, 0.5))])
        ran = self.export()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        lines = self.lines(ran.stdout)
        self.assertEqual(list(lines[0]), ['export'])
        self.assertEqual((list(lines[-2]), lines[-1]), (['prices'], {'end': {'jobs': 3}}))
        self.assertEqual(self.names(ran.stdout), ['old', 'broken', 'new'])  # oldest first
        self.assertEqual(sum('day' in line for line in lines), 4)
        jobs = {line['job']['TrainingJobName']: line for line in lines if 'job' in line}
        self.assertEqual(jobs['old']['job']['Environment'], {'MODE': 'debug'})
        self.assertEqual(jobs['old']['tags'], {'team': 'vision'})
        self.assertEqual(jobs['old']['job']['RemoteDebugConfig'], {'EnableRemoteDebug': True})
        self.assertNotIn('hunter2', ran.stdout)
        self.assertIn('logs', jobs['broken'])
        self.assertNotIn('logs', jobs['new'])
        metric, = jobs['new']['metrics']
        self.assertEqual((metric['metric'], metric['period_seconds']), ('GPUUtilization', 300))
        self.assertEqual([value for value in metric['series']['algo-1'] if value is not None], [40, 0.5])
        self.assertEqual(len(metric['series']['algo-1']) - metric['series']['algo-1'].index(40), 3)
        self.assertIn('3 jobs of', ran.stderr)
        self.assertIn('{', ran.stdout[:1])

    def test_only_reads_gently_and_with_the_rights_of_readme(self):
        for n in range(12):
            self.place(f'bad-{n}', 2 * HOUR, TrainingJobStatus='Failed', SecondaryStatus='Failed', FailureReason='AlgorithmError: , exit code: 1')
        self.assertEqual(self.export().returncode, 0)
        made = self.proxy.operations()
        self.assertEqual(made, {'sagemaker.Search', 'sagemaker.DescribeTrainingJob', 'logs.FilterLogEvents', 'cloudwatch.GetMetricData',
                                'pricing.GetProducts'})
        role = {'Policies': [{'PolicyDocument': read_only_policy()}]}
        for operation in made:
            self.assertTrue(iam.allowed(role, *RIGHTS[operation]), operation)
        for service in ('sagemaker', 'logs'):
            times = [at for at, operation in self.proxy.calls if operation.startswith(service + '.')]
            self.assertGreater(len(times), 10)
            for i, at in enumerate(times):
                self.assertLessEqual(bisect.bisect_left(times, at + 1) - i, 5, service)
        record = self.folder / 'export-requests.jsonl'
        record.write_text(''.join(self.proxy.lines))
        verdict = judge_by_models(record, '--max-skew', '300')
        if verdict:
            self.assertEqual(verdict[0], 0, '\n'.join(verdict[1:]))

    def test_the_file_is_its_owners_alone(self):
        ran = self.export('--out', self.file)
        self.assertEqual((ran.returncode, ran.stdout), (0, ''), ran.stderr)
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)
        other = self.file + '.stdout'
        before = os.umask(0)
        try:
            with open(other, 'w') as out:
                subprocess.run([BIN / 'trainwarden', 'export', '--for', self.policy, '--last', '1h', '--endpoint-url', self.aws.url, '--region', REGION],
                               stdout=out, stderr=subprocess.DEVNULL, check=True, env=clean_environment(**TEST_KEYS))
        finally:
            os.umask(before)
        self.assertEqual(stat.S_IMODE(os.stat(other).st_mode), 0o600)
        refused = self.export('--out', self.file)
        self.assertEqual(refused.returncode, 2)
        self.assertIn('is there already: --resume', refused.stderr)

    def test_a_session_that_ends_and_an_export_that_goes_on(self):
        self.policy.write_text(json.dumps(PLAIN))
        self.place('old', 2 * DAY + HOUR)
        self.place('new', 2 * HOUR)
        self.aws.control('POST', 'faults', [{'operation': 'Search', 'times': 2, 'delay_ms': 1},
                                            {'operation': 'Search', 'times': 1, 'status': 400, 'code': 'ExpiredTokenException', 'message': 'expired'}])
        cut = self.export('--out', self.file)
        self.assertEqual(cut.returncode, 2, cut.stderr)
        self.assertIn('sign in again, then go on', cut.stderr)
        command = cut.stderr[cut.stderr.index('trainwarden export'):].split()
        self.assertIn('--resume', command)
        again = self.run_command(*command[1:], **TEST_KEYS)
        self.assertEqual(again.returncode, 0, again.stderr)
        with open(self.file) as written:
            text = written.read()
        self.assertEqual(self.names(text), ['old', 'new'])
        self.assertEqual(self.lines(text)[-1], {'end': {'jobs': 2}})

    def test_a_profiles_session_is_fetched_anew_and_nothing_is_cut(self):
        self.policy.write_text(json.dumps(PLAIN))
        self.place('new', 2 * HOUR)
        over = PROCESS.replace('"AccessKeyId": "test"', '"AccessKeyId": "OVER"')
        folder = self.aws_command(f"if [ -e {self.folder}/renewed ]; then echo '{PROCESS}'; else touch {self.folder}/renewed; echo '{over}'; fi")
        ran = self.run_command('export', '--for', str(self.policy), '--last', '1d', '--profile', 'dev', '--endpoint-url', self.aws.url, '--region', REGION,
                               PATH=f'{folder}:/bin:/usr/bin')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.names(ran.stdout), ['new'])

    def test_standard_output_goes_on_after_a_day(self):
        self.policy.write_text(json.dumps(PLAIN))
        self.place('old', 2 * DAY + HOUR)
        self.place('new', 60)
        self.aws.control('POST', 'faults', [{'operation': 'Search', 'times': 3, 'delay_ms': 1},
                                            {'operation': 'Search', 'times': 99, 'status': 400, 'code': 'ThrottlingException', 'message': 'Rate exceeded'}])
        cut = self.export(AWS_MAX_ATTEMPTS='1')
        self.assertEqual(cut.returncode, 2)
        self.assertIn('AWS asks for fewer calls', cut.stderr)
        self.aws.control('POST', 'reset', {})
        self.place('old', 2 * DAY + HOUR)
        self.place('new', 60)
        command = cut.stderr[cut.stderr.index('trainwarden export'):].split()
        self.assertEqual(command[-2:], ['>>', 'FILE'])
        again = self.run_command(*command[1:-2], **TEST_KEYS)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.names(cut.stdout + again.stdout), ['old', 'new'])

    def test_throttling_that_passes_is_waited_for(self):
        self.policy.write_text(json.dumps(PLAIN))
        self.place('new', 2 * HOUR)
        self.aws.control('POST', 'faults', {'operation': 'Search', 'times': 4, 'status': 400, 'code': 'ThrottlingException', 'message': 'Rate exceeded'})
        ran = self.export()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.names(ran.stdout), ['new'])

    def test_interrupted_it_ends_with_a_whole_day(self):
        self.place('old', 2 * DAY + HOUR)
        self.aws.control('POST', 'faults', {'operation': 'Search', 'times': 9, 'delay_ms': 700})
        process = subprocess.Popen([BIN / 'trainwarden', 'export', '--for', self.policy, '--last', '3d', '--out', self.file, '--endpoint-url',
                                    self.proxy.url, '--region', REGION], stderr=subprocess.PIPE, text=True, env=clean_environment(**TEST_KEYS))
        self.aws.wait(lambda: len(self.proxy.calls) >= 2, what='it searches')
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn('interrupted\n', err)
        self.assertIn('--resume', err)

    def test_an_account_without_jobs_and_a_policy_with_a_mistake(self):
        ran = self.export()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('no training job was created in', ran.stderr)
        self.policy.write_text('{"version": 1, "rules": 7}')
        wrong = self.export()
        self.assertEqual((wrong.returncode, wrong.stdout), (1, ''))
        self.assertIn('export: --for: ', wrong.stderr)

    def test_what_no_export_can_have_is_said(self):
        self.policy.write_text(json.dumps(POLICY))
        ran = self.export()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('the rule silent asks for `logs`', ran.stderr)
        self.assertIn('the rule no-checkpoint asks for `checkpoint`', ran.stderr)

    def test_list_prices_of_the_types_that_are_met(self):
        self.policy.write_text(json.dumps(PLAIN))
        self.place('run', 2 * HOUR, ResourceConfig={'InstanceType': 'ml.m5.large', 'InstanceCount': 1, 'VolumeSizeInGB': 10})
        ran = self.export()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        prices = next(line['prices'] for line in self.lines(ran.stdout) if 'prices' in line)
        self.assertEqual((prices['published'], prices['currency'], prices['usd_per_hour']), ('2026-11-20', 'USD', {'ml.m5.large': 0.138}))
        self.assertRegex(prices['asked'], r'^20\d\d-')

    def test_names_of_others_are_shown_harmlessly(self):
        self.policy.write_text(json.dumps(PLAIN))
        self.place('run', 2 * HOUR, tags={'team': 'a b'}, FailureReason='\x1b[2J\u202eevil')
        ran = self.export()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotRegex(ran.stdout, '[\x1b\u202e]')
        job = next(line['job'] for line in self.lines(ran.stdout) if 'job' in line)
        self.assertEqual(job['FailureReason'], '\x1b[2J\u202eevil')


if __name__ == '__main__':
    unittest.main()
