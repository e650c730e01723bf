"""localaws and the built functions as child processes, for the end-to-end tests."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

try:
    import botocore
    import botocore.session
except ImportError:
    botocore = None

BIN = pathlib.Path(os.environ.get('TRAINWARDEN_BIN', 'build/release/bin')).resolve()
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SHARED = REPOSITORY.parent / 'shared'
REGION = 'eu-central-1'
ACCOUNT = '111122223333'
TABLE = f'arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/trainwarden-state'

REQUIRED_TAGS = {
    'version': 1, 'mode': 'enforce',
    'rules': [{'name': 'required-tags',
               'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'tags': {'model_name': [{'exists': False}]}},
               'actions': ['stop', 'notify'], 'message': 'Training jobs need the tag model_name.'}]}
NO_P5 = {
    'version': 1, 'mode': 'enforce',
    'rules': [{'name': 'no-p5', 'actions': ['stop'],
               'match': {'job': {'TrainingJobStatus': ['InProgress'],
                                 'ResourceConfig': {'InstanceType': ['ml.p5.48xlarge']}}}}]}


def clean_environment(**more):
    """The environment without what would reach the programs by accident; sanitizer options stay."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'TRAINWARDEN_', 'SSL_', '_X_AMZN'))}
    return {**kept, **more}


def built(program):
    """The program, which a clone that was not built lacks."""
    if not program.exists():
        sys.exit(f'{program}: expected a program that was built, found none: run `./dev build` first')
    return program


