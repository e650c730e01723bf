"""What calls the functions, what becomes of events that fail, whom alarms and dead letters reach, and with which keys.

usage: python3 -m unittest discover -p wiring_test.py
"""
import json
import unittest

try:
    import yaml  # noqa: F401
except ImportError:
    raise unittest.SkipTest('python3-yaml is not installed')

from cloudformation import REPOSITORY, Stack, load
from iam import allows, as_list, condition_holds, denies

ACCOUNT = '111122223333'
FUNCTIONS = ('StateFunction', 'AlarmFunction')


class Triggers(unittest.TestCase):
    def setUp(self):
        self.stack = Stack(load())
        self.functions = {f'arn:aws:lambda:eu-central-1:{ACCOUNT}:function:{name}': name for name in FUNCTIONS}

    def test_rules(self):
        rules = self.stack.of_type('AWS::Events::Rule')
        self.assertEqual(sorted(rules), ['SweepRule', 'TrainingJobRule', 'WeeklyReportRule'])
        for rule in rules.values():
            target, = rule['Targets']
            self.assertEqual(self.functions[target['Arn']], 'StateFunction')
            self.assertTrue(0 <= target['RetryPolicy']['MaximumRetryAttempts'] <= 185)
            self.assertTrue(60 <= target['RetryPolicy']['MaximumEventAgeInSeconds'] <= 86400)
        self.assertEqual(rules['TrainingJobRule']['EventPattern'],
                         {'source': ['aws.sagemaker'], 'detail-type': ['SageMaker Training Job State Change'],
                          'account': [ACCOUNT], 'region': ['eu-central-1']})
        self.assertEqual(rules['TrainingJobRule']['Targets'][0]['RetryPolicy'], {'MaximumRetryAttempts': 185, 'MaximumEventAgeInSeconds': 86400})
        self.assertEqual((rules['SweepRule']['ScheduleExpression'], rules['SweepRule']['State']), ('rate(15 minutes)', 'ENABLED'))
        weekly = rules['WeeklyReportRule']
        self.assertEqual((weekly['ScheduleExpression'], weekly['State']), ('cron(0 7 ? * MON *)', 'ENABLED'))

    def test_S2_the_weekly_report_has_an_event_of_its_own_and_can_be_switched_off(self):
        """EventBridge puts strings into a template of JSON with their quotes."""
        stack = Stack(load(), WeeklyReportState='DISABLED', WeeklyReportSchedule='rate(7 days)')
        rule = stack.of_type('AWS::Events::Rule')['WeeklyReportRule']
        self.assertEqual((rule['ScheduleExpression'], rule['State']), ('rate(7 days)', 'DISABLED'))
        event = {'id': 'w-1', 'region': 'eu-central-1', 'account': ACCOUNT, 'time': '2026-11-23T07:00:00Z', 'detail-type': 'Scheduled Event'}
        transformer = rule['Targets'][0]['InputTransformer']
        text = transformer['InputTemplate']
        for name, path in transformer['InputPathsMap'].items():
            self.assertEqual(text.count(f'<{name}>'), 1)
            text = text.replace(f'<{name}>', json.dumps(event[path.removeprefix('$.')]))
        self.assertEqual(json.loads(text), {**event, 'source': 'aws.events', 'detail-type': 'Trainwarden Weekly Report'})
        self.assertNotIn('InputTransformer', stack.of_type('AWS::Events::Rule')['SweepRule']['Targets'][0])

    def test_the_event_names_are_those_that_the_code_expects(self):
        source = (REPOSITORY / 'handlers/state/state_event.cc').read_text()
        for text in ('aws.sagemaker', 'SageMaker Training Job State Change', 'aws.events', 'Scheduled Event', 'Trainwarden Weekly Report'):
            self.assertIn(f'"{text}"', source)

    def test_only_our_own_triggers_may_invoke(self):
        """A permission with a source for each trigger, and none besides."""
        permissions = {(p['Principal'], p['SourceArn'], p['FunctionName']) for p in self.stack.of_type('AWS::Lambda::Permission').values()}
        wanted = {('events.amazonaws.com', f'arn:aws:events:eu-central-1:{ACCOUNT}:rule/{name}', self.functions[target['Arn']])
                  for name, rule in self.stack.of_type('AWS::Events::Rule').items() for target in rule['Targets']}
        wanted |= {('sns.amazonaws.com', s['TopicArn'], self.functions[s['Endpoint']])
                   for s in self.stack.of_type('AWS::SNS::Subscription').values()}
        self.assertEqual(permissions, wanted)
        self.assertEqual(len(wanted), 4)

    def test_the_alarm_function_is_subscribed(self):
        subscription, = self.stack.of_type('AWS::SNS::Subscription').values()
        self.assertEqual((subscription['Protocol'], self.functions[subscription['Endpoint']]), ('lambda', 'AlarmFunction'))
        self.assertTrue(subscription['TopicArn'].endswith(':AlarmTopic'))
        self.assertNotIn('FilterPolicy', subscription)


