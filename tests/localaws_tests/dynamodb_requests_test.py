"""What awsapi sends to DynamoDB, and what localaws answers, judged by others: each request by botocore's model and signer
(../shared/tools/check_requests.py), and the whole session, call by call, by moto's DynamoDB.

usage: LOCALAWS_TEST=path/to/localaws_test python3 dynamodb_requests_test.py
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from localaws_server import create_state_table

try:
    import boto3
    import botocore
except ImportError:
    boto3 = None
try:
    import moto
except ImportError:
    moto = None

PROGRAM = os.environ.get('LOCALAWS_TEST')
JUDGE = pathlib.Path(__file__).resolve().parents[3] / 'shared/tools/check_requests.py'
REGION, ACCOUNT = 'eu-central-1', '111122223333'


def model_knows_arns():
    """Older models have neither an ARN as TableName nor the item in the refusal."""
    model = botocore.session.get_session().get_service_model('dynamodb')
    return 'ReturnValuesOnConditionCheckFailure' in model.operation_model('PutItem').input_shape.members


def run(case, path):
    return subprocess.run([PROGRAM, f'--gtest_filter={case}'], env={**os.environ, 'TRAINWARDEN_REQUESTS': str(path)},
                          capture_output=True, text=True)


def cases():
    """The names of the client's cases. Only localaws' index lags."""
    listed = subprocess.run([PROGRAM, '--gtest_list_tests', '--gtest_filter=DynamoDbClient.*'], capture_output=True, text=True,
                            check=True).stdout
    names = [line.strip() for line in listed.splitlines() if line.startswith('  ')]
    return [f'DynamoDbClient.{name}' for name in names if name != 'TheIndexLagsBehind']


def operation_of(record):
    return record['headers']['X-Amz-Target'].split('.')[1]


def outcome(code, answer):
    """What two services must agree on."""
    return code, answer.get('Item'), answer.get('Items')


def session(path):
    """(operation, request, outcome) of the requests of one case, without those that a fault refused."""
    for record in map(json.loads, path.read_text().splitlines()):
        answer = json.loads(record['answer'])
        code = answer.get('__type', '#').split('#')[1]
        if code not in ('ThrottlingException', 'ProvisionedThroughputExceededException', 'InternalFailure'):
            yield operation_of(record), json.loads(record['body']), outcome(code, answer)


@unittest.skipUnless(PROGRAM, 'LOCALAWS_TEST does not name the test program')
class Requests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / 'requests.jsonl'

    @unittest.skipIf(boto3 is None, 'boto3 cannot be imported')
    def test_botocore_finds_each_request_valid_and_well_signed(self):
        self.assertEqual(run('DynamoDbClient.*', self.path).returncode, 0)
        requests = len(self.path.read_text().splitlines())
        self.assertGreater(requests, 100)
        if not JUDGE.exists():
            self.skipTest(f'{requests} cases (requests judged by models) need ../shared/tools, which is not here')
        if not model_knows_arns():
            self.skipTest(f'{requests} cases (requests judged by models) need a newer botocore than {botocore.__version__}')
        keys = ['--access-key', 'test', '--secret-key', 'test', '--region', REGION, '--max-skew', '300']
        judged = subprocess.run([sys.executable, JUDGE, *keys, '--services', 'dynamodb', '--quiet', self.path],
                                capture_output=True, text=True)
        self.assertEqual((judged.returncode, judged.stderr), (0, f'{requests} requests, 0 invalid\n'), judged.stdout[:2000])

    @unittest.skipIf(moto is None, 'moto cannot be imported: no session is compared with its DynamoDB')
    def test_moto_answers_the_same(self):
        names = cases()
        self.assertGreater(len(names), 5)
        compared = 0
        for case in names:
            self.path.write_text('')
            self.assertEqual(run(case, self.path).returncode, 0, case)
            with self.subTest(case), Moto() as other:
                for operation, request, expected in session(self.path):
                    self.assertEqual(other.call(operation, request), expected, request)
                    compared += 1
        self.assertGreater(compared, 80)


class Moto:
    """An empty table of the same name, account and region."""

    def __enter__(self):
        self.patches = [unittest.mock.patch.dict(os.environ, AWS_ACCESS_KEY_ID='test', AWS_SECRET_ACCESS_KEY='test',
                                                 MOTO_ACCOUNT_ID=ACCOUNT), moto.mock_aws()]
        self.patches[0].start()
        self.patches[1].start()
        self.client = boto3.client('dynamodb', region_name=REGION)
        create_state_table(self.client)
        return self

    def __exit__(self, *_):
        for patch in reversed(self.patches):
            patch.stop()

    def call(self, operation, request):
        method = {'GetItem': 'get_item', 'PutItem': 'put_item', 'Query': 'query'}[operation]
        try:
            return outcome('', getattr(self.client, method)(**request))
        except self.client.exceptions.ClientError as error:
            return outcome(error.response['Error']['Code'], error.response)


if __name__ == '__main__':
    unittest.main()
