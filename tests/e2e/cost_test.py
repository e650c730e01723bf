"""Rules on cost end to end: a missing price is told and brings no event again, and spot pays its share.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest cost_test
"""
import time
import unittest

try:
    import boto3
except ImportError:
    boto3 = None

from embedded_aws import EmbeddedAws

SPENT = {'name': 'spent', 'match': {'job': {'TrainingJobStatus': ['InProgress']},
                                    'cost': {'spent_usd': [{'numeric': ['>=', 3000]}]}}, 'actions': ['stop']}


def policy(prices):
    return {'version': 1, 'mode': 'enforce', 'prices': prices, 'rules': [SPENT]}


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class Cost(unittest.TestCase):
    def serve(self, prices):
        aws = EmbeddedAws(policy(prices), functions=('state',))
        self.addCleanup(aws.close)
        return aws

    def job(self, aws, name, hours, instance_type, **members):
        start = time.time() - hours * 3600
        return aws.job(name, instance_type=instance_type, age=hours * 3600, TrainingStartTime=start,
                       SecondaryStatusTransitions=[{'Status': 'Training', 'StartTime': start}], **members)

    def test_F1_a_machine_without_a_price_is_told_and_no_event_comes_again(self):
        aws = self.serve({'ml.p4d.24xlarge': 24.25})
        event = self.job(aws, 'unpriced', 71, 'ml.p5e.48xlarge')
        status, record = aws.invoke(event)
        self.assertEqual(status, 200)
        skipped, = record['skipped']
        self.assertEqual((skipped['rule'], skipped['unavailable'], skipped['error']),
                         ('spent', 'prices', 'prices: the policy has no price for ml.p5e.48xlarge'))
        self.assertEqual(record['decisions'], [])
        self.assertIn('"Unpriced":1', aws.log())

    def test_F1_one_with_a_price_is_stopped(self):
        aws = self.serve({'ml.p5e.48xlarge': 60})
        status, record = aws.invoke(self.job(aws, 'priced', 71, 'ml.p5e.48xlarge'))
        self.assertEqual((status, record['skipped']), (200, []))
        because = {one['path']: one['value'] for one in record['decisions'][0]['because']}
        self.assertTrue(because['cost.spent_usd'].startswith('4260'), because)
        self.assertEqual(record['decisions'][0]['actions'][0]['code'], 'stopped')

    def test_F2_spot_is_counted_at_its_share(self):
        for factor, decided in ((0.36, 0), (0.9, 1)):
            with self.subTest(factor=factor):
                aws = self.serve({'ml.p5e.48xlarge': 60, 'spot_factor': factor})
                _, record = aws.invoke(self.job(aws, 'spot', 71, 'ml.p5e.48xlarge', EnableManagedSpotTraining=True))
                self.assertEqual(len(record['decisions']), decided)

    def test_F2_without_a_share_the_record_says_at_most_and_the_start_warns(self):
        aws = self.serve({'ml.p5e.48xlarge': 60})
        _, record = aws.invoke(self.job(aws, 'spot', 71, 'ml.p5e.48xlarge', EnableManagedSpotTraining=True))
        because = {one['path']: one['value'] for one in record['decisions'][0]['because']}
        self.assertTrue(because['cost.spent_usd'].startswith('at most 4260'), because)
        self.assertIn('has no spot_factor for ml.p5e.48xlarge', aws.log())


if __name__ == '__main__':
    unittest.main()
