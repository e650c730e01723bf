"""Service Quotas, with boto3.

usage: LOCALAWS=path/to/localaws python3 quotas_test.py
"""
import unittest

from localaws_server import ACCOUNT, REGION, ServiceTest

P5 = 'ml.p5.48xlarge for training job usage'


class Quotas(ServiceTest):
    def setUp(self):
        super().setUp()
        self.quotas = self.server.client('service-quotas')

    def listed(self, **more):
        pages = self.quotas.get_paginator('list_service_quotas').paginate(ServiceCode='sagemaker', **more)
        return {quota['QuotaName']: quota for page in pages for quota in page['Quotas']}

    def test_quotas_have_names_and_codes_that_do_not_follow_from_them(self):
        found = self.listed()
        self.assertIn('ml.p5.48xlarge for spot training job usage', found)
        p5 = found[P5]
        self.assertRegex(p5['QuotaCode'], r'^L-[0-9A-F]{8}$')
        self.assertEqual(p5['QuotaArn'], f'arn:aws:servicequotas:{REGION}:{ACCOUNT}:sagemaker/{p5["QuotaCode"]}')
        self.assertEqual((p5['ServiceCode'], p5['Value'], p5['Unit'], p5['Adjustable'], p5['GlobalQuota']),
                         ('sagemaker', 64.0, 'None', True, False))
        self.assertEqual(len({quota['QuotaCode'] for quota in found.values()}), len(found))

    def test_one_of_them(self):
        if 'QuotaCode' not in self.quotas.meta.service_model.operation_model('ListServiceQuotas').input_shape.members:
            self.skipTest('this botocore does not know QuotaCode and QuotaAppliedAtLevel of ListServiceQuotas')
        p5 = self.listed()[P5]
        one, = self.quotas.list_service_quotas(ServiceCode='sagemaker', QuotaCode=p5['QuotaCode'])['Quotas']
        self.assertEqual(one, p5)
        self.assertEqual(self.listed(QuotaAppliedAtLevel='RESOURCE'), {})

    def test_pages(self):
        self.server.control('PUT', 'quotas', {f'ml.x{n}.large for endpoint usage': n for n in range(240)})
        first = self.quotas.list_service_quotas(ServiceCode='sagemaker')
        self.assertEqual(len(first['Quotas']), 100)
        second = self.quotas.list_service_quotas(ServiceCode='sagemaker', NextToken=first['NextToken'])
        self.assertNotEqual(second['Quotas'][0], first['Quotas'][0])
        self.assertEqual(self.listed(), self.listed(PaginationConfig={'PageSize': 7}))
        self.assertGreater(len(self.listed()), 240)

    def test_the_control_endpoint_sets_and_removes_them(self):
        self.assertEqual(self.server.control('PUT', 'quotas', {P5: 0.5, 'ml.p5.48xlarge for endpoint usage': None}),
                         {'count': 2})
        found = self.listed()
        self.assertEqual(found[P5]['Value'], 0.5)
        self.assertNotIn('ml.p5.48xlarge for endpoint usage', found)
        self.server.control('POST', 'reset', {})
        self.assertEqual(self.listed()[P5]['Value'], 64.0)

    def test_what_is_wrong_is_refused(self):
        self.refused('NoSuchResourceException', 'service nothing was not found', self.quotas.list_service_quotas,
                     ServiceCode='nothing')
        self.refused('InvalidPaginationTokenException', '', self.quotas.list_service_quotas, ServiceCode='sagemaker',
                     NextToken='x')
        self.refused('IllegalArgumentException', "at 'maxResults' failed", self.quotas.list_service_quotas,
                     ServiceCode='sagemaker', MaxResults=101)
        for code, status in (('TooManyRequestsException', 429), ('AccessDeniedException', 400)):
            self.server.control('POST', 'faults', {'operation': 'ListServiceQuotas', 'code': code, 'status': status})
            self.refused(code, '', self.quotas.list_service_quotas, status=status, ServiceCode='sagemaker')


if __name__ == '__main__':
    unittest.main()