class EmbeddedAws:
    """localaws with the state and the alarm function; policy is a dict, or the text of a file."""

    def __init__(self, policy=None, *options, functions=('state', 'alarm'), **environment):
        self.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.folder.name)
        self.record = folder / 'requests.jsonl'
        command = [built(BIN / 'localaws'), 'serve', '--port', '0', '--region', REGION, '--account', ACCOUNT,
                   '--record', self.record, *options]
        for function in functions:
            command += [f'--{function}', BIN / function / 'bootstrap']
        if policy is not None:
            (folder / 'policy.json').write_text(policy if isinstance(policy, str) else json.dumps(policy))
            command += ['--policy', folder / 'policy.json']
        self.log_file = open(folder / 'log', 'a+')  # what is read moves no place where the programs write
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log_file, text=True,
                                        env=clean_environment(**environment))
        self.greeting = self.process.stdout.readline()
        self.url = re.search(r'http://127\.0\.0\.1:\d+', self.greeting)[0]

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)
        self.process.stdout.close()
        self.log_file.close()
        self.folder.cleanup()

    def log(self):
        """What the programs wrote, when they fall silent: the functions' lines come through a pipe, after the answer."""
        text = None
        for _ in range(20):
            self.log_file.seek(0)
            before, text = text, self.log_file.read()
            if text == before:
                break
            time.sleep(0.3)
        return text

    def control(self, method, path, body=None, seconds=60):
        """(status, JSON) of a control endpoint; body as bytes goes out as it is."""
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        request = urllib.request.Request(f'{self.url}/_localaws/{path}', data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def host(self, policy, function='state', **environment):
        """A function of the test's own, beside none of localaws'; its process, which the test ends."""
        process = subprocess.Popen([BIN / function / 'bootstrap'], stdout=self.log_file, env=clean_environment(**{
            'AWS_LAMBDA_RUNTIME_API': f'{self.url[7:]}/_localaws/runtime/{function}', 'AWS_REGION': REGION,
            'AWS_ACCESS_KEY_ID': 'test', 'AWS_SECRET_ACCESS_KEY': 'test', 'AWS_ENDPOINT_URL': self.url,
            'AWS_LAMBDA_LOG_FORMAT': 'JSON', 'TRAINWARDEN_TABLE': TABLE, 'TRAINWARDEN_POLICY': json.dumps(policy), **environment}))
        self.wait_for_function(function)
        return process

    def invoke(self, event, function='state'):
        return self.control('POST', f'invoke/{function}', event)

    def deliver(self, event, function='state'):
        """Queues the event as EventBridge does: it comes again, with the same id, where its invocation fails."""
        status, answer = self.control('POST', f'deliver/{function}', event)
        assert status == 200, answer

    def wait_until_idle(self, name='state', seconds=60):
        """Until nothing runs and nothing is to be tried again."""
        def idle():
            counts = self.function(name)
            return counts['queued'] == 0 and counts['delivered'] == counts['succeeded'] + counts['failed']
        self.wait(idle, seconds, f'the {name} function has nothing to do')

    def items(self):
        """The table's items as plain values, by id."""
        return {id: {name: plain(value) for name, value in item.items()} for id, item in self.control('GET', 'items')[1].items()}

    def item(self, job):
        """What is remembered of the job of that name; {} where nothing is."""
        found = [item for id, item in self.items().items() if id.startswith(f'job/{job}/')]
        assert len(found) <= 1, found
        return found[0] if found else {}

    def move_clock(self, seconds):
        """From now on the services' clock, which the functions go by, is ahead of that of the jobs."""
        self.control('POST', 'faults', {'operation': '*', 'caller': 'functions', 'times': 100_000, 'skew_s': seconds})

    def messages(self):
        """What was published."""
        return self.control('GET', 'messages')[1]

    def calls(self):
        """Names of the operations that the functions called, in order."""
        return [call['operation'] for call in self.control('GET', 'calls')[1]]

    def function(self, name='state'):
        return self.control('GET', 'health')[1]['functions'][name]

    def wait_for_function(self, name='state'):
        """Until a function that the test started itself has asked for an invocation."""
        self.wait(lambda: self.function(name)['state'] == 'ready', what=f'the {name} function is ready')

    def wait(self, condition, seconds=40, what=''):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if (found := condition()):
                return found
            time.sleep(0.1)
        raise AssertionError(f'not reached: {what}\n{self.log()}')

    @staticmethod
    def clear_of_the_minute(seconds=15):
        """Waits, if need be, so that no minute turns within these seconds. Alarms are evaluated at each full minute: what is
        put now lies in minutes that are over, and a state that was set by hand stays until the next."""
        left = 60 - time.time() % 60
        if left < seconds:
            time.sleep(left + 0.1)

    def job(self, name, tags=None, instance_type='ml.g5.12xlarge', age=60, **members):
        """Places a job that was created `age` seconds ago; returns the event that tells of it."""
        created = time.time() - age
        describe = {'TrainingJobName': name, 'TrainingJobStatus': 'InProgress', 'SecondaryStatus': 'Training',
                    'CreationTime': created, 'ResourceConfig': {'InstanceType': instance_type, 'InstanceCount': 1,
                                                                'VolumeSizeInGB': 10},
                    'StoppingCondition': {'MaxRuntimeInSeconds': 86400}, 'Tags': tags or {}, **members}
        status, answer = self.control('PUT', f'jobs/{name}', describe)
        assert status == 200, answer
        return state_event(name, created, answer['TrainingJobArn'])


def plain(value):
    """An attribute's value without DynamoDB's types."""
    (kind, content), = value.items()
    if kind == 'M':
        return {name: plain(one) for name, one in content.items()}
    if kind == 'L':
        return [plain(one) for one in content]
    return float(content) if kind == 'N' else None if kind == 'NULL' else content


def models_know_tables():
    """Older models of DynamoDB have neither an ARN as TableName nor the item in a refused PutItem."""
    model = botocore.session.get_session().get_service_model('dynamodb')
    return 'ReturnValuesOnConditionCheckFailure' in model.operation_model('PutItem').input_shape.members


JUDGED_SERVICES = ('sagemaker', 'cloudwatch', 'sns', 'logs', 'ssm', 'dynamodb', 'pricing', 'service-quotas')


def models_know_newest_first():
    """Models before June 2026 lack FilterLogEvents' startFromHead."""
    model = botocore.session.get_session().get_service_model('logs')
    return 'startFromHead' in model.operation_model('FilterLogEvents').input_shape.members


def judge_by_models(record, *options):
    """What the models' judge says of the requests in that file, (exit status, verdicts, summary); None where the judge is
    not there. What is said to S3 is left out, and to DynamoDB and Logs where the models are too old for it."""
    judge = SHARED / 'tools/check_requests.py'
    lines = record.read_text().splitlines()
    if not judge.exists():
        print(f'left out: {len(lines)} cases (requests judged by models) need ../shared/tools, which is not here', file=sys.stderr)
        return None
    # The judge knows no REST. What is said to S3 has the example of S3's documentation in tests/awsapi/sigv4_test.cc, and localaws verifies it.
    unknown = (' s3.',) if models_know_tables() else (' s3.', ' dynamodb.')
    judged = [line for line in lines if not any(service in json.loads(line)['label'] for service in unknown)]
    if not models_know_tables():
        print(f'left out: {len(lines) - len(judged)} cases (requests to DynamoDB judged by models) need a newer botocore than '
              f'{botocore.__version__}', file=sys.stderr)
    if not models_know_newest_first():
        known = [line for line in judged if 'startFromHead' not in line]
        print(f'left out: {len(judged) - len(known)} cases (FilterLogEvents with startFromHead) need a newer botocore than '
              f'{botocore.__version__}', file=sys.stderr)
        judged = known
    if len(judged) < len(lines):
        record = record.with_suffix('.judged')
        record.write_text(''.join(line + '\n' for line in judged))
    verdict = subprocess.run([sys.executable, judge, '--access-key', 'test', '--secret-key', 'test', '--region', REGION,
                              '--services', ','.join(JUDGED_SERVICES), *options, record], capture_output=True, text=True, env=clean_environment())
    return verdict.returncode, verdict.stdout, verdict.stderr


def state_event(name, created, arn=None, **detail):
    arn = arn or f'arn:aws:sagemaker:{REGION}:{ACCOUNT}:training-job/{name}'
    return {'version': '0', 'id': 'e-1', 'detail-type': 'SageMaker Training Job State Change',
            'source': 'aws.sagemaker', 'account': ACCOUNT, 'time': '2026-07-02T13:49:00Z', 'region': REGION,
            'resources': [arn],
            'detail': {'TrainingJobName': name, 'TrainingJobArn': arn, 'TrainingJobStatus': 'InProgress',
                       'SecondaryStatus': 'Training', 'CreationTime': int(created * 1000), **detail}}
