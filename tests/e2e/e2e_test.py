"""The main job end to end: built binaries, the embedded AWS, boto3 as the people's client.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest e2e_test
"""
import json
import subprocess
import time
import unittest

try:
    import boto3
    import botocore.auth
    import botocore.awsrequest
    import botocore.credentials
except ImportError:
    boto3 = None

from embedded_aws import (ACCOUNT, BIN, NO_P5, REGION, REQUIRED_TAGS, EmbeddedAws, clean_environment, judge_by_models,
                          models_know_tables, state_event)


class EndToEnd(unittest.TestCase):
    def serve(self, *arguments, **environment):
        aws = EmbeddedAws(*arguments, **environment)
        self.addCleanup(aws.close)
        return aws

    def stopped(self, aws, name):
        """The job as the control endpoints' calls show it: was it stopped, once?"""
        return aws.calls().count('StopTrainingJob')


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class MainJob(EndToEnd):
    def client(self, aws):
        return boto3.client('sagemaker', endpoint_url=aws.url, region_name=REGION, aws_access_key_id='test',
                            aws_secret_access_key='test')

    def create(self, client, name, tags, instance_type='ml.g5.12xlarge'):
        return client.create_training_job(
            TrainingJobName=name, RoleArn=f'arn:aws:iam::{ACCOUNT}:role/TrainingRole',
            AlgorithmSpecification={'TrainingImage': f'{ACCOUNT}.dkr.ecr.{REGION}.amazonaws.com/x:1',
                                    'TrainingInputMode': 'File'},
            OutputDataConfig={'S3OutputPath': 's3://example-bucket/out/'},
            ResourceConfig={'InstanceType': instance_type, 'InstanceCount': 1, 'VolumeSizeInGB': 10},
            StoppingCondition={'MaxRuntimeInSeconds': 86400},
            HyperParameters={'password': 'hunter2'},
            Tags=[{'Key': k, 'Value': v} for k, v in tags.items()])['TrainingJobArn']

    def test_a_job_that_breaks_a_rule_is_stopped_and_its_neighbour_is_not(self):
        aws = self.serve(REQUIRED_TAGS)
        client = self.client(aws)
        bad = self.create(client, 'bad', {'username': 'jo'})
        self.create(client, 'good', {'model_name': 'mnist'})
        ended = aws.wait(lambda: (d := client.describe_training_job(TrainingJobName='bad'))['TrainingJobStatus'] == 'Stopped' and d,
                         what='the job without the tag is stopped')
        self.assertIn('Stopping', [t['Status'] for t in ended['SecondaryStatusTransitions']])
        tags = {t['Key']: t['Value'] for t in client.list_tags(ResourceArn=bad)['Tags']}
        self.assertEqual(tags['trainwarden:action'], 'stop')
        self.assertEqual(tags['trainwarden:rule'], 'required-tags')
        self.assertEqual(tags['trainwarden:reason'], 'Training jobs need the tag model_name.')
        self.assertRegex(tags['trainwarden:at'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$')
        self.assertEqual(sorted(tags), ['trainwarden:action', 'trainwarden:at', 'trainwarden:reason', 'trainwarden:rule', 'username'])
        stop = aws.item('bad')['stop']
        self.assertEqual((stop['rule'], stop['why'], stop['accepted']),
                         ('required-tags', 'Training jobs need the tag model_name.', True))
        self.assertEqual(aws.item('good'), {})
        self.assertEqual(tags['username'], 'jo')
        self.assertEqual(client.describe_training_job(TrainingJobName='good')['TrainingJobStatus'], 'InProgress')
        self.assertEqual(aws.function()['failed'], 0)
        self.assertEqual(aws.calls().count('StopTrainingJob'), 1)
        self.judge(aws)
        self.assertNotIn('hunter2', aws.log())

    def judge(self, aws):
        """Every request of the functions, by botocore's own signer and, where they are, by the shared models' judge."""
        requests = [json.loads(line) for line in aws.record.read_text().splitlines()]
        self.assertIn('SageMaker.StopTrainingJob', [dict(r['headers'])['X-Amz-Target'] for r in requests])
        for request in requests:
            self.assertEqual(signature_by_botocore(request), dict(request['headers'])['Authorization'].split('Signature=')[1])
        self.assertIn('DynamoDB_20120810.PutItem', [dict(r['headers'])['X-Amz-Target'] for r in requests])
        verdict = judge_by_models(aws.record, '--max-skew', '300', '--services', 'sagemaker,dynamodb')
        if verdict is None:
            return
        self.assertEqual(verdict[0], 0, verdict[1] + verdict[2])
        judged = [r for r in requests if models_know_tables() or 'dynamodb' not in r['label']]
        self.assertIn(f'{len(judged)} requests, 0 invalid', verdict[2])

    def test_an_instance_type_is_enough_and_needs_no_wait(self):
        aws = self.serve(NO_P5)
        client = self.client(aws)
        began = time.monotonic()
        self.create(client, 'big', {}, 'ml.p5.48xlarge')
        aws.wait(lambda: client.describe_training_job(TrainingJobName='big')['TrainingJobStatus'] in ('Stopping', 'Stopped'))
        self.assertLess(time.monotonic() - began, 10)

    def test_the_shipped_policy_observes(self):
        aws = self.serve()  # policy.json beside the bootstrap
        client = self.client(aws)
        self.create(client, 'bad', {})
        aws.wait(lambda: '"code":"observed"' in aws.log(), what='the violation is logged')
        self.assertEqual(client.describe_training_job(TrainingJobName='bad')['TrainingJobStatus'], 'InProgress')
        self.assertLessEqual(set(aws.calls()), {'ListTags', 'DescribeTrainingJob', 'DescribeAlarms', 'PutMetricAlarm'})
        self.assertEqual(aws.items(), {})


def signature_by_botocore(request):
    headers = dict(request['headers'])
    credential = headers['Authorization'].split('Credential=')[1].split(',')[0].split('/')
    signed = headers['Authorization'].split('SignedHeaders=')[1].split(',')[0].split(';')
    lower = {k.lower(): v for k, v in headers.items()}
    aws_request = botocore.awsrequest.AWSRequest(method=request['method'], url=request['url'], data=request['body'].encode())
    for name in signed:
        aws_request.headers[name] = lower[name]
    aws_request.context['timestamp'] = lower['x-amz-date']
    signer = botocore.auth.SigV4Auth(botocore.credentials.Credentials('test', 'test'), credential[3], credential[2])
    signer.headers_to_sign = lambda r: r.headers
    return signer.signature(signer.string_to_sign(aws_request, signer.canonical_request(aws_request)), aws_request)


class Idempotence(EndToEnd):
    def test_an_event_that_comes_twice_leads_to_the_same_end(self):
        aws = self.serve(NO_P5)
        event = aws.job('big', instance_type='ml.p5.48xlarge')
        self.assertEqual(aws.invoke(event)[1]['decisions'][0]['actions'][0]['code'], 'stopped')
        status, record = aws.invoke(event)
        self.assertEqual(status, 200)
        self.assertEqual(record['decisions'], [])  # Describe contradicts the event: the job is Stopping by now
        self.assertEqual(aws.calls().count('StopTrainingJob'), 1)

    def test_a_late_event_of_a_job_that_has_ended_does_nothing(self):
        aws = self.serve(NO_P5)
        event = aws.job('big', instance_type='ml.p5.48xlarge', TrainingJobStatus='Completed', SecondaryStatus='Completed')
        status, record = aws.invoke(event)
        self.assertEqual((status, record['decisions']), (200, []))
        self.assertNotIn('StopTrainingJob', aws.calls())

    def test_an_event_of_a_deleted_namesake_does_nothing(self):
        aws = self.serve(NO_P5)
        event = aws.job('big', instance_type='ml.p5.48xlarge')
        event['detail']['CreationTime'] -= 3_600_000
        self.assertEqual(aws.invoke(event)[1]['conclusion_code'], 'namesake')
        self.assertNotIn('StopTrainingJob', aws.calls())

    def test_a_job_that_is_gone_is_success(self):
        for policy in (NO_P5, REQUIRED_TAGS):  # the first asks Describe first, the second for the tags
            aws = self.serve(policy)
            for status in ('InProgress', 'Stopped', 'Failed', 'Completed'):
                with self.subTest(policy=policy['rules'][0]['name'], status=status):
                    code, record = aws.invoke(state_event('nobody', time.time(), TrainingJobStatus=status,
                                                          SecondaryStatus='Training' if status == 'InProgress' else status))
                    self.assertEqual(code, 200, record)
                    self.assertEqual(record['conclusion_code'], 'decided' if status == 'Completed' else 'gone')


class Faults(EndToEnd):
    def test_unavailable_tags_stop_nothing_and_the_event_comes_again(self):
        aws = self.serve(REQUIRED_TAGS)
        event = aws.job('bad')
        aws.control('POST', 'faults', {'operation': 'ListTags', 'times': 1, 'status': 400, 'code': 'AccessDeniedException'})
        status, error = aws.invoke(event)
        self.assertEqual((status, error['errorType']), (502, 'Function.Unavailable'))
        self.assertIn('required-tags', error['errorMessage'])
        self.assertIn('AccessDeniedException', error['errorMessage'])
        self.assertNotIn('StopTrainingJob', aws.calls())
        self.assertEqual(aws.invoke(event)[1]['decisions'][0]['actions'][0]['code'], 'stopped')

    def test_throttling_and_server_errors_are_retried(self):
        aws = self.serve(NO_P5)
        event = aws.job('big', instance_type='ml.p5.48xlarge')
        aws.control('POST', 'faults', [{'operation': 'DescribeTrainingJob', 'times': 2, 'status': 400, 'code': 'ThrottlingException'},
                                       {'operation': 'StopTrainingJob', 'times': 1, 'status': 500, 'code': 'InternalFailure'},
                                       {'operation': 'AddTags', 'times': 1, 'cut': True}])
        status, record = aws.invoke(event)
        self.assertEqual(record['decisions'][0]['actions'][0]['code'], 'stopped')
        self.assertEqual({(c['operation'], c['attempts']) for c in record['calls']},
                         {('DescribeTrainingJob', 3), ('DescribeTrainingJob', 1), ('StopTrainingJob', 2), ('AddTags', 2), ('GetItem', 1),
                          ('PutItem', 1)})

    def test_failing_tags_do_not_prevent_the_stop(self):
        aws = self.serve(NO_P5)
        event = aws.job('big', instance_type='ml.p5.48xlarge', tags={f'k{i}': 'v' for i in range(50)})
        status, record = aws.invoke(event)
        action = record['decisions'][0]['actions'][0]
        self.assertEqual((status, action['code']), (200, 'stopped'))
        self.assertIn('AddTags', action['note'])


class Accounts(EndToEnd):
    """One policy that many accounts share."""

    def policy(self, **event):
        return {'version': 1, 'mode': 'enforce', 'rules': [
            {'name': 'here', 'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'event': event,
                                       'tags': {'team': [{'exists': False}]}}, 'actions': ['stop']}]}

    def test_F5_rules_on_account_and_region_hold_for_events_and_sweeps_alike(self):
        for sweeps in (False, True):
            for event, stops in (({'account': [ACCOUNT]}, True), ({'account': [ACCOUNT], 'region': [REGION]}, True),
                                 ({'account': [{'anything-but': '444455556666'}]}, True), ({'account': ['444455556666']}, False),
                                 ({'region': ['us-east-1']}, False), ({'account': [{'exists': False}]}, False)):
                with self.subTest(event, sweeps=sweeps):
                    aws = self.serve(self.policy(**event), functions=('state',))
                    told = aws.job('nobodys')
                    status, answer = aws.control('POST', 'sweep') if sweeps else aws.invoke(told)
                    self.assertEqual(status, 200, answer)
                    self.assertEqual(aws.calls().count('StopTrainingJob'), int(stops), answer)
                    if not stops:  # and costs no call of its own
                        self.assertLessEqual(set(aws.calls()), {'Search', 'DescribeAlarms', 'Query', 'GetItem'} if sweeps else set())
                    self.doCleanups()


class PolicyInSsm(EndToEnd):
    @unittest.skipUnless(boto3, 'python3-boto3 is not installed')
    def test_a_parameter_is_the_policy(self):
        aws = self.serve(functions=())
        ssm = boto3.client('ssm', endpoint_url=aws.url, region_name=REGION, aws_access_key_id='test', aws_secret_access_key='test')
        self.addCleanup(ssm._endpoint.http_session.close)
        arn = f'arn:aws:ssm:{REGION}:{ACCOUNT}:parameter'
        for number, (name, source) in enumerate((('/trainwarden/policy', '/trainwarden/policy'), ('/shared/policy', arn + '/shared/policy'),
                                                 ('policy', 'policy'), ('other', arn + '/other'))):
            with self.subTest(source):
                ssm.put_parameter(Name=name, Value=json.dumps(NO_P5), Type='SecureString')
                function = aws.host({}, TRAINWARDEN_POLICY=f'ssm:{source}')
                try:
                    event = aws.job(f'big-{number}', instance_type='ml.p5.48xlarge')
                    self.assertEqual(aws.invoke(event)[1]['decisions'][0]['actions'][0]['code'], 'stopped')
                finally:
                    function.kill()
                    function.wait()
                    time.sleep(0.5)  # until its connection is known to be lost


class BadInput(EndToEnd):
    def test_is_an_invocation_error_and_the_loop_goes_on(self):
        aws = self.serve(REQUIRED_TAGS)
        good = state_event('job', time.time())
        cases = {
            'not JSON': (b'hello', 'not valid JSON'),
            'empty': (b'', 'not valid JSON'),
            'a megabyte of brackets': (b'[' * 1_000_000, '128 levels'),
            'duplicate keys': (b'{"source":"aws.sagemaker","source":"aws.sagemaker"}', 'there twice'),
            'not UTF-8': (b'{"source":"\xff"}', 'not valid JSON'),
            'not ours': ({**good, 'source': 'aws.ec2'}, 'aws.ec2'),
            'another region': ({**good, 'region': 'us-east-1'}, 'us-east-1'),
            'another account': ({**good, 'account': '444455556666'}, '444455556666'),
            'a sweep of another account': ({'id': 's', 'detail-type': 'Scheduled Event', 'source': 'aws.events', 'region': REGION,
                                            'account': '444455556666'}, '444455556666'),
            'no detail': ({k: v for k, v in good.items() if k != 'detail'}, '`detail` is missing'),
            'a name that is none': (state_event('a/b', 1), 'training job name'),
            'wrong types': (state_event('job', 1, TrainingJobStatus=['InProgress']), 'TrainingJobStatus'),
        }
        for name, (event, said) in cases.items():
            with self.subTest(name):
                status, error = aws.invoke(event)
                self.assertEqual(status, 502)
                self.assertEqual(error['errorType'], 'Function.InvalidInput')
                self.assertIn(said, error['errorMessage'])
        self.assertEqual(aws.invoke(state_event('job', time.time(), TrainingJobStatus='Completed'))[0], 200)
        self.assertEqual(aws.function()['restarts'], 0)
        self.assertEqual(aws.calls(), [])

    def test_the_alarm_function_survives_it_too(self):
        aws = self.serve(REQUIRED_TAGS)
        for event in (b'hello', b'{}', b'{' * 200, b'{"Records":7}'):
            self.assertEqual(aws.invoke(event, 'alarm')[0], 502)
        status, record = aws.invoke({'Records': [{'Sns': {'Message': 'no alarm'}}, 7]}, 'alarm')
        self.assertEqual(status, 200)
        self.assertEqual([m['code'] for m in record['messages']], ['no-alarm', 'no-alarm'])
        self.assertEqual(aws.function('alarm')['restarts'], 0)

    def test_a_six_megabyte_event_is_answered(self):
        aws = self.serve(REQUIRED_TAGS)
        event = state_event('job', time.time(), TrainingJobStatus='Completed', Padding='x' * 5_500_000)
        self.assertEqual(aws.invoke(event)[0], 200)


class Start(EndToEnd):
    def run_bootstrap(self, function='state', **environment):
        return subprocess.run([BIN / function / 'bootstrap'], capture_output=True, text=True, timeout=60,
                              env=clean_environment(**environment))

    def test_without_a_runtime_api_it_says_what_it_is(self):
        for function in ('state', 'alarm'):
            ended = self.run_bootstrap(function)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn('AWS_LAMBDA_RUNTIME_API is not set', ended.stdout)

    def test_what_is_missing_or_malformed_is_an_init_error_that_names_it(self):
        whole = {'AWS_REGION': REGION, 'AWS_ACCESS_KEY_ID': 'test', 'AWS_SECRET_ACCESS_KEY': 'hunter2'}
        cases = {
            'AWS_REGION': {'AWS_REGION': ''},
            'AWS_ACCESS_KEY_ID': {'AWS_ACCESS_KEY_ID': ''},
            'AWS_SECRET_ACCESS_KEY': {'AWS_SECRET_ACCESS_KEY': ''},
            'TRAINWARDEN_MODE': {'TRAINWARDEN_MODE': 'on'},
            'AWS_ENDPOINT_URL': {'AWS_ENDPOINT_URL': 'localhost'},
            'expected a parameter of the region eu-central-1': {
                'TRAINWARDEN_POLICY': f'ssm:arn:aws:ssm:us-east-1:{ACCOUNT}:parameter/trainwarden/policy'},
            '/nowhere/policy.json': {'TRAINWARDEN_POLICY': 'file:/nowhere/policy.json'},
            'rules[0].match.tagz': {'TRAINWARDEN_POLICY': json.dumps(
                {'version': 1, 'rules': [{'name': 'x', 'match': {'tagz': {'a': ['b']}}, 'actions': ['stop']}]})},
        }
        for named, change in cases.items():
            with self.subTest(named):
                aws = EmbeddedAws(functions=())
                try:
                    ended = self.run_bootstrap(**{**whole, **change},
                                               AWS_LAMBDA_RUNTIME_API=aws.url[7:] + '/_localaws/runtime/state')
                finally:
                    aws.close()
                self.assertNotEqual(ended.returncode, 0)
                self.assertIn(named, ended.stdout)
                self.assertNotIn('hunter2', ended.stdout + ended.stderr)

    def test_a_broken_policy_is_reported_as_an_init_error(self):
        aws = self.serve('{"version": 1, "rules": [', functions=('state',))
        aws.wait(lambda: aws.function()['state'] == 'failed', what='the function is given up')
        self.assertIn('Runtime.InvalidPolicy', aws.log())
        self.assertIn('policy.json', aws.log())

    def test_a_runtime_api_that_is_gone_ends_the_process(self):
        ended = self.run_bootstrap(AWS_LAMBDA_RUNTIME_API='127.0.0.1:1', AWS_REGION=REGION, AWS_ACCESS_KEY_ID='a',
                                   AWS_SECRET_ACCESS_KEY='b')
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn('no invocation can be had', ended.stdout)


if __name__ == '__main__':
    unittest.main()
