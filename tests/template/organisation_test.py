"""The service control policy of organisations.md, and the words on leaving, held to the template.

usage: python3 -m unittest discover -p organisation_test.py
"""
import json
import pathlib
import re
import unittest

try:
    import yaml  # noqa: F401
except ImportError:
    raise unittest.SkipTest('python3-yaml is not installed')

import iam
from cloudformation import REPOSITORY, Stack, load

MEMBER, CENTRAL, MANAGEMENT = '222233334444', '111122223333', '999999999999'
ORGANISATION = 'o-a1b2c3d4e5'
STACK = 'StackSet-trainwarden-0f1e2d'
README = (REPOSITORY / 'README.md').read_text()
ORGANISATIONS = (REPOSITORY / 'handlers/organisations.md').read_text()
OPERATIONS = (REPOSITORY / 'handlers/operations.md').read_text()
HERE = f'eu-central-1:{MEMBER}:'
ROLE = f'arn:aws:iam::{MEMBER}:role/'
EXECUTION = ROLE + 'stacksets-exec-0123456789abcdef'
OURS = ROLE + STACK + '-StateFunctionRole-ABC'
OTHERS = [ROLE + 'Admin', f'arn:aws:iam::{MEMBER}:root', f'arn:aws:iam::{MEMBER}:user/jo', ROLE + 'my-stacksets-exec-1',
          ROLE + 'x/stacksets-exec-1', ROLE + 'AWSCloudFormationStackSetExecutionRole', ROLE + f'x/{STACK}-StateFunctionRole-ABC']
# Resource type -> what would take such a resource away or alter it, and where. None: not fenced in, and why.
FENCED = {
    'AWS::Lambda::Function': (['lambda:UpdateFunctionCode', 'lambda:UpdateFunctionConfiguration', 'lambda:DeleteFunction',
                               'lambda:PutFunctionConcurrency', 'lambda:InvokeFunction'], f'arn:aws:lambda:{HERE}function:{{}}'),
    'AWS::Lambda::EventInvokeConfig': (['lambda:UpdateFunctionEventInvokeConfig', 'lambda:DeleteFunctionEventInvokeConfig'],
                                       f'arn:aws:lambda:{HERE}function:{{}}'),
    'AWS::Lambda::Permission': (['lambda:RemovePermission', 'lambda:AddPermission'], f'arn:aws:lambda:{HERE}function:{{}}'),
    'AWS::IAM::Role': (['iam:CreateRole', 'iam:DeleteRole', 'iam:UpdateAssumeRolePolicy', 'iam:PassRole', 'iam:PutRolePermissionsBoundary',
                        'iam:PutRolePolicy', 'iam:DeleteRolePolicy', 'iam:AttachRolePolicy', 'iam:DetachRolePolicy', 'iam:TagRole',
                        'sts:AssumeRole'], f'arn:aws:iam::{MEMBER}:role/{{}}'),
    'AWS::IAM::ManagedPolicy': (['iam:CreatePolicyVersion', 'iam:SetDefaultPolicyVersion', 'iam:DeletePolicy', 'iam:DeletePolicyVersion'],
                                f'arn:aws:iam::{MEMBER}:policy/{{}}'),
    'AWS::Logs::LogGroup': (['logs:DeleteLogGroup', 'logs:DeleteLogStream', 'logs:PutRetentionPolicy', 'logs:PutLogEvents', 'logs:AssociateKmsKey'],
                            f'arn:aws:logs:{HERE}log-group:/aws/lambda/{STACK}-state:*'),
    'AWS::Events::Rule': (['events:DisableRule', 'events:RemoveTargets', 'events:DeleteRule', 'events:PutRule', 'events:PutTargets'],
                          f'arn:aws:events:{HERE}rule/{{}}'),
    'AWS::SNS::Topic': (['sns:DeleteTopic', 'sns:SetTopicAttributes', 'sns:Publish', 'sns:PutDataProtectionPolicy'], f'arn:aws:sns:{HERE}{{}}'),
    'AWS::SNS::TopicPolicy': (['sns:AddPermission', 'sns:RemovePermission'], f'arn:aws:sns:{HERE}{{}}'),
    'AWS::SNS::Subscription': (['sns:Unsubscribe', 'sns:SetSubscriptionAttributes'], f'arn:aws:sns:{HERE}{{}}'),
    'AWS::SQS::Queue': (['sqs:DeleteQueue', 'sqs:PurgeQueue', 'sqs:DeleteMessage'], f'arn:aws:sqs:{HERE}{{}}'),
    'AWS::SQS::QueuePolicy': (['sqs:SetQueueAttributes', 'sqs:AddPermission'], f'arn:aws:sqs:{HERE}{{}}'),
    'AWS::DynamoDB::Table': (['dynamodb:DeleteTable', 'dynamodb:UpdateTable', 'dynamodb:DeleteResourcePolicy', 'dynamodb:UpdateTimeToLive',
                              'dynamodb:PutItem', 'dynamodb:PartiQLUpdate'], f'arn:aws:dynamodb:{HERE}table/{{}}'),
    'AWS::SSM::Parameter': (['ssm:DeleteParameter', 'ssm:PutParameter'], f'arn:aws:ssm:{HERE}parameter/trainwarden/alarm-prefix/trainwarden'),
    'AWS::CloudWatch::Alarm': (['cloudwatch:DeleteAlarms', 'cloudwatch:DisableAlarmActions', 'cloudwatch:PutMetricAlarm',
                                'cloudwatch:PutAlarmMuteRule', 'cloudwatch:SetAlarmState', 'cloudwatch:PutCompositeAlarm'],
                               f'arn:aws:cloudwatch:{HERE}alarm:{{}}'),
    'AWS::CloudWatch::Dashboard': None,  # it shows, and guards nothing
    'AWS::KMS::Key': None,  # its name is random: test_the_key_is_known_by_its_tag
}
# What changes nothing of the guard, although it begins neither with Get, List nor Describe.
HARMLESS = {'sns:confirmsubscription', 'sns:subscribe', 'sqs:receivemessage', 'sqs:changemessagevisibility', 'dynamodb:query', 'dynamodb:scan',
            'dynamodb:batchgetitem', 'logs:filterlogevents', 'logs:startquery', 'logs:startlivetail', 'cloudformation:detectstackdrift',
            'cloudformation:detectstackresourcedrift', 'iam:generateservicelastaccesseddetails', 'iam:simulateprincipalpolicy'}


