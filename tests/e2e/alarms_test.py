"""Alarms from a job's first training second to its end (policy.md W1-W3), on the embedded AWS.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest alarms_test
"""
import threading
import time
import unittest

try:
    import boto3
except ImportError:
    boto3 = None

from embedded_aws import ACCOUNT, REGION, EmbeddedAws

WATCHES = {
    'gpu-idle': {'metric': 'GPUUtilization', 'statistic': 'Maximum', 'period_seconds': 60, 'periods': 3, 'at_most': 1,
                 'per_gpu': True, 'missing': 'notBreaching'},
    'heartbeat': {'metric': 'train:loss', 'source': 'algorithm', 'statistic': 'SampleCount', 'period_seconds': 600,
                  'periods': 3, 'below': 1, 'missing': 'breaching'}}
POLICY = {
    'version': 1, 'mode': 'observe', 'watches': WATCHES,
    'rules': [{'name': 'watch', 'match': {'job': {'SecondaryStatus': ['Training']}},
               'actions': [{'watch': ['gpu-idle', 'heartbeat']}]}]}


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class Alarms(unittest.TestCase):
    def setUp(self):
        self.aws = EmbeddedAws(POLICY)
        self.addCleanup(self.aws.close)
        self.cloudwatch = boto3.client('cloudwatch', endpoint_url=self.aws.url, region_name=REGION, aws_access_key_id='test',
                                       aws_secret_access_key='test')
        self.addCleanup(self.cloudwatch.close)

    def job(self, name, hosts, metrics=(), segment=30):
        now = time.time()
        return self.aws.job(name, ResourceConfig={'InstanceType': 'ml.p4d.24xlarge', 'InstanceCount': hosts, 'VolumeSizeInGB': 10},
                            AlgorithmSpecification={'TrainingInputMode': 'File', 'MetricDefinitions': [
                                {'Name': metric, 'Regex': 'x=(.*)'} for metric in metrics]},
                            SecondaryStatusTransitions=[{'Status': 'Starting', 'StartTime': now - 60, 'EndTime': now - segment},
                                                        {'Status': 'Training', 'StartTime': now - segment}])

    def standing(self, prefix='trainwarden/'):
        return [alarm['AlarmName'] for alarm in self.cloudwatch.describe_alarms(AlarmNamePrefix=prefix)['MetricAlarms']]

    def end(self, name, status='Completed'):
        self.assertEqual(self.aws.control('POST', f'jobs/{name}/transition', {'SecondaryStatus': status})[0], 200)

    def calls(self, operation):
        return self.aws.calls().count(operation)

    def test_alarms_of_any_number_of_hosts_come_once_and_go_with_their_job(self):
        eight, twelve = self.job('eight', 8, ['train:loss']), self.job('twelve', 12)
        status, record = self.aws.invoke(eight)
        self.assertEqual(status, 200, record)
        self.assertEqual(record['alarms'], {'created': ['trainwarden/eight/gpu-idle', 'trainwarden/eight/heartbeat']})
        status, record = self.aws.invoke(twelve)
        self.assertEqual(record['alarms'], {'created': ['trainwarden/twelve/gpu-idle/1', 'trainwarden/twelve/gpu-idle/2']})
        self.assertIn('heartbeat: ', record['decisions'][0]['actions'][0]['note'])
        everything = ['trainwarden/eight/gpu-idle', 'trainwarden/eight/heartbeat', 'trainwarden/twelve/gpu-idle/1',
                      'trainwarden/twelve/gpu-idle/2']
        self.assertEqual(self.standing(), everything)
        alarm = self.cloudwatch.describe_alarms(AlarmNames=everything[:1])['MetricAlarms'][0]
        self.assertEqual(len(alarm['Metrics']), 9)
        self.assertEqual(alarm['Threshold'], 8)
        self.assertEqual(alarm['AlarmActions'], [f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'])

        puts = self.calls('PutMetricAlarm')
        self.assertEqual(puts, 4)
        for event in (eight, twelve):
            status, record = self.aws.invoke(event)
            self.assertEqual(status, 200, record)
            self.assertNotIn('alarms', record)
        self.assertEqual(self.calls('PutMetricAlarm'), puts)

        self.cloudwatch.put_metric_alarm(AlarmName='somebody-elses', Namespace='N', MetricName='m', Statistic='Sum', Period=60,
                                         EvaluationPeriods=1, Threshold=1, ComparisonOperator='GreaterThanThreshold')
        self.end('eight', 'MaxRuntimeExceeded')
        self.aws.wait(lambda: self.standing() == everything[2:], what='the alarms of the job that ran too long are deleted')
        self.end('twelve')
        self.aws.wait(lambda: self.standing() == [], what='the alarms of the job that completed are deleted')
        self.assertEqual(self.standing('somebody'), ['somebody-elses'])
        self.assertEqual(self.aws.function()['failed'], 0)

    def test_a_job_that_ends_while_its_alarms_are_put_keeps_none(self):
        event = self.job('short', 12)
        self.aws.control('POST', 'faults', [{'operation': 'PutMetricAlarm', 'delay_ms': 1500},
                                            {'operation': 'Deliver', 'delay_ms': 8000, 'caller': 'state'}])
        answers = []
        training = threading.Thread(target=lambda: answers.append(self.aws.invoke(event)))
        training.start()
        self.aws.wait(lambda: self.calls('DescribeAlarms') == 1, what='the job was looked at')
        self.end('short', 'Stopped')
        training.join()
        status, record = answers[0]
        self.assertEqual(status, 200, record)
        self.assertEqual(record['alarms']['deleted'], ['trainwarden/short/gpu-idle/1', 'trainwarden/short/gpu-idle/2'])
        self.assertEqual(self.standing(), [])

    def test_a_function_that_dies_at_any_call_leaves_work_that_the_next_delivery_ends(self):
        for operation in ('DescribeTrainingJob', 'DescribeAlarms', 'PutMetricAlarm'):
            for when in ('before', 'after'):
                with self.subTest(operation=operation, killed=when):
                    self.aws.control('POST', 'reset')
                    event = self.job('job', 12)
                    self.aws.control('POST', 'faults', {'operation': operation, 'kill': when, 'caller': 'functions'})
                    self.assertEqual(self.aws.invoke(event)[0], 502)
                    status, record = self.aws.invoke(event)
                    self.assertEqual(status, 200, record)
                    self.assertEqual(self.standing(), ['trainwarden/job/gpu-idle/1', 'trainwarden/job/gpu-idle/2'])
        for when in ('before', 'after'):
            with self.subTest(operation='DeleteAlarms', killed=when):
                self.aws.control('POST', 'reset')
                self.aws.invoke(self.job('job', 12))
                self.aws.control('POST', 'faults', {'operation': 'DeleteAlarms', 'kill': when, 'caller': 'functions'})
                self.end('job', 'Failed')
                self.aws.wait(lambda: self.standing() == [], what='the alarms are deleted at the second delivery')

    def test_an_alarm_of_an_earlier_segment_calls_again(self):
        # An evaluation would bring the alarm that is set by hand back to OK: it has no data.
        self.aws.clear_of_the_minute(25)
        event = self.job('job', 1, segment=0)
        self.aws.invoke(event)
        name = 'trainwarden/job/gpu-idle'
        self.cloudwatch.set_alarm_state(AlarmName=name, StateValue='ALARM', StateReason='test')
        self.assertNotIn('alarms', self.aws.invoke(event)[1])  # in this segment: it stands
        time.sleep(1.1)
        for status in ('Interrupted', 'Starting', 'Training'):
            self.aws.control('POST', 'jobs/job/transition', {'SecondaryStatus': status})
        self.aws.wait(lambda: 'SetAlarmState' in self.aws.calls(), what='the alarm is taken back')
        self.assertEqual(self.calls('PutMetricAlarm'), 1)

    def test_a_stack_keeps_to_alarms_under_its_own_prefix(self):
        """W1, W3: another stack's alarm for the same job, and one of a job that is gone, stay."""
        aws = EmbeddedAws(POLICY, TRAINWARDEN_ALARM_PREFIX='team-b')
        self.addCleanup(aws.close)
        self.aws = aws
        event = self.job('job', 1)
        others = [{'AlarmName': name, 'Namespace': 'N', 'MetricName': 'm', 'Statistic': 'Sum', 'Period': 60, 'EvaluationPeriods': 1,
                   'Threshold': 1, 'ComparisonOperator': 'GreaterThanThreshold'} for name in ('trainwarden/gone/idle', 'trainwarden/job/idle')]
        self.assertEqual(aws.control('PUT', 'alarms', others)[0], 200)
        standing = lambda: [alarm['AlarmName'] for alarm in aws.control('GET', 'alarms')[1]]  # noqa: E731
        status, record = aws.invoke(event)
        self.assertEqual((status, record['alarms']), (200, {'created': ['team-b/job/gpu-idle']}))
        self.assertNotIn('foreign', aws.control('POST', 'sweep')[1]['alarms'])
        self.assertEqual(standing(), ['team-b/job/gpu-idle', 'trainwarden/gone/idle', 'trainwarden/job/idle'])
        # One that looks as if another stack had made it is told, and refuses nothing.
        forged = {**others[0], 'AlarmName': 'team-b/job/gpu-idle', 'AlarmActions': [f'arn:aws:sns:{REGION}:{ACCOUNT}:other'],
                  'AlarmDescription': 'Idle. [trainwarden]'}
        self.assertEqual(aws.control('PUT', 'alarms', [forged])[0], 200)
        status, report = aws.control('POST', 'sweep')
        self.assertEqual((status, report['alarms']['foreign'], report['alarms']['put']), (200, 1, 1), report)
        self.assertIn('team-b/job/gpu-idle', report['errors'][0])
        self.assertIn('"ForeignAlarms":1', aws.log())
        self.end('job')
        aws.wait(lambda: standing() == ['trainwarden/gone/idle', 'trainwarden/job/idle'], what='its own alarm is deleted')

    def test_jobs_that_begin_at_once_make_no_dead_letters(self):
        """W2: CloudWatch takes three alarms a second, and six jobs of two each begin together; the sweep puts the rest."""
        self.aws.close()
        self.aws = EmbeddedAws(POLICY, '--concurrency', '6', '--alarm-calls', '3', AWS_MAX_ATTEMPTS='1')
        self.addCleanup(self.aws.close)
        names = [f'storm-{n}' for n in range(6)]
        events = [self.job(name, 1, ['train:loss']) for name in names]
        for event in events:
            self.aws.deliver(event)
        self.aws.wait_until_idle()
        function = self.aws.function()
        self.assertEqual((function['failed'], function['dead_letters']), (0, 0), function)
        wanted = {f'trainwarden/{name}/{watch}' for name in names for watch in WATCHES}
        self.assertLess({a['AlarmName'] for a in self.aws.control('GET', 'alarms')[1]}, wanted)
        for _ in range(3):
            status, report = self.aws.control('POST', 'sweep')
            self.assertEqual(status, 200, report)
            if report['complete']:
                break
        self.assertEqual({a['AlarmName'] for a in self.aws.control('GET', 'alarms')[1]}, wanted)


if __name__ == '__main__':
    unittest.main()
