"""What the programs say of themselves: `trainwarden --version`, the User-Agent, the line of a function's start."""

import http.server
import json
import os
import pathlib
import re
import subprocess
import threading
import unittest

BUILD = pathlib.Path(os.environ['TRAINWARDEN_BUILD'])
DEPS = pathlib.Path(os.environ['TRAINWARDEN_DEPS'])
ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = BUILD / 'bin' / 'trainwarden'


class Listener:
    """Answers everything with a 500 and keeps the User-Agents."""

    def __init__(self):
        agents = self.agents = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                agents.append(self.headers.get('User-Agent'))
                self.rfile.read(int(self.headers.get('Content-Length') or 0))
                self.send_response(500)
                self.send_header('Content-Length', '0')
                self.end_headers()

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.address = '127.0.0.1:%d' % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def run(*command, **environment):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'TRAINWARDEN_', 'SSL_'))}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env={
        **kept, 'AWS_REGION': 'eu-central-1', 'AWS_ACCESS_KEY_ID': 'test', 'AWS_SECRET_ACCESS_KEY': 'test',
        'AWS_MAX_ATTEMPTS': '1', **environment})


def upstream(name):
    """The version that runtime/deps brought, without Debian's revision."""
    return re.search(rf'^{name} ([\d.]+)', (DEPS / 'SOURCES').read_text(), re.M)[1]


class Version(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.info = json.loads((BUILD / 'generated/base/build_info.json').read_text())
        cls.line = (f'trainwarden/{cls.info["version"]} (commit {cls.info["commit"]}) '
                    f'curl/{upstream("curl")} OpenSSL/{upstream("openssl")}')

    def setUp(self):
        self.listener = Listener()
        self.addCleanup(self.listener.close)

    def test_the_version_is_the_projects(self):
        declared = re.search(r'^project\(trainwarden VERSION (\S+)', (ROOT / 'CMakeLists.txt').read_text(), re.M)[1]
        self.assertEqual(self.info['version'], declared)
        self.assertRegex(self.info['commit'], r'^(unknown|[0-9a-f]{12}(\+changes)?)$')

    def test_the_command(self):
        ran = run(COMMAND, '--version')
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, self.line + '\n', ''))
        ran = run(COMMAND, '--version', 'check')
        self.assertEqual((ran.returncode, ran.stdout), (2, ''))
        self.assertIn('--version: expected no arguments', ran.stderr)

    def test_the_commands_calls(self):
        ran = run(COMMAND, 'lineage', 'job', AWS_ENDPOINT_URL=f'http://{self.listener.address}')
        self.assertNotEqual(ran.returncode, 0)
        self.assertEqual(set(self.listener.agents), {self.line})

    def test_the_functions_calls(self):
        for function in ('state', 'alarm'):
            with self.subTest(function):
                self.listener.agents.clear()
                run(BUILD / 'bin' / function / 'bootstrap', AWS_LAMBDA_RUNTIME_API='127.0.0.1:1',
                    AWS_ENDPOINT_URL=f'http://{self.listener.address}', TRAINWARDEN_POLICY='ssm:policy')
                self.assertEqual(set(self.listener.agents), {self.line})

    def first_line(self, function, **environment):
        ran = run(BUILD / 'bin' / function / 'bootstrap', AWS_LAMBDA_RUNTIME_API=self.listener.address, **environment)
        return ran.stdout.splitlines()[0]

    def test_the_line_of_the_start(self):
        for function in ('state', 'alarm'):
            with self.subTest(function):
                line = json.loads(self.first_line(function, AWS_LAMBDA_LOG_FORMAT='JSON'))
                self.assertRegex(line.pop('timestamp'), r'^\d{4}-\d\d-\d\dT')
                self.assertEqual(line, {'level': 'INFO', 'message': 'starting', **self.info, 'curl': upstream('curl'),
                                        'tls': 'OpenSSL/' + upstream('openssl')})
                self.assertIn(f' INFO starting version="{self.info["version"]}"', self.first_line(function))

    def test_no_such_line_where_only_warnings_are_wanted(self):
        self.assertNotIn('starting', self.first_line('state', AWS_LAMBDA_LOG_LEVEL='WARN'))

    def test_a_new_commit_compiles_one_file(self):
        commands = json.loads((BUILD / 'compile_commands.json').read_text())
        self.assertEqual([pathlib.Path(entry['file']).name for entry in commands if 'generated/base' in entry['file']],
                         ['build_info.cc'])
        self.assertFalse([entry['file'] for entry in commands if self.info['commit'] in entry['command']])


if __name__ == '__main__':
    unittest.main()
