"""What a sweep costs: the state function over many running jobs and their alarms, on localaws.

usage: sweep_bench.py [--healthy] [--delay MS] [JOBS...]
       sweep_bench.py --storm [JOBS]

For each number of running jobs a fresh localaws and a fresh function, with, besides healthy jobs: 3 without the tag
that the policy asks for, 2 whose GPUs idle (their alarms are in ALARM), 20 alarms of jobs that are gone, 200 jobs that
ended within a day, 10 of them with their alarm, and 300 that ended earlier. A job in four has eight machines. The
alarms of healthy jobs are copies of one that the function made itself, so a sweep has nothing to put. With --healthy there
are only those, the 200 and the 300, none of them with an alarm: a sweep has nothing to do but to list them.

Shown are the calls by operation, beside the least and the most that they may be; the function's CPU time and peak memory;
what a running job adds to the peak, where the sizes are far enough apart to tell; the most calls that one service got
within a second; and how long the calls of the service that got most take at five a second, below which no sweep comes.
With --delay each call takes so many milliseconds. Exit status 1: the sweep failed, did something else than
it should, made more calls than that, or a running job adds more than 200 bytes.

With --storm so many jobs (1,000) run without their alarms, and as many alarms are left of jobs that are gone; each call
takes 60 ms, and CloudWatch takes three calls a second of each kind that changes alarms. Two sweeps of 300 s follow. Of
their time the left-over alarms take 200 s: a look at each job, at five calls a second to SageMaker. Exit status 1: the first
puts fewer than 150 alarms or does not delete all that are left over, a call is throttled, or the second puts an alarm twice
or, of 800 at most, not all of the rest. It takes up to ten minutes.
"""
import collections
import datetime
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'tests/e2e'))
from embedded_aws import ACCOUNT, REGION, EmbeddedAws  # noqa: E402

POLICY = pathlib.Path(__file__).with_name('sweep_policy.json').read_text()
PAGE, CALLS_A_SECOND = 100, 5
STORM, LATENCY_MS, ALARM_CALLS, TIMEOUT, MANY, REST = 1000, 60, 3, 300, 150, 800
VIOLATORS, IDLE, GONE, ENDED, LEFT, OLD = 3, 2, 20, 200, 10, 300
# What a running job may add to the peak (S1), and between which sizes that can be told from a process's own noise.
MOST_BYTES, FAR_APART = 200, 5000
NAMESPACE = '/aws/sagemaker/TrainingJobs'
HOUR = 3600


