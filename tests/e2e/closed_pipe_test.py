"""Each program goes on, or ends by itself, where nobody reads what it writes: `| head -1` aborts none.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest closed_pipe_test
"""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

from embedded_aws import BIN, NO_P5, REPOSITORY, EmbeddedAws, clean_environment, state_event


def unread(arguments, stdin=None, **options):
    """Both streams go to a pipe whose reader has gone."""
    reading, writing = os.pipe()
    process = subprocess.Popen(arguments, stdin=stdin, stdout=writing, stderr=writing, restore_signals=True, env=clean_environment(),
                               cwd=REPOSITORY, **options)
    os.close(writing)
    os.close(reading)
    return process


class ClosedPipe(unittest.TestCase):
    def ends(self, status, *arguments, seconds=60):
        self.assertEqual(unread([BIN / arguments[0], *arguments[1:]]).wait(seconds), status, arguments)

    def test_the_command(self):
        self.ends(0, 'trainwarden', 'help')
        self.ends(0, 'trainwarden', '--version')
        self.ends(0, 'trainwarden', 'schema')
        self.ends(2, 'trainwarden', 'nonsense')
        self.ends(0, 'trainwarden', 'check', 'tests/examples/first-policy.json')
        self.ends(0, 'trainwarden', 'backtest', 'tests/examples/first-policy.json', 'tests/report/weekend.jsonl')

    def test_a_command_that_answers_line_by_line_ends_with_its_reader(self):
        reading, writing = os.pipe()
        process = unread([BIN / 'trainwarden', 'diagnose', '-'], stdin=reading)
        os.close(reading)
        line = (json.dumps({'FailureReason': 'AlgorithmError: ' + 'x' * 2000}) + '\n').encode()
        try:
            for _ in range(10_000):
                os.write(writing, line)
        except BrokenPipeError:
            pass  # it has ended
        os.close(writing)
        self.assertIn(process.wait(60), (0, 1))  # 1: it did not understand a line

    def test_localaws_whose_functions_do_not_start(self):
        with tempfile.NamedTemporaryFile('w', suffix='.json') as policy:
            policy.write('{"version": 1, "rulez": []}')
            policy.flush()
            process = unread([BIN / 'localaws', 'serve', '--port', '0', '--policy', policy.name, '--state', BIN / 'state/bootstrap'])
            time.sleep(4)
            self.assertIsNone(process.poll(), 'localaws has ended')
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(20), 0)
        self.ends(0, 'localaws', '--help')
        self.ends(2, 'localaws', 'serve', '--prot', '1')

    def test_a_function_goes_on(self):
        aws = EmbeddedAws(functions=())
        self.addCleanup(aws.close)
        function = unread([BIN / 'state/bootstrap'])
        self.assertEqual(function.wait(20), 1)  # it was not started by Lambda
        reading, writing = os.pipe()
        function = subprocess.Popen([BIN / 'state/bootstrap'], stdout=writing, env=clean_environment(
            AWS_LAMBDA_RUNTIME_API=aws.url[7:] + '/_localaws/runtime/state', AWS_REGION='eu-central-1', AWS_ACCESS_KEY_ID='test',
            AWS_SECRET_ACCESS_KEY='test', AWS_ENDPOINT_URL=aws.url, TRAINWARDEN_POLICY=json.dumps(NO_P5)))
        os.close(writing)
        os.close(reading)
        aws.wait_for_function()
        for _ in range(3):
            self.assertEqual(aws.invoke(state_event('job', time.time(), TrainingJobStatus='Completed'))[0], 200)
        function.kill()
        function.wait()

    def test_the_demo(self):
        self.ends(0, 'demo', '--help')
        self.ends(2, 'demo', 'nonsense')
        self.ends(0, 'demo', 'bug', seconds=300)


if __name__ == '__main__':
    unittest.main()
