"""The weekly report end to end (S2): figures of the last seven days, by built binaries on the embedded AWS.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest weekly_report_test
Needs no boto3.
"""
import json
import time
import unittest

from embedded_aws import ACCOUNT, REGION, EmbeddedAws, judge_by_models
from operators_test import emitted

DAY = 86400
POLICY = {'version': 1, 'mode': 'enforce', 'prices': {'ml.g5.12xlarge': 7},
          'rules': [{'name': 'required-tags',
                     'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'tags': {'team': [{'exists': False}]}},
                     'actions': ['stop']}]}


class WeeklyReport(unittest.TestCase):
    def serve(self, policy=POLICY, *options, **environment):
        aws = EmbeddedAws(policy, '--people', *options, functions=('state',), **environment)
        self.addCleanup(aws.close)
        aws.wait_for_function('state')
        return aws

    def ended(self, aws, name, days_ago, hours, team=None, status='Completed'):
        end = time.time() - days_ago * DAY
        start = end - hours * 3600
        aws.job(name, tags={'team': team} if team else {}, age=time.time() - start + 300, TrainingJobStatus=status, SecondaryStatus=status,
                TrainingStartTime=start, TrainingEndTime=end, LastModifiedTime=end)

    def report(self, aws, status=200):
        found, answer = aws.control('POST', 'report')
        self.assertEqual(found, status, answer)
        return answer

    def test_S2_people_get_the_figures_once(self):
        aws = self.serve()
        self.ended(aws, 'good', 1, 10, 'nlp')
        self.ended(aws, 'failed', 2, 5, 'nlp', 'Failed')
        self.ended(aws, 'stopped', 6, 2, 'vision', 'Stopped')
        self.ended(aws, 'older', 8, 50, 'vision')
        aws.job('runs', age=3600)  # a sweep would stop it
        answer = self.report(aws)
        self.assertEqual(answer['notice'], 'sent')
        week = answer['week']
        self.assertTrue(week['complete'])
        self.assertEqual({name: week['all'][name] for name in ('ended', 'completed', 'failed', 'stopped', 'running', 'without_price')},
                         {'ended': 3, 'completed': 1, 'failed': 1, 'stopped': 1, 'running': 1, 'without_price': 0})
        self.assertAlmostEqual(week['all']['usd'], 7 * 17, delta=0.05)
        self.assertAlmostEqual(week['all']['failed_usd'], 35, delta=0.05)
        self.assertEqual([team['team'] for team in week['teams']], ['nlp', 'vision'])
        message, = aws.messages()
        self.assertRegex(message['subject'], r'^Trainwarden: training in the week until \d{4}-\d\d-\d\d$')
        self.assertIn('3 jobs ended: 1 completed, 1 failed, 1 stopped.', message['message'])
        self.assertIn('Cost: 119.00 USD, for 17.0 hours of machines.', message['message'])
        self.assertIn('"nlp": 2 jobs ended: 105.00 USD; 1 failed: 35.00 USD', message['message'])
        self.assertEqual(self.report(aws)['notice'], 'sent before')
        self.assertEqual(len(aws.messages()), 1)
        self.assertLessEqual(set(aws.calls()), {'Search', 'GetItem', 'PutItem', 'Publish'})
        printed = next(line for line in aws.process.stdout if 'Trainwarden: ' in line)  # what people would get
        self.assertIn(message['subject'], printed)
        verdict = judge_by_models(aws.record, '--max-skew', '300', '--services', 'sagemaker,sns,dynamodb')
        if verdict is not None:
            self.assertEqual(verdict[0], 0, verdict[1] + verdict[2])

    def test_S2_a_job_that_ends_while_search_lags_is_in_one_week(self):
        """Listed first as running, then as ended, or only as running: it counts once."""
        lag, until_second_list = 4, 5
        aws = self.serve(POLICY, '--search-lag', str(lag))
        aws.job('edge', tags={'team': 'nlp'}, age=7200, TrainingStartTime=time.time() - 7000)
        time.sleep(lag + 1)  # Search knows of it
        aws.control('POST', 'jobs/edge/transition', {'SecondaryStatus': 'Completed'})
        time.sleep(1)
        at = time.time()

        def week(event_time, second_list=0):
            for delay in (1, second_list * 1000 + 1):
                aws.control('POST', 'faults', {'operation': 'Search', 'times': 1, 'delay_ms': delay})
            status, answer = aws.invoke({'id': str(event_time), 'detail-type': 'Trainwarden Weekly Report', 'source': 'aws.events',
                                         'account': ACCOUNT, 'region': REGION,
                                         'time': time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(event_time))})
            self.assertEqual(status, 200, answer)
            return answer['week']

        first = week(at, until_second_list)
        self.assertEqual((first['all']['ended'], first['all']['running']), (0, 1))
        aws.move_clock(7 * DAY)
        aws.control('POST', 'sweep')  # whose calls tell the function what time it is
        second = week(at + 7 * DAY)
        self.assertEqual(second['from'], first['until'])
        self.assertEqual((second['all']['ended'], second['all']['running']), (1, 0))

    def test_S2_a_search_that_fails_fails_the_event_and_the_next_try_tells(self):
        aws = self.serve(AWS_MAX_ATTEMPTS='1')
        self.ended(aws, 'good', 1, 10, 'nlp')
        aws.control('POST', 'faults', {'operation': 'Search', 'times': 1, 'status': 400, 'code': 'AccessDeniedException'})
        self.assertIn('AccessDeniedException', self.report(aws, 502)['errorMessage'])
        self.assertEqual(aws.messages(), [])
        self.assertEqual(self.report(aws)['notice'], 'sent')

    def test_R2_a_table_that_fails_and_throttled_calls_are_counted(self):
        throttled = {'status': 400, 'code': 'ProvisionedThroughputExceededException'}
        for faults, status, counted in (
                ([{'operation': 'GetItem', **throttled}], 502, {'StateUnavailable': 1, 'Throttled': 1}),
                ([{'operation': 'PutItem', 'delay_ms': 1}, {'operation': 'PutItem', **throttled}], 200,
                 {'StateUnavailable': 1, 'Throttled': 1}),  # it was sent, and that could not be noted
                ([{'operation': 'GetItem', 'status': 500, 'code': 'InternalServerError'}], 502, {'StateUnavailable': 1}),
                ([{'operation': 'Search', 'status': 400, 'code': 'ThrottlingException'}], 502, {'Throttled': 1}),
                ([{'operation': 'Search', 'status': 400, 'code': 'AccessDeniedException'}], 502, {}),
                ([], 200, {})):
            with self.subTest(faults=faults):
                aws = self.serve(AWS_MAX_ATTEMPTS='1')
                self.ended(aws, 'good', 1, 10, 'nlp')
                for fault in faults:
                    aws.control('POST', 'faults', {'times': 1, **fault})
                self.report(aws, status)
                self.assertEqual({name: value for (_, name, _), value in emitted(aws.log()).items()}, counted)

    def test_S2_observe_is_only_in_the_log(self):
        aws = self.serve(TRAINWARDEN_MODE='observe')
        self.ended(aws, 'good', 1, 10, 'nlp')
        self.assertEqual(self.report(aws)['notice'], 'observe')
        self.assertEqual(aws.messages(), [])
        self.assertEqual(set(aws.calls()), {'Search'})
        records = [json.loads(line[line.index('{'):])['record'] for line in aws.log().splitlines() if '"trigger":"report"' in line]
        self.assertEqual([record['week']['all']['ended'] for record in records], [1])
