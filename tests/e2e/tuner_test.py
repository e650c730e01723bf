"""Tuning and AutoML jobs end to end (policy.md A1, P7): their jobs' events are one stop, by built binaries on the embedded
AWS, many at once.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest tuner_test
Needs botocore for the judgement of the requests, and nothing else.
"""
import time
import unittest

from embedded_aws import ACCOUNT, REGION, EmbeddedAws, judge_by_models, state_event

TOPIC = f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'  # which the embedded AWS has
ARN = f'arn:aws:sagemaker:{REGION}:{ACCOUNT}:'
POLICY = {
    'version': 1, 'mode': 'enforce', 'limits': {'stops_per_hour': 3, 'stops_per_sweep': 5},
    'rules': [{'name': 'required-tags', 'actions': [{'stop': {'tuning_job': True}}, 'notify'],
               'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'tags': {'team': [{'exists': False}]}}}]}


class Tuner(unittest.TestCase):
    def serve(self, *options, **environment):
        aws = EmbeddedAws(POLICY, *options, functions=('state',), TRAINWARDEN_NOTIFY_TOPIC=TOPIC, **environment)
        self.addCleanup(aws.close)
        aws.wait_for_function()
        return aws

    def children(self, aws, number, tuner='xgb-tune', **members):
        """Running jobs of a tuner, which tell its ARN in lower case; their events."""
        created = time.time() - 60
        status = {'TrainingJobStatus': 'InProgress', 'SecondaryStatus': 'Training'}
        document = {**status, 'CreationTime': created, 'Tags': {}, 'TuningJobArn': f'{ARN}hyper-parameter-tuning-job/{tuner}',
                    'ResourceConfig': {'InstanceType': 'ml.g5.xlarge', 'InstanceCount': 1, 'VolumeSizeInGB': 10}, **members}
        names = [f'{tuner}-{n:03}' for n in range(number)]
        self.assertEqual(aws.control('PUT', 'jobs', {name: document for name in names})[0], 200)
        return [state_event(name, created, **status) for name in names]

    def of(self, aws, operation):
        return [call['request'] for call in aws.control('GET', 'calls')[1]
                if call['operation'] == operation and call['status'] == 200]

    def judged(self, aws):
        if (verdict := judge_by_models(aws.record)):
            self.assertEqual(verdict[0], 0, verdict)

    def test_fifty_childrens_events_at_once_stop_the_tuner_and_tell_once(self):
        aws = self.serve('--concurrency', '8')
        self.assertEqual(aws.control('PUT', 'tuning-jobs/Xgb-Tune', {})[0], 200)
        for event in self.children(aws, 50):
            aws.deliver(event)
        aws.wait_until_idle(seconds=120)
        self.assertEqual(aws.control('GET', 'dead-letters')[1], [])
        self.assertEqual({call['HyperParameterTuningJobName'] for call in self.of(aws, 'StopHyperParameterTuningJob')},
                         {'Xgb-Tune'})
        self.assertEqual(self.of(aws, 'StopTrainingJob'), [])
        told = [message['message'] for message in aws.messages()]
        self.assertEqual(len(told), 1, told)
        self.assertIn('stopped the tuning job Xgb-Tune and the 50 training jobs that it runs', told[0])
        self.assertEqual(aws.log().count('"Stops":1'), 1)
        self.assertEqual([len(item['stops']) for id, item in aws.items().items() if id == 'brake'], [1])
        self.judged(aws)

    def test_a_sweep_counts_a_tuner_once(self):
        aws = self.serve()
        aws.control('PUT', 'tuning-jobs/Xgb-Tune', {})
        self.children(aws, 8)
        status, report = aws.control('POST', 'sweep')
        self.assertEqual((status, report['jobs']['would_act']), (200, 1), report)
        self.assertEqual(len(self.of(aws, 'StopHyperParameterTuningJob')), 1)
        self.assertEqual(self.of(aws, 'StopTrainingJob'), [])

    def test_an_automl_job_comes_before_the_tuning_job_that_it_launched(self):
        aws = self.serve()
        aws.control('PUT', 'tuning-jobs/Xgb-Tune', {})
        aws.control('PUT', 'automl-jobs/My-AutoML', {})
        event, = self.children(aws, 1, AutoMLJobArn=f'{ARN}automl-job/my-automl')
        self.assertEqual(aws.invoke(event)[0], 200)
        self.assertEqual(self.of(aws, 'StopAutoMLJob'), [{'AutoMLJobName': 'My-AutoML'}])
        self.assertEqual(self.of(aws, 'StopHyperParameterTuningJob'), [])
        self.judged(aws)

    def test_what_is_denied_is_an_error_and_the_job_runs_on(self):
        aws = self.serve()
        aws.control('PUT', 'tuning-jobs/Xgb-Tune', {})
        aws.control('POST', 'faults', {'operation': 'StopHyperParameterTuningJob', 'times': 10, 'status': 400,
                                       'code': 'AccessDeniedException'})
        event, = self.children(aws, 1)
        self.assertEqual(aws.invoke(event)[0], 502)
        self.assertEqual(self.of(aws, 'StopTrainingJob'), [])
        self.assertEqual([m['attributes']['outcome']['value'] for m in aws.messages()], ['failed'])

    def test_none_or_two_of_that_arn_are_unavailable(self):
        aws = self.serve()
        event, = self.children(aws, 1)
        self.assertEqual(aws.invoke(event)[0], 502)
        for name in ('Xgb-Tune', 'xgb-tune'):
            aws.control('PUT', f'tuning-jobs/{name}', {})
        self.assertEqual(aws.invoke(event)[0], 502)
        self.assertEqual(self.of(aws, 'StopHyperParameterTuningJob') + self.of(aws, 'StopTrainingJob'), [])
