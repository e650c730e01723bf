"""The table: its form, who may write its items, and who may change it.

usage: python3 -m unittest discover -p table_test.py
That the functions' own roles may read and write it stands in rights.json.
"""
import json
import re
import unittest

try:
    import yaml  # noqa: F401
except ImportError:
    raise unittest.SkipTest('python3-yaml is not installed')

from cloudformation import REPOSITORY, Stack, load
from iam import as_list, denies

ACCOUNT = '111122223333'
ROLE = f'arn:aws:iam::{ACCOUNT}:role/'
FUNCTIONS = [ROLE + 'StateFunctionRole', ROLE + 'AlarmFunctionRole']
KEY = f'arn:aws:kms:eu-central-1:{ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab'
DEPLOYER = ROLE + 'cloudformation/Deployer'
ARN = f'arn:aws:dynamodb:eu-central-1:{ACCOUNT}:table/StateTable'
OTHERS = [ROLE + 'Admin', ROLE + 'StateFunctionRole2', ROLE + 'path/StateFunctionRole', f'arn:aws:iam::{ACCOUNT}:user/jo',
          f'arn:aws:iam::{ACCOUNT}:root', 'arn:aws:iam::999999999999:role/StateFunctionRole']

# Transactions are judged by the writes in them, statements of PartiQL by what they do.
WRITES = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete']
CHANGES = ['PutResourcePolicy', 'DeleteResourcePolicy', 'UpdateTable', 'UpdateTimeToLive', 'DeleteTable', 'RestoreTableToPointInTime']
READS = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'PartiQLSelect', 'DescribeTable', 'GetResourcePolicy']


def denied(stack, action, principal, called_via=()):
    """What the table's own policy says of a request; principal: None for a service that calls by itself."""
    context = {'aws:CalledVia': list(called_via)} if called_via else {}
    if principal:
        context['aws:PrincipalArn'] = principal
    for statement in stack.function('StateTable')['ResourcePolicy']['PolicyDocument']['Statement']:
        rest = {key: value for key, value in statement.items() if key not in ('Sid', 'Principal')}
        if statement['Principal'] == '*' and denies(rest, f'dynamodb:{action}', ARN, context):
            return True
    return False


class Form(unittest.TestCase):
    def test_keys_index_and_time_to_live(self):
        table = Stack(load()).function('StateTable')
        types = {a['AttributeName']: a['AttributeType'] for a in table['AttributeDefinitions']}
        self.assertEqual(types, {'id': 'S', 'due': 'S', 'since': 'N'})

        def keys(schema):
            return [(key['AttributeName'], key['KeyType']) for key in schema]
        self.assertEqual(keys(table['KeySchema']), [('id', 'HASH')])
        index, = table['GlobalSecondaryIndexes']
        self.assertEqual((index['IndexName'], keys(index['KeySchema']), index['Projection']),
                         ('due', [('due', 'HASH'), ('since', 'RANGE')], {'ProjectionType': 'KEYS_ONLY'}))
        self.assertEqual(table['TimeToLiveSpecification'], {'AttributeName': 'expires', 'Enabled': True})
        self.assertEqual(table['BillingMode'], 'PAY_PER_REQUEST')

    def test_nothing_that_would_replace_restore_or_replicate_it(self):
        stack = Stack(load())
        self.assertEqual(list(stack.of_type('AWS::DynamoDB::Table')), ['StateTable'])  # a GlobalTable has replicas
        self.assertNotIn('AWS::DynamoDB::GlobalTable', {r['Type'] for r in stack.resources.values()})
        table = stack.function('StateTable')
        self.assertEqual(table.keys() & {'TableName', 'PointInTimeRecoverySpecification', 'StreamSpecification',
                                         'KinesisStreamSpecification', 'ImportSourceSpecification'}, set())
        resource = load()['Resources']['StateTable']
        self.assertEqual((resource['DeletionPolicy'], resource['UpdateReplacePolicy']), ('Delete', 'Delete'))

    def test_is_there_in_every_mode(self):
        """Else a switch to observe would delete it, and one back to enforce would find it empty."""
        for mode in ('observe', 'notify', 'enforce'):
            self.assertIn('StateTable', Stack(load(), Mode=mode).resources)

    def test_deletion_protection_is_a_choice(self):
        for choice, protected in ((None, False), ('off', False), ('on', True)):
            stack = Stack(load(), **({'TableDeletionProtection': choice} if choice else {}))
            self.assertIs(stack.function('StateTable')['DeletionProtectionEnabled'], protected)

    def test_a_key_of_ones_own_is_a_choice(self):
        self.assertNotIn('SSESpecification', Stack(load()).function('StateTable'))
        self.assertEqual(Stack(load(), TableKey=KEY).function('StateTable')['SSESpecification'],
                         {'SSEEnabled': True, 'SSEType': 'KMS', 'KMSMasterKeyId': KEY})

    def test_the_index_is_the_one_that_the_client_asks(self):
        index = Stack(load()).function('StateTable')['GlobalSecondaryIndexes'][0]['IndexName']
        self.assertEqual(re.findall(r'"IndexName", "(\w+)"', (REPOSITORY / 'awsapi/dynamodb.cc').read_text()), [index])


