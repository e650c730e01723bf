"""`trainwarden restart` on localaws where no function is deployed: what it does is done by the person alone.

usage: LOCALAWS=path/to/localaws TRAINWARDEN=path/to/trainwarden python3 restart_by_hand_test.py
"""
import os
import signal
import subprocess
import time
import unittest

from localaws_server import REGION, ServiceTest, environment

TRAINWARDEN = os.environ.get('TRAINWARDEN')
CHECKPOINT = {'S3Uri': 's3://example-bucket/checkpoints/run'}


@unittest.skipUnless(TRAINWARDEN, 'TRAINWARDEN does not name the binary')
class RestartByHand(ServiceTest):
    def setUp(self):
        super().setUp()
        self.sagemaker = self.server.client()

    def place(self, name='run', status='InProgress', secondary='Training', **members):
        now = time.time()
        ended = {} if status in ('InProgress', 'Stopping') else {'TrainingEndTime': now - 60}
        self.server.control('PUT', f'jobs/{name}', {
            'TrainingJobName': name, 'TrainingJobStatus': status, 'SecondaryStatus': secondary, 'CreationTime': now - 7200,
            'LastModifiedTime': now - 60, 'RoleArn': 'arn:aws:iam::111122223333:role/Training',
            'AlgorithmSpecification': {'TrainingImage': 'example/image:1', 'TrainingInputMode': 'File'},
            'OutputDataConfig': {'S3OutputPath': 's3://example-bucket/out/'},
            'ResourceConfig': {'InstanceType': 'ml.g5.xlarge', 'InstanceCount': 1, 'VolumeSizeInGB': 30},
            'StoppingCondition': {'MaxRuntimeInSeconds': 3600}, 'CheckpointConfig': CHECKPOINT, **ended, **members})

    def start(self, *arguments, **more):
        return subprocess.Popen(
            [TRAINWARDEN, 'restart', *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment(AWS_ENDPOINT_URL=self.server.url, AWS_REGION=REGION, AWS_ACCESS_KEY_ID='test',
                            AWS_SECRET_ACCESS_KEY='test', **more))

    def run_restart(self, *arguments, **more):
        process = self.start(*arguments, **more)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def jobs(self):
        return sorted(job['TrainingJobName'] for job in self.sagemaker.list_training_jobs()['TrainingJobSummaries'])

    def status(self, name):
        return self.sagemaker.describe_training_job(TrainingJobName=name)['TrainingJobStatus']

    def test_a_running_job_is_stopped_waited_for_and_copied(self):
        self.place()
        status, out, err = self.run_restart('run')
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r'^run: copied as run-r1-[0-9a-f]{8}\n$')
        self.assertEqual(self.status('run'), 'Stopped')
        copy = out.split()[-1]
        self.assertEqual(self.jobs(), ['run', copy])
        self.assertEqual(self.sagemaker.describe_training_job(TrainingJobName=copy)['CheckpointConfig'], CHECKPOINT)
        self.assertEqual(self.run_restart('run')[:2], (0, f'run: already copied as {copy}\n'))

    def test_the_table_is_the_functions_and_is_not_read(self):
        name = 'run-r1-0a1b2c3d'  # that of a copy, whose place the functions look up
        self.place(name, 'Failed', 'Failed')
        for operation in ('GetItem', 'PutItem', 'Query'):
            self.server.control('POST', 'faults', {'operation': operation, 'times': 9, 'status': 400,
                                                   'code': 'AccessDeniedException', 'message': 'explicit deny'})
        status, out, err = self.run_restart(
            name, TRAINWARDEN_TABLE=f'arn:aws:dynamodb:{REGION}:111122223333:table/trainwarden-state')
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r'copied as run-r2-[0-9a-f]{8}\n$')

    def test_interrupted_it_says_how_to_go_on_and_goes_on(self):
        self.place(status='Stopping', secondary='Stopping')
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                process = self.start('run', '--spot', 'false')
                line = ''
                while 'Stopping/Stopping' not in line:  # it waits
                    line = process.stderr.readline()
                    self.assertNotEqual(line, '')
                process.send_signal(number)
                begin = time.monotonic()
                out, err = process.communicate(timeout=20)
                self.assertLess(time.monotonic() - begin, 5)
                self.assertEqual((process.returncode, out), (130, ''))
                self.assertIn('the same command goes on from there: trainwarden restart run --spot false\n', err)
        self.server.control('POST', 'jobs/run/transition', {'SecondaryStatus': 'Stopped'})
        status, out, err = self.run_restart('run', '--spot', 'false')
        self.assertEqual(status, 0, err)
        self.assertEqual(self.jobs(), ['run', out.split()[-1]])

    def test_a_signal_that_the_starter_ignores_stays_ignored(self):
        self.place(status='Stopping', secondary='Stopping')
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
        try:
            process = self.start('run')
        finally:
            signal.signal(signal.SIGHUP, before)
        line = ''
        while 'Stopping/Stopping' not in line:
            line = process.stderr.readline()
            self.assertNotEqual(line, '')
        process.send_signal(signal.SIGHUP)
        time.sleep(1.5)
        self.server.control('POST', 'jobs/run/transition', {'SecondaryStatus': 'Stopped'})
        out, err = process.communicate(timeout=40)
        self.assertEqual(process.returncode, 0, err)
        self.assertRegex(out, r'^run: copied as ')

    def test_credentials_that_end_while_it_waits(self):
        self.place(status='Stopping', secondary='Stopping')
        process = self.start('run')
        line = ''
        while 'Stopping/Stopping' not in line:
            line = process.stderr.readline()
            self.assertNotEqual(line, '')
        self.server.control('POST', 'faults', {'operation': 'DescribeTrainingJob', 'times': 1, 'status': 400,
                                               'code': 'ExpiredTokenException', 'message': 'expired'})
        out, err = process.communicate(timeout=40)
        self.assertEqual((process.returncode, out), (2, ''))
        self.assertIn('ExpiredTokenException', err)
        self.assertIn('with credentials that are valid the same command goes on from there: trainwarden restart run\n', err)

    def test_where_our_tags_are_denied_the_copy_bears_none(self):
        self.place(status='Failed', secondary='Failed', Tags={'team': 'vision'})
        for operation in ('CreateTrainingJob', 'AddTags'):
            self.server.control('POST', 'faults', {'operation': operation, 'times': 1, 'status': 400,
                                                   'code': 'AccessDeniedException', 'message': 'explicit deny'})
        status, out, err = self.run_restart('run')
        self.assertEqual(status, 0, err)
        self.assertIn("run: the copy bears no tags of Trainwarden's: ", err)
        arn = self.sagemaker.describe_training_job(TrainingJobName=out.split()[-1])['TrainingJobArn']
        self.assertEqual(self.sagemaker.list_tags(ResourceArn=arn)['Tags'], [{'Key': 'team', 'Value': 'vision'}])

    def test_another_job_on_the_checkpoint_refuses_and_nothing_is_done(self):
        self.place()
        self.place('other')
        for more in ((), ('--dry-run',)):
            status, out, _ = self.run_restart('run', *more)
            self.assertEqual((status, out), (1, 'run: refused: the job other uses its checkpoint\n'))
        self.assertEqual(self.status('run'), 'InProgress')

    def test_a_dry_run_changes_nothing_and_tells_all(self):
        self.place(status='Stopped', secondary='Stopped', TrainingEndTime=time.time() - 40 * 3600,
                   CreationTime=time.time() - 50 * 3600, CheckpointConfig={},
                   Tags={'trainwarden:action': 'stop', 'trainwarden:rule': 'no-p5', 'trainwarden:generation': '7'})
        status, out, err = self.run_restart('run', '--dry-run', TRAINWARDEN_PASS_ROLES='arn:aws:iam::111122223333:role/x')
        self.assertEqual(status, 0, err)
        for doubt in ('it ended more than 26 hours ago', 'the rule no-p5 stopped it', 'it is generation 7', 'its role ',
                      'no CheckpointConfig.S3Uri'):
            self.assertIn(doubt, err)
        self.assertIn('"TrainingJobName":"run-r1-', out)
        self.assertEqual(self.jobs(), ['run'])


if __name__ == '__main__':
    unittest.main()
