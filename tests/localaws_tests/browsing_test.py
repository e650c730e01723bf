"""What people look at localaws with, and what it says of what it does not have; with boto3.

usage: LOCALAWS=path/to/localaws python3 browsing_test.py
"""
import datetime
import pathlib
import subprocess
import tempfile
import time
import unittest

from localaws_server import ACCOUNT, REGION, ClientError, Server, ServiceTest, environment

SPACE = '/aws/sagemaker/TrainingJobs'
TABLE = 'trainwarden-state'
SENTENCE = 'localaws has no {}; see its README'


class Lacking(ServiceTest):
    def said(self, call, **arguments):
        """(code, message, status) of the refusal, as boto3 reads it."""
        with self.assertRaises(ClientError) as caught:
            call(**arguments)
        answer = caught.exception.response
        return answer['Error']['Code'], answer['Error']['Message'], answer['ResponseMetadata']['HTTPStatusCode']

    def test_in_json(self):
        for service, call, operation, arguments in (
                ('sagemaker', 'list_endpoints', 'ListEndpoints', {}), ('sagemaker', 'describe_endpoint', 'DescribeEndpoint', {'EndpointName': 'x'}),
                ('logs', 'describe_metric_filters', 'DescribeMetricFilters', {}), ('ssm', 'describe_parameters', 'DescribeParameters', {}),
                ('dynamodb', 'list_tables', 'ListTables', {}), ('ecs', 'list_clusters', 'ListClusters', {})):
            with self.subTest(operation):
                code, message, status = self.said(getattr(self.server.client(service), call), **arguments)
                self.assertEqual((code, message, status), ('UnknownOperationException', SENTENCE.format(operation), 400))

    def test_in_xml(self):
        for service, call, operation, arguments in (
                ('sts', 'get_caller_identity', 'GetCallerIdentity', {}), ('iam', 'list_roles', 'ListRoles', {}),
                ('sns', 'get_topic_attributes', 'GetTopicAttributes', {'TopicArn': 'arn:aws:sns:x'}), ('ec2', 'describe_vpcs', 'DescribeVpcs', {})):
            with self.subTest(operation):
                code, message, status = self.said(getattr(self.server.client(service), call), **arguments)
                self.assertEqual((code, message, status), ('InvalidAction', SENTENCE.format(operation), 400))

    def test_by_path(self):
        for service, call, path, arguments in (('lambda', 'list_functions', 'GET /2015-03-31/functions', {}), ('batch', 'describe_jobs',
                                               'POST /v1/describejobs', {'jobs': ['x']})):
            with self.subTest(path):
                code, message, status = self.said(getattr(self.server.client(service), call), **arguments)
                self.assertEqual((code, status), ('UnknownOperationException', 404))
                self.assertRegex(message, f'^localaws has no {path}/?; see its README$')
        code, message, status = self.said(self.server.client('s3', s3={'addressing_style': 'path'}).get_bucket_acl, Bucket='b')
        self.assertEqual((code, message, status), ('NotImplemented', SENTENCE.format('GET /b'), 501))


