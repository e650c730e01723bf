"""TLS as it really is: certificates made for this run, a server in front of the embedded AWS, the built function.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest tls_test
"""
import http.client
import http.server
import json
import pathlib
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading
import unittest

from embedded_aws import BIN, NO_P5, REGION, TABLE, EmbeddedAws, clean_environment


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


class TlsFront:
    """An https server that hands requests to the embedded AWS, with the Host header that the client signed."""

    def __init__(self, folder, upstream, certificate):
        address = upstream[len('http://'):]

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                connection = http.client.HTTPConnection(address, timeout=30)
                connection.putrequest('POST', self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    connection.putheader(name, value)
                connection.endheaders(body)
                answer = connection.getresponse()
                data = answer.read()
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
        context.load_cert_chain(folder / f'{certificate}.pem', folder / 'host.key')
        self.server = Server(('127.0.0.1', 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


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

    def decide(self, host='localhost', certificate='host', **environment):
        """The answer of the state function to a violation, when it reaches AWS by https only."""
        aws = EmbeddedAws(functions=())
        front = TlsFront(self.folder, aws.url, certificate)
        function = subprocess.Popen(
            [BIN / 'state' / 'bootstrap'], stdout=subprocess.DEVNULL,
            env=clean_environment(AWS_LAMBDA_RUNTIME_API=aws.url[7:] + '/_localaws/runtime/state', AWS_REGION=REGION,
                                  AWS_ACCESS_KEY_ID='test', AWS_SECRET_ACCESS_KEY='test', AWS_MAX_ATTEMPTS='1',
                                  AWS_ENDPOINT_URL=f'https://{host}:{front.port}', TRAINWARDEN_POLICY=json.dumps(NO_P5),
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
            self.assertEqual(record['decisions'][0]['actions'][0]['result'], 'stopped')

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
