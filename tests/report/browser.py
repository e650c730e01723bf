"""A headless browser that is driven over its debugging pipe (the DevTools protocol): what a page loads, shows and runs.

https://chromedevtools.github.io/devtools-protocol/
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

CHROMIUM = next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)


class Browser:
    """One process with one tab. Each page begins with empty lists of what went wrong."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()
        # It reads from 3 and writes to 4; our own ends may have these numbers, so the shell moves them.
        command = [CHROMIUM, '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--no-first-run',
                   '--disable-background-networking', '--remote-debugging-pipe', f'--user-data-dir={self.profile.name}', 'about:blank']
        self.process = subprocess.Popen(['sh', '-c', f'exec "$@" 3<&{to_read} 4>&{to_write}', 'sh', *command], pass_fds=(to_read, to_write),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.last_id, self.session, self.events = b'', 0, None, []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Network', 'Runtime', 'Log', 'Audits'):
            self.call(f'{domain}.enable')

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.profile.cleanup()

    def next_message(self, seconds):
        end = time.monotonic() + seconds
        while b'\0' not in self.buffer:
            if not select.select([self.from_browser], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError('the browser does not answer')
            read = os.read(self.from_browser, 1 << 20)
            if not read:
                raise AssertionError('the browser has ended')
            self.buffer += read
        message, _, self.buffer = self.buffer.partition(b'\0')
        return json.loads(message)

    def call(self, method, seconds=60, **parameters):
        self.last_id += 1
        message = {'id': self.last_id, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        data = json.dumps(message).encode() + b'\0'
        while data:
            data = data[os.write(self.to_browser, data):]
        while True:
            answer = self.next_message(seconds)
            if answer.get('id') == self.last_id:
                assert 'error' not in answer, answer
                return answer['result']
            self.events.append(answer)

    def wait_for(self, method, seconds=60):
        while not any(event.get('method') == method for event in self.events):
            self.events.append(self.next_message(seconds))

    def open(self, url, width=1000, scheme='light'):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        self.call('Emulation.setEmulatedMedia', media='screen', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        for one in ('about:blank', url):
            self.events = []
            self.call('Page.navigate', url=one)
            self.wait_for('Page.loadEventFired')

    def evaluate(self, expression):
        """The value of a JavaScript expression; it runs beside the page's own policy, which allows none."""
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True)
        assert 'exceptionDetails' not in answer, answer
        return answer['result'].get('value')

    def of(self, method):
        return [event['params'] for event in self.events if event.get('method') == method]

    def requested(self):
        return [one['request']['url'] for one in self.of('Network.requestWillBeSent')]

    def complaints(self):
        """What the browser's console and its list of issues say: violations of the policy, errors, dialogs."""
        return self.of('Log.entryAdded') + self.of('Audits.issueAdded') + self.of('Runtime.consoleAPICalled') + \
            self.of('Runtime.exceptionThrown') + self.of('Page.javascriptDialogOpening')

    def picture(self, path, height=None):
        size = self.evaluate('({width: document.documentElement.clientWidth, height: document.documentElement.scrollHeight})')
        clip = {'x': 0, 'y': 0, 'scale': 1, 'width': size['width'], 'height': min(size['height'], height or size['height'])}
        data = self.call('Page.captureScreenshot', format='png', captureBeyondViewport=True, clip=clip)['data']
        with open(path, 'wb') as out:
            out.write(base64.b64decode(data))
