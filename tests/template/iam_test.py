"""The evaluation of conditions by which the other tests judge policies: IAM's rules, one case a line.

usage: python3 -m unittest discover -p iam_test.py
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
"""
import unittest

from iam import allows, condition_holds, denies, resource_policy_allows, scp_denies

ROLE = 'arn:aws:iam::111122223333:role/'


class Conditions(unittest.TestCase):
    def check(self, condition, context, holds):
        with self.subTest(condition=condition, context=context):
            self.assertEqual(condition_holds(condition, context), holds)

    def test_a_single_value(self):
        for operator, value, holds in (('StringEquals', 'a', True), ('StringEquals', 'b', False), ('StringLike', 'a', True),
                                       ('StringNotEquals', 'a', False), ('StringNotEquals', 'b', True)):
            self.check({operator: {'k': 'a'}}, {'k': value}, holds)

    def test_a_missing_key_satisfies_only_what_is_negated(self):
        for operator, holds in (('StringEquals', False), ('StringLike', False), ('ArnEquals', False),
                                ('StringNotEquals', True), ('StringNotLike', True), ('ArnNotEquals', True), ('ArnNotLike', True)):
            self.check({operator: {'k': 'a'}}, {}, holds)

    def test_none_of_several_arns(self):
        two = {'ArnNotEquals': {'aws:PrincipalArn': [ROLE + 'A', ROLE + 'B']}}
        for name, holds in (('A', False), ('B', False), ('C', True), ('AB', True)):
            self.check(two, {'aws:PrincipalArn': ROLE + name}, holds)
        self.check({'ArnNotLike': {'aws:PrincipalArn': ROLE + 'Deploy*'}}, {'aws:PrincipalArn': ROLE + 'Deployer'}, False)

    def test_all_values(self):
        like = {'ForAllValues:StringLike': {'k': ['ml.g5.*', 'ml.m5.large']}}
        for values, holds in ((['ml.g5.xlarge'], True), (['ml.g5.xlarge', 'ml.m5.large'], True),
                              (['ml.g5.xlarge', 'ml.p5.48xlarge'], False), ([], True)):
            self.check(like, {'k': values}, holds)
        unlike = {'ForAllValues:StringNotEquals': {'k': 'a'}}
        for values, holds in ((['b'], True), (['b', 'a'], False), ([], True)):
            self.check(unlike, {'k': values}, holds)

    def test_any_value(self):
        for values, holds in ((['a', 'b'], True), (['b'], False), ([], False)):
            self.check({'ForAnyValue:StringEquals': {'k': 'a'}}, {'k': values}, holds)

    def test_whether_there_is_a_key(self):
        for wanted, values, holds in (('false', ['a'], True), ('false', [], False), (False, [], False), ('true', [], True),
                                      ('true', ['a'], False)):
            self.check({'Null': {'k': wanted}}, {'k': values}, holds)

    def test_operators_and_keys_all_hold(self):
        both = {'StringEquals': {'k': 'a', 'l': 'b'}, 'Null': {'m': 'true'}}
        for context, holds in (({'k': 'a', 'l': 'b'}, True), ({'k': 'a'}, False), ({'k': 'a', 'l': 'b', 'm': 'c'}, False)):
            self.check(both, context, holds)

    def test_an_unknown_operator_is_no_guess(self):
        self.assertRaises(KeyError, condition_holds, {'NumericEquals': {'k': '1'}}, {'k': '1'})

    def test_a_wildcard_in_an_arn_does_not_reach_into_its_next_part(self):
        like = {'ArnLike': {'aws:SourceArn': 'arn:aws:cloudwatch:*:111122223333:alarm:trainwarden/*'}}
        for arn, holds in (('arn:aws:cloudwatch:eu-central-1:111122223333:alarm:trainwarden/a:b', True),
                           ('arn:aws:cloudwatch:eu-central-1:999999999999:x:111122223333:alarm:trainwarden/a', False),
                           ('arn:aws:cloudwatch:eu-central-1:111122223333:alarm', False)):
            self.check(like, {'aws:SourceArn': arn}, holds)

    def test_a_boolean(self):
        tls = {'Bool': {'aws:SecureTransport': 'false'}}
        for value, holds in (('false', True), ('False', True), ('true', False)):
            self.check(tls, {'aws:SecureTransport': value}, holds)
        self.check(tls, {}, False)


class Statements(unittest.TestCase):
    def test_not_action_is_about_all_other_actions_and_no_other_resource(self):
        fence = {'Effect': 'Deny', 'NotAction': ['sns:Get*', 'sns:Subscribe'], 'Resource': 'arn:aws:sns:*:*:ours-*'}
        ours = 'arn:aws:sns:eu-central-1:111122223333:ours-1'
        for action, resource, holds in (('sns:DeleteTopic', ours, True), ('SNS:subscribe', ours, False), ('sns:GetTopicAttributes', ours, False),
                                        ('sqs:AnythingNew', ours, True), ('sns:DeleteTopic', ours.replace('ours', 'theirs'), False),
                                        ('sns:ListTopics', '*', False)):
            self.assertEqual(denies(fence, action, resource, {}), holds, (action, resource))
        self.assertRaises(NotImplementedError, allows, {**fence, 'Effect': 'Allow'}, 'sns:Publish', ours, {})
        self.assertRaises(NotImplementedError, denies, {**fence, 'Action': 'sns:*'}, 'sns:Publish', ours, {})

    def test_service_control_policies_hold_for_member_accounts_and_not_for_service_linked_roles(self):
        policies = [{'Statement': [{'Effect': 'Deny', 'Action': 'iam:*', 'Resource': ROLE + 'x'}]}]
        for principal, holds in ((ROLE + 'Admin', True), ('arn:aws:iam::111122223333:root', True), (None, False),
                                 (ROLE + 'aws-service-role/x.amazonaws.com/AWSServiceRoleForX', False), ('arn:aws:iam::999999999999:role/Admin', False)):
            self.assertEqual(scp_denies(policies, principal, 'iam:DeleteRole', ROLE + 'x', '999999999999'), holds, principal)

    def test_a_resources_policy_names_whom_it_lets_in(self):
        policy = {'Statement': [{'Effect': 'Allow', 'Principal': {'AWS': [ROLE + 'A']}, 'Action': 'sns:Publish', 'Resource': '*'},
                                {'Effect': 'Deny', 'Principal': '*', 'Action': 'sns:*', 'Resource': '*',
                                 'Condition': {'Bool': {'aws:SecureTransport': 'false'}}}]}
        for principal, context, holds in ((ROLE + 'A', {}, True), (ROLE + 'B', {}, False), ({'Service': 'x.amazonaws.com'}, {}, False),
                                          (ROLE + 'A', {'aws:SecureTransport': 'false'}, False)):
            self.assertEqual(resource_policy_allows(policy, principal, 'sns:Publish', 'arn:aws:sns:::t', context), holds, principal)


if __name__ == '__main__':
    unittest.main()
