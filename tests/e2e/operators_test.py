"""What the functions count for those who operate them (R2), and that the alarms of template.yaml hear it.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest operators_test
Metrics are read from the functions' log, as CloudWatch reads them there. Needs no boto3, but for a policy in SSM.
"""
import json
import subprocess
import sys
import time
import unittest

try:
    import boto3
except ImportError:
    boto3 = None

from embedded_aws import ACCOUNT, BIN, REGION, REPOSITORY, TABLE, EmbeddedAws, clean_environment

sys.path.insert(0, str(REPOSITORY / 'tests/template'))
try:
    import cloudformation
except ImportError:
    cloudformation = None

TOPIC = f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'  # which the embedded AWS has
TEAM = {'name': 'team', 'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'tags': {'team': [{'exists': False}]}},
        'actions': ['stop', 'notify']}
POLICY = {'version': 1, 'mode': 'enforce', 'limits': {'stops_per_sweep': 2, 'stops_per_hour': 1}, 'rules': [TEAM]}
RESUME = {'version': 1, 'mode': 'enforce', 'rules': [
    {'name': 'resume', 'match': {'job': {'TrainingJobStatus': ['Failed']}}, 'actions': ['restart']}]}
DENIED = {'caller': 'functions', 'times': 100, 'status': 400, 'code': 'AccessDeniedException'}
COMPLETED = ('Trainwarden', 'SweepCompleted', 'FunctionName=trainwarden-state')


def plain(metric):
    return ('Trainwarden', metric, '')


def emitted(log):
    """What CloudWatch makes of the log: sums by namespace, metric and dimensions."""
    sums = {}
    for line in log.splitlines():
        begin = line.find('{"_aws":')
        if begin < 0:
            continue
        values = json.loads(line[begin:])
        for directive in values['_aws']['CloudWatchMetrics']:
            for dimensions in directive['Dimensions']:
                told = ','.join(f'{name}={values[name]}' for name in dimensions)
                for metric in directive['Metrics']:
                    key = (directive['Namespace'], metric['Name'], told)
                    sums[key] = sums.get(key, 0) + values[metric['Name']]
    return sums


class Operators(unittest.TestCase):
    def serve(self, policy=POLICY, *options, functions=('state',), **environment):
        aws = EmbeddedAws(policy, *options, functions=functions, **{'TRAINWARDEN_NOTIFY_TOPIC': TOPIC, 'AWS_MAX_ATTEMPTS': '1',
                                                                    **environment})
        self.addCleanup(aws.close)
        for function in functions:
            aws.wait_for_function(function)
        return aws

    def sweep(self, aws, status=200):
        found, answer = aws.control('POST', 'sweep')
        self.assertEqual(found, status, answer)
        return answer

    def assert_counted(self, aws, expected, metrics=None):
        """The sums of these, without those that were not counted. The log comes through a pipe, and after the answer."""
        def counted():
            return {name: value for (_, name, _), value in emitted(aws.log()).items() if name in (metrics or GUARDS)}
        until = time.monotonic() + (20 if expected else 0)
        while counted() != expected and time.monotonic() < until:
            time.sleep(0.1)
        self.assertEqual(counted(), expected)

    def sweep_that_time_cuts(self, operation):
        aws = self.serve(POLICY, '--timeout', '10')
        aws.control('PUT', 'jobs', {f'train-{n:03}': {
            'TrainingJobStatus': 'InProgress', 'SecondaryStatus': 'Starting', 'CreationTime': time.time() - 9000 - n,
            'Tags': {'team': 'vision'}} for n in range(1000)})
        aws.control('POST', 'faults', {'caller': 'functions', 'operation': operation, 'times': 100,
                                       'delay_ms': 1000 if operation == 'Search' else 9000})
        return aws, self.sweep(aws)

    def sweep_that_cannot_claim(self, aws):
        """Three jobs at a time are more than a sweep stops, and the claim to tell of it is denied."""
        for name in ('a', 'b', 'c'):
            aws.job(name, age=900)
        aws.control('POST', 'faults', {**DENIED, 'operation': 'GetItem'})
        self.sweep(aws, 502)
        self.assert_counted(aws, {'SweepCompleted': 1, 'HeldBack': 3, 'StateUnavailable': 1})


GUARDS = ('SweepCompleted', 'SweepLeft', 'HeldBack', 'StateUnavailable', 'PolicyErrors')


