"""boto3 against localaws: a real client must find SageMaker there, its answers and its errors.

usage: LOCALAWS=path/to/localaws python3 boto3_test.py
Skips, and says so, where boto3 or the binary is missing.
"""
import datetime
import json
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from localaws_server import LOCALAWS, ClientError, Server, ServiceTest, boto3, environment


def job(name, **more):
    return {'TrainingJobName': name,
            'AlgorithmSpecification': {'TrainingImage': 'example/image:1', 'TrainingInputMode': 'File'},
            'RoleArn': 'arn:aws:iam::111122223333:role/TrainingRole',
            'OutputDataConfig': {'S3OutputPath': 's3://example-bucket/out/'},
            'ResourceConfig': {'InstanceType': 'ml.g5.xlarge', 'InstanceCount': 1, 'VolumeSizeInGB': 30},
            'StoppingCondition': {'MaxRuntimeInSeconds': 3600}, **more}


class Boto3(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sagemaker = cls.server.client()

    def create(self, name, **more):
        return self.sagemaker.create_training_job(**job(name, **more))['TrainingJobArn']

    def wait_for(self, name, secondary, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            seen = self.sagemaker.describe_training_job(TrainingJobName=name)
            if seen['SecondaryStatus'] == secondary:
                return seen
            time.sleep(0.05)
        self.fail(f'{name} is {seen["SecondaryStatus"]}, not {secondary}')

    def test_a_created_job_is_described_with_all_it_was_given(self):
        given = job('a-1', HyperParameters={'epochs': '10', 'empty': ''}, Environment={'A': 'b', 'EMPTY': ''},
                    CheckpointConfig={'S3Uri': 's3://example-bucket/ckpt'}, RetryStrategy={'MaximumRetryAttempts': 2},
                    VpcConfig={'SecurityGroupIds': ['sg-1'], 'Subnets': ['subnet-1']})
        arn = self.sagemaker.create_training_job(**given)['TrainingJobArn']
        self.assertEqual(arn, 'arn:aws:sagemaker:us-east-1:111122223333:training-job/a-1')
        seen = self.sagemaker.describe_training_job(TrainingJobName='a-1')
        for name, value in given.items():
            if isinstance(value, dict):
                self.assertEqual({**seen[name], **value}, seen[name], name)
            else:
                self.assertEqual(seen[name], value, name)
        self.assertEqual((seen['TrainingJobStatus'], seen['SecondaryStatus']), ('InProgress', 'Starting'))
        self.assertEqual([t['Status'] for t in seen['SecondaryStatusTransitions']], ['Starting'])
        age = datetime.datetime.now(datetime.timezone.utc) - seen['CreationTime']
        self.assertLess(abs(age.total_seconds()), 10)
        self.assertTrue(seen['CreationTime'].microsecond or True)
        self.assertNotIn('Tags', seen)
        self.assertRegex(seen['ResponseMetadata']['RequestId'], r'^[0-9a-f-]{36}$')

    def test_a_job_trains_and_is_stopped(self):
        self.create('run-1')
        self.wait_for('run-1', 'Training')
        self.sagemaker.stop_training_job(TrainingJobName='run-1')
        self.assertEqual(self.sagemaker.describe_training_job(TrainingJobName='run-1')['TrainingJobStatus'], 'Stopping')
        seen = self.wait_for('run-1', 'Stopped')
        self.assertEqual([t['Status'] for t in seen['SecondaryStatusTransitions']],
                         ['Starting', 'Downloading', 'Training', 'Stopping', 'Stopped'])
        self.assertLessEqual(seen['TrainingStartTime'], seen['TrainingEndTime'])
        self.assertIn('BillableTimeInSeconds', seen)
        self.refused('ValidationException', 'The request was rejected because the training job is in status Stopped.',
                     self.sagemaker.stop_training_job, TrainingJobName='run-1')

    def test_a_job_ends_when_its_runtime_is_over(self):
        self.create('short-1', StoppingCondition={'MaxRuntimeInSeconds': 1})
        seen = self.wait_for('short-1', 'MaxRuntimeExceeded')
        self.assertEqual(seen['TrainingJobStatus'], 'Stopped')
        self.assertEqual(seen['ModelArtifacts']['S3ModelArtifacts'],
                         's3://example-bucket/out/short-1/output/model.tar.gz')

    def pool(self, name):
        return self.sagemaker.describe_training_job(TrainingJobName=name).get('WarmPoolStatus', {})

    def ends_with_pool(self, name, keep=3600, **more):
        resources = {**job(name)['ResourceConfig'], 'KeepAlivePeriodInSeconds': keep}
        self.create(name, ResourceConfig=resources, **more)
        self.wait_for(name, 'Training')
        self.sagemaker.stop_training_job(TrainingJobName=name)
        self.wait_for(name, 'Stopped')

    def test_a_warm_pool_is_kept_updated_and_released(self):
        self.ends_with_pool('pool-1', RoleArn='arn:aws:iam::111122223333:role/Pool1')
        self.assertEqual(self.pool('pool-1'), {'Status': 'Available'})
        listed = self.sagemaker.list_training_jobs(WarmPoolStatusEquals='Available')['TrainingJobSummaries']
        self.assertIn('pool-1', [one['TrainingJobName'] for one in listed])
        update = lambda seconds: self.sagemaker.update_training_job(
            TrainingJobName='pool-1', ResourceConfig={'KeepAlivePeriodInSeconds': seconds})
        self.assertIn('training-job/pool-1', update(7200)['TrainingJobArn'])
        self.assertEqual(self.pool('pool-1')['Status'], 'Available')
        update(0)
        pool = self.pool('pool-1')
        self.assertEqual(pool['Status'], 'Terminated')
        self.assertLess(pool['ResourceRetainedBillableTimeInSeconds'], 10)
        seen = self.sagemaker.describe_training_job(TrainingJobName='pool-1')
        self.assertEqual(seen['ResourceConfig']['KeepAlivePeriodInSeconds'], 0)
        self.refused('ValidationException', 'The warm pool of the training job pool-1 cannot be updated: its status is Terminated.',
                     update, seconds=0)

    def test_a_warm_pool_runs_out(self):
        self.ends_with_pool('pool-2', keep=1, RoleArn='arn:aws:iam::111122223333:role/Pool2')
        time.sleep(1.2)
        self.assertEqual(self.pool('pool-2'), {'Status': 'Terminated', 'ResourceRetainedBillableTimeInSeconds': 1})

    def test_a_job_that_matches_takes_the_warm_pool_over(self):
        role = 'arn:aws:iam::111122223333:role/Pool3'
        self.ends_with_pool('pool-3', RoleArn=role)
        for name, more in (('other-role', {}), ('other-network', {'RoleArn': role, 'EnableNetworkIsolation': True}),
                           ('other-machines', {'RoleArn': role, 'ResourceConfig': {**job('x')['ResourceConfig'], 'InstanceCount': 2}}),
                           ('spot', {'RoleArn': role, 'EnableManagedSpotTraining': True,
                                     'StoppingCondition': {'MaxRuntimeInSeconds': 60, 'MaxWaitTimeInSeconds': 60}})):
            self.create(f'pool-3-{name}', **more)
            self.assertEqual(self.pool('pool-3')['Status'], 'Available', name)
        self.create('pool-3-same', RoleArn=role)  # without a pool of its own
        pool = self.pool('pool-3')
        self.assertEqual((pool['Status'], pool['ReusedByJob']), ('Reused', 'pool-3-same'))
        self.assertEqual(self.pool('pool-3-same'), {'Status': 'InUse'})
        self.refused('ValidationException', 'The warm pool of the training job pool-3 cannot be updated: its status is Reused.',
                     self.sagemaker.update_training_job, TrainingJobName='pool-3', ResourceConfig={'KeepAlivePeriodInSeconds': 0})

    def test_a_job_without_a_warm_pool_has_none_to_update(self):
        self.create('pool-4')
        self.assertEqual(self.pool('pool-4'), {})
        self.refused('ValidationException', 'The training job pool-4 has no warm pool to update.',
                     self.sagemaker.update_training_job, TrainingJobName='pool-4', ResourceConfig={'KeepAlivePeriodInSeconds': 0})
        self.refused('ValidationException', 'Requested resource not found.',
                     self.sagemaker.update_training_job, TrainingJobName='nobody', ResourceConfig={'KeepAlivePeriodInSeconds': 0})

    def test_tags(self):
        arn = self.create('t-1', Tags=[{'Key': 'team', 'Value': 'vision'}])
        self.sagemaker.add_tags(ResourceArn=arn, Tags=[{'Key': 'team', 'Value': 'text'}, {'Key': 'ärger', 'Value': ''}])
        self.assertEqual(self.sagemaker.list_tags(ResourceArn=arn)['Tags'],
                         [{'Key': 'team', 'Value': 'text'}, {'Key': 'ärger', 'Value': ''}])
        self.sagemaker.delete_tags(ResourceArn=arn, TagKeys=['team', 'absent'])
        self.assertEqual(self.sagemaker.list_tags(ResourceArn=arn)['Tags'], [{'Key': 'ärger', 'Value': ''}])
        many = [{'Key': f'k{i}', 'Value': 'v'} for i in range(50)]
        self.refused('ValidationException', '50', self.sagemaker.add_tags, ResourceArn=arn, Tags=many)
        self.refused('ValidationException', 'aws:', self.sagemaker.add_tags, ResourceArn=arn,
                     Tags=[{'Key': 'aws:x', 'Value': 'v'}])
        self.refused('ValidationException', "at 'tags.1.member.value' failed to satisfy constraint",
                     self.sagemaker.add_tags, ResourceArn=arn, Tags=[{'Key': 'a', 'Value': 'what?'}])
        self.refused('ValidationException', 'Requested resource not found.', self.sagemaker.list_tags,
                     ResourceArn=arn.replace('t-1', 't-2'))

    def test_list_tags_has_pages(self):
        tags = {f'key-{i:03}': 'v' for i in range(120)}
        arn = self.server.control('PUT', 'jobs/many', {'Tags': tags})['TrainingJobArn']
        pages = list(self.sagemaker.get_paginator('list_tags').paginate(ResourceArn=arn))
        self.assertEqual([len(page['Tags']) for page in pages], [50, 50, 20])
        self.assertEqual({t['Key']: t['Value'] for page in pages for t in page['Tags']}, tags)

    def test_list_training_jobs_pages_and_filters_after_the_page(self):
        for i in range(7):
            self.create(f'list-{i}')
            time.sleep(0.002)
        self.sagemaker.stop_training_job(TrainingJobName='list-5')
        pages = list(self.sagemaker.get_paginator('list_training_jobs').paginate(
            StatusEquals='Stopping', SortBy='Name', PaginationConfig={'PageSize': 2}))
        self.assertEqual([[j['TrainingJobName'] for j in p['TrainingJobSummaries']] for p in pages],
                         [[], [], ['list-5'], []])
        newest = self.sagemaker.list_training_jobs(SortBy='CreationTime', SortOrder='Descending', MaxResults=2)
        self.assertEqual([j['TrainingJobName'] for j in newest['TrainingJobSummaries']], ['list-6', 'list-5'])
        self.create('list-7')
        older = self.sagemaker.list_training_jobs(SortBy='CreationTime', SortOrder='Descending', MaxResults=2,
                                                  NextToken=newest['NextToken'])
        self.assertEqual([j['TrainingJobName'] for j in older['TrainingJobSummaries']], ['list-4', 'list-3'])
        self.refused('ValidationException', 'NextToken', self.sagemaker.list_training_jobs, NextToken='zz')

    def test_jobs_are_unique(self):
        self.create('once')
        self.refused('ResourceInUse', 'Training job names must be unique within an AWS account and region',
                     self.sagemaker.create_training_job, **job('once'))

    def test_an_unknown_job_is_not_found(self):
        for call in (self.sagemaker.describe_training_job, self.sagemaker.stop_training_job):
            self.refused('ValidationException', 'Requested resource not found.', call, TrainingJobName='none')

    def test_a_wrong_request_says_where(self):
        cases = (
            ({'TrainingJobName': 'under_score'},
             "at 'trainingJobName' failed to satisfy constraint: Member must satisfy regular expression pattern: "
             '^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}'),
            ({'TrainingJobName': 'x' * 64}, 'Member must have length less than or equal to 63'),
            ({'RoleArn': 'arn:aws:iam::111122223333:user/someone'}, "at 'roleArn' failed to satisfy constraint"),
            ({'AlgorithmSpecification': {'TrainingImage': 'i', 'TrainingInputMode': 'Tape'}},
             'Member must satisfy enum value set: [Pipe, File, FastFile]'),
            ({'HyperParameters': {str(i): '' for i in range(101)}}, "at 'hyperParameters' failed to satisfy"),
            ({'Tags': [{'Key': str(i), 'Value': ''} for i in range(51)]}, "at 'tags' failed to satisfy constraint"),
            ({'StoppingCondition': {'MaxRuntimeInSeconds': 60, 'MaxWaitTimeInSeconds': 60}}, 'MaxWaitTimeInSeconds'),
            ({'EnableManagedSpotTraining': True, 'StoppingCondition': {'MaxRuntimeInSeconds': 60}},
             'Invalid MaxWaitTimeInSeconds. It must be present and be greater than or equal to MaxRuntimeInSeconds'),
        )
        loose = self.server.client(parameter_validation=False)
        for change, text in cases:
            with self.subTest(text=text):
                self.refused('ValidationException', text, loose.create_training_job, **{**job('wrong'), **change})
        missing = job('wrong')
        del missing['RoleArn'], missing['OutputDataConfig']
        self.refused('ValidationException', "2 validation errors detected: Value null at 'roleArn' failed to satisfy "
                     'constraint: Member must not be null; ', loose.create_training_job, **missing)

    def test_signatures(self):
        def describe(text, code, **client):
            self.refused(code, text, self.server.client(**client).describe_training_job, TrainingJobName='x')
        describe('The request signature we calculated does not match', 'InvalidSignatureException', secret='wrong')
        describe('The security token included in the request is invalid.', 'UnrecognizedClientException', key='wrong')
        describe('The security token included in the request is invalid.', 'UnrecognizedClientException', token='t')
        describe('Credential should be scoped to a valid region', 'InvalidSignatureException', region='eu-west-1')

    def test_a_request_without_signature_or_sense(self):
        def post(body, **headers):
            request = urllib.request.Request(self.server.url, body, headers)
            with self.assertRaises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(request, timeout=10)
            with caught.exception as answer:
                return answer.code, json.load(answer)['__type']
        describe = {'X-Amz-Target': 'SageMaker.DescribeTrainingJob', 'Content-Type': 'application/x-amz-json-1.1'}
        self.assertEqual(post(b'{}', **describe), (400, 'MissingAuthenticationTokenException'))
        self.assertEqual(post(b'{}', **describe, Authorization='AWS4-HMAC-SHA256 Credential=x'),
                         (400, 'IncompleteSignatureException'))
        self.assertEqual(post(b'{}', **{**describe, 'X-Amz-Target': 'SageMaker.Nothing'}),
                         (400, 'UnknownOperationException'))
        self.assertEqual(post(b'{}'), (404, 'UnknownOperationException'))

    def test_faults_strike_as_often_as_asked(self):
        self.create('f-1')
        self.server.control('POST', 'faults', {'operation': 'DescribeTrainingJob', 'times': 2, 'status': 400,
                                               'code': 'ThrottlingException'})
        for _ in range(2):
            self.refused('ThrottlingException', 'Rate exceeded', self.sagemaker.describe_training_job,
                         TrainingJobName='f-1')
        self.sagemaker.describe_training_job(TrainingJobName='f-1')
        self.server.control('POST', 'faults', {'operation': '*', 'skew_s': 900})
        error = self.refused('InvalidSignatureException', 'Signature expired', self.sagemaker.describe_training_job,
                             TrainingJobName='f-1')
        self.assertIn('- 5 min.)', str(error))

    def test_control_places_and_moves_jobs(self):
        self.server.control('PUT', 'jobs/placed-1', {
            'TrainingJobStatus': 'InProgress', 'SecondaryStatus': 'Training', 'CreationTime': 1783000000000,
            'TrainingStartTime': '2026-07-02T13:49:00Z', 'TuningJobArn': 'arn:x', 'Tags': {'a': 'b'}})
        seen = self.sagemaker.describe_training_job(TrainingJobName='placed-1')
        self.assertEqual(seen['CreationTime'].timestamp(), 1783000000)
        self.assertEqual(seen['TuningJobArn'], 'arn:x')
        self.server.control('POST', 'jobs/placed-1/transition', {
            'SecondaryStatus': 'Failed', 'FailureReason': 'InternalServerError', 'at': 1783000100.5})
        seen = self.sagemaker.describe_training_job(TrainingJobName='placed-1')
        self.assertEqual((seen['TrainingJobStatus'], seen['FailureReason']), ('Failed', 'InternalServerError'))
        self.assertEqual(seen['TrainingEndTime'].timestamp(), 1783000100.5)

    def test_a_placed_job_keeps_its_arn(self):
        arn = 'arn:aws:sagemaker:eu-west-1:444455556666:training-job/another'
        placed = self.server.control('PUT', 'jobs/placed-2', {'TrainingJobArn': arn, 'Tags': [{'Key': 'a', 'Value': 'b'}]})
        self.assertEqual(placed, {'TrainingJobArn': arn})
        self.assertEqual(self.sagemaker.describe_training_job(TrainingJobName='placed-2')['TrainingJobArn'], arn)
        self.assertEqual(self.sagemaker.list_tags(ResourceArn=arn)['Tags'], [{'Key': 'a', 'Value': 'b'}])


@unittest.skipIf(boto3 is None, 'boto3 cannot be imported')
@unittest.skipUnless(LOCALAWS, 'LOCALAWS does not name the binary')
class Credentials(unittest.TestCase):
    def test_the_environments_credentials_are_the_ones_accepted(self):
        server = Server(AWS_ACCESS_KEY_ID='AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY='secret/+', AWS_SESSION_TOKEN='to+ken/==')
        try:
            server.client('sagemaker', 'AKIDEXAMPLE', 'secret/+', 'to+ken/==').list_training_jobs()
            with self.assertRaises(ClientError):
                server.client('sagemaker', 'AKIDEXAMPLE', 'secret/+').list_training_jobs()
        finally:
            self.assertEqual(server.stop(), 0)

    def test_wrong_options_end_with_status_2(self):
        for options in (['--port', 'x'], ['--state', '/nowhere'], ['--nothing'], ['--account', '12']):
            ended = subprocess.run([LOCALAWS, 'serve', *options], capture_output=True, text=True, check=False,
                                   env=environment())
            self.assertEqual((ended.returncode, ended.stdout), (2, ''), options)
            self.assertIn('usage: localaws serve', ended.stderr)


if __name__ == '__main__':
    unittest.main()
