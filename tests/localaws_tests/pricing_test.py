"""The price list, with boto3, and `trainwarden prices` on it.

usage: LOCALAWS=path/to/localaws [TRAINWARDEN=path/to/trainwarden] python3 pricing_test.py
"""
import json
import os
import re
import subprocess
import unittest

from localaws_server import ServiceTest, environment

TRAINWARDEN = os.environ.get('TRAINWARDEN')
MACHINES = [{'Type': 'TERM_MATCH', 'Field': field, 'Value': value}
            for field, value in (('productFamily', 'ML Instance'), ('component', 'Training'))]


def in_region(region):
    return [*MACHINES, {'Type': 'TERM_MATCH', 'Field': 'regionCode', 'Value': region}]


class Pricing(ServiceTest):
    def setUp(self):
        super().setUp()
        self.pricing = self.server.client('pricing')

    def products(self, client=None, **more):
        pages = (client or self.pricing).get_paginator('get_products').paginate(ServiceCode='AmazonSageMaker', **more)
        return [json.loads(item) for page in pages for item in page['PriceList']]

    def test_products_are_json_in_strings_page_by_page(self):
        first = self.pricing.get_products(ServiceCode='AmazonSageMaker', Filters=in_region('us-east-1'),
                                          FormatVersion='aws_v1', MaxResults=3)
        self.assertEqual((first['FormatVersion'], len(first['PriceList'])), ('aws_v1', 3))
        found = self.products(Filters=in_region('us-east-1'))
        self.assertGreater(len(found), 4)
        self.assertEqual([json.loads(item) for item in first['PriceList']], found[:3])
        p5 = next(one for one in found if one['product']['attributes']['instanceName'] == 'ml.p5.48xlarge')
        self.assertEqual((p5['serviceCode'], p5['product']['productFamily'], p5['product']['attributes']['usagetype']),
                         ('AmazonSageMaker', 'ML Instance', 'USE1-Train:ml.p5.48xlarge'))
        term, = p5['terms']['OnDemand'].values()
        dimension, = term['priceDimensions'].values()
        self.assertEqual((dimension['unit'], dimension['pricePerUnit']), ('Hrs', {'USD': '61.5000000000'}))

    def test_filters_hold_together(self):
        def types(*filters):
            found = self.products(Filters=[dict(zip(('Type', 'Field', 'Value'), one)) for one in filters])
            return {one['product']['attributes']['usagetype'] for one in found}
        self.assertEqual(types(('TERM_MATCH', 'regionCode', 'eu-central-1')),
                         {'EUC1-Train:ml.p4d.24xlarge', 'EUC1-Train:ml.m5.large'})
        self.assertEqual(types(('EQUALS', 'regionCode', 'eu-central-1'), ('CONTAINS', 'instanceName', 'p4d')),
                         {'EUC1-Train:ml.p4d.24xlarge'})
        self.assertEqual(types(('ANY_OF', 'regionCode', 'eu-west-3,cn-north-1'), ('NONE_OF', 'component', 'Hosting')),
                         {'CNN1-Train:ml.m5.large'})
        self.assertEqual(types(('TERM_MATCH', 'no such attribute', 'x')), set())

    def test_the_regions_of_the_list(self):
        pages = self.pricing.get_paginator('get_attribute_values').paginate(ServiceCode='AmazonSageMaker',
                                                                            AttributeName='regionCode')
        self.assertEqual([value['Value'] for page in pages for value in page['AttributeValues']],
                         ['cn-north-1', 'eu-central-1', 'eu-west-3', 'us-east-1', 'us-gov-west-1'])

    def test_it_is_asked_where_it_is_answered(self):
        for region in ('eu-central-1', 'ap-south-1', 'cn-northwest-1'):
            self.assertEqual(len(self.products(self.server.client('pricing', region=region),
                                               Filters=in_region('eu-central-1'))), 2)
        elsewhere = self.server.client('pricing', region='eu-west-1')
        self.refused('InvalidSignatureException', "Credential should be scoped to a valid region, not 'eu-west-1'",
                     elsewhere.get_products, ServiceCode='AmazonSageMaker')

    def test_what_is_wrong_is_refused(self):
        self.refused('InvalidNextTokenException', '', self.pricing.get_products, ServiceCode='AmazonSageMaker',
                     NextToken='x')
        self.refused('NotFoundException', 'AmazonNothing', self.pricing.get_products, ServiceCode='AmazonNothing')
        self.refused('NotFoundException', 'nothing', self.pricing.get_attribute_values, ServiceCode='AmazonSageMaker',
                     AttributeName='nothing')
        self.refused('InvalidParameterException', "at 'maxResults' failed", self.pricing.get_products,
                     ServiceCode='AmazonSageMaker', MaxResults=101)


