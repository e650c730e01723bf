"""What tests of restarts share: policies, spot jobs with a checkpoint, and their copies on the embedded AWS."""
import json
import subprocess
import time
import unittest
import urllib.request

try:
    import boto3
    import botocore.auth
    import botocore.awsrequest
    import botocore.credentials
except ImportError:
    boto3 = None

from embedded_aws import ACCOUNT, BIN, REGION, EmbeddedAws, clean_environment

ROLE = f'arn:aws:iam::{ACCOUNT}:role/training/SomeRole'
POLICY = {
    'version': 1, 'mode': 'enforce', 'prices': {'ml.g5.12xlarge': 7.0},
    'rules': [{'name': 'thrash', 'match': {'job': {'SecondaryStatus': ['Interrupted']}},
               'actions': [{'restart': {'spot': False}}]},
              {'name': 'resume', 'match': {'job': {'TrainingJobStatus': ['Failed']}}, 'actions': ['restart']}]}
NOTHING = {'version': 1, 'mode': 'observe',
           'rules': [{'name': 'none', 'match': {'job': {'SecondaryStatus': ['Updating']}}, 'actions': ['stop']}]}


class OnEmbeddedAws(unittest.TestCase):
    def serve(self, policy, *arguments, **environment):
        aws = EmbeddedAws(policy, *arguments, **environment)
        self.addCleanup(aws.close)
        return aws

    def client(self, aws):
        client = boto3.client('sagemaker', endpoint_url=aws.url, region_name=REGION, aws_access_key_id='test',
                              aws_secret_access_key='test')
        self.addCleanup(client.close)
        return client

    def place(self, aws, name, status='InProgress', secondary='Training', **members):
        """A spot job with a checkpoint; returns its event."""
        return aws.job(name, TrainingJobStatus=status, SecondaryStatus=secondary, RoleArn=ROLE, **{
            'age': 7200, 'TrainingStartTime': time.time() - 7000, 'LastModifiedTime': time.time(),
            'AlgorithmSpecification': {'TrainingImage': 'example/image:1', 'TrainingInputMode': 'File'},
            'OutputDataConfig': {'S3OutputPath': 's3://example-bucket/out/', 'KmsKeyId': ''},
            'StoppingCondition': {'MaxRuntimeInSeconds': 86400, 'MaxWaitTimeInSeconds': 90000},
            'EnableManagedSpotTraining': True, 'HyperParameters': {'password': 'hunter2', 'resume': ''},
            'CheckpointConfig': {'S3Uri': f's3://example-bucket/checkpoints/{name}'}, **members})

    def move(self, aws, name, secondary, reason=None):
        status, answer = aws.control('POST', f'jobs/{name}/transition',
                                     {'SecondaryStatus': secondary, **({'FailureReason': reason} if reason else {})})
        self.assertEqual(status, 200, answer)

    def tags(self, client, name):
        arn = client.describe_training_job(TrainingJobName=name)['TrainingJobArn']
        return {t['Key']: t['Value'] for t in client.list_tags(ResourceArn=arn)['Tags']}

    def copies(self, client, parent):
        found = client.search(Resource='TrainingJob', SearchExpression={'Filters': [
            {'Name': 'Tags.trainwarden:parent', 'Operator': 'Equals', 'Value': parent}]})['Results']
        return [result['TrainingJob']['TrainingJobName'] for result in found]

    def delete(self, aws, name):
        """Older boto3 has no DeleteTrainingJob."""
        request = botocore.awsrequest.AWSRequest('POST', aws.url, data=json.dumps({'TrainingJobName': name}), headers={
            'X-Amz-Target': 'SageMaker.DeleteTrainingJob', 'Content-Type': 'application/x-amz-json-1.1'})
        botocore.auth.SigV4Auth(botocore.credentials.Credentials('test', 'test'), 'sagemaker', REGION).add_auth(request)
        with urllib.request.urlopen(urllib.request.Request(aws.url, request.data.encode(), dict(request.headers))) as answer:
            self.assertEqual(answer.status, 200)

    def end_and_delete(self, aws, client, name):
        client.stop_training_job(TrainingJobName=name)
        aws.wait(lambda: client.describe_training_job(TrainingJobName=name)['TrainingJobStatus'] == 'Stopped', what='it stopped')
        self.delete(aws, name)

    def command(self, aws, *arguments, **environment):
        return subprocess.run([BIN / 'trainwarden', *arguments], capture_output=True, text=True, timeout=60,
                              env=clean_environment(AWS_ENDPOINT_URL=aws.url, AWS_REGION=REGION, AWS_ACCESS_KEY_ID='test',
                                                    AWS_SECRET_ACCESS_KEY='test', **environment))
