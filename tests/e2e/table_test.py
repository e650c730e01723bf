"""The state table when it is not there, refuses, or holds what nobody can read; what tags cannot do; and a clock that is
wrong. Where nothing can be remembered, nothing is done.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest table_test
"""
import json
import subprocess
import time
import unittest

try:
    import boto3
except ImportError:
    boto3 = None

from embedded_aws import ACCOUNT, BIN, NO_P5, REGION, TABLE, EmbeddedAws, clean_environment, state_event

TOPIC = f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'  # which the embedded AWS has
STOP = {**NO_P5, 'rules': [{**NO_P5['rules'][0], 'actions': ['stop', 'notify']}]}
RESUME = {'version': 1, 'mode': 'enforce', 'rules': [
    {'name': 'resume', 'match': {'job': {'TrainingJobStatus': ['Failed']}}, 'actions': ['restart', 'notify']}]}
NOTHING = {'version': 1, 'mode': 'enforce',
           'rules': [{'name': 'none', 'match': {'job': {'SecondaryStatus': ['Updating']}}, 'actions': ['stop']}]}
CHANGES = {'StopTrainingJob', 'CreateTrainingJob', 'AddTags', 'Publish', 'PutItem'}


class OnEmbeddedAws(unittest.TestCase):
    def serve(self, policy, *options, **environment):
        aws = EmbeddedAws(policy, *options, **{'TRAINWARDEN_NOTIFY_TOPIC': TOPIC, 'AWS_MAX_ATTEMPTS': '1', **environment})
        self.addCleanup(aws.close)
        for function in ('state', 'alarm'):
            aws.wait_for_function(function)
        return aws

    def violation(self, aws, name='big', **members):
        return aws.job(name, instance_type='ml.p5.48xlarge', **members)

    def ended(self, aws, name, status='Failed', **members):
        """A job that AWS let fail, or that ended as is said; the event that tells of it."""
        now = time.time()
        event = aws.job(name, age=7200, TrainingJobStatus=status, SecondaryStatus=status, TrainingStartTime=now - 7000,
                        TrainingEndTime=now, LastModifiedTime=now, RoleArn=f'arn:aws:iam::{ACCOUNT}:role/SomeRole', **{
                            'AlgorithmSpecification': {'TrainingImage': 'example/image:1', 'TrainingInputMode': 'File'},
                            'OutputDataConfig': {'S3OutputPath': 's3://example-bucket/out/'},
                            'FailureReason': 'InternalServerError: We encountered an internal error.', **members})
        event['detail'].update(TrainingJobStatus=status, SecondaryStatus=status)
        return event

    def changes(self, aws):
        """What the functions changed, or tried to."""
        return [call['operation'] for call in aws.control('GET', 'calls')[1] if call['operation'] in CHANGES]

    def metric(self, aws, name):
        """What the functions' log adds up to."""
        lines = [line.partition('] ')[2] for line in aws.log().splitlines() if f'"{name}":' in line]
        return sum(json.loads(line)[name] for line in lines)


class WithoutATable(OnEmbeddedAws):
    def test_nothing_is_done_and_the_start_says_so(self):
        aws = EmbeddedAws(functions=())
        self.addCleanup(aws.close)
        for function in ('state', 'alarm'):
            process = aws.host(STOP, function, TRAINWARDEN_TABLE='', TRAINWARDEN_NOTIFY_TOPIC=TOPIC)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
        status, record = aws.invoke(self.violation(aws))
        self.assertEqual(status, 200, record)
        self.assertEqual([(d['mode'], [a['code'] for a in d['actions']]) for d in record['decisions']],
                         [('observe', ['observed', 'observed'])])
        self.assertEqual(aws.invoke(self.ended(aws, 'lost'))[0], 200)
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)
        self.assertEqual(self.changes(aws), [])
        self.assertEqual(aws.items(), {})
        warned = [line for line in aws.log().splitlines() if '"WARN"' in line and 'TRAINWARDEN_TABLE is not set' in line]
        self.assertEqual(len(warned), 2, aws.log())

    def test_a_table_that_can_be_none_of_ours_is_an_error_at_the_start(self):
        other = TABLE.replace(REGION, 'us-east-1')
        for table, said in ((other, 'us-east-1'), ('trainwarden-state', 'trainwarden-state'), (TABLE + '/index/due', '/index/due'),
                            (TABLE.replace('dynamodb', 'sns'), ':sns:')):
            for function in ('state', 'alarm'):
                with self.subTest(table=table, function=function):
                    aws = EmbeddedAws(functions=())
                    try:
                        ended = subprocess.run([BIN / function / 'bootstrap'], capture_output=True, text=True, timeout=60,
                                               env=clean_environment(
                            AWS_LAMBDA_RUNTIME_API=aws.url[7:] + f'/_localaws/runtime/{function}', AWS_REGION=REGION,
                            AWS_ACCESS_KEY_ID='test', AWS_SECRET_ACCESS_KEY='hunter2', AWS_ENDPOINT_URL=aws.url,
                            TRAINWARDEN_POLICY=json.dumps(STOP), TRAINWARDEN_TABLE=table))
                    finally:
                        aws.close()
                    self.assertNotEqual(ended.returncode, 0)
                    self.assertIn('Runtime.InvalidConfig', ended.stdout)
                    self.assertIn('TRAINWARDEN_TABLE', ended.stdout)
                    self.assertIn(said, ended.stdout)


