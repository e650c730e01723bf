"""localaws on a free port, and boto3 clients for it; what the boto3 tests share."""
import json
import os
import re
import signal
import subprocess
import unittest
import urllib.error
import urllib.request

try:
    import boto3
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.config import Config
    from botocore.credentials import Credentials
    from botocore.exceptions import ClientError
except ImportError:
    boto3 = ClientError = None

LOCALAWS = os.environ.get('LOCALAWS')
KEYS = ('AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE')
REGION = 'us-east-1'
ACCOUNT = '111122223333'


def create_state_table(client):
    """The table that localaws has from its start, in another DynamoDB (moto's); its ARN."""
    made = client.create_table(
        TableName='trainwarden-state', BillingMode='PAY_PER_REQUEST', KeySchema=[{'AttributeName': 'id', 'KeyType': 'HASH'}],
        AttributeDefinitions=[{'AttributeName': name, 'AttributeType': kind}
                              for name, kind in (('id', 'S'), ('due', 'S'), ('since', 'N'))],
        GlobalSecondaryIndexes=[{'IndexName': 'due', 'Projection': {'ProjectionType': 'KEYS_ONLY'},
                                 'KeySchema': [{'AttributeName': 'due', 'KeyType': 'HASH'},
                                               {'AttributeName': 'since', 'KeyType': 'RANGE'}]}])
    return made['TableDescription']['TableArn']


def environment(**more):
    return {**{k: v for k, v in os.environ.items() if k not in KEYS}, **more}


class Server:
    """localaws on a free port, ended with SIGTERM; its exit status must be 0."""

    def __init__(self, *options, **env):
        self.process = subprocess.Popen([LOCALAWS, 'serve', '--port', '0', *options], stdout=subprocess.PIPE,
                                        env=environment(**env), text=True)
        self.ready = self.process.stdout.readline()
        found = re.search(r'http://127\.0\.0\.1:\d+', self.ready)
        if not found:
            raise RuntimeError(f'no ready line: {self.ready!r}')
        self.url = found[0]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=10)
        self.process.stdout.close()
        return status

    def client(self, service='sagemaker', key='test', secret='test', token=None, region=REGION, **config):
        return boto3.client(service, endpoint_url=self.url, region_name=region, aws_access_key_id=key,
                            aws_secret_access_key=secret, aws_session_token=token,
                            config=Config(retries={'total_max_attempts': 1}, **config))

    def raw(self, signing_name, body, **headers):
        """(status, headers, body) of a request as given, signed: for what this boto3's models do not speak."""
        named = {name.replace('_', '-'): value for name, value in headers.items()}
        request = AWSRequest('POST', self.url + '/', named, body)
        SigV4Auth(Credentials('test', 'test'), signing_name, REGION).add_auth(request)
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + '/', body, dict(request.headers))) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    def control(self, method, path, body=None):
        data = None if body is None else json.dumps(body, default=str).encode()
        request = urllib.request.Request(f'{self.url}/_localaws/{path}', data, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


@unittest.skipIf(boto3 is None, 'boto3 cannot be imported')
@unittest.skipUnless(LOCALAWS, 'LOCALAWS does not name the binary')
class ServiceTest(unittest.TestCase):
    """A server for all cases of a class, empty at the begin of each. options and environment: the server's."""
    options = ()
    environment = {}

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.options, **cls.environment)
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        self.server.control('POST', 'reset', {})

    def refused(self, code, text, call, status=400, **arguments):
        with self.assertRaises(ClientError) as caught:
            call(**arguments)
        error = caught.exception.response
        self.assertEqual(error['Error']['Code'], code, error)
        self.assertIn(text, error['Error'].get('Message') or '')
        self.assertEqual(error['ResponseMetadata']['HTTPStatusCode'], status)
        return caught.exception
