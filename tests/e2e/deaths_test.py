"""A function that is killed at each of its calls, before and after the call took effect, and events that come twice: what
it leaves, Lambda's tries and the sweeps end. Real processes; the proof in tests/restart goes through more histories.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest deaths_test
Needs no boto3.
"""
import concurrent.futures
import time
import unittest

import alarm_test
from embedded_aws import ACCOUNT, NO_P5, REGION, EmbeddedAws

TOPIC = f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'  # which the embedded AWS has
STOP = {**NO_P5, 'rules': [{**NO_P5['rules'][0], 'actions': ['stop', 'notify']}]}
RESTART = {'version': 1, 'mode': 'enforce', 'rules': [
    {'name': 'thrash', 'match': {'job': {'SecondaryStatus': ['Interrupted']}}, 'actions': [{'restart': {'spot': False}}, 'notify']},
    {'name': 'resume', 'match': {'job': {'TrainingJobStatus': ['Failed']}}, 'actions': ['restart', 'notify']}]}
IDLE = {**alarm_test.IDLE, 'rules': [{**alarm_test.IDLE['rules'][0], 'name': 'no-p5', 'actions': ['stop', 'notify']}]}
DEATHS = {'before': {'kill': 'before', 'status': 500}, 'after': {'kill': 'after'}}
# What holds longest: a notice that somebody has claimed, the end of a job whose stop nobody wrote down.
ALL_IS_TAKEN_OVER = 125


class Story:
    """One job, one function that may die, and what became of it."""

    def __init__(self, policy, death=None, twice=False, function='state'):
        """function: which dies. death: the number of the call, and whether before or after its effect. twice: every event comes twice, to two
        processes at once."""
        self.function = function
        self.aws = EmbeddedAws(policy, '--concurrency', '2' if twice else '1', functions={'state', function},
                               TRAINWARDEN_NOTIFY_TOPIC=TOPIC)
        for one in {'state', function}:
            self.aws.wait_for_function(one)
        faults = []
        if twice:
            faults.append({'operation': 'Deliver', 'duplicate': True, 'times': 20, 'caller': function})
        if death:
            number, when = death
            if number:
                faults.append({'operation': '*', 'caller': function, 'times': number, 'delay_ms': 1})
            faults.append({'operation': '*', 'caller': function, **DEATHS[when]})
        if faults:
            self.aws.control('POST', 'faults', faults)

    def place(self, name, **members):
        return self.aws.job(name, age=7200, TrainingStartTime=time.time() - 7000, **{
            'RoleArn': f'arn:aws:iam::{ACCOUNT}:role/SomeRole', 'EnableManagedSpotTraining': True,
            'AlgorithmSpecification': {'TrainingImage': 'example/image:1', 'TrainingInputMode': 'File'},
            'OutputDataConfig': {'S3OutputPath': 's3://example-bucket/out/'},
            'StoppingCondition': {'MaxRuntimeInSeconds': 86400, 'MaxWaitTimeInSeconds': 90000},
            'CheckpointConfig': {'S3Uri': f's3://example-bucket/checkpoints/{name}'}, **members})

    def move(self, name, secondary, reason=None):
        status, answer = self.aws.control('POST', f'jobs/{name}/transition',
                                          {'SecondaryStatus': secondary, **({'FailureReason': reason} if reason else {})})
        assert status == 200, answer

    def end(self):
        """Lambda's tries, then sweeps, of which the later ones come when every claim has run out."""
        for function in {'state', self.function}:
            self.aws.wait_until_idle(function)
        self.before_sweeps = [call['operation'] for call in self.aws.control('GET', 'calls')[1]
                              if call['function'] == self.function]
        for moved in (0, ALL_IS_TAKEN_OVER):
            if moved:
                self.aws.move_clock(moved)
            time.sleep(0.05)  # the index lags behind
            self.aws.control('POST', 'sweep')
        self.aws.control('POST', 'sweep')
        self.calls = self.aws.control('GET', 'calls')[1]
        self.told = [message['subject'] for message in self.aws.messages() if message['topic'] == TOPIC]
        self.due = [id for id, item in self.aws.items().items() if 'due' in item]
        self.log, self.health = self.aws.log(), self.aws.function(self.function)
        self.item = self.aws.item('job')
        self.aws.close()
        return self

    def of(self, operation, good=True):
        return [call for call in self.calls if call['operation'] == operation and (call['status'] == 200 or not good)]

    def deaths(self):
        return self.health['restarts']


