"""Projects of someone else that build the runtime, and their functions on the local Runtime API.

usage: LOCALAWS=path/to/localaws TRAINWARDEN_BUILD=folder TRAINWARDEN_DEPS=folder python3 -m unittest consumer_test

Each project is laid out as runtime/README.md says, with the repository in it as the folder trainwarden.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
LOCALAWS = os.environ.get('LOCALAWS')
ARN = 'arn:aws:sagemaker:us-east-1:111122223333:training-job/train-1'


class Server:
    """localaws on a free port, with `function` where it starts the state function."""

    def __init__(self, function, log):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'TRAINWARDEN_'))}
        self.process = subprocess.Popen([LOCALAWS, 'serve', '--port', '0', '--state', function],
                                        stdout=subprocess.PIPE, stderr=log, env=kept, text=True)
        self.url = re.search(r'http://127\.0\.0\.1:\d+', self.process.stdout.readline())[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=10)
        self.process.stdout.close()

    def call(self, method, path, body):
        request = urllib.request.Request(f'{self.url}/_localaws/{path}', json.dumps(body).encode(), method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)


@unittest.skipUnless(LOCALAWS, 'LOCALAWS does not name the binary')
class Consumer(unittest.TestCase):
    def build(self, way, *options):
        """Configures and builds the project as it would be outside; the folder of its programs."""
        folder = pathlib.Path(os.environ['TRAINWARDEN_BUILD']) / 'consumer' / way
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in (HERE / way / 'CMakeLists.txt', HERE / 'echo.cc', HERE / 'tags.cc'):
            shutil.copy(file, folder)
        (folder / 'trainwarden').symlink_to(REPOSITORY)
        # As `./dev` sets it: what another clone has compiled is not compiled again.
        environment = {**os.environ, 'CCACHE_BASEDIR': str(REPOSITORY), 'CCACHE_NOHASHDIR': '1'}
        handed = {'TRAINWARDEN_DEPS': os.environ.get('TRAINWARDEN_DEPS'),
                  'CMAKE_CXX_COMPILER': os.environ.get('TRAINWARDEN_CXX'),
                  'CMAKE_CXX_COMPILER_LAUNCHER': os.environ.get('TRAINWARDEN_LAUNCHER')}
        options += tuple(f'-D{name}={value}' for name, value in handed.items() if value)
        self.run_quietly(environment, 'cmake', '-S', folder, '-B', folder / 'build', '-G', 'Ninja', *options)
        self.run_quietly(environment, 'cmake', '--build', folder / 'build')
        return folder / 'build'

    def run_quietly(self, environment, *command):
        ended = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(ended.returncode, 0, f'{" ".join(map(str, command))}\n{ended.stdout[-8000:]}')

    def check(self, programs):
        with open(programs / 'echo.log', 'w') as log, Server(programs / 'echo', log) as aws:
            for event in ({'a': [1, 'größe', None]}, 'text', 7):
                self.assertEqual(aws.call('POST', 'invoke/state', event), (200, event))
        with open(programs / 'tags.log', 'w') as log, Server(programs / 'tags', log) as aws:
            tags = [{'Key': 'team', 'Value': 'vision'}, {'Key': 'model_name', 'Value': 'm'}]
            self.assertEqual(aws.call('PUT', 'jobs/train-1', {'Tags': tags})[0], 200)
            self.assertEqual(aws.call('POST', 'invoke/state', {'arn': ARN}), (200, {'team': 'vision', 'model_name': 'm'}))
            status, error = aws.call('POST', 'invoke/state', {'name': 'train-1'})
            self.assertEqual((status, error['errorType']), (502, 'Function.InvalidInput'))
            self.assertIn('arn', error['errorMessage'])
            status, error = aws.call('POST', 'invoke/state', {'arn': ARN.replace('train-1', 'train-2')})
            self.assertEqual(status, 502)

    def test_add_subdirectory(self):
        programs = self.build('add_subdirectory', '-DCMAKE_BUILD_TYPE=Release')
        self.check(programs)
        header = subprocess.run(['readelf', '-lW', programs / 'echo'], capture_output=True, text=True, check=True).stdout
        self.assertNotIn('INTERP', header, 'linked with -static')

    def test_fetch_content(self):
        self.check(self.build('fetch_content', '-DCMAKE_BUILD_TYPE=Debug'))


class Readme(unittest.TestCase):
    """runtime/README.md shows these files whole."""

    def test_its_files_are_the_ones_that_are_built(self):
        text = (REPOSITORY / 'runtime' / 'README.md').read_text()
        shown = dict(re.findall(r'^`([\w.]+)`:\n+```\w+\n(.*?)^```', text, flags=re.S | re.M))
        self.assertEqual(shown, {'CMakeLists.txt': (HERE / 'add_subdirectory' / 'CMakeLists.txt').read_text(),
                                 'echo.cc': (HERE / 'echo.cc').read_text(), 'tags.cc': (HERE / 'tags.cc').read_text()})


if __name__ == '__main__':
    unittest.main()
