"""The runtime against a Runtime API that does everything the real one may do, on a real socket.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest contract_test
"""
import json
import os
import pathlib
import socket
import subprocess
import threading
import time
import unittest

CONTRACT = pathlib.Path(os.environ.get('TRAINWARDEN_BIN', 'build/release/bin')).resolve() / 'tests' / 'contract'


def reply(status, body=b'', **headers):
    lines = [f'HTTP/1.1 {status} X', f'Content-Length: {len(body)}']
    lines += [f'{name.replace("_", "-")}: {value}' for name, value in headers.items()]
    return '\r\n'.join(lines).encode() + b'\r\n\r\n' + body


def invocation(body, request_id='r-1', **headers):
    return reply(200, body, Lambda_Runtime_Aws_Request_Id=request_id,
                 Lambda_Runtime_Deadline_Ms=int(time.time() * 1000) + 60_000, **headers)


ACCEPTED = reply(202, b'{"status":"OK"}', Content_Type='application/json')
RESET = object()      # close at once, without an answer
HANG_UP = object()    # close the kept connection while the function believes in it


class RuntimeApi:
    """Plays a script of answers, whatever connection the requests come on; keeps the requests."""

    def __init__(self, script):
        self.script, self.requests = list(script), []
        self.listener = socket.create_server(('127.0.0.1', 0), backlog=16)
        self.address = '127.0.0.1:%d' % self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while self.script:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                while self.script:
                    if self.script[0] is HANG_UP:
                        self.script.pop(0)
                        break
                    request = self.read(connection)
                    if request is None:
                        break
                    self.requests.append(request)
                    answer = self.script.pop(0)
                    if answer is RESET:
                        break
                    connection.sendall(answer)
        self.listener.close()  # from now on: connection refused

    @staticmethod
    def read(connection):
        data = b''
        while b'\r\n\r\n' not in data:
            chunk = connection.recv(1 << 16)
            if not chunk:
                return None
            data += chunk
        head, body = data.split(b'\r\n\r\n', 1)
        lines = head.decode().split('\r\n')
        headers = {k.lower(): v.strip() for k, v in (line.split(':', 1) for line in lines[1:])}
        while len(body) < int(headers.get('content-length', 0)):
            body += connection.recv(1 << 16)
        method, target, _ = lines[0].split(' ')
        return method, target.removeprefix('/2018-06-01/runtime/'), headers, body