def pages(count):
    return max(1, -(-count // PAGE))


def document(name, created, hosts, **more):
    """What Describe says of a training job of usual size."""
    started = created + 600
    return {
        'TrainingJobArn': f'arn:aws:sagemaker:{REGION}:{ACCOUNT}:training-job/{name}',
        'TrainingJobStatus': 'InProgress', 'SecondaryStatus': 'Training',
        'CreationTime': created, 'TrainingStartTime': started, 'LastModifiedTime': started,
        'SecondaryStatusTransitions': [
            {'Status': 'Starting', 'StartTime': created, 'EndTime': created + 300,
             'StatusMessage': 'Preparing the instances for training'},
            {'Status': 'Downloading', 'StartTime': created + 300, 'EndTime': started,
             'StatusMessage': 'Downloading the training image'},
            {'Status': 'Training', 'StartTime': started,
             'StatusMessage': 'Training image download completed. Training in progress.'}],
        'RoleArn': f'arn:aws:iam::{ACCOUNT}:role/TrainingRole',
        'AlgorithmSpecification': {
            'TrainingInputMode': 'File', 'EnableSageMakerMetricsTimeSeries': False,
            'TrainingImage': f'763104351884.dkr.ecr.{REGION}.amazonaws.com/pytorch-training:2.5.1-gpu-py311'},
        'HyperParameters': {f'parameter_{n}': str(n / 7) for n in range(12)},
        'Environment': {'NCCL_DEBUG': 'WARN', 'HF_HOME': '/tmp/hf'},
        'InputDataConfig': [{'ChannelName': channel, 'DataSource': {'S3DataSource': {
            'S3DataType': 'S3Prefix', 'S3Uri': f's3://example-bucket/{channel}/',
            'S3DataDistributionType': 'FullyReplicated'}}} for channel in ('training', 'validation')],
        'OutputDataConfig': {'KmsKeyId': '', 'S3OutputPath': 's3://example-bucket/out/'},
        'ResourceConfig': {'InstanceType': 'ml.p4d.24xlarge', 'InstanceCount': hosts, 'VolumeSizeInGB': 500},
        'StoppingCondition': {'MaxRuntimeInSeconds': 10 * 24 * HOUR},
        'EnableNetworkIsolation': False, 'EnableManagedSpotTraining': False,
        'Tags': {'model_name': 'm', 'username': 'ana', 'team': 'vision', 'cost-center': '4711'}, **more}


def end(status, secondary, at, **more):
    return {'TrainingJobStatus': status, 'SecondaryStatus': secondary, 'TrainingEndTime': at, 'LastModifiedTime': at,
            'TrainingTimeInSeconds': 1800, 'BillableTimeInSeconds': 1800, **more}


class World:
    def __init__(self, running, *options, healthy=False):
        self.running, self.healthy = running, healthy
        self.now = int(time.time())
        self.aws = EmbeddedAws(POLICY, *(options or ('--timeout', '900')), functions=('state',))

    def control(self, method, path, body=None):
        status, answer = self.aws.control(method, path, body)
        if status != 200:
            raise SystemExit(f'sweep_bench: {method} {path}: {status} {answer}')
        return answer

    def alarm_of(self, hosts):
        """The function's own alarm for a job with so many hosts, as text with the job's name in it."""
        name = f'pattern-{hosts}'
        self.control('PUT', f'jobs/{name}', document(name, self.now - 2 * HOUR, hosts))
        self.control('POST', f'jobs/{name}/transition', {'SecondaryStatus': 'Training', 'at': self.now - HOUR})
        for _ in range(200):
            found = [a for a in self.control('GET', 'alarms') if a['AlarmName'].startswith(f'trainwarden/{name}/')]
            if found:
                break
            time.sleep(0.05)
        else:
            raise SystemExit('sweep_bench: the state function made no alarm for a job that trains')
        self.control('POST', 'reset', {})
        kept = {k: v for k, v in found[0].items() if not k.startswith(('State', 'AlarmArn', 'AlarmConf')) and v != []}
        return lambda job: json.loads(json.dumps(kept).replace(name, job))

    def place(self):
        alarm = {hosts: self.alarm_of(hosts) for hosts in (1, 8)}
        jobs, alarms, self.violators, self.idle = {}, [], [], []
        violators, idle, left, gone = self.trouble()
        for n in range(self.running):
            name, hosts = f'train-{n:05}', 8 if n % 4 == 3 else 1
            jobs[name] = document(name, self.now - 2 * HOUR - n * 40, hosts)
            alarms.append(alarm[hosts](name))
            if n < violators:
                del jobs[name]['Tags']['model_name']
                self.violators.append(name)
            elif n < violators + idle:
                self.idle.append((name, hosts))
        for n in range(ENDED):
            name, at = f'ended-{n:05}', self.now - HOUR - n * 300
            how = end('Failed', 'Failed', at, FailureReason='AlgorithmError: ExecuteUserScriptError: exit code 1') \
                if n % 10 == 0 else end('Completed', 'Completed', at)
            jobs[name] = document(name, at - HOUR, 1, **how)
            if n < left:
                alarms.append(alarm[1](name))
        for n in range(OLD):
            name, at = f'old-{n:05}', self.now - (31 + n) * HOUR
            jobs[name] = document(name, at - HOUR, 1, **end('Completed', 'Completed', at))
        alarms += [alarm[1](f'gone-{n:05}') for n in range(gone)]
        self.alarms = len(alarms)
        names = list(jobs)
        for at in range(0, len(names), 1000):
            self.control('PUT', 'jobs', {name: jobs[name] for name in names[at:at + 1000]})
            self.control('PUT', 'alarms', alarms[at:at + 1000])
        self.control('PUT', 'alarms', alarms[len(names):])
        self.control('PUT', 'metrics', [{'Namespace': NAMESPACE, 'MetricData': [
            {'MetricName': 'GPUUtilization', 'Value': 0, 'Timestamp': self.now - 60 * minute,
             'Dimensions': [{'Name': 'Host', 'Value': f'{name}/algo-{host + 1}'}]}
            for host in range(hosts) for minute in range(1, 40)]} for name, hosts in self.idle])

    def trouble(self):
        """Jobs without the tag, jobs that idle, ended ones with an alarm, alarms of jobs that are gone."""
        return (0, 0, 0, 0) if self.healthy else (VIOLATORS, IDLE, LEFT, GONE)

    def slow(self, latency_ms):
        """From now on each call of the function takes so long."""
        self.control('POST', 'faults',
                     {'operation': '*', 'caller': 'functions', 'times': 1_000_000, 'delay_ms': latency_ms})

    def process(self):
        """Of the function: its CPU seconds so far, and its peak memory in bytes."""
        for path in pathlib.Path('/proc').glob('[0-9]*'):
            try:
                stat = (path / 'stat').read_text().rsplit(')', 1)[1].split()
                if int(stat[1]) == self.aws.process.pid:
                    peak = [line for line in (path / 'status').read_text().splitlines() if line.startswith('VmHWM')][0]
                    return (int(stat[11]) + int(stat[12])) / os.sysconf('SC_CLK_TCK'), int(peak.split()[1]) * 1024
            except OSError:
                continue
        raise SystemExit('sweep_bench: the state function does not run')

    def least(self):
        """By page size: running and lately ended jobs by Search; all alarms by DescribeAlarms."""
        return {'Search': pages(self.running) + pages(ENDED), 'DescribeAlarms': pages(self.alarms)}

    def most(self):
        """The least, and what the jobs cost that are looked at one by one, whatever the number of running jobs.

        One read of the table tells where the last sweep's lists stood. A stop looks whether it was denied today, takes its
        slot of the hour's limit (P7), is written down before it is asked for and after its answer: a read and three writes
        of the table, of which the brake is read once for all. One that is in ALARM is to be watched as well, so that its
        alarms are listed (W2). One without its tag is described and its tags are listed twice, for the decision and before
        the stop (A1). One in ALARM is described once more than that, for the confirmation (W4), with its metrics. A job with left-over alarms is described once, and they are deleted by the
        hundred. One Query asks what is due.
        """
        violators, idle, left, gone = self.trouble()
        stops, left_over = violators + idle, gone + left
        least = self.least()
        return {'Search': least['Search'], 'DescribeAlarms': least['DescribeAlarms'] + idle,
                'DescribeTrainingJob': 2 * violators + 3 * idle + left_over, 'ListTags': 2 * violators + idle,
                'GetItem': stops + 2, 'PutItem': 3 * stops + 1, 'Query': 1, 'GetMetricData': idle,
                'AddTags': stops, 'StopTrainingJob': stops, 'DeleteAlarms': pages(left_over) if left_over else 0}

    def wrong(self, calls):
        """What the sweep should not have done, or should have."""
        stopped = {json.loads(json.dumps(c['request']))['TrainingJobName'] for c in calls
                   if c['operation'] == 'StopTrainingJob' and c['status'] == 200}
        expected = set(self.violators) | {name for name, _ in self.idle}
        if stopped != expected:
            yield f'stopped {sorted(stopped)}, expected {sorted(expected)}'
        names = {a['AlarmName'] for a in self.control('GET', 'alarms')}
        if left := [n for n in names if n.startswith(('trainwarden/gone-', 'trainwarden/ended-'))]:
            yield f'{len(left)} alarms of jobs that ended or are gone are left'
        kept = sum(n.startswith('trainwarden/train-') for n in names)
        if kept < self.running - len(expected):
            yield f'{self.running - kept} alarms of running jobs are gone'
        if puts := sum(c['operation'] == 'PutMetricAlarm' for c in calls):
            yield f'{puts} alarms were put that stood there already'
        if (count := busiest_second(calls)) > CALLS_A_SECOND:
            yield f'{count} calls of one service within a second, expected {CALLS_A_SECOND} at most'
        most = self.most()
        for operation, made in sorted(collections.Counter(c['operation'] for c in calls).items()):
            if made > most.get(operation, 0):
                yield f'{made} calls of {operation}, expected {most.get(operation, 0)} at most'

    def sweep(self, delay):
        self.control('GET', 'health')
        if delay:
            self.slow(delay)
        before, _ = self.process()
        begin = time.monotonic()
        status, answer = self.aws.control('POST', 'sweep')
        wall = time.monotonic() - begin
        after, peak = self.process()
        calls = self.control('GET', 'calls')
        made = collections.Counter(c['operation'] for c in calls)
        least, most = self.least(), self.most()
        print(f'  {self.running:,} running jobs, {self.alarms:,} alarms: {wall:.1f} s, CPU {after - before:.2f} s, '
              f'peak {peak / 1e6:.1f} MB, at most {busiest_second(calls)} calls of one service in a second; {at_best(calls)}')
        for operation in sorted(set(made) | set(least), key=lambda o: (o not in least, o)):
            print(f'    {operation:<22} {made[operation]:6,}'
                  + (f'   at least {least[operation]:,}' if operation in least else '')
                  + f'   at most {most.get(operation, 0):,}')
        problems = [f'the sweep failed: {answer}'] if status != 200 else []
        problems += self.wrong(calls)
        for problem in problems:
            print(f'    wrong: {problem}')
        return peak, not problems


def busiest_second(calls):
    """The most calls that one service got within a second."""
    times, most = collections.defaultdict(collections.deque), 0
    for call in calls:
        times[call['service']].append(datetime.datetime.fromisoformat(call['time'].replace('Z', '+00:00')).timestamp())
    for service in times.values():
        window = collections.deque()
        for at in sorted(service):
            window.append(at)
            while window[0] <= at - 1:
                window.popleft()
            most = max(most, len(window))
    return most


def at_best(calls):
    """What the calls of the service that got most take if it gets as many as it may in each second."""
    (service, count), = collections.Counter(call['service'] for call in calls).most_common(1)
    seconds = max(0, count - CALLS_A_SECOND) / CALLS_A_SECOND
    return f'{count} of {service} take {seconds:.1f} s at {CALLS_A_SECOND} a second'


def storm(jobs):
    world = World(jobs, '--timeout', str(TIMEOUT), '--alarm-calls', str(ALARM_CALLS))
    try:
        alarm = world.alarm_of(1)
        for at in range(0, jobs, 1000):
            names = range(at, min(at + 1000, jobs))
            world.control('PUT', 'jobs', {f'train-{n:05}': document(f'train-{n:05}', world.now - 2 * HOUR - n * 40, 1)
                                          for n in names})
            world.control('PUT', 'alarms', [alarm(f'gone-{n:05}') for n in names])
        world.slow(LATENCY_MS)
        good, before = True, 0
        for number in (1, 2):
            begin = time.monotonic()
            status, report = world.aws.control('POST', 'sweep', seconds=TIMEOUT + 60)
            wall = time.monotonic() - begin
            calls = world.control('GET', 'calls')
            names = [a['AlarmName'] for a in world.control('GET', 'alarms')]
            put = sum(n.startswith('trainwarden/train-') for n in names)
            throttled = sum(c['code'] is not None and 'Throttling' in c['code'] for c in calls)
            print(f'  sweep {number}: {wall:.0f} s, {put - before:,} of {jobs - before:,} missing alarms put, '
                  f"{jobs - (len(names) - put):,} of {jobs:,} left-over alarms deleted, {throttled} calls throttled")
            puts = sum(c['operation'] == 'PutMetricAlarm' and c['code'] is None for c in calls)
            enough = put - before >= min(MANY, jobs - before) and (number == 1 or jobs - before > REST or put == jobs)
            fine = status == 200 and enough and len(names) == put == puts and throttled == 0 and wall < TIMEOUT
            if not fine:
                print(f'    wrong: {report}')
            good, before = good and fine, put
        return 0 if good else 1
    finally:
        world.aws.close()


def main():
    if sys.argv[1:2] == ['--storm']:
        return storm(int(sys.argv[2]) if len(sys.argv) > 2 else STORM)
    arguments, delay = sys.argv[1:], 0
    healthy = arguments[:1] == ['--healthy']
    arguments = arguments[healthy:]
    if arguments[:1] == ['--delay']:
        delay, arguments = int(arguments[1]), arguments[2:]
    sizes = [int(a) for a in arguments] or [1000, 10000]
    peaks, good = {}, True
    for running in sizes:
        world = World(running, healthy=healthy)
        try:
            world.place()
            peaks[running], fine = world.sweep(delay)
        finally:
            world.aws.close()
        good = good and fine
    low, high = min(peaks), max(peaks)
    if high - low < FAR_APART:
        print(f'  what a running job adds to the peak is not measurable: sizes must be {FAR_APART:,} apart or more')
        return 0 if good else 1
    each = (peaks[high] - peaks[low]) / (high - low)
    print(f'  a running job adds {max(each, 0):.0f} bytes to the peak ({low:,} to {high:,} jobs)')
    if each > MOST_BYTES:
        print(f'    wrong: expected {MOST_BYTES} bytes at most')
        good = False
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