class Unavailable(OnEmbeddedAws):
    where = 'TRAINWARDEN_TABLE'

    def refused(self, aws, event, *said):
        """The event fails, in words, and nothing was done."""
        before = [c for c in self.changes(aws) if c != 'PutItem']
        status, error = aws.invoke(event)
        self.assertEqual(status, 502, error)
        self.assertIn(self.where, error['errorMessage'])
        for one in said:
            self.assertIn(one, error['errorMessage'])
        self.assertEqual([c for c in self.changes(aws) if c != 'PutItem'], before)
        self.assertGreaterEqual(self.metric(aws, 'StateUnavailable'), 1)

    def test_a_table_that_is_not_there(self):
        aws = self.serve(STOP, TRAINWARDEN_TABLE=TABLE + '-of-yesterday')
        self.refused(aws, self.violation(aws), 'ResourceNotFoundException', 'job big')

    def test_calls_that_are_refused(self):
        for operation in ('GetItem', 'PutItem'):
            for code, status in (('ProvisionedThroughputExceededException', 400), ('ThrottlingException', 400),
                                 ('AccessDeniedException', 400), ('InternalServerError', 500)):
                with self.subTest(operation=operation, code=code):
                    aws = self.serve(STOP)
                    event = self.violation(aws)
                    aws.control('POST', 'faults', {'operation': operation, 'caller': 'functions', 'times': 1, 'status': status,
                                                   'code': code})
                    self.refused(aws, event, code)
                    self.assertEqual(aws.invoke(event)[0], 200)
                    self.assertEqual(aws.calls().count('StopTrainingJob'), 1)
                    self.assertEqual(len(aws.messages()), 1)
                    self.doCleanups()

    def test_a_failed_job_is_not_copied_either(self):
        for operation in ('GetItem', 'PutItem'):
            aws = self.serve(RESUME)
            event = self.ended(aws, 'lost')
            aws.control('POST', 'faults', {'operation': operation, 'caller': 'functions', 'times': 100, 'status': 400,
                                           'code': 'AccessDeniedException'})
            self.refused(aws, event, 'AccessDeniedException')

    def test_a_sweep_that_cannot_ask_what_is_due_fails_and_is_counted(self):
        aws = self.serve(NOTHING)
        aws.control('POST', 'faults', {'operation': 'Query', 'caller': 'functions', 'times': 1, 'code': 'AccessDeniedException',
                                       'status': 400})
        status, error = aws.control('POST', 'sweep')
        self.assertEqual(status, 502, error)
        self.assertIn('TRAINWARDEN_TABLE', error['errorMessage'])
        self.assertEqual(self.metric(aws, 'StateUnavailable'), 1)
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)

    def test_an_answer_that_was_lost_is_no_second_write(self):
        aws = self.serve(STOP, AWS_MAX_ATTEMPTS='3')
        event = self.violation(aws)
        aws.control('POST', 'faults', [{'operation': 'PutItem', 'caller': 'functions', 'times': 1, 'cut': True}])
        self.assertEqual(aws.invoke(event)[0], 200)
        self.assertEqual(aws.items()['brake']['v'], 1)
        self.assertEqual((aws.calls().count('StopTrainingJob'), len(aws.messages())), (1, 1))


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class Unreadable(Unavailable):
    """Items of another form or version: an administrator's, or those of a later release."""
    where = 'the state table'
    test_calls_that_are_refused = test_a_table_that_is_not_there = test_a_failed_job_is_not_copied_either = None
    test_a_sweep_that_cannot_ask_what_is_due_fails_and_is_counted = test_an_answer_that_was_lost_is_no_second_write = None

    def put(self, aws, **item):
        client = boto3.client('dynamodb', endpoint_url=aws.url, region_name=REGION, aws_access_key_id='test',
                              aws_secret_access_key='test')
        client.put_item(TableName='trainwarden-state', Item=item)
        client.close()

    def test_an_item_of_another_form_stops_nothing(self):
        for change in ({'form': {'N': '99'}}, {'stop': {'S': 'yes'}}, {'notices': {'N': '7'}}):
            with self.subTest(change=change):
                aws = self.serve(STOP)
                created = int(time.time()) - 60
                event = self.violation(aws, CreationTime=created)
                job = f'job/big/{created * 1000}'
                self.put(aws, **{'id': {'S': job}, 'v': {'N': '1'}, 'request': {'S': 'r'}, 'form': {'N': '1'},
                                 'expires': {'N': '4102444800'}, **change})
                self.refused(aws, event, job)
                self.doCleanups()

    def test_a_brake_of_another_form_lets_nothing_through(self):
        aws = self.serve(STOP)
        self.put(aws, **{'id': {'S': 'brake'}, 'v': {'N': '1'}, 'request': {'S': 'r'}, 'form': {'N': '2'},
                         'expires': {'N': '4102444800'}})
        self.refused(aws, self.violation(aws), 'brake')

    def test_an_upgrade_does_not_stop_the_guard(self):
        """The brake as the version before wrote it, within the hour of a copy of its own."""
        aws = self.serve(STOP)
        now = int(time.time() * 1000)
        self.put(aws, **{'id': {'S': 'brake'}, 'v': {'N': '7'}, 'request': {'S': 'r'}, 'form': {'N': '1'},
                         'expires': {'N': '4102444800'}, 'stops': {'M': {}}, 'silent': {'M': {}}, 'seen': {'M': {}},
                         'copies': {'M': {f'job/other/{now - 90_000}': {'N': str(now - 60_000)}}}})
        self.assertEqual(aws.invoke(self.violation(aws))[0], 200)
        self.assertEqual(aws.calls().count('StopTrainingJob'), 1)
        self.assertEqual(len(aws.items()['brake']['copies']), 1)

    def test_a_sweep_passes_over_what_it_cannot_read(self):
        aws = self.serve(RESUME)
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)
        self.ended(aws, 'lost')
        for n in range(3):
            self.put(aws, **{'id': {'S': f'job/odd-{n}/1795000000000'}, 'v': {'N': '1'}, 'form': {'N': '99'}, 'due': {'S': '1'},
                             'since': {'N': '1'}})
        time.sleep(0.1)  # the index lags behind
        status, report = aws.control('POST', 'sweep')
        self.assertEqual(status, 200, report)
        self.assertEqual((report['jobs']['due'], report['jobs']['failed']), (3, 3), report)
        self.assertIn('job/odd-', json.dumps(report['errors']))
        self.assertEqual(aws.calls().count('CreateTrainingJob'), 1)


