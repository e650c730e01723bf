"""Restarts end to end: built binaries and the embedded AWS; copies are judged by botocore's models.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest restart_test
"""
import json
import re
import subprocess
import sys
import threading
import time
import unittest
import urllib.request

try:
    import boto3
    import botocore.auth
    import botocore.awsrequest
    import botocore.credentials
    import botocore.session
    import botocore.validate
except ImportError:
    boto3 = None

from embedded_aws import ACCOUNT, BIN, REGION, SHARED, EmbeddedAws, clean_environment, judge_by_models

ROLE = f'arn:aws:iam::{ACCOUNT}:role/training/SomeRole'
POLICY = {
    'version': 1, 'mode': 'enforce', 'prices': {'ml.g5.12xlarge': 7.0},
    'rules': [{'name': 'thrash', 'match': {'job': {'SecondaryStatus': ['Interrupted']}},
               'actions': [{'restart': {'spot': False}}]},
              {'name': 'resume', 'match': {'job': {'TrainingJobStatus': ['Failed']}}, 'actions': ['restart']}]}
NOTHING = {'version': 1, 'mode': 'observe',
           'rules': [{'name': 'none', 'match': {'job': {'SecondaryStatus': ['Updating']}}, 'actions': ['stop']}]}


class OnEmbeddedAws(unittest.TestCase):
    def serve(self, policy, *arguments, **environment):
        aws = EmbeddedAws(policy, *arguments, **environment)
        self.addCleanup(aws.close)
        return aws

    def client(self, aws):
        client = boto3.client('sagemaker', endpoint_url=aws.url, region_name=REGION, aws_access_key_id='test',
                              aws_secret_access_key='test')
        self.addCleanup(client.close)
        return client

    def place(self, aws, name, status='InProgress', secondary='Training', **members):
        """A spot job with a checkpoint; returns its event."""
        return aws.job(name, TrainingJobStatus=status, SecondaryStatus=secondary, RoleArn=ROLE, **{
            'age': 7200, 'TrainingStartTime': time.time() - 7000, 'LastModifiedTime': time.time(),
            'AlgorithmSpecification': {'TrainingImage': 'example/image:1', 'TrainingInputMode': 'File'},
            'OutputDataConfig': {'S3OutputPath': 's3://example-bucket/out/', 'KmsKeyId': ''},
            'StoppingCondition': {'MaxRuntimeInSeconds': 86400, 'MaxWaitTimeInSeconds': 90000},
            'EnableManagedSpotTraining': True, 'HyperParameters': {'password': 'hunter2', 'resume': ''},
            'CheckpointConfig': {'S3Uri': f's3://example-bucket/checkpoints/{name}'}, **members})

    def move(self, aws, name, secondary, reason=None):
        status, answer = aws.control('POST', f'jobs/{name}/transition',
                                     {'SecondaryStatus': secondary, **({'FailureReason': reason} if reason else {})})
        self.assertEqual(status, 200, answer)

    def tags(self, client, name):
        arn = client.describe_training_job(TrainingJobName=name)['TrainingJobArn']
        return {t['Key']: t['Value'] for t in client.list_tags(ResourceArn=arn)['Tags']}

    def copies(self, client, parent):
        found = client.search(Resource='TrainingJob', SearchExpression={'Filters': [
            {'Name': 'Tags.trainwarden:parent', 'Operator': 'Equals', 'Value': parent}]})['Results']
        return [result['TrainingJob']['TrainingJobName'] for result in found]

    def delete(self, aws, name):
        """Older boto3 has no DeleteTrainingJob."""
        request = botocore.awsrequest.AWSRequest('POST', aws.url, data=json.dumps({'TrainingJobName': name}), headers={
            'X-Amz-Target': 'SageMaker.DeleteTrainingJob', 'Content-Type': 'application/x-amz-json-1.1'})
        botocore.auth.SigV4Auth(botocore.credentials.Credentials('test', 'test'), 'sagemaker', REGION).add_auth(request)
        with urllib.request.urlopen(urllib.request.Request(aws.url, request.data.encode(), dict(request.headers))) as answer:
            self.assertEqual(answer.status, 200)

    def end_and_delete(self, aws, client, name):
        client.stop_training_job(TrainingJobName=name)
        aws.wait(lambda: client.describe_training_job(TrainingJobName=name)['TrainingJobStatus'] == 'Stopped', what='it stopped')
        self.delete(aws, name)

    def command(self, aws, *arguments, **environment):
        return subprocess.run([BIN / 'trainwarden', *arguments], capture_output=True, text=True, timeout=60,
                              env=clean_environment(AWS_ENDPOINT_URL=aws.url, AWS_REGION=REGION, AWS_ACCESS_KEY_ID='test',
                                                    AWS_SECRET_ACCESS_KEY='test', **environment))


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

    def test_restart_by_hand(self):
        aws = self.serve(NOTHING)
        client = self.client(aws)
        self.place(aws, 'byhand', 'Failed', 'Failed', TrainingEndTime=time.time() - 90 * 3600)
        rehearsal = self.command(aws, 'restart', 'byhand', '--spot', 'false', '--instance-type', 'ml.p4d.24xlarge', '--dry-run')
        self.assertEqual(rehearsal.returncode, 0, rehearsal.stderr)
        self.assertIn('byhand: Failed; the guards allow the copy byhand-r1-', rehearsal.stderr)
        body = json.loads(rehearsal.stdout)
        self.assertEqual(body['HyperParameters'], {'password': '(hidden)', 'resume': '(hidden)'})
        self.assertNotIn('hunter2', rehearsal.stdout + rehearsal.stderr)
        self.assertEqual(self.copies(client, 'byhand'), [])
        self.assertEqual(self.tags(client, 'byhand'), {})

        done = self.command(aws, 'restart', 'byhand', '--spot', 'false', '--instance-type', 'ml.p4d.24xlarge')
        self.assertEqual((done.returncode, done.stderr), (0, 'byhand: to be run again although it ended more than 26 hours ago\n'))
        self.assertEqual(done.stdout, f'byhand: copied as {body["TrainingJobName"]}\n')
        made = client.describe_training_job(TrainingJobName=body['TrainingJobName'])
        self.assertEqual(made['ResourceConfig']['InstanceType'], 'ml.p4d.24xlarge')
        self.assertEqual(made['HyperParameters'], {'password': 'hunter2', 'resume': ''})
        for more in ((), ('--dry-run',)):
            again = self.command(aws, 'restart', 'byhand', *more)
            self.assertEqual((again.returncode, again.stdout), (0, f'byhand: already copied as {body["TrainingJobName"]}\n'))

    def test_a_job_that_is_stopping_by_hand(self):
        aws = self.serve(NOTHING)
        client = self.client(aws)
        self.place(aws, 'person', 'Stopping', 'Stopping')
        rehearsal = self.command(aws, 'restart', 'person', '--dry-run')
        self.assertEqual(rehearsal.returncode, 0, rehearsal.stderr)
        self.assertIn('person: to be run again although somebody stopped it\n', rehearsal.stderr)
        self.assertIn('which would be made when the job has been stopped and has ended\n', rehearsal.stderr)
        self.assertEqual(self.copies(client, 'person'), [])
        timer = threading.Timer(2, self.move, (aws, 'person', 'Stopped'))
        timer.start()
        self.addCleanup(timer.join)
        ran = self.command(aws, 'restart', 'person')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.copies(client, 'person'), [ran.stdout.split()[-1]])

    def test_a_running_job_is_stopped_and_copied_by_hand_and_the_functions_have_no_part_in_it(self):
        aws = self.serve(POLICY)
        client = self.client(aws)
        self.place(aws, 'runs')
        done = self.command(aws, 'restart', 'runs')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r'^runs: copied as runs-r1-[0-9a-f]{8}\n$')
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)
        self.assertEqual(self.copies(client, 'runs'), [done.stdout.split()[-1]])
        self.assertEqual(self.tags(client, 'runs'), {'trainwarden:child': done.stdout.split()[-1]})

    def test_a_copy_that_was_made_is_named_although_its_original_could_not_be_tagged(self):
        aws = self.serve(NOTHING)
        self.place(aws, 'once', 'Failed', 'Failed')
        aws.control('POST', 'faults', {'operation': 'AddTags', 'times': 9, 'status': 500, 'code': 'InternalFailure'})
        made = self.command(aws, 'restart', 'once')
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertRegex(made.stdout, r'^once: copied as once-r1-[0-9a-f]{8}\n$')
        self.assertIn('give the command again to tag the job', made.stderr)

    def test_a_job_without_a_checkpoint_by_hand(self):
        aws = self.serve(NOTHING)
        self.place(aws, 'anew', 'Failed', 'Failed', CheckpointConfig=None)
        warning = 'anew: it has no CheckpointConfig.S3Uri: the copy begins anew\n'
        rehearsal = self.command(aws, 'restart', 'anew', '--dry-run')
        self.assertEqual(rehearsal.returncode, 0, rehearsal.stderr)
        self.assertIn(warning, rehearsal.stderr)
        done = self.command(aws, 'restart', 'anew')
        self.assertEqual((done.returncode, done.stderr), (0, warning))

    def test_a_copy_that_is_gone_is_made_again_by_hand_only(self):
        aws = self.serve(POLICY)
        client = self.client(aws)
        self.place(aws, 'lost', 'Failed', 'Failed', FailureReason='InternalServerError: x', TrainingEndTime=time.time() - 600)
        copy = self.command(aws, 'restart', 'lost').stdout.split()[-1]
        self.end_and_delete(aws, client, copy)
        self.assertEqual(aws.control('POST', 'sweep')[0], 200)
        self.assertEqual(self.copies(client, 'lost'), [])
        rehearsal = self.command(aws, 'restart', 'lost', '--dry-run')
        self.assertEqual(rehearsal.returncode, 0, rehearsal.stderr)
        self.assertIn(f'lost: its copy {copy} is gone\nlost: Failed; the guards allow the copy {copy}, ', rehearsal.stderr)
        done = self.command(aws, 'restart', 'lost')
        self.assertEqual((done.returncode, done.stdout), (0, f'lost: copied as {copy}\n'), done.stderr)
        self.assertEqual(done.stderr, f'lost: its copy {copy} is gone\n')
        self.assertEqual(self.copies(client, 'lost'), [copy])
        self.assertEqual(self.tags(client, 'lost')['trainwarden:child'], copy)
        again = self.command(aws, 'restart', 'lost')
        self.assertEqual((again.returncode, again.stdout), (0, f'lost: already copied as {copy}\n'), again.stderr)

    def test_a_type_that_nobody_knows_is_doubted(self):
        aws = self.serve(NOTHING)
        self.place(aws, 'odd', 'Failed', 'Failed')
        ran = self.command(aws, 'restart', 'odd', '--instance-type', 'ml.p5.48xlage', '--dry-run')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('--instance-type: `ml.p5.48xlage` is not a known instance type; did you mean `ml.p5.48xlarge`?\n', ran.stderr)

    def test_help_is_had_anywhere(self):
        aws = self.serve(NOTHING)
        for arguments in (('help',), ('--help',), ('restart', '--help'), ('lineage', 'job', '-h'), ('diagnose', '--help')):
            with self.subTest(arguments=arguments):
                ran = self.command(aws, *arguments)
                self.assertEqual((ran.returncode, ran.stderr), (0, ''))
                page = arguments[0] if arguments[0] in ('restart', 'lineage', 'diagnose') else 'trainwarden'
                self.assertTrue(ran.stdout.startswith((f'{page}: ', f'{page} writes and tries ')), ran.stdout)

    def test_what_a_guard_refuses_by_hand(self):
        aws = self.serve(NOTHING)
        self.place(aws, 'done', 'Completed', 'Completed')
        self.place(aws, 'person', 'Stopped', 'Stopped')
        self.place(aws, 'role', 'Failed', 'Failed')
        shared = {'CheckpointConfig': {'S3Uri': 's3://example-bucket/checkpoints/shared'}}
        self.place(aws, 'busy', **shared)
        self.place(aws, 'other', **shared)
        for arguments, environment, doubt in (
                (('person', '--dry-run'), {}, 'person: to be run again although somebody stopped it\n'),
                (('role', '--dry-run'), {'TRAINWARDEN_PASS_ROLES': f'arn:aws:iam::{ACCOUNT}:role/other/*'},
                 f'role: to be run again although its role {ROLE} is not among those of TRAINWARDEN_PASS_ROLES\n')):
            with self.subTest(arguments=arguments):
                ran = self.command(aws, 'restart', *arguments, **environment)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn(doubt, ran.stderr)
        for arguments, environment, status, text in (
                (('done',), {}, 1, 'done: refused: it completed\n'),
                (('busy',), {}, 1, 'busy: refused: the job other uses its checkpoint\n')):
            with self.subTest(arguments=arguments):
                ran = self.command(aws, 'restart', *arguments, **environment)
                self.assertEqual((ran.returncode, ran.stdout), (status, text), ran.stderr)
        for arguments, text in ((('nobody',), f'nobody: no training job of that name in {REGION}; --region asks in another region'), (('a/b',), 'training job name: expected'),
                                ((), 'expected the name of a training job'), (('x', '--spot', 'no'), 'expected true or false'),
                                (('x', '--instance-type', 'ml.p548xlarge'), 'found `ml.p548xlarge`; did you mean `ml.p5.48xlarge`?'),
                                (('x', '--instance-type', 'ml.bogus thing'), 'ml.<family>.<size>'),
                                (('x', '--force'), 'unknown option'), (('x', 'y'), 'expected one job')):
            with self.subTest(arguments=arguments):
                ran = self.command(aws, 'restart', *arguments)
                self.assertEqual(ran.returncode, 2)
                self.assertIn(text, ran.stderr)

    def test_lineage_follows_the_tags_where_search_lags(self):
        aws = self.serve(NOTHING, '--search-lag', '60')
        client = self.client(aws)
        self.place(aws, 'line', 'Failed', 'Failed')
        first = self.command(aws, 'restart', 'line').stdout.split()[-1]
        client.stop_training_job(TrainingJobName=first)
        aws.wait(lambda: client.describe_training_job(TrainingJobName=first)['TrainingJobStatus'] == 'Stopped', what='it ends')
        for job in ('line', first):
            ran = self.command(aws, 'lineage', job)
            self.assertEqual([line.split()[0] for line in ran.stdout.splitlines()], ['line', first, 'together'], ran.stderr)
        self.delete(aws, first)
        ran = self.command(aws, 'lineage', 'line')
        self.assertRegex(ran.stdout, rf'\n  {first} +gone ')

    def test_lineage(self):
        aws = self.serve(POLICY)
        client = self.client(aws)
        self.place(aws, 'line', 'Failed', 'Failed', FailureReason='InternalServerError: x', TrainingTimeInSeconds=5400,
                   BillableTimeInSeconds=3600, TrainingEndTime=time.time() - 60)
        copy = self.command(aws, 'restart', 'line').stdout.split()[-1]
        self.assertEqual(self.copies(client, 'line'), [copy])
        policy = json.dumps(POLICY)
        for job in ('line', copy):
            ran = self.command(aws, 'lineage', job, '--policy', policy)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            first, second, together = ran.stdout.splitlines()  # the hours are those that are paid
            self.assertRegex(first, r'^line +Failed/Failed +1\.0 h +7\.00 USD  spot saved 33 %$')
            self.assertRegex(second, rf'^  {copy} +InProgress/\w+ +0\.0 h +0\.00 USD$')
            self.assertRegex(together, r'^together +1\.0 h +7\.00 USD$')
        alone = self.command(aws, 'lineage', 'line')
        self.assertNotIn('USD', alone.stdout)
        self.assertIn('--policy', alone.stderr)
        unpriced = self.command(aws, 'lineage', 'line', '--policy', json.dumps(NOTHING))
        states = r'InProgress/\w+ +'  # which go on between two commands
        self.assertEqual(re.sub(states, '', unpriced.stdout), re.sub(states, '', alone.stdout))
        self.assertEqual(unpriced.stderr, 'trainwarden: lineage: no cost: the policy has no `prices` (USD an hour and machine, by type)\n')
        nobody = self.command(aws, 'lineage', 'nobody')
        self.assertEqual((nobody.returncode, nobody.stderr),
                         (2, f'trainwarden: nobody: no training job of that name in {REGION}; --region asks in another region\n'))


