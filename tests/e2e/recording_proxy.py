"""Forwards a client's calls to localaws and keeps what they were, as judge_by_models reads it."""
import http.client
import http.server
import json
import re
import threading
import time

SERVICES = {'SageMaker': 'sagemaker', 'GraniteServiceVersion20100801': 'cloudwatch', 'Logs_20140328': 'logs', 'AmazonSSM': 'ssm',
            'DynamoDB_20120810': 'dynamodb', 'AWSPriceListService': 'pricing'}


def operation_of(method, headers):
    """'sagemaker.Search'; of S3, which has no such header, the one call that is made."""
    prefix, _, operation = headers.get('X-Amz-Target', '').rpartition('.')
    return f'{SERVICES[prefix]}.{operation}' if prefix else 's3.ListObjectsV2' if method == 'GET' else 'unknown'


class RecordingProxy:
    """calls: (time, 'service.Operation') as they came."""

    def __init__(self, url):
        self.calls, self.lines = [], []
        target = re.fullmatch(r'http://([^:]+):(\d+)', url).groups()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def forward(self):
                body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
                proxy.note(self.command, self.path, self.headers, body)
                onward = http.client.HTTPConnection(target[0], int(target[1]), timeout=60)
                onward.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    onward.putheader(name, value)
                onward.endheaders(body)
                answer = onward.getresponse()
                content = answer.read()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ('content-length', 'transfer-encoding', 'connection', 'date', 'server'):
                        self.send_header(name, value)
                self.send_header('Content-Length', str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                onward.close()

            do_GET = do_POST = forward

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.url = f'http://127.0.0.1:{self.server.server_port}'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def note(self, method, path, headers, body):
        self.calls.append((time.monotonic(), operation_of(method, headers)))
        self.lines.append(json.dumps({
            'time': time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()), 'method': method, 'url': f'http://{headers["Host"]}{path}',
            'headers': list(headers.items()), 'body': body.decode(), 'label': f'cli {self.calls[-1][1]}'}) + '\n')

    def operations(self):
        return {operation for _, operation in self.calls}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
