"""The hour's limits and notices (policy.md P7, A5) while many functions run at once: processes of their own, slow calls, a
Search that lags.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest brake_test
Needs no boto3.
"""
import concurrent.futures
import time
import unittest

from embedded_aws import ACCOUNT, NO_P5, REGION, EmbeddedAws, state_event

TOPIC = f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'  # which the embedded AWS has
AT_ONCE = 10
RULE = {**NO_P5['rules'][0], 'actions': ['stop', 'notify']}
FAILED = {'name': 'resume', 'match': {'job': {'TrainingJobStatus': ['Failed']}}, 'actions': ['restart', 'notify']}


def policy(*rules, **limits):
    return {'version': 1, 'mode': 'enforce', 'limits': limits, 'rules': list(rules)}


class Brake(unittest.TestCase):
    def serve(self, the_policy, *options, at_once=AT_ONCE, **environment):
        aws = EmbeddedAws(the_policy, '--concurrency', str(at_once), *options, functions=('state',),
                          TRAINWARDEN_NOTIFY_TOPIC=TOPIC, **environment)
        self.addCleanup(aws.close)
        aws.wait_for_function()
        return aws

    def slow(self, aws, delay_ms=100):
        aws.control('POST', 'faults', {'operation': '*', 'caller': 'functions', 'times': 100_000, 'delay_ms': delay_ms})

    def place(self, aws, names, **members):
        """Running jobs on a forbidden type; their events."""
        now = time.time()
        document = {'TrainingJobStatus': 'InProgress', 'SecondaryStatus': 'Training', 'CreationTime': now - 60,
                    'ResourceConfig': {'InstanceType': 'ml.p5.48xlarge', 'InstanceCount': 1, 'VolumeSizeInGB': 10},
                    'StoppingCondition': {'MaxRuntimeInSeconds': 86400}, 'Tags': {}, **members}
        self.assertEqual(aws.control('PUT', 'jobs', {name: document for name in names})[0], 200)
        status = {key: document[key] for key in ('TrainingJobStatus', 'SecondaryStatus')}
        return [state_event(name, document['CreationTime'], **status) for name in names]

    def place_failed(self, aws, names):
        """Jobs that AWS let fail just now; their events."""
        now = time.time()
        return self.place(aws, names, TrainingJobStatus='Failed', SecondaryStatus='Failed', CreationTime=now - 7200,
                          FailureReason='InternalServerError: We encountered an internal error.', TrainingStartTime=now - 7000,
                          TrainingEndTime=now, LastModifiedTime=now, RoleArn=f'arn:aws:iam::{ACCOUNT}:role/SomeRole',
                          AlgorithmSpecification={'TrainingImage': 'example/image:1', 'TrainingInputMode': 'File'},
                          OutputDataConfig={'S3OutputPath': 's3://example-bucket/out/'})

    def of(self, aws, operation):
        """The jobs of the calls that succeeded."""
        return [call['request']['TrainingJobName'] for call in aws.control('GET', 'calls')[1]
                if call['operation'] == operation and call['status'] == 200]

    def told(self, aws):
        """Subjects of what people were told."""
        return [message['subject'] for message in aws.messages()]

    def deliver_all(self, aws, events):
        for event in events:
            aws.deliver(event)
        aws.wait_until_idle(seconds=180)
        self.assertEqual(aws.control('GET', 'dead-letters')[1], [])

    def test_ten_functions_at_once_stop_no_more_than_the_limit(self):
        """With the count by Search that came before the table 60 of 120 passed a limit of 20. Events take half of it."""
        aws = self.serve(policy(RULE, stops_per_hour=40, stops_per_sweep=1000), '--search-lag', '5')
        events = self.place(aws, [f'big-{n}' for n in range(120)])
        self.slow(aws)
        self.deliver_all(aws, events)
        stopped = self.of(aws, 'StopTrainingJob')
        self.assertEqual((len(stopped), len(set(stopped))), (20, 20))
        self.assertEqual(aws.function()['processes'], AT_ONCE)
        # Each stop is told once, and operators hear of the limit once, not job by job.
        told = [f'Trainwarden stopped {name} (no-p5)' for name in stopped]
        self.assertEqual(sorted(self.told(aws)), sorted(told))
        self.assertEqual(aws.log().count('"reason_code":"waits-its-turn"'), 200)  # of the stop, and of its notice
        # A second wave within the hour finds the same.
        self.deliver_all(aws, events)
        self.assertEqual(sorted(self.of(aws, 'StopTrainingJob')), sorted(stopped))

    def test_sixteen_functions_at_once_all_get_their_turn(self):
        """All write one item. Who loses a race tries again, and nobody's event has to come again for it."""
        aws = self.serve(policy(RULE, stops_per_hour=1000), at_once=16)
        events = self.place(aws, [f'big-{n}' for n in range(160)])
        self.slow(aws, 20)
        self.deliver_all(aws, events)
        self.assertEqual(len(self.of(aws, 'StopTrainingJob')), 160)
        self.assertEqual(len(self.told(aws)), 160)
        self.assertEqual(aws.function()['failed'], 0, aws.log())
        lost = [call for call in aws.control('GET', 'calls')[1] if call['code'] == 'ConditionalCheckFailedException']
        self.assertGreater(len(lost), 100, 'there was no race')

    def test_no_more_jobs_are_copied_than_the_limit(self):
        aws = self.serve(policy(FAILED, restarts_per_hour=10, stops_per_sweep=100))
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)  # sweeps copy what failed since the rule is in force
        events = self.place_failed(aws, [f'lost-{n}' for n in range(30)])
        self.deliver_all(aws, events)
        copies = self.of(aws, 'CreateTrainingJob')
        self.assertEqual((len(copies), len({name.rsplit('-r1-', 1)[0] for name in copies})), (5, 5))
        # Events take half of the limit, and the sweep the rest.
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)
        self.assertEqual(len(self.of(aws, 'CreateTrainingJob')), 10)
        self.assertEqual(self.told(aws).count('Trainwarden holds back: limits.restarts_per_hour is reached'), 1)
        # An hour later there is room for ten more, which the sweep finds; the first ten are not copied again.
        aws.move_clock(3700)
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)
        copies = self.of(aws, 'CreateTrainingJob')
        self.assertEqual((len(copies), len({name.rsplit('-r1-', 1)[0] for name in copies})), (20, 20))

    def test_a_stop_that_a_limit_held_back_is_made_when_the_hour_is_over(self):
        aws = self.serve(policy(RULE, stops_per_hour=2))
        events = self.place(aws, ['a', 'b', 'c'])
        self.deliver_all(aws, events)
        self.assertEqual(len(self.of(aws, 'StopTrainingJob')), 1)
        for _ in range(2):
            self.assertEqual(aws.control('POST', 'sweep')[0], 200)
            self.assertEqual(len(self.of(aws, 'StopTrainingJob')), 2)
        aws.move_clock(3620)
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)
        self.assertEqual(sorted(self.of(aws, 'StopTrainingJob')), ['a', 'b', 'c'])

    def test_a_limit_of_none_lets_none_through(self):
        aws = self.serve(policy(RULE, stops_per_hour=0))
        self.deliver_all(aws, self.place(aws, ['a', 'b']))
        self.assertEqual(self.of(aws, 'StopTrainingJob'), [])
        self.assertEqual(self.told(aws), ['Trainwarden holds back: limits.stops_per_hour is reached'])

    def test_tags_neither_fill_the_limit_nor_empty_it(self):
        """Ours in each form, of this hour and of 2099, on jobs of one's own; 50 tags; and no right to write tags."""
        aws = self.serve(policy(RULE, stops_per_hour=4))
        forged = {'trainwarden:action': 'stop', 'trainwarden:rule': 'no-p5', 'trainwarden:stopped': '2099-01-01T00:00:00Z',
                  'trainwarden:at': time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()), 'trainwarden:told': '0' * 8}
        self.place(aws, [f'forged-{n}' for n in range(5)], TrainingJobStatus='Stopped', SecondaryStatus='Stopped', Tags=forged)
        events = self.place(aws, [f'full-{n}' for n in range(3)], Tags={f'key-{n}': 'v' for n in range(50)})
        events += self.place(aws, [f'own-{n}' for n in range(3)], Tags=forged)
        aws.control('POST', 'faults', {'operation': 'AddTags', 'caller': 'functions', 'times': 100, 'status': 400,
                                       'code': 'AccessDeniedException'})
        self.deliver_all(aws, events)
        self.assertEqual(len(self.of(aws, 'StopTrainingJob')), 2)

    def test_one_event_at_ten_functions_at_once_is_one_stop_that_is_told_once(self):
        aws = self.serve(policy(RULE))
        event, = self.place(aws, ['big'])
        self.slow(aws, 30)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(aws.invoke, [event] * AT_ONCE))
        self.assertEqual(self.told(aws), ['Trainwarden stopped big (no-p5)'])
        self.assertLessEqual({status for status, _ in answers}, {200, 502})  # who meets a fresh claim comes again
        self.assertEqual(aws.item('big')['stop']['accepted'], True)
        self.assertEqual(len(aws.items()['brake']['stops']), 1)

    def test_one_failure_at_ten_functions_at_once_is_copied_once_and_told_once(self):
        aws = self.serve(policy(FAILED))
        event, = self.place_failed(aws, ['lost'])
        self.slow(aws, 30)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(aws.invoke, [event] * AT_ONCE))
        self.assertEqual(len(self.of(aws, 'CreateTrainingJob')), 1)
        self.assertEqual([subject.split(' (')[0] for subject in self.told(aws)], ['Trainwarden restarts lost'])

    def test_ten_sweeps_at_once_make_each_owed_copy_once_and_tell_it_once(self):
        """Half a restart each: the copy could not be made, of which people heard."""
        aws = self.serve(policy(FAILED))
        names = ['one', 'two', 'three']
        events = self.place_failed(aws, names)
        aws.control('POST', 'faults', {'operation': 'CreateTrainingJob', 'times': 3, 'status': 400, 'code': 'ResourceLimitExceeded'})
        self.assertEqual([aws.invoke(event)[0] for event in events], 3 * [502])
        self.assertEqual(self.of(aws, 'CreateTrainingJob'), [])
        before = self.told(aws)
        self.slow(aws, 20)
        time.sleep(0.1)  # the index lags behind
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(lambda _: aws.control('POST', 'sweep'), range(AT_ONCE)))
        self.assertEqual({status for status, _ in answers}, {200})
        self.assertEqual(sorted(name.rsplit('-r1-', 1)[0] for name in self.of(aws, 'CreateTrainingJob')), sorted(names))
        self.assertEqual(sorted(before), [f'Trainwarden failed on {name} (resume)' for name in sorted(names)])
        self.assertEqual(sorted(self.told(aws)[len(before):]), [f'Trainwarden restarts {name} (resume)' for name in sorted(names)])
        self.assertTrue(all(aws.item(name)['copy']['made'] for name in names))


if __name__ == '__main__':
    unittest.main()
