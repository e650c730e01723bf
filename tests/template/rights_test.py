"""Each call that the code can make is allowed to the function that makes it, and no other.

usage: [TRAINWARDEN_BIN=build/release/bin] python3 -m unittest discover -p rights_test.py
The calls are read from the sources (calls.py), and with TRAINWARDEN_BIN from the release binaries too; what each needs
stands in rights.json. The roles are those of template.yaml, for every combination of the parameters that switch rights.
"""
import copy
import itertools
import json
import os
import pathlib
import sys
import tempfile
import unittest

try:
    import yaml  # noqa: F401
except ImportError:
    raise unittest.SkipTest('python3-yaml is not installed')

import calls
import cloudformation
import iam

TABLE = json.loads((pathlib.Path(__file__).parent / 'rights.json').read_text())
CALLS, PLUMBING = TABLE['calls'], TABLE['plumbing']
ALWAYS = {'PassRoles': 'arn:aws:iam::111122223333:role/training/*', 'CopyInstanceTypes': 'ml.g5.*,ml.m5.large',
          'CheckpointBuckets': 'arn:aws:s3:::models,arn:aws:s3:::vision-*'}
SWITCHES = {'Mode': ['observe', 'notify', 'enforce'], 'Alarms': ['on', 'off'], 'NotifyTopic': ['none', 'create'],
            'PolicyParameter': ['', '/trainwarden/policy'],
            'TableKey': ['', 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab']}
BIN = os.environ.get('TRAINWARDEN_BIN')
ELSEWHERE = ('999999999999', 'us-gov-west-1')


def stacks(template):
    for values in itertools.product(*SWITCHES.values()):
        parameters = dict(zip(SWITCHES, values))
        yield parameters, cloudformation.Stack(template, **ALWAYS, **parameters)


def holds(only_with, parameters):
    """only_with: parameters with the values that they may have."""
    return all(parameters[name] in values for name, values in only_with.items())


def possible(operation, parameters):
    return holds(CALLS[operation].get('only_with', {}), parameters)


def is_allowed(role, right):
    return iam.allowed(role, right['action'], right['on'], **right.get('context', {}))


def elsewhere(arn):
    """The same thing in another account, and in another region."""
    if arn == '*':
        return []
    _, partition, service, region, account, rest = arn.split(':', 5)
    return [':'.join(('arn', partition, service, region, ELSEWHERE[0], rest))] + (
        [':'.join(('arn', partition, service, ELSEWHERE[1], account, rest))] if region else [])


def judge_role(function, role, made, parameters):
    """What is wrong with a function's role, if the function can make the calls in made."""
    complaints = []
    needed = [right for operation in sorted(made) for right in CALLS[operation]['rights']
              if holds(right.get('only_with', {}), parameters)] + PLUMBING[function]
    for right in needed:
        if not is_allowed(role, right):
            complaints.append(f'may not {right["action"]} on {right["on"]}, which its code does')
        for arn in elsewhere(right['on']):
            if is_allowed(role, {**right, 'on': arn}):
                complaints.append(f'may {right["action"]} on {arn}')
    for operation in sorted(CALLS):
        refused = CALLS[operation].get('refused', []) if operation in made else []
        for right in CALLS[operation]['rights'] + refused:
            if right not in needed and is_allowed(role, right):
                complaints.append(f'may {right["action"]} on {right["on"]} with {right.get("context", {})}, which its code never does')
    actions = {right['action'] for right in needed}
    for action in iam.granted_actions(role):
        if action not in actions:
            complaints.append(f'is granted {action}, which its code never needs')
    for statement in iam.statements(role):
        whole = [right['action'] for right in needed if right['on'] == '*']
        if '*' in iam.as_list(statement['Resource']) and not set(iam.as_list(statement['Action'])) <= set(whole):
            complaints.append(f'has a statement for every resource: {statement["Action"]}')
    return complaints


def judge(template, made):
    """made: function -> the calls that it can make. One complaint a function and mistake, with the first parameters."""
    complaints = {}
    for parameters, stack in stacks(template):
        for function in calls.FUNCTIONS:
            role = stack.function(stack.function(function)['Role'].rsplit('/', 1)[1])
            now = {operation for operation in made[function] if possible(operation, parameters)}
            for complaint in judge_role(function, role, now, parameters):
                complaints.setdefault(f'{function} {complaint}', parameters)
    return [f'{complaint} (with {parameters})' for complaint, parameters in complaints.items()]


class Rights(unittest.TestCase):
    def setUp(self):
        self.template = cloudformation.load()
        self.made = {function: calls.called_by(function, CALLS) for function in calls.FUNCTIONS}

    def test_every_call_of_awsapi_is_in_the_table(self):
        declared = calls.declared(CALLS)
        self.assertGreater(len(declared), 3)
        self.assertEqual(declared - CALLS.keys(), set(), 'awsapi sends what rights.json does not know')

    def test_each_call_has_a_method_of_its_name(self):
        """That is how called_by() finds who makes it."""
        headers = '\n'.join(path.read_text() for path in (calls.REPOSITORY / 'awsapi').glob('*.h'))
        for operation in calls.declared(CALLS):
            self.assertRegex(headers, rf'\b{calls.snake_case(operation)}(_call)?\(')

    def test_no_function_calls_what_awsapi_lacks(self):
        for function, made in self.made.items():
            self.assertEqual(made - calls.declared(CALLS), set(), function)

    def test_each_call_is_allowed_to_the_function_that_makes_it_and_no_other(self):
        complaints = judge(self.template, self.made)
        self.assertEqual(complaints, [], '\n' + '\n'.join(complaints))
        print(f'calls: {dict((f, sorted(m)) for f, m in self.made.items())}; known and made by none: '
              f'{sorted(calls.declared(CALLS) - set().union(*self.made.values()))}', file=sys.stderr)

    def test_the_state_function_makes_the_calls_of_the_main_job(self):
        self.assertLessEqual({'DescribeTrainingJob', 'ListTags', 'AddTags', 'StopTrainingJob'}, self.made['StateFunction'])

    def test_the_alarm_function_can_neither_create_jobs_nor_pass_roles(self):
        self.assertEqual(self.made['AlarmFunction'] & {'CreateTrainingJob'}, set())
        for parameters, stack in stacks(self.template):
            role = stack.function('AlarmFunctionRole')
            for right in CALLS['CreateTrainingJob']['rights'] + CALLS['CreateTrainingJob']['refused']:
                if right['action'] in ('iam:PassRole', 'sagemaker:CreateTrainingJob'):
                    self.assertFalse(is_allowed(role, right), (parameters, right))

    def test_without_roles_no_job_is_created(self):
        for parameters in ({'Mode': 'enforce', 'PassRoles': ''}, {'Mode': 'observe', 'PassRoles': ALWAYS['PassRoles']}):
            granted = iam.granted_actions(cloudformation.Stack(self.template, **parameters).function('StateFunctionRole'))
            self.assertEqual(set(granted) & {'iam:PassRole', 'sagemaker:CreateTrainingJob'}, set(), parameters)

    def test_no_call_is_made_where_nobody_looks(self):
        """Else sources_of() misses a file of a function, or the call is made by nobody."""
        self.assertEqual(calls.anywhere(CALLS), set().union(*self.made.values()))

    @unittest.skipUnless(BIN, 'TRAINWARDEN_BIN does not name a release build')
    def test_the_binaries_hold_the_calls_of_their_sources(self):
        for function, folder in calls.FUNCTIONS.items():
            linked = calls.linked_into(pathlib.Path(BIN) / folder / 'bootstrap', CALLS)
            self.assertEqual(sorted(self.made[function] - linked), [], function)

    def test_code_that_calls_more_asks_for_more(self):
        """What must be granted when a handler begins to make each call: nothing in the table is for show."""
        for operation in CALLS.keys() - self.made['StateFunction']:
            made = {**self.made, 'StateFunction': self.made['StateFunction'] | {operation}}
            action = CALLS[operation]['rights'][0]['action']
            self.assertTrue(any(f'StateFunction may not {action} on ' in line for line in judge(self.template, made)), operation)


    def test_without_buckets_nothing_is_listed(self):
        stack = cloudformation.Stack(self.template, Mode='enforce', CheckpointBuckets='')
        for role in ('StateFunctionRole', 'AlarmFunctionRole'):
            self.assertNotIn('s3:ListBucket', iam.granted_actions(stack.function(role)))


class Extras(unittest.TestCase):
    """Rights that the policy's own names need."""
    JOB = 'arn:aws:sagemaker:eu-central-1:111122223333:training-job/some-job'
    VISION, ML = (f'arn:aws:sns:eu-central-1:111122223333:{name}' for name in ('vision', 'ml'))

    def role(self, **parameters):
        return cloudformation.Stack(cloudformation.load(), **parameters).function('StateFunctionRole')

    def test_notices_go_to_the_topics_that_the_template_was_told_of(self):
        for mode, default in itertools.product(('observe', 'notify', 'enforce'), ('none', self.ML)):
            role = self.role(Mode=mode, NotifyTopic=default, MoreNotifyTopics=f'{self.VISION},{self.VISION}-2')
            for topic, told in ((self.VISION, True), (self.VISION + '-2', True), (self.VISION + '-3', False), (self.ML, default != 'none')):
                self.assertEqual(iam.allowed(role, 'sns:Publish', topic), told and mode != 'observe', (mode, topic))
            self.assertEqual(iam.allowed(role, 'sagemaker:AddTags', self.JOB, **{'aws:TagKeys': ['trainwarden:reason']}), mode == 'enforce')

    def test_the_policys_parameter_is_read_by_name_and_by_arn(self):
        ours, theirs = (f'arn:aws:ssm:eu-central-1:{account}:parameter' for account in ('111122223333', '999999999999'))
        for told, read, others in (
                ('policy', ours + '/policy', [ours + 'policy', ours + '//policy', theirs + '/policy', ours + '/policy/x']),
                ('/policy', ours + '/policy', [ours + '//policy', theirs + '/policy']),
                ('/trainwarden/policy', ours + '/trainwarden/policy', [ours + '//trainwarden/policy', ours + '/trainwarden']),
                ('arn', ours + '/arn', ['arn']),
                (theirs + '/shared/policy', theirs + '/shared/policy', [ours + '/shared/policy', theirs + '/shared']),
                (ours + '/policy', ours + '/policy', [theirs + '/policy'])):
            for name in ('StateFunctionRole', 'AlarmFunctionRole'):
                role = cloudformation.Stack(cloudformation.load(), PolicyParameter=told).function(name)
                self.assertTrue(iam.allowed(role, 'ssm:GetParameter', read), (told, name))
                for other in others:
                    self.assertFalse(iam.allowed(role, 'ssm:GetParameter', other), (told, other))
                self.assertEqual([a for a in iam.granted_actions(role) if a.startswith('ssm:')], ['ssm:GetParameter'])

    def test_tag_actions_write_the_keys_that_the_template_was_told_of(self):
        for mode in ('observe', 'notify', 'enforce'):
            role = self.role(Mode=mode, TagKeys='team,cost-*')
            for keys, told in ((['team'], True), (['cost-center', 'team'], True), (['trainwarden:reason', 'team'], True), (['owner'], False),
                               (['team', 'owner'], False), (['teams'], False)):
                self.assertEqual(iam.allowed(role, 'sagemaker:AddTags', self.JOB, **{'aws:TagKeys': keys}), told and mode == 'enforce', (mode, keys))


    def test_copies_get_the_machines_that_the_template_was_told_of(self):
        copy, right = self.JOB + '-r1-0123abcd', 'sagemaker:CreateTrainingJob'
        for told, types, allowed in (
                ({}, ['ml.p5.48xlarge'], True), ({}, ['ml.p5.48xlarge', 'ml.m5.large'], True), ({}, [], False),
                ({'CopyInstanceTypes': 'ml.g5.*'}, ['ml.g5.xlarge'], True), ({'CopyInstanceTypes': 'ml.g5.*'}, ['ml.g5.xlarge', 'ml.g5.2xlarge'], True),
                ({'CopyInstanceTypes': 'ml.g5.*'}, ['ml.p5.48xlarge'], False), ({'CopyInstanceTypes': 'ml.g5.*'}, [], False),
                ({'CopyInstanceTypes': 'ml.g5.*'}, ['ml.g5.xlarge', 'ml.p5.48xlarge'], False),
                ({'CopyInstanceTypes': 'ml.g5.xlarge'}, ['ml.g5.xlarge2'], False)):
            role = self.role(Mode='enforce', PassRoles=ALWAYS['PassRoles'], **told)
            self.assertEqual(iam.allowed(role, right, copy, **{'sagemaker:InstanceTypes': types}), allowed, (told, types))


class TheTable(unittest.TestCase):
    TABLE = 'arn:aws:dynamodb:eu-central-1:111122223333:table/StateTable'

    def test_is_used_from_notify_on_and_searched_by_the_state_function_alone(self):
        template = cloudformation.load()
        for mode, function in itertools.product(SWITCHES['Mode'], calls.FUNCTIONS):
            stack = cloudformation.Stack(template, Mode=mode, **ALWAYS)
            role = stack.function(f'{function}Role')
            remembers = mode != 'observe'
            for action, resource, may in (
                    ('GetItem', '', remembers), ('PutItem', '', remembers), ('Query', '/index/due', remembers and function == 'StateFunction'),
                    ('Query', '', False), ('Query', '/index/other', False), ('Scan', '', False), ('GetItem', '2', False),
                    ('UpdateItem', '', False), ('DeleteItem', '', False), ('BatchWriteItem', '', False), ('PartiQLUpdate', '', False),
                    ('PutResourcePolicy', '', False), ('DeleteTable', '', False), ('UpdateTimeToLive', '', False)):
                self.assertEqual(iam.allowed(role, f'dynamodb:{action}', self.TABLE + resource), may, (mode, function, action, resource))
            granted = {action for action in iam.granted_actions(role) if action.startswith('dynamodb:')}
            self.assertEqual(bool(granted), remembers, (mode, function))


class TheCheckBites(unittest.TestCase):
    """Made-up mistakes in the template, each with the complaint that it must lead to."""

    def judge(self, change):
        template = cloudformation.load()
        change(template['Resources'])
        return '\n'.join(judge(template, {function: calls.called_by(function, CALLS) for function in calls.FUNCTIONS}))

    @staticmethod
    def grant(resources, role, action, resource, **more):
        resources[role]['Properties']['Policies'].append({'PolicyName': 'x', 'PolicyDocument': {'Statement': [
            {'Effect': 'Allow', 'Action': action, 'Resource': resource, **more}]}})

    def test_too_much(self):
        job = 'arn:aws:sagemaker:eu-central-1:111122223333:training-job/*'
        for role, action, resource, complaint in (
                ('AlarmFunctionRole', 'sagemaker:CreateTrainingJob', job, 'AlarmFunction may sagemaker:CreateTrainingJob'),
                ('AlarmFunctionRole', 'iam:PassRole', '*', 'AlarmFunction may iam:PassRole'),
                ('AlarmFunctionRole', 'sagemaker:*', '*', 'AlarmFunction may sagemaker:StopTrainingJob'),
                ('AlarmFunctionRole', 's3:GetObject', 'arn:aws:s3:::x/*', 'AlarmFunction is granted s3:GetObject'),
                ('StateFunctionRole', 'sagemaker:DescribeTrainingJob', '*', 'has a statement for every resource'),
                ('StateFunctionRole', 'sagemaker:ListTags', 'arn:aws:sagemaker:eu-central-1:111122223333:*', 'endpoint/some-endpoint'),
                ('StateFunctionRole', 'sagemaker:AddTags', job, "'team'"),
                ('StateFunctionRole', 'sagemaker:StopTrainingJob', job, "with {'Mode': 'observe'"),
                ('StateFunctionRole', 'sagemaker:CreateTrainingJob', job, "'ml.p5.48xlarge'"),
                ('StateFunctionRole', 'sagemaker:DescribeTrainingJob', 'arn:aws:sagemaker:*:*:training-job/*', '999999999999')):
            with self.subTest(action=action, resource=resource):
                self.assertIn(complaint, self.judge(lambda r: self.grant(r, role, action, resource)))

    def test_weaker_conditions_on_copies(self):
        """Each of the two holds back what the other lets pass."""
        def conditions(resources):
            for _, node in cloudformation.walk(resources['ReleaseAndCopyJobs']):
                if isinstance(node, dict) and node.get('Action') == 'sagemaker:CreateTrainingJob':
                    return node['Condition']

        def without_null(resources):
            del conditions(resources)['Null']

        def any_value(resources):
            condition = conditions(resources)
            condition['ForAnyValue:StringLike'] = condition.pop('ForAllValues:StringLike')
        for change, passes in ((without_null, 'training-job/some-job-r1-0123abcd with {}'), (any_value, "['ml.g5.xlarge', 'ml.p5.48xlarge']")):
            complaints = self.judge(change)
            self.assertIn('StateFunction may sagemaker:CreateTrainingJob', complaints)
            self.assertIn(passes, complaints)

    def test_too_little(self):
        def remove(resources):
            resources['StopJobs']['Properties']['PolicyDocument']['Statement'] = []
        self.assertIn('StateFunction may not sagemaker:StopTrainingJob', self.judge(remove))

        def other_log_group(resources):
            resources['AlarmFunctionRole'] = copy.deepcopy(resources['StateFunctionRole'])
        self.assertIn('AlarmFunction may not logs:PutLogEvents', self.judge(other_log_group))

    def test_calls_are_found_in_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {
                    'handlers/alarm/main.cc': '#include "handlers/alarm/alarm_function.h"\n',
                    'handlers/alarm/alarm_function.h': '', 'handlers/actions/stop/stop.cc': 'x.create_training_job(y);',
                    'handlers/alarm/alarm_function.cc': '#include "awsapi/cloudwatch.h"\n// x.put_metric_alarm()\nauto s = "x.search(";\n'
                                                  'aws::CloudWatch::get_metric_data_call(q); cloudwatch->delete_alarms (names);',
                    'awsapi/cloudwatch.h': '', 'awsapi/cloudwatch.cc': 'c.set_alarm_state(); cloudwatch_call("GetMetricData", m);'
                                                                       ' Call{&kCloudWatch, "NewThing", b};'}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            self.assertEqual(calls.called_by('AlarmFunction', CALLS, root), {'GetMetricData', 'DeleteAlarms'})
            self.assertEqual(calls.anywhere(CALLS, root), {'GetMetricData', 'DeleteAlarms', 'CreateTrainingJob'})
            self.assertEqual(calls.declared(CALLS, root), {'GetMetricData', 'NewThing'})


if __name__ == '__main__':
    unittest.main()
