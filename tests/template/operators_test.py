"""Who guards the guard: the stack's own alarms, whom they tell, and what their schedule lets them expect.

usage: python3 -m unittest discover -p operators_test.py
That the functions emit what the alarms look at is in tests/e2e/operators_test.py.
"""
import re
import unittest

try:
    import yaml  # noqa: F401
except ImportError:
    raise unittest.SkipTest('python3-yaml is not installed')

from cloudformation import REPOSITORY, Stack, load

ACCOUNT = '111122223333'
ARN = f'arn:aws:sns:eu-central-1:{ACCOUNT}:'
PEOPLE, OPERATORS = ARN + 'people', ARN + 'operators'
FUNCTIONS = ('StateFunction', 'AlarmFunction')
HOUR = 3600
DAY = 24 * HOUR


TEMPLATE = load()


def stack_of(**parameters):
    return Stack(TEMPLATE, **parameters)


def alarms_of(**parameters):
    return stack_of(**parameters).of_type('AWS::CloudWatch::Alarm')


def watched(alarm):
    """All metrics that it looks at, each as (namespace, name, dimension, value)."""
    metrics = [query['MetricStat']['Metric'] for query in alarm.get('Metrics', []) if 'MetricStat' in query] or [alarm]
    dimensions = [metric.get('Dimensions', [{'Name': '', 'Value': ''}]) for metric in metrics]
    return [(metric['Namespace'], metric['MetricName'], dimension['Name'], dimension['Value'])
            for metric, (dimension,) in zip(metrics, dimensions)]


def window(alarm):
    """Its periods (all of one length) and all of them together, in seconds."""
    period, = {query['MetricStat']['Period'] for query in alarm.get('Metrics', []) if 'MetricStat' in query} or {alarm['Period']}
    return period, period * int(alarm['EvaluationPeriods'])


DEAD_MAN = ('SweepOverdueAlarm', 'SweepFailingAlarm')


class WhatIsWatched(unittest.TestCase):
    def test_R2_all_that_a_guard_may_lose_in_a_default_stack_too(self):
        namespace = re.search(r'kMetricsNamespace = "(\w+)"', (REPOSITORY / 'handlers/function/record_metrics.h').read_text())[1]
        wanted = {('AWS/SQS', 'NumberOfMessagesSent', 'QueueName', queue) for queue in stack_of().of_type('AWS::SQS::Queue')}
        wanted |= {('AWS/Lambda', metric, 'FunctionName', name) for metric in ('Errors', 'Throttles') for name in FUNCTIONS}
        # Both functions count these without dimensions, and an alarm sees no sum over dimensions.
        wanted |= {(namespace, metric, '', '') for metric in ('PolicyErrors', 'HeldBack', 'StateUnavailable')}
        wanted |= {(namespace, metric, 'FunctionName', 'StateFunction') for metric in ('SweepCompleted', 'SweepLeft')}
        wanted.add(('AWS/Events', 'Invocations', 'RuleName', 'SweepRule'))
        self.assertEqual(len(wanted), 13)
        for parameters in ({}, {'NotifyTopic': 'create'}, {'NotifyTopic': PEOPLE}, {'OperatorTopic': OPERATORS}, {'Mode': 'enforce'}):
            self.assertEqual({metric for alarm in alarms_of(**parameters).values() for metric in watched(alarm)}, wanted, parameters)

    def test_none_looks_at_how_many_dead_letters_lie_there(self):
        """Such an alarm goes off once in two weeks."""
        for alarm in alarms_of().values():
            self.assertNotIn('Visible', str(watched(alarm)))

    def test_what_is_counted_goes_off_at_once_and_back_by_itself(self):
        for name, alarm in alarms_of().items():
            if name in (*DEAD_MAN, 'SweepLeftAlarm') or alarm['Namespace'] == 'AWS/Lambda':
                continue
            with self.subTest(name):
                self.assertEqual((alarm['Statistic'], alarm['Threshold'], alarm['ComparisonOperator'], alarm['TreatMissingData'],
                                  alarm['DatapointsToAlarm']), ('Sum', 0, 'GreaterThanThreshold', 'notBreaching', 1))
                # A queue's datapoints come up to 15 minutes late, and what comes with each sweep is one alarm.
                self.assertEqual(alarm['Period'] * alarm['EvaluationPeriods'], HOUR)
                self.assertEqual(alarm['Period'], 300)

    def test_one_event_that_is_given_up_is_enough_and_one_that_comes_again_is_not(self):
        stack = stack_of()
        for name in FUNCTIONS:
            errors, = (a for a in stack.of_type('AWS::CloudWatch::Alarm').values() if [w[1::2] for w in watched(a)] == [('Errors', name)])
            self.assertEqual((errors['Statistic'], errors['ComparisonOperator'], errors['TreatMissingData'], errors['EvaluationPeriods']),
                             ('Sum', 'GreaterThanOrEqualToThreshold', 'notBreaching', 1))
            self.assertEqual(errors['Threshold'], 1 + stack.invoke_configs()[name]['MaximumRetryAttempts'])
            self.assertGreaterEqual(errors['Period'], 600)  # Lambda waits a minute before the second try, and two before the third

    def test_each_says_what_it_means_and_operations_md_what_to_do(self):
        document = (REPOSITORY / 'handlers/operations.md').read_text()
        for name, alarm in alarms_of().items():
            self.assertGreater(len(alarm['AlarmDescription']), 40)
            self.assertTrue(f'`{name}`' in document, name)

    def test_CloudWatch_takes_their_windows(self):
        """A day at most, or a week where the period is an hour or more."""
        for schedule, _ in SCHEDULES:
            for name, alarm in alarms_of(SweepSchedule=schedule).items():
                period, whole = window(alarm)
                self.assertEqual(period % 60, 0)
                self.assertLessEqual(whole, 7 * DAY if period >= HOUR else DAY, (name, schedule))
                self.assertLessEqual(alarm.get('DatapointsToAlarm', 1), int(alarm['EvaluationPeriods']))


