"""cfn-lint on template.yaml, as it stands and as `package` leaves it; and SAM's translator beside it, which must make of
AWS::Serverless::Function exactly what is written out here.

usage: python3 -m unittest discover -p lint_test.py
Skips, and says so, where no Python here has cfn-lint (pip install cfn-lint; it brings aws-sam-translator). It need not be
the Python that runs the tests.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
REGION = 'eu-central-1'
LINT = ('import sys; from importlib.metadata import distribution; sys.argv[0] = "cfn-lint"; '
        'sys.exit(next(e for e in distribution("cfn-lint").entry_points if e.name == "cfn-lint").load()())')
# Our template with the functions as SAM's: each swallows its EventInvokeConfig, and the macro gives it back.
TRANSLATE = '''
import copy, json, sys
sys.path.insert(0, sys.argv[1])
import cloudformation
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
ours = cloudformation.load()
theirs = copy.deepcopy(ours)
theirs["Transform"] = "AWS::Serverless-2016-10-31"
for name in ("StateFunction", "AlarmFunction"):
    function = theirs["Resources"][name]
    function["Type"] = "AWS::Serverless::Function"
    properties = function["Properties"]
    del properties["Code"]
    properties["CodeUri"] = "s3://example-bucket/package.zip"  # as `sam package` leaves it
    config = theirs["Resources"].pop(f"{name}EventInvokeConfig")["Properties"]
    failure = config["DestinationConfig"]["OnFailure"]
    properties["EventInvokeConfig"] = {"MaximumRetryAttempts": config["MaximumRetryAttempts"],
                                       "MaximumEventAgeInSeconds": config["MaximumEventAgeInSeconds"],
                                       "DestinationConfig": {"OnFailure": {"Type": "SQS", "Destination": failure["Destination"]}}}
    ours["Resources"][name]["Properties"]["Code"] = {"S3Bucket": "example-bucket", "S3Key": "package.zip"}
parameters = {name: declared["Default"] for name, declared in theirs["Parameters"].items()}
translated = Translator({}, Parser()).translate(sam_template=theirs, parameter_values=parameters)
json.dump({"ours": ours, "translated": translated}, sys.stdout, indent=1)
'''


def python_with(module):
    """A Python that can import it: this one, the one on the PATH, or the one that cfn-lint starts with."""
    candidates = [sys.executable, shutil.which('python3')]
    command = shutil.which('cfn-lint')
    if command:
        first_line = pathlib.Path(command).read_bytes().split(b'\n', 1)[0].decode(errors='replace')
        candidates.append(first_line[2:].strip() if first_line.startswith('#!/') and 'python' in first_line else None)
    for candidate in filter(None, candidates):
        try:
            if subprocess.run([candidate, '-c', f'import {module}, yaml'], capture_output=True, check=False).returncode == 0:
                return candidate
        except OSError:
            continue
    return None


CFN_LINT = python_with('cfnlint')
TRANSLATOR = python_with('samtranslator')


@unittest.skipUnless(CFN_LINT, 'cfn-lint is not installed')
class CfnLint(unittest.TestCase):
    def assertClean(self, text, *but):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'template.yaml'
            path.write_text(text)
            ignored = ['--ignore-checks', *but] if but else []
            done = subprocess.run([CFN_LINT, '-c', LINT, '--regions', REGION, '--include-checks', 'I', *ignored, '--non-zero-exit-code',
                                   'informational', '--', str(path)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f'\n{done.stdout}{done.stderr}')

    def setUp(self):
        self.text = (REPOSITORY / 'template.yaml').read_text()

    def test_the_template_is_clean(self):
        """But for W3002: a folder in Code is for `sam build`."""
        self.assertClean(self.text, 'W3002')

    def test_what_package_makes_of_it_is_clean(self):
        code = '\n      Code: .\n'
        self.assertEqual(self.text.count(code), 2)
        packaged = self.text.replace(code, '\n      Code: { S3Bucket: example-bucket, S3Key: package.zip }\n')
        self.assertClean(packaged)

    def test_a_mistake_is_found(self):
        """Else a clean result would say nothing."""
        with self.assertRaises(AssertionError):
            self.assertClean(self.text.replace('Statistic: Sum', 'Statistic: Highest'), 'W3002')
        with self.assertRaises(AssertionError):
            self.assertClean(self.text)


@unittest.skipUnless(TRANSLATOR, 'cfn-lint is not installed')  # which brings the translator
class Translator(unittest.TestCase):
    def test_SAM_would_make_the_same(self):
        """Resource by resource: ids, conditions, retries, dead letters, concurrency. Only SAM's own tag is not kept."""
        done = subprocess.run([TRANSLATOR, '-c', TRANSLATE, str(pathlib.Path(__file__).parent)], capture_output=True, text=True,
                              check=False, env={**os.environ, 'AWS_DEFAULT_REGION': REGION})
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        ours, translated = found['ours'], found['translated']
        for name in ('StateFunction', 'AlarmFunction'):
            tags = translated['Resources'][name]['Properties'].pop('Tags')
            self.assertEqual(tags, [{'Key': 'lambda:createdBy', 'Value': 'SAM'}])
            del translated['Resources'][f'{name}EventInvokeConfig']['Metadata']  # a copy of the function's
        self.assertEqual(sorted(translated['Resources']), sorted(ours['Resources']))
        for name, resource in ours['Resources'].items():
            self.assertEqual(translated['Resources'][name], resource, name)
        translated.pop('Transform', None)
        self.assertEqual(translated, ours)


if __name__ == '__main__':
    unittest.main()