class SweepCompleted(Operators):
    def test_R2_a_sweep_that_comes_to_its_end_is_counted_by_function(self):
        for environment in ({}, {'TRAINWARDEN_MODE': 'observe'}):
            with self.subTest(environment):
                aws = self.serve(**environment)
                aws.job('runs', tags={'team': 'vision'})
                self.sweep(aws)
                self.sweep(aws)
                self.assert_counted(aws, {'SweepCompleted': 2})
                found = emitted(aws.log())
                self.assertEqual(found[COMPLETED], 2)
                self.assertNotIn(plain('SweepCompleted'), found)

    def test_R2_an_event_is_no_sweep(self):
        aws = self.serve(functions=('state', 'alarm'))
        self.assertEqual(aws.invoke(aws.job('runs', tags={'team': 'vision'}))[0], 200)
        self.assertEqual(aws.invoke(aws.job('nobodys'))[0], 200)
        self.assertEqual(aws.invoke({'Records': [{'Sns': {'Message': 'no alarm'}}]}, 'alarm')[0], 200)
        self.assert_counted(aws, {})
        self.assert_counted(aws, {'Stops': 1, 'StopsByRule': 1}, ['Stops', 'StopsByRule'])
        self.assertEqual(emitted(aws.log())[('Trainwarden', 'StopsByRule', 'Rule=team')], 1)

    def test_R2_a_sweep_that_time_has_cut_is_counted(self):
        """Whichever of its lists was cut; and the table can be read all the same."""
        for operation in ('Search', 'Query'):
            with self.subTest(operation):
                aws, report = self.sweep_that_time_cuts(operation)
                self.assertFalse(report['complete'], report)
                self.assertGreater(report['left'], 0)
                self.assert_counted(aws, {'SweepCompleted': 1, 'SweepLeft': report['left']})

    def test_R2_a_sweep_that_nobody_lets_look_is_not_counted(self):
        for operation, more in (('Search', {}), ('DescribeAlarms', {}), ('Query', {'StateUnavailable': 1})):
            with self.subTest(operation):
                aws = self.serve()
                aws.control('POST', 'faults', {**DENIED, 'operation': operation})
                self.sweep(aws, 502)
                self.assert_counted(aws, more)

    def test_R2_a_sweep_in_which_the_function_dies_is_not_counted(self):
        aws = self.serve()
        aws.control('POST', 'faults', {'caller': 'functions', 'operation': 'Search', 'times': 1, 'kill': 'after'})
        self.sweep(aws, 502)
        self.assert_counted(aws, {})

    def test_R2_a_sweep_that_holds_back_came_to_its_end(self):
        aws = self.serve()
        for name in ('a', 'b', 'c'):
            aws.job(name, age=900)
        self.sweep(aws, 502)
        self.assert_counted(aws, {'SweepCompleted': 1, 'HeldBack': 3})


class HeldBack(Operators):
    def test_P7_what_the_hour_holds_back_is_counted_and_what_it_lets_through_is_not(self):
        aws = self.serve()
        self.assertEqual(aws.invoke(aws.job('first'))[0], 200)
        self.assert_counted(aws, {})
        self.assertEqual(aws.invoke(aws.job('second'))[0], 200)
        self.assert_counted(aws, {'HeldBack': 1})


