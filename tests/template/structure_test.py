"""template.yaml holds together: references, parameters, functions.

usage: python3 -m unittest discover -p structure_test.py
cfn-lint and the SAM translator know CloudFormation better (lint_test.py), but are not everywhere; and they cannot know
what this project promises: a place for each parameter, what each mistake in one is told, no surprise at the defaults.
What calls the functions and what becomes of failures is in wiring_test.py, the table in table_test.py.
"""
import json
import re
import unittest

try:
    import yaml  # noqa: F401
except ImportError:
    raise unittest.SkipTest('python3-yaml is not installed')

import cloudformation
from cloudformation import REPOSITORY, Stack, circle, covering, intrinsic, load, names_in_sub, walk

ACCOUNT = '111122223333'
TOPIC = f'arn:aws:sns:eu-central-1:{ACCOUNT}:people'
# Every parameter that a condition looks at, with values on both sides.
VARIANTS = {'Mode': ['observe', 'notify', 'enforce'], 'PolicySource': ['', '{"version":1,"rules":[]}'],
            'PolicyParameter': ['', '/trainwarden/policy'], 'Alarms': ['on', 'off'],
            'PassRoles': ['', f'arn:aws:iam::{ACCOUNT}:role/training/*'], 'NotifyTopic': ['none', 'create', TOPIC],
            'MoreNotifyTopics': ['', TOPIC], 'TagKeys': ['', 'team'], 'CheckpointBuckets': ['', 'arn:aws:s3:::models'], 'EncryptTopics': ['yes', 'no'], 'ReservedConcurrency': [0, 5]}
KEY = f'arn:aws:kms:eu-central-1:{ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab'
PARAMETER = f'arn:aws:ssm:eu-central-1:{ACCOUNT}:parameter/trainwarden/policy'
DEPLOYER = f'arn:aws:iam::{ACCOUNT}:role/cloudformation/Deployer'
# Those of the table alone, which meet no other condition: all or none is enough.
TABLE_VARIANTS = [{}, {'TableKey': KEY, 'TableDeletionProtection': 'on', 'TableAdministrators': DEPLOYER}]
# Those of the stack's own alarms, which meet no other condition but whether there is a topic for people.
OPERATOR_VARIANTS = {'NotifyTopic': VARIANTS['NotifyTopic'], 'OperatorTopic': ['', TOPIC], 'OperatorEmail': ['', 'jo@example.com'],
                     'EncryptTopics': VARIANTS['EncryptTopics'], 'SweepState': ['ENABLED', 'DISABLED'],
                     'Dashboard': ['on', 'off'],
                     'SweepSchedule': ['rate(1 minute)', 'rate(15 minutes)', 'rate(1 hour)', 'rate(2 hours)', 'rate(12 hours)',
                                       'rate(24 hours)', 'rate(1 day)', 'rate(2 days)']}


def stacks(template=None):
    template = template or load()
    for number, parameters in enumerate(covering(VARIANTS)):
        yield Stack(template, **parameters, **TABLE_VARIANTS[number % 2])
    for parameters in covering(OPERATOR_VARIANTS):
        yield Stack(template, **parameters)
    for parameter in ('policy', PARAMETER):
        yield Stack(template, PolicyParameter=parameter)


