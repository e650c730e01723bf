"""What Trainwarden looks for outside of SageMaker: silent logs (policy.md F12) and checkpoints (F13), by the real state function.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest evidence_test
"""
import json
import time
import unittest

from embedded_aws import ACCOUNT, REGION, EmbeddedAws, judge_by_models

try:
    import boto3
except ImportError:
    boto3 = None

GROUP = '/aws/sagemaker/TrainingJobs'
HANG = {'name': 'hang', 'match': {'event': {'trigger': ['sweep']}, 'logs': {'silent_seconds': [{'numeric': ['>=', 3600]}]}},
        'actions': ['stop']}
OVERDUE = {'name': 'overdue', 'match': {'job': {'TrainingJobStatus': ['InProgress']},
                                        'checkpoint': {'age_seconds': [{'numeric': ['>', 10800]}]}}, 'actions': ['stop']}
MISSING = {'name': 'missing', 'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'checkpoint': {'exists': [False]}},
           'actions': ['stop']}


@unittest.skipIf(boto3 is None, 'python3-boto3 is not installed')
class Evidence(unittest.TestCase):
    def serve(self, *rules, **environment):
        self.aws = EmbeddedAws({'version': 1, 'mode': 'enforce', 'rules': list(rules)}, functions=('state',), **environment)
        self.addCleanup(self.aws.close)
        self.aws.wait_for_function()
        keys = {'region_name': REGION, 'aws_access_key_id': 'test', 'aws_secret_access_key': 'test', 'endpoint_url': self.aws.url}
        self.logs, self.s3 = boto3.client('logs', **keys), boto3.client('s3', **keys)

    def train(self, name, since=10_800, **members):
        begin = time.time() - since
        return self.aws.job(name, age=since + 60, SecondaryStatusTransitions=[{'Status': 'Training', 'StartTime': begin}], **members)

    def write(self, job, ago=0):
        names = {'logGroupName': GROUP, 'logStreamName': f'{job}/algo-1-{time.time_ns()}'}
        if not self.logs_exist:
            self.logs.create_log_group(logGroupName=GROUP)
        self.logs_exist = True
        self.logs.create_log_stream(**names)
        self.logs.put_log_events(**names, logEvents=[{'timestamp': int((time.time() - ago) * 1000), 'message': 'step'}])

    logs_exist = False

    def sweep(self):
        status, answer = self.aws.control('POST', 'sweep')
        self.assertEqual(status, 200, answer)

    def stopped(self):
        return sorted(call['request']['TrainingJobName'] for call in self.aws.control('GET', 'calls')[1]
                      if call['operation'] == 'StopTrainingJob' and call['status'] == 200)

    def test_a_hang_is_seen_and_ten_minutes_later_stopped(self):
        self.serve(HANG)
        for job in ('hung', 'other', 'dumb', 'young'):
            self.train(job, since=600 if job == 'young' else 10_800)
        self.write('hung', ago=4200)
        self.write('young', ago=599)
        self.write('other')
        self.sweep()
        self.assertEqual(self.stopped(), [])
        self.assertIn('is looked at again from', self.aws.log())
        self.aws.move_clock(610)
        self.sweep()
        self.assertEqual(self.stopped(), ['hung'])

    def test_P7_the_tuner_of_a_silent_job_is_stopped_ten_minutes_later_too(self):
        self.serve({**HANG, 'actions': [{'stop': {'tuning_job': True}}]})
        arn = f'arn:aws:sagemaker:{REGION}:{ACCOUNT}:hyper-parameter-tuning-job/xgb'
        self.assertEqual(self.aws.control('PUT', 'tuning-jobs/xgb', {})[0], 200)
        self.train('xgb-001', TuningJobArn=arn)
        self.write('xgb-001', ago=4200)
        self.train('other')
        self.write('other')
        self.sweep()
        self.assertNotIn('StopHyperParameterTuningJob', self.aws.calls())
        self.aws.move_clock(610)
        self.sweep()
        self.assertIn('StopHyperParameterTuningJob', self.aws.calls())

    def test_an_outage_of_logs_stops_none(self):
        self.serve(HANG)
        for job in ('one', 'two'):
            self.train(job)
            self.write(job, ago=4200)
        self.sweep()
        self.aws.move_clock(610)
        self.sweep()
        self.assertEqual(self.stopped(), [])
        self.assertIn('not confirmed: no line of any job has arrived', self.aws.log())

    def test_checkpoints_are_looked_for(self):
        self.serve(OVERDUE, MISSING)
        self.s3.create_bucket(Bucket='models')
        self.s3.put_object(Bucket='models', Key='run 1/step-1', Body=b'weights')
        events = [self.train(name, since=20_000, CheckpointConfig={'S3Uri': f's3://{at}'})
                  for name, at in (('writes', 'models/run 1'), ('empty', 'models/run'), ('elsewhere', 'nobodys/run'))]
        for event in events:
            self.assertEqual(self.aws.invoke(event)[0], 200)
        self.assertEqual(self.stopped(), ['empty'])
        self.assertIn('NoSuchBucket', self.aws.log())
        self.aws.move_clock(10_900)
        self.assertEqual(self.aws.invoke(events[0])[0], 200)
        self.assertEqual(self.stopped(), ['empty', 'writes'])
        judged = judge_by_models(self.aws.record)
        for line in judged[1].splitlines() if judged is not None else ():
            verdict = json.loads(line)
            # It knows no models of REST; botocore's signer judges them all.
            of_s3 = verdict['label'] == 'state s3.ListObjectsV2'
            self.assertEqual((verdict['signature'], of_s3 or verdict['model']), ('valid', of_s3 or 'valid'), verdict)

    def test_only_buckets_that_are_named_are_listed(self):
        self.serve(MISSING, TRAINWARDEN_CHECKPOINT_BUCKETS='arn:aws:s3:::other')
        self.s3.create_bucket(Bucket='models')
        self.assertEqual(self.aws.invoke(self.train('empty', CheckpointConfig={'S3Uri': 's3://models/a'}))[0], 200)
        self.assertEqual(self.stopped(), [])
        self.assertNotIn('ListObjectsV2', self.aws.calls())
        self.assertIn('none of TRAINWARDEN_CHECKPOINT_BUCKETS', self.aws.log())


if __name__ == '__main__':
    unittest.main()
