"""CloudWatch, with boto3: as JSON or as Query, whichever this boto3 speaks; and both by hand.

usage: LOCALAWS=path/to/localaws python3 cloudwatch_test.py
"""
import datetime
import json
import pathlib
import time
import unittest

from localaws_server import ACCOUNT, REGION, ClientError, ServiceTest

TOPIC = f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'
NAMESPACE = '/aws/sagemaker/TrainingJobs'
SAMPLES = pathlib.Path(__file__).resolve().parents[3] / 'shared/samples/alarm'
NAME = 'trainwarden/train-1/gpu-idle'


def host(number):
    return [{'Name': 'Host', 'Value': f'train-1/algo-{number}'}]


def alarm(**more):
    return {'AlarmName': NAME, 'AlarmActions': [TOPIC], 'MetricName': 'GPUUtilization', 'Namespace': NAMESPACE,
            'Statistic': 'Maximum', 'Dimensions': host(1), 'Period': 60, 'EvaluationPeriods': 3,
            'Threshold': 4.0, 'ComparisonOperator': 'LessThanOrEqualToThreshold',
            'TreatMissingData': 'notBreaching', **more}


def stat(identity, number, **more):
    return {'Id': identity, 'MetricStat': {'Metric': {'Namespace': NAMESPACE, 'MetricName': 'GPUUtilization',
                                                      'Dimensions': host(number)}, 'Period': 60, 'Stat': 'Maximum'}, **more}


def math_alarm(expression='MAX([m1,m2])/4', **more):
    plain = alarm()
    for name in ('MetricName', 'Namespace', 'Statistic', 'Dimensions', 'Period'):
        del plain[name]
    return {**plain, 'Threshold': 1.0, 'Metrics': [
        {'Id': 'e1', 'Expression': expression, 'Label': 'busiest host'}, stat('m1', 1, ReturnData=False),
        stat('m2', 2, ReturnData=False)], **more}