@unittest.skipUnless(TRAINWARDEN, 'TRAINWARDEN does not name the binary')
class Prices(ServiceTest):
    def command(self, *arguments, stdin=None, **more):
        ran = subprocess.run([TRAINWARDEN, *arguments], input=stdin, capture_output=True, text=True, timeout=60,
                             env=environment(AWS_ENDPOINT_URL=self.server.url, AWS_ACCESS_KEY_ID='test',
                                             AWS_SECRET_ACCESS_KEY='test', **more))
        return ran.returncode, ran.stdout, ran.stderr

    def rows(self, table):
        return {found[0]: float(found[1]) for found in re.findall(r'"(ml\.[^"]+)": ([0-9.]+),', table)}

    def test_the_table_is_what_the_list_says_and_a_policy_takes_it(self):
        status, table, told = self.command('prices', '--region', 'us-east-1', AWS_REGION='eu-west-1')
        self.assertEqual(status, 0, told)
        self.assertEqual(self.rows(table), {
            'ml.g5.12xlarge': 7, 'ml.g5.xlarge': 1.4, 'ml.m5.large': 0.115, 'ml.p4d.24xlarge': 24.25,
            'ml.p5.48xlarge': 61.5, 'ml.trn1.32xlarge': 24.75})
        self.assertEqual(list(self.rows(table)), sorted(self.rows(table)))
        self.assertRegex(table.splitlines()[0], r"us-east-1: AWS's price list of 2026-11-20, asked on 20\d\d-\d\d-\d\d\.$")
        self.assertIn('// ml.p3.2xlarge: the list has several prices, 3.825 (USE1-Train:ml.p3.2xlarge), 4.1 (', table)
        self.assertIn('// ml.c5.xlarge: the list has no price by the hour\n', table)
        self.assertRegex(told, r'^trainwarden: prices: none in us-east-1 for .*ml\.p5e\.48xlarge')
        rule = {'name': 'r', 'match': {'cost': {'max_usd': [{'numeric': ['>', 5]}]}}, 'actions': ['notify']}
        policy = f'{{"version": 1, {table} "rules": [{json.dumps(rule)}]}}'
        status, checked, told = self.command('check', '-', stdin=policy)
        self.assertEqual(status, 0, checked + told)
        self.assertIn('sound', checked)
        self.assertRegex(checked, r'warning: prices: no price for')

    def test_the_region_is_the_environments_where_none_is_given(self):
        status, table, told = self.command('prices', AWS_REGION='eu-central-1')
        self.assertEqual((status, self.rows(table)), (0, {'ml.m5.large': 0.138, 'ml.p4d.24xlarge': 27}), told)

    def test_other_currencies_are_said(self):
        status, table, told = self.command('prices', '--region', 'cn-north-1')
        self.assertEqual((status, self.rows(table)), (0, {'ml.m5.large': 1.08}), told)
        self.assertIn('CNY an hour', table)

    def test_regions_without_prices(self):
        for region, said in (('us-eats-1', 'it has cn-north-1, eu-central-1, eu-west-3, us-east-1, us-gov-west-1; did you '
                                           'mean `us-east-1`?'),
                             ('eu-west-3', 'though it has other prices of SageMaker there'),
                             ('us-gov-west-1', 'GovCloud has no Price List endpoint')):
            with self.subTest(region=region):
                status, table, told = self.command('prices', '--region', region)
                self.assertEqual((status, table), (2, ''))
                self.assertIn(said, told)
        self.assertEqual(self.command('prices', 'us-east-1')[0], 2)


if __name__ == '__main__':
    unittest.main()
