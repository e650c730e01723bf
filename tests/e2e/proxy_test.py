"""The command and proxies: HTTPS_PROXY and NO_PROXY, and what people read where the proxy is the trouble. The functions use none.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest proxy_test
"""
import base64
import json
import re
import socket
import subprocess
import threading
import unittest

from embedded_aws import BIN, NO_P5, REGION, EmbeddedAws, clean_environment

KEYS = {'AWS_ACCESS_KEY_ID': 'test', 'AWS_SECRET_ACCESS_KEY': 'test'}


class Proxy:
    """Connects to where it is asked, or answers with the given head; keeps what it was asked."""

    def __init__(self, refusal=None):
        self.refusal, self.heads = refusal, []
        self.listener = socket.create_server(('127.0.0.1', 0), backlog=16)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(client,), daemon=True).start()

    def talk(self, client):
        with client:
            self.answer(client)

    def answer(self, client):
        head = b''
        while not head.endswith(b'\r\n\r\n'):
            byte = client.recv(1)
            if not byte:
                return
            head += byte
        self.heads.append(head.decode())
        if self.refusal is not None:
            client.sendall(self.refusal)
            return
        port = int(head.split(b' ')[1].decode().rsplit(':', 1)[1])
        with socket.create_connection(('127.0.0.1', port)) as upstream:  # whatever its name: here nobody else can resolve it
            client.sendall(b'HTTP/1.1 200 Connection established\r\nVia: 1.1 made-up\r\n\r\n')
            back = threading.Thread(target=self.pass_on, args=(upstream, client), daemon=True)
            back.start()
            self.pass_on(client, upstream)
            back.join()

    @staticmethod
    def pass_on(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        self.listener.close()


class Proxies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.aws = EmbeddedAws(None, '--tls', functions=())
        cls.addClassCleanup(cls.aws.close)
        cls.tls_url = re.search(r'ready at (https://127\.0\.0\.1:\d+)', cls.aws.greeting)[1].replace('127.0.0.1', 'localhost')
        cls.root = re.search(r'root certificate (\S+),', cls.aws.greeting)[1]

    def proxy(self, refusal=None):
        proxy = Proxy(refusal)
        self.addCleanup(proxy.close)
        return proxy

    def ask(self, url=None, **environment):
        ran = subprocess.run([BIN / 'trainwarden', 'lineage', 'no-such-job', '--region', REGION, '--endpoint-url', url or self.tls_url],
                             capture_output=True, text=True, timeout=60,
                             env=clean_environment(**KEYS, AWS_CA_BUNDLE=self.root, AWS_MAX_ATTEMPTS='1', **environment))
        self.assertEqual(ran.returncode, 2, ran.stdout + ran.stderr)  # there is no such job, at best
        return ran.stderr

    def test_https_proxy_is_asked_to_connect(self):
        for variable in ('HTTPS_PROXY', 'https_proxy'):
            for form in ('http://127.0.0.1:{}', '127.0.0.1:{}', 'http://localhost:{}/'):
                proxy = self.proxy()
                self.assertIn('no training job of that name', self.ask(**{variable: form.format(proxy.port)}))
                self.assertRegex(proxy.heads[0], r'^CONNECT localhost:\d+ HTTP/1\.1\r\nHost: localhost:\d+\r\n\r\n$')

    def test_a_name_that_only_the_proxy_can_resolve(self):
        proxy = self.proxy()
        told = self.ask(self.tls_url.replace('localhost', 'sagemaker.invalid'), HTTPS_PROXY=f'http://127.0.0.1:{proxy.port}')
        self.assertTrue(proxy.heads[0].startswith('CONNECT sagemaker.invalid:'))
        self.assertNotIn('resolve', told)
        self.assertRegex(told, 'SSL|certificate')  # whose certificate is held against the name that was asked for

    def test_user_and_password_go_to_the_proxy_alone(self):
        proxy = self.proxy()
        self.assertIn('no training job', self.ask(HTTPS_PROXY=f'http://me:p%40ss@127.0.0.1:{proxy.port}'))
        self.assertIn('Proxy-Authorization: Basic ' + base64.b64encode(b'me:p@ss').decode() + '\r\n', proxy.heads[0])

    def test_no_proxy_names_what_is_reached_directly(self):
        port = self.tls_url.rsplit(':', 1)[1]
        for variable in ('NO_PROXY', 'no_proxy'):
            for hosts, asked in (('localhost', False), ('.amazonaws.com, localhost', False), ('*', False), (f'localhost:{port}', False),
                                 ('LOCALHOST', False), ('calhost', True), ('localhost:1', True), ('example.com', True), ('', True)):
                proxy = self.proxy()
                self.ask(HTTPS_PROXY=f'http://127.0.0.1:{proxy.port}', **{variable: hosts})
                self.assertEqual(bool(proxy.heads), asked, hosts)
        by_address = self.tls_url.replace('localhost', '127.0.0.1')
        for hosts, asked in (('127.0.0.0/8', False), ('127.0.0.1', False), ('10.0.0.0/8,192.168.0.0/16', True)):
            proxy = self.proxy()
            self.ask(by_address, HTTPS_PROXY=f'http://127.0.0.1:{proxy.port}', NO_PROXY=hosts)
            self.assertEqual(bool(proxy.heads), asked, hosts)

    def test_what_is_in_the_clear_needs_no_proxy(self):
        proxy = self.proxy()
        self.ask('http://127.0.0.1:1', HTTPS_PROXY=f'http://127.0.0.1:{proxy.port}', HTTP_PROXY=f'http://127.0.0.1:{proxy.port}')
        self.assertEqual(proxy.heads, [])

    def test_a_proxy_that_is_the_trouble_is_named(self):
        for refusal, said in ((b'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'it refused to connect to localhost:'),
                              (b'HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nno!', 'HTTP 403 Forbidden'),
                              (b'SSH-2.0-OpenSSH_9.2\r\n\r\n', 'it does not speak HTTP'), (b'', 'it closed the connection')):
            proxy = self.proxy(refusal)
            told = self.ask(HTTPS_PROXY=f'http://me:hunter2@127.0.0.1:{proxy.port}')
            self.assertIn(f'the proxy http://127.0.0.1:{proxy.port}, which HTTPS_PROXY names: ', told)
            self.assertIn(said, told)
            self.assertNotIn('hunter2', told)
        self.assertIn('the proxy http://127.0.0.1:1, which HTTPS_PROXY names: failed to connect', self.ask(HTTPS_PROXY='http://127.0.0.1:1'))
        self.assertIn('its address is not known', self.ask(HTTPS_PROXY='http://proxy.invalid:3128'))

    def test_what_is_no_proxy_is_refused_by_name(self):
        for url in ('socks5://me:hunter2@host:1080', 'https://host:443', 'http://', 'http://host:99999', 'http://host/path'):
            told = self.ask(HTTPS_PROXY=url)
            self.assertIn('environment variable HTTPS_PROXY: expected a proxy such as http://user:password@host:3128', told)
            self.assertNotIn('hunter2', told)

    def test_the_functions_use_none_and_say_so(self):
        proxy = self.proxy()
        function = self.aws.host(NO_P5, HTTPS_PROXY=f'http://127.0.0.1:{proxy.port}', AWS_ENDPOINT_URL=self.tls_url, AWS_CA_BUNDLE=self.root)
        try:
            status, record = self.aws.invoke(self.aws.job('big', instance_type='ml.p5.48xlarge'))
        finally:
            function.kill()
            function.wait()
        self.assertEqual((status, record['decisions'][0]['actions'][0]['code']), (200, 'stopped'), json.dumps(record))
        self.assertEqual(proxy.heads, [])
        self.assertIn('a proxy is named, and not used', self.aws.log())


if __name__ == '__main__':
    unittest.main()
