"""What tests of CloudWatch share: an alarm, and metrics of hosts."""
import datetime
import json
import pathlib
import time

from localaws_server import ACCOUNT, REGION, ServiceTest

TOPIC = f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'
NAMESPACE = '/aws/sagemaker/TrainingJobs'
SAMPLES = pathlib.Path(__file__).resolve().parents[3] / 'shared/samples/alarm'
NAME = 'trainwarden/train-1/gpu-idle'


def host(number):
    return [{'Name': 'Host', 'Value': f'train-1/algo-{number}'}]


def alarm(**more):
    return {'AlarmName': NAME, 'AlarmActions': [TOPIC], 'MetricName': 'GPUUtilization', 'Namespace': NAMESPACE,
            'Statistic': 'Maximum', 'Dimensions': host(1), 'Period': 60, 'EvaluationPeriods': 3,
            'Threshold': 4.0, 'ComparisonOperator': 'LessThanOrEqualToThreshold',
            'TreatMissingData': 'notBreaching', **more}


def stat(identity, number, **more):
    return {'Id': identity, 'MetricStat': {'Metric': {'Namespace': NAMESPACE, 'MetricName': 'GPUUtilization',
                                                      'Dimensions': host(number)}, 'Period': 60, 'Stat': 'Maximum'}, **more}


def math_alarm(expression='MAX([m1,m2])/4', **more):
    plain = alarm()
    for name in ('MetricName', 'Namespace', 'Statistic', 'Dimensions', 'Period'):
        del plain[name]
    return {**plain, 'Threshold': 1.0, 'Metrics': [
        {'Id': 'e1', 'Expression': expression, 'Label': 'busiest host'}, stat('m1', 1, ReturnData=False),
        stat('m2', 2, ReturnData=False)], **more}


class CloudWatchTest(ServiceTest):
    def setUp(self):
        super().setUp()
        self.cloudwatch = self.server.client('cloudwatch')
        self.wait_past_the_minute()

    def put(self, values, number=1, name='GPUUtilization'):
        """One value a minute; the last is of the minute before this one."""
        minute = int(time.time()) // 60 * 60
        self.cloudwatch.put_metric_data(Namespace=NAMESPACE, MetricData=[
            {'MetricName': name, 'Dimensions': host(number), 'Value': value, 'Unit': 'Percent',
             'Timestamp': datetime.datetime.fromtimestamp(minute - 60 * (len(values) - i), datetime.timezone.utc)}
            for i, value in enumerate(values) if value is not None])

    def state(self, name=NAME):
        found = self.cloudwatch.describe_alarms(AlarmNames=[name])['MetricAlarms']
        return found[0]['StateValue'] if found else None

    def wait_for(self, state, seconds=5):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.state() == state:
                return
            time.sleep(0.02)
        self.fail(f'the alarm is {self.state()}, not {state}')

    def messages(self):
        return [(m['subject'], json.loads(m['message'])) for m in self.server.control('GET', 'messages')]

    def wait_past_the_minute(self):
        """So that no minute turns within the next seconds."""
        if time.time() % 60 > 50:
            time.sleep(60.5 - time.time() % 60)
