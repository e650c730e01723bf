"""The command asks AWS (issue 17, 1): as whom, where, and that it only reads.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest ask_test
"""
import http.server
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
import unittest

try:
    import boto3
except ImportError:
    boto3 = None

from embedded_aws import ACCOUNT, BIN, REGION, REPOSITORY, TABLE, EmbeddedAws, clean_environment, judge_by_models
from recording_proxy import RecordingProxy

sys.path.insert(0, str(REPOSITORY / 'tests/template'))
import iam  # noqa: E402

GROUP = '/aws/sagemaker/TrainingJobs'
COMMANDS_MD = REPOSITORY / 'handlers/commands.md'
TEST_KEYS = {'AWS_ACCESS_KEY_ID': 'test', 'AWS_SECRET_ACCESS_KEY': 'test'}
PROCESS = json.dumps({'Version': 1, 'AccessKeyId': 'test', 'SecretAccessKey': 'test', 'Expiration': '2099-01-01T00:00:00Z'})
POLICY = {
    'version': 1, 'mode': 'enforce', 'prices': {'ml.g5.12xlarge': 7.0},
    'watches': {'gpu-idle': {'metric': 'GPUUtilization', 'statistic': 'Maximum', 'period_seconds': 300, 'periods': 3,
                             'at_most': 1, 'missing': 'notBreaching'}},
    'rules': [{'name': 'required-tags', 'actions': ['stop'],
               'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'tags': {'model_name': [{'exists': False}]}}},
              {'name': 'bug', 'match': {'failure': {'resume': ['no']}}, 'actions': ['notify']},
              {'name': 'idle', 'match': {'alarm': {'watch': ['gpu-idle'], 'state': ['ALARM']}}, 'actions': ['stop']},
              {'name': 'crowd', 'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'fleet': {'spot_timeouts_24h': [{'numeric': ['>', 2]}]}},
               'actions': ['notify']},
              {'name': 'silent', 'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'logs': {'silent_seconds': [{'numeric': ['>=', 600]}]}},
               'actions': ['notify']},
              {'name': 'no-checkpoint', 'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'checkpoint': {'exists': [False]}},
               'actions': ['notify']}]}


def read_only_policy():
    """The IAM policy that commands.md gives."""
    text = COMMANDS_MD.read_text()
    section = text[text.index('## Ask AWS'):]
    return json.loads(re.search(r'^```json\n(.*?)^```', section, flags=re.S | re.M)[1])


# What each call needs: https://docs.aws.amazon.com/service-authorization/latest/reference/
JOB_ARN = f'arn:aws:sagemaker:{REGION}:{ACCOUNT}:training-job/some-job'
RIGHTS = {
    'sagemaker.DescribeTrainingJob': ('sagemaker:DescribeTrainingJob', JOB_ARN),
    'sagemaker.ListTags': ('sagemaker:ListTags', JOB_ARN),
    'sagemaker.Search': ('sagemaker:Search', '*'),
    'logs.FilterLogEvents': ('logs:FilterLogEvents', f'arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{GROUP}:*'),
    'cloudwatch.DescribeAlarms': ('cloudwatch:DescribeAlarms', f'arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:*'),
    'cloudwatch.GetMetricData': ('cloudwatch:GetMetricData', '*'),
    's3.ListObjectsV2': ('s3:ListBucket', 'arn:aws:s3:::models'),
    'ssm.GetParameter': ('ssm:GetParameter', f'arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/trainwarden/policy'),
    'dynamodb.GetItem': ('dynamodb:GetItem', TABLE),
    'pricing.GetProducts': ('pricing:GetProducts', '*'),
    'pricing.GetAttributeValues': ('pricing:GetAttributeValues', '*'),
}


class ContainerHost:
    """Hands out credentials as AWS CloudShell's does."""

    def __init__(self, token, answer=None):
        host = self
        self.asked = 0
        answer = answer or {'AccessKeyId': 'test', 'SecretAccessKey': 'test', 'Token': '', 'Expiration': '2099-01-01T00:00:00Z'}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                host.asked += 1
                right = self.headers.get('Authorization') == token
                content = json.dumps(answer if right else {'code': 'Denied'}).encode()
                self.send_response(200 if right else 403)
                self.send_header('Content-Length', str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@unittest.skipUnless(boto3, 'python3-boto3 is not installed')
class OnLocalaws(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.aws = EmbeddedAws(None, functions=())
        cls.addClassCleanup(cls.aws.close)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def setUp(self):
        self.aws.control('POST', 'reset', {})
        self.proxy = RecordingProxy(self.aws.url)
        self.addCleanup(self.proxy.close)
        self.empty = self.folder / 'empty'
        self.empty.mkdir(exist_ok=True)

    def client(self, service):
        client = boto3.client(service, endpoint_url=self.aws.url, region_name=REGION, aws_access_key_id='test',
                              aws_secret_access_key='test')
        self.addCleanup(client.close)
        return client

    def run_command(self, *arguments, stdin=None, **environment):
        return subprocess.run([BIN / 'trainwarden', *arguments], input=stdin, capture_output=True, text=True, timeout=120,
                              env=clean_environment(**environment))

    def ask(self, *arguments, **environment):
        """With credentials of the environment, and where by options."""
        return self.run_command(*arguments, '--endpoint-url', self.proxy.url, '--region', REGION, **TEST_KEYS, **environment)

    def aws_command(self, script):
        """A folder with a command aws of the test's own, which notes its arguments."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (folder / 'aws').write_text(f'#!/bin/sh\necho "$@" >> {folder}/asked\n{script}\n')
        (folder / 'aws').chmod(0o755)
        return folder

    def log(self, job, *lines):
        logs = self.client('logs')
        names = {'logGroupName': GROUP, 'logStreamName': f'{job}/algo-1-1'}
        try:
            logs.create_log_group(logGroupName=GROUP)
        except logs.exceptions.ResourceAlreadyExistsException:
            pass
        logs.create_log_stream(**names)
        now = int(time.time() * 1000)
        logs.put_log_events(**names, logEvents=[{'timestamp': now - 120_000 + n, 'message': line} for n, line in enumerate(lines)])


class Explain(OnLocalaws):
    def test_a_stopped_jobs_owner_is_told_in_one_command(self):
        self.aws.job('train-1', TrainingJobStatus='Stopped', SecondaryStatus='Stopped', age=7200, tags={
            'trainwarden:action': 'stop', 'trainwarden:rule': 'no-p5', 'trainwarden:reason': 'p5 is booked',
            'trainwarden:at': '2026-11-21T17:34:35Z'})
        ran = self.ask('explain', 'train-1')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for part in ('Trainwarden stopped it', 'no-p5', 'p5 is booked', '2026-11-21T17:34:35Z',
                     f'trainwarden restart train-1 --region {REGION} --endpoint-url {self.proxy.url} --dry-run\n'):
            self.assertIn(part, ran.stdout)
        self.assertNotIn('\x1b', ran.stdout)
        again = next(line.split() for line in ran.stdout.splitlines() if '--dry-run' in line)
        dry = self.run_command(*again[1:], **TEST_KEYS)  # what it names can be given
        self.assertIn('to be run again although its tags say that the rule no-p5 stopped it', dry.stderr)

    def test_a_job_made_with_boto3_is_decided_on_as_the_function_would(self):
        self.client('sagemaker').create_training_job(
            TrainingJobName='made', RoleArn=f'arn:aws:iam::{ACCOUNT}:role/T', AlgorithmSpecification={
                'TrainingImage': 'i', 'TrainingInputMode': 'File'}, OutputDataConfig={'S3OutputPath': 's3://models/out'},
            ResourceConfig={'InstanceType': 'ml.g5.12xlarge', 'InstanceCount': 1, 'VolumeSizeInGB': 1},
            StoppingCondition={'MaxRuntimeInSeconds': 3600}, CheckpointConfig={'S3Uri': 's3://models/checkpoints'})
        self.client('s3').create_bucket(Bucket='models', CreateBucketConfiguration={'LocationConstraint': REGION})
        ran = self.ask('explain', 'made', '--policy', json.dumps(POLICY), '--json')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        told = json.loads(ran.stdout)
        self.assertEqual([one['rule'] for one in told['decided']['decisions']], ['required-tags', 'no-checkpoint'])
        self.assertEqual(told['decided']['undecided'], [])
        self.assertEqual(self.client('sagemaker').describe_training_job(TrainingJobName='made')['TrainingJobStatus'], 'InProgress')

    def test_what_cannot_be_fetched_is_skipped_and_said(self):
        self.aws.job('train-1', {'model_name': 'x'})
        self.aws.control('POST', 'faults', {'operation': 'ListTags', 'times': 99, 'status': 400, 'code': 'AccessDeniedException'})
        ran = self.ask('explain', 'train-1', '--policy', json.dumps(POLICY))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('required-tags: skipped:', ran.stdout)

    def test_the_policy_may_lie_in_ssm_and_the_table_be_read(self):
        self.aws.job('train-1')
        self.client('ssm').put_parameter(Name='/trainwarden/policy', Value=json.dumps(POLICY), Type='String')
        ran = self.ask('explain', 'train-1', '--policy', 'ssm:/trainwarden/policy', TRAINWARDEN_TABLE=TABLE)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('required-tags: stop (enforce)', ran.stdout)
        self.assertIn('the state table', ran.stdout)

    def test_what_is_missing_is_named_for_what_it_is(self):
        self.aws.job('train-1')
        ran = self.ask('explain', 'train-1', '--policy', 'ssm:/nope')
        self.assertEqual(ran.returncode, 2)
        self.assertIn('ssm:/nope: there is no such parameter', ran.stderr)
        file = self.ask('explain', 'train-1', '--policy', '/no/such/file')
        self.assertEqual(file.returncode, 2)
        self.assertIn('explain: --policy: file `/no/such/file`', file.stderr)
        self.assertNotIn('usage:', file.stderr)
        self.assertIn('usage:', self.ask('explain', '--what').stderr)

    def test_without_aws_the_event_is_derived_from_the_description(self):
        self.aws.job('train-1')
        answer = self.client('sagemaker').describe_training_job(TrainingJobName='train-1')
        answer.pop('ResponseMetadata')
        ran = self.run_command('explain', '--policy', json.dumps(POLICY), '--job', json.dumps(answer, default=str), '--tags', '{}')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('required-tags: stop (enforce)', ran.stdout)
        self.assertEqual(self.proxy.calls, [])


class Diagnose(OnLocalaws):
    def test_a_job_by_the_end_of_its_log(self):
        self.aws.job('broken', TrainingJobStatus='Failed', SecondaryStatus='Failed', FailureReason='AlgorithmError: , exit code: 1',
                     TrainingEndTime=time.time() - 100, age=3600)
        self.log('broken', 'Traceback (most recent call last):', "ModuleNotFoundError: No module named 'flash_attn'")
        ran = self.ask('diagnose', 'broken', '--why')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        told = json.loads(ran.stdout)
        self.assertEqual((told['job'], told['resume']), ('broken', 'no'))
        self.assertIn('flash_attn', told['evidence'])
        self.assertTrue(told['why'])

    def test_lines_as_before(self):
        line = json.dumps({'failure_reason': 'InternalServerError: x'}) + '\n'
        lines = self.folder / 'failures.jsonl'
        lines.write_text(line)
        by_option = self.run_command('diagnose', '--file', str(lines))
        self.assertEqual(by_option.returncode, 0, by_option.stderr)
        self.assertEqual(self.run_command('diagnose', stdin=line).stdout, by_option.stdout)
        self.assertEqual(self.run_command('diagnose', str(lines)).stdout, by_option.stdout)


class Lineage(OnLocalaws):
    def test_a_seam_shows_whether_the_copy_resumed(self):
        own = {'AlgorithmSpecification': {'TrainingImage': 'i', 'TrainingInputMode': 'File',
                                          'MetricDefinitions': [{'Name': 'loss', 'Regex': 'loss=(.*)'}]}}
        now = time.time() // 60 * 60
        copy = 'run-r1-0a1b2c3d'
        self.aws.job('run', {'trainwarden:child': copy}, age=7200, TrainingJobStatus='Failed', SecondaryStatus='Failed',
                     TrainingEndTime=now - 3600, **own)
        self.aws.job(copy, {'trainwarden:root': 'run', 'trainwarden:parent': 'run', 'trainwarden:generation': '1'}, age=3000, **own)
        for job, ago, value in (('run', 4200, 3.5), ('run', 3660, 2.25), (copy, 2400, 2.375), (copy, 600, 1.0)):
            self.client('cloudwatch').put_metric_data(Namespace=GROUP, MetricData=[{
                'MetricName': 'loss', 'Dimensions': [{'Name': 'TrainingJobName', 'Value': job}], 'Timestamp': now - ago, 'Value': value}])
        ran = self.ask('lineage', 'run')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stdout, r'\n      loss: 2\.25 at \S+Z, then 2\.375 at \S+Z\n')


class Credentials(OnLocalaws):
    def setUp(self):
        super().setUp()
        self.aws.job('train-1')
        self.where = ('--endpoint-url', self.aws.url, '--region', REGION)

    def test_the_aws_command_is_asked_with_the_profile(self):
        folder = self.aws_command(f"echo '{PROCESS}'")
        ran = self.run_command('explain', 'train-1', '--profile', 'dev; id', *self.where, PATH=f'{folder}:/bin:/usr/bin')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual((folder / 'asked').read_text(), 'configure export-credentials --format process --profile dev; id\n')

    def test_the_profiles_region_is_asked_for_where_nothing_tells_it(self):
        folder = self.aws_command(f'case "$2" in get) echo {REGION};; *) echo \'{PROCESS}\';; esac')
        ran = self.run_command('explain', 'train-1', '--endpoint-url', self.aws.url, PATH=f'{folder}:/bin:/usr/bin')
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_none_are_said_in_words(self):
        ran = self.run_command('explain', 'train-1', *self.where, PATH=str(self.empty))
        self.assertEqual(ran.returncode, 2)
        for part in ('no AWS credentials. Looked for:\n', 'AWS_ACCESS_KEY_ID', 'not on PATH', 'What to do: ', '--profile NAME', 'CloudShell'):
            self.assertIn(part, ran.stderr)
        no_region = self.run_command('explain', 'train-1', '--endpoint-url', self.aws.url, PATH=str(self.empty), **TEST_KEYS)
        self.assertEqual(no_region.returncode, 2)
        self.assertIn('--region', no_region.stderr)

    def test_the_aws_commands_own_words_are_shown_and_no_secret(self):
        folder = self.aws_command("echo 'AKIAIOSFODNN7EXAMPLE'; echo 'The SSO session has expired, wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' >&2; exit 255")
        ran = self.run_command('explain', 'train-1', *self.where, PATH=f'{folder}:/bin:/usr/bin')
        self.assertEqual(ran.returncode, 2)
        self.assertIn('The SSO session has expired', ran.stderr)
        self.assertNotRegex(ran.stdout + ran.stderr, 'AKIAIOSF|wJalrXUt')

    def test_cloudshells_host_gives_them(self):
        host = ContainerHost('the-token')
        self.addCleanup(host.close)
        uri = {'AWS_CONTAINER_CREDENTIALS_FULL_URI': f'http://localhost:{host.port}/latest/meta-data/container/security-credentials'}
        ran = self.run_command('explain', 'train-1', *self.where, PATH=str(self.empty), AWS_CONTAINER_AUTHORIZATION_TOKEN='the-token', **uri)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        token = self.folder / 'token'
        token.write_text('the-token\n')
        ran = self.run_command('explain', 'train-1', *self.where, PATH=str(self.empty),
                               AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=str(token), **uri)
        self.assertEqual((ran.returncode, host.asked), (0, 2), ran.stderr)
        ran = self.run_command('explain', 'train-1', *self.where, PATH=str(self.empty), AWS_CONTAINER_AUTHORIZATION_TOKEN='wrong', **uri)
        self.assertEqual(ran.returncode, 2)
        self.assertIn('AWS_CONTAINER_CREDENTIALS_FULL_URI: the host of the container answered HTTP 403', ran.stderr)

    def test_those_that_are_over_are_fetched_anew(self):
        other = PROCESS.replace('"AccessKeyId": "test"', '"AccessKeyId": "OVER"')
        folder = self.aws_command(f"if [ -e {self.folder}/again ]; then echo '{PROCESS}'; else touch {self.folder}/again; echo '{other}'; fi")
        ran = self.run_command('explain', 'train-1', *self.where, PATH=f'{folder}:/bin:/usr/bin')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(len((folder / 'asked').read_text().splitlines()), 2)

    def test_every_command_that_asks_takes_the_options(self):
        folder = self.aws_command(f"echo '{PROCESS}'")
        self.aws.job('ended', TrainingJobStatus='Failed', SecondaryStatus='Failed', RoleArn=f'arn:aws:iam::{ACCOUNT}:role/T',
                     FailureReason='InternalServerError: x', TrainingEndTime=time.time() - 300, age=3600)
        for command in (('explain', 'ended'), ('diagnose', 'ended'), ('lineage', 'ended'), ('restart', 'ended', '--dry-run'), ('prices',),
                        ('export', '--for', json.dumps(POLICY), '--last', '1h')):
            with self.subTest(command=command):
                ran = self.run_command(*command, '--profile', 'dev', *self.where, PATH=f'{folder}:/bin:/usr/bin')
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn('--profile dev', (folder / 'asked').read_text())


class OnlyReads(OnLocalaws):
    """commands.md lists the rights: each call that is made has its own, and none is given without a call."""

    def everything(self):
        self.aws.job('train-1', {'model_name': 'x'}, age=7200, CheckpointConfig={'S3Uri': 's3://models/checkpoints'})
        self.aws.job('broken', TrainingJobStatus='Failed', SecondaryStatus='Failed', FailureReason='AlgorithmError: , exit code: 1',
                     TrainingEndTime=time.time() - 300)
        self.log('broken', 'CUDA error')
        own = {'AlgorithmSpecification': {'TrainingImage': 'i', 'TrainingInputMode': 'File', 'MetricDefinitions': [{'Name': 'loss', 'Regex': 'x'}]}}
        self.aws.job('line', TrainingJobStatus='Failed', SecondaryStatus='Failed', age=7200, **own)
        self.aws.job('line-r1-0a1b2c3d', {'trainwarden:root': 'line', 'trainwarden:parent': 'line'}, age=60, **own)
        self.client('ssm').put_parameter(Name='/trainwarden/policy', Value=json.dumps(POLICY), Type='String')

    def commands(self):
        return [('explain', 'train-1', '--policy', 'ssm:/trainwarden/policy'), ('explain', 'broken', '--policy', json.dumps(POLICY)),
                ('diagnose', 'broken'), ('lineage', 'line'), ('prices',), ('prices', 'nowhere')]

    def test_every_call_is_among_the_listed_rights_and_no_right_is_idle(self):
        self.everything()
        for command in self.commands():
            region = 'eu-nowhere-1' if command[-1] == 'nowhere' else REGION
            arguments = [word for word in command if word != 'nowhere']
            ran = self.run_command(*arguments, '--endpoint-url', self.proxy.url, '--region', region, TRAINWARDEN_TABLE=TABLE if region == REGION else '',
                                   **TEST_KEYS)
            self.assertEqual(ran.returncode, 2 if region != REGION else 0, (command, ran.stderr))
        made = self.proxy.operations()
        self.assertEqual(made - RIGHTS.keys(), set(), 'a call that nobody listed')
        role = {'Policies': [{'PolicyDocument': read_only_policy()}]}
        for operation in sorted(made):
            action, resource = RIGHTS[operation]
            self.assertTrue(iam.allowed(role, action, resource), f'commands.md gives no right for {operation}')
        granted = set(iam.granted_actions(role))
        self.assertEqual(granted, {RIGHTS[operation][0] for operation in made}, 'commands.md gives more than is used')
        for action in granted:
            self.assertRegex(action.split(':')[1], r'^(Describe|List|Search|Filter|Get)')
        record = self.folder / 'requests.jsonl'
        record.write_text(''.join(self.proxy.lines))
        verdict = judge_by_models(record, '--max-skew', '300')
        if verdict:
            self.assertEqual(verdict[0], 0, '\n'.join(verdict[1:]))

    def test_each_command_of_the_documents_is_one(self):
        commands = []
        for document, heading in ((COMMANDS_MD, '## Ask AWS'), (REPOSITORY / 'README.md', '## Backtest it'),
                                  (REPOSITORY / 'README.md', '## Why was my job stopped?')):
            text = document.read_text()
            section = text[text.index('\n' + heading + '\n') + 1:]
            section = section[:section.index('\n## ', 3)]
            here = [shlex.split(line, comments=True) for block in re.findall(r'^```sh\n(.*?)^```', section, flags=re.S | re.M)
                    for line in block.splitlines()]
            here = [command for command in here if command and command[0] == 'trainwarden']
            self.assertGreaterEqual(len(here), 1, heading)
            commands += here
        self.assertGreaterEqual(len(commands), 10)
        self.aws.job('my-job', TrainingJobStatus='Failed', SecondaryStatus='Failed', FailureReason='InternalServerError: x',
                     RoleArn=f'arn:aws:iam::{ACCOUNT}:role/T', TrainingEndTime=time.time() - 300)
        self.client('ssm').put_parameter(Name='/trainwarden/policy', Value=json.dumps(POLICY), Type='String')
        folder = self.aws_command(f"echo '{PROCESS}'")
        work = self.folder / 'work'
        work.mkdir(exist_ok=True)
        for name in ('my-policy.json', 'old-policy.json'):
            (work / name).write_text(json.dumps(POLICY))
        (work / 'describe.json').write_text(json.dumps({'TrainingJobName': 'my-job', 'TrainingJobStatus': 'InProgress', 'SecondaryStatus': 'Training'}))
        for command in commands:
            with self.subTest(command=command):
                if '>' in command:
                    command = command[:command.index('>')]
                command = ['2d' if word == '90d' else word for word in command]  # a Search a day
                ran = subprocess.run([BIN / 'trainwarden', *command[1:]], capture_output=True, text=True, timeout=120, cwd=work, env=clean_environment(
                    PATH=f'{folder}:/bin:/usr/bin', AWS_ENDPOINT_URL=self.aws.url, AWS_REGION=REGION))
                self.assertEqual(ran.returncode, 0, ran.stderr)


if __name__ == '__main__':
    unittest.main()
