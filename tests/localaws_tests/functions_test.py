"""The functions' side of localaws, with a made-up function: the Runtime API on the wire, processes, deliveries.

usage: LOCALAWS=path/to/localaws python3 functions_test.py
"""
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

LOCALAWS = os.environ.get('LOCALAWS')
BOOTSTRAP = pathlib.Path(__file__).with_name('fake_bootstrap.py').resolve()


class Server:
    def __init__(self, *options, **env):
        self.log = tempfile.TemporaryFile('w+')
        kept = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'TRAINWARDEN_'))}
        self.process = subprocess.Popen([LOCALAWS, 'serve', '--port', '0', '--state', BOOTSTRAP, *options],
                                        stdout=subprocess.PIPE, stderr=self.log, env={**kept, **env}, text=True)
        self.ready = self.process.stdout.readline()
        self.url = re.search(r'http://127\.0\.0\.1:\d+', self.ready)[0]

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(timeout=10)
        self.process.stdout.close()
        return status

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f'{self.url}/_localaws/{path}', data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error), error.headers

    def invoke(self, **event):
        return self.call('POST', 'invoke/state', event)

    def state(self):
        return self.call('GET', 'health')[1]['functions']['state']

    def wait(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.state()
            if condition(state):
                return state
            time.sleep(0.05)
        raise AssertionError(f'not reached: {state}\n{self.text()}')


@unittest.skipUnless(LOCALAWS, 'LOCALAWS does not name the binary')
class Functions(unittest.TestCase):
    def serve(self, *options, **env):
        server = Server(*options, **env)
        self.addCleanup(server.log.close)
        self.addCleanup(lambda: server.process.poll() is None and server.stop(signal.SIGKILL))
        return server

    def test_a_function_is_invoked_with_what_lambda_gives_it(self):
        with tempfile.NamedTemporaryFile() as policy:
            server = self.serve('--policy', policy.name, '--region', 'eu-west-1', TRAINWARDEN_MODE='enforce',
                                AWS_LAMBDA_LOG_LEVEL='DEBUG', AWS_ACCESS_KEY_ID='AK', AWS_SECRET_ACCESS_KEY='SK')
            before = time.time()
            status, answer, headers = server.invoke()
            self.assertEqual(status, 200)
            self.assertEqual(answer['environment'], {
                'AWS_REGION': 'eu-west-1', 'AWS_DEFAULT_REGION': 'eu-west-1', 'AWS_ACCESS_KEY_ID': 'AK',
                'AWS_ENDPOINT_URL': server.url, 'AWS_LAMBDA_FUNCTION_NAME': 'trainwarden-state',
                'AWS_LAMBDA_FUNCTION_MEMORY_SIZE': '128', 'AWS_LAMBDA_FUNCTION_VERSION': '$LATEST',
                'AWS_LAMBDA_INITIALIZATION_TYPE': 'on-demand', 'AWS_LAMBDA_LOG_FORMAT': 'JSON',
                'AWS_LAMBDA_LOG_LEVEL': 'DEBUG', 'LAMBDA_TASK_ROOT': str(BOOTSTRAP.parent),
                'TRAINWARDEN_ALARM_TOPIC': 'arn:aws:sns:eu-west-1:111122223333:trainwarden-alarms',
                'TRAINWARDEN_MODE': 'enforce', 'TRAINWARDEN_POLICY': f'file:{policy.name}',
                'TRAINWARDEN_TABLE': 'arn:aws:dynamodb:eu-west-1:111122223333:table/trainwarden-state'})
            self.assertEqual(answer['folder'], str(BOOTSTRAP.parent))
            given = answer['headers']
            self.assertEqual(given['lambda-runtime-aws-request-id'], headers['x-amzn-RequestId'])
            self.assertEqual(given['lambda-runtime-invoked-function-arn'],
                             'arn:aws:lambda:eu-west-1:111122223333:function:trainwarden-state')
            self.assertRegex(given['lambda-runtime-trace-id'], r'^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Sampled=0$')
            left = int(given['lambda-runtime-deadline-ms']) / 1000 - before
            self.assertTrue(55 < left < 65, left)
            self.assertEqual(server.stop(), 0)
            self.assertIn('[state] a line on stdout\n', server.text())
            self.assertNotIn('SK', server.text())

    def test_what_is_delivered_is_tried_again_as_a_services_event_is(self):
        server = self.serve()
        server.wait(lambda state: state['state'] == 'ready')
        server.call('POST', 'faults', {'operation': 'Deliver', 'duplicate': True, 'caller': 'state'})
        self.assertEqual(server.call('POST', 'deliver/state', {'do': 'error'})[:2], (200, {}))
        state = server.wait(lambda state: state['dead_letters'] == 2)
        self.assertEqual((state['delivered'], state['failed']), (6, 6))
        self.assertEqual([letter['event'] for letter in server.call('GET', 'dead-letters')[1]], 2 * [{'do': 'error'}])
        self.assertEqual(server.call('POST', 'deliver/nobody', {})[0], 404)

    def test_a_scheduled_event_is_eventbridges(self):
        """The example of https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html"""
        server = self.serve('--region', 'eu-west-1', '--sweep', '1')

        def checked(event):
            self.assertRegex(event.pop('id'), r'^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')
            self.assertRegex(event.pop('time'), r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$')
            self.assertEqual(event, {
                'version': '0', 'detail-type': 'Scheduled Event', 'source': 'aws.events', 'account': '111122223333',
                'region': 'eu-west-1', 'detail': {},
                'resources': ['arn:aws:events:eu-west-1:111122223333:rule/trainwarden-sweep']})
        status, answer, _ = server.call('POST', 'sweep')
        self.assertEqual(status, 200)
        checked(answer['event'])
        server.wait(lambda state: state['succeeded'] >= 3)  # by itself, each second

    def test_the_runtime_api_answers_as_aws(self):
        server = self.serve()
        _, answer, _ = server.invoke(do='misuse')
        status, body = answer['misuse']['init_error']
        self.assertEqual((status, body['errorType']), (403, 'InvalidStateTransition'))
        self.assertEqual(answer['misuse']['unknown_id'],
                         [400, {'errorMessage': 'Invalid request ID', 'errorType': 'InvalidRequestID'}])
        self.assertEqual(answer['misuse']['no_path'][0], 404)
        _, answer, _ = server.invoke(do='again')
        first, second = answer['last']
        self.assertEqual(first, [202, {'status': 'OK'}])
        self.assertEqual((second[0], second[1]['errorType']), (403, 'InvalidStateTransition'))
        self.assertTrue(answer['redelivered'])
        status, error, _ = server.invoke(do='too-large')
        self.assertEqual((status, error['errorType']), (502, 'Function.ResponseSizeTooLarge'))
        _, answer, _ = server.invoke()
        self.assertEqual([a[0] for a in answer['last']], [413, 403])
        self.assertEqual(answer['last'][0][1]['errorType'], 'RequestEntityTooLarge')

    def test_large_headers_and_bodies_pass(self):
        server = self.serve()
        server.wait(lambda state: state['state'] == 'ready')
        request = urllib.request.Request(f'{server.url}/_localaws/runtime/state/2018-06-01/runtime/init/error', b'{}',
                                         {'Lambda-Runtime-Function-XRay-Error-Cause': 'x' * 65536})
        with self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request, timeout=10)
        with caught.exception as error:
            self.assertEqual(error.code, 403)
        self.assertEqual(server.invoke(pad='x' * 6_000_000)[0], 200)

    def test_failures_are_told_and_survived(self):
        server = self.serve('--timeout', '1')
        for event, text in (({'do': 'error'}, 'no'), ({'do': 'exit'}, 'Runtime exited with error: exit status 3'),
                            ({'do': 'hang'}, 'Task timed out after 1.00 seconds')):
            status, error, headers = server.invoke(**event)
            self.assertEqual((status, headers['X-Amz-Function-Error']), (502, 'Unhandled'))
            self.assertIn(text, error['errorMessage'])
        self.assertEqual(server.invoke()[0], 200)
        self.assertGreaterEqual(server.state()['restarts'], 2)

    def test_state_changes_are_delivered_retried_and_kept_as_dead_letters(self):
        server = self.serve()
        server.call('PUT', 'jobs/placed', {'Tags': {'a': 'b'}})
        self.assertEqual(server.call('POST', 'jobs/placed/transition', {'SecondaryStatus': 'Interrupted'})[0], 200)
        server.wait(lambda state: state['succeeded'] == 1)
        server.call('POST', 'reset', {})
        self.assertEqual(server.call('POST', 'jobs/placed/transition', {'SecondaryStatus': 'Failed'})[0], 404)

        broken = self.serve(TRAINWARDEN_MODE='broken')
        broken.call('PUT', 'jobs/placed', {})
        broken.call('POST', 'jobs/placed/transition', {'SecondaryStatus': 'Failed'})
        state = broken.wait(lambda state: state['state'] == 'failed')
        self.assertEqual(state['dead_letters'], 1)
        letter = broken.call('GET', 'dead-letters')[1][0]
        self.assertEqual(letter['event']['detail']['SecondaryStatus'], 'Failed')
        self.assertIn('[state] init error Runtime.Broken: cannot start', broken.text())
        self.assertIn('given up', broken.text())
        self.assertEqual(broken.invoke()[0], 502)

    def test_one_invocation_that_waits_does_not_hold_up_others(self):
        server = self.serve('--concurrency', '2')
        server.wait(lambda state: state['state'] == 'ready')
        self.assertEqual(server.state()['processes'], 1)
        waiting = threading.Thread(target=server.invoke, kwargs={'do': 'wait', 'seconds': 6})
        waiting.start()
        server.wait(lambda state: state['state'] == 'busy')
        self.assertEqual(server.invoke()[0], 200)
        self.assertTrue(waiting.is_alive(), 'the second invocation waited for the first')
        self.assertEqual((server.state()['processes'], server.state()['restarts']), (2, 0))
        waiting.join()
        alone = self.serve('--concurrency', '1')
        waiting = threading.Thread(target=alone.invoke, kwargs={'do': 'wait', 'seconds': 1})
        waiting.start()
        alone.wait(lambda state: state['state'] == 'busy')
        alone.invoke()
        self.assertEqual(alone.state()['processes'], 1)
        waiting.join()

    def test_calls_of_the_init_are_the_functions(self):
        for options in ((), ('--tls',)):
            with self.subTest(options=options), tempfile.NamedTemporaryFile('r') as record:
                server = self.serve('--record', record.name, *options, TRAINWARDEN_MODE='calls')
                server.wait(lambda state: state['state'] == 'ready')
                calls = server.call('GET', 'calls')[1]
                for call in calls:
                    self.assertRegex(call.pop('time'), r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$')
                self.assertEqual(calls, [
                    {'function': 'state', 'service': 'ssm', 'operation': 'GetParameter',
                     'request': {'Name': '/trainwarden/policy', 'WithDecryption': True}, 'status': 400,
                     'code': 'InvalidSignatureException'},
                    {'function': 'state', 'service': 'sns', 'operation': 'Publish', 'request': {
                        'TopicArn': 't', 'Message': 'a b',
                        'MessageAttributes': {'rule': {'DataType': 'String', 'StringValue': 'x'}}},
                     'status': 403, 'code': 'SignatureDoesNotMatch'}])
                recorded = [json.loads(line) for line in record]
                self.assertEqual([(line['label'], line['url'].split(':')[0]) for line in recorded],
                                 [(f'state {name}', 'https' if options else 'http')
                                  for name in ('ssm.GetParameter', 'sns.Publish')])
                self.assertEqual(server.stop(), 0)

    def test_tls_has_a_certificate_that_its_root_vouches_for(self):
        server = self.serve('--tls')
        url = re.search(r'ready at (https://127\.0\.0\.1:\d+)', server.ready)[1]
        root = re.search(r'root certificate (\S+),', server.ready)[1]
        trusting = ssl.create_default_context(cafile=root)
        for host in ('127.0.0.1', 'localhost'):
            with self.assertRaises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(url.replace('127.0.0.1', host), context=trusting, timeout=10)
            with caught.exception as error:
                self.assertEqual(json.load(error), {'__type': 'UnknownOperationException',
                                                    'message': 'localaws has no GET /; see its README'})
        with self.assertRaisesRegex(urllib.error.URLError, 'CERTIFICATE_VERIFY_FAILED'):
            urllib.request.urlopen(url, context=ssl.create_default_context(), timeout=10)
        with self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(server.url, timeout=10)
        with caught.exception as error:
            self.assertEqual(error.code, 403, 'no AWS in the clear')
        environment = server.invoke()[1]['environment']
        self.assertEqual((environment['AWS_ENDPOINT_URL'], environment['AWS_CA_BUNDLE']), (url, root))
        self.assertEqual(server.stop(), 0)
        self.assertFalse(pathlib.Path(root).exists())

    def test_the_functions_die_with_the_server(self):
        for how in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            server = self.serve()
            server.wait(lambda state: state['state'] == 'ready')
            children = pathlib.Path(f'/proc/{server.process.pid}/task/{server.process.pid}/children').read_text().split()
            self.assertEqual(len(children), 1)
            begin = time.monotonic()
            server.stop(how)
            self.assertLess(time.monotonic() - begin, 20, 'a waiting next must not hold up the end')
            for _ in range(100):
                if not pathlib.Path(f'/proc/{children[0]}/cmdline').exists():
                    break
                time.sleep(0.05)
            else:
                self.fail(f'{how}: the function lives on')

    def test_control_says_what_is_wrong(self):
        server = self.serve()
        for method, path, body, status in (
                ('GET', 'nothing', None, 404), ('PUT', 'jobs/under_score', {}, 400), ('PUT', 'jobs/a', [], 400),
                ('PUT', 'jobs/a', {'Tags': 5}, 400), ('PUT', 'jobs/a', {'Tags': {'a': 1}}, 400),
                ('PUT', 'jobs/a', {'Tags': [{'Key': 'a'}]}, 400),
                ('POST', 'jobs/none/transition', {'SecondaryStatus': 'Failed'}, 404),
                ('POST', 'jobs/none/transition', {}, 400), ('POST', 'faults', {'status': 1}, 400),
                ('POST', 'invoke/other', {}, 404), ('POST', 'invoke/alarm', {}, 404)):
            got, answer, _ = server.call(method, path, body)
            self.assertEqual(got, status, path)
            self.assertTrue(answer['message'])


if __name__ == '__main__':
    unittest.main()
