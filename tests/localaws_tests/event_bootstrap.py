#!/usr/bin/env python3
"""A function that appends each event to the file that TRAINWARDEN_MODE names, and answers null."""
import os
import urllib.request

API = f'http://{os.environ["AWS_LAMBDA_RUNTIME_API"]}/2018-06-01/runtime/invocation/'
while True:
    with urllib.request.urlopen(API + 'next') as invocation:
        identity, event = invocation.headers['Lambda-Runtime-Aws-Request-Id'], invocation.read()
    with open(os.environ['TRAINWARDEN_MODE'], 'ab') as file:
        file.write(event.replace(b'\n', b' ') + b'\n')
    urllib.request.urlopen(urllib.request.Request(f'{API}{identity}/response', b'null')).close()