# Schedules, and how far apart the sweeps are at most, in seconds; None where that is more than a day or conditions cannot tell.
SCHEDULES = [
    ('rate(1 minute)', 60), ('rate(2 minutes)', 120), ('rate(15 minutes)', 900), ('rate(99 minutes)', 5940), ('rate(360 minutes)', 6 * HOUR),
    ('rate(1 hour)', HOUR), *((f'rate({n} hours)', n * HOUR) for n in range(2, 25)), ('rate(1 day)', DAY),
    ('cron(0/30 * * * ? *)', HOUR), ('cron(5 * ? * * *)', HOUR), ('cron(0 3 * * ? *)', DAY), ('cron(0 8-18 ? * * *)', DAY),
    ('cron(0 0/6 * * ? *)', DAY),
    *((f'rate({n} hours)', None) for n in (25, 30, 48, 100, 240, 2400)), ('rate(2 days)', None), ('rate(7 days)', None),
    ('rate(15 days)', None), ('cron(0 3 ? * MON-FRI *)', None), ('cron(0 3 1 * ? *)', None), ('cron(0 * 1 * ? *)', None),
    ('cron(0 * ? * SUN *)', None), ('cron(0 3 * 1 ? *)', None), ('cron(0 3 * * ? 2027)', None), ('cron(0 3 L * ? *)', None)]


class DeadMan(unittest.TestCase):
    @staticmethod
    def overdue(**parameters):
        return alarms_of(**parameters).get('SweepOverdueAlarm')

    def test_S1_goes_off_where_no_sweep_comes_to_its_end(self):
        alarm = self.overdue()
        self.assertEqual((alarm['Statistic'], alarm['Threshold'], alarm['ComparisonOperator'], alarm['TreatMissingData']),
                         ('Sum', 1, 'LessThanThreshold', 'breaching'))
        self.assertNotIn('DatapointsToAlarm', alarm)  # all of them: one sweep in all that time is enough
        self.assertEqual(alarm['OKActions'], alarm['AlarmActions'])

    def test_S1_is_there_where_sweeps_come_once_a_day_or_more_often(self):
        for schedule, apart in SCHEDULES:
            with self.subTest(schedule):
                alarm = self.overdue(SweepSchedule=schedule)
                self.assertEqual(alarm is not None, apart is not None)
                self.assertIsNone(self.overdue(SweepSchedule=schedule, SweepState='DISABLED'))
                if alarm:
                    window = alarm['Period'] * int(alarm['EvaluationPeriods'])
                    # A quarter of an hour is what two sweeps may differ by in how long they take.
                    self.assertGreaterEqual(window, min(apart + 900, 4 * apart))
                    self.assertLessEqual(window, max(4 * apart, 1200))

    def test_S1_what_nobody_can_put_is_watched_beside_what_somebody_can(self):
        """Whoever may put metrics can put SweepCompleted. Those of the rule and of Lambda are AWS's own."""
        for schedule, apart in SCHEDULES:
            overdue, failing = (alarms_of(SweepSchedule=schedule).get(name) for name in DEAD_MAN)
            if apart is None:
                self.assertEqual((overdue, failing), (None, None), schedule)
                continue
            self.assertEqual(watched(failing), [('AWS/Events', 'Invocations', 'RuleName', 'SweepRule'),
                                                ('AWS/Lambda', 'Errors', 'FunctionName', 'StateFunction')])
            self.assertEqual(window(failing), window(overdue), schedule)
            for member in ('Threshold', 'ComparisonOperator', 'TreatMissingData', 'EvaluationPeriods', 'AlarmActions', 'OKActions'):
                self.assertEqual(failing[member], overdue[member], (schedule, member))

    def test_S1_a_sweep_is_good_if_it_was_invoked_and_the_function_did_not_fail_meanwhile(self):
        alarm = alarms_of()['SweepFailingAlarm']
        expression, = (query for query in alarm['Metrics'] if 'Expression' in query)
        self.assertEqual([query['Id'] for query in alarm['Metrics'] if query.get('ReturnData', True)], [expression['Id']])
        text = expression['Expression']
        for invoked, failed, good in ((1, 0, 1), (1, 1, 0), (1, 3, 0), (0, 0, 0), (0, 2, 0), (2, 0, 1)):
            condition, yes, no = re.fullmatch(r'IF\((.*), (\d), (\d)\)', text).groups()
            for name, value in (('invoked', invoked), ('failed', failed)):
                condition = condition.replace(f'FILL({name}, 0)', str(value))
            holds = eval(condition.replace(' AND ', ' and '), {'__builtins__': {}})  # comparisons of numbers only
            self.assertEqual(int(yes if holds else no), good, (invoked, failed))

    def test_S1_the_default_is_noticed_within_an_hour(self):
        alarm = self.overdue()
        self.assertEqual(alarm['Period'] * int(alarm['EvaluationPeriods']), HOUR)

    def test_S1_each_number_of_minutes_that_is_taken_has_a_window(self):
        pattern = TEMPLATE['Parameters']['SweepSchedule']['AllowedPattern']
        taken = [n for n in range(2, 10_000) if re.fullmatch(pattern, f'rate({n} minutes)')]
        self.assertEqual(taken, list(range(2, 361)))
        self.assertLessEqual(240 * taken[-1], DAY)


