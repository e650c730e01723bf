"""What the commands do with files that cannot be read, cannot be written, or are their own inputs.

usage: TRAINWARDEN_BIN=build/release/bin python3 -m unittest files_test
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from embedded_aws import BIN, clean_environment

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / 'tests/examples/policy-repository'


def trainwarden(*arguments, **options):
    options.setdefault('stdout', subprocess.PIPE)
    return subprocess.run([BIN / 'trainwarden', *map(str, arguments)], stderr=subprocess.PIPE, text=True,
                          env=clean_environment(PATH='/bin:/usr/bin'), **options)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ('policy.json', 'cases.jsonl', 'export.jsonl'):
            (self.folder / name).write_bytes((EXAMPLE / name).read_bytes())
        self.policy, self.cases, self.export = (self.folder / name for name in ('policy.json', 'cases.jsonl', 'export.jsonl'))

    def refused(self, ran, *said):
        self.assertEqual(ran.returncode, 2, ran)
        for words in said:
            self.assertIn(words, ran.stderr)

    def test_a_folder_is_no_file(self):
        for arguments in (('report', self.folder), ('backtest', self.policy, self.folder), ('test', self.policy, self.folder)):
            self.refused(trainwarden(*arguments), f'trainwarden: {arguments[0]}: cannot read {self.folder}: Is a directory')

    def test_an_empty_file_is_no_export(self):
        empty = self.folder / 'empty.jsonl'
        empty.touch()
        self.refused(trainwarden('backtest', self.policy, empty), 'found an empty file')
        self.refused(trainwarden('report', empty), 'expected the first line of `trainwarden export`, found nothing')
        self.refused(trainwarden('test', self.policy, empty), 'found none')

    def test_41_5_files_in_utf_16_are_read_as_what_they_say(self):
        describe = {'TrainingJobName': 'a', 'TrainingJobStatus': 'Failed', 'SecondaryStatus': 'Failed', 'CreationTime': 1645200000,
                    'FailureReason': 'AlgorithmError: ExecuteUserScriptError:\nExitCode 1\nErrorMessage ""', 'TrainingStartTime': 1645200100,
                    'TrainingEndTime': 1645203600}
        policy = {'version': 1, 'rules': [{'name': 'oom', 'match': {'job': {'TrainingJobStatus': ['Failed']}, 'failure': {'label': ['oom_gpu']}},
                                           'actions': ['notify']}]}
        log = '2022-02-18T19:00:00+00:00 a/algo-1-1645200001 torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\r\n'
        def written(name, text, encoding):
            path = self.folder / name
            path.write_bytes(text.encode(encoding))
            return path
        for encoding in ('utf-8', 'utf-8-sig', 'utf-16'):
            with self.subTest(encoding):
                ran = trainwarden('explain', '--policy', written('p.json', json.dumps(policy), encoding), '--tags', '{}',
                                  '--job', written('d.json', json.dumps(describe), encoding), '--logs', written('l.txt', log, encoding))
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn('1 of 1 rules hold', ran.stdout)
                self.assertEqual(trainwarden('check', written('p.json', json.dumps(policy), encoding)).returncode, 0)
                for arguments in (('backtest', self.policy), ('report',)):
                    export = written('e.jsonl', self.export.read_text(), encoding) if encoding == 'utf-16' else self.export
                    self.assertEqual(trainwarden(*arguments, export).returncode, 0)
                    with open(export, 'rb') as lines:
                        self.assertEqual(trainwarden(*arguments, '-', stdin=lines).returncode, 0)
                cases = trainwarden('test', self.policy, written('c.jsonl', self.cases.read_text(), encoding))
                self.assertEqual(cases.returncode, 0, cases.stdout)
        ask = json.dumps({'failure_reason': 'AlgorithmError: ExitCode 1', 'log_tail': ['KeyError: lr']}) + '\n'
        diagnosed = trainwarden('diagnose', '--file', written('f.jsonl', ask, 'utf-16'))
        self.assertEqual((diagnosed.returncode, json.loads(diagnosed.stdout)['label']), (0, 'user_code'), diagnosed.stderr)
        match = json.dumps({'pattern': {'a': ['b']}, 'event': {'a': 'b'}}) + '\n'
        with open(written('m.jsonl', match, 'utf-16'), 'rb') as lines:
            matched = trainwarden('match', stdin=lines)
        self.assertEqual((matched.returncode, json.loads(matched.stdout)['match']), (0, True), matched.stderr)
        for name, content in (('latin', 'caf\xe9 CUDA out of memory'.encode('latin-1')), ('no-mark', log.encode('utf-16-le')), ('utf-32', log.encode('utf-32'))):
            bad = self.folder / name
            bad.write_bytes(content)
            self.refused(trainwarden('explain', '--policy', self.folder / 'p.json', '--tags', '{}', '--job', json.dumps(describe), '--logs', bad),
                         f'{bad}: expected text in UTF-8, found', 'save it as UTF-8')
            self.refused(trainwarden('check', bad), 'expected text in UTF-8')
            self.refused(trainwarden('backtest', self.policy, bad), 'expected text in UTF-8')
            self.assertEqual(trainwarden('test', self.policy, bad).returncode, 2)

    def test_no_jobs_judge_no_policy(self):
        lines = self.export.read_text().splitlines(keepends=True)
        self.export.write_text(''.join(line for line in lines if not line.startswith('{"job":')))
        self.refused(trainwarden('backtest', self.policy, self.export, '--max-wrong', '0'), 'expected jobs to judge the policy by')
        self.assertEqual(trainwarden('backtest', self.policy, self.export).returncode, 0)

    def test_inputs_are_not_overwritten(self):
        page = self.folder / 'page.html'
        os.link(self.export, page)
        other_way = self.folder / '..' / self.folder.name / 'policy.json'
        before = {path: path.read_bytes() for path in (self.policy, self.cases, self.export)}
        self.refused(trainwarden('report', self.export, '--html', page), f'--html would overwrite {self.export}')
        self.refused(trainwarden('backtest', self.policy, self.export, '--html', page), f'--html would overwrite {self.export}')
        with open(self.export) as lines:
            self.refused(trainwarden('report', '-', '--html', page, stdin=lines), "--html would overwrite standard input's file")
        self.refused(trainwarden('test', self.policy, self.cases, '--junit', other_way), f'--junit would overwrite {self.policy}')
        # The page's name was forgotten.
        self.refused(trainwarden('report', '--html', self.export), "--html: expected a page's name such as report.html")
        self.refused(trainwarden('backtest', self.policy, '--html', self.export), "--html: expected a page's name such as report.html")
        for path, content in before.items():
            self.assertEqual(path.read_bytes(), content)

    def test_standard_input_is_read_once(self):
        self.refused(trainwarden('explain', '--policy', self.policy, '--job', '-', '--tags', '-', stdin=subprocess.DEVNULL),
                     "explain: --tags: expected a file: standard input is --job's")

    def test_a_page_takes_the_place_of_an_earlier_one(self):
        page = self.folder / 'page.html'
        page.write_text('earlier')
        self.assertEqual(trainwarden('report', self.export, '--html', page).returncode, 0)
        self.assertIn('<!doctype html>', page.read_text().lower())

    def test_results_of_an_earlier_run_do_not_stay(self):
        results = self.folder / 'results.xml'
        self.assertEqual(trainwarden('test', self.policy, self.cases, '--junit', results).returncode, 0)
        self.assertIn('errors="0"', results.read_text())
        broken = self.folder / 'broken.json'
        broken.write_text(json.dumps({'version': 1, 'rules': [{'name': 'a'}]}))
        self.refused(trainwarden('test', broken, self.cases, '--junit', results))
        self.assertIn('errors="1"', results.read_text())

    def test_output_that_cannot_be_written_is_no_success(self):
        for arguments in (('check', self.policy), ('test', self.policy, self.cases), ('report', self.export), ('schema',), ('help',),
                          ('backtest', self.policy, self.export), ('--version',), ('help', 'check'), ('check', '--help')):
            with open('/dev/full', 'w') as full:
                self.refused(trainwarden(*arguments, stdout=full), 'standard output cannot be written: No space left on device')

    def test_a_reader_that_has_gone_is_no_error(self):
        ran = subprocess.run(['bash', '-c', 'set -o pipefail; "$0" schema | head -1; echo ${PIPESTATUS[0]}', BIN / 'trainwarden'],
                             capture_output=True, text=True)
        self.assertEqual(ran.stderr, '')


if __name__ == '__main__':
    unittest.main()
