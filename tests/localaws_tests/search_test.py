"""Search and DeleteTrainingJob, with boto3.

usage: LOCALAWS=path/to/localaws python3 search_test.py
"""
import json
import unittest

from localaws_server import ServiceTest


def only(name, operator, value=None):
    single = {'Name': name, 'Operator': operator}
    if value is not None:
        single['Value'] = value
    return {'Filters': [single]}


class Search(ServiceTest):
    def setUp(self):
        super().setUp()
        self.sagemaker = self.server.client()
        for name, created, more in (
                ('a', '2026-07-01T00:00:00Z', {'Tags': {'team': 'vision'}, 'SecondaryStatus': 'Training'}),
                ('b', '2026-07-02T00:00:00Z', {'Tags': {'team': 'text', 'trainwarden:root': 'a'},
                                               'TrainingJobStatus': 'Failed', 'SecondaryStatus': 'Failed',
                                               'FailureReason': 'CapacityError: none left'}),
                ('c', '2026-07-03T00:00:00Z', {'ResourceConfig': {'InstanceType': 'ml.p5.48xlarge', 'InstanceCount': 4},
                                               'HyperParameters': {'learning.rate': '0.1'},
                                               'RemoteDebugConfig': {'EnableRemoteDebug': True},
                                               'InputDataConfig': [
                                                   {'ChannelName': 'x', 'ContentType': 'p'},
                                                   {'ChannelName': 'y', 'ContentType': 'q'}]})):
            self.server.control('PUT', f'jobs/{name}', {'CreationTime': created, **more})

    def names(self, expression=None, **more):
        if expression is not None:
            more['SearchExpression'] = expression
        found = self.sagemaker.search(Resource='TrainingJob', SortBy='CreationTime', SortOrder='Ascending', **more)
        return [result['TrainingJob']['TrainingJobName'] for result in found['Results']]

    def test_filters(self):
        for expression, expected in (
                (None, 'abc'), (only('TrainingJobStatus', 'Equals', 'InProgress'), 'ac'),
                (only('TrainingJobStatus', 'NotEquals', 'InProgress'), 'b'),
                (only('Tags.team', 'Exists'), 'ab'), (only('Tags.team', 'NotExists'), 'c'),
                (only('Tags.trainwarden:root', 'Equals', 'a'), 'b'),
                (only('TrainingJobName', 'In', 'a, c'), 'ac'), (only('FailureReason', 'Contains', 'Capacity'), 'b'),
                (only('CreationTime', 'GreaterThanOrEqualTo', '2026-07-02T00:00:00'), 'bc'),
                (only('CreationTime', 'LessThan', '2026-07-02'), 'a'),
                (only('ResourceConfig.InstanceType', 'Contains', 'ml.p5'), 'c'),
                (only('ResourceConfig.InstanceCount', 'GreaterThan', '3'), 'c'),
                (only('HyperParameters.learning.rate', 'LessThan', '0.5'), 'c')):
            with self.subTest(expression=expression):
                self.assertEqual(self.names(expression), list(expected))

    def test_expressions_combine(self):
        self.assertEqual(self.names({'Operator': 'Or', 'Filters': [
            {'Name': 'TrainingJobName', 'Value': 'a'}, {'Name': 'TrainingJobName', 'Value': 'b'}]}), ['a', 'b'])
        self.assertEqual(self.names({
            'Filters': [{'Name': 'TrainingJobStatus', 'Value': 'InProgress'}],
            'SubExpressions': [{'Operator': 'Or', 'Filters': [{'Name': 'Tags.team', 'Value': 'vision'},
                                                              {'Name': 'Tags.team', 'Value': 'text'}]}]}), ['a'])

        def channel(content_type):
            return {'NestedFilters': [{'NestedPropertyName': 'InputDataConfig', 'Filters': [
                {'Name': 'InputDataConfig.ChannelName', 'Value': 'x'},
                {'Name': 'InputDataConfig.ContentType', 'Value': content_type}]}]}
        self.assertEqual(self.names(channel('p')), ['c'])
        self.assertEqual(self.names(channel('q')), [], 'one object must pass all filters')

    def test_records_have_tags_and_lack_what_search_lacks(self):
        found = self.sagemaker.search(Resource='TrainingJob', SearchExpression=only('TrainingJobName', 'Equals', 'b'))
        job = found['Results'][0]['TrainingJob']
        self.assertEqual(job['Tags'], [{'Key': 'team', 'Value': 'text'}, {'Key': 'trainwarden:root', 'Value': 'a'}])
        self.assertEqual(job['FailureReason'], 'CapacityError: none left')
        found = self.sagemaker.search(Resource='TrainingJob', SearchExpression=only('TrainingJobName', 'Equals', 'c'))
        self.assertNotIn('RemoteDebugConfig', found['Results'][0]['TrainingJob'])

    def test_pages_survive_new_jobs(self):
        first = self.sagemaker.search(Resource='TrainingJob', SortBy='CreationTime', MaxResults=2)
        self.assertEqual([r['TrainingJob']['TrainingJobName'] for r in first['Results']], ['c', 'b'])
        self.server.control('PUT', 'jobs/d', {})
        rest = self.sagemaker.search(Resource='TrainingJob', SortBy='CreationTime', MaxResults=2,
                                     NextToken=first['NextToken'])
        self.assertEqual([r['TrainingJob']['TrainingJobName'] for r in rest['Results']], ['a'])
        self.assertNotIn('NextToken', rest)

    def test_wrong_searches_are_refused(self):
        self.refused('ValidationException', 'Colour', self.sagemaker.search, Resource='TrainingJob',
                     SearchExpression=only('Colour', 'Equals', 'x'))
        self.refused('ValidationException', 'NextToken', self.sagemaker.search, Resource='TrainingJob', NextToken='zz')
        self.refused('ValidationException', 'at least one', self.sagemaker.search, Resource='TrainingJob',
                     SearchExpression={})
        self.refused('ValidationException', 'Member must have value less than or equal to 100', self.sagemaker.search,
                     Resource='TrainingJob', MaxResults=101)
        self.refused('ValidationException', 'Member must satisfy enum value set', self.sagemaker.search,
                     Resource='Job')

    def delete(self, name):
        """Older boto3 has no DeleteTrainingJob."""
        status, _, body = self.server.raw('sagemaker', json.dumps({'TrainingJobName': name}).encode(),
                                          X_Amz_Target='SageMaker.DeleteTrainingJob',
                                          Content_Type='application/x-amz-json-1.1')
        return status, body and json.loads(body)

    def test_a_deleted_job_frees_its_name(self):
        self.assertEqual(self.delete('a'), (400, {
            '__type': 'ResourceInUse',
            'Message': 'The request was rejected because the training job is in status InProgress.'}))
        self.assertEqual(self.delete('b'), (200, b''))
        self.assertEqual(self.delete('b'), (400, {'__type': 'ValidationException',
                                                  'message': 'Requested resource not found.'}))
        self.assertEqual(self.names(), ['a', 'c'])


if __name__ == '__main__':
    unittest.main()
