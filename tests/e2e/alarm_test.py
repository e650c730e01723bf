"""Alarms end to end: metrics, CloudWatch's alarm, SNS, the alarm function, and what became of the job.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest alarm_test
Jobs and metrics are placed in the past, so that alarms fire at once. Needs no boto3, but to make a topic for people.
"""
import json
import re
import time
import unittest

try:
    import boto3
except ImportError:
    boto3 = None

from embedded_aws import ACCOUNT, REGION, REPOSITORY, EmbeddedAws

TOPIC = f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'
NAMESPACE = '/aws/sagemaker/TrainingJobs'
IDLE = {
    'version': 1, 'mode': 'enforce',
    'watches': {
        'gpu-idle': {'metric': 'GPUUtilization', 'statistic': 'Maximum', 'period_seconds': 60, 'periods': 3, 'at_most': 1,
                     'per_gpu': True, 'missing': 'notBreaching', 'warmup_seconds': 600},
        'heartbeat': {'metric': 'train:loss', 'source': 'algorithm', 'statistic': 'SampleCount', 'period_seconds': 60,
                      'periods': 5, 'below': 1, 'missing': 'breaching', 'warmup_seconds': 600}},
    'rules': [{'name': 'stop-idle', 'match': {'alarm': {'watch': ['gpu-idle', 'heartbeat'], 'state': ['ALARM']}},
               'actions': ['stop']}]}


def minutes(n):
    return n * 60


def message_of(job, watch='gpu-idle', id='m-1', **members):
    """A record of what the alarm function hears when an alarm goes off."""
    name = f'trainwarden/{job}/{watch}'
    alarm = {'AlarmName': name, 'AWSAccountId': ACCOUNT, 'NewStateValue': 'ALARM', 'OldStateValue': 'OK',
             'StateChangeTime': '2026-07-02T13:49:00.000+0000', 'Region': 'Europe (Frankfurt)',
             'AlarmArn': f'arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{name}', 'Trigger': {'Period': 60}, **members}
    return {'EventSource': 'aws:sns', 'Sns': {'MessageId': id, 'TopicArn': TOPIC, 'Message': json.dumps(alarm)}}


