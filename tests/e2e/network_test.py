"""What can go wrong between the functions and AWS, made honestly: real sockets that refuse, stay silent, lie or break
off. Each case shows the message that a user finds, and that the function lives on.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest network_test
"""
import json
import os
import socket
import subprocess
import threading
import time
import unittest

from embedded_aws import BIN, NO_P5, REGION, REQUIRED_TAGS, EmbeddedAws, clean_environment, state_event


class RawServer:
    """Answers every request with the same raw bytes; None: takes the connection and stays silent."""

    def __init__(self, answer):
        self.answer = answer
        self.listener = socket.create_server(('127.0.0.1', 0), backlog=16)
        self.port = self.listener.getsockname()[1]
        self.connections = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        try:
            while self.answer is not None and self.read(connection):
                connection.sendall(self.answer)
                if b'Connection: close' in self.answer:
                    connection.close()
        except OSError:
            pass

    @staticmethod
    def read(connection):
        data = b''
        while b'\r\n\r\n' not in data:
            chunk = connection.recv(65536)
            if not chunk:
                return False
            data += chunk
        return True

    def close(self):
        self.listener.close()
        for connection in self.connections:
            connection.close()


def http(body, status=200, length=None, extra=''):
    return (f'HTTP/1.1 {status} X\r\nContent-Type: application/x-amz-json-1.1\r\n{extra}'
            f'Content-Length: {len(body) if length is None else length}\r\n\r\n').encode() + body


class Network(unittest.TestCase):
    """One embedded AWS as the Runtime API; the function's AWS is what each case names."""

    @classmethod
    def setUpClass(cls):
        cls.runtime = EmbeddedAws(functions=())

    @classmethod
    def tearDownClass(cls):
        cls.runtime.close()

    def failure(self, url, redelivered=True, **environment):
        """The function's error for an event that needs Describe, and the seconds that it took; then whether it lives."""
        function = subprocess.Popen(
            [BIN / 'state' / 'bootstrap'], stdout=subprocess.PIPE, text=True,
            env=clean_environment(**{'AWS_LAMBDA_RUNTIME_API': self.runtime.url[7:] + '/_localaws/runtime/state',
                                     'AWS_REGION': REGION, 'AWS_ACCESS_KEY_ID': 'test', 'AWS_SECRET_ACCESS_KEY': 'hunter2',
                                     'AWS_MAX_ATTEMPTS': '1', 'AWS_ENDPOINT_URL': url,
                                     'TRAINWARDEN_POLICY': json.dumps(NO_P5), **environment}))
        try:
            self.runtime.wait_for_function()
            began = time.monotonic()
            status, error = self.runtime.invoke(state_event('job', time.time() - 60))
            took = time.monotonic() - began
            if redelivered:
                self.assertEqual((status, error['errorType']), (502, 'Function.Unavailable'), error)
                message = error['errorMessage']
            else:
                self.assertEqual((status, error['skipped'][0]['comes_again']), (200, False), error)
                message = error['skipped'][0]['error']
            self.assertIsNone(function.poll(), 'the function has ended')
            alive = self.runtime.invoke(state_event('job', time.time(), TrainingJobStatus='Completed'))
            self.assertEqual(alive[0], 200)
        finally:
            function.kill()
            log = function.communicate()[0]
        if redelivered:
            self.assertIn('"level"' if environment.get('AWS_LAMBDA_LOG_FORMAT') == 'JSON' else 'ERROR', log)
        self.assertNotIn('hunter2', log + json.dumps(error))
        return message, took

    def served(self, answer, redelivered=True, **environment):
        server = RawServer(answer)
        self.addCleanup(server.close)
        return self.failure(f'http://127.0.0.1:{server.port}', redelivered, **environment)

    def test_no_network(self):
        message, _ = self.failure('http://127.0.0.1:1')
        self.assertIn('http://127.0.0.1:1: Failed to connect', message)

    def test_a_name_that_does_not_resolve(self):
        message, _ = self.failure('http://aws.invalid:4566')
        self.assertIn('Could not resolve host', message)
        self.assertIn('aws.invalid', message)

    def test_a_connect_that_nobody_answers_ends_in_seconds(self):
        # A full backlog: the kernel drops further handshakes.
        listener = socket.socket()
        listener.bind(('127.0.0.1', 0))
        listener.listen(0)
        self.addCleanup(listener.close)
        fillers = []
        for _ in range(8):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
            fillers.append(filler)
            self.addCleanup(filler.close)
        time.sleep(0.2)
        message, took = self.failure('http://127.0.0.1:%d' % listener.getsockname()[1])
        self.assertRegex(message, 'timed? ?out|Timeout')
        self.assertLess(took, 10)

    def test_a_tls_handshake_that_stalls_ends_in_seconds(self):
        server = RawServer(None)
        self.addCleanup(server.close)
        message, took = self.failure(f'https://127.0.0.1:{server.port}')
        self.assertRegex(message, 'timed? ?out|timeout')
        self.assertLess(took, 10)

    def test_an_answer_that_is_no_tls(self):
        server = RawServer(b'SSH-2.0-OpenSSH_9.2\r\n')
        server.read = lambda connection: len(connection.recv(1)) == 1  # a ClientHello has no line ends to wait for
        self.addCleanup(server.close)
        message, _ = self.failure(f'https://127.0.0.1:{server.port}')
        self.assertRegex(message, 'SSL|TLS')

    def test_truncated_json(self):
        message, _ = self.served(http(b'{"TrainingJobName":"job"'))
        self.assertIn('DescribeTrainingJob: expected a JSON answer', message)

    def test_a_body_that_breaks_off(self):
        message, _ = self.served(http(b'{"Train', length=500, extra='Connection: close\r\n'))
        self.assertIn('DescribeTrainingJob', message)

    def test_an_html_error_page(self):
        message, _ = self.served(http(b'<html><body>Bad gateway hunter3</body></html>', 502))
        self.assertIn('HTTP 502', message)
        self.assertNotIn('hunter3', message)

    def test_an_answer_of_a_hundred_megabytes(self):
        """F1: it would be as large the next time, so nothing comes again for it."""
        message, _ = self.served(http(b'"' + b'x' * 100_000_000 + b'"'), redelivered=False)
        self.assertIn('expected an answer of at most 16777216 bytes', message)

    def test_an_empty_answer(self):
        message, _ = self.served(http(b''))
        self.assertIn('`DescribeTrainingJob.TrainingJobStatus` is missing', message)

    def test_something_that_is_not_http(self):
        message, _ = self.served(b'SSH-2.0-OpenSSH_9.2\r\n' + b'Connection: close')
        self.assertIn('DescribeTrainingJob', message)

    def test_throttled_to_the_end(self):
        message, took = self.served(http(b'{"__type":"ThrottlingException","message":"Rate exceeded"}', 400),
                                    AWS_MAX_ATTEMPTS='3')
        self.assertIn('ThrottlingException: Rate exceeded', message)
        self.assertIn('after 3 attempts', message)
        self.assertLess(took, 10)

    def test_json_logs_say_it_too(self):
        self.failure('http://127.0.0.1:1', AWS_LAMBDA_LOG_FORMAT='JSON')