def stopped(**how):
    story = Story(STOP, **how)
    story.aws.deliver(story.place('job', ResourceConfig={
        'InstanceType': 'ml.p5.48xlarge', 'InstanceCount': 1, 'VolumeSizeInGB': 10}))
    story.aws.wait(lambda: any(c['operation'] == 'StopTrainingJob' and c['status'] == 200
                               for c in story.aws.control('GET', 'calls')[1]), what='the job is stopped')
    time.sleep(1.5)  # until it has ended, of which events tell
    return story.end()


def idle(**how):
    """The same by the alarm function, which hears from CloudWatch."""
    story, now = Story(IDLE, function='alarm', **how), time.time()
    story.aws.job('job', age=9000, SecondaryStatusTransitions=[{'Status': 'Training', 'StartTime': now - 3600}])
    # Also of the next minutes: one may turn before the last try.
    story.aws.control('PUT', 'metrics', [{'Namespace': alarm_test.NAMESPACE, 'MetricData': [
        {'MetricName': 'GPUUtilization', 'Dimensions': [{'Name': 'Host', 'Value': 'job/algo-1'}], 'Value': 0,
         'Timestamp': now - 60 * minute} for minute in range(-3, 10)]}])
    story.aws.deliver({'Records': [alarm_test.message_of('job')]}, 'alarm')
    story.aws.wait(lambda: any(c['operation'] == 'StopTrainingJob' and c['status'] == 200
                               for c in story.aws.control('GET', 'calls')[1]), what='the job is stopped')
    time.sleep(1.5)
    return story.end()


def restarted(**how):
    story = Story(RESTART, **how)
    story.place('job')
    story.move('job', 'Interrupted')
    story.aws.wait(lambda: any(c['operation'] == 'StopTrainingJob' and c['status'] == 200
                               for c in story.aws.control('GET', 'calls')[1]), what='the job is stopped')
    time.sleep(1.5)
    return story.end()


def resumed(**how):
    story = Story(RESTART, **how)
    story.place('job')
    story.move('job', 'Failed', 'InternalServerError: We encountered an internal error.')
    return story.end()


def may_tell_twice(calls, number, when):
    """Whether the function died after it had published a notice and before that was written down."""
    for at, name in enumerate(calls):
        if name == 'Publish':
            done = calls.index('PutItem', at)
            if (at, 'after') == (number, when) or at < number < done or (done, 'before') == (number, when):
                return True
    return False


class Deaths(unittest.TestCase):
    def die_everywhere(self, tell, check, twice=False):
        first = tell(twice=twice)
        calls = first.before_sweeps
        check(first, 1)
        self.assertEqual(first.deaths(), 0, first.log)
        deaths = [(number, when) for number in range(len(calls)) for when in DEATHS]
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            stories = pool.map(lambda death: tell(death=death, twice=twice), deaths)
            for (number, when), story in zip(deaths, stories):
                with self.subTest(call=f'{number} {calls[number]}', killed=when):
                    if not twice:  # two processes make more calls, or fewer
                        self.assertEqual(story.deaths(), 1, 'the function did not die')
                    # Of two processes nobody knows in which order they call.
                    check(story, 2 if twice or may_tell_twice(calls, number, when) else 1)

    def check_stop(self, story, most_told):
        self.assertGreaterEqual(len(story.of('StopTrainingJob')), 1)
        self.assertEqual(story.item['stop']['rule'], 'no-p5', story.log)
        self.assertIn(len(story.told), range(1, most_told + 1), story.log)
        self.assertEqual(set(story.told), {'Trainwarden stopped job (no-p5)'})
        self.assertEqual(story.due, [], story.log)

    def check_copy(self, story, most_told):
        self.assertEqual(len(story.of('CreateTrainingJob')), 1, story.log)
        self.assertEqual(story.item['copy']['made'], True)
        self.assertIn(len(story.told), range(1, most_told + 1), story.log)
        self.assertEqual({subject.split(' (')[0] for subject in story.told}, {'Trainwarden restarts job'})
        self.assertEqual(story.due, [], story.log)

    def test_a_stop_is_done_and_told_wherever_the_function_dies(self):
        self.die_everywhere(stopped, self.check_stop)

    def test_an_alarms_stop_is_done_and_told_wherever_the_function_dies(self):
        self.die_everywhere(idle, self.check_stop)

    def test_a_restart_leads_to_one_copy_wherever_the_function_dies(self):
        self.die_everywhere(restarted, self.check_copy)

    def test_a_failed_job_is_copied_once_wherever_the_function_dies(self):
        self.die_everywhere(resumed, self.check_copy)

    def test_a_stop_of_which_events_come_twice(self):
        self.die_everywhere(stopped, self.check_stop, twice=True)

    def test_a_restart_of_which_events_come_twice(self):
        self.die_everywhere(restarted, self.check_copy, twice=True)


if __name__ == '__main__':
    unittest.main()
