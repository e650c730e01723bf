"""What is remembered of jobs that fell silent (policy.md P7), by the real functions.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest silence_test
"""
import json
import time
import unittest

import alarm_test
from alarm_test import IDLE, REGION, message_of, minutes
from embedded_aws import ACCOUNT, EmbeddedAws

PEOPLE = f'arn:aws:sns:{REGION}:{ACCOUNT}:people'
VALIDATION = {**IDLE['watches']['heartbeat'], 'metric': 'val:loss'}
TWO = {**IDLE, 'watches': {**IDLE['watches'], 'validation': VALIDATION},
       'rules': [{'name': 'stop-silent', 'match': {'alarm': {'watch': ['heartbeat', 'validation'], 'state': ['ALARM']}},
                  'actions': ['stop']}]}


class Silence(unittest.TestCase):
    put_series, train = alarm_test.Alarms.put_series, alarm_test.Alarms.train

    def serve(self, policy, **environment):
        aws = EmbeddedAws(policy, functions=('alarm',), **environment)
        self.addCleanup(aws.close)
        aws.wait_for_function('alarm')
        aws.clear_of_the_minute()
        self.put_series(aws, 'other:loss', 'TrainingJobName', 'another', minutes_ago=range(-90, 50))
        return aws

    count = 0

    def look(self, aws, job, watch='heartbeat'):
        self.count += 1
        status, answer = aws.invoke({'Records': [message_of(job, watch, f'm-{self.count}')]}, 'alarm')
        self.assertEqual(status, 200, answer)
        return answer['messages'][0]['record']

    def code(self, record):
        return record['decisions'][0]['actions'][0]['code']

    def reason(self, record):
        return record['decisions'][0]['actions'][0]['reason_code']

    def test_P7_a_watch_that_is_not_confirmed_forgets_no_silence_of_another(self):
        aws = self.serve(TWO)
        self.train(aws, 'hangs')
        self.put_series(aws, 'train:loss', 'TrainingJobName', 'hangs', minutes_ago=range(20, 50))
        self.put_series(aws, 'CPUUtilization', 'Host', 'hangs/algo-1', 'hangs/algo-2', minutes_ago=range(-30, 50))
        for _ in range(2):  # it hangs before it was validated for the first time
            self.assertEqual(self.reason(self.look(aws, 'hangs')), 'silent-until-recheck')
            self.assertEqual(self.look(aws, 'hangs', 'validation')['measured_code'], 'never-heard')
        aws.move_clock(605)
        self.assertEqual(self.code(self.look(aws, 'hangs')), 'stopped')

    def test_P7_a_silence_that_ended_does_not_count_for_the_next(self):
        aws = self.serve(IDLE)
        self.train(aws, 'pauses', since=minutes(300))
        self.put_series(aws, 'train:loss', 'TrainingJobName', 'pauses', minutes_ago=range(20, 50))
        self.alarm(aws, 'pauses')
        self.assertEqual(self.reason(self.look(aws, 'pauses')), 'silent-until-recheck')
        # It goes on, and nobody looks, since alarms call on ALARM only; half an hour later it pauses again.
        self.put_series(aws, 'train:loss', 'TrainingJobName', 'pauses', minutes_ago=range(-10, 1))
        self.set_state(aws, 'pauses', 'OK')
        time.sleep(1.1)
        self.set_state(aws, 'pauses', 'ALARM')
        aws.move_clock(minutes(30))
        self.assertEqual(self.reason(self.look(aws, 'pauses')), 'silent-until-recheck')
        self.assertNotIn('StopTrainingJob', aws.calls())

    def client(self, aws, service):
        import boto3
        return boto3.client(service, region_name=REGION, aws_access_key_id='test', aws_secret_access_key='test', endpoint_url=aws.url)

    def alarm(self, aws, job):
        self.client(aws, 'cloudwatch').put_metric_alarm(
            AlarmName=f'trainwarden/{job}/heartbeat', Namespace='/aws/sagemaker/TrainingJobs', MetricName='train:loss',
            Dimensions=[{'Name': 'TrainingJobName', 'Value': job}], Statistic='SampleCount', Period=60, EvaluationPeriods=5,
            Threshold=1, ComparisonOperator='LessThanThreshold', TreatMissingData='breaching')
        self.set_state(aws, job, 'ALARM')

    def set_state(self, aws, job, state):
        self.client(aws, 'cloudwatch').set_alarm_state(AlarmName=f'trainwarden/{job}/heartbeat', StateValue=state, StateReason='test')

    def test_P7_people_hear_that_many_fell_silent_and_none_is_stopped(self):
        aws = self.serve(IDLE, TRAINWARDEN_NOTIFY_TOPIC=PEOPLE)
        self.client(aws, 'sns').create_topic(Name='people')
        jobs = [f'hangs-{n}' for n in range(4)]
        for job in jobs:
            self.train(aws, job)
        self.put_series(aws, 'train:loss', 'TrainingJobName', *jobs, minutes_ago=range(20, 50))
        for job in jobs:
            self.look(aws, job)
        self.assertEqual(aws.messages(), [])
        aws.move_clock(605)
        for job in jobs:
            self.assertEqual(self.reason(self.look(aws, job)), 'silent-per-hour')
        self.assertEqual([m['subject'] for m in aws.messages()],
                         ['Trainwarden holds back: limits.silent_stops_per_hour is reached'])


if __name__ == '__main__':
    unittest.main()
