"""SSM's parameters and CloudWatch Logs, with boto3.

usage: LOCALAWS=path/to/localaws python3 ssm_logs_test.py
"""
import json
import time
import unittest

from localaws_server import ACCOUNT, REGION, ServiceTest


class Ssm(ServiceTest):
    def setUp(self):
        super().setUp()
        self.ssm = self.server.client('ssm')

    def test_a_parameter_has_versions(self):
        put = self.ssm.put_parameter(Name='/trainwarden/policy', Value='{"version": 1}', Type='String')
        self.assertEqual((put['Version'], put['Tier']), (1, 'Standard'))
        self.refused('ParameterAlreadyExists', 'The parameter already exists. To overwrite this value, set the '
                     'overwrite option in the request to true.', self.ssm.put_parameter, Name='/trainwarden/policy',
                     Value='x', Type='String')
        self.assertEqual(self.ssm.put_parameter(Name='/trainwarden/policy', Value='two', Overwrite=True)['Version'], 2)
        found = self.ssm.get_parameter(Name='/trainwarden/policy')['Parameter']
        self.assertLess(abs(found.pop('LastModifiedDate').timestamp() - time.time()), 60)
        self.assertEqual(found, {'Name': '/trainwarden/policy', 'Type': 'String', 'Value': 'two', 'Version': 2,
                                 'DataType': 'text', 'ARN': f'arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/trainwarden/policy'})
        first = self.ssm.get_parameter(Name='/trainwarden/policy:1')['Parameter']
        self.assertEqual((first['Value'], first['Version'], first['Selector']), ('{"version": 1}', 1, ':1'))
        self.assertEqual(self.ssm.get_parameter(Name=found['ARN'])['Parameter']['Value'], 'two')
        self.refused('ParameterVersionNotFound', 'could not find version 3', self.ssm.get_parameter,
                     Name='/trainwarden/policy:3')
        self.refused('ParameterNotFound', '', self.ssm.get_parameter, Name='nothing')

    def test_a_secure_string_is_sealed_unless_decrypted(self):
        self.ssm.put_parameter(Name='secret', Value='plain', Type='SecureString', KeyId='alias/aws/ssm')
        self.assertNotIn('plain', self.ssm.get_parameter(Name='secret')['Parameter']['Value'])
        found = self.ssm.get_parameter(Name='secret', WithDecryption=True)['Parameter']
        self.assertEqual((found['Value'], found['Type']), ('plain', 'SecureString'))

    def test_limits(self):
        put = self.ssm.put_parameter
        put(Name='small', Value='x' * 4096, Type='String')
        self.refused('ValidationException', 'Standard tier parameters support a maximum parameter value of 4096',
                     put, Name='s', Value='x' * 4097, Type='String')
        self.assertEqual(put(Name='big', Value='x' * 8192, Type='String', Tier='Advanced')['Tier'], 'Advanced')
        self.assertEqual(put(Name='clever', Value='x' * 4097, Type='String', Tier='Intelligent-Tiering')['Tier'],
                         'Advanced')
        self.refused('ValidationException', '8192', put, Name='b', Value='x' * 8193, Type='String', Tier='Advanced')
        self.refused('ValidationException', 'A parameter type is required', put, Name='t', Value='x')
        self.refused('ValidationException', 'can\'t be prefixed with "aws" or "ssm"', put, Name='/aws/x', Value='x',
                     Type='String')
        self.refused('ValidationException', 'fully qualified name', put, Name='a/b', Value='x', Type='String')
        self.refused('ValidationException', 'Member must satisfy enum value set: [String, StringList, SecureString]',
                     put, Name='t', Value='x', Type='Text')
        self.refused('ValidationException', "tags and overwrite can't be used together", put, Name='small', Value='x',
                     Overwrite=True, Tags=[{'Key': 'a', 'Value': 'b'}])

    def test_signatures_are_judged_for_ssm(self):
        self.refused('InvalidSignatureException', 'The request signature we calculated does not match',
                     self.server.client('ssm', secret='x').get_parameter, Name='x')


