"""A watch that compares with the job's own past (policy.md W6), with the real functions: sweep, alarm, confirmation, stop.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest past_test
Jobs and metrics are placed in the past, so that six hours are over at once.
"""
import json
import os
import subprocess
import tempfile
import time
import unittest

from ask_test import OnLocalaws
from embedded_aws import BIN, EmbeddedAws, clean_environment

NAMESPACE = '/aws/sagemaker/TrainingJobs'
POLICY = {
    'version': 1, 'mode': 'enforce',
    'watches': {'slower': {'metric': 'train:speed', 'source': 'algorithm', 'statistic': 'Average', 'period_seconds': 300,
                           'periods': 3, 'drop_to': 0.6, 'missing': 'notBreaching'}},
    'rules': [{'name': 'watch-speed', 'match': {'job': {'SecondaryStatus': ['Training']}}, 'actions': [{'watch': ['slower']}]},
              {'name': 'stop-slow', 'match': {'alarm': {'watch': ['slower'], 'state': ['ALARM']}}, 'actions': ['stop']}]}
HOUR = 3600


def put_speed(aws, name, *paces):
    """What the job prints each minute; paces: (value, from, to), in hours before now."""
    now = time.time()
    data = [{'MetricName': 'train:speed', 'Dimensions': [{'Name': 'TrainingJobName', 'Value': name}], 'Value': value,
             'Timestamp': now - ago} for value, begin, end in paces for ago in range(int(begin * HOUR), int(end * HOUR), -60)]
    for i in range(0, len(data), 500):
        status, answer = aws.control('PUT', 'metrics', [{'Namespace': NAMESPACE, 'MetricData': data[i:i + 500]}])
        assert status == 200, answer


DEFINED = {'TrainingInputMode': 'File', 'MetricDefinitions': [{'Name': 'train:speed', 'Regex': 'x=(.*)'}]}