def policy_with(sid):
    found = [block for block in re.findall(r'```json\n(.*?)```', ORGANISATIONS, re.S) if f'"{sid}"' in block]
    assert len(found) == 1, sid
    return json.loads(found[0])


def denied(action, resource, principal, **context):
    return iam.scp_denies([policy_with('LeaveTrainwardenAlone')], principal, action, resource, MANAGEMENT, context)


def service_actions():
    """service -> cfn-lint's copy of the service authorization reference; None where there is no cfn-lint."""
    try:
        import cfnlint
    except ImportError:
        return None
    found = list(pathlib.Path(cfnlint.__file__).parent.rglob('AdditionalSpecs/Policies.json'))
    return json.loads(found[0].read_text()) if found else None


class Fence(unittest.TestCase):
    """Each sentence of organisations.md on the service control policy."""

    def acts(self):
        for name, resource in load()['Resources'].items():
            self.assertIn(resource['Type'], FENCED, 'what does the service control policy say of these?')
            actions, arn = FENCED[resource['Type']] or ([], '')
            for action in actions:
                yield action, arn.format(f'{STACK}-{name}-ABC')
        for action in ('DeleteStack', 'UpdateStack', 'ExecuteChangeSet', 'SetStackPolicy', 'ContinueUpdateRollback', 'RollbackStack',
                       'ExecuteStackRefactor'):
            yield f'cloudformation:{action}', f'arn:aws:cloudformation:{HERE}stack/{STACK}/1a2b'
        for action in ('SetAlarmState', 'PutAlarmMuteRule', 'DeleteAlarms', 'PutMetricAlarm'):
            yield f'cloudwatch:{action}', f'arn:aws:cloudwatch:{HERE}alarm:trainwarden/job/gpu-idle'
        for action, _ in [(a, None) for a in FENCED['AWS::IAM::Role'][0]]:
            yield action, EXECUTION

    def test_nobody_in_an_account_not_even_its_root_user_can_take_the_guard_away(self):
        for action, resource in self.acts():
            for principal in OTHERS:
                self.assertTrue(denied(action, resource, principal), (action, resource, principal))

    def test_the_stack_set_can_and_the_functions_own_roles_what_they_need(self):
        for action, resource in self.acts():
            for principal in (EXECUTION, OURS):
                self.assertFalse(denied(action, resource, principal), (action, resource, principal))

    def test_nobody_takes_over_or_makes_a_role_that_is_let_through(self):
        """Whatever role a principal's ARN could be let through as, nobody can make it, nor change whom it trusts."""
        statements = policy_with('LeaveTrainwardenAlone')['Statement']
        patterns = {pattern for s in statements for pattern in iam.as_list(s.get('Condition', {}).get('ArnNotLike', {}).get('aws:PrincipalArn', []))}
        self.assertEqual(len(patterns), 2)
        for pattern in patterns:
            for name in ('evil', 'a/b', '', 'x-StateFunctionRole'):
                role = pattern.replace('::*:', f'::{MEMBER}:').replace('*', name)
                for action in ('CreateRole', 'UpdateAssumeRolePolicy', 'PutRolePolicy', 'AttachRolePolicy', 'PassRole', 'TagRole', 'DeleteRole'):
                    self.assertTrue(denied(f'iam:{action}', role, ROLE + 'Admin'), (action, role))
                self.assertTrue(denied('sts:AssumeRole', role, ROLE + 'Admin'), role)
        self.assertFalse(denied('iam:CreateRole', ROLE + 'their-own', ROLE + 'Admin'))

    def test_StackSets_itself_may_make_its_roles(self):
        """By its service-linked role, for which no service control policy holds."""
        own = ROLE + 'aws-service-role/member.org.stacksets.cloudformation.amazonaws.com/AWSServiceRoleForCloudFormationStackSetsOrgMember'
        self.assertFalse(denied('iam:CreateRole', EXECUTION, own))

    def test_nobody_mutes_it(self):
        for alarm in (f'{STACK}-SweepOverdueAlarm-ABC', 'trainwarden/job/gpu-idle'):
            for principal in OTHERS:
                self.assertTrue(denied('cloudwatch:PutAlarmMuteRule', f'arn:aws:cloudwatch:{HERE}alarm:{alarm}', principal))
        # The rule is a resource besides: one on alarms of their own is theirs.
        for resource in ('alarm-mute-rule:nightly', 'alarm:their-own'):
            self.assertFalse(denied('cloudwatch:PutAlarmMuteRule', f'arn:aws:cloudwatch:{HERE}{resource}', OTHERS[0]))

    def test_nobody_leaves_the_organisation(self):
        for principal in OTHERS:
            self.assertTrue(denied('organizations:LeaveOrganization', '*', principal))
            self.assertFalse(denied('organizations:DescribeOrganization', '*', principal))

    def test_they_may_read_and_subscribe(self):
        for action, resource in (('lambda:GetFunction', f'arn:aws:lambda:{HERE}function:{STACK}-StateFunction-ABC'),
                                 ('logs:FilterLogEvents', f'arn:aws:logs:{HERE}log-group:/aws/lambda/{STACK}-state:*'),
                                 ('sns:Subscribe', f'arn:aws:sns:{HERE}{STACK}-CreatedNotifyTopic-ABC'),
                                 ('sqs:ReceiveMessage', f'arn:aws:sqs:{HERE}{STACK}-FailedEvents-ABC'),
                                 ('dynamodb:Scan', f'arn:aws:dynamodb:{HERE}table/{STACK}-StateTable-ABC'),
                                 ('cloudwatch:DescribeAlarms', f'arn:aws:cloudwatch:{HERE}alarm:{STACK}-SweepOverdueAlarm-ABC'),
                                 ('cloudformation:DescribeStackEvents', f'arn:aws:cloudformation:{HERE}stack/{STACK}/1a2b'),
                                 ('iam:GetRole', OURS), ('ssm:GetParameter', f'arn:aws:ssm:{HERE}parameter/trainwarden/policy')):
            for principal in OTHERS:
                self.assertFalse(denied(action, resource, principal), (action, principal))

    def test_and_nothing_else_also_not_what_aws_adds(self):
        for action, resource in (('cloudwatch:PutSomethingNew', f'arn:aws:cloudwatch:{HERE}alarm:{STACK}-SweepOverdueAlarm-ABC'),
                                 ('newservice:Seize', f'arn:aws:dynamodb:{HERE}table/{STACK}-StateTable-ABC')):
            self.assertTrue(denied(action, resource, OTHERS[0]), action)

    @unittest.skipUnless(service_actions(), 'there is no cfn-lint here, whose data this reads')
    def test_nothing_else_by_the_service_authorization_reference(self):
        services, places = service_actions(), {
            'cloudformation': {'stack': f'arn:aws:cloudformation:{HERE}stack/{STACK}/1a2b'},
            'lambda': {'function': f'arn:aws:lambda:{HERE}function:{STACK}-StateFunction-ABC'},
            'iam': {'role': OURS, 'policy': f'arn:aws:iam::{MEMBER}:policy/{STACK}-StopJobs-ABC'},
            'events': {'rule-on-default-event-bus': f'arn:aws:events:{HERE}rule/{STACK}-SweepRule-ABC'},
            'sns': {'topic': f'arn:aws:sns:{HERE}{STACK}-AlarmTopic-ABC'}, 'sqs': {'queue': f'arn:aws:sqs:{HERE}{STACK}-FailedEvents-ABC'},
            'dynamodb': {'table': f'arn:aws:dynamodb:{HERE}table/{STACK}-StateTable-ABC'},
            'logs': {'log-group': f'arn:aws:logs:{HERE}log-group:/aws/lambda/{STACK}-state:*'},
            'ssm': {'parameter': f'arn:aws:ssm:{HERE}parameter/trainwarden/policy'},
            'cloudwatch': {'alarm': f'arn:aws:cloudwatch:{HERE}alarm:trainwarden/job/gpu-idle'}}
        seen = 0
        for service, kinds in places.items():
            for action, known in services[service]['Actions'].items():
                for kind in set(kinds) & set(known.get('Resources', [])):
                    reads = action.startswith(('get', 'list', 'describe')) or f'{service}:{action}' in HARMLESS
                    self.assertEqual(denied(f'{service}:{action}', kinds[kind], OTHERS[0]), not reads, (service, action))
                    seen += not reads
        self.assertGreater(seen, 150)

    def test_leaves_all_else_alone(self):
        for action, resource in self.acts():
            other = resource.replace(STACK, 'their-stack').replace('trainwarden/', 'theirs/').replace('stacksets-exec-', 'their-role-')
            self.assertFalse(denied(action, other, OTHERS[0]), (action, other))
        for action, resource in (('sagemaker:CreateTrainingJob', f'arn:aws:sagemaker:{HERE}training-job/job'),
                                 ('cloudwatch:PutMetricData', '*'), ('cloudformation:CreateStack', f'arn:aws:cloudformation:{HERE}stack/theirs/1')):
            self.assertFalse(denied(action, resource, OTHERS[0]), action)

    def test_the_key_is_known_by_its_tag(self):
        stack = Stack(load(), EncryptTopics='yes')
        (tag,) = stack.function('TopicKey')['Tags']
        self.assertEqual(tag, {'Key': 'trainwarden:stack', 'Value': 'trainwarden'})  # the stack's name
        key, ours = f'arn:aws:kms:{HERE}key/1234abcd', {f'aws:ResourceTag/{tag["Key"]}': STACK}
        for action in ('DisableKey', 'ScheduleKeyDeletion', 'PutKeyPolicy', 'UntagResource', 'TagResource', 'CreateGrant', 'Encrypt'):
            for principal in OTHERS:
                self.assertTrue(denied(f'kms:{action}', key, principal, **ours), (action, principal))
                self.assertFalse(denied(f'kms:{action}', key, principal), (action, principal))
                self.assertFalse(denied(f'kms:{action}', key, principal, **{k: 'their-stack' for k in ours}), (action, principal))
            self.assertFalse(denied(f'kms:{action}', key, EXECUTION, **ours), action)
        for action in ('Decrypt', 'GenerateDataKey', 'DescribeKey'):
            for principal in (OURS, *OTHERS):
                self.assertFalse(denied(f'kms:{action}', key, principal, **ours), (action, principal))

    def test_does_not_hold_in_the_management_account(self):
        for action, resource in self.acts():
            there = resource.replace(MEMBER, MANAGEMENT)
            self.assertFalse(denied(action, there, f'arn:aws:iam::{MANAGEMENT}:role/Admin'), action)

    def test_is_one_that_organizations_takes(self):
        """At most 5,120 characters, and no Principal: https://docs.aws.amazon.com/organizations/latest/userguide/orgs_reference_limits.html"""
        policy = policy_with('LeaveTrainwardenAlone')
        self.assertLess(len(json.dumps(policy, indent=2)), 5120)
        for statement in policy['Statement']:
            self.assertEqual(statement['Effect'], 'Deny')
            self.assertLessEqual(statement.keys(), {'Sid', 'Effect', 'Action', 'NotAction', 'Resource', 'Condition'})
            for pattern in iam.as_list(statement.get('Action', statement.get('NotAction'))):
                self.assertRegex(pattern, r'^[a-z]+:[A-Za-z]+\*?$')  # no wildcard in a service's name