class Logs(ServiceTest):
    GROUP = '/aws/sagemaker/TrainingJobs'

    def setUp(self):
        super().setUp()
        self.logs = self.server.client('logs')
        self.logs.create_log_group(logGroupName=self.GROUP)
        self.now = int(time.time() * 1000)

    def put(self, stream, *messages):
        self.logs.create_log_stream(logGroupName=self.GROUP, logStreamName=stream)
        return self.logs.put_log_events(logGroupName=self.GROUP, logStreamName=stream, logEvents=[
            {'timestamp': self.now + i, 'message': message} for i, message in enumerate(messages)])

    def find(self, **more):
        found = self.logs.filter_log_events(logGroupName=self.GROUP, **more)
        return [event['message'] for event in found['events']]

    def test_events_are_found_by_stream_time_and_words(self):
        self.put('job-1/algo-1-1', 'CUDA out of memory', 'a second line')
        self.put('job-2/algo-1-1', 'fine')
        self.assertEqual(self.find(logStreamNamePrefix='job-1/'), ['CUDA out of memory', 'a second line'])
        self.assertEqual(self.find(logStreamNames=['job-2/algo-1-1']), ['fine'])
        self.assertEqual(self.find(startTime=self.now + 1), ['a second line'])
        self.assertEqual(sorted(self.find(endTime=self.now)), ['CUDA out of memory', 'fine'])
        for pattern, expected in (('out memory', 1), ('"out of memory"', 1), ('"of out"', 0), ('?CUDA ?fine', 2),
                                  ('-fine', 2), ('line -second', 0), ('cuda', 0), ('', 3)):
            self.assertEqual(len(self.find(filterPattern=pattern)), expected, pattern)
        event = self.logs.filter_log_events(logGroupName=self.GROUP, logStreamNamePrefix='job-2')['events'][0]
        self.assertEqual((event['logStreamName'], event['timestamp']), ('job-2/algo-1-1', self.now))

    def test_pages(self):
        self.put('s', *(str(i) for i in range(5)))
        pages = self.logs.get_paginator('filter_log_events').paginate(logGroupName=self.GROUP,
                                                                      PaginationConfig={'PageSize': 2})
        self.assertEqual([[e['message'] for e in page['events']] for page in pages], [['0', '1'], ['2', '3'], ['4']])

    def newest(self, **more):
        """With startFromHead, which models before June 2026 do not know: it is added to the request."""
        def add(params, **_):
            params['body'] = json.dumps({**json.loads(params['body']), 'startFromHead': False}).encode()
        self.logs.meta.events.register('before-call.cloudwatch-logs.FilterLogEvents', add)
        try:
            return self.find(**more)
        finally:
            self.logs.meta.events.unregister('before-call.cloudwatch-logs.FilterLogEvents', add)

    def test_the_newest_events_come_first_where_that_is_asked_for(self):
        """https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html"""
        self.put('s', *(str(i) for i in range(5)))
        self.assertEqual(self.newest(startTime=self.now, limit=2), ['4', '3'])
        self.assertEqual(self.newest(startTime=self.now + 1, endTime=self.now + 3), ['3', '2', '1'])
        for start in ({}, {'startTime': 1_704_067_199_999}):
            self.refused('InvalidParameterException', '2024', self.newest, **start)
        self.assertEqual(len(self.newest(startTime=1_704_067_200_000)), 5)

    def test_wrong_requests_are_refused(self):
        self.refused('ResourceNotFoundException', 'The specified log group does not exist.',
                     self.logs.filter_log_events, logGroupName='none')
        self.refused('ResourceNotFoundException', 'The specified log stream does not exist.',
                     self.logs.filter_log_events, logGroupName=self.GROUP, logStreamNames=['none'])
        self.refused('InvalidParameterException', 'same time', self.logs.filter_log_events, logGroupName=self.GROUP,
                     logStreamNames=['a'], logStreamNamePrefix='b')
        self.refused('InvalidParameterException', "at 'limit' failed to satisfy constraint",
                     self.logs.filter_log_events, logGroupName=self.GROUP, limit=10001)
        self.refused('InvalidParameterException', 'regular expression pattern: [^:*]*', self.logs.create_log_stream,
                     logGroupName=self.GROUP, logStreamName='a:b')
        self.refused('ResourceAlreadyExistsException', 'exists', self.logs.create_log_group, logGroupName=self.GROUP)
        self.logs.create_log_stream(logGroupName=self.GROUP, logStreamName='s')
        self.refused('InvalidParameterException', 'chronological', self.logs.put_log_events, logGroupName=self.GROUP,
                     logStreamName='s', logEvents=[{'timestamp': self.now, 'message': 'a'},
                                                   {'timestamp': self.now - 1, 'message': 'b'}])
        rejected = self.logs.put_log_events(logGroupName=self.GROUP, logStreamName='s', logEvents=[
            {'timestamp': self.now + 3 * 3600 * 1000, 'message': 'the future'}])['rejectedLogEventsInfo']
        self.assertEqual(rejected['tooNewLogEventStartIndex'], 0)
        self.assertEqual(self.find(), [])


if __name__ == '__main__':
    unittest.main()