class Tags(OnEmbeddedAws):
    """What a user of the account can write decides nothing that the policy does not ask for."""

    def forms(self, at):
        """Ours, of this release and of those before it."""
        for intent in (f'v1 gen=1 at={at}', f'v1 gen=1 at={at} types=ml.p5.48xlarge', f'v1 gen=1 at={at} spot=false', 'void',
                       'done other-r1-00000000'):
            yield {'trainwarden:intent': intent}
        yield {'trainwarden:action': 'restart', 'trainwarden:rule': 'resume', 'trainwarden:at': '2026-11-22T12:00:00Z'}
        yield {'trainwarden:child': 'other', 'trainwarden:waits': f'{at}', 'trainwarden:told': 'ffffffff'}
        yield {'trainwarden:root': 'other', 'trainwarden:parent': 'other', 'trainwarden:generation': '1'}

    def test_no_job_is_created_for_a_tag(self):
        aws = self.serve(NOTHING)
        now = int(time.time())
        for number, tags in enumerate(self.forms(now - 100)):
            for status in ('Stopped', 'Failed'):
                event = self.ended(aws, f'forged-{number}-{status}', status, Tags=tags, SecondaryStatusTransitions=[
                    {'Status': 'Stopping', 'StartTime': now - 90, 'EndTime': now}, {'Status': status, 'StartTime': now}])
                self.assertEqual(aws.invoke(event)[0], 200)
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)
        self.assertEqual(self.changes(aws), [])

    def test_no_job_is_spared_or_told_of_less_for_a_tag(self):
        aws = self.serve(STOP)
        forms = list(self.forms(int(time.time())))
        for number, tags in enumerate(forms):
            self.assertEqual(aws.invoke(self.violation(aws, f'forged-{number}', tags=tags))[0], 200)
        self.assertEqual(aws.calls().count('StopTrainingJob'), len(forms))
        self.assertEqual(sorted(message['subject'] for message in aws.messages()),
                         sorted(f'Trainwarden stopped forged-{n} (no-p5)' for n in range(len(forms))))

    def test_a_failed_job_that_bears_anothers_tags_is_copied_all_the_same(self):
        aws = self.serve(RESUME)
        made = 0
        for number, tags in enumerate(self.forms(int(time.time()) - 100)):
            if 'trainwarden:generation' in tags:
                continue  # which can make us do less, and is asked for where there is no item
            self.assertEqual(aws.invoke(self.ended(aws, f'forged-{number}', Tags=tags))[0], 200)
            made += 1
            self.assertEqual(aws.calls().count('CreateTrainingJob'), made, tags)
        self.assertEqual(len(aws.messages()), made)


