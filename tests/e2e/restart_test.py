"""Restarts by the functions, end to end: built binaries and the embedded AWS.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest restart_test
"""
import json
import time
import unittest

from embedded_aws import judge_by_models
from restart_support import POLICY, OnEmbeddedAws, boto3


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class Restarts(OnEmbeddedAws):
    def test_a_spot_job_that_thrashes_moves_to_on_demand_when_it_has_ended(self):
        aws = self.serve(POLICY)
        client = self.client(aws)
        self.place(aws, 'thrash', Tags={'team': 'vision'})
        self.move(aws, 'thrash', 'Interrupted')
        copy, = aws.wait(lambda: self.copies(client, 'thrash'), what='the copy is made')
        self.assertRegex(copy, r'^thrash-r1-[0-9a-f]{8}$')
        original = client.describe_training_job(TrainingJobName='thrash')
        made = client.describe_training_job(TrainingJobName=copy)
        self.assertEqual(original['TrainingJobStatus'], 'Stopped')
        self.assertGreaterEqual(made['CreationTime'], original['TrainingEndTime'])
        self.assertFalse(made['EnableManagedSpotTraining'])
        self.assertEqual(made['StoppingCondition'], {'MaxRuntimeInSeconds': 86400})
        self.assertEqual(made['CheckpointConfig'], original['CheckpointConfig'])
        self.assertEqual(made['HyperParameters'], original['HyperParameters'])
        self.assertEqual(self.tags(client, copy), {'team': 'vision', 'trainwarden:root': 'thrash',
                                                   'trainwarden:parent': 'thrash', 'trainwarden:generation': '1'})
        aws.wait(lambda: self.tags(client, 'thrash').get('trainwarden:child') == copy, what='the original is tagged')
        self.assertNotIn('hunter2', aws.log())
        self.judge(aws)

    def test_a_copy_has_the_settings_that_the_restart_changes(self):
        changes = {'max_runtime_seconds': 172800, 'max_wait_seconds': 259200, 'instance_count': 2,
                   'hyperparameters': {'batch_size': '8', 'resume': None, 'token': 'sesame'}, 'environment': {'TOKEN': 'sesame'}}
        aws = self.serve({**POLICY, 'rules': [{'name': 'change', 'match': {'job': {'SecondaryStatus': ['Interrupted']}},
                                               'actions': [{'restart': changes}, 'notify']}]})
        client = self.client(aws)
        self.place(aws, 'full', HyperParameters={f'k{n}': 'v' for n in range(100)})
        self.move(aws, 'full', 'Interrupted')
        aws.wait(lambda: 'HyperParameters would have 102 keys' in aws.log(), what='the copy of the full one is refused')
        self.assertEqual(client.describe_training_job(TrainingJobName='full')['TrainingJobStatus'], 'InProgress')
        self.place(aws, 'fits', StoppingCondition={'MaxRuntimeInSeconds': 86400, 'MaxWaitTimeInSeconds': 86400})
        self.move(aws, 'fits', 'Interrupted')
        copy, = aws.wait(lambda: self.copies(client, 'fits'), what='the copy is made')
        made = client.describe_training_job(TrainingJobName=copy)
        self.assertEqual(made['HyperParameters'], {'password': 'hunter2', 'batch_size': '8', 'token': 'sesame'})
        self.assertEqual(made['Environment'], {'TOKEN': 'sesame'})
        self.assertEqual(made['StoppingCondition'], {'MaxRuntimeInSeconds': 172800, 'MaxWaitTimeInSeconds': 259200})
        self.assertEqual(made['ResourceConfig']['InstanceCount'], 2)
        self.assertNotIn('sesame', aws.log() + json.dumps(aws.control('GET', 'messages')))
        self.judge(aws)

    def test_a_job_is_not_stopped_for_machines_that_the_functions_may_not_ask_for(self):
        """Which IAM would deny: CopyInstanceTypes."""
        aws = self.serve(POLICY, TRAINWARDEN_COPY_INSTANCE_TYPES='ml.g5.xlarge,ml.p5.*')
        client = self.client(aws)
        self.place(aws, 'narrow')
        self.move(aws, 'narrow', 'Interrupted')
        aws.wait(lambda: 'not among those of TRAINWARDEN_COPY_INSTANCE_TYPES' in aws.log(), what='the restart is refused')
        aws.wait_until_idle()
        self.assertEqual(client.describe_training_job(TrainingJobName='narrow')['TrainingJobStatus'], 'InProgress')
        self.assertEqual(self.copies(client, 'narrow'), [])

    def test_a_job_is_not_stopped_for_machines_that_it_can_never_have(self):
        aws = self.serve(POLICY)
        client = self.client(aws)
        quota = 'ml.g5.12xlarge for training job usage'
        aws.control('PUT', 'quotas', {f'ml.x{n}.large for endpoint usage': n for n in range(250)})  # three pages
        aws.control('PUT', 'quotas', {quota: 0.0})
        resources = {'InstanceType': 'ml.g5.12xlarge', 'InstanceCount': 2, 'VolumeSizeInGB': 30}
        self.place(aws, 'stays', ResourceConfig=resources)
        self.move(aws, 'stays', 'Interrupted')
        aws.wait(lambda: 'is 0: ask Service Quotas' in aws.log(), what='the move is refused')
        self.assertEqual(client.describe_training_job(TrainingJobName='stays')['TrainingJobStatus'], 'InProgress')
        self.assertEqual(aws.calls().count('ListServiceQuotas'), 3)
        self.assertEqual(aws.items()['quotas']['on_demand']['ml.g5.12xlarge'], 0)
        self.judge(aws)

        # A quota that is not known refuses nothing: what AWS refuses after the stop runs on its own machines.
        aws.control('POST', 'faults', {'operation': 'CreateTrainingJob', 'status': 400, 'code': 'ResourceLimitExceeded',
                                       'caller': 'functions'})
        self.place(aws, 'back', ResourceConfig={**resources, 'InstanceType': 'ml.g5.48xlarge'})
        self.move(aws, 'back', 'Interrupted')
        copy, = aws.wait(lambda: self.copies(client, 'back'), what='the copy is made')
        made = client.describe_training_job(TrainingJobName=copy)
        self.assertTrue(made['EnableManagedSpotTraining'])
        aws.wait(lambda: 'on 2 × ml.g5.48xlarge on spot, since AWS refused' in aws.log(), what='the record tells')

    def judge(self, aws):
        verdict = judge_by_models(aws.record)
        if verdict is not None:
            self.assertEqual(verdict[0], 0, verdict[1][-3000:] + verdict[2])

    def sweep(self, aws, status=200):
        found, answer = aws.control('POST', 'sweep')
        self.assertEqual(found, status, answer)
        return answer

    def lose(self, aws, name, **members):
        """A job that failed now, of which no event tells."""
        now = time.time()
        return self.place(aws, name, 'Failed', 'Failed', **{
            'FailureReason': 'InternalServerError: We encountered an internal error.', 'TrainingEndTime': now, **members})

    def owe(self, aws, name):
        """A failed job whose restart was begun and whose copy AWS refused; its event."""
        event = self.lose(aws, name)
        event['detail'].update(TrainingJobStatus='Failed', SecondaryStatus='Failed')
        aws.control('POST', 'faults', {'operation': 'CreateTrainingJob', 'status': 400, 'code': 'ResourceLimitExceeded',
                                       'caller': 'functions'})
        status, error = aws.invoke(event)
        self.assertEqual(status, 502, error)
        self.assertIn('ResourceLimitExceeded', error['errorMessage'])
        return event

    def test_a_lost_failure_is_found_by_the_sweep_and_copied_once(self):
        aws = self.serve(POLICY)
        client = self.client(aws)
        self.lose(aws, 'yesterdays', TrainingEndTime=time.time() - 600)
        self.sweep(aws)  # the first with this rule
        self.lose(aws, 'lost')
        for _ in range(2):
            self.sweep(aws)
        self.assertEqual([len(self.copies(client, name)) for name in ('lost', 'yesterdays')], [1, 0])

    def test_a_sweep_finishes_half_a_restart_whatever_it_holds_back(self):
        aws = self.serve({**POLICY, 'limits': {'stops_per_sweep': 1}})
        client = self.client(aws)
        self.sweep(aws)
        self.owe(aws, 'half')
        for name in ('one', 'two'):
            self.lose(aws, name)
        error = self.sweep(aws, 502)
        self.assertIn('2 jobs that ended would be copied', error['errorMessage'])
        self.assertEqual([len(self.copies(client, name)) for name in ('one', 'two', 'half')], [0, 0, 1])

    def test_what_is_owed_ends_26_hours_after_the_jobs_end(self):
        aws = self.serve(POLICY)
        client = self.client(aws)
        self.owe(aws, 'half')
        aws.move_clock(26 * 3600 + 60)
        time.sleep(0.1)  # the index lags behind
        self.assertEqual(self.sweep(aws)['jobs']['due'], 1)
        self.assertEqual(aws.item('half')['closed']['why'], 'overdue')
        self.assertNotIn('due', aws.item('half'))
        for _ in range(2):
            self.sweep(aws)
        self.assertEqual(self.copies(client, 'half'), [])

    def test_a_job_full_of_tags_is_copied_once_for_all(self):
        aws = self.serve(POLICY)
        client = self.client(aws)
        tags = {f'key{n}': 'v' for n in range(47)}  # with ours the copy has 50
        self.place(aws, 'full', Tags=tags)
        self.move(aws, 'full', 'Interrupted')
        copy = aws.wait(lambda: aws.item('full').get('copy', {}).get('made') and aws.item('full')['copy']['name'],
                        what='the copy is made')
        self.assertLessEqual(set(tags.items()), set(self.tags(client, copy).items()))
        self.end_and_delete(aws, client, copy)
        self.sweep(aws)
        self.assertEqual([call for call in aws.calls() if call == 'CreateTrainingJob'], ['CreateTrainingJob'])

    def test_generations_are_counted_in_the_table_whatever_the_tags_say(self):
        aws = self.serve(POLICY)
        client = self.client(aws)
        self.lose(aws, 'first')
        event = self.place(aws, 'first', 'Failed', 'Failed', FailureReason='InternalServerError: x', TrainingEndTime=time.time())
        event['detail'].update(TrainingJobStatus='Failed', SecondaryStatus='Failed')
        self.assertEqual(aws.invoke(event)[0], 200)
        copy, = self.copies(client, 'first')
        client.add_tags(ResourceArn=client.describe_training_job(TrainingJobName=copy)['TrainingJobArn'], Tags=[
            {'Key': 'trainwarden:generation', 'Value': '0'}, {'Key': 'trainwarden:root', 'Value': copy},
            {'Key': 'trainwarden:parent', 'Value': copy}])
        self.move(aws, copy, 'Failed', 'InternalServerError: We encountered an internal error.')
        aws.wait(lambda: aws.items().get(f'copy/{copy}', {}).get('generation') == 1, what='the first copy is remembered')
        aws.wait(lambda: any(item.get('generation') == 2 and item['root'] == 'first' for item in aws.items().values()),
                 what='its copy is the second generation')


if __name__ == '__main__':
    unittest.main()