def create_shape():
    model = botocore.session.get_session().get_service_model('sagemaker')
    return (model.operation_model('CreateTrainingJob').input_shape, model.operation_model('DescribeTrainingJob').output_shape)


def filled(shape, name=''):
    """A value of the shape with every member set."""
    if shape.type_name == 'structure':
        return {key: filled(member, key) for key, member in shape.members.items()}
    if shape.type_name == 'list':
        return [filled(shape.member, name) for _ in range(max(1, shape.metadata.get('min', 1)))]
    if shape.type_name == 'map':
        return {'key': filled(shape.value, name), 'empty': ''} if name in ('HyperParameters', 'Environment') else {'key': 'value'}
    if shape.type_name == 'string':
        return shape.enum[0] if getattr(shape, 'enum', None) else text_for(name, shape.metadata.get('min', 1))
    return {'integer': max(1, shape.metadata.get('min', 1)), 'long': max(1, shape.metadata.get('min', 1)), 'boolean': True,
            'float': 0.5, 'double': 0.5, 'timestamp': 1783000000}[shape.type_name]


def text_for(name, least):
    if name.endswith('Arn'):
        return f'arn:aws:sagemaker:{REGION}:{ACCOUNT}:thing/{name.lower()}'
    return ('s3://example-bucket/x' if 'S3' in name or 'Uri' in name else 'text').ljust(least, 'x')


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class CopiesByBotocoresModel(OnEmbeddedAws):
    """What CreateTrainingJob would be sent, for the shared samples and for a document with every member set."""

    def copy_of(self, aws, name, document):
        status, answer = aws.control('PUT', f'jobs/{name}', document)
        self.assertEqual(status, 200, answer)
        ran = self.command(aws, 'restart', name, '--dry-run')
        self.assertEqual(ran.returncode, 0, (name, ran.stdout, ran.stderr))
        return json.loads(ran.stdout)

    def assert_valid(self, body, name):
        shape, _ = create_shape()
        known = {key: value for key, value in body.items() if key in shape.members}
        if known.keys() != body.keys():
            unknown = sorted(body.keys() - known.keys())
            print(f'left out: {len(unknown)} cases, members that this botocore does not know: {unknown}', file=sys.stderr)
        report = botocore.validate.ParamValidator().validate(known, shape)
        errors = [line for line in report.generate_report().splitlines() if 'Unknown parameter' not in line]
        self.assertEqual(errors, [], name)

    def test_samples(self):
        samples = sorted((SHARED / 'samples/state').glob('*.json'))
        if not samples:
            self.skipTest('17 cases need ../shared/samples/state, which is not here')
        aws = self.serve(NOTHING)
        for number, path in enumerate(samples):
            detail = json.loads(path.read_text())['detail']
            with self.subTest(sample=path.name):
                name = f'sample-{number}'
                document = {**{key: value for key, value in detail.items() if key not in ('TrainingJobArn', 'Environment')},
                            'TrainingJobName': name, 'TrainingJobStatus': 'Failed', 'SecondaryStatus': 'Failed',
                            'RoleArn': ROLE, 'Tags': {}, 'FailureReason': 'InternalServerError: x', 'CheckpointConfig': None}
                body = self.copy_of(aws, name, document)
                self.assert_valid(body, path.name)
                # Everything that says what the job is.
                for key in ('HyperParameters', 'InputDataConfig', 'ResourceConfig', 'StoppingCondition', 'OutputDataConfig'):
                    if detail.get(key):
                        self.assertIn(key, body)

    def test_every_member_set(self):
        shape, described = create_shape()
        aws = self.serve(NOTHING)
        document = filled(described)
        for parent in ('TuningJobArn', 'AutoMLJobArn', 'LabelingJobArn'):
            document[parent] = None
        document['ResourceConfig'].pop('TrainingPlanArn', None)
        document.update(TrainingJobName='full', TrainingJobStatus='Failed', SecondaryStatus='Failed', TrainingJobArn=None,
                        SecondaryStatusTransitions=[], CreationTime=1783000000, RoleArn=ROLE)
        document['ProfilerConfig']['DisableProfiler'] = False
        body = self.copy_of(aws, 'full', document)
        self.assert_valid(body, 'every member set')
        survived = set(shape.members) & set(described.members) - {'TrainingJobName'}
        self.assertEqual(survived - body.keys(), set())
        self.assertEqual(set(body) - survived, {'TrainingJobName', 'Tags'})
        for key in survived - {'HyperParameters', 'Environment', 'AlgorithmSpecification', 'ResourceConfig', 'RoleArn'}:
            self.assertEqual(body[key], document[key], key)
        self.assertEqual(set(document['AlgorithmSpecification']) - set(body['AlgorithmSpecification']), {'TrainingImage'})
        self.assertEqual(set(document['ResourceConfig']) - set(body['ResourceConfig']),
                         {'InstanceType', 'InstanceCount', 'KeepAlivePeriodInSeconds'} & set(document['ResourceConfig']))


if __name__ == '__main__':
    unittest.main()