class Contract:
    """What holds over every transport (the classes below)."""

    def play(self, *script, **environment):
        """Runs the function until the script is over and the API gone; (requests, exit status, log)."""
        api = RuntimeApi(script)
        kept = {k: v for k, v in os.environ.items() if not k.startswith('AWS_')}
        ended = subprocess.run([CONTRACT, self.TRANSPORT], capture_output=True, text=True, timeout=60,
                               env={**kept, 'AWS_LAMBDA_RUNTIME_API': api.address, **environment})
        self.assertEqual(api.script, [], 'the script was not played to its end')
        return api.requests, ended.returncode, ended.stdout

    def test_one_invocation_after_the_other(self):
        requests, status, _ = self.play(invocation(b'abc'), ACCEPTED, invocation(b'', 'r-2'), ACCEPTED)
        self.assertEqual([(m, t, b) for m, t, _, b in requests],
                         [('GET', 'invocation/next', b''), ('POST', 'invocation/r-1/response', b'3'),
                          ('GET', 'invocation/next', b''), ('POST', 'invocation/r-2/response', b'0')])
        self.assertEqual(requests[1][2]['content-type'], 'application/json')
        self.assertNotEqual(status, 0)

    def test_every_header_there_or_missing(self):
        whole = invocation(b'{"do":"context"}', Lambda_Runtime_Invoked_Function_Arn='arn:f', Lambda_Runtime_Trace_Id='Root=1',
                           Lambda_Runtime_Client_Context='{}', Lambda_Runtime_Cognito_Identity='who',
                           Lambda_Runtime_Aws_Tenant_Id='t', Content_Type='application/json')
        bare = reply(200, b'{"do":"context"}', lambda_runtime_aws_request_id='r-2')
        requests, _, _ = self.play(whole, ACCEPTED, bare, ACCEPTED)
        self.assertEqual(json.loads(requests[1][3]), {
            'request_id': 'r-1', 'function_arn': 'arn:f', 'trace_id': 'Root=1', 'client_context': '{}',
            'cognito_identity': 'who', 'tenant_id': 't', 'has_deadline': True})
        self.assertEqual(json.loads(requests[3][3]), {
            'request_id': 'r-2', 'function_arn': '', 'trace_id': '', 'client_context': '', 'cognito_identity': '',
            'tenant_id': '', 'has_deadline': False})

    def test_a_chunked_body_without_a_length(self):
        chunked = (b'HTTP/1.1 200 OK\r\nLambda-Runtime-Aws-Request-Id: r-1\r\nTransfer-Encoding: chunked\r\n\r\n'
                   b'3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n')
        requests, _, _ = self.play(chunked, ACCEPTED)
        self.assertEqual(requests[1][3], b'7')

    def test_six_megabytes_in_and_out(self):
        size = 6 * 1024 * 1024
        requests, _, _ = self.play(invocation(b'x' * size), ACCEPTED,
                                   invocation(b'{"do":"size","bytes":%d}' % size, 'r-2'), ACCEPTED)
        self.assertEqual(requests[1][3], b'%d' % size)
        self.assertEqual(len(requests[3][3]), size)
        self.assertNotIn('expect', requests[3][2])

    def test_errors_and_exceptions_are_reported_and_survived(self):
        requests, _, log = self.play(invocation(b'{"do":"fail"}'), ACCEPTED, invocation(b'{"do":"throw"}', 'r-2'), ACCEPTED,
                                     invocation(b'ok', 'r-3'), ACCEPTED, AWS_LAMBDA_LOG_FORMAT='JSON')
        for index, request_id, kind, message in ((1, 'r-1', 'Function.InvalidInput', 'told to fail: größe'),
                                                 (3, 'r-2', 'Function.Internal', 'the handler threw: told to throw')):
            method, target, headers, body = requests[index]
            self.assertEqual((method, target), ('POST', f'invocation/{request_id}/error'))
            self.assertEqual(json.loads(body), {'errorMessage': message, 'errorType': kind, 'stackTrace': []})
            self.assertEqual(headers['lambda-runtime-function-error-type'], kind)
            cause = json.loads(headers['lambda-runtime-function-xray-error-cause'].encode('latin-1').decode()
                               if message.isascii() else headers['lambda-runtime-function-xray-error-cause'])
            self.assertEqual(cause['exceptions'][0]['type'], kind)
        self.assertEqual(requests[5][:2], ('POST', 'invocation/r-3/response'))
        lines = [json.loads(line) for line in log.splitlines()]
        self.assertEqual({line['requestId'] for line in lines if line['level'] == 'ERROR'}, {'r-1', 'r-2'})

    def test_a_refused_answer_is_survived_without_a_second_post(self):
        for refusal in (413, 403, 400):
            with self.subTest(refusal):
                requests, _, log = self.play(invocation(b'a'), reply(refusal, b'{}'), invocation(b'b', 'r-2'), ACCEPTED)
                self.assertEqual([t for _, t, _, _ in requests],
                                 ['invocation/next', 'invocation/r-1/response', 'invocation/next', 'invocation/r-2/response'])
                self.assertIn('ERROR', log)

    def test_the_invocation_id_is_echoed_where_next_had_one(self):
        """Else Lambda could take the answer of a delivery that timed out for that of the next one with the same request id."""
        for body, kind in ((b'a', 'response'), (b'{"do":"fail"}', 'error')):
            with self.subTest(kind):
                requests, _, _ = self.play(invocation(body, Lambda_Runtime_Invocation_Id='i-1'), ACCEPTED,
                                           reply(200, body, lambda_runtime_aws_request_id='r-1', lambda_runtime_invocation_id='i-2'),
                                           ACCEPTED, invocation(body), ACCEPTED)
                self.assertEqual([t for _, t, _, _ in requests], ['invocation/next', f'invocation/r-1/{kind}'] * 3)
                self.assertEqual([h.get('lambda-runtime-invocation-id') for _, _, h, _ in requests], [None, 'i-1', None, 'i-2', None, None])

    def test_an_answer_that_comes_too_late_is_logged_and_the_next_delivery_is_taken(self):
        for body in (b'a', b'{"do":"fail"}'):
            with self.subTest(body):
                late = reply(410, b'{"errorMessage":"","errorType":"ErrorRuntimeInvokeTimeout"}')
                requests, _, log = self.play(invocation(body, Lambda_Runtime_Invocation_Id='i-1'), late, invocation(b'b'), ACCEPTED)
                self.assertEqual(requests[3][1:], ('invocation/r-1/response', requests[3][2], b'1'))
                self.assertIn('too late', log)

    def test_a_server_error_on_next_is_fatal_at_once(self):
        for code in (500, 503):
            requests, status, log = self.play(reply(code))
            self.assertEqual(len(requests), 1)
            self.assertNotEqual(status, 0)
            self.assertIn(str(code), log)

    def test_a_server_error_on_an_answer_is_fatal(self):
        requests, status, _ = self.play(invocation(b'a'), reply(500))
        self.assertEqual(len(requests), 2)
        self.assertNotEqual(status, 0)

    def test_a_reset_connection_is_tried_again(self):
        requests, _, _ = self.play(RESET, invocation(b'a'), ACCEPTED)
        self.assertEqual([t for _, t, _, _ in requests], ['invocation/next', 'invocation/next', 'invocation/r-1/response'])

    def test_a_redelivered_invocation_is_answered_again(self):
