"""The functions and payloads of any shape: no payload takes more than 100 MB, no line of the log more than 256 KB, and of no
message that failed is it lost which one it was.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest payloads_test
"""
import json
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from embedded_aws import BIN, REGION, clean_environment

MOST_BYTES = 6 * 1024 * 1024  # of an invocation's payload
MOST_MEMORY = 100 * 1000 * 1000
MOST_LINE = 256 * 1000
ACCOUNT, TOPIC = '111122223333', f'arn:aws:sns:{REGION}:111122223333:trainwarden-alarms'
POLICY = {'version': 1, 'mode': 'observe', 'watches': {'w': {'metric': 'GPUUtilization', 'statistic': 'Maximum', 'period_seconds': 300,
                                                             'periods': 3, 'at_most': 1}},
          'rules': [{'name': 'r', 'match': {'alarm': {'watch': ['w'], 'state': ['ALARM']}}, 'actions': ['stop']}]}


class RuntimeApi(ThreadingHTTPServer):
    """Hands out one payload, and keeps what was answered. Says when the function asks for another."""

    def __init__(self, payload):
        super().__init__(('127.0.0.1', 0), Handler)
        self.payload, self.answer, self.done = payload, None, threading.Event()


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        if self.server.answer is not None:
            self.server.done.set()  # and it may wait until it is ended
            self.close_connection = True
            return time.sleep(2)
        self.send_response(200)
        for name, value in (('Lambda-Runtime-Aws-Request-Id', 'r-1'), ('Lambda-Runtime-Deadline-Ms', str(int(time.time() * 1000) + 60_000)),
                            ('Content-Length', str(len(self.server.payload)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.server.payload)

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        self.server.answer = (self.path.rsplit('/', 1)[1], body)
        self.send_response(202)
        self.send_header('Content-Length', '0')
        self.end_headers()

    def log_message(self, *_):
        pass


def fill(begin, unit, end, most=MOST_BYTES):
    return (begin + unit * ((most - len(begin) - len(end)) // len(unit))).rstrip(',') + end


def sns(name, message_id, **changes):
    alarm = {'AlarmName': name, 'AWSAccountId': ACCOUNT, 'NewStateValue': 'ALARM', 'OldStateValue': 'OK', 'Trigger': {'MetricName': 'm'},
             'AlarmArn': f'arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{name}', **changes}
    return json.dumps({'Sns': {'MessageId': message_id, 'TopicArn': TOPIC, 'Message': json.dumps(alarm)}})


def change(**members):
    return json.dumps({'id': 'e', 'detail-type': 'SageMaker Training Job State Change', 'source': 'aws.sagemaker', 'account': ACCOUNT,
                       'region': REGION, 'detail': {'TrainingJobName': 'j', 'TrainingJobStatus': 'Completed'}, **members})


LONG = 'x' * (MOST_BYTES - 1000)
PAYLOADS = {
    'objects': fill('[', '{},', ']'),
    'records': fill('{"Records":[', '{},', ']}'),
    'arrays in records': fill('{"Records":[', '[],', ']}'),
    'numbers': fill('{"Records":[', '1,', ']}'),
    'half a million numbers': '{"Records":[' + '1,' * 499_000 + '1]}',
    'half a million objects': '{"Records":[' + '{},' * 499_000 + '{}]}',
    'half a million records with a message': '{"Records":[' + '{"Sns":{"Message":"0"}},' * 83_000 + '{}]}',
    'reals': fill('[', '1e9,', ']'),
    'texts': fill('{"Records":[', '"",', ']}'),
    'members': '{' + ','.join(f'"{i:x}":0' for i in range(600_000)) + '}',
    'many members': '{' + ','.join(f'"{i:x}":0' for i in range(240_000)) + '}',
    'a deep one': '[' * (MOST_BYTES // 2) + ']' * (MOST_BYTES // 2),
    'escapes': '"' + '\\u0041' * (MOST_BYTES // 6 - 1) + '"',
    'a long text': '"' + LONG + '"',
    'a long name twice': '{"' + LONG[:MOST_BYTES // 2 - 50] + '":1,"' + LONG[:MOST_BYTES // 2 - 50] + '":2}',
    'a long id': change(id=LONG),
    'a long region': change(region=LONG),
    'a long job': change(detail={'TrainingJobName': LONG}),
    'a message of objects': json.dumps({'Records': [{'Sns': {'MessageId': 'm', 'TopicArn': TOPIC, 'Message': fill('[', '{},', ']', MOST_BYTES - 500)}}]}),
    'a message of long names': json.dumps({'Records': [{'Sns': {'MessageId': LONG[:2_000_000], 'TopicArn': TOPIC, 'Message': json.dumps(
        {'AlarmName': LONG[:1_500_000], 'AWSAccountId': ACCOUNT, 'NewStateValue': LONG[:1_000_000], 'AlarmArn': LONG[:1_000_000]})}}]}),
    'no JSON': LONG,
    'nothing': '',
}


@unittest.skipUnless((BIN / 'state' / 'bootstrap').exists(), f'{BIN} has no functions')
class Payloads(unittest.TestCase):
    def give(self, function, payload, **environment):
        """The answer's kind and body, the lines of the log, and the peak of the memory in bytes."""
        api = RuntimeApi(payload.encode())
        threading.Thread(target=api.serve_forever, daemon=True).start()
        self.addCleanup(api.server_close)
        self.addCleanup(api.shutdown)
        with tempfile.TemporaryFile('w+') as log:
            process = subprocess.Popen([BIN / function / 'bootstrap'], stdout=log, env=clean_environment(
                AWS_LAMBDA_RUNTIME_API=f'127.0.0.1:{api.server_port}', AWS_LAMBDA_LOG_FORMAT='JSON', AWS_REGION=REGION,
                AWS_ACCESS_KEY_ID='test', AWS_SECRET_ACCESS_KEY='test', AWS_MAX_ATTEMPTS='1', AWS_ENDPOINT_URL='http://127.0.0.1:1',
                TRAINWARDEN_ALARM_TOPIC=TOPIC, TRAINWARDEN_POLICY=json.dumps(POLICY), **environment))
            try:
                self.assertTrue(api.done.wait(120), 'the function has ended, or hangs')
                status = pathlib.Path(f'/proc/{process.pid}/status').read_text()
            finally:
                process.kill()
                process.wait()
            log.seek(0)
            lines = log.read().splitlines()
        peak = int(next(line for line in status.splitlines() if line.startswith('VmHWM')).split()[1]) * 1024
        for line in lines:
            self.assertLessEqual(len(line.encode()) + 1, MOST_LINE, line[:300])
            json.loads(line)
        return *api.answer, lines, peak

    def test_no_payload_takes_more_than_100_mb(self):
        peaks = {}
        for name, payload in PAYLOADS.items():
            for function in ('state', 'alarm'):
                with self.subTest(name, function=function):
                    self.assertLessEqual(len(payload), MOST_BYTES)
                    *_, lines, peak = self.give(function, payload)
                    peaks[name, function] = peak
                    self.assertLess(peak, MOST_MEMORY)
                    self.assertLess(sum(map(len, lines)), 2_000_000)
        worst = max(peaks, key=peaks.get)
        print(f'the most memory: {peaks[worst] / 1e6:.0f} MB, of the {worst[1]} function by "{worst[0]}"')

    def test_of_five_thousand_messages_each_that_failed_is_named(self):
        records = [sns(f'trainwarden/job-{i}/w', f'failed-{i}-') for i in range(5000)]
        records += [sns('HighCPU', f'foreign-{i}-') for i in range(2000)]
        payload = '{"Records":[' + ','.join(records) + ']}'
        self.assertLess(len(payload), MOST_BYTES)
        kind, _, lines, peak = self.give('alarm', payload)
        self.assertEqual(kind, 'error')
        self.assertLess(peak, MOST_MEMORY)
        messages, left_out = [], 0
        for line in map(json.loads, lines):
            messages += line.get('record', {}).get('messages', [])
            left_out += sum(line.get('record', {}).get('left_out', {}).values())
        self.assertEqual({m['message_id'] for m in messages if m['code'] == 'failed' or m.get('error')},
                         {f'failed-{i}-' for i in range(5000)})
        ignored = [m for m in messages if m['result'] == 'ignored']
        self.assertGreater(len(ignored), 0)
        self.assertEqual(len(ignored) + left_out, 2000)

    def test_an_ordinary_event_takes_little(self):
        for function, payload in (('state', change()), ('alarm', '{"Records":[' + sns('HighCPU', 'm') + ']}')):
            *_, peak = self.give(function, payload)
            print(f'an ordinary event of the {function} function: {peak / 1e6:.0f} MB')
            self.assertLess(peak, 30_000_000)


if __name__ == '__main__':
    unittest.main()
