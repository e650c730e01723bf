"""PutMetricAlarm requests of every kind of watch and of every recipe, judged by botocore's model of CloudWatch.

usage: alarm_requests_test.py PATH_OF_rules_test
"""
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import botocore.session
    from botocore.validate import ParamValidator
except ImportError:
    print('python3-botocore is not installed: no request was judged by the service model')
    sys.exit(77)


def limits(shape, value, path='request'):
    """What botocore leaves to the service: lengths, ranges, patterns and enumerations of the model."""
    wrong = []
    data = shape.metadata
    if shape.type_name == 'structure':
        for name, member in value.items():
            wrong += limits(shape.members[name], member, f'{path}.{name}')
    elif shape.type_name == 'list':
        for i, member in enumerate(value):
            wrong += limits(shape.member, member, f'{path}[{i}]')
    size = len(value) if shape.type_name in ('string', 'list') else value
    if shape.type_name in ('string', 'list', 'integer', 'double'):
        if size < data.get('min', size) or size > data.get('max', size):
            wrong.append(f'{path}: {size} is not {data.get("min")} to {data.get("max")}')
    if data.get('enum') and value not in data['enum']:
        wrong.append(f'{path}: {value}')
    if data.get('pattern') and not re.fullmatch(data['pattern'], value):
        wrong.append(f'{path}: {value}')
    return wrong


def main():
    shape = botocore.session.Session().get_service_model('cloudwatch').operation_model('PutMetricAlarm').input_shape
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'requests.jsonl')
        subprocess.run([sys.argv[1], '--gtest_filter=AlarmPlan.W1_EveryKindOfWatchIsPlanned:Cookbook.W1_*'], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, 'TRAINWARDEN_ALARM_REQUESTS': path})
        requests = [json.loads(line) for line in open(path, encoding='utf-8')]
    wrong = []
    for request in requests:
        report = ParamValidator().validate(request, shape)
        wrong += [report.generate_report()] if report.has_errors() else limits(shape, request)
        metrics = request.get('Metrics', [])
        if len(metrics) > 11 or (metrics and sum(m['ReturnData'] for m in metrics) != 1):
            wrong.append(f'{request["AlarmName"]}: {len(metrics)} queries')
    # A judge that lets everything pass would be none.
    broken = dict(requests[0], ComparisonOperator='Less')
    assert limits(shape, broken) and ParamValidator().validate(dict(requests[0], Nonsense=1), shape).has_errors()
    for line in wrong[:20]:
        print(line)
    print(f'{len(requests)} requests, {len(wrong)} wrong, botocore {botocore.__version__}')
    return 1 if wrong or len(requests) < 1000 or not any('train:loss' in str(r) for r in requests) else 0


if __name__ == '__main__':
    sys.exit(main())