class Browsing(ServiceTest):
    def test_metrics_are_listed_and_summed(self):
        cloudwatch = self.server.client('cloudwatch')
        minute = int(time.time()) // 60 * 60 - 600
        hosts = [[{'Name': 'Host', 'Value': f'job-{n}/algo-1'}] for n in range(3)]
        for host in hosts:
            cloudwatch.put_metric_data(Namespace=SPACE, MetricData=[
                {'MetricName': name, 'Dimensions': host, 'Timestamp': minute + at, 'Value': value, 'Unit': 'Percent'}
                for name in ('GPUUtilization', 'CPUUtilization') for at, value in ((0, 10), (30, 30), (60, 50))])
        listed = cloudwatch.list_metrics(Namespace=SPACE)['Metrics']
        self.assertEqual(len(listed), 6)
        self.assertIn({'Namespace': SPACE, 'MetricName': 'GPUUtilization', 'Dimensions': hosts[1]}, listed)
        of_one = cloudwatch.list_metrics(Namespace=SPACE, MetricName='GPUUtilization', Dimensions=hosts[2])['Metrics']
        self.assertEqual([metric['Dimensions'] for metric in of_one], [hosts[2]])
        self.assertEqual(len(cloudwatch.list_metrics(Dimensions=[{'Name': 'Host'}])['Metrics']), 6)
        self.assertEqual(cloudwatch.list_metrics(Namespace='AWS/EC2')['Metrics'], [])
        window = {'Namespace': SPACE, 'MetricName': 'GPUUtilization', 'Dimensions': hosts[0], 'StartTime': minute, 'EndTime': minute + 120, 'Period': 60}
        found = cloudwatch.get_metric_statistics(**window, Statistics=['Average', 'Maximum'])
        self.assertEqual(found['Label'], 'GPUUtilization')
        self.assertEqual([(point['Timestamp'], point['Average'], point['Maximum']) for point in found['Datapoints']],
                         [(datetime.datetime.fromtimestamp(minute, datetime.timezone.utc), 20, 30),
                          (datetime.datetime.fromtimestamp(minute + 60, datetime.timezone.utc), 50, 50)])
        medians = cloudwatch.get_metric_statistics(**window, ExtendedStatistics=['p50'])['Datapoints']
        self.assertEqual([point['ExtendedStatistics'] for point in medians], [{'p50': 20}, {'p50': 50}])
        self.assertEqual(cloudwatch.get_metric_statistics(**{**window, 'Dimensions': []}, Statistics=['Sum'])['Datapoints'], [])
        for wrong in ({}, {'Statistics': ['Sum'], 'ExtendedStatistics': ['p50']}, {'Statistics': ['Sum'], 'StartTime': minute - 86400 * 9}):
            with self.assertRaises(ClientError):
                cloudwatch.get_metric_statistics(**{**window, **wrong})

    def test_the_table_is_scanned_page_by_page(self):
        dynamodb = self.server.client('dynamodb')
        items = [{'id': {'S': f'job/{n}'}, 'v': {'N': str(n)}} for n in range(5)]
        for item in items:
            dynamodb.put_item(TableName=TABLE, Item=item)
        whole = dynamodb.scan(TableName=TABLE)
        self.assertEqual((whole['Items'], whole['Count'], 'LastEvaluatedKey' in whole), (items, 5, False))
        pages = list(dynamodb.get_paginator('scan').paginate(TableName=TABLE, PaginationConfig={'PageSize': 2}))
        self.assertEqual([item for page in pages for item in page['Items']], items)
        counted = dynamodb.scan(TableName=TABLE, Select='COUNT')
        self.assertEqual((counted['Count'], counted.get('Items', [])), (5, []))
        with self.assertRaises(ClientError):
            dynamodb.scan(TableName=TABLE, FilterExpression='v = :v', ExpressionAttributeValues={':v': {'N': '1'}})

    def test_groups_streams_and_events_of_logs(self):
        logs = self.server.client('logs')
        now = int(time.time() * 1000)
        for group in ('/a/one', '/a/two', '/b'):
            logs.create_log_group(logGroupName=group)
        for number, stream in enumerate(('x/1', 'x/2', 'y')):
            logs.create_log_stream(logGroupName='/a/one', logStreamName=stream)
            logs.put_log_events(logGroupName='/a/one', logStreamName=stream, logEvents=[
                {'timestamp': now - 10_000 * number + at, 'message': f'{stream} {at}'} for at in range(5)])
        self.assertEqual([g['logGroupName'] for g in logs.describe_log_groups(logGroupNamePrefix='/a')['logGroups']], ['/a/one', '/a/two'])
        self.assertEqual(logs.describe_log_groups(logGroupNamePattern='b')['logGroups'][0]['arn'], f'arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/b:*')
        pages = list(logs.get_paginator('describe_log_groups').paginate(PaginationConfig={'PageSize': 2}))
        self.assertEqual([len(page['logGroups']) for page in pages], [2, 1])
        streams = logs.describe_log_streams(logGroupName='/a/one', orderBy='LastEventTime', descending=True)['logStreams']
        self.assertEqual([(s['logStreamName'], s['lastEventTimestamp']) for s in streams],
                         [('x/1', now + 4), ('x/2', now - 10_000 + 4), ('y', now - 20_000 + 4)])
        self.assertEqual([s['logStreamName'] for s in logs.describe_log_streams(logGroupName='/a/one', logStreamNamePrefix='x/')['logStreams']],
                         ['x/1', 'x/2'])

        def messages(**more):
            answer = logs.get_log_events(logGroupName='/a/one', logStreamName='y', **more)
            return [event['message'] for event in answer['events']], answer
        self.assertEqual(messages()[0], [f'y {at}' for at in range(5)])
        newest, answer = messages(limit=2)
        self.assertEqual(newest, ['y 3', 'y 4'])
        self.assertEqual(messages(limit=2, nextToken=answer['nextBackwardToken'])[0], ['y 1', 'y 2'])
        self.assertEqual(messages(nextToken=answer['nextForwardToken'])[0], [])
        oldest, answer = messages(limit=2, startFromHead=True)
        self.assertEqual(oldest, ['y 0', 'y 1'])
        self.assertEqual(messages(limit=2, nextToken=answer['nextForwardToken'])[0], ['y 2', 'y 3'])
        self.assertEqual(messages(startTime=now - 20_000 + 1, endTime=now - 20_000 + 3)[0], ['y 1', 'y 2'])
        for call in (logs.describe_log_streams, logs.get_log_events):
            with self.assertRaises(ClientError) as caught:
                call(logGroupName='/none', **({'logStreamName': 'y'} if call == logs.get_log_events else {}))
            self.assertEqual(caught.exception.response['Error']['Code'], 'ResourceNotFoundException')


