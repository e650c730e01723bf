"""The help pages of trainwarden, and what a person sees who types something wrong: in a pipe and on a terminal.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest help_test
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import tempfile
import termios
import unittest

from embedded_aws import BIN, REPOSITORY, clean_environment

TRAINWARDEN = str(BIN / 'trainwarden')
OPTION = re.compile(r'--[a-z]+(?:-[a-z]+)*')
OWN_JOB = re.compile(r'my-job|my-policy|old-policy|jobs\.jsonl|report\.html|prices --region')  # a reader's own, or AWS's to answer


def environment(**more):
    out = {**clean_environment(), 'PATH': f'{BIN}:/usr/bin:/bin', 'TERM': 'xterm', **more}
    for name in ('NO_COLOR', 'COLUMNS'):
        if name not in more:
            out.pop(name, None)
    return out


def run(*words, stdin='', **more):
    return subprocess.run([TRAINWARDEN, *words], input=stdin, capture_output=True, text=True, cwd=REPOSITORY, check=False,
                          env=environment(**more))


def on_terminal(*words, columns=80, **more):
    """What the command prints where its standard output is a terminal of so many columns."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    process = subprocess.Popen([TRAINWARDEN, *words], stdin=subprocess.DEVNULL, stdout=child, stderr=subprocess.DEVNULL,
                               cwd=REPOSITORY, env=environment(**more))
    os.close(child)
    out = b''
    try:
        while chunk := os.read(parent, 65536):
            out += chunk
    except OSError:
        pass  # the other side is closed
    os.close(parent)
    process.wait(30)
    return out.decode().replace('\r\n', '\n')


def commands():
    return re.findall(r'^  ([a-z]+) +\S', run('help').stdout, flags=re.M)


def options_of(page):
    return re.findall(r'^  (--[a-z-]+)', page, flags=re.M)


def examples_of(page):
    return [line.strip() for line in page.partition('\nExamples\n')[2].splitlines()]


class Pages(unittest.TestCase):
    def test_the_overview_names_all_commands(self):
        names = commands()
        self.assertEqual(len(names), 12)
        for words in (('help',), ('--help',), ('-h',)):
            told = run(*words)
            self.assertEqual((told.returncode, told.stderr), (0, ''))
            self.assertEqual(told.stdout, run('help').stdout)

    def test_what_an_example_uses_stands_in_the_usage(self):
        for name in commands():
            page = run('help', name).stdout
            usage = re.findall(rf'^  trainwarden {name}.*(?:\n   .*)*', page.partition('\nExamples\n')[0], flags=re.M)
            used = {option for example in examples_of(page) for option in OPTION.findall(example)}
            self.assertLessEqual(used, set(OPTION.findall('\n'.join(usage))), page)

    def test_each_command_has_a_page(self):
        for name in commands():
            page = run('help', name)
            self.assertEqual((page.returncode, page.stderr), (0, ''), name)
            for part in (f'{name}: ', f'\n  trainwarden {name}', '\nExit status: 0', '\nExamples\n  '):
                self.assertIn(part, page.stdout)
            for words in ((name, '--help'), (name, '-h'), (name, 'something', '--help'), (name, '--nonsense', '-h')):
                self.assertEqual(run(*words).stdout, page.stdout, words)

    def test_what_a_page_offers_is_taken(self):
        for name in commands():
            page = run('help', name).stdout
            for option in options_of(page):
                told = run(name, option).stderr
                self.assertNotIn(f'found `{option}`', told, name)
                self.assertNotIn(f'unknown option `{option}`', told, name)
                self.assertNotIn('expected no arguments', told, name)

    def test_what_is_taken_is_on_a_page(self):
        """What the sources take is offered by a page, and what an example uses by its own page."""
        offered = set()
        for name in commands():
            page = run('help', name).stdout
            described = set(OPTION.findall(page.partition('\nExamples\n')[0]))
            self.assertLessEqual(set(OPTION.findall(page)), described, name)
            offered |= described
        sources = ''.join(path.read_text() for path in REPOSITORY.glob('handlers/cli/*/*.cc'))
        taken = set(re.findall(r'"(--[a-z-]+)"', sources)) - {'--format'}  # the AWS CLI's
        self.assertGreaterEqual(len(taken), 20)
        self.assertLessEqual(taken, offered)

    def test_examples_work_as_they_stand(self):
        tried = 0
        for name in commands():
            for example in examples_of(run('help', name).stdout):
                self.assertIn(f'trainwarden {name}', example)
                if OWN_JOB.search(example):
                    continue
                done = subprocess.run(['sh', '-c', example], capture_output=True, text=True, cwd=REPOSITORY, check=False,
                                      env=environment())
                self.assertEqual((done.returncode, done.stderr), (0, ''), example)
                self.assertNotEqual(done.stdout, '', example)
                tried += 1
        self.assertGreaterEqual(tried, 8)

    def test_the_documents_name_only_commands_and_options_that_there_are(self):
        seen = 0
        for path in sorted((*REPOSITORY.glob('*.md'), *REPOSITORY.glob('handlers/*.md'), *REPOSITORY.glob('tests/examples/**/*.md'))):
            for command, rest in re.findall(r'trainwarden ([a-z]+)((?:[^\n`|;&]|\\\n)*)', path.read_text()):
                options = re.findall(r'(?<![\w-])--[a-z-]+', rest)
                if not options:
                    continue  # prose may begin so, too
                with self.subTest(document=path.name, command=command):
                    self.assertIn(command, commands())
                    page = run('help', command).stdout
                    self.assertEqual([one for one in options if one not in page], [])
                    seen += len(options)
        self.assertGreater(seen, 40)


