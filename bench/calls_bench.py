"""What a stop, a restart and a notice cost in calls: the state function on localaws, from the first event to the last.

usage: calls_bench.py [BIN...]

BIN is a folder with localaws and the functions (default: build/release/bin); of several, such as that of an earlier
commit and this one's, each gets a column. Shown is each story's calls by service and operation, and the items that were
written, by kind. Nothing fails or is throttled, and the job's own events are the only ones: what a sweep or a second
delivery adds is not in it. Exit status 1: a story did not come to its end.
"""
import collections
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'tests/e2e'))
import embedded_aws  # noqa: E402
from embedded_aws import ACCOUNT, REGION, EmbeddedAws  # noqa: E402

TOPIC = f'arn:aws:sns:{REGION}:{ACCOUNT}:trainwarden-alarms'  # which the embedded AWS has
INTERNAL = 'InternalServerError: We encountered an internal error. Please try again.'


def rule(name, match, *actions):
    return {'version': 1, 'mode': 'enforce', 'rules': [{'name': name, 'match': {'job': match}, 'actions': list(actions)}]}


TRAINS = {'TrainingJobStatus': ['InProgress'], 'SecondaryStatus': ['Training']}
THRASHES, FAILED = {'SecondaryStatus': ['Interrupted']}, {'TrainingJobStatus': ['Failed']}
# Story → policy, the state that the job comes into, why it failed, the call that must have succeeded once.
STORIES = {
    'a job that no rule matches, from its training to its end': (
        rule('no-p5', {'ResourceConfig': {'InstanceType': ['ml.p5.48xlarge']}}, 'stop'), ['Training', 'Completed'], None, None),
    'a stop': (rule('stop', TRAINS, 'stop'), ['Training'], None, 'StopTrainingJob'),
    'a stop that people are told of': (rule('stop', TRAINS, 'stop', 'notify'), ['Training'], None, 'Publish'),
    'a restart of a job that runs, told': (rule('thrash', THRASHES, 'restart', 'notify'), ['Interrupted'], None,
                                           'CreateTrainingJob'),
    'a copy of a job that failed, told': (rule('resume', FAILED, 'restart', 'notify'), ['Failed'], INTERNAL, 'CreateTrainingJob'),
}


def tell(policy, states, reason, must):
    """The calls of one story; None where it did not come to its end."""
    aws = EmbeddedAws(policy, functions=('state',), TRAINWARDEN_NOTIFY_TOPIC=TOPIC,
                      TRAINWARDEN_CHECKPOINT_BUCKETS='arn:aws:s3:::none-is-named')  # the template's default
    try:
        aws.wait_for_function()
        now = time.time()
        aws.job('job', age=7200, SecondaryStatus='Downloading', TrainingStartTime=now - 7000, LastModifiedTime=now,
                RoleArn=f'arn:aws:iam::{ACCOUNT}:role/SomeRole', EnableManagedSpotTraining=True,
                AlgorithmSpecification={'TrainingImage': 'example/image:1', 'TrainingInputMode': 'File'},
                OutputDataConfig={'S3OutputPath': 's3://example-bucket/out/'},
                StoppingCondition={'MaxRuntimeInSeconds': 86400, 'MaxWaitTimeInSeconds': 90000},
                CheckpointConfig={'S3Uri': 's3://example-bucket/checkpoints/job'})
        for state in states:
            body = {'SecondaryStatus': state, **({'FailureReason': reason} if reason else {})}
            if aws.control('POST', 'jobs/job/transition', body)[0] != 200:
                return None
            aws.wait_until_idle()
        calls = lambda: aws.control('GET', 'calls')[1]
        if must:
            aws.wait(lambda: any(c['operation'] == must and c['status'] == 200 for c in calls()), what=must)
        time.sleep(2)  # until a job that was stopped has ended, and what that brings is done
        counts = aws.function()
        good = counts['failed'] == 0 and counts['queued'] == 0 and all(call['status'] == 200 for call in calls())
        return calls() if good else None
    finally:
        aws.close()


def kind(call):
    """Of a write: what is remembered by it."""
    return call['request']['Item']['id']['S'].split('/')[0]


def count(calls):
    out = collections.Counter(f'{call["service"]} {call["operation"]}' for call in calls)
    out['calls in all'] = len(calls)
    out.update(f'items written: {kind(call)}' for call in calls if call['operation'] == 'PutItem')
    return out


def order(name):
    return name.startswith('items'), name == 'calls in all', name


def main():
    bins = [pathlib.Path(path).resolve() for path in sys.argv[1:]] or [embedded_aws.BIN]
    good = True
    for title, story in STORIES.items():
        columns = []
        for embedded_aws.BIN in bins:
            calls = tell(*story)
            good = good and calls is not None
            columns.append(count(calls) if calls is not None else None)
        print(title if None not in columns else f'{title}: it did not come to its end')
        for name in sorted(set().union(*(column or () for column in columns)), key=order):
            print(f'  {name:<40}' + ''.join(f'{column[name] if column is not None else "?":>6}' for column in columns))
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