class OnEmbeddedAws(unittest.TestCase):
    def serve(self, *arguments, **environment):
        aws = EmbeddedAws(*arguments, **environment)
        self.addCleanup(aws.close)
        return aws

    def test_a_skewed_clock_is_corrected(self):
        aws = self.serve(NO_P5)
        event = aws.job('big', instance_type='ml.p5.48xlarge')
        aws.control('POST', 'faults', {'caller': 'functions', 'times': 4, 'skew_s': 1800})
        status, record = aws.invoke(event)
        self.assertEqual(status, 200, record)
        self.assertEqual(record['decisions'][0]['actions'][0]['code'], 'stopped')

    def test_a_deadline_in_the_middle_of_a_retry(self):
        aws = self.serve(NO_P5, '--timeout', '3')
        event = aws.job('big', instance_type='ml.p5.48xlarge')
        aws.control('POST', 'faults', {'operation': 'DescribeTrainingJob', 'times': 9, 'status': 500, 'delay_ms': 1200,
                                       'caller': 'functions'})
        status, error = aws.invoke(event)
        self.assertEqual((status, error['errorType']), (502, 'Function.Unavailable'))
        self.assertEqual(aws.function()['restarts'], 0)  # it answered before Lambda's own time-out

    def test_an_absent_tag_is_not_waited_for_past_the_deadline(self):
        aws = self.serve(REQUIRED_TAGS, '--timeout', '5')
        status, error = aws.invoke(aws.job('young', age=1))
        self.assertEqual((status, error['errorType']), (502, 'Function.Deadline'))
        self.assertNotIn('StopTrainingJob', aws.calls())

    def test_temporary_credentials_are_used_with_their_token(self):
        aws = self.serve(NO_P5, AWS_ACCESS_KEY_ID='ASIAEXAMPLE', AWS_SECRET_ACCESS_KEY='secret', AWS_SESSION_TOKEN='token/+=')
        event = aws.job('big', instance_type='ml.p5.48xlarge')
        self.assertEqual(aws.invoke(event)[1]['decisions'][0]['actions'][0]['code'], 'stopped')
        requests = [json.loads(line) for line in aws.record.read_text().splitlines()]
        for request in requests:
            self.assertEqual(dict(request['headers'])['X-Amz-Security-Token'], 'token/+=')


if __name__ == '__main__':
    unittest.main()