class StateUnavailable(Operators):
    def test_P8_a_sweep_that_cannot_note_since_when_a_rule_is_enforced_counts_that(self):
        aws = self.serve(RESUME)
        aws.control('POST', 'faults', {**DENIED, 'operation': 'GetItem'})
        self.sweep(aws)
        self.assert_counted(aws, {'SweepCompleted': 1, 'StateUnavailable': 1})

    def test_P8_a_sweep_that_cannot_claim_that_it_held_back_counts_that(self):
        aws = self.serve()
        self.sweep_that_cannot_claim(aws)

    def test_P8_a_notice_that_could_not_be_noted_as_sent_is_counted(self):
        aws = self.serve({**POLICY, 'rules': [{**TEAM, 'mode': 'notify'}]})
        event = aws.job('nobodys')
        # The claim is the first write, and that it was told the second. Of several faults the oldest strikes.
        aws.control('POST', 'faults', [{'caller': 'functions', 'operation': 'PutItem', 'times': 1, 'delay_ms': 1},
                                       {**DENIED, 'operation': 'PutItem', 'times': 1}])
        status, record = aws.invoke(event)
        self.assertEqual(status, 200, record)
        self.assertIn('may be told again', json.dumps(record))
        self.assert_counted(aws, {'StateUnavailable': 1})

    def test_P8_what_another_service_refuses_is_no_table_that_cannot_be_read(self):
        aws = self.serve()
        event = aws.job('nobodys')
        aws.control('POST', 'faults', {**DENIED, 'operation': 'StopTrainingJob', 'code': 'ThrottlingException'})
        aws.invoke(event)
        self.assert_counted(aws, {})


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class PolicyErrors(Operators):
    NAME = '/trainwarden/policy'

    def put(self, aws, text):
        client = boto3.client('ssm', endpoint_url=aws.url, region_name=REGION, aws_access_key_id='test', aws_secret_access_key='test')
        client.put_parameter(Name=self.NAME, Value=text, Type='String', Overwrite=True)
        client.close()

    def test_P5_a_policy_with_which_the_function_cannot_start_is_counted_and_no_other_mistake(self):
        aws = EmbeddedAws(functions=())
        self.addCleanup(aws.close)
        for source, counted, more in ((f'ssm:{self.NAME}', 1, {}), ('{"version":1,"rulez":[]}', 1, {}), ('file:/nowhere', 1, {}),
                                      (json.dumps(POLICY), 0, {'TRAINWARDEN_MODE': 'on'}), (json.dumps(POLICY), 0, {'AWS_REGION': ''})):
            ended = subprocess.run([BIN / 'state/bootstrap'], capture_output=True, text=True, timeout=60, env=clean_environment(
                **{'AWS_LAMBDA_RUNTIME_API': aws.url[7:] + '/_localaws/runtime/state', 'AWS_REGION': REGION, 'AWS_ACCESS_KEY_ID': 'test',
                   'AWS_SECRET_ACCESS_KEY': 'test', 'AWS_ENDPOINT_URL': aws.url, 'TRAINWARDEN_POLICY': source,
                   'TRAINWARDEN_TABLE': TABLE, **more}))
            self.assertNotEqual(ended.returncode, 0)
            self.assertEqual(emitted(ended.stdout), {plain('PolicyErrors'): 1} if counted else {}, source)

    def test_P5_a_policy_that_is_none_any_more_is_counted_at_each_reading(self):
        aws = EmbeddedAws(functions=())
        self.addCleanup(aws.close)
        self.put(aws, json.dumps(POLICY))
        process = aws.host({}, TRAINWARDEN_POLICY=f'ssm:{self.NAME}')
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        event = aws.job('runs', tags={'team': 'vision'})
        self.put(aws, '{')
        self.assertEqual(aws.invoke(event)[0], 200)
        self.assertNotIn('PolicyErrors', aws.log())
        time.sleep(61)  # it is read again after a minute
        for _ in range(2):
            self.assertEqual(aws.invoke(event)[0], 200)
        self.assert_counted(aws, {'PolicyErrors': 1})


@unittest.skipUnless(cloudformation, 'python3-yaml is not installed')
class TheTemplate(Operators):
    def test_R2_each_alarm_of_ours_hears_what_a_function_emits(self):
        """The same namespace, metric and dimensions: an alarm on anything else would be silent for ever."""
        aws = self.serve()
        self.sweep_that_cannot_claim(aws)
        ended = subprocess.run([BIN / 'alarm/bootstrap'], capture_output=True, text=True, timeout=60, env=clean_environment(
            AWS_LAMBDA_RUNTIME_API=aws.url[7:] + '/_localaws/runtime/alarm', AWS_REGION=REGION, AWS_ACCESS_KEY_ID='test',
            AWS_SECRET_ACCESS_KEY='test', AWS_ENDPOINT_URL=aws.url, TRAINWARDEN_POLICY='{', TRAINWARDEN_TABLE=TABLE))
        cut, report = self.sweep_that_time_cuts('Search')
        self.assert_counted(cut, {'SweepCompleted': 1, 'SweepLeft': report['left']})
        heard = {(space, metric, told.replace('=trainwarden-state', '=StateFunction'))
                 for space, metric, told in emitted('\n'.join((aws.log(), cut.log(), ended.stdout)))}
        alarms = cloudformation.Stack(cloudformation.load()).of_type('AWS::CloudWatch::Alarm').values()
        ours = {(alarm['Namespace'], alarm['MetricName'], ','.join(f'{d["Name"]}={d["Value"]}' for d in alarm.get('Dimensions', [])))
                for alarm in alarms if not alarm.get('Namespace', 'AWS/').startswith('AWS/')}
        self.assertEqual({metric for _, metric, _ in ours}, set(GUARDS))
        self.assertEqual(ours - heard, set())


if __name__ == '__main__':
    unittest.main()
