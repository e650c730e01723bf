"""The service control policy of organisations.md, and the words on leaving, held to the template.

usage: python3 -m unittest discover -p organisation_test.py
"""
import json
import re
import unittest

try:
    import yaml  # noqa: F401
except ImportError:
    raise unittest.SkipTest('python3-yaml is not installed')

import iam
from cloudformation import REPOSITORY, Stack, load

ACCOUNT = '111122223333'
STACK = 'StackSet-trainwarden-0f1e2d'
README = (REPOSITORY / 'README.md').read_text()
ORGANISATIONS = (REPOSITORY / 'handlers/organisations.md').read_text()
OPERATIONS = (REPOSITORY / 'handlers/operations.md').read_text()
HERE = f'eu-central-1:{ACCOUNT}:'
# Resource type -> what would take such a resource away or alter it, and where. None: not fenced in, and why.
FENCED = {
    'AWS::Lambda::Function': (['lambda:UpdateFunctionCode', 'lambda:UpdateFunctionConfiguration', 'lambda:DeleteFunction',
                               'lambda:PutFunctionConcurrency'], f'arn:aws:lambda:{HERE}function:{{}}'),
    'AWS::Lambda::EventInvokeConfig': (['lambda:UpdateFunctionEventInvokeConfig', 'lambda:DeleteFunctionEventInvokeConfig'],
                                       f'arn:aws:lambda:{HERE}function:{{}}'),
    'AWS::Lambda::Permission': (['lambda:RemovePermission', 'lambda:AddPermission'], f'arn:aws:lambda:{HERE}function:{{}}'),
    'AWS::IAM::Role': (['iam:DeleteRole', 'iam:UpdateAssumeRolePolicy', 'iam:PassRole', 'iam:PutRolePermissionsBoundary'],
                       f'arn:aws:iam::{ACCOUNT}:role/{{}}'),
    'AWS::IAM::Policy': (['iam:PutRolePolicy', 'iam:DeleteRolePolicy', 'iam:AttachRolePolicy'], f'arn:aws:iam::{ACCOUNT}:role/{{}}'),
    'AWS::Logs::LogGroup': (['logs:DeleteLogGroup', 'logs:DeleteLogStream', 'logs:PutRetentionPolicy'],
                            f'arn:aws:logs:{HERE}log-group:/aws/lambda/{STACK}-state:*'),
    'AWS::Events::Rule': (['events:DisableRule', 'events:RemoveTargets', 'events:DeleteRule', 'events:PutRule'],
                          f'arn:aws:events:{HERE}rule/{{}}'),
    'AWS::SNS::Topic': (['sns:DeleteTopic', 'sns:SetTopicAttributes'], f'arn:aws:sns:{HERE}{{}}'),
    'AWS::SNS::TopicPolicy': (['sns:AddPermission', 'sns:RemovePermission'], f'arn:aws:sns:{HERE}{{}}'),
    'AWS::SNS::Subscription': (['sns:Unsubscribe'], f'arn:aws:sns:{HERE}{{}}'),
    'AWS::SQS::Queue': (['sqs:DeleteQueue', 'sqs:PurgeQueue'], f'arn:aws:sqs:{HERE}{{}}'),
    'AWS::SQS::QueuePolicy': (['sqs:SetQueueAttributes'], f'arn:aws:sqs:{HERE}{{}}'),
    'AWS::DynamoDB::Table': (['dynamodb:DeleteTable', 'dynamodb:UpdateTable', 'dynamodb:DeleteResourcePolicy', 'dynamodb:UpdateTimeToLive'],
                             f'arn:aws:dynamodb:{HERE}table/{{}}'),
    'AWS::SSM::Parameter': (['ssm:DeleteParameter', 'ssm:PutParameter'], f'arn:aws:ssm:{HERE}parameter/trainwarden/alarm-prefix/trainwarden'),
    'AWS::CloudWatch::Alarm': (['cloudwatch:DeleteAlarms', 'cloudwatch:DisableAlarmActions', 'cloudwatch:PutMetricAlarm'],
                               f'arn:aws:cloudwatch:{HERE}alarm:{{}}'),
    'AWS::CloudWatch::Dashboard': None,  # it shows, and guards nothing
    'AWS::KMS::Key': None,  # its name is random; its own policy names who may what
}