class Alarms(unittest.TestCase):
    def serve(self, policy=IDLE, **environment):
        aws = EmbeddedAws(policy, functions=('alarm',), **environment)
        self.addCleanup(aws.close)
        aws.wait_for_function('alarm')
        aws.clear_of_the_minute()
        return aws

    def train(self, aws, name, *earlier, hosts=2, since=minutes(60), status='Training'):
        """A job that has been in that status since then; earlier: (status, seconds ago) of what came before."""
        now = time.time()
        transitions = [{'Status': s, 'StartTime': now - ago} for s, ago in (('Starting', since + minutes(200)), *earlier, (status, since))]
        for one, after in zip(transitions, transitions[1:]):
            one['EndTime'] = after['StartTime']
        aws.job(name, age=since + minutes(200), SecondaryStatus=status, SecondaryStatusTransitions=transitions,
                ResourceConfig={'InstanceType': 'ml.g5.12xlarge', 'InstanceCount': hosts, 'VolumeSizeInGB': 10})

    def put(self, aws, job, *hosts, ago=0):
        """Of each host its values of the minutes that are over, oldest first."""
        minute = time.time() // 60 * 60 - ago
        data = [{'MetricName': 'GPUUtilization', 'Dimensions': [{'Name': 'Host', 'Value': f'{job}/algo-{n}'}], 'Value': value,
                 'Timestamp': minute - 60 * (len(values) - i) + 5}
                for n, values in enumerate(hosts, 1) for i, value in enumerate(values)]
        self.assertEqual(aws.control('PUT', 'metrics', [{'Namespace': NAMESPACE, 'MetricData': data}])[0], 200)

    def put_series(self, aws, metric, dimension, *values, minutes_ago=range(2, 50)):
        """One datapoint a minute, for each value of the dimension."""
        minute = time.time() // 60 * 60
        self.assertEqual(aws.control('PUT', 'metrics', [{'Namespace': NAMESPACE, 'MetricData': [
            {'MetricName': metric, 'Dimensions': [{'Name': dimension, 'Value': value}], 'Value': 0.5,
             'Timestamp': minute - minutes(ago)} for ago in minutes_ago]} for value in values])[0], 200)

    def alarm(self, aws, job, watch='gpu-idle', host=1):
        """A plain alarm on one host: what the alarm function hears from is not what it believes."""
        status, answer = aws.control('PUT', 'alarms', [{
            'AlarmName': f'trainwarden/{job}/{watch}', 'AlarmActions': [TOPIC], 'Namespace': NAMESPACE,
            'MetricName': 'GPUUtilization', 'Dimensions': [{'Name': 'Host', 'Value': f'{job}/algo-{host}'}],
            'Statistic': 'Maximum', 'Period': 60, 'EvaluationPeriods': 3, 'Threshold': 4,
            'ComparisonOperator': 'LessThanOrEqualToThreshold', 'TreatMissingData': 'notBreaching'}])
        self.assertEqual(status, 200, answer)

    def message(self, *arguments, **members):
        return message_of(*arguments, **members)

    def invoke(self, aws, *records):
        status, answer = aws.invoke({'Records': list(records)}, 'alarm')
        self.assertEqual(status, 200, answer)
        return answer['messages']

    def heard(self, aws):
        """Until the alarm function has handled what CloudWatch sent it."""
        aws.wait(lambda: aws.function('alarm')['succeeded'] + aws.function('alarm')['failed'] > 0, what='the alarm was heard')
        self.assertEqual(aws.function('alarm')['failed'], 0, aws.log())

    def tags(self, aws, job):
        return [{t['Key']: t['Value'] for t in call['request']['Tags']} for call in aws.control('GET', 'calls')[1]
                if call['operation'] == 'AddTags' and call['request']['ResourceArn'].endswith('/' + job)]

    def refuted(self, message, why, words=''):
        self.assertEqual((message['code'], message['record']['decisions']), ('not-confirmed', []))
        self.assertEqual(message['record']['measured_code'], why, message['record']['measured'])
        self.assertIn(words, message['record']['measured'])