class References(unittest.TestCase):
    def setUp(self):
        self.template = load()

    def names(self):
        """(kind, name) of all that the template refers to."""
        for path, node in walk(self.template):
            if isinstance(node, dict) and path and path[0] in ('Resources', 'Outputs', 'Conditions') and isinstance(node.get('Condition'), str):
                yield 'condition', node['Condition']
            found = intrinsic(node)
            if not found:
                continue
            name, value = found
            if name == 'Ref':
                yield 'ref', value
            elif name == 'Fn::GetAtt':
                yield 'attribute', '.'.join(value)
            elif name == 'Fn::Sub':
                self.assertIsInstance(value, str, path)
                subs = names_in_sub(value)
                self.assertTrue(subs, f'{path}: !Sub without a variable')
                for sub in subs:
                    yield ('attribute' if '.' in sub else 'ref'), sub
            elif name == 'Fn::If':
                self.assertEqual(len(value), 3, path)
                yield 'condition', value[0]

    def test_all_resolve(self):
        parameters, resources, conditions = (self.template[k] for k in ('Parameters', 'Resources', 'Conditions'))
        for kind, name in self.names():
            if kind == 'condition':
                self.assertIn(name, conditions)
            elif kind == 'attribute':
                resource, attribute = name.split('.', 1)
                self.assertIn(resource, resources)
                self.assertIn(attribute, cloudformation.ATTRIBUTES[resources[resource]['Type']], name)
            else:
                self.assertTrue(name in parameters or name in resources or name in cloudformation.PSEUDO
                                or name == 'AWS::NoValue', f'!Ref {name}')

    def test_every_parameter_and_condition_is_used(self):
        used = set(self.names())
        for name in self.template['Parameters']:
            self.assertIn(('ref', name), used)
        for name in self.template['Conditions']:
            self.assertIn(('condition', name), used)

    def test_every_combination_of_conditions_resolves(self):
        seen = {name: set() for name in self.template['Conditions']}
        for stack in stacks(self.template):
            for name, value in stack.conditions.items():
                seen[name].add(value)
        self.assertEqual({name for name, values in seen.items() if len(values) == 2}, set(seen))

    def test_no_resources_wait_for_each_other(self):
        self.assertEqual(circle(self.template), [])

    def test_a_circle_is_found(self):
        """Rights on the table in a role itself, and a table that names itself."""
        role = self.template['Resources']['StateFunctionRole']['Properties']
        right = {'Statement': [{'Effect': 'Allow', 'Action': 'dynamodb:GetItem', 'Resource': {'Fn::GetAtt': ['StateTable', 'Arn']}}]}
        role['Policies'].append({'PolicyName': 'x', 'PolicyDocument': right})
        self.assertLessEqual({'StateFunctionRole', 'StateTable'}, set(circle(self.template)))
        template = load()
        policy = template['Resources']['StateTable']['Properties']['ResourcePolicy']['PolicyDocument']
        policy['Statement'][0]['Resource'] = {'Fn::Sub': '${StateTable.Arn}/*'}
        self.assertIn('StateTable', circle(template))

    def test_no_account_region_or_partition_is_written_down(self):
        for section in ('Resources', 'Outputs'):
            for path, node in walk(self.template[section]):
                if isinstance(node, str):
                    self.assertNotRegex(node, r'\d{12}|arn:aws|amazonaws\.com/|\b[a-z]{2}-[a-z]+-\d\b', path)

    def test_outputs_say_what_they_are(self):
        for name, output in self.template['Outputs'].items():
            self.assertTrue(output.get('Description'), name)