class Errors(unittest.TestCase):
    def test_the_error_comes_first_and_then_how_it_is_used(self):
        for name in commands():
            told = run(name, '--nonsense', 'x')
            self.assertEqual((told.returncode, told.stdout), (2, ''), name)
            lines = told.stderr.splitlines()
            self.assertTrue(lines[0].startswith(f'trainwarden: {name}: '), told.stderr)
            self.assertTrue(lines[1].startswith(f'usage: trainwarden {name}'), told.stderr)
            self.assertEqual(lines[-1], f'trainwarden help {name} tells more.')
            self.assertLessEqual(len(lines), 4)

    def test_an_unknown_command(self):
        for words in (('exprt',), ('help', 'exprt')):
            told = run(*words)
            self.assertEqual((told.returncode, told.stdout), (2, ''))
            self.assertEqual(told.stderr.splitlines()[0],
                             'trainwarden: expected a command, found `exprt`; did you mean `export`?')
        self.assertNotIn('did you mean', run('frobnicate').stderr)
        self.assertEqual(run().returncode, 2)

    def test_what_others_wrote_is_shown_in_an_error(self):
        self.assertNotIn('\x1b', run('check', '--\x1b[31m').stderr + run('\x1b[31m').stderr)


class Terminals(unittest.TestCase):
    def test_colour_on_a_terminal_only(self):
        self.assertNotIn('\x1b', run('help', 'export').stdout)
        self.assertIn('\x1b[1m', on_terminal('help', 'export'))
        self.assertNotIn('\x1b', on_terminal('help', 'export', NO_COLOR='1'))
        self.assertIn('\x1b', on_terminal('help', 'export', NO_COLOR=''))
        self.assertNotIn('\x1b', on_terminal('help', 'export', TERM='dumb'))
        self.assertNotIn('\x1b', on_terminal('report', 'tests/report/weekend.jsonl', '--json'))

    def test_lines_fit_a_terminal(self):
        for words in (('help',), ('help', 'explain'), ('help', 'restart')):
            for columns in (60, 80):
                text = re.sub(r'\x1b\[[0-9;]*m', '', on_terminal(*words, columns=columns)).partition('\nExamples\n')[0]
                self.assertLessEqual(max(map(len, text.splitlines())), columns, words)

    def test_nothing_is_broken_or_cut_in_a_pipe(self):
        page = run('help', 'explain').stdout
        self.assertIn('The region is --region\'s, else AWS_REGION\'s or the profile\'s.\n', page)
        self.assertTrue(any(len(line) > 150 for line in page.splitlines()))
        for words in (('report', 'tests/report/weekend.jsonl'),
                      ('backtest', 'tests/examples/policy-repository/policy.json',
                       'tests/examples/policy-repository/export.jsonl')):
            told = run(*words)
            self.assertEqual(told.stderr, '')
            self.assertNotIn('…', told.stdout)
            # A broken line goes on under its beginning, indented and in small letters.
            self.assertGreater(max(map(len, told.stdout.splitlines())), 80)

    def test_a_person_may_ask_for_a_width(self):
        self.assertLessEqual(max(map(len, run('help', COLUMNS='70').stdout.splitlines())), 70)

    def test_into_a_file_as_into_a_pipe(self):
        with tempfile.TemporaryFile('w+') as file:
            subprocess.run([TRAINWARDEN, 'help', 'explain'], stdout=file, cwd=REPOSITORY, check=True, env=environment())
            file.seek(0)
            self.assertEqual(file.read(), run('help', 'explain').stdout)


if __name__ == '__main__':
    unittest.main()