class CloudWatch(ServiceTest):
    def setUp(self):
        super().setUp()
        self.cloudwatch = self.server.client('cloudwatch')
        self.wait_past_the_minute()

    def put(self, values, number=1, name='GPUUtilization'):
        """One value a minute; the last is of the minute before this one."""
        minute = int(time.time()) // 60 * 60
        self.cloudwatch.put_metric_data(Namespace=NAMESPACE, MetricData=[
            {'MetricName': name, 'Dimensions': host(number), 'Value': value, 'Unit': 'Percent',
             'Timestamp': datetime.datetime.fromtimestamp(minute - 60 * (len(values) - i), datetime.timezone.utc)}
            for i, value in enumerate(values) if value is not None])

    def state(self, name=NAME):
        found = self.cloudwatch.describe_alarms(AlarmNames=[name])['MetricAlarms']
        return found[0]['StateValue'] if found else None

    def wait_for(self, state, seconds=5):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.state() == state:
                return
            time.sleep(0.02)
        self.fail(f'the alarm is {self.state()}, not {state}')

    def messages(self):
        return [(m['subject'], json.loads(m['message'])) for m in self.server.control('GET', 'messages')]

    def wait_past_the_minute(self):
        """So that no minute turns within the next seconds."""
        if time.time() % 60 > 50:
            time.sleep(60.5 - time.time() % 60)

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

    def test_metrics_put_without_a_signature_count_too(self):
        self.cloudwatch.put_metric_alarm(**alarm())
        minute = int(time.time()) // 60 * 60
        self.assertEqual(self.server.control('PUT', 'metrics', [{'Namespace': NAMESPACE, 'MetricData': [
            {'MetricName': 'GPUUtilization', 'Dimensions': host(1), 'Value': 0, 'Timestamp': minute - 60 * n}]}
            for n in (1, 2, 3)]), {'count': 3})
        self.assertEqual(self.state(), 'ALARM')

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

    def test_metric_data(self):
        self.put([10, 20, None, 40])
        self.put([1, 2, 3, 4], 2)
        minute = int(time.time()) // 60 * 60
        window = {'StartTime': datetime.datetime.fromtimestamp(minute - 240, datetime.timezone.utc),
                  'EndTime': datetime.datetime.fromtimestamp(minute, datetime.timezone.utc)}

        def get(*queries, **more):
            found = self.cloudwatch.get_metric_data(MetricDataQueries=list(queries), **window, **more)
            return {r['Id']: r for r in found['MetricDataResults']}
        found = get(stat('m1', 1), stat('m2', 2, ReturnData=False), {'Id': 'e', 'Expression': 'm1/m2'},
                    {'Id': 'f', 'Expression': 'MAX(METRICS())'})
        self.assertEqual([found['m1']['Values'], found['e']['Values'], found['f']['Values']],
                         [[40, 20, 10], [10, 0, 10, 10], [40, 3, 20, 10]])
        self.assertEqual(list(found), ['m1', 'e', 'f'])
        self.assertEqual([t.timestamp() - minute for t in found['m1']['Timestamps']], [-60, -180, -240])
        self.assertEqual((found['m1']['Label'], found['m1']['StatusCode']), ('GPUUtilization', 'Complete'))
        self.assertEqual(get(stat('m1', 1), ScanBy='TimestampAscending')['m1']['Values'], [10, 20, 40])
        wide = stat('m1', 1)
        wide['MetricStat'].update(Period=120, Stat='Average')
        self.assertEqual(get(wide, ScanBy='TimestampAscending')['m1']['Values'], [15, 40])
        pages = list(self.cloudwatch.get_paginator('get_metric_data').paginate(
            MetricDataQueries=[stat('m1', 1), stat('m2', 2)], **window, PaginationConfig={'PageSize': 5}))
        self.assertEqual([[r['Values'] for r in p['MetricDataResults']] for p in pages],
                         [[[40, 20, 10], [4, 3]], [[], [2, 1]]])
        window['EndTime'] = window['StartTime']
        with self.assertRaisesRegex(Exception, 'StartTime must be less than the parameter EndTime'):
            get(stat('m1', 1))

    def test_a_search_finds_all_metrics_of_these_dimensions(self):
        self.put([1, 2])
        minute = int(time.time()) // 60 * 60
        at = datetime.datetime.fromtimestamp(minute - 60, datetime.timezone.utc)
        self.cloudwatch.put_metric_data(Namespace=NAMESPACE, MetricData=[
            {'MetricName': name, 'Timestamp': at, 'Value': 0.5, 'Dimensions': [{'Name': 'TrainingJobName', 'Value': job}]}
            for name, job in (('train:loss', 'a'), ('train:loss', 'b'), ('val:loss', 'a'))])
        window = {'StartTime': at - datetime.timedelta(minutes=5), 'EndTime': at + datetime.timedelta(minutes=1)}

        def search(text, **more):
            found = self.cloudwatch.get_metric_data(MetricDataQueries=[{'Id': 'any', 'Expression': text}], **window, **more)
            return [(r['Id'], r['Label'], r['Values']) for r in found['MetricDataResults']]
        schema = '{"/aws/sagemaker/TrainingJobs",TrainingJobName}'
        self.assertEqual(search(f"SEARCH('{schema}', 'SampleCount', 60)"),
                         [('any', 'a train:loss', [1]), ('any', 'b train:loss', [1]), ('any', 'a val:loss', [1])])
        self.assertEqual(search(f"""SEARCH('{schema} MetricName="val:loss"', 'Sum')"""), [('any', 'a val:loss', [0.5])])
        self.assertEqual(search("""SEARCH('{"/aws/sagemaker/TrainingJobs",Nothing}', 'Sum', 60)"""), [])
        for wrong in ("SEARCH('{/aws/sagemaker/TrainingJobs,TrainingJobName}', 'Sum', 60)", f"SEARCH('{schema}', 'Most', 60)",
                      f"SEARCH('{schema}', 'Sum', 61)", f"SEARCH('{schema}'"):
            with self.assertRaisesRegex(Exception, "Error in expression 'any'"):
                search(wrong)
        self.refused('ValidationError', 'SEARCH', self.cloudwatch.put_metric_alarm,
                     **math_alarm(f"SEARCH('{schema}', 'Sum', 60)"))

    def test_statistics(self):
        at = datetime.datetime.fromtimestamp(int(time.time()) // 60 * 60 - 60, datetime.timezone.utc)
        self.cloudwatch.put_metric_data(Namespace='Own', MetricData=[
            {'MetricName': 'x', 'Timestamp': at, 'Values': [1, 2, 9], 'Counts': [2, 1, 1]},
            {'MetricName': 'set', 'Timestamp': at,
             'StatisticValues': {'SampleCount': 4, 'Sum': 10, 'Minimum': 1, 'Maximum': 4}}])
        for name, statistic, expected in (('x', 'SampleCount', 4), ('x', 'Sum', 13), ('x', 'Average', 3.25),
                                          ('x', 'Minimum', 1), ('x', 'Maximum', 9), ('x', 'p50', 1.5), ('x', 'p100', 9),
                                          ('set', 'Average', 2.5), ('set', 'Maximum', 4)):
            found = self.cloudwatch.get_metric_data(
                MetricDataQueries=[{'Id': 'q', 'MetricStat': {'Metric': {'Namespace': 'Own', 'MetricName': name},
                                                              'Period': 60, 'Stat': statistic}}],
                StartTime=at, EndTime=at + datetime.timedelta(minutes=1))
            self.assertEqual(found['MetricDataResults'][0]['Values'], [expected], (name, statistic))

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

    def test_wrong_data_is_refused_as_a_whole(self):
        good = {'MetricName': 'x', 'Value': 1.0}
        for code, text, datum in (
                ('InvalidParameterCombination', 'mutually exclusive', {**good, 'Values': [1.0]}),
                ('MissingParameter', 'At least one', {'MetricName': 'x'}),
                ('InvalidParameterValue', 'two weeks', {**good, 'Timestamp': datetime.datetime(2020, 1, 1)}),
                ('InvalidParameterValue', 'same size', {'MetricName': 'x', 'Values': [1.0, 2.0], 'Counts': [1.0]})):
            with self.subTest(text=text):
                self.refused(code, text, self.cloudwatch.put_metric_data, Namespace='Own', MetricData=[good, datum])
        self.refused('InvalidParameterValue', 'Namespace', self.cloudwatch.put_metric_data, Namespace='AWS/EC2',
                     MetricData=[good])

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
