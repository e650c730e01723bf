"""Copies are judged by botocore's models: what CreateTrainingJob would be sent.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest copies_test
"""
import json
import sys
import unittest

try:
    import botocore.session
    import botocore.validate
except ImportError:
    pass  # every test is skipped

from embedded_aws import ACCOUNT, REGION, SHARED
from restart_support import NOTHING, ROLE, OnEmbeddedAws, boto3


def create_shape():
    model = botocore.session.get_session().get_service_model('sagemaker')
    return (model.operation_model('CreateTrainingJob').input_shape, model.operation_model('DescribeTrainingJob').output_shape)


def filled(shape, name=''):
    """A value of the shape with every member set."""
    if shape.type_name == 'structure':
        return {key: filled(member, key) for key, member in shape.members.items()}
    if shape.type_name == 'list':
        return [filled(shape.member, name) for _ in range(max(1, shape.metadata.get('min', 1)))]
    if shape.type_name == 'map':
        return {'key': filled(shape.value, name), 'empty': ''} if name in ('HyperParameters', 'Environment') else {'key': 'value'}
    if shape.type_name == 'string':
        return shape.enum[0] if getattr(shape, 'enum', None) else text_for(name, shape.metadata.get('min', 1))
    return {'integer': max(1, shape.metadata.get('min', 1)), 'long': max(1, shape.metadata.get('min', 1)), 'boolean': True,
            'float': 0.5, 'double': 0.5, 'timestamp': 1783000000}[shape.type_name]


def text_for(name, least):
    if name.endswith('Arn'):
        return f'arn:aws:sagemaker:{REGION}:{ACCOUNT}:thing/{name.lower()}'
    return ('s3://example-bucket/x' if 'S3' in name or 'Uri' in name else 'text').ljust(least, 'x')


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class CopiesByBotocoresModel(OnEmbeddedAws):
    """What CreateTrainingJob would be sent, for the shared samples and for a document with every member set."""

    def copy_of(self, aws, name, document):
        status, answer = aws.control('PUT', f'jobs/{name}', document)
        self.assertEqual(status, 200, answer)
        ran = self.command(aws, 'restart', name, '--dry-run')
        self.assertEqual(ran.returncode, 0, (name, ran.stdout, ran.stderr))
        return json.loads(ran.stdout)

    def assert_valid(self, body, name):
        shape, _ = create_shape()
        known = {key: value for key, value in body.items() if key in shape.members}
        if known.keys() != body.keys():
            unknown = sorted(body.keys() - known.keys())
            print(f'left out: {len(unknown)} cases, members that this botocore does not know: {unknown}', file=sys.stderr)
        report = botocore.validate.ParamValidator().validate(known, shape)
        errors = [line for line in report.generate_report().splitlines() if 'Unknown parameter' not in line]
        self.assertEqual(errors, [], name)

    def test_samples(self):
        samples = sorted((SHARED / 'samples/state').glob('*.json'))
        if not samples:
            self.skipTest('17 cases need ../shared/samples/state, which is not here')
        aws = self.serve(NOTHING)
        for number, path in enumerate(samples):
            detail = json.loads(path.read_text())['detail']
            with self.subTest(sample=path.name):
                name = f'sample-{number}'
                document = {**{key: value for key, value in detail.items() if key not in ('TrainingJobArn', 'Environment')},
                            'TrainingJobName': name, 'TrainingJobStatus': 'Failed', 'SecondaryStatus': 'Failed',
                            'RoleArn': ROLE, 'Tags': {}, 'FailureReason': 'InternalServerError: x', 'CheckpointConfig': None}
                body = self.copy_of(aws, name, document)
                self.assert_valid(body, path.name)
                # Everything that says what the job is.
                for key in ('HyperParameters', 'InputDataConfig', 'ResourceConfig', 'StoppingCondition', 'OutputDataConfig'):
                    if detail.get(key):
                        self.assertIn(key, body)

    def test_every_member_set(self):
        shape, described = create_shape()
        aws = self.serve(NOTHING)
        document = filled(described)
        for parent in ('TuningJobArn', 'AutoMLJobArn', 'LabelingJobArn'):
            document[parent] = None
        document['ResourceConfig'].pop('TrainingPlanArn', None)
        document.update(TrainingJobName='full', TrainingJobStatus='Failed', SecondaryStatus='Failed', TrainingJobArn=None,
                        SecondaryStatusTransitions=[], CreationTime=1783000000, RoleArn=ROLE)
        document['ProfilerConfig']['DisableProfiler'] = False
        body = self.copy_of(aws, 'full', document)
        self.assert_valid(body, 'every member set')
        survived = set(shape.members) & set(described.members) - {'TrainingJobName'}
        self.assertEqual(survived - body.keys(), set())
        self.assertEqual(set(body) - survived, {'TrainingJobName', 'Tags'})
        for key in survived - {'HyperParameters', 'Environment', 'AlgorithmSpecification', 'ResourceConfig', 'RoleArn'}:
            self.assertEqual(body[key], document[key], key)
        self.assertEqual(set(document['AlgorithmSpecification']) - set(body['AlgorithmSpecification']), {'TrainingImage'})
        self.assertEqual(set(document['ResourceConfig']) - set(body['ResourceConfig']),
                         {'InstanceType', 'InstanceCount', 'KeepAlivePeriodInSeconds'} & set(document['ResourceConfig']))


if __name__ == '__main__':
    unittest.main()