class Parameters(unittest.TestCase):
    def setUp(self):
        self.parameters = load()['Parameters']

    def accepts(self, name, value):
        declared = self.parameters[name]
        if declared['Type'] == 'Number':
            if not re.fullmatch(r'-?\d+(\.\d+)?', str(value)):
                return False
            if not declared.get('MinValue', value) <= value <= declared.get('MaxValue', value):
                return False
        elif not isinstance(value, str) or len(value) > declared.get('MaxLength', 4096):
            return False
        if 'AllowedValues' in declared and value not in declared['AllowedValues']:
            return False
        return 'AllowedPattern' not in declared or bool(re.fullmatch(declared['AllowedPattern'], value))

    def test_are_described_limited_and_good_by_default(self):
        for name, declared in self.parameters.items():
            with self.subTest(name):
                self.assertIn(declared['Type'], ('String', 'Number'))
                self.assertTrue(20 < len(declared['Description']) <= 4000)
                self.assertTrue({'AllowedValues', 'AllowedPattern'} & declared.keys() or {'MinValue', 'MaxValue'} <= declared.keys())
                self.assertEqual('AllowedPattern' in declared, 'ConstraintDescription' in declared)
                self.assertTrue(self.accepts(name, declared['Default']), declared['Default'])

    def test_each_has_its_place_in_the_console(self):
        groups = load()['Metadata']['AWS::CloudFormation::Interface']['ParameterGroups']
        placed = [name for group in groups for name in group['Parameters']]
        self.assertEqual(sorted(placed), sorted(self.parameters))

    def test_good_and_bad_values(self):
        role, topic = f'arn:aws:iam::{ACCOUNT}:role/', f'arn:aws-us-gov:sns:us-gov-west-1:{ACCOUNT}:'
        for name, good, bad in (
                ('PolicySource', ['', 'file:/var/task/policy.json', '{"version": 1}', ' \n// mine\n{}'],
                 ['policy.json', 'ssm:/trainwarden/policy', 'file:', '[]', '{' + ' ' * 3000]),
                ('PolicyParameter', ['', 'policy', '/policy', '/trainwarden/policy.json', PARAMETER, PARAMETER.replace('aws:', 'aws-cn:'),
                                     PARAMETER.replace('trainwarden/', '')],
                 ['/', 'a/b', 'a/', 'policy:3', 'ssm:/policy', '/a//b', '/a b', '/a*', PARAMETER + '*', PARAMETER + '/', PARAMETER + ':3',
                  PARAMETER.replace(':ssm:', ':sns:'), PARAMETER.replace(ACCOUNT, ''), PARAMETER.replace('parameter/', 'parameter')]),
                ('AlarmPrefix', ['trainwarden', 'team-a_2.x', '9', 'a' * 64], ['', 'a/b', '-a', 'a b', 'a*', 'a' * 65]),
                ('PassRoles', ['', role + 'Training', role + 'training/*', f'{role}A,{role}B*'],
                 ['*', role, 'Training', role + 'A*B', f'{role}A, {role}B', f'{role}A,', 'arn:aws:iam::aws:role/X',
                  role + ','.join([f'x{role}'] * 40)]),
                ('CheckpointBuckets', ['', 'arn:aws:s3:::models', 'arn:aws-cn:s3:::a-b.c*,arn:aws:s3:::models'],
                 ['*', 'models', 's3://models', 'arn:aws:s3:::', 'arn:aws:s3:::*', 'arn:aws:s3:::a*b', 'arn:aws:s3:::models/x',
                  'arn:aws:s3:::models, arn:aws:s3:::b', 'arn:aws:s3:::models,']),
                ('NotifyTopic', ['none', 'create', topic + 'people'], ['', 'people', topic, topic + 'people.fifo', topic + 'a b']),
                ('MoreNotifyTopics', ['', topic + 'ml', f'{topic}ml,{topic}vision'], ['none', topic, f'{topic}a, {topic}b', f'{topic}a,', topic + 'a.fifo']),
                ('TagKeys', ['', 'team', 'team,cost-center', 'cost-*', 'looked at'], [',', 'team,', '*', 'a*b', 'team;x', ' team']),
                ('CopyInstanceTypes', ['ml.*', 'ml.g5.xlarge', 'ml.g5.*,ml.p4d.24xlarge', 'ml.m?.large', 'ml.p6-b200.48xlarge'],
                 ['', '*', 'ml.', 'g5.xlarge', 'ml.G5.xlarge', 'ml.g5.*, ml.m5.*', 'ml.g5.*,', 'ml.g5.*,*']),
                ('TableKey', ['', KEY], ['alias/mine', KEY.replace('key/', 'alias/'), KEY.replace(ACCOUNT, ''), KEY + '*', f'{KEY},{KEY}']),
                ('TableAdministrators', ['', DEPLOYER, f'{DEPLOYER},{role}CI'],
                 ['*', role, role + '*', 'Deployer', f'{DEPLOYER}, {role}CI', f'arn:aws:iam::{ACCOUNT}:root']),
                ('TableDeletionProtection', ['on', 'off'], [True, False, 'yes']),
                ('OperatorTopic', ['', topic + 'people'], ['none', 'create', 'people', topic, topic + 'people.fifo', f'{topic}a,{topic}b']),
                ('OperatorEmail', ['', 'ml-operators@example.com'], ['jo', 'jo@', 'jo@example', 'a@example.com,b@example.com', 'Jo <jo@example.com>']),
                ('SweepSchedule', ['rate(1 minute)', 'rate(15 minutes)', 'rate(99 minutes)', 'rate(100 minutes)', 'rate(360 minutes)',
                                   'rate(2 hours)', 'rate(36 hours)', 'rate(9999 days)', 'cron(0/30 * * * ? *)'],
                 ['', '15 minutes', 'rate(0 minutes)', 'rate(1 minutes)', 'rate(361 minutes)', 'rate(400 minutes)', 'rate(1000 minutes)',
                  'rate(5 seconds)', 'cron()', 'at(2026-01-01T00:00:00)']),
                ('WeeklyReportSchedule', ['cron(0 7 ? * MON *)', 'cron(30 18 ? * 6 *)', 'rate(7 days)', 'rate(14 days)'],
                 ['', 'rate(1 day)', 'rate(1 hour)', 'rate(7 days )', 'cron(0 * * * ? *)', 'cron(*/5 7 ? * MON *)', 'at(2026-01-01T00:00:00)']),
                ('WeeklyReportState', ['DISABLED', 'ENABLED'], ['disabled', True, 'off']),
                ('MemorySize', [128, 10240], [127, 64, 10241]),
                ('Timeout', [60, 900], [3, 59, 901]),
                ('ReservedConcurrency', [0, 1, 1000], [-1, 1001]),
                ('LogRetentionDays', [1, 90, 3653], [0, 2, 91]),
                ('Mode', ['observe', 'notify', 'enforce'], ['', 'Enforce', 'on']),
                ('SweepState', ['DISABLED', 'ENABLED'], ['disabled', True]),
                ('Alarms', ['on', 'off'], [True, False]),
                ('Dashboard', ['on', 'off'], [True, False, '']),
                ('Architecture', ['x86_64', 'arm64'], ['amd64', 'aarch64'])):
            for value in good:
                self.assertTrue(self.accepts(name, value), (name, value))
            for value in bad:
                self.assertFalse(self.accepts(name, value), (name, value))

    def test_protection_of_the_table_needs_somebody_who_may_switch_it_off(self):
        for protection, administrators, refused in (('off', '', False), ('off', DEPLOYER, False), ('on', DEPLOYER, False), ('on', '', True)):
            refusals = Stack(load(), TableDeletionProtection=protection, TableAdministrators=administrators).refusals()
            self.assertEqual(bool(refusals), refused, (protection, administrators))
            for text in refusals:
                self.assertIn('TableAdministrators', text)
        self.assertIn('first deployment', self.parameters['TableDeletionProtection']['Description'])

    def test_defaults_do_no_harm(self):
        default = {name: declared['Default'] for name, declared in self.parameters.items()}
        self.assertEqual((default['Mode'], default['SweepState'], default['NotifyTopic'], default['PassRoles'], default['TableAdministrators'],
                          default['OperatorTopic'], default['OperatorEmail']), ('observe', 'ENABLED', 'none', '', '', '', ''))


