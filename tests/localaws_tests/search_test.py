"""Search and DeleteTrainingJob, with boto3.

usage: LOCALAWS=path/to/localaws python3 search_test.py
"""
import json
import time
import unittest
import urllib.error

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

    def test_pages_of_many_jobs_of_one_second(self):
        names = [f'many-{n:04}' for n in range(250)]
        placed = self.server.control('PUT', 'jobs', {name: {'CreationTime': 1783000000, 'Tags': {'n': name[-4:]}}
                                                     for name in names})
        self.assertEqual(placed, {'count': 250})
        wanted = only('Tags.n', 'Exists')
        wanted['Filters'] += [{'Name': 'TrainingJobStatus', 'Operator': 'Equals', 'Value': 'InProgress'},
                              {'Name': 'CreationTime', 'Operator': 'LessThanOrEqualTo', 'Value': '2026-07-02T13:46:40Z'}]
        for order in ('Ascending', 'Descending'):
            seen, sizes, more = [], [], {}
            while True:
                page = self.sagemaker.search(Resource='TrainingJob', SearchExpression=wanted, SortBy='CreationTime',
                                             SortOrder=order, MaxResults=100, **more)
                seen += [r['TrainingJob']['TrainingJobName'] for r in page['Results']]
                sizes.append(len(page['Results']))
                if 'NextToken' not in page:
                    break
                more = {'NextToken': page['NextToken']}
            self.assertEqual(sizes, [100, 100, 50], order)
            self.assertEqual(seen, names if order == 'Ascending' else names[::-1])

    def test_jobs_placed_together_are_checked_one_by_one(self):
        with self.assertRaises(urllib.error.HTTPError) as caught:
            self.server.control('PUT', 'jobs', {'good': {}, 'bad': {'CreationTime': 'yesterday'}, 'late': {}})
        with caught.exception as error:
            self.assertEqual(error.code, 400)
            self.assertIn('bad', json.load(error)['message'])
        self.assertEqual(self.names(only('TrainingJobName', 'In', 'good,bad,late')), ['good'])

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


class LateSearch(ServiceTest):
    options = ('--search-lag', '1')

    def seen(self):
        """{name: (secondary status, tags)}"""
        found = self.server.client().search(Resource='TrainingJob')['Results']
        return {r['TrainingJob']['TrainingJobName']: (r['TrainingJob']['SecondaryStatus'],
                                                      {t['Key']: t['Value'] for t in r['TrainingJob']['Tags']})
                for r in found}

    def test_search_lags_behind_and_describe_does_not(self):
        sagemaker = self.server.client()
        answer = self.server.control('PUT', 'jobs/late', {'Tags': {'team': 'vision'}})
        self.assertEqual(sagemaker.describe_training_job(TrainingJobName='late')['SecondaryStatus'], 'Training')
        self.assertEqual(self.seen(), {}, 'Search has not heard of it')
        time.sleep(1.1)
        self.assertEqual(self.seen(), {'late': ('Training', {'team': 'vision'})})
        sagemaker.add_tags(ResourceArn=answer['TrainingJobArn'], Tags=[{'Key': 'k', 'Value': 'v'}])
        self.server.control('POST', 'jobs/late/transition', {'SecondaryStatus': 'Failed'})
        self.assertEqual(self.seen(), {'late': ('Training', {'team': 'vision'})})
        self.assertEqual(sagemaker.describe_training_job(TrainingJobName='late')['SecondaryStatus'], 'Failed')
        time.sleep(1.1)
        self.assertEqual(self.seen(), {'late': ('Failed', {'team': 'vision', 'k': 'v'})})

    def test_search_hears_late_of_a_warm_pool_that_was_released(self):
        sagemaker = self.server.client()
        self.server.control('PUT', 'jobs/pool', {
            'TrainingJobStatus': 'Stopped', 'SecondaryStatus': 'Stopped', 'WarmPoolStatus': {'Status': 'Available'},
            'ResourceConfig': {'InstanceType': 'ml.g5.xlarge', 'InstanceCount': 1, 'KeepAlivePeriodInSeconds': 3600}})
        answers = []  # as they came: Debian's botocore does not know the member
        sagemaker.meta.events.register('after-call.sagemaker.Search',
                                       lambda http_response, **_: answers.append(json.loads(http_response.content)))

        def pools():
            sagemaker.search(Resource='TrainingJob')
            return [r['TrainingJob']['WarmPoolStatus']['Status'] for r in answers[-1]['Results']
                    if r['TrainingJob']['TrainingJobName'] == 'pool']
        time.sleep(1.1)
        sagemaker.update_training_job(TrainingJobName='pool', ResourceConfig={'KeepAlivePeriodInSeconds': 0})
        self.assertEqual(pools(), ['Available'])
        time.sleep(1.1)
        self.assertEqual(pools(), ['Terminated'])


if __name__ == '__main__':
    unittest.main()