class FromMetricsToTheStop(Alarms):
    def test_idle_gpus_on_two_hosts_end_the_job_and_its_tags_say_why(self):
        aws = self.serve()
        self.train(aws, 'idle')
        self.put(aws, 'idle', [0, 0.4, 4], [0, 0, 0])
        self.alarm(aws, 'idle')
        aws.wait(lambda: 'StopTrainingJob' in aws.calls(), what='the idle job is stopped')
        self.heard(aws)
        tags, = self.tags(aws, 'idle')
        self.assertEqual((tags['trainwarden:action'], tags['trainwarden:rule']), ('stop', 'stop-idle'))
        self.assertIn('Maximum GPUUtilization of idle at most 4 ', tags['trainwarden:reason'])
        self.assertEqual(aws.calls().count('StopTrainingJob'), 1)

    def test_one_busy_host_keeps_the_job(self):
        aws = self.serve()
        self.train(aws, 'half')
        self.put(aws, 'half', [0, 0, 0], [390, 395, 388])
        self.alarm(aws, 'half')
        self.heard(aws)
        self.assertEqual(aws.calls(), ['DescribeTrainingJob', 'GetMetricData'])

    def test_a_job_that_warms_up_is_left_alone(self):
        aws = self.serve()
        self.train(aws, 'young', since=minutes(9))
        self.put(aws, 'young', [0, 0, 0], [0, 0, 0])
        self.alarm(aws, 'young')
        self.heard(aws)
        self.assertEqual(aws.calls(), ['DescribeTrainingJob'])

    def test_a_message_that_comes_twice_leads_to_one_stop(self):
        aws = self.serve()
        self.train(aws, 'idle')
        self.put(aws, 'idle', [0, 0, 0], [0, 0, 0])
        aws.control('POST', 'faults', {'operation': 'Deliver', 'duplicate': True, 'caller': 'alarm'})
        self.alarm(aws, 'idle')
        aws.wait(lambda: aws.function('alarm')['succeeded'] == 2, what='both deliveries are handled')
        self.assertEqual(aws.calls().count('StopTrainingJob'), 1)


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class DisksAreToldOf(Alarms):
    """The cookbook's recipe as it stands, but that it tells."""
    PEOPLE = TOPIC.replace('trainwarden-alarms', 'people')

    def full(self, minutes_late):
        guide = (REPOSITORY / 'handlers/policy.md').read_text()
        recipe, = [block for block in re.findall(r'```jsonc\n(.*?)```', guide, re.S) if 'disk-nearly-full' in block]
        recipe = recipe.replace('"version": 1,', '"version": 1, "mode": "notify",')
        aws = EmbeddedAws(recipe, TRAINWARDEN_NOTIFY_TOPIC=self.PEOPLE)
        self.addCleanup(aws.close)
        sns = boto3.client('sns', endpoint_url=aws.url, region_name=REGION, aws_access_key_id='test',
                           aws_secret_access_key='test')
        self.addCleanup(sns.close)
        sns.create_topic(Name='people')
        aws.clear_of_the_minute()
        now = time.time()
        event = aws.job('full', age=minutes(60), SecondaryStatusTransitions=[
            {'Status': 'Starting', 'StartTime': now - minutes(60), 'EndTime': now - minutes(50)},
            {'Status': 'Training', 'StartTime': now - minutes(50)}])
        data = [{'MetricName': 'DiskUtilization', 'Dimensions': [{'Name': 'Host', 'Value': 'full/algo-1'}], 'Value': 95,
                 'Timestamp': now // 60 * 60 - minutes(ago) + 5} for ago in range(minutes_late + 1, 12)]
        self.assertEqual(aws.control('PUT', 'metrics', [{'Namespace': NAMESPACE, 'MetricData': data}])[0], 200)
        self.assertEqual(aws.invoke(event)[1]['alarms']['created'], ['trainwarden/full/disk-nearly-full'])
        return aws

    def test_W1_metrics_that_are_three_minutes_late_are_seen(self):
        aws = self.full(minutes_late=3)
        message, = aws.wait(lambda: [m for m in aws.messages() if m['topic'] == self.PEOPLE], what='the owner is told')
        self.assertIn('A disk of this training job is nearly full', message['message'])

    def test_A5_a_message_decides_nothing_about_when_its_alarm_went_off(self):
        aws = self.full(minutes_late=0)
        told = lambda: [m for m in aws.messages() if m['topic'] == self.PEOPLE]
        aws.wait(told, what='the owner is told')
        aws.wait_until_idle('alarm')
        for day in range(3, 9):  # of July
            message = message_of('full', 'disk-nearly-full', f'm-{day}', StateChangeTime=f'2026-07-0{day}T13:49:00.000+0000')
            result, = self.invoke(aws, message)
            self.assertIn('notified-before', [a['code'] for d in result['record']['decisions'] for a in d['actions']], result)
        self.assertEqual(len(told()), 1)


class W4(Alarms):
    def test_a_stale_message_stops_nothing(self):
        aws = self.serve()
        self.train(aws, 'busy')
        self.put(aws, 'busy', [0, 0, 0, 0, 0, 399], [0, 0, 0, 0, 0, 0])
        message, = self.invoke(aws, self.message('busy'))
        self.refuted(message, 'too-few-datapoints', '(399, 0, 0)')
        self.assertNotIn('StopTrainingJob', aws.calls())

    def test_states_in_which_a_job_only_looks_idle(self):
        aws = self.serve()
        for status in ('Starting', 'Downloading', 'Interrupted', 'Restarting', 'Uploading'):
            with self.subTest(status):
                self.train(aws, status, status=status)
                self.put(aws, status, [0, 0, 0], [0, 0, 0])
                message, = self.invoke(aws, self.message(status))
                self.refuted(message, 'not-training', status)
        self.assertNotIn('StopTrainingJob', aws.calls())

    def test_what_was_measured_before_a_spot_interruption_does_not_count(self):
        policy = json.loads(json.dumps(IDLE))
        policy['watches']['gpu-idle'].update(warmup_seconds=0, datapoints=2)
        aws = self.serve(policy)
        self.train(aws, 'resumed', ('Training', minutes(100)), ('Interrupted', minutes(30)), since=200)
        self.put(aws, 'resumed', [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], ago=minutes(3))  # all before the segment
        message, = self.invoke(aws, self.message('resumed'))
        self.refuted(message, 'no-datapoints')
        self.assertNotIn('StopTrainingJob', aws.calls())

    def test_forged_messages_stop_nothing(self):
        aws = self.serve()
        self.train(aws, 'idle')
        self.put(aws, 'idle', [0, 0, 0], [0, 0, 0])
        arn = f'arn:aws:cloudwatch:{REGION}:{{}}:alarm:trainwarden/{{}}/gpu-idle'
        other_topic = {**self.message('idle')['Sns'], 'TopicArn': TOPIC + '-2'}
        for record, why in ((self.message('idle', AlarmArn=arn.format('999999999999', 'idle')), 'accounts-differ'),
                            (self.message('idle', AlarmArn=arn.format(ACCOUNT, 'other')), 'other-alarm-in-arn'),
                            (self.message('idle', AlarmArn='trainwarden/idle/gpu-idle'), 'no-alarm'),
                            ({**self.message('idle'), 'Sns': other_topic}, 'foreign-topic')):
            message, = self.invoke(aws, record)
            self.assertEqual((message['result'], message['code']), ('ignored', why))
        self.assertEqual(aws.calls(), [])
        self.train(aws, 'busy')
        self.put(aws, 'busy', [399, 399, 399], [399, 399, 399])
        self.refuted(self.invoke(aws, self.message('busy'))[0], 'too-few-datapoints')  # forged as well as can be

    def test_a_batch_with_two_parts_of_a_watch_leads_to_one_stop(self):
        aws = self.serve()
        self.train(aws, 'wide', hosts=12)
        self.put(aws, 'wide', *[[0, 0, 0]] * 12)
        messages = self.invoke(aws, self.message('wide', 'gpu-idle/1', 'm-1'), self.message('wide', 'gpu-idle/2', 'm-2'))
        self.assertEqual([m['code'] for m in messages], ['decided', 'same-watch'])
        self.assertEqual(aws.calls().count('StopTrainingJob'), 1)

    def test_a_host_beyond_the_tenth_counts(self):
        aws = self.serve()
        self.train(aws, 'wide', hosts=12)
        self.put(aws, 'wide', *[[0, 0, 0]] * 11, [390, 390, 390])
        self.refuted(self.invoke(aws, self.message('wide', 'gpu-idle/1'))[0], 'too-few-datapoints', 'algo-12')

    def test_W1_the_mean_of_all_hosts_counts_beyond_the_tenth(self):
        watch = {'metric': 'GPUUtilization', 'statistic': 'Average', 'period_seconds': 60, 'periods': 3, 'below': 20,
                 'per_gpu': True, 'hosts': 'mean', 'warmup_seconds': 600}
        aws = self.serve({**IDLE, 'watches': {**IDLE['watches'], 'gpu-idle': watch}})
        for job, last in (('busy', 390), ('quiet', 100)):
            self.train(aws, job, hosts=12)
            self.put(aws, job, *[[40] * 3] * 10, *[[last] * 3] * 2)
        self.refuted(self.invoke(aws, self.message('busy', 'gpu-idle/1'))[0], 'too-few-periods')
        message, = self.invoke(aws, self.message('quiet', 'gpu-idle/2', 'm-2'))
        self.assertEqual(message['record']['measured_code'], 'breaches')
        self.assertIn('50, 50, 50', message['record']['measured'])
        self.assertEqual(aws.calls().count('StopTrainingJob'), 1)

    def test_a_heartbeat_that_fell_silent_stops_and_one_that_never_was_does_not(self):
        aws = self.serve()
        for job in ('silent', 'mute'):
            self.train(aws, job)
        minute = time.time() // 60 * 60
        aws.control('PUT', 'metrics', [{'Namespace': NAMESPACE, 'MetricData': [
            {'MetricName': 'train:loss', 'Dimensions': [{'Name': 'TrainingJobName', 'Value': 'silent'}], 'Value': 0.5,
             'Timestamp': minute - minutes(ago)} for ago in range(20, 50)]}])
        self.put_series(aws, 'val:loss', 'TrainingJobName', 'another', minutes_ago=range(-15, 50))
        self.refuted(self.invoke(aws, self.message('mute', 'heartbeat'))[0], 'no-metric-arrives')
        action = lambda message: message['record']['decisions'][0]['actions'][0]
        message, = self.invoke(aws, self.message('silent', 'heartbeat'))
        self.assertEqual(action(message)['reason_code'], 'silent-until-recheck')
        self.assertEqual(message['record']['measured_code'], 'breaches')
        self.assertNotIn('StopTrainingJob', aws.calls())
        aws.move_clock(605)
        self.assertEqual(action(self.invoke(aws, self.message('silent', 'heartbeat', 'm-2'))[0])['code'], 'stopped')

    def test_an_outage_that_silences_many_jobs_stops_none(self):
        policy = {**IDLE, 'limits': {'silent_stops_per_hour': 3}}
        aws = self.serve(policy)
        minute, jobs = time.time() // 60 * 60, [f'silent-{n}' for n in range(4)]
        for job in jobs:
            self.train(aws, job)
        aws.control('PUT', 'metrics', [{'Namespace': NAMESPACE, 'MetricData': [
            {'MetricName': 'train:loss', 'Dimensions': [{'Name': 'TrainingJobName', 'Value': job}], 'Value': 0.5,
             'Timestamp': minute - minutes(ago)} for job in jobs for ago in range(20, 50)]}])
        self.put_series(aws, 'val:loss', 'TrainingJobName', 'another', minutes_ago=range(-15, 50))
        for job in jobs:
            self.invoke(aws, self.message(job, 'heartbeat'))
        aws.move_clock(605)
        for job in jobs:
            message, = self.invoke(aws, self.message(job, 'heartbeat', 'm-2'))
            self.assertEqual(message['record']['decisions'][0]['actions'][0]['code'], 'held-back')
        self.assertNotIn('StopTrainingJob', aws.calls())

    def looks(self, aws, job, watch='heartbeat'):
        """What two looks, ten minutes apart, came to."""
        out = [self.invoke(aws, self.message(job, watch))[0]['record']]
        aws.move_clock(605)
        return out + [self.invoke(aws, self.message(job, watch, 'm-2'))[0]['record']]

    def test_W4_an_outage_of_all_metrics_stops_none_now_or_later(self):
        for count in (60, 3, 1):
            aws = self.serve()
            jobs = [f'healthy-{n}' for n in range(count)]
            for job in jobs:
                self.train(aws, job)
            for ago in range(36, 55, 6):
                self.put_series(aws, 'train:loss', 'TrainingJobName', *jobs, minutes_ago=[ago])
                self.put_series(aws, 'CPUUtilization', 'Host', *(f'{job}/algo-{n}' for job in jobs for n in (1, 2)), minutes_ago=[ago])
            for n in range(2):
                if n:
                    aws.move_clock(605)
                for job in jobs:
                    message, = self.invoke(aws, self.message(job, 'heartbeat', f'm-{job}-{n}'))
                    self.refuted(message, 'no-metric-arrives')
            self.assertNotIn('StopTrainingJob', aws.calls())
            aws.close()
            self._cleanups.pop()

    def test_W4_a_hang_alone_in_the_account_is_stopped_where_hosts_speak_and_the_log_is_silent(self):
        aws = self.serve()
        self.train(aws, 'hangs')
        self.put_series(aws, 'train:loss', 'TrainingJobName', 'hangs', minutes_ago=range(20, 50))
        self.put_series(aws, 'CPUUtilization', 'Host', 'hangs/algo-1', 'hangs/algo-2', minutes_ago=range(-30, 50))
        first, last = self.looks(aws, 'hangs')
        self.assertEqual(first['decisions'][0]['actions'][0]['reason_code'], 'silent-until-recheck')
        self.assertEqual(last['measured_code'], 'breaches')
        self.assertEqual(aws.calls().count('StopTrainingJob'), 1)

    def test_W4_a_spot_job_that_resumes_is_not_silent_while_it_loads(self):
        for first_within, result in ((None, 'not-confirmed'), (1200, 'decided')):
            policy = json.loads(json.dumps(IDLE))
            if first_within:
                policy['watches']['heartbeat']['first_within_seconds'] = first_within
            aws = self.serve(policy)
            self.train(aws, 'resumes', ('Training', minutes(160)), ('Interrupted', minutes(55)), since=minutes(40))
            self.put_series(aws, 'train:loss', 'TrainingJobName', 'resumes', minutes_ago=range(57, 110))
            self.put_series(aws, 'val:loss', 'TrainingJobName', 'another')
            message, = self.invoke(aws, self.message('resumes', 'heartbeat'))
            self.assertEqual(message['record']['conclusion_code'], result, message)
            self.assertNotIn('StopTrainingJob', aws.calls())
            aws.close()
            self._cleanups.pop()

    def test_W4_an_instance_metric_that_a_job_never_had_stops_none(self):
        policy = json.loads(json.dumps(IDLE))
        policy['watches']['gpu-idle']['missing'] = 'breaching'
        aws = self.serve(policy)
        self.train(aws, 'never')
        self.put_series(aws, 'CPUUtilization', 'Host', 'never/algo-1', 'never/algo-2', minutes_ago=range(-30, 50))
        for record in self.looks(aws, 'never', 'gpu-idle'):
            self.assertEqual(record['measured_code'], 'never-heard')
        self.assertNotIn('StopTrainingJob', aws.calls())

    def test_W4_who_cannot_be_heard_is_told_of(self):
        rule = {'name': 'tell-blind', 'match': {'alarm': {'watch': ['heartbeat'], 'state': ['BLIND']}}, 'actions': ['notify']}
        aws = self.serve({**IDLE, 'rules': [*IDLE['rules'], rule]})
        self.train(aws, 'mute')
        message, = self.invoke(aws, self.message('mute', 'heartbeat'))
        self.assertEqual([d['rule'] for d in message['record']['decisions']], ['tell-blind'], message)

    def test_a_failing_call_is_no_verdict_and_the_message_comes_again(self):
        aws = self.serve()
        self.train(aws, 'idle')
        self.put(aws, 'idle', [0, 0, 0], [0, 0, 0])
        aws.control('POST', 'faults', {'operation': 'GetMetricData', 'times': 1, 'status': 400, 'code': 'AccessDeniedException'})
        status, error = aws.invoke({'Records': [self.message('idle')]}, 'alarm')
        self.assertEqual(status, 502)
        self.assertIn('AccessDenied', error['errorMessage'])
        self.assertNotIn('StopTrainingJob', aws.calls())
        self.assertEqual(self.invoke(aws, self.message('idle'))[0]['record']['decisions'][0]['actions'][0]['code'], 'stopped')


if __name__ == '__main__':
    unittest.main()
