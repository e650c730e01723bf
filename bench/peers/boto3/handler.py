"""The function that people write with boto3: describe, list tags, tag, stop, on a plain loop over the Runtime API."""
import http.client
import json
import os

import boto3

sagemaker = boto3.client('sagemaker')


def handle(event):
    told = event['detail']
    if told['TrainingJobStatus'] != 'InProgress':
        return {'decisions': []}
    name = told['TrainingJobName']
    job = sagemaker.describe_training_job(TrainingJobName=name)
    arn = job['TrainingJobArn']
    tags = {tag['Key']: tag['Value'] for tag in sagemaker.list_tags(ResourceArn=arn)['Tags']}
    if job['TrainingJobStatus'] != 'InProgress' or 'model_name' in tags:
        return {'decisions': []}
    sagemaker.add_tags(ResourceArn=arn, Tags=[{'Key': 'stopped-by', 'Value': 'required-tags'}])
    sagemaker.stop_training_job(TrainingJobName=name)
    return {'decisions': ['stopped']}


def main():
    host, _, prefix = os.environ['AWS_LAMBDA_RUNTIME_API'].partition('/')
    path = f'{"/" if prefix else ""}{prefix}/2018-06-01/runtime/invocation'
    connection = http.client.HTTPConnection(host)
    while True:
        connection.request('GET', f'{path}/next')
        answer = connection.getresponse()
        event, request = json.load(answer), answer.headers['Lambda-Runtime-Aws-Request-Id']
        try:
            kind, result = 'response', handle(event)
        except Exception as error:  # pylint: disable=broad-except
            kind, result = 'error', {'errorMessage': str(error), 'errorType': type(error).__name__}
        connection.request('POST', f'{path}/{request}/{kind}', json.dumps(result))
        connection.getresponse().read()


main()
