"""Alarms of CloudWatch, with boto3: as JSON or as Query, whichever this boto3 speaks; and both by hand.

usage: LOCALAWS=path/to/localaws python3 cloudwatch_test.py
"""
import json
import time
import unittest

from cloudwatch_support import NAME, NAMESPACE, SAMPLES, TOPIC, alarm, host, math_alarm, stat, CloudWatchTest
from localaws_server import ACCOUNT, REGION, ClientError, ServiceTest


class Alarms(CloudWatchTest):
    def test_an_alarm_is_described_as_it_was_put(self):
        given = alarm(AlarmDescription='d <&> "e"', DatapointsToAlarm=2, OKActions=[TOPIC],
                      Tags=[{'Key': 'trainwarden:job', 'Value': 'train-1'}])
        self.cloudwatch.put_metric_alarm(**given)
        seen = self.cloudwatch.describe_alarms(AlarmNamePrefix='trainwarden/train-1/')['MetricAlarms'][0]
        del given['Tags']
        self.assertEqual({name: seen[name] for name in given}, given)
        self.assertEqual(seen['AlarmArn'], f'arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{NAME}')
        self.assertTrue(seen['ActionsEnabled'])
        self.assertEqual(seen['InsufficientDataActions'], [])
        for name in ('AlarmConfigurationUpdatedTimestamp', 'StateUpdatedTimestamp'):
            self.assertLess(abs(seen[name].timestamp() - time.time()), 60)
        given = math_alarm(AlarmName='math')
        self.cloudwatch.put_metric_alarm(**given)
        seen = self.cloudwatch.describe_alarms(AlarmNames=['math'])['MetricAlarms'][0]
        self.assertEqual(seen['Metrics'], given['Metrics'])
        self.assertNotIn('MetricName', seen)

    def test_alarms_have_pages_filters_and_ends(self):
        for i in range(7):
            self.cloudwatch.put_metric_alarm(**alarm(AlarmName=f'a/{i}', AlarmActions=[TOPIC] if i % 2 else []))
        pages = self.cloudwatch.get_paginator('describe_alarms').paginate(AlarmNamePrefix='a/',
                                                                          PaginationConfig={'PageSize': 3})
        self.assertEqual([[a['AlarmName'] for a in p['MetricAlarms']] for p in pages],
                         [['a/0', 'a/1', 'a/2'], ['a/3', 'a/4', 'a/5'], ['a/6']])
        found = self.cloudwatch.describe_alarms(ActionPrefix='arn:aws:sns:')['MetricAlarms']
        self.assertEqual([a['AlarmName'] for a in found], ['a/1', 'a/3', 'a/5'])
        self.cloudwatch.set_alarm_state(AlarmName='a/4', StateValue='ALARM', StateReason='test')
        found = self.cloudwatch.describe_alarms(StateValue='ALARM')['MetricAlarms']
        self.assertEqual([(a['AlarmName'], a['StateReason']) for a in found], [('a/4', 'test')])
        self.cloudwatch.delete_alarms(AlarmNames=['a/0', 'a/1', 'unknown'])
        self.assertEqual(len(self.cloudwatch.describe_alarms()['MetricAlarms']), 5)
        self.refused('InvalidNextToken', '', self.cloudwatch.describe_alarms, NextToken='xyz')
        self.refused('ValidationError', 'AlarmNamePrefix', self.cloudwatch.describe_alarms, AlarmNames=['x'],
                     AlarmNamePrefix='y')

    def test_pages_of_many_alarms(self):
        names = [f'trainwarden/job-{n:03}/gpu-idle' for n in range(230)]
        self.assertEqual(self.server.control('PUT', 'alarms', [alarm(AlarmName=name) for name in names]),
                         {'count': 230})
        for name in ('trainwarde', 'trainwarden0', 'trainwarden/job-9/x'):
            self.cloudwatch.put_metric_alarm(**alarm(AlarmName=name))
        self.cloudwatch.set_alarm_state(AlarmName=names[7], StateValue='ALARM', StateReason='x')

        def pages(**more):
            return [[a['AlarmName'] for a in page['MetricAlarms']] for page in
                    self.cloudwatch.get_paginator('describe_alarms').paginate(MaxRecords=100, **more)]
        self.assertEqual([a['AlarmName'] for a in self.server.control('GET', 'alarms')],
                         ['trainwarde', *sorted(names + ['trainwarden/job-9/x']), 'trainwarden0'])
        found = pages(AlarmNamePrefix='trainwarden/job-')
        self.assertEqual([len(page) for page in found], [100, 100, 31])
        self.assertEqual(sum(found, []), sorted(names + ['trainwarden/job-9/x']))
        self.assertEqual(pages(AlarmNamePrefix='trainwarden/', StateValue='ALARM'), [[names[7]]])
        self.assertEqual(pages(AlarmNamePrefix='trainwarden/job-007/'), [[names[7]]])

    def test_an_idle_gpu_becomes_a_message(self):
        self.cloudwatch.put_metric_alarm(**alarm(TreatMissingData='missing'))
        self.put([0, 0, 0.3])
        self.wait_for('ALARM')
        (subject, message), = self.messages()
        self.assertEqual(subject, f'ALARM: "{NAME}" in US East (N. Virginia)')
        self.assertEqual({name: message[name] for name in (
            'AlarmName', 'AlarmDescription', 'AWSAccountId', 'NewStateValue', 'OldStateValue', 'Region', 'AlarmArn',
            'OKActions', 'AlarmActions', 'InsufficientDataActions')}, {
                'AlarmName': NAME, 'AlarmDescription': None, 'AWSAccountId': ACCOUNT, 'NewStateValue': 'ALARM',
                'OldStateValue': 'INSUFFICIENT_DATA', 'Region': 'US East (N. Virginia)',
                'AlarmArn': f'arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{NAME}', 'OKActions': [],
                'AlarmActions': [TOPIC], 'InsufficientDataActions': []})
        self.assertRegex(message['NewStateReason'], r'^Threshold Crossed: 3 out of the last 3 datapoints \[0\.3 \(.*\), '
                         r'0\.0 \(.*\), 0\.0 \(.*\)\] were less than or equal to the threshold \(4\.0\) '
                         r'\(minimum 3 datapoints for OK -> ALARM transition\)\.$')
        self.assertRegex(message['StateChangeTime'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$')
        self.assertEqual(message['Trigger'], {
            'MetricName': 'GPUUtilization', 'Namespace': NAMESPACE, 'StatisticType': 'Statistic', 'Statistic': 'MAXIMUM',
            'Unit': None, 'Dimensions': [{'value': 'train-1/algo-1', 'name': 'Host'}], 'Period': 60,
            'EvaluationPeriods': 3, 'DatapointsToAlarm': 3, 'ComparisonOperator': 'LessThanOrEqualToThreshold',
            'Threshold': 4.0, 'TreatMissingData': 'missing', 'EvaluateLowSampleCountPercentile': ''})
        self.put([50])
        self.wait_for('OK')
        self.assertEqual(len(self.messages()), 1, 'OK has no actions')

    def test_a_math_alarm_over_hosts(self):
        self.cloudwatch.put_metric_alarm(**math_alarm())
        self.put([0, 0, 0], 1)
        self.put([0, 80, 0], 2)
        self.wait_for('OK')
        self.put([0, 0, 0], 3)
        self.cloudwatch.put_metric_alarm(**math_alarm('MIN(METRICS())/4'))
        self.wait_for('ALARM')
        trigger = self.messages()[-1][1]['Trigger']
        self.assertNotIn('MetricName', trigger)
        self.assertEqual(trigger['Metrics'][0], {'Id': 'e1', 'Expression': 'MIN(METRICS())/4', 'Label': 'busiest host',
                                                 'ReturnData': True})
        self.assertEqual(trigger['Metrics'][1], {'Id': 'm1', 'MetricStat': {
            'Metric': {'Dimensions': [{'value': 'train-1/algo-1', 'name': 'Host'}], 'MetricName': 'GPUUtilization',
                       'Namespace': NAMESPACE}, 'Period': 60, 'Stat': 'Maximum'}, 'ReturnData': False})

    def test_messages_have_the_form_of_awss(self):
        """Names, order and types of members, against messages that AWS sent: those of the samples, where they are
        at hand, and, of a metric-math alarm, the Trigger as it is seen in public logs."""
        def form(value):
            if isinstance(value, dict):
                return [(name, form(member)) for name, member in value.items()]
            if isinstance(value, list):
                return [form(element) for element in value]
            return 'number' if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__
        self.cloudwatch.put_metric_alarm(**alarm(AlarmDescription='trainwarden v1 job=train-1'))
        self.cloudwatch.set_alarm_state(AlarmName=NAME, StateValue='ALARM', StateReason='x')
        ours = self.messages()[-1][1]
        self.cloudwatch.put_metric_alarm(**math_alarm())
        self.cloudwatch.set_alarm_state(AlarmName=NAME, StateValue='OK', StateReason='x')
        self.cloudwatch.set_alarm_state(AlarmName=NAME, StateValue='ALARM', StateReason='x')
        stat_form = [('Id', 'str'), ('MetricStat', [('Metric', [
            ('Dimensions', [[('value', 'str'), ('name', 'str')]]), ('MetricName', 'str'), ('Namespace', 'str')]),
            ('Period', 'number'), ('Stat', 'str')]), ('ReturnData', 'bool')]
        self.assertEqual(form(self.messages()[-1][1]['Trigger']), [
            ('Period', 'number'), ('EvaluationPeriods', 'number'), ('DatapointsToAlarm', 'number'),
            ('ComparisonOperator', 'str'), ('Threshold', 'number'), ('TreatMissingData', 'str'),
            ('EvaluateLowSampleCountPercentile', 'str'),
            ('Metrics', [[('Expression', 'str'), ('Id', 'str'), ('Label', 'str'), ('ReturnData', 'bool')],
                         stat_form, stat_form])])
        if not SAMPLES.is_dir():
            self.skipTest('1 case needs ../shared/samples/alarm, which is not here')
        sample = json.loads((SAMPLES / 'alarm_single_metric.json').read_text())
        self.assertEqual(form(ours), form(json.loads(sample['Records'][0]['Sns']['Message'])))

    def test_only_changes_of_state_act(self):
        self.cloudwatch.put_metric_alarm(**alarm(TreatMissingData='ignore'))
        set_state = self.cloudwatch.set_alarm_state
        set_state(AlarmName=NAME, StateValue='ALARM', StateReason='one')
        set_state(AlarmName=NAME, StateValue='ALARM', StateReason='two')
        self.assertEqual([m['NewStateReason'] for _, m in self.messages()], ['one'])
        self.cloudwatch.put_metric_alarm(**alarm(TreatMissingData='ignore', Threshold=5.0))
        time.sleep(0.1)
        self.assertEqual(self.state(), 'ALARM', 'a put leaves the state')
        set_state(AlarmName=NAME, StateValue='INSUFFICIENT_DATA', StateReason='reset')
        self.put([0, 0, 0])
        self.wait_for('ALARM')
        self.assertEqual(len(self.messages()), 2, 'acts again, since it changed again')
        self.cloudwatch.put_metric_alarm(**alarm(TreatMissingData='ignore', ActionsEnabled=False))
        set_state(AlarmName=NAME, StateValue='OK', StateReason='x')
        set_state(AlarmName=NAME, StateValue='ALARM', StateReason='x')
        self.assertEqual(len(self.messages()), 2, 'actions are off')
        self.refused('ResourceNotFound', '', set_state, 404, AlarmName='none', StateValue='OK', StateReason='x')
        self.refused('InvalidFormat', 'JSON', set_state, AlarmName=NAME, StateValue='OK', StateReason='x',
                     StateReasonData='{')

    def test_an_alarm_on_the_mean_of_ten_hosts(self):
        hosts = range(1, 11)
        for number in hosts:
            self.put([20, 20, 20] if number < 10 else [100, 100, 100], number)
        mean = math_alarm('AVG([%s])' % ','.join(f'm{n}' for n in hosts))
        mean['Metrics'] = mean['Metrics'][:1] + [stat(f'm{n}', n, ReturnData=False) for n in hosts]
        for threshold, state in ((27.9, 'OK'), (28.0, 'ALARM')):  # (9 × 20 + 100) / 10 is 28
            self.cloudwatch.put_metric_alarm(**{**mean, 'Threshold': threshold})
            self.wait_for(state)

    def test_wrong_alarms_are_refused(self):
        plain, math = alarm(), math_alarm()
        many = [stat(f'n{i}', 1, ReturnData=False) for i in range(9)]
        week = 'Metrics cannot be checked across more than a week (EvaluationPeriods * Period must be <= 604800)'
        for text, request in (
                ("at 'alarmActions' failed to satisfy constraint: Member must have length less than or equal to 5",
                 {**plain, 'AlarmActions': [TOPIC] * 6}),
                ('Invalid arn syntax: somewhere', {**plain, 'AlarmActions': ['somewhere']}),
                ('Invalid region eu-west-1 specified. Only us-east-1 is supported.',
                 {**plain, 'AlarmActions': [TOPIC.replace(REGION, 'eu-west-1')]}),
                ('Period must be 10, 20, 30 or a multiple of 60', {**plain, 'Period': 90}),
                ('Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= 86400)',
                 {**plain, 'Period': 300, 'EvaluationPeriods': 289}),
                (week, {**plain, 'Period': 3600, 'EvaluationPeriods': 169}),
                ('DatapointsToAlarm', {**plain, 'DatapointsToAlarm': 4}),
                ('TreatMissingData', {**plain, 'TreatMissingData': 'never'}),
                ('enum value set', {**plain, 'Statistic': 'Most'}),
                ('ExtendedStatistic', {**plain, 'ExtendedStatistic': 'p99'}),
                ('Exactly one element of the metrics list should return data.',
                 {**math, 'Metrics': [stat('m1', 1), stat('m2', 2)]}),
                ('Exactly one element of the metrics list should return data.',
                 {**math, 'Metrics': [stat('m1', 1, ReturnData=False)]}),
                ('Undefined variable: m9', math_alarm('m1/m9')), ('Error in expression', math_alarm('MAX(m1')),
                ('Error in expression', math_alarm('MOST(METRICS())')), ('11 metrics', {**math, 'Metrics': math['Metrics'] + many}),
                ('expected pattern ^[a-z][a-zA-Z0-9_]*$', {**math, 'Metrics': [stat('M1', 1)]}),
                ('not unique', {**math, 'Metrics': [stat('m1', 1), stat('m1', 2, ReturnData=False)]})):
            with self.subTest(text=text):
                self.refused('ValidationError', text, self.cloudwatch.put_metric_alarm, **request)
        self.refused('InvalidParameterCombination', 'Period', self.cloudwatch.put_metric_alarm, **math, Period=60)
        self.refused('MissingParameter', 'Threshold', self.cloudwatch.put_metric_alarm,
                     **{k: v for k, v in plain.items() if k != 'Threshold'})
        self.assertEqual(self.cloudwatch.describe_alarms()['MetricAlarms'], [])

    def test_both_protocols_have_aws_own_form(self):
        form = 'application/x-www-form-urlencoded; charset=utf-8'
        status, headers, body = self.server.raw(
            'monitoring', b'{"AlarmName":"none","StateValue":"OK","StateReason":""}', Content_Type='application/x-amz-json-1.0',
            X_Amz_Target='GraniteServiceVersion20100801.SetAlarmState', x_amzn_query_mode='true')
        self.assertEqual((status, headers['x-amzn-query-error'], json.loads(body)['__type']),
                         (404, 'ResourceNotFound;Sender', 'ResourceNotFound'))
        self.assertEqual(headers['Content-Type'], 'application/x-amz-json-1.0')
        status, headers, body = self.server.raw(
            'monitoring', b'{"AlarmNames":"a"}', Content_Type='application/x-amz-json-1.0',
            X_Amz_Target='GraniteServiceVersion20100801.DeleteAlarms')
        self.assertEqual((status, headers['x-amzn-query-error'], json.loads(body)['__type']),
                         (400, 'MalformedInput;Sender', 'SerializationException'))
        status, headers, body = self.server.raw(
            'monitoring', b'Action=SetAlarmState&Version=2010-08-01&AlarmName=none&StateValue=OK&StateReason=', Content_Type=form)
        self.assertEqual((status, headers['Content-Type']), (404, 'text/xml'))
        self.assertIn(b'<Type>Sender</Type><Code>ResourceNotFound</Code>', body)
        status, _, body = self.server.raw(
            'monitoring', b'Action=PutMetricAlarm&Version=2010-08-01&AlarmName=q&Namespace=a%2Fb&MetricName=m&Period=60'
            b'&Statistic=Sum&EvaluationPeriods=1&Threshold=1.5&ComparisonOperator=GreaterThanThreshold'
            b'&Dimensions.member.1.Name=Host&Dimensions.member.1.Value=a+b&Dimensions.member.2.Name=X&Dimensions.member.2.Value=y',
            Content_Type=form)
        self.assertEqual(status, 200)
        self.assertIn(b'<PutMetricAlarmResponse xmlns="http://monitoring.amazonaws.com/doc/2010-08-01/"><ResponseMetadata>',
                      body)
        seen = self.cloudwatch.describe_alarms(AlarmNames=['q'])['MetricAlarms'][0]
        self.assertEqual((seen['Namespace'], seen['Threshold'], seen['Dimensions']),
                         ('a/b', 1.5, [{'Name': 'Host', 'Value': 'a b'}, {'Name': 'X', 'Value': 'y'}]))
        status, _, body = self.server.raw('logs', b'Action=DescribeAlarms&Version=2010-08-01', Content_Type=form)
        self.assertEqual(status, 403)
        self.assertIn(b"<Code>SignatureDoesNotMatch</Code><Message>Credential should be scoped to correct service: "
                      b"'monitoring'.", body)


class Quota(ServiceTest):
    options = ('--alarm-calls', '3')

    def test_three_calls_a_second_of_each_operation_that_changes_alarms(self):
        cloudwatch = self.server.client('cloudwatch')
        codes, begin = [], time.monotonic()
        for _ in range(12):
            try:
                cloudwatch.put_metric_alarm(**alarm())
                codes.append('ok')
            except ClientError as error:
                codes.append(error.response['Error']['Code'])
                self.assertEqual(error.response['Error']['Message'], 'Rate exceeded')
                self.assertEqual(error.response['ResponseMetadata']['HTTPStatusCode'], 400)
        took = time.monotonic() - begin
        self.assertEqual(codes[:3], ['ok'] * 3)
        self.assertEqual(set(codes), {'ok', 'Throttling'})
        self.assertLessEqual(codes.count('ok'), 3 + 3 * took)
        self.assertEqual(cloudwatch.delete_alarms(AlarmNames=[NAME])['ResponseMetadata']['HTTPStatusCode'], 200)
        for _ in range(12):
            cloudwatch.describe_alarms()
        time.sleep(0.5)
        cloudwatch.put_metric_alarm(**alarm())


if __name__ == '__main__':
    unittest.main()