class FunctionsLog(unittest.TestCase):
    def test_what_a_function_writes_is_in_its_log_group(self):
        """As `aws logs tail` asks for it: FilterLogEvents, again and again."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / 'bootstrap'
            program.write_text('#!/bin/sh\necho "begun at 12:00"; echo "something: wrong" >&2\nexec sleep 100\n')
            program.chmod(0o755)
            server = Server('--state', str(program))
            try:
                logs = server.client('logs')
                end = time.monotonic() + 20
                found = []
                while len(found) < 2 and time.monotonic() < end:
                    time.sleep(0.1)
                    if logs.describe_log_groups(logGroupNamePrefix='/aws/lambda/')['logGroups']:
                        found = logs.filter_log_events(logGroupName='/aws/lambda/trainwarden-state', interleaved=True,
                                                       startTime=int((time.time() - 60) * 1000))['events']
                self.assertEqual([event['message'] for event in found], ['begun at 12:00', 'something: wrong'])
                self.assertRegex(found[0]['logStreamName'], r'^\d{4}/\d\d/\d\d/\[\$LATEST\]1$')
                if has_aws2():
                    tailed = subprocess.run(
                        ['aws', 'logs', 'tail', '/aws/lambda/trainwarden-state', '--since', '1d', '--endpoint-url', server.url, '--region', REGION],
                        capture_output=True, text=True, env=environment(AWS_ACCESS_KEY_ID='test', AWS_SECRET_ACCESS_KEY='test'))
                    self.assertIn('something: wrong', tailed.stdout, tailed.stderr)
            finally:
                self.assertEqual(server.stop(), 0)


def has_aws2():
    try:
        version = subprocess.run(['aws', '--version'], capture_output=True, text=True)
    except OSError:
        return False
    return version.stdout.startswith('aws-cli/2')


if __name__ == '__main__':
    unittest.main()