def queue_allows(stack, queue_arn, service, source):
    """Whether the policy of a queue lets a service put messages there on behalf of this source."""
    for policy in stack.of_type('AWS::SQS::QueuePolicy').values():
        for statement in policy['PolicyDocument']['Statement']:
            if (statement['Effect'] == 'Allow' and statement['Principal'] == {'Service': service}
                    and allows({k: v for k, v in statement.items() if k != 'Principal'}, 'sqs:SendMessage', queue_arn, {'aws:SourceArn': source})):
                return f'https://sqs.eu-central-1.amazonaws.com/{ACCOUNT}/' + queue_arn.rsplit(':', 1)[1] in policy['Queues']
    return False


class DeadLetters(unittest.TestCase):
    def setUp(self):
        self.stack = Stack(load())
        self.queues = {f'arn:aws:sqs:eu-central-1:{ACCOUNT}:{name}': queue for name, queue in self.stack.of_type('AWS::SQS::Queue').items()}

    def test_of_eventbridge(self):
        for name, rule in self.stack.of_type('AWS::Events::Rule').items():
            for target in rule['Targets']:
                queue, source = target['DeadLetterConfig']['Arn'], f'arn:aws:events:eu-central-1:{ACCOUNT}:rule/{name}'
                self.assertIn(queue, self.queues)
                self.assertTrue(queue_allows(self.stack, queue, 'events.amazonaws.com', source))
                self.assertFalse(queue_allows(self.stack, queue, 'events.amazonaws.com', source + '-of-somebody-else'))

    def test_of_sns(self):
        subscription, = self.stack.of_type('AWS::SNS::Subscription').values()
        queue = subscription['RedrivePolicy']['deadLetterTargetArn']
        self.assertIn(queue, self.queues)
        self.assertTrue(queue_allows(self.stack, queue, 'sns.amazonaws.com', subscription['TopicArn']))
        self.assertFalse(queue_allows(self.stack, queue, 'sns.amazonaws.com', subscription['TopicArn'] + '2'))

    def test_of_lambda(self):  # that the roles may write there is in rights_test
        configs = self.stack.invoke_configs()
        self.assertEqual(sorted(configs), sorted(FUNCTIONS))
        for config in configs.values():
            self.assertEqual(config['Qualifier'], '$LATEST')  # the one that the rules and the topic invoke
            self.assertIn(config['DestinationConfig']['OnFailure']['Destination'], self.queues)
            self.assertTrue(0 <= config['MaximumRetryAttempts'] <= 2 and 60 <= config['MaximumEventAgeInSeconds'] <= 21600)

    def test_nobody_reads_or_writes_them_without_tls(self):
        policies = self.stack.of_type('AWS::SQS::QueuePolicy').values()
        self.assertEqual(sorted(url for policy in policies for url in policy['Queues']),
                         sorted(f'https://sqs.eu-central-1.amazonaws.com/{ACCOUNT}/{name}' for name in self.stack.of_type('AWS::SQS::Queue')))
        for policy in policies:
            queue = f'arn:aws:sqs:eu-central-1:{ACCOUNT}:' + policy['Queues'][0].rsplit('/', 1)[1]

            def denied(action, **context):
                return any(statement['Principal'] == '*' and denies({k: v for k, v in statement.items() if k != 'Principal'}, action, queue, context)
                           for statement in policy['PolicyDocument']['Statement'])
            for action in ('sqs:SendMessage', 'sqs:ReceiveMessage', 'sqs:DeleteQueue'):
                self.assertTrue(denied(action, **{'aws:SecureTransport': 'false'}), (queue, action))
                self.assertFalse(denied(action, **{'aws:SecureTransport': 'true'}), (queue, action))

    def test_are_three_queues_kept_for_two_weeks_and_encrypted(self):
        used = {target['DeadLetterConfig']['Arn'] for rule in self.stack.of_type('AWS::Events::Rule').values() for target in rule['Targets']}
        used |= {s['RedrivePolicy']['deadLetterTargetArn'] for s in self.stack.of_type('AWS::SNS::Subscription').values()}
        used |= {config['DestinationConfig']['OnFailure']['Destination'] for config in self.stack.invoke_configs().values()}
        self.assertEqual(used, set(self.queues))
        self.assertEqual(len(used), 3)
        for queue in self.queues.values():
            # With SQS's own keys: EventBridge and SNS cannot use the key alias/aws/sqs.
            self.assertEqual(queue, {'MessageRetentionPeriod': 14 * 86400, 'SqsManagedSseEnabled': True})