class Functions(unittest.TestCase):
    NAMES = ('StateFunction', 'AlarmFunction')

    def test_settings(self):
        stack = Stack(load())
        self.assertEqual(sorted(stack.of_type('AWS::Lambda::Function')), sorted(self.NAMES))
        for name in self.NAMES:
            function = stack.function(name)
            with self.subTest(name):
                self.assertEqual(function['Runtime'], 'provided.al2023')
                self.assertEqual(function['Handler'], 'bootstrap')
                self.assertEqual(function['Architectures'], ['x86_64'])
                self.assertEqual(function['MemorySize'], 128)
                self.assertGreaterEqual(function['Timeout'], 60)
                self.assertEqual(function['RecursiveLoop'], 'Terminate')
                self.assertNotIn('ReservedConcurrentExecutions', function)
                self.assertEqual(function['LoggingConfig'], {'LogFormat': 'JSON', 'ApplicationLogLevel': 'INFO', 'LogGroup': f'{name}Logs'})
                logs = stack.function(f'{name}Logs')
                self.assertEqual(logs['RetentionInDays'], 90)
                self.assertRegex(logs['LogGroupName'], r'^/aws/lambda/trainwarden-(state|alarm)$')

    def test_parameters_reach_them(self):
        stack = Stack(load(), Architecture='arm64', MemorySize=256, Timeout=300, ReservedConcurrency=7, LogLevel='DEBUG',
                      LogRetentionDays=30)
        for name in self.NAMES:
            function = stack.function(name)
            self.assertEqual((function['Architectures'], function['MemorySize'], function['Timeout'],
                              function['ReservedConcurrentExecutions'], function['LoggingConfig']['ApplicationLogLevel'],
                              stack.function(f'{name}Logs')['RetentionInDays']), (['arm64'], 256, 300, 7, 'DEBUG', 30))

    def test_environment(self):
        def variables(**parameters):
            stack = Stack(load(), **parameters)
            both = [stack.function(name)['Environment']['Variables'] for name in self.NAMES]
            self.assertEqual(both[0], both[1])
            return both[0]
        alarms = f'arn:aws:sns:eu-central-1:{ACCOUNT}:AlarmTopic'
        table = f'arn:aws:dynamodb:eu-central-1:{ACCOUNT}:table/StateTable'
        always = {'TRAINWARDEN_SWEEP_SCHEDULE': 'rate(15 minutes)', 'TRAINWARDEN_COPY_INSTANCE_TYPES': 'ml.*'}
        self.assertEqual(variables(), {**always, 'TRAINWARDEN_MODE': 'observe', 'TRAINWARDEN_ALARM_TOPIC': alarms, 'TRAINWARDEN_ALARM_PREFIX': 'trainwarden', 'TRAINWARDEN_TABLE': table,
                                       'TRAINWARDEN_PASS_ROLES': f'arn:aws:iam::{ACCOUNT}:role/none-may-be-passed',
                                       'TRAINWARDEN_CHECKPOINT_BUCKETS': 'arn:aws:s3:::none-is-named'})
        self.assertEqual(
            variables(Mode='enforce', PolicySource='file:/x', Alarms='off', NotifyTopic=TOPIC, PassRoles='arn', CheckpointBuckets='b'),
            {**always, 'TRAINWARDEN_MODE': 'enforce', 'TRAINWARDEN_ALARM_TOPIC': alarms, 'TRAINWARDEN_ALARM_PREFIX': 'trainwarden', 'TRAINWARDEN_TABLE': table, 'TRAINWARDEN_POLICY': 'file:/x',
             'TRAINWARDEN_ALARMS': 'off', 'TRAINWARDEN_NOTIFY_TOPIC': TOPIC, 'TRAINWARDEN_PASS_ROLES': 'arn',
             'TRAINWARDEN_CHECKPOINT_BUCKETS': 'b'})
        self.assertEqual(variables(SweepState='DISABLED')['TRAINWARDEN_SWEEP_SCHEDULE'], 'none')
        self.assertEqual(variables(SweepSchedule='rate(1 hour)')['TRAINWARDEN_SWEEP_SCHEDULE'], 'rate(1 hour)')
        self.assertEqual(variables(CopyInstanceTypes='ml.g5.*')['TRAINWARDEN_COPY_INSTANCE_TYPES'], 'ml.g5.*')
        self.assertLess(sum(len(name) + len(value) for name, value in variables(PolicySource='{' + ' ' * 2999).items()), 4096)
        for parameter in ('/p', 'p', PARAMETER):
            self.assertEqual(variables(PolicyParameter=parameter, PolicySource='file:/x')['TRAINWARDEN_POLICY'], f'ssm:{parameter}')
        self.assertEqual(variables(NotifyTopic='create')['TRAINWARDEN_NOTIFY_TOPIC'],
                         f'arn:aws:sns:eu-central-1:{ACCOUNT}:CreatedNotifyTopic')

    def test_what_the_code_reads_is_set(self):
        """Each TRAINWARDEN_ variable that the functions read can be set by a parameter."""
        sources = [path for folder in ('runtime', 'awsapi', 'handlers') for path in (REPOSITORY / folder).rglob('*.cc')
                   if 'cli' not in path.parts]
        read = {name for path in sources for name in re.findall(r'get\("(TRAINWARDEN_\w+)"\)', path.read_text())}
        self.assertTrue({'TRAINWARDEN_MODE', 'TRAINWARDEN_POLICY'} <= read, read)
        for name in self.NAMES:
            known = load()['Resources'][name]['Properties']['Environment']['Variables']
            self.assertEqual(read - known.keys(), set(), name)

    def test_no_transform(self):
        """Service-managed StackSets refuse them, and what belongs to them: SAM's types and Globals, Fn::Transform."""
        template = load()
        self.assertEqual(template.keys() & {'Transform', 'Globals'}, set())
        self.assertEqual([name for name, r in template['Resources'].items() if not re.fullmatch(r'AWS::(?!Serverless)\w+::\w+', r['Type'])], [])
        self.assertEqual([path for path, node in walk(template) if intrinsic(node) and intrinsic(node)[0] == 'Fn::Transform'], [])

    def test_both_are_made_alike(self):
        """What SAM's Globals said once stands in both."""
        first, second = (load()['Resources'][name]['Properties'] for name in self.NAMES)
        own = {'Description', 'Role', 'LoggingConfig'}
        self.assertEqual({k: v for k, v in first.items() if k not in own}, {k: v for k, v in second.items() if k not in own})

    def test_sam_build_knows_both(self):
        """It builds from the folder that Code names, and writes into Code what it built: CODE_PROPERTY_KEYS in
        https://github.com/aws/aws-sam-cli/blob/develop/samcli/lib/providers/sam_base_provider.py"""
        template, makefile = load(), (REPOSITORY / 'Makefile').read_text()
        for name in self.NAMES:
            self.assertEqual(template['Resources'][name]['Metadata'], {'BuildMethod': 'makefile'})
            self.assertEqual(template['Resources'][name]['Properties']['Code'], '.')
            self.assertRegex(makefile, rf'(?m)^build-{name}: function = (state|alarm)$')
        self.assertIn('"$(ARTIFACTS_DIR)/"', makefile)

    def test_only_lambda_takes_their_roles(self):
        stack = Stack(load())
        for name, role in stack.of_type('AWS::IAM::Role').items():
            trust, = role['AssumeRolePolicyDocument']['Statement']
            self.assertEqual(trust, {'Effect': 'Allow', 'Principal': {'Service': 'lambda.amazonaws.com'}, 'Action': 'sts:AssumeRole'}, name)
        self.assertEqual([stack.function(name)['Role'].rsplit('/')[-1] for name in self.NAMES], ['StateFunctionRole', 'AlarmFunctionRole'])


