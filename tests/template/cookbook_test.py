"""The deny that the cookbook's approvals need (policy.md F15), by IAM's evaluation: who may write the tag, by which calls.

usage: python3 -m unittest discover -p cookbook_test.py
"""
import json
import pathlib
import re
import unittest

from iam import denies

POLICY = pathlib.Path(__file__).resolve().parents[2] / 'handlers/policy.md'
ROLE = 'arn:aws:iam::111122223333:role/'
JOB = 'arn:aws:sagemaker:eu-central-1:111122223333:training-job/train-1'
TAG = 'approved-until'


def statement():
    blocks = re.findall(r'```json\n(.*?)```', POLICY.read_text(encoding='utf-8'), flags=re.S)
    found = [one for block in blocks for one in json.loads(block)['Statement'] if TAG in json.dumps(one)]
    assert len(found) == 1, found
    return found[0]


class F15Approvals(unittest.TestCase):
    def denied(self, action, role, keys):
        context = {'aws:PrincipalArn': ROLE + role, **({'aws:TagKeys': keys} if keys else {})}
        return denies(statement(), 'sagemaker:' + action, JOB, context)

    def test_nobody_else_writes_the_tag(self):
        for action in ('AddTags', 'CreateTrainingJob', 'CreateHyperParameterTuningJob', 'CreateAutoMLJob', 'CreateAutoMLJobV2'):
            for keys in ([TAG], ['team', TAG], [TAG, 'model_name']):
                for role in ('researcher', 'ml-approvers-2', 'not-ml-approvers', 'Admin'):
                    with self.subTest(action=action, keys=keys, role=role):
                        self.assertTrue(self.denied(action, role, keys))

    def test_approvers_and_copies_do(self):
        for role in ('ml-approvers', 'trainwarden-StateFunctionRole-1A2B3C4D5E6F'):
            for action in ('AddTags', 'CreateTrainingJob'):
                with self.subTest(role=role, action=action):
                    self.assertFalse(self.denied(action, role, [TAG]))

    def test_other_tags_and_calls_are_none_of_its_business(self):
        for action, keys in (('AddTags', ['team']), ('CreateTrainingJob', ['team', 'model_name']), ('CreateTrainingJob', []),
                             ('AddTags', ['approved-until-now']), ('ListTags', []), ('StopTrainingJob', [])):
            with self.subTest(action=action, keys=keys):
                self.assertFalse(self.denied(action, 'researcher', keys))

    def test_the_recipe_reads_the_tag_that_the_deny_names(self):
        self.assertIn(f'"until": {{ "{TAG}": [{{ "numeric": [">", 0, "<=", 2592000] }}] }}', POLICY.read_text(encoding='utf-8'))


if __name__ == '__main__':
    unittest.main()