class SweepLeft(unittest.TestCase):
    """Issue 39.1: two sweeps in a row that leave work."""

    def test_R2_two_sweeps_in_a_row_and_not_one_or_every_other_one(self):
        for schedule, apart in SCHEDULES:
            with self.subTest(schedule):
                alarm = alarms_of(SweepSchedule=schedule).get('SweepLeftAlarm')
                self.assertEqual(alarm is not None, apart is not None)
                self.assertIsNone(alarms_of(SweepSchedule=schedule, SweepState='DISABLED').get('SweepLeftAlarm'))
                if not alarm:
                    continue
                self.assertEqual((alarm['Statistic'], alarm['Threshold'], alarm['ComparisonOperator'], alarm['TreatMissingData'],
                                  alarm['DatapointsToAlarm']), ('Maximum', 0, 'GreaterThanThreshold', 'notBreaching', 2))
                window = alarm['Period'] * int(alarm['EvaluationPeriods'])
                self.assertLessEqual(alarm['Period'], apart)  # two sweeps are two datapoints
                self.assertLessEqual(apart + alarm['Period'], window)  # and both are in the window
                self.assertLessEqual(window, max(2 * apart, 180))  # of three, the first is out of it


class WhomTheyTell(unittest.TestCase):
    def test_R2_the_topic_that_is_named_else_that_for_people_else_one_of_their_own(self):
        made, created = ARN + 'CreatedOperatorTopic', ARN + 'CreatedNotifyTopic'
        mail = 'jo@example.com'
        for parameters, topic in (
                ({}, made), ({'OperatorEmail': mail}, made),
                ({'NotifyTopic': PEOPLE}, PEOPLE), ({'NotifyTopic': 'create'}, created),
                ({'NotifyTopic': PEOPLE, 'OperatorEmail': mail}, made), ({'NotifyTopic': 'create', 'OperatorEmail': mail}, made),
                ({'OperatorTopic': OPERATORS}, OPERATORS), ({'OperatorTopic': OPERATORS, 'NotifyTopic': PEOPLE}, OPERATORS),
                ({'OperatorTopic': OPERATORS, 'NotifyTopic': 'create', 'OperatorEmail': mail}, OPERATORS)):
            with self.subTest(parameters):
                stack = stack_of(**parameters)
                for name, alarm in stack.of_type('AWS::CloudWatch::Alarm').items():
                    self.assertEqual(alarm['AlarmActions'], [topic], name)
                self.assertEqual(stack.outputs['OperatorTopicArn'], topic)
                self.assertEqual('CreatedOperatorTopic' in stack.resources, topic == made)
                mailed = [s for s in stack.of_type('AWS::SNS::Subscription').values() if s['Protocol'] == 'email']
                self.assertEqual(mailed, [{'TopicArn': made, 'Protocol': 'email', 'Endpoint': mail}]
                                 if topic == made and 'OperatorEmail' in parameters else [])

    def test_the_topic_that_is_made_is_encrypted_where_topics_are(self):
        for encrypt, wanted in (('no', {}), ('yes', {'KmsMasterKeyId': 'TopicKey'})):
            self.assertEqual(stack_of(EncryptTopics=encrypt).function('CreatedOperatorTopic'), wanted)

    def test_the_functions_neither_know_nor_use_it(self):
        stack = stack_of(Mode='enforce', OperatorTopic=OPERATORS)
        for name in FUNCTIONS:
            self.assertNotIn(OPERATORS, str(stack.function(name)))
            self.assertNotIn(OPERATORS, str(stack.function(f'{name}Role')))


if __name__ == '__main__':
    unittest.main()