class WhoMayWrite(unittest.TestCase):
    def setUp(self):
        self.stacks = [Stack(load(), Mode=mode, **more) for mode in ('observe', 'notify', 'enforce')
                       for more in ({}, {'TableAdministrators': f'{DEPLOYER},{ROLE}CI'})]

    def test_items_only_the_functions(self):
        for stack in self.stacks:
            for action in WRITES:
                for role in FUNCTIONS:
                    self.assertFalse(denied(stack, action, role), (action, role))
                for principal in [*OTHERS, DEPLOYER, None]:
                    self.assertTrue(denied(stack, action, principal), (action, principal))
                    self.assertTrue(denied(stack, action, principal, ['cloudformation.amazonaws.com']), (action, principal))

    def test_the_policy_and_the_table_only_administrators(self):
        for stack in self.stacks:
            for action in CHANGES:
                for principal in [*OTHERS, None]:
                    self.assertTrue(denied(stack, action, principal), (action, principal))
                    self.assertTrue(denied(stack, action, principal, ['athena.amazonaws.com']), (action, principal))

    def test_whoever_deploys_can_update_and_delete_the_stack(self):
        for stack in self.stacks:
            for action in CHANGES:
                self.assertFalse(denied(stack, action, ROLE + 'Admin', ['cloudformation.amazonaws.com']), action)

    def test_a_service_role_of_cloudformation_must_be_named(self):
        """It calls as itself, without CalledVia."""
        for administrators, named in (('', False), (DEPLOYER, True), (f'{ROLE}CI,{DEPLOYER}', True), (ROLE + 'CI', False)):
            stack = Stack(load(), TableAdministrators=administrators)
            for action in CHANGES:
                self.assertEqual(denied(stack, action, DEPLOYER), not named, (action, administrators))

    def test_a_table_that_its_deployer_cannot_delete_has_a_way_out(self):
        """A service role that was not named makes the table, and stops in the middle. operations.md says how to go on."""
        stack = Stack(load())
        for action in ('UpdateTimeToLive', 'DeleteTable', 'DeleteResourcePolicy', 'UpdateTable'):
            self.assertTrue(denied(stack, action, DEPLOYER), action)
            for role in FUNCTIONS:  # one that somebody makes under that name as well: the condition compares ARNs
                self.assertFalse(denied(stack, action, role), action)
        text = (REPOSITORY / 'handlers/operations.md').read_text()
        way = re.search(r'A table that nobody can delete.*?```sh\n(.*?)```', text, re.S)[1].splitlines()
        self.assertEqual([' '.join(line.split()[:3]) for line in way],
                         ['aws dynamodb delete-resource-policy', 'aws dynamodb update-table', 'aws cloudformation delete-stack'])

    def test_reading_is_left_to_iam(self):
        for stack in self.stacks:
            for action in READS:
                for principal in [*OTHERS, *FUNCTIONS, None]:
                    self.assertFalse(denied(stack, action, principal), (action, principal))

    def test_the_policy_allows_nothing(self):
        """Rights come from IAM alone, so that tests/template/rights_test.py sees them all."""
        for stack in self.stacks:
            policy = stack.function('StateTable')['ResourcePolicy']['PolicyDocument']
            self.assertEqual({statement['Effect'] for statement in policy['Statement']}, {'Deny'})

    def test_the_policy_is_one_that_dynamodb_takes(self):
        """At most 20 KB, and no action on backups, imports or streams: any of them fails the deployment."""
        for stack in self.stacks:
            policy = stack.function('StateTable')['ResourcePolicy']['PolicyDocument']
            self.assertLess(len(json.dumps(policy, indent=4)), 20 * 1024)
            named = {action for statement in policy['Statement'] for action in as_list(statement['Action'])}
            self.assertEqual(named, {f'dynamodb:{action}' for action in WRITES + CHANGES})


if __name__ == '__main__':
    unittest.main()
