#!/usr/bin/env python3
"""A function for functions_test.py: it does with the Runtime API what the event's "do" says."""
import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.request

API = f'http://{os.environ["AWS_LAMBDA_RUNTIME_API"]}/2018-06-01/runtime/'
FOR_AWS = ('AWS_REGION', 'AWS_CA_BUNDLE', 'AWS_DEFAULT_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_ENDPOINT_URL', 'AWS_LAMBDA_FUNCTION_NAME',
           'AWS_LAMBDA_FUNCTION_MEMORY_SIZE', 'AWS_LAMBDA_FUNCTION_VERSION', 'AWS_LAMBDA_INITIALIZATION_TYPE',
           'AWS_LAMBDA_LOG_FORMAT', 'AWS_LAMBDA_LOG_LEVEL', 'LAMBDA_TASK_ROOT', 'TRAINWARDEN_ALARM_TOPIC',
           'TRAINWARDEN_MODE', 'TRAINWARDEN_POLICY', 'TRAINWARDEN_TABLE')
last = None


def post(path, body, **headers):
    request = urllib.request.Request(API + path, body, {k.replace('_', '-'): v for k, v in headers.items()})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def misuse(current):
    """What the Runtime API says to each call that is not allowed now."""
    return {'init_error': post('init/error', b'{}'), 'unknown_id': post('invocation/other/response', b'{}'),
            'no_path': post('nothing', b'')}


def handle(identity, event, headers):
    global last
    todo = event.get('do')
    if todo == 'error':
        return post(f'invocation/{identity}/error', b'{"errorMessage":"no","errorType":"Function.No"}')
    if todo == 'exit':
        sys.exit(3)
    if todo == 'hang':
        time.sleep(60)
    if todo == 'wait':
        time.sleep(event['seconds'])
    if todo == 'too-large':
        last = [post(f'invocation/{identity}/response', b'x' * 6291557), post(f'invocation/{identity}/error', b'{}')]
        return None
    answer = {'event': event, 'environment': {k: os.environ[k] for k in FOR_AWS if k in os.environ}, 'folder': os.getcwd(),
              'last': last, 'redelivered': False, 'misuse': misuse(identity) if todo == 'misuse' else None,
              'headers': {k.lower(): v for k, v in headers.items()}}
    if todo == 'again':
        with urllib.request.urlopen(API + 'invocation/next') as same:
            answer['redelivered'] = same.headers['Lambda-Runtime-Aws-Request-Id'] == identity
    last = [post(f'invocation/{identity}/response', json.dumps(answer).encode()),
            post(f'invocation/{identity}/response', b'{}')]
    return None


if os.environ.get('TRAINWARDEN_MODE') == 'broken':
    post('init/error', b'{"errorMessage":"cannot start","errorType":"Runtime.Broken"}',
         Lambda_Runtime_Function_Error_Type='Runtime.Broken')
    sys.exit(1)
print('a line on stdout', flush=True)
if os.environ.get('TRAINWARDEN_MODE') == 'calls':  # AWS during its init, without a trace
    context = None
    if os.environ.get('AWS_CA_BUNDLE'):
        context = ssl.create_default_context(cafile=os.environ['AWS_CA_BUNDLE'])
    stamp = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())
    for service, body, headers in (
            ('ssm', b'{"Name":"/trainwarden/policy","WithDecryption":true}',
             {'X-Amz-Target': 'AmazonSSM.GetParameter', 'Content-Type': 'application/x-amz-json-1.1'}),
            ('sns', b'Action=Publish&Version=2010-03-31&TopicArn=t&Message=a+b&MessageAttributes.entry.1.Name=rule'
             b'&MessageAttributes.entry.1.Value.DataType=String&MessageAttributes.entry.1.Value.StringValue=x',
             {'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8'})):
        wrong = (f'AWS4-HMAC-SHA256 Credential=test/{stamp[:8]}/us-east-1/{service}/aws4_request, SignedHeaders=host, '
                 f'Signature={"0" * 64}')
        try:
            urllib.request.urlopen(urllib.request.Request(
                os.environ['AWS_ENDPOINT_URL'] + '/', body, {**headers, 'X-Amz-Date': stamp, 'Authorization': wrong}),
                context=context)
        except urllib.error.HTTPError as refusal:
            refusal.close()
while True:
    with urllib.request.urlopen(API + 'invocation/next') as invocation:
        handle(invocation.headers['Lambda-Runtime-Aws-Request-Id'], json.load(invocation), invocation.headers)
