"""Restarts by hand and lineages, end to end: the built command and the embedded AWS.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest restart_by_hand_test
"""
import json
import re
import threading
import time
import unittest

from embedded_aws import ACCOUNT, REGION
from restart_support import NOTHING, POLICY, ROLE, OnEmbeddedAws, boto3


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class RestartsByHand(OnEmbeddedAws):
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


if __name__ == '__main__':
    unittest.main()