class OwnPast(unittest.TestCase):
    def setUp(self):
        self.aws = EmbeddedAws(POLICY)
        self.addCleanup(self.aws.close)
        for function in ('state', 'alarm'):
            self.aws.wait_for_function(function)
        self.aws.clear_of_the_minute()

    def train(self, name, hours, *paces):
        """A job that has trained for so long, and what it prints."""
        now = time.time()
        event = self.aws.job(
            name, age=hours * HOUR + 600,
            AlgorithmSpecification=DEFINED,
            SecondaryStatusTransitions=[{'Status': 'Starting', 'StartTime': now - hours * HOUR - 600, 'EndTime': now - hours * HOUR},
                                        {'Status': 'Training', 'StartTime': now - hours * HOUR}])
        put_speed(self.aws, name, *paces)
        return event

    def thresholds(self):
        return {alarm['AlarmName']: alarm['Threshold'] for alarm in self.aws.control('GET', 'alarms')[1]}

    def sweep(self):
        status, report = self.aws.control('POST', 'sweep')
        self.assertEqual(status, 200, report)
        return report

    def stopped(self):
        return [call['request']['TrainingJobName'] for call in self.aws.control('GET', 'calls')[1]
                if call['operation'] == 'StopTrainingJob']

    def test_W6_the_job_that_fell_to_half_is_stopped_and_no_other(self):
        self.train('fell', 10, (1000, 10, 1), (450, 1, 0))
        self.train('always-slow', 10, (450, 10, 0))
        self.train('young', 3, (1000, 3, 1), (450, 1, 0))
        self.assertEqual(self.sweep()['alarms']['put'], 2)
        self.assertEqual(self.thresholds(), {'trainwarden/fell/slower': 600, 'trainwarden/always-slow/slower': 270})
        self.aws.wait(lambda: self.stopped(), what='the job that fell is stopped')
        tags, = [{t['Key']: t['Value'] for t in call['request']['Tags']} for call in self.aws.control('GET', 'calls')[1]
                 if call['operation'] == 'AddTags']
        self.assertIn('below 600  0.6 of 1000  the median of its first six hours', tags['trainwarden:reason'])

        before = self.aws.calls()
        report = self.sweep()
        new = self.aws.calls()[len(before):]
        self.assertEqual(report['alarms']['put'], 0, report)
        self.assertNotIn('PutMetricAlarm', new)
        self.assertNotIn('GetMetricData', new, 'the young job costs nothing, and the others have their alarms')
        self.assertEqual(self.stopped(), ['fell'])
        for function in ('state', 'alarm'):
            self.assertEqual(self.aws.function(function)['failed'], 0, self.aws.log())

    def test_W6_an_alarm_whose_threshold_somebody_raised_stops_nothing(self):
        event = self.train('steady', 10, (1000, 10, 0))
        status, record = self.aws.invoke(event)
        self.assertEqual((status, record['alarms']), (200, {'created': ['trainwarden/steady/slower']}), record)
        put, = [call['request'] for call in self.aws.control('GET', 'calls')[1] if call['operation'] == 'PutMetricAlarm']
        self.assertEqual(put['Threshold'], 600)
        self.assertEqual(self.aws.control('PUT', 'alarms', [{**put, 'Threshold': 5000}])[0], 200)
        self.aws.wait(lambda: self.aws.function('alarm')['succeeded'] > 0, what='the alarm was heard')
        self.assertIn('0 datapoints breach, 3 must', self.aws.log())
        self.sweep()
        self.assertEqual(self.stopped(), [])
        self.assertEqual(self.thresholds(), {'trainwarden/steady/slower': 5000}, 'all else is as planned')

    def test_W6_a_job_that_begins_to_train_has_no_alarm_yet_and_the_record_says_why(self):
        status, record = self.aws.invoke(self.train('young', 1, (1000, 1, 0)))
        self.assertEqual(status, 200, record)
        self.assertNotIn('alarms', record)
        self.assertIn('first six hours is not known before', record['decisions'][0]['actions'][0]['note'])
        self.assertNotIn('GetMetricData', self.aws.calls())


class Replayed(OnLocalaws):
    def place(self, name, *paces):
        """One that trained from twelve hours ago until an hour ago."""
        now = time.time()
        begin, end = now - 12 * HOUR, now - HOUR
        self.aws.job(name, age=12 * HOUR + 600, TrainingJobStatus='Completed', SecondaryStatus='Completed', TrainingStartTime=begin,
                     TrainingEndTime=end, LastModifiedTime=end, AlgorithmSpecification=DEFINED, SecondaryStatusTransitions=[
                         {'Status': 'Training', 'StartTime': begin, 'EndTime': end},
                         {'Status': 'Completed', 'StartTime': end, 'EndTime': end}])
        put_speed(self.aws, name, *paces)

    def test_W6_a_backtest_stops_the_job_that_fell_and_no_other(self):
        self.place('fell', (1000, 12, 4), (450, 4, 1))
        self.place('always-slow', (450, 12, 1))
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            policy, jobs = os.path.join(folder, 'policy.json'), os.path.join(folder, 'jobs.jsonl')
            with open(policy, 'w', encoding='utf-8') as file:
                json.dump(POLICY, file)
            ran = self.ask('export', '--for', policy, '--last', '2d', '--out', jobs)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            ran = subprocess.run([BIN / 'trainwarden', 'backtest', policy, jobs, '--json'], capture_output=True, text=True,
                                 env=clean_environment(PATH='/bin:/usr/bin'), check=False)
        self.assertIn(ran.returncode, (0, 1), ran.stderr)
        found = json.loads(ran.stdout)
        self.assertEqual([job['name'] for job in found['jobs'] if 'stop' in job], ['fell'], ran.stdout)
        self.assertEqual([(watch['watch'], watch['judged']) for watch in found['watches']], [('slower', 2)])


if __name__ == '__main__':
    unittest.main()