#The connection breaks after the invocation went out; `next` delivers it once more.
        requests, _, _ = self.play(invocation(b'a'), RESET, ACCEPTED, invocation(b'a'), ACCEPTED)
        self.assertEqual([t for _, t, _, _ in requests].count('invocation/r-1/response'), 3)

    def test_a_freeze_that_kills_kept_connections_is_no_error(self):
        requests, _, log = self.play(invocation(b'a'), ACCEPTED, HANG_UP, invocation(b'b', 'r-2'), ACCEPTED)
        self.assertEqual(requests[-1][:2], ('POST', 'invocation/r-2/response'))
        self.assertEqual([line for line in log.splitlines() if 'FATAL' not in line], [])

    def test_a_refused_connection_ends_the_process_after_a_few_tries(self):
        began = time.monotonic()
        _, status, log = self.play()
        self.assertNotEqual(status, 0)
        self.assertIn('failed to connect', log.lower())
        self.assertLess(time.monotonic() - began, 10)

    def test_an_invocation_without_a_request_id_ends_the_process(self):
        requests, status, log = self.play(reply(200, b'a'))
        self.assertEqual(len(requests), 1)
        self.assertNotEqual(status, 0)
        self.assertIn('Lambda-Runtime-Aws-Request-Id', log)

    def test_payloads_are_never_logged(self):
        _, _, log = self.play(invocation(b'{"do":"fail","password":"hunter2"}'), ACCEPTED, AWS_LAMBDA_LOG_LEVEL='TRACE')
        self.assertNotIn('hunter2', log)

    def test_proxies_are_not_asked(self):
        requests, _, _ = self.play(invocation(b'a'), ACCEPTED, http_proxy='http://127.0.0.1:1', HTTP_PROXY='http://127.0.0.1:1',
                                   ALL_PROXY='http://127.0.0.1:1')
        self.assertEqual(len(requests), 2)

    def test_an_interim_answer_is_passed_over(self):
        hints = b'HTTP/1.1 103 Early Hints\r\nLambda-Runtime-Aws-Request-Id: r-0\r\n\r\n'
        requests, _, _ = self.play(hints + invocation(b'a'), b'HTTP/1.1 100 Continue\r\n\r\n' + ACCEPTED)
        self.assertEqual([t for _, t, _, _ in requests], ['invocation/next', 'invocation/r-1/response'])

    def test_a_server_that_closes_after_each_answer(self):
        requests, _, log = self.play(invocation(b'a', Connection='close'), HANG_UP, reply(202, Connection='close'), HANG_UP,
                                     invocation(b'b', 'r-2', Connection='close'), HANG_UP, ACCEPTED)
        self.assertEqual([t for _, t, _, _ in requests],
                         ['invocation/next', 'invocation/r-1/response', 'invocation/next', 'invocation/r-2/response'])
        self.assertEqual([line for line in log.splitlines() if 'FATAL' not in line], [])

    def test_an_invocation_that_is_cut_short_is_asked_for_again(self):
        requests, _, _ = self.play(invocation(b'abc')[:-1], HANG_UP, invocation(b'abc'), ACCEPTED)
        self.assertEqual([(t, b) for _, t, _, b in requests],
                         [('invocation/next', b''), ('invocation/next', b''), ('invocation/r-1/response', b'3')])

    def test_who_asks_is_told(self):
        requests, _, _ = self.play(invocation(b'a'), ACCEPTED)
        for _, _, headers, _ in requests:
            self.assertEqual(headers['user-agent'], 'contract/1')
            self.assertRegex(headers['host'], r'^127\.0\.0\.1:\d+$')


@unittest.skipUnless(CONTRACT.exists(), f'{CONTRACT} is not built')
class OverCurl(Contract, unittest.TestCase):
    TRANSPORT = 'curl'


@unittest.skipUnless(CONTRACT.exists(), f'{CONTRACT} is not built')
class OverAPlainSocket(Contract, unittest.TestCase):
    TRANSPORT = 'plain'

    def test_an_answer_of_two_meanings_ends_the_process(self):
        two = invocation(b'0\r\n\r\n', Transfer_Encoding='chunked')
        requests, status, log = self.play(two)
        self.assertEqual(len(requests), 1)
        self.assertNotEqual(status, 0)
        self.assertIn('expected one Content-Length or Transfer-Encoding', log)

    def test_it_sleeps_while_it_waits_for_the_next_invocation(self):
        api = socket.create_server(('127.0.0.1', 0))
        function = subprocess.Popen([CONTRACT, self.TRANSPORT], stdout=subprocess.DEVNULL,
                                    env={'AWS_LAMBDA_RUNTIME_API': '127.0.0.1:%d' % api.getsockname()[1]})
        with api, function:
            connection, _ = api.accept()
            connection.recv(1 << 16)
            status = pathlib.Path(f'/proc/{function.pid}/status')
            woken = lambda: [line for line in status.read_text().splitlines() if 'ctxt_switches' in line]
            time.sleep(0.3)
            before = woken()
            time.sleep(2.5)
            self.assertEqual(woken(), before)
            function.kill()


if __name__ == '__main__':
    unittest.main()