def service_control_policy():
    found = [block for block in re.findall(r'```json\n(.*?)```', ORGANISATIONS, re.S) if 'LeaveTrainwardenAlone' in block]
    assert len(found) == 1
    return json.loads(found[0])


def denied(action, resource, principal):
    return any(iam.denies({k: v for k, v in statement.items() if k != 'Sid'}, action, resource, {'aws:PrincipalArn': principal})
               for statement in service_control_policy()['Statement'])


class Fence(unittest.TestCase):
    ROLE = f'arn:aws:iam::{ACCOUNT}:role/'
    OTHERS = [ROLE + 'Admin', f'arn:aws:iam::{ACCOUNT}:root', f'arn:aws:iam::{ACCOUNT}:user/jo', ROLE + 'my-stacksets-exec-1']
    OURS = [ROLE + 'stacksets-exec-0123456789abcdef', ROLE + STACK + '-StateFunctionRole-ABC']

    def acts(self):
        for name, resource in load()['Resources'].items():
            self.assertIn(resource['Type'], FENCED, 'what does the service control policy say of these?')
            actions, arn = FENCED[resource['Type']] or ([], '')
            for action in actions:
                yield action, arn.format(f'{STACK}-{name}-ABC')
        yield 'cloudformation:DeleteStack', f'arn:aws:cloudformation:{HERE}stack/{STACK}/1a2b'
        yield 'cloudformation:ExecuteChangeSet', f'arn:aws:cloudformation:{HERE}stack/{STACK}/1a2b'
        yield 'cloudwatch:SetAlarmState', f'arn:aws:cloudwatch:{HERE}alarm:trainwarden/job/gpu-idle'

    def test_holds_each_resource_of_the_template_against_all_but_the_stack_set(self):
        for action, resource in self.acts():
            for principal in self.OTHERS:
                self.assertTrue(denied(action, resource, principal), (action, resource, principal))
            for principal in self.OURS:
                self.assertFalse(denied(action, resource, principal), (action, resource, principal))

    def test_leaves_all_else_alone(self):
        for action, resource in self.acts():
            other = resource.replace(STACK, 'their-stack').replace('trainwarden/', 'theirs/')
            self.assertFalse(denied(action, other, self.OTHERS[0]), (action, other))
        for action, resource in (('lambda:GetFunction', f'arn:aws:lambda:{HERE}function:{STACK}-StateFunction-ABC'),
                                 ('logs:FilterLogEvents', f'arn:aws:logs:{HERE}log-group:/aws/lambda/{STACK}-state:*'),
                                 ('sns:Subscribe', f'arn:aws:sns:{HERE}{STACK}-CreatedNotifyTopic-ABC'),
                                 ('sagemaker:CreateTrainingJob', f'arn:aws:sagemaker:{HERE}training-job/job')):
            self.assertFalse(denied(action, resource, self.OTHERS[0]), action)

    def test_is_one_that_organizations_takes(self):
        """At most 5,120 characters, and no Principal: https://docs.aws.amazon.com/organizations/latest/userguide/orgs_reference_limits.html"""
        policy = service_control_policy()
        self.assertLess(len(json.dumps(policy, indent=2)), 5120)
        for statement in policy['Statement']:
            self.assertEqual(statement.keys(), {'Sid', 'Effect', 'Action', 'Resource', 'Condition'})


class Leaving(unittest.TestCase):
    def test_the_stack_retains_nothing(self):
        """As operations.md says: what has a DeletionPolicy has Delete, and no type's default is another."""
        for name, resource in load()['Resources'].items():
            self.assertEqual(resource.get('DeletionPolicy', 'Delete'), 'Delete', name)
            self.assertEqual(resource.get('UpdateReplacePolicy', 'Delete'), 'Delete', name)

    def test_the_command_names_the_default_prefix(self):
        self.assertIn(f'--alarm-name-prefix {Stack(load()).parameters["AlarmPrefix"]}/ ', OPERATIONS)

    def test_the_template_is_too_large_for_a_request(self):
        """Hence `--s3-bucket` and `--template-url`: CloudFormation takes 51,200 bytes in a request, and a megabyte from S3."""
        self.assertTrue(51200 < (REPOSITORY / 'template.yaml').stat().st_size < 1000000)
        self.assertIn('cloudformation deploy --template-file packaged.yaml --s3-bucket', README)
        self.assertIn('--template-url', ORGANISATIONS)


if __name__ == '__main__':
    unittest.main()
