"""A Runtime API on a loopback port that gives a program events one after the other, and says when it waits for the next."""
import pathlib
import select
import socket
import time

EVENT = (b'{"version":"0","id":"e-1","detail-type":"SageMaker Training Job State Change","source":"aws.sagemaker",'
         b'"account":"111122223333","time":"2026-07-02T13:49:00Z","region":"eu-central-1","resources":[],"detail":{'
         b'"TrainingJobName":"quiet-1","TrainingJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:training-job/quiet-1",'
         b'"TrainingJobStatus":"Stopping","SecondaryStatus":"Stopping","CreationTime":1783000000000,'
         b'"Tags":{"model_name":"m"}}}')
ACCEPTED = b'HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"status":"OK"}\n'
PAUSE = 0.005  # before each answer: the program sleeps by then, as it does in Lambda, so that it always takes the same path
SECONDS = 60  # a program that asks for nothing for so long under an instruction counter is stuck


class Stuck(Exception):
    pass


def environment(api):
    """What Lambda sets, and nothing of this machine's: the same for each run and each checkout."""
    return {'PATH': '/usr/bin:/bin', 'AWS_LAMBDA_RUNTIME_API': api, 'AWS_REGION': 'eu-central-1', 'AWS_ACCESS_KEY_ID': 'test',
            'AWS_SECRET_ACCESS_KEY': 'test', 'AWS_SESSION_TOKEN': 'test', 'AWS_LAMBDA_FUNCTION_NAME': 'trainwarden-state',
            'AWS_LAMBDA_FUNCTION_VERSION': '$LATEST', 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE': '128', 'AWS_LAMBDA_LOG_FORMAT': 'JSON',
            'AWS_LAMBDA_LOG_GROUP_NAME': '/aws/lambda/trainwarden-state', 'AWS_LAMBDA_LOG_STREAM_NAME': 'stream',
            'TRAINWARDEN_TABLE': 'arn:aws:dynamodb:eu-central-1:111122223333:table/trainwarden-state',
            'TRAINWARDEN_ALARM_TOPIC': 'arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms'}


class RuntimeApi:
    def __init__(self):
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.environment = environment('127.0.0.1:%d' % self.listener.getsockname()[1])
        self.received = {}  # connection → bytes of a request that is not whole yet
        self.given = 0
        self.asking = None  # the connection that waits for an event

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in (self.listener, *self.received):
            one.close()

    def requests(self):
        """(connection, head) of each request, as it comes."""
        while True:
            ready, _, _ = select.select([self.listener, *self.received], [], [], SECONDS)
            if not ready:
                raise Stuck(f'the program has sent nothing for {SECONDS} s')
            for one in ready:
                if one is self.listener:
                    connection = one.accept()[0]
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self.received[connection] = b''
                    continue
                data = one.recv(65536)
                if not data:
                    self.received.pop(one)
                    one.close()
                    if not self.received:
                        raise Stuck('the program has hung up')
                    continue
                self.received[one] += data
                head, end, body = self.received[one].partition(b'\r\n\r\n')
                length = [int(line[15:]) for line in head.lower().split(b'\r\n') if line.startswith(b'content-length:')]
                if end and len(body) >= sum(length):
                    self.received[one] = body[sum(length):]
                    yield one, head

    def give(self):
        self.given += 1
        self.asking.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
                            b'Lambda-Runtime-Aws-Request-Id: 8476a536-e9f4-11e8-9739-%012d\r\n'
                            b'Lambda-Runtime-Deadline-Ms: %d\r\nLambda-Runtime-Invoked-Function-Arn: '
                            b'arn:aws:lambda:eu-central-1:111122223333:function:trainwarden-state\r\n'
                            b'Lambda-Runtime-Trace-Id: Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1\r\n'
                            b'Content-Length: %d\r\n\r\n' % (self.given, int(time.time() * 1000) + 60_000, len(EVENT)) + EVENT)

    def serve(self, events):
        """Gives so many events more; returns when the program has asked for the one after the last."""
        last = self.given + events
        if self.asking and events:
            self.give()
        for connection, head in self.requests():
            time.sleep(PAUSE)
            if head.startswith(b'GET '):
                self.asking = connection
                if self.given == last:
                    return
                self.give()
                continue
            if b'/response ' not in head.split(b'\r\n')[0]:
                raise Stuck(f'the program has told of an error: {head.splitlines()[0].decode()}')
            connection.sendall(ACCEPTED)


def wait_until_asleep(pid):
    """Until the process has used no CPU time for a while: what it sent is behind it, and it waits for the answer."""
    def now():
        fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
        switches = [line for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines() if 'ctxt_switches' in line]
        return fields[0], switches
    calm, before = 0, None
    for _ in range(1000):
        seen = now()
        calm = calm + 1 if seen == before and seen[0] == 'S' else 0
        if calm == 3:
            return
        before = seen
        time.sleep(0.02)
    raise Stuck('the program does not come to rest while it waits for an event')
