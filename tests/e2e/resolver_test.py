"""Names and DNS servers that lose questions: what curl's time-outs do not bound. In a network of its own, where port 53 of the loopback
is free, with a resolv.conf of its own.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest resolver_test
"""
import fcntl
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from embedded_aws import BIN, clean_environment

NAME = 'http://aws.example:4566'
KEYS = {'AWS_ACCESS_KEY_ID': 'test', 'AWS_SECRET_ACCESS_KEY': 'test', 'AWS_MAX_ATTEMPTS': '1'}


def namespaces():
    try:
        return subprocess.run(['unshare', '-rnm', 'true'], capture_output=True).returncode == 0
    except OSError:
        return False


def dns(kind):
    """Answers questions for A with 127.0.0.1. kind: silent, no-aaaa (those are never answered), loses-one (the first of each kind)."""
    server, seen = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), set()
    server.bind(('127.0.0.1', 53))
    while True:
        question, peer = server.recvfrom(512)
        wanted, = struct.unpack('!H', question[question.index(b'\0', 12) + 1:][:2])
        if kind == 'silent' or (kind == 'no-aaaa' and wanted == 28) or (kind == 'loses-one' and wanted not in seen):
            seen.add(wanted)
            continue
        end = question.index(b'\0', 12) + 5
        answer = b'\xc0\x0c' + struct.pack('!HHIH', 1, 1, 60, 4) + bytes((127, 0, 0, 1)) if wanted == 1 else b''
        server.sendto(question[:2] + b'\x81\x80' + struct.pack('!HHHH', 1, 1 if answer else 0, 0, 0) + question[12:end] + answer, peer)


class Aws(BaseHTTPRequestHandler):
    """An AWS that knows nothing, and the Runtime API that delivers one event and tells how long the answer took."""
    protocol_version, began, answered = 'HTTP/1.1', 0, threading.Event()

    def reply(self, status, body, **headers):
        self.send_response(status)
        for name, value in {'Content-Length': str(len(body)), **headers}.items():
            self.send_header(name.replace('_', '-'), value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        if '/runtime/' in self.path:
            Aws.answered.set()
            return self.reply(202, b'')
        self.reply(400, b'{"__type":"ValidationException","message":"Requested resource not found."}')

    def do_GET(self):
        if Aws.began:
            time.sleep(60)
        Aws.began = time.monotonic()
        event = {'id': 'e', 'detail-type': 'SageMaker Training Job State Change', 'source': 'aws.sagemaker', 'account': '111122223333',
                 'region': 'us-east-1', 'detail': {'TrainingJobName': 'j', 'TrainingJobStatus': 'InProgress'}}
        self.reply(200, json.dumps(event).encode(), Lambda_Runtime_Aws_Request_Id='r', Lambda_Runtime_Deadline_Ms=str(int(time.time() * 1000) + 90_000))

    def log_message(self, *_):
        pass


def inside(kind, program):
    """In the namespaces: prints the seconds that it took, and what was said."""
    up = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    fcntl.ioctl(up, 0x8914, struct.pack('16sh', b'lo', 0x1 | 0x40))  # SIOCSIFFLAGS, IFF_UP | IFF_RUNNING
    with tempfile.NamedTemporaryFile('w') as configuration:
        configuration.write('nameserver 127.0.0.1\n')
        configuration.flush()
        subprocess.run(['mount', '--bind', configuration.name, os.path.realpath('/etc/resolv.conf')], check=True)
        threading.Thread(target=dns, args=(kind,), daemon=True).start()
        server = HTTPServer(('127.0.0.1', 4566), Aws)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        runtime = HTTPServer(('127.0.0.1', 9001), Aws)
        threading.Thread(target=runtime.serve_forever, daemon=True).start()
        environment = clean_environment(**KEYS)
        if program == 'command':
            began = time.monotonic()
            ran = subprocess.run([BIN / 'trainwarden', 'lineage', 'j', '--region', 'us-east-1', '--endpoint-url', NAME],
                                 capture_output=True, text=True, env=environment, timeout=120)
            print(json.dumps([time.monotonic() - began, ran.stderr]))
            return
        policy = {'version': 1, 'rules': [{'name': 'r', 'match': {'job': {'RoleArn': ['x']}}, 'actions': ['stop']}]}
        function = subprocess.Popen([BIN / 'state/bootstrap'], stdout=subprocess.PIPE, text=True, env={
            **environment, 'AWS_LAMBDA_RUNTIME_API': '127.0.0.1:9001', 'AWS_REGION': 'us-east-1', 'AWS_ENDPOINT_URL': NAME,
            'TRAINWARDEN_POLICY': json.dumps(policy)})
        Aws.answered.wait(120)
        took = time.monotonic() - Aws.began
        function.kill()
        print(json.dumps([took, function.communicate()[0]]))


@unittest.skipUnless(namespaces(), 'unshare cannot make namespaces here')
class Resolver(unittest.TestCase):
    def run_inside(self, kind, program, **environment):
        ran = subprocess.run(['unshare', '-rnm', sys.executable, __file__, kind, program], capture_output=True, text=True, timeout=150,
                             env={**{k: v for k, v in os.environ.items() if k != 'RES_OPTIONS'}, **environment},
                             cwd=pathlib.Path(__file__).parent)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        took, said = json.loads(ran.stdout)
        print(f'{kind}, {program}{"".join(f", {k}={v}" for k, v in environment.items())}: {took:.1f} s')
        return took, said

    def test_a_silent_server_takes_seconds(self):
        for program in ('command', 'function'):
            took, said = self.run_inside('silent', program)
            self.assertLess(took, 12)
            self.assertIn('resolve host', said)

    def test_an_answer_that_is_lost_is_asked_for_again(self):
        for program in ('command', 'function'):
            took, said = self.run_inside('loses-one', program)
            self.assertLess(took, 6)
            self.assertNotIn('resolve host', said)

    def test_questions_for_ipv6_that_nobody_answers_do_not_keep_ipv4_from_working(self):
        took, _ = self.run_inside('no-aaaa', 'command')
        self.assertLess(took, 15)

    def test_what_the_environment_says_stands(self):
        took, _ = self.run_inside('silent', 'command', RES_OPTIONS='timeout:1 attempts:1')
        self.assertLess(took, 6)


if __name__ == '__main__':
    if len(sys.argv) == 3:
        inside(*sys.argv[1:])
    else:
        unittest.main()