class Roles(unittest.TestCase):
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html: blanks are not counted."""
    LONG = {'TagKeys': ','.join(['k' * 99] * 6), 'PassRoles': ','.join([f'arn:aws-us-gov:iam::{ACCOUNT}:role/' + 'r' * 80] * 5),
            'CopyInstanceTypes': ','.join(['ml.p6e-gb200.36xlarge'] * 27), 'CheckpointBuckets': ','.join(['arn:aws-us-gov:s3:::' + 'b' * 63] * 7),
            'MoreNotifyTopics': ','.join([f'arn:aws-us-gov:sns:us-gov-west-1:{ACCOUNT}:' + 't' * 200] * 8), 'NotifyTopic': TOPIC,
            'PolicyParameter': f'arn:aws-us-gov:ssm:us-gov-west-1:{ACCOUNT}:parameter/' + 'p' * 1000, 'AlarmPrefix': 'a' * 64,
            'TableKey': KEY, 'Mode': 'enforce'}

    def test_no_list_that_the_parameters_take_is_too_long_for_them(self):
        for name, value in self.LONG.items():
            declared = load()['Parameters'][name]
            self.assertLessEqual(len(value), declared.get('MaxLength', 4096), name)
            if 'MaxLength' in declared and name not in ('TableKey', 'AlarmPrefix'):
                self.assertGreater(len(value), 0.8 * declared['MaxLength'], name)
        stack = Stack(load(), **self.LONG)
        margin = 1.15  # the names and regions of these tests are short ones
        for role, managed in stack.managed.items():
            self.assertLessEqual(len(managed), 10, role)
            for name, document in managed.items():
                self.assertLess(margin * len(json.dumps(document, separators=(',', ':'))), 6144, name)
            self.assertLess(margin * sum(len(json.dumps(policy['PolicyDocument'], separators=(',', ':'))) for policy in stack.inline[role]),
                            10240 / 4, role)
        self.assertEqual(stack.of_type('AWS::IAM::Policy'), {}, 'these count as the roles\' own')


class TheReaderBites(unittest.TestCase):
    """Mistakes that the reader itself refuses."""

    def test_broken_templates(self):
        text = cloudformation.TEMPLATE.read_text()
        for old, new, error in (
                ('!GetAtt FailedEvents.Arn', '!GetAtt FailedEvent.Arn', KeyError),
                ('!GetAtt FailedEvents.Arn', '!GetAtt FailedEvents.Url', KeyError),
                ('!Ref StateFunctionLogs', '!Ref StateFunctionLog', KeyError),
                ('${AWS::StackName}', '${AWS::Stack}', KeyError),
                ('[Encrypts, ', '[Encrypt, ', KeyError),
                ('    Condition: Encrypts\n    DeletionPolicy', '    DeletionPolicy', None),
                ('!If [Encrypts, !Ref TopicKey', '!If [HasNotifyTopic, !Ref TopicKey', ValueError),
                ('  AlarmFunctionLogs:\n    Type', '  StateFunctionLogs:\n    Type', ValueError),
                ('!If [AlarmsOff', '!GetAZs [AlarmsOff', NotImplementedError)):
            self.assertIn(old, text)
            with self.subTest(new):
                def read():
                    for _ in stacks(load(text.replace(old, new))):
                        pass
                if error:
                    self.assertRaises(error, read)
                else:
                    read()


if __name__ == '__main__':
    unittest.main()
