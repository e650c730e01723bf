"""cfn-lint on template.yaml, and on what the SAM translator makes of it: it finds in each what it misses in the other.

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
TRANSFORM = '''
import json, sys
sys.path.insert(0, sys.argv[1])
import cloudformation
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
template = cloudformation.load()
template['Globals']['Function']['CodeUri'] = 's3://example-bucket/package.zip'  # as `sam package` leaves it
parameters = {name: declared['Default'] for name, declared in template['Parameters'].items()}
json.dump(Translator({}, Parser()).translate(sam_template=template, parameter_values=parameters), sys.stdout, indent=1)
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
    def assertClean(self, path):
        done = subprocess.run([CFN_LINT, '-c', LINT, '--regions', REGION, '--include-checks', 'I', '--non-zero-exit-code',
                               'informational', '--', str(path)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f'\n{done.stdout}{done.stderr}')

    def test_the_template_is_clean(self):
        self.assertClean(REPOSITORY / 'template.yaml')

    def test_a_mistake_is_found(self):
        """Else a clean result would say nothing."""
        text = (REPOSITORY / 'template.yaml').read_text().replace('Statistic: Sum', 'Statistic: Highest')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'template.yaml'
            path.write_text(text)
            with self.assertRaises(AssertionError):
                self.assertClean(path)

    @unittest.skipUnless(TRANSLATOR, 'aws-sam-translator is not installed')
    def test_the_transformed_template_is_clean(self):
        done = subprocess.run([TRANSLATOR, '-c', TRANSFORM, str(pathlib.Path(__file__).parent)], capture_output=True, text=True,
                              check=False, env={**os.environ, 'AWS_DEFAULT_REGION': REGION})
        self.assertEqual(done.returncode, 0, done.stderr)
        transformed = json.loads(done.stdout)
        functions = [r['Properties'] for r in transformed['Resources'].values() if r['Type'] == 'AWS::Lambda::Function']
        self.assertEqual(len(functions), 2)
        for function in functions:
            self.assertEqual((function['Runtime'], function['RecursiveLoop'], function['LoggingConfig']['LogFormat']),
                             ('provided.al2023', 'Terminate', 'JSON'))
        kinds = [resource['Type'] for resource in transformed['Resources'].values()]
        self.assertEqual(kinds.count('AWS::Lambda::EventInvokeConfig'), 2)
        self.assertEqual(kinds.count('AWS::IAM::Role'), 2, 'SAM made a role of its own')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'transformed.json'
            path.write_text(done.stdout)
            self.assertClean(path)


if __name__ == '__main__':
    unittest.main()
