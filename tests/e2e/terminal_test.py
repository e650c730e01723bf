"""The command and the terminal on which `aws` asks a person: for the code of a profile with mfa_serial, say.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest terminal_test
"""
import os
import pathlib
import pty
import select
import signal
import tempfile
import termios
import threading
import time
import unittest

from embedded_aws import BIN, clean_environment

# As botocore does: the prompt is the terminal's own, and the code is typed without echo.
ASKS = '''#!/usr/bin/env python3
import getpass, json, sys
if 'export-credentials' in sys.argv:
    getpass.getpass('Enter MFA code: ')
    print(json.dumps(dict(Version=1, AccessKeyId='test', SecretAccessKey='test')))
'''
# With echo, and from a program of its own, as a credential_process does.
ASKS_OPENLY = '''#!/bin/sh
sh -c 'printf "Code: " > /dev/tty; read code < /dev/tty'
echo '{"Version": 1, "AccessKeyId": "test", "SecretAccessKey": "test"}'
'''
# Hangs, and leaves the terminal without echo when it is killed.
HANGS = '''#!/bin/sh
stty -echo < /dev/tty
printf 'Hanging' > /dev/tty
exec sleep 100
'''


FORKING = threading.Lock()


class OnATerminal:
    """The command in a session of its own, whose terminal this is."""

    def __init__(self, aws):
        self.folder = tempfile.TemporaryDirectory()
        program = pathlib.Path(self.folder.name) / 'aws'
        environment = clean_environment(PATH=f'{self.folder.name}:{os.environ["PATH"]}', AWS_MAX_ATTEMPTS='1')
        # A process that is made by another thread while the program is written would hold it open: "Text file busy".
        with FORKING:
            program.write_text(aws)
            program.chmod(0o755)
            self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execve(BIN / 'trainwarden', ['trainwarden', 'lineage', 'my-job', '--region', 'us-east-1',
                                            '--endpoint-url', 'http://127.0.0.1:1'], environment)
        self.shown = ''

    def wait_for(self, text, seconds=60):
        end = time.monotonic() + seconds
        while text not in self.shown and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                try:
                    self.shown += os.read(self.terminal, 65536).decode()
                except OSError:  # all have closed it
                    break
        return text in self.shown

    def type(self, text):
        os.write(self.terminal, text.encode())

    def has_echo(self):
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)

    def end(self, seconds=60):
        """The exit status, or minus the signal; and whether the terminal echoes again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.wait_for('\0', 0.2)
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status), self.has_echo()
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None, self.has_echo()

    def close(self):
        os.close(self.terminal)
        self.folder.cleanup()


class Terminal(unittest.TestCase):
    def typed_after_a_while(self, aws, prompt):
        """35 s is longer than `aws` may take without asking."""
        command = OnATerminal(aws)
        self.addCleanup(command.close)
        self.assertTrue(command.wait_for(prompt), command.shown)
        time.sleep(35)
        command.type('123456\n')
        status, echo = command.end()
        self.assertNotIn('no answer within', command.shown)
        self.assertIn('127.0.0.1:1', command.shown)  # it went on, and found no AWS
        self.assertEqual((status, echo), (2, True))

    def hangs(self):
        command = OnATerminal(HANGS)
        self.addCleanup(command.close)
        self.assertTrue(command.wait_for('Hanging'))
        self.assertFalse(command.has_echo())
        began = time.monotonic()
        status, echo = command.end()
        self.assertLess(time.monotonic() - began, 45)
        self.assertIn('no answer within 30 s', command.shown)
        self.assertEqual((status, echo), (2, True))

    def test_a_person_may_take_longer_than_a_program(self):
        failures = []

        def run(case, *arguments):
            try:
                case(*arguments)
            except AssertionError as failure:
                failures.append(f'{case.__name__}: {failure}')
        threads = [threading.Thread(target=run, args=of) for of in (
            (self.typed_after_a_while, ASKS, 'Enter MFA code'), (self.typed_after_a_while, ASKS_OPENLY, 'Code: '), (self.hangs,))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_what_ends_the_command_leaves_the_terminal_as_it_was(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            command = OnATerminal(ASKS)
            self.addCleanup(command.close)
            self.assertTrue(command.wait_for('Enter MFA code'), command.shown)
            self.assertFalse(command.has_echo())
            os.kill(command.pid, number)
            self.assertEqual(command.end(10), (-number, True))
        command = OnATerminal(ASKS)
        self.addCleanup(command.close)
        self.assertTrue(command.wait_for('Enter MFA code'), command.shown)
        command.type('\x03')
        self.assertEqual(command.end(10), (-signal.SIGINT, True))


if __name__ == '__main__':
    unittest.main()