class Modes(OnEmbeddedAws):
    def test_observe_writes_nothing_and_sends_nothing(self):
        aws = self.serve({**STOP, 'mode': 'observe'})
        self.assertEqual(aws.invoke(self.violation(aws))[0], 200)
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)
        self.assertEqual((self.changes(aws), aws.items()), ([], {}))

    def test_notify_writes_claims_and_nothing_else(self):
        aws = self.serve({**STOP, 'mode': 'notify'})
        event = self.violation(aws)
        for _ in range(2):
            self.assertEqual(aws.invoke(event)[0], 200)
        self.assertEqual(set(self.changes(aws)), {'PutItem', 'Publish'})
        self.assertEqual(len(aws.messages()), 1)
        item, = aws.items().values()
        self.assertEqual(set(item), {'id', 'v', 'request', 'form', 'expires', 'notices'})

    def test_a_mode_of_the_environment_holds_back_what_is_owed_and_one_of_the_policy_does_not(self):
        aws = EmbeddedAws(functions=())
        self.addCleanup(aws.close)

        def run(policy, todo, **environment):
            function = aws.host(policy, TRAINWARDEN_NOTIFY_TOPIC=TOPIC, AWS_MAX_ATTEMPTS='1', **environment)
            try:
                return todo()
            finally:
                function.kill()
                function.wait()
                time.sleep(0.5)  # until its connection is known to be lost

        def owe():
            event = self.ended(aws, 'half')
            aws.control('POST', 'faults', {'operation': 'CreateTrainingJob', 'times': 1, 'code': 'ResourceLimitExceeded',
                                           'status': 400})
            self.assertEqual(aws.invoke(event)[0], 502)

        def sweep():
            status, report = aws.control('POST', 'sweep')
            self.assertEqual(status, 200, report)
            return report

        made = lambda: sum(call['operation'] == 'CreateTrainingJob' and call['status'] == 200
                           for call in aws.control('GET', 'calls')[1])
        run(RESUME, owe)
        for mode in ('observe', 'notify'):
            run(RESUME, sweep, TRAINWARDEN_MODE=mode)
            self.assertEqual(made(), 0, mode)
            self.assertIn('due', aws.item('half'))
        report = run({**RESUME, 'mode': 'observe'}, sweep)
        self.assertEqual(made(), 1, report)
        self.assertEqual(aws.item('half')['copy']['made'], True)


class Clock(OnEmbeddedAws):
    def test_the_services_clock_counts(self):
        for wrong in (3600, -3600, 200):
            with self.subTest(ahead=wrong):
                aws = self.serve({**STOP, 'limits': {'stops_per_hour': 1}}, AWS_MAX_ATTEMPTS='3')
                aws.move_clock(wrong)
                event = self.violation(aws)
                self.assertEqual(aws.invoke(event)[0], 200)
                stop = aws.item('big')['stop']
                self.assertAlmostEqual(stop['at'], time.time() + wrong, delta=5)
                taken, = aws.items()['brake']['stops'].values()
                self.assertAlmostEqual(taken['at'] / 1000, time.time() + wrong, delta=5)
                status, record = aws.invoke(self.violation(aws, 'second'))
                self.assertEqual(record['decisions'][0]['actions'][0]['reason_code'], 'stops-per-hour')
                self.assertEqual(aws.calls().count('StopTrainingJob'), 1)
                self.doCleanups()


if __name__ == '__main__':
    unittest.main()