class Topics(unittest.TestCase):
    ALARM = f'arn:aws:cloudwatch:eu-central-1:{ACCOUNT}:alarm:'

    def test_only_our_alarms_publish_to_the_alarm_topic(self):
        policy = Stack(load()).function('AlarmTopicPolicy')
        self.assertEqual(policy['Topics'], [f'arn:aws:sns:eu-central-1:{ACCOUNT}:AlarmTopic'])
        statement, = policy['PolicyDocument']['Statement']
        self.assertEqual((statement['Principal'], statement['Action'], [statement['Resource']]),
                         ({'Service': 'cloudwatch.amazonaws.com'}, 'sns:Publish', policy['Topics']))
        for source, account, holds in ((self.ALARM + 'trainwarden/job/gpu-idle', ACCOUNT, True),
                                       (self.ALARM + 'other', ACCOUNT, False),
                                       (self.ALARM + 'trainwarden/job/gpu-idle', '999999999999', False)):
            context = {'aws:SourceArn': source, 'aws:SourceAccount': account}
            self.assertEqual(condition_holds(statement['Condition'], context), holds, context)

    def test_two_stacks_of_a_region_keep_to_their_own_alarms(self):
        first, second = Stack(load()), Stack(load(), AlarmPrefix='trainwarden-2')
        claims = [claim['Name'] for stack in (first, second) for claim in stack.of_type('AWS::SSM::Parameter').values()]
        self.assertEqual(claims, ['/trainwarden/alarm-prefix/trainwarden', '/trainwarden/alarm-prefix/trainwarden-2'])
        statement, = second.function('AlarmTopicPolicy')['PolicyDocument']['Statement']
        for name, holds in (('trainwarden-2/job/gpu-idle', True), ('trainwarden/job/gpu-idle', False), ('trainwarden-20/j/w', False)):
            context = {'aws:SourceArn': self.ALARM + name, 'aws:SourceAccount': ACCOUNT}
            self.assertEqual(condition_holds(statement['Condition'], context), holds, name)
        for stack, own, other in ((first, 'trainwarden', 'trainwarden-2'), (second, 'trainwarden-2', 'trainwarden')):
            statements = [statement for policy in stack.function('StateFunctionRole')['Policies']
                          for statement in policy['PolicyDocument']['Statement']]
            for action in ('PutMetricAlarm', 'DeleteAlarms', 'SetAlarmState'):
                def may(prefix):
                    return any(allows(statement, f'cloudwatch:{action}', f'{self.ALARM}{prefix}/job/gpu-idle', {})
                               for statement in statements)
                self.assertTrue(may(own), action)
                self.assertFalse(may(other), action)

    def test_each_that_the_stack_makes_has_a_policy_of_its_own(self):
        """SNS's own would let the whole account publish, and say so in a notice or as an alarm."""
        for parameters in ({}, {'NotifyTopic': 'create'}, {'NotifyTopic': 'create', 'OperatorEmail': 'jo@example.com'}):
            stack = Stack(load(), **parameters)
            topics = sorted(f'arn:aws:sns:eu-central-1:{ACCOUNT}:{name}' for name in stack.of_type('AWS::SNS::Topic'))
            policies = list(stack.of_type('AWS::SNS::TopicPolicy').values())
            self.assertEqual(sorted(topic for policy in policies for topic in policy['Topics']), topics)
            for policy in policies:
                for statement in policy['PolicyDocument']['Statement']:
                    self.assertEqual((statement['Effect'], statement['Action'], [statement['Resource']]), ('Allow', 'sns:Publish', policy['Topics']))
                    self.assertNotIn('*', str(statement['Principal']))

    def test_notices_come_from_the_functions_and_the_stacks_own_alarms(self):
        own, foreign = self.ALARM + 'trainwarden-SweepOverdueAlarm-1AB', self.ALARM + 'somebody-elses'
        for name, parameters, functions in (('CreatedNotifyTopic', {'NotifyTopic': 'create'}, True), ('CreatedOperatorTopic', {}, False)):
            statements = Stack(load(), **parameters).function(f'{name}Policy')['PolicyDocument']['Statement']

            def may(kind, principal, **context):
                return any(principal in as_list(s['Principal'].get(kind, [])) and condition_holds(s.get('Condition', {}), context)
                           for s in statements)
            for function in FUNCTIONS:
                self.assertEqual(may('AWS', f'arn:aws:iam::{ACCOUNT}:role/{function}Role'), functions, (name, function))
            self.assertFalse(may('AWS', f'arn:aws:iam::{ACCOUNT}:role/Admin'))
            for source, account, holds in ((own, ACCOUNT, True), (foreign, ACCOUNT, False), (own, '999999999999', False),
                                           (self.ALARM + 'trainwarden/job/gpu-idle', ACCOUNT, False)):
                self.assertEqual(may('Service', 'cloudwatch.amazonaws.com', **{'aws:SourceArn': source, 'aws:SourceAccount': account}),
                                 holds, (name, source, account))
            self.assertFalse(may('Service', 'events.amazonaws.com', **{'aws:SourceArn': own, 'aws:SourceAccount': ACCOUNT}))

    def test_are_plain_unless_asked(self):
        stack = Stack(load(), NotifyTopic='create')
        self.assertEqual(stack.of_type('AWS::KMS::Key'), {})
        self.assertEqual(stack.of_type('AWS::SNS::Topic'), {'AlarmTopic': {}, 'CreatedNotifyTopic': {}})
        self.assertNotIn('TopicKeyArn', stack.outputs)

    def test_are_encrypted_with_a_key_that_their_publishers_may_use(self):
        stack = Stack(load(), NotifyTopic='create', EncryptTopics='yes')
        self.assertEqual(stack.of_type('AWS::SNS::Topic'), {name: {'KmsMasterKeyId': 'TopicKey'} for name in ('AlarmTopic', 'CreatedNotifyTopic')})
        key = stack.function('TopicKey')
        self.assertTrue(key['EnableKeyRotation'])

        def may(kind, principal, action, **context):
            for statement in key['KeyPolicy']['Statement']:
                rest = {k: v for k, v in statement.items() if k not in ('Principal', 'Sid')}
                if principal in as_list(statement['Principal'].get(kind, [])) and allows(rest, action, '*', context):
                    return True
            return False
        roles = [f'arn:aws:iam::{ACCOUNT}:role/{name}Role' for name in FUNCTIONS]
        alarm = {'aws:SourceArn': self.ALARM + 'trainwarden/job/gpu-idle', 'aws:SourceAccount': ACCOUNT}
        for action in ('kms:Decrypt', 'kms:GenerateDataKey'):
            self.assertTrue(may('Service', 'cloudwatch.amazonaws.com', action, **alarm))
            self.assertFalse(may('Service', 'cloudwatch.amazonaws.com', action, **{**alarm, 'aws:SourceAccount': '999999999999'}))
            for role in roles:
                self.assertTrue(may('AWS', role, action, **{'kms:ViaService': 'sns.eu-central-1.amazonaws.com'}))
                self.assertFalse(may('AWS', role, action, **{'kms:ViaService': 's3.eu-central-1.amazonaws.com'}))
        for role in roles:
            self.assertFalse(may('AWS', role, 'kms:ScheduleKeyDeletion', **{'kms:ViaService': 'sns.eu-central-1.amazonaws.com'}))
        # Without this one nobody could ever change the key's policy again.
        self.assertTrue(may('AWS', f'arn:aws:iam::{ACCOUNT}:root', 'kms:PutKeyPolicy'))
        principals = {json.dumps(statement['Principal']) for statement in key['KeyPolicy']['Statement']}
        self.assertEqual(len(principals), 3)
        self.assertNotIn('*', ''.join(principals))


if __name__ == '__main__':
    unittest.main()
