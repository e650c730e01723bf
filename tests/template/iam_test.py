"""The evaluation of conditions by which the other tests judge policies: IAM's rules, one case a line.

usage: python3 -m unittest discover -p iam_test.py
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
"""
import unittest

from iam import condition_holds

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


if __name__ == '__main__':
    unittest.main()
