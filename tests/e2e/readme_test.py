"""README's first policy at work, by the commands of its section: localaws, a job without the tag, and the question what became
of it.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest readme_test
The aws command's options are given to boto3, which has the same parameters.
"""
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import time
import unittest

try:
    import boto3
except ImportError:
    raise unittest.SkipTest('python3-boto3 is not installed')

from embedded_aws import BIN, REPOSITORY, clean_environment

SECTION = (REPOSITORY / 'README.md').read_text(encoding='utf-8').partition('\n## A first policy\n')[2].partition('\n## ')[0]
LINES = [shlex.split(line) for block in re.findall(r'^```sh\n(.*?)^```', SECTION, flags=re.S | re.M)
         for line in block.replace('\\\n', ' ').splitlines()]


def line_of(*begin):
    found = [line for line in LINES if line[:len(begin)] == list(begin)]
    assert len(found) == 1, (begin, found)
    return found[0]


def exported():
    return dict(word.split('=', 1) for line in LINES if line[0] == 'export' for word in line[1:] if not word.startswith('PATH='))


def parameters(options):
    """--resource-config InstanceCount=1,… of the aws command -> ResourceConfig={'InstanceCount': 1, …} of boto3."""
    def of_text(text):
        return int(text) if text.isdigit() else text
    names = [''.join(part.title() for part in option[2:].split('-')) for option in options[::2]]
    values = [{k: of_text(v) for k, v in (pair.split('=', 1) for pair in value.split(','))} if '=' in value else of_text(value)
              for value in options[1::2]]
    return {name: value for name, value in zip(names, values) if name != 'EndpointUrl'}


class FirstPolicy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        (self.work / 'build').mkdir()
        (self.work / 'build/release').mkdir()
        (self.work / 'build/release/bin').symlink_to(BIN)
        source, target = line_of('cp')[1:]
        policy = (REPOSITORY / source).read_text()
        self.assertEqual(policy.count('"mode": "observe"'), 1)
        (self.work / target).write_text(policy.replace('"mode": "observe"', '"mode": "enforce"'))

    def ask(self, line, **environment):
        return subprocess.run([BIN / line[0], *line[1:]], cwd=self.work, capture_output=True, text=True, timeout=60,
                              env=clean_environment(**environment))

    def serve(self):
        """Its URL; the port is a free one."""
        line = line_of('localaws')
        with open(self.work / 'log', 'w') as log:
            process = subprocess.Popen([BIN / line[0], *line[1:], '--port', '0'], cwd=self.work, stdout=subprocess.PIPE, stderr=log,
                                       text=True, env=clean_environment())

        def end():
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=20)
            process.stdout.close()
        self.addCleanup(end)
        return process, re.search(r'http://127\.0\.0\.1:\d+', process.stdout.readline())[0]

    def test_the_policy_is_sound(self):
        checked = self.ask(line_of('trainwarden', 'check'))
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_a_job_without_the_tag_is_stopped_told_of_and_explained(self):
        process, url = self.serve()
        environment = {**exported(), 'AWS_ENDPOINT_URL': url}
        self.assertRegex(exported()['AWS_ENDPOINT_URL'], r'^http://127\.0\.0\.1:4566$')  # localaws' own port
        sagemaker = boto3.client('sagemaker', endpoint_url=url, region_name=environment['AWS_DEFAULT_REGION'],
                                 aws_access_key_id=environment['AWS_ACCESS_KEY_ID'],
                                 aws_secret_access_key=environment['AWS_SECRET_ACCESS_KEY'])
        job = parameters(line_of('aws', 'sagemaker', 'create-training-job')[3:])
        sagemaker.create_training_job(**job)
        end = time.monotonic() + 60
        while sagemaker.describe_training_job(TrainingJobName=job['TrainingJobName'])['TrainingJobStatus'] != 'Stopped':
            self.assertLess(time.monotonic(), end, 'the job is not stopped')
            time.sleep(0.5)
        asked = self.ask(line_of('trainwarden', 'explain', job['TrainingJobName']), **environment)
        self.assertEqual(asked.returncode, 0, asked.stderr)
        for part in ('Trainwarden stopped it', 'required-tags', 'Training jobs need the tag model_name.', 'trainwarden restart'):
            self.assertIn(part, asked.stdout)
        told = ''
        while 'Subject:' not in told:
            line = process.stdout.readline()
            self.assertTrue(line, 'nobody was told')
            told += line
        self.assertIn(f'Trainwarden stopped {job["TrainingJobName"]} (required-tags)', told)


if __name__ == '__main__':
    unittest.main()
