"""TLS as it really is: certificates made for this run, a server in front of the embedded AWS, the built function.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest tls_test
"""
import http.client
import http.server
import json
import pathlib
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time
import unittest

from embedded_aws import BIN, NO_P5, REGION, REQUIRED_TAGS, TABLE, EmbeddedAws, clean_environment


def openssl(folder, *arguments):
    done = subprocess.run(['openssl', *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f'openssl {" ".join(arguments)}: {done.stderr}')


def make_certificates(folder):
    """A root of our own, and certificates for localhost that it issued: one that holds, one that ran out."""
    openssl(folder, 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'root.key', '-out', 'root.pem', '-days', '2',
            '-subj', '/CN=Test Root', '-addext', 'basicConstraints=critical,CA:TRUE')
    openssl(folder, 'req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'host.key', '-out', 'host.csr', '-subj', '/CN=localhost')
    (folder / 'host.ext').write_text('subjectAltName=DNS:localhost\n')
    openssl(folder, 'x509', '-req', '-in', 'host.csr', '-CA', 'root.pem', '-CAkey', 'root.key', '-CAcreateserial', '-out',
            'host.pem', '-days', '1', '-extfile', 'host.ext')
    # `openssl x509 -days -1` is refused from OpenSSL 3.4 on; `openssl ca` takes any dates, in old and new ones.
    (folder / 'ca.conf').write_text('[ca]\ndefault_ca = test\n[test]\ndatabase = index.txt\nrand_serial = yes\nnew_certs_dir = .\n'
                                    'default_md = sha256\npolicy = any\n[any]\ncommonName = supplied\n')
    (folder / 'index.txt').touch()
    openssl(folder, 'ca', '-batch', '-notext', '-config', 'ca.conf', '-cert', 'root.pem', '-keyfile', 'root.key', '-in', 'host.csr',
            '-out', 'expired.pem', '-startdate', '20200101000000Z', '-enddate', '20200102000000Z', '-extfile', 'host.ext')
    for name, key in (('p256', 'P-256'), ('p384', 'P-384'), ('p521', 'P-521')):
        openssl(folder, 'req', '-newkey', 'ec', '-pkeyopt', f'ec_paramgen_curve:{key}', '-nodes', '-keyout', f'{name}.key',
                '-out', f'{name}.csr', '-subj', '/CN=localhost')
        openssl(folder, 'x509', '-req', '-in', f'{name}.csr', '-CA', 'root.pem', '-CAkey', 'root.key', '-CAcreateserial',
                '-sha384', '-out', f'{name}.pem', '-days', '1', '-extfile', 'host.ext')


class TlsFront:
    """An https server that hands requests to the embedded AWS, with the Host header that the client signed.

    opening: seconds before each handshake; answering: of an operation, before its answer.
    """

    def __init__(self, folder, upstream, certificate, limit, opening=0.0, answering=lambda operation: 0.0):
        address = upstream[len('http://'):]
        self.connections = 0
        self.answered = answered = []  # the operations, in order
        front = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def setup(self):
                front.connections += 1
                time.sleep(opening)
                super().setup()

            def do_POST(self):
                operation = self.headers.get('X-Amz-Target', '').split('.')[-1]
                body = self.rfile.read(int(self.headers['Content-Length']))
                connection = http.client.HTTPConnection(address, timeout=30)
                connection.putrequest('POST', self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    connection.putheader(name, value)
                connection.endheaders(body)
                answer = connection.getresponse()
                data = answer.read()
                time.sleep(answering(operation))
                answered.append(operation)
                self.send_response(answer.status)
                self.send_header('Content-Type', answer.headers['Content-Type'])
                self.send_header('Content-Length', str(len(data)))
                self.end_headers()
                self.wfile.write(data)
                connection.close()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                pass  # a client that does not trust us hangs up

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        key = folder / f'{certificate}.key'
        context.load_cert_chain(folder / f'{certificate}.pem', key if key.exists() else folder / 'host.key')
        limit(context)
        self.server = Server(('127.0.0.1', 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Wire:
    """Hands bytes on to a port, and keeps the first that came back on each connection."""

    def __init__(self, port):
        self.heard = []
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(port,), daemon=True).start()

    def accept(self, port):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return  # closed
            server = socket.create_connection(('127.0.0.1', port))
            heard = bytearray()
            self.heard.append(heard)
            threading.Thread(target=self.copy, args=(client, server, None), daemon=True).start()
            threading.Thread(target=self.copy, args=(server, client, heard), daemon=True).start()

    @staticmethod
    def copy(source, sink, heard):
        try:
            while data := source.recv(65536):
                if heard is not None and len(heard) < 4096:
                    heard += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # either end hung up

    def close(self):
        self.listener.close()


def key_share_group(heard):
    """The group that a ServerHello agrees on, by its number: RFC 8446, 4.1.3 and 4.2.8."""
    hello = memoryview(heard)[5:]  # behind the record's header
    assert heard[0] == 22 and hello[0] == 2, 'no ServerHello'
    at = 4 + 2 + 32  # the message's header, version, random
    at += 1 + hello[at]  # session id
    at += 2 + 1  # cipher, compression
    end = at + 2 + struct.unpack_from('>H', hello, at)[0]
    at += 2
    while at < end:
        kind, size = struct.unpack_from('>HH', hello, at)
        if kind == 51:
            return struct.unpack_from('>H', hello, at + 4)[0]
        at += 4 + size
    raise AssertionError('the ServerHello has no key share')


@unittest.skipUnless(shutil.which('openssl'), 'the openssl command is not installed')
class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        make_certificates(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def decide(self, host='localhost', certificate='host', limit=lambda context: None, policy=NO_P5, road=None, **environment):
        """The answer of the state function to a violation, when it reaches AWS by https only. road: TlsFront's delays."""
        aws = EmbeddedAws(functions=())
        self.front = front = TlsFront(self.folder, aws.url, certificate, limit, **(road or {}))
        function = subprocess.Popen(
            [BIN / 'state' / 'bootstrap'], stdout=subprocess.DEVNULL,
            env=clean_environment(AWS_LAMBDA_RUNTIME_API=aws.url[7:] + '/_localaws/runtime/state', AWS_REGION=REGION,
                                  AWS_ACCESS_KEY_ID='test', AWS_SECRET_ACCESS_KEY='test', AWS_MAX_ATTEMPTS='1',
                                  AWS_ENDPOINT_URL=f'https://{host}:{front.port}', TRAINWARDEN_POLICY=json.dumps(policy),
                                  TRAINWARDEN_TABLE=TABLE, **environment))
        try:
            event = aws.job('big', instance_type='ml.p5.48xlarge')
            aws.wait_for_function()
            return aws.invoke(event)
        finally:
            function.send_signal(signal.SIGKILL)
            function.wait()
            front.close()
            aws.close()

    def test_a_bundle_of_ones_own_is_trusted(self):
        for variable in ('AWS_CA_BUNDLE', 'SSL_CERT_FILE'):
            status, record = self.decide(**{variable: str(self.folder / 'root.pem')})
            self.assertEqual(status, 200, record)
            self.assertEqual(record['decisions'][0]['actions'][0]['code'], 'stopped')

    def test_what_servers_of_today_insist_on_is_spoken(self):
        def twelve(ciphers):
            def limit(context):
                context.maximum_version = ssl.TLSVersion.TLSv1_2
                context.set_ciphers(ciphers)
            return limit

        table = (
            ('host', twelve('ECDHE-RSA-AES128-GCM-SHA256')),
            ('host', twelve('ECDHE-RSA-AES256-GCM-SHA384')),
            ('host', twelve('ECDHE-RSA-AES128-SHA256')),
            ('host', twelve('ECDHE-RSA-AES256-SHA:@SECLEVEL=1')),
            ('host', twelve('AES128-GCM-SHA256')),
            ('host', lambda context: context.set_ecdh_curve('prime256v1')),
            ('host', lambda context: context.set_ecdh_curve('secp384r1')),
            ('p256', twelve('ECDHE-ECDSA-AES128-GCM-SHA256')),
            ('p256', lambda context: None),
            ('p384', lambda context: context.set_ecdh_curve('secp521r1')),
            ('p521', lambda context: None),
        )
        for number, (certificate, limit) in enumerate(table):
            with self.subTest(number=number, certificate=certificate):
                status, record = self.decide(certificate=certificate, limit=limit, AWS_CA_BUNDLE=str(self.folder / 'root.pem'))
                self.assertEqual(status, 200, record)
                self.assertEqual(record['decisions'][0]['actions'][0]['code'], 'stopped')

    def stop_over(self, **road):
        """A cold stop: its tags are read; the job is described and its tags are read anew, at once; then it is stopped."""
        status, record = self.decide(policy=REQUIRED_TAGS, road=road, AWS_CA_BUNDLE=str(self.folder / 'root.pem'))
        self.assertEqual(status, 200, record)
        self.assertEqual(record['decisions'][0]['actions'][0]['code'], 'stopped')
        return self.front

    def test_calls_at_once_share_a_connection_that_is_quicker_than_another_is_to_open(self):
        front = self.stop_over(opening=0.4)
        self.assertEqual(front.connections, 1)
        self.assertCountEqual(front.answered[1:3], ['DescribeTrainingJob', 'ListTags'])

    def test_calls_at_once_wait_for_no_connection_that_is_slower(self):
        front = self.stop_over(answering=lambda operation: 0.4)
        self.assertEqual(front.connections, 2)

    def test_a_call_that_hangs_keeps_none_waiting_for_longer_than_another_connection_takes(self):
        front = self.stop_over(opening=0.3, answering=lambda operation: 3.0 if operation == 'DescribeTrainingJob' else 0.0)
        self.assertEqual(front.connections, 2)
        self.assertEqual(front.answered[:3], ['ListTags', 'ListTags', 'DescribeTrainingJob'])

    def test_the_key_exchange_resists_quantum_computers(self):
        # AWS's endpoints negotiate X25519MLKEM768 (number 4588); so does the embedded AWS, with the same library.
        aws = EmbeddedAws(None, '--tls', functions=())
        wire = Wire(int(re.search(r'https://\S+:(\d+)', aws.greeting)[1]))
        root = re.search(r'root certificate ([^,)]+)', aws.greeting)[1]
        function = aws.host(NO_P5, AWS_ENDPOINT_URL=f'https://localhost:{wire.port}', AWS_CA_BUNDLE=root)
        try:
            status, record = aws.invoke(aws.job('big', instance_type='ml.p5.48xlarge'))
            self.assertEqual(status, 200, record)
            self.assertEqual(record['decisions'][0]['actions'][0]['code'], 'stopped')
            self.assertEqual({key_share_group(heard) for heard in wire.heard}, {4588})
        finally:
            function.kill()
            function.wait()
            wire.close()
            aws.close()

    def test_an_unknown_issuer_is_an_error_that_says_so(self):
        status, error = self.decide()
        self.assertEqual(status, 502)
        self.assertEqual(error['errorType'], 'Function.Unavailable')
        self.assertIn('certificate', error['errorMessage'])

    def test_a_certificate_for_another_host_is_an_error(self):
        status, error = self.decide(host='127.0.0.1', AWS_CA_BUNDLE=str(self.folder / 'root.pem'))
        self.assertEqual(status, 502)
        self.assertIn("127.0.0.1", error['errorMessage'])

    def test_an_expired_certificate_is_an_error_that_says_so(self):
        status, error = self.decide(certificate='expired', AWS_CA_BUNDLE=str(self.folder / 'root.pem'))
        self.assertEqual(status, 502)
        self.assertIn('expired', error['errorMessage'])

    def test_a_missing_bundle_is_an_error_that_names_it(self):
        status, error = self.decide(AWS_CA_BUNDLE='/nowhere/roots.pem')
        self.assertEqual(status, 502)
        self.assertIn('/nowhere/roots.pem', error['errorMessage'])


if __name__ == '__main__':
    unittest.main()
