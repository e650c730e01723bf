"""What is read is bounded, whoever made it long (issue 39, 1 and 6): by the real state function, and the command's export.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest reads_test
LOG_MB=1500 LOG_LINE=1000000 makes the long log as long as that, of such lines; without it, it has 40 MB of lines of 1 KB.
"""
import os
import subprocess
import time
import unittest

from embedded_aws import BIN, REGION, REPOSITORY, EmbeddedAws, clean_environment

try:
    import boto3
except ImportError:
    boto3 = None

GROUP = '/aws/sagemaker/TrainingJobs'
LOG_MB, LOG_LINE = int(os.environ.get('LOG_MB', '40')), int(os.environ.get('LOG_LINE', '1000'))
TEAM = {'name': 'team', 'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'tags': {'team': [{'exists': False}]}}, 'actions': ['stop']}
AGAIN = {'name': 'again', 'match': {'failure': {'resume': ['yes', 'once', 'no']}}, 'actions': ['notify']}
SCARCE = {'name': 'scarce', 'match': {'fleet': {'capacity_errors_24h': [{'numeric': ['>=', 100]}]}}, 'actions': [{'tag': {'scarce': 'yes'}}]}
BYTES = 250_000
LARGE = {'HyperParameters': {f'p{n}': 'x' * 2500 for n in range(BYTES // 2500)}}
LOST = 'CapacityError: Unable to provision requested ML compute capacity due to InsufficientInstanceCapacity error.'


class Reads(unittest.TestCase):
    def serve(self, *rules, options=(), limit=1000):
        self.aws = EmbeddedAws({'version': 1, 'mode': 'enforce', 'limits': {'stops_per_sweep': limit}, 'rules': list(rules)},
                               '--timeout', '300', *options, functions=('state',))
        self.addCleanup(self.aws.close)
        self.aws.wait_for_function()

    def sweep(self):
        begun = time.monotonic()
        status, answer = self.aws.control('POST', 'sweep', seconds=400)
        self.assertEqual(status, 200, answer)
        return answer, time.monotonic() - begun

    def ended(self, name, status='Failed', ago=1800, **members):
        end = time.time() - ago
        return self.aws.job(name, age=ago + 3600, TrainingJobStatus=status, SecondaryStatus=status, TrainingEndTime=end,
                            LastModifiedTime=end, **members)


@unittest.skipIf(boto3 is None, 'python3-boto3 is not installed')
class LongLog(Reads):
    def write(self, job, megabytes, ago):
        logs = boto3.client('logs', region_name=REGION, aws_access_key_id='test', aws_secret_access_key='test', endpoint_url=self.aws.url)
        names = {'logGroupName': GROUP, 'logStreamName': f'{job}/algo-1-1'}
        logs.create_log_group(logGroupName=GROUP)
        logs.create_log_stream(**names)
        at = int((time.time() - ago) * 1000)
        lines = 1_000_000 // LOG_LINE
        for n in range(megabytes):
            logs.put_log_events(**names, logEvents=[{'timestamp': at + n, 'message': 'x' * LOG_LINE}] * lines)

    def read(self, options=()):
        self.serve(AGAIN, TEAM, options=options)
        self.ended('big', FailureReason='AlgorithmError: ExecuteUserScriptError: ExitCode 1')
        self.write('big', LOG_MB, ago=1860)
        for n in range(3):
            self.aws.job(f'nobodys-{n}', age=900)
        answer, took = self.sweep()
        pages = self.aws.calls().count('FilterLogEvents')
        print(f'{LOG_MB} MB of log {" ".join(options)}: {pages} pages, a sweep of {took:.1f} s')
        self.assertTrue(answer['complete'], answer)
        self.assertEqual(self.aws.calls().count('StopTrainingJob'), 3)
        self.assertLess(took, 60)
        return pages

    def test_39_1_a_long_log_takes_one_page_where_its_end_comes_first(self):
        pages = self.read()
        self.assertLessEqual(pages, 1 if LOG_LINE == 1000 else 20)
        self.sweep()
        self.assertEqual(self.aws.calls().count('FilterLogEvents'), pages)  # what it says is remembered

    def test_39_1_where_only_its_beginning_comes_first_at_most_20_MB_are_read_and_once(self):
        pages = self.read(('--old-logs',))
        self.assertLessEqual(pages, 25)
        self.sweep()
        self.assertEqual(self.aws.calls().count('FilterLogEvents'), pages)


class LargePages(Reads):
    def place(self, status='InProgress', jobs=100):
        for n in range(jobs):
            if status == 'InProgress':
                self.aws.job(f'job-{n:03}', tags={'team': 'vision'} if n else {}, age=900 + n // 5, **LARGE)
            else:
                self.ended(f'job-{n:03}', status, ago=1800 + n // 5, FailureReason=LOST, **LARGE)

    def test_39_6_a_sweep_sees_a_hundred_jobs_of_250_KB(self):
        for options in ((), ('--fixed-pages',)):
            with self.subTest(options):
                self.serve(TEAM, options=options)
                self.place()
                answer, took = self.sweep()
                print(f'100 jobs of {BYTES // 1000} KB {" ".join(options)}: {self.aws.calls().count("Search")} Searches, {took:.1f} s')
                self.assertEqual(answer['jobs']['running'], 100)
                self.assertTrue(answer['complete'], answer)
                self.assertEqual(self.aws.calls().count('StopTrainingJob'), 1)

    def test_39_6_so_does_fleet(self):
        for options in ((), ('--fixed-pages',)):
            with self.subTest(options):
                self.serve(SCARCE, options=options)
                self.place('Failed')
                status, record = self.aws.invoke(self.aws.job('asks', age=900))
                self.assertEqual(status, 200, record)
                self.assertEqual([decision['rule'] for decision in record['decisions']], ['scarce'], record)

    def test_39_6_so_does_the_weekly_report(self):
        for options in ((), ('--fixed-pages',)):
            with self.subTest(options):
                self.serve(TEAM, options=options)
                self.place('Failed')
                status, record = self.aws.control('POST', 'report')
                self.assertEqual(status, 200, record)
                self.assertEqual(record['listed'], 100, record)
                self.assertTrue(record['week']['complete'], record)

    def test_39_6_so_does_an_export(self):
        for options in ((), ('--fixed-pages',)):
            with self.subTest(options):
                self.serve(TEAM, options=options)
                self.place('Failed')
                done = subprocess.run([BIN / 'trainwarden', 'export', '--for', REPOSITORY / 'tests/examples/first-policy.json', '--last', '2d', '--endpoint-url', self.aws.url, '--region', REGION],
                                      capture_output=True, text=True, timeout=120,
                                      env=clean_environment(AWS_ACCESS_KEY_ID='test', AWS_SECRET_ACCESS_KEY='test'))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.count('"TrainingJobName":"job-'), 100, done.stderr)


if __name__ == '__main__':
    unittest.main()