class OneOfAll(unittest.TestCase):
    """The other policies of that page."""

    def test_the_topics_policy_lets_the_functions_publish_and_the_alarms_of_your_accounts(self):
        policy, topic = policy_with('TheFunctionsTell'), f'arn:aws:sns:eu-central-1:{CENTRAL}:trainwarden-people'

        def may(principal, **context):
            return iam.resource_policy_allows(policy, principal, 'sns:Publish', topic, context)
        ours = {'aws:PrincipalOrgID': ORGANISATION}
        self.assertTrue(may(OURS, **ours))
        for principal, context in ((OURS, {}), (OURS, {'aws:PrincipalOrgID': 'o-else'}), (ROLE + 'Admin', ours), (f'arn:aws:iam::{MEMBER}:root', ours)):
            self.assertFalse(may(principal, **context), (principal, context))
        alarm = f'arn:aws:cloudwatch:{HERE}alarm:{STACK}-SweepOverdueAlarm-ABC'
        cloudwatch = {'Service': 'cloudwatch.amazonaws.com'}
        self.assertTrue(may(cloudwatch, **{'aws:SourceAccount': MEMBER, 'aws:SourceArn': alarm}))
        for service, account, source in (('cloudwatch.amazonaws.com', '888888888888', alarm), ('events.amazonaws.com', MEMBER, alarm),
                                         ('cloudwatch.amazonaws.com', MEMBER, alarm.replace(STACK, 'their-stack'))):
            self.assertFalse(may({'Service': service}, **{'aws:SourceAccount': account, 'aws:SourceArn': source}), (service, account))
        for action in ('sns:Subscribe', 'sns:DeleteTopic', 'sns:SetTopicAttributes'):
            self.assertFalse(iam.resource_policy_allows(policy, OURS, action, topic, ours))

    def test_the_buckets_policy_lets_the_organisation_read_it_and_nobody_else(self):
        policy, zip_ = policy_with('TheOrganisationReadsTheZips'), 'arn:aws:s3:::my-bucket-eu/0123456789abcdef'
        for action, context, holds in (('s3:GetObject', {'aws:PrincipalOrgID': ORGANISATION}, True), ('s3:GetObject', {}, False),
                                       ('s3:GetObject', {'aws:PrincipalOrgID': 'o-else'}, False), ('s3:PutObject', {'aws:PrincipalOrgID': ORGANISATION}, False)):
            self.assertEqual(iam.resource_policy_allows(policy, EXECUTION, action, zip_, context), holds, (action, context))


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
