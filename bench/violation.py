"""A cold violation: a fresh process takes one event of a running job without the tag that the policy asks for, over TLS.

The service is the embedded AWS (tests/localaws) with a certificate made for this run. A function describes the job, reads its
tags, tags and stops it; ours also reads and writes down what it remembers. Its roots are those of its package and this run's.
"""
import dataclasses
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.request

REGION, ACCOUNT = 'eu-central-1', '111122223333'
POLICY = {'version': 1, 'mode': 'enforce', 'rules': [{
    'name': 'required-tags', 'actions': ['stop'], 'message': 'Training jobs need the tag model_name.',
    'match': {'job': {'TrainingJobStatus': ['InProgress']}, 'tags': {'model_name': [{'exists': False}]}}}]}
ROUND_TRIP_MS = 10
# Before the first call there is one round trip for the connection and one for TLS 1.3.
FIRST = 2
PEER_CALLS = 4  # one after the other


@dataclasses.dataclass
class Violation:
    cpu_ms: float
    wall_ms: float
    peak_kb: int
    round_trips: int  # one after the other, with those of a connection and of TLS


def moment(call):
    begin = datetime.datetime.fromisoformat(call['at'].replace('Z', '+00:00')).timestamp() * 1000
    return begin, begin + call['took_ms']


def in_turn(calls):
    """How many of the calls had to wait for another: of those under way at the same time, one counts."""
    count, until = 0, 0.0
    for begin, end in sorted(map(moment, calls)):
        if begin + ROUND_TRIP_MS / 2 > until:
            count, until = count + 1, end
    return count


class Service:
    """The embedded AWS, and a way of some milliseconds to it."""

    def __init__(self, build, folder):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'TRAINWARDEN_', 'SSL_', 'NODE_', '_X_AMZN'))}
        self.process = subprocess.Popen([build / 'bin/localaws', 'serve', '--port', '0', '--region', REGION, '--account', ACCOUNT, '--tls'],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=kept)
        line = self.process.stdout.readline()
        port, self.control_port = re.findall(r'127\.0\.0\.1:(\d+)', line)
        root = re.search(r'root certificate ([^,)]+)', line)[1]
        self.road = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name('delay.py'), port, str(ROUND_TRIP_MS)],
                                     stdout=subprocess.PIPE, text=True)
        self.ports = {False: port, True: self.road.stdout.readline().strip()}
        self.policy = folder / 'violation.json'
        self.policy.write_text(json.dumps(POLICY))
        self.environment = {
            **kept, 'AWS_LAMBDA_RUNTIME_API': f'127.0.0.1:{self.control_port}/_localaws/runtime/state',
            'AWS_REGION': REGION, 'AWS_DEFAULT_REGION': REGION, 'AWS_ACCESS_KEY_ID': 'test', 'AWS_SECRET_ACCESS_KEY': 'test',
            'AWS_EC2_METADATA_DISABLED': 'true', 'AWS_LAMBDA_FUNCTION_NAME': 'trainwarden-state', '_HANDLER': 'handler.handler',
            'AWS_CA_BUNDLE': root, 'NODE_EXTRA_CA_CERTS': root, 'TRAINWARDEN_POLICY': f'file:{self.policy}',
            'TRAINWARDEN_TABLE': f'arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/trainwarden-state',
            'TRAINWARDEN_ALARM_TOPIC': f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'}
        self.jobs = 0

    def close(self):
        self.road.kill()
        self.road.wait()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)

    def control(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f'http://127.0.0.1:{self.control_port}/_localaws/{path}', data, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def place(self):
        """A running job without the tag; the event that tells of it."""
        self.jobs += 1
        name, created = f'job-{self.jobs}', time.time() - 120
        arn = self.control('PUT', f'jobs/{name}', {
            'TrainingJobName': name, 'TrainingJobStatus': 'InProgress', 'SecondaryStatus': 'Training', 'CreationTime': created,
            'TrainingStartTime': created + 30, 'StoppingCondition': {'MaxRuntimeInSeconds': 86400}, 'Tags': {'username': 'ana'},
            'ResourceConfig': {'InstanceType': 'ml.g5.12xlarge', 'InstanceCount': 1, 'VolumeSizeInGB': 10}})['TrainingJobArn']
        return name, {'version': '0', 'id': f'e-{self.jobs}', 'detail-type': 'SageMaker Training Job State Change', 'source': 'aws.sagemaker',
                      'account': ACCOUNT, 'time': '2026-07-02T13:49:00Z', 'region': REGION, 'resources': [arn],
                      'detail': {'TrainingJobName': name, 'TrainingJobArn': arn, 'TrainingJobStatus': 'InProgress',
                                 'SecondaryStatus': 'Training', 'CreationTime': int(created * 1000)}}

    def violation(self, program, far, log):
        """One cold violation; `far`: each round trip takes 10 ms more."""
        self.control('POST', 'reset', {})
        job, event = self.place()
        environment = {**self.environment, 'AWS_ENDPOINT_URL': f'https://localhost:{self.ports[far]}'}
        process = subprocess.Popen(program.command, env=environment, stdout=log, stderr=log)
        try:
            for _ in range(5000):
                if self.control('GET', 'health')['functions']['state']['state'] == 'ready':
                    break
                time.sleep(0.002)
            else:
                raise RuntimeError(f'{program.name} does not ask for an event; its output: {log.name}')
            begin = time.monotonic()
            answer = self.control('POST', 'invoke/state', event)
            wall = (time.monotonic() - begin) * 1000
            peak = int(re.search(r'VmHWM:\s+(\d+)', pathlib.Path(f'/proc/{process.pid}/status').read_text())[1])
        finally:
            process.kill()
            used = os.wait4(process.pid, 0)[2]
            process.returncode = -signal.SIGKILL
        if 'stopped' not in json.dumps(answer['decisions']):
            raise RuntimeError(f'{program.name} has not stopped the job: {answer}')
        calls = in_turn(answer['calls']) if 'calls' in answer else PEER_CALLS
        return Violation((used.ru_utime + used.ru_stime) * 1000, wall, peak, FIRST + calls)
