#!/usr/bin/env python3
"""The weekend of README: an export of six made-up jobs, and the picture of the page that `trainwarden report` makes of it.

usage: tests/report/weekend.py            writes weekend.jsonl, the page build/weekend.html and, by chromium, weekend.png
       tests/report/weekend.py --export   the export alone, to the standard output

The picture carries the SHA-256 of the part of the page that it shows, so that a test without a browser can tell whether it is
the page's.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXPORT, PICTURE, POLICY = HERE / 'weekend.jsonl', HERE / 'weekend.png', ROOT / 'tests/examples/first-policy.json'
PAGE_KEY = b'page-sha256'
NOT_SHOWN = ('weeks', 'look', 'rules', 'teams', 'failures', 'unknown', 'all')  # sections of the page
FRIDAY = int(datetime.datetime(2026, 11, 20, tzinfo=datetime.timezone.utc).timestamp())
HOUR, PERIOD = 3600, 300
USD_PER_HOUR = {'ml.g5.12xlarge': 7.0, 'ml.p4d.24xlarge': 30.0}
GPUS = {'ml.g5.12xlarge': 4, 'ml.p4d.24xlarge': 8}


def rfc3339(at):
    return datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')


def utilization(machine, host, slot, state):
    """GPUUtilization adds up a machine's GPUs."""
    if state != 'work':
        return 0
    return GPUS[machine] * 88 + (slot * 37 + host * 11) % (9 * GPUS[machine])


def job(name, owner, team, machine, count, created_hour, phases, end, **options):
    """phases: (hours, SageMaker's status, what the GPUs do), one after the other, the first ten minutes being Starting and
    Downloading."""
    created = FRIDAY + int(created_hour * HOUR)
    at = created + 600
    transitions = [('Starting', created, created + 300), ('Downloading', created + 300, at)]
    begin, states = at, []
    for hours, status, state in phases:
        until = at + int(hours * HOUR)
        transitions.append((status, at, until))
        states.append((at, until, state))
        at = until
    status, secondary = end
    transitions.append((secondary, at, at))
    trained = sum(until - start for what, start, until in transitions if what == 'Training')
    record = {'TrainingJobName': name, 'TrainingJobArn': f'arn:aws:sagemaker:eu-central-1:111122223333:training-job/{name}',
              'TrainingJobStatus': status, 'SecondaryStatus': secondary, 'CreationTime': rfc3339(created),
              'TrainingStartTime': rfc3339(begin), 'TrainingEndTime': rfc3339(at), 'LastModifiedTime': rfc3339(at),
              'TrainingTimeInSeconds': trained, 'BillableTimeInSeconds': int(trained * options.get('paid', 1)),
              'ResourceConfig': {'InstanceType': machine, 'InstanceCount': count, 'VolumeSizeInGB': 100},
              'StoppingCondition': {'MaxRuntimeInSeconds': 72 * HOUR}, 'EnableManagedSpotTraining': 'paid' in options,
              'CheckpointConfig': {'S3Uri': f's3://example-bucket/checkpoints/{name}/'},
              'SecondaryStatusTransitions': [{'Status': what, 'StartTime': rfc3339(start), 'EndTime': rfc3339(until)}
                                             for what, start, until in transitions]}
    if 'reason' in options:
        record['FailureReason'] = options['reason']
    tags = {'owner': owner, 'team': team, **({'model_name': name.split('-')[0]} if options.get('tagged', True) else {})}
    first, last = begin - begin % PERIOD, at - at % PERIOD
    doing = [next((state for start, until, state in states if start <= slot < until), '') for slot in range(first, last, PERIOD)]
    series = {f'algo-{host + 1}': [utilization(machine, host, slot, state) for slot, state in enumerate(doing)] for host in range(count)}
    return {'job': record, 'tags': tags, 'metrics': [{'metric': 'GPUUtilization', 'statistic': 'Maximum', 'period_seconds': PERIOD,
                                                      'from': rfc3339(first), 'until': rfc3339(last), 'series': series}]}


def jobs():
    completed = ('Completed', 'Completed')
    yield job('vision-resumes', 'ben', 'vision', 'ml.p4d.24xlarge', 4, 9, [
        (20, 'Training', 'work'), (0.5, 'Interrupted', ''), (1.5, 'Downloading', 'wait'), (16, 'Training', 'work')], completed, paid=0.4)
    # A long evaluation on the processors: to stop it would be wrong.
    yield job('ranker-evaluates', 'eva', 'ranking', 'ml.g5.12xlarge', 2, 10, [
        (9, 'Training', 'work'), (0.9, 'Training', 'wait'), (14, 'Training', 'work')], completed)
    yield job('speech-large', 'kim', 'speech', 'ml.g5.12xlarge', 8, 12, [(41, 'Training', 'work')], completed)
    # It hangs on Friday evening, and nobody looks before Monday.
    yield job('llm-weekend', 'ana', 'llm', 'ml.p4d.24xlarge', 8, 14, [
        (4.5, 'Training', 'work'), (67.5, 'Training', 'hang')], ('Stopped', 'MaxRuntimeExceeded'))
    yield job('digits-without-owner', 'ben', 'vision', 'ml.g5.12xlarge', 1, 15, [(6, 'Training', 'work')], completed, tagged=False)
    yield job('digits-with-a-bug', 'ben', 'vision', 'ml.g5.12xlarge', 1, 16, [(2, 'Training', 'work')], ('Failed', 'Failed'),
              reason="AlgorithmError: ExecuteUserScriptError: ExitCode 1 ErrorMessage \"KeyError: 'lr'\"")


def export():
    until = FRIDAY + 4 * 24 * HOUR
    lines = [{'export': {'version': 1, 'since': rfc3339(FRIDAY), 'until': rfc3339(until), 'region': 'eu-central-1', 'policy': '0' * 16}}, *jobs()]
    lines.append({'prices': {'region': 'eu-central-1', 'currency': 'USD', 'published': '2026-11-20', 'asked': rfc3339(until),
                             'usd_per_hour': USD_PER_HOUR}})
    lines.append({'end': {'jobs': len(lines) - 2}})
    return ''.join(json.dumps(line, separators=(',', ':')) + '\n' for line in lines)


def write_page(program, page):
    """By the command that README shows, in the folder that it shows it for."""
    command = [program, 'report', '--policy', POLICY.relative_to(ROOT), EXPORT.relative_to(ROOT), '--html', page]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def shown(page):
    """The SHA-256 of what the picture shows of a page: its look, its head, the figures and the costliest jobs."""
    text = page.read_text(encoding='utf-8')
    for section in NOT_SHOWN:
        text, times = re.subn(rf'<section aria-labelledby="{section}">.*?</section>', '', text, flags=re.S)
        assert times == 1, section
    return hashlib.sha256(text.encode()).hexdigest()


def chunks(png):
    at = 8
    while at < len(png):
        length, = struct.unpack('>I', png[at:at + 4])
        yield png[at + 4:at + 8], png[at + 8:at + 8 + length], png[at:at + 12 + length]
        at += 12 + length


def page_of(png):
    """What write_picture left in it: the hash of what it shows."""
    for kind, data, _ in chunks(png):
        if kind == b'tEXt' and data.startswith(PAGE_KEY + b'\0'):
            return data.partition(b'\0')[2].decode()
    return None


def write_picture(page, picture):
    """The page without the weeks, down to the fourth job, which is the one that was stopped wrongly."""
    sys.path.insert(0, str(HERE))
    from browser import Browser
    browser = Browser()
    browser.open(page.as_uri())
    browser.evaluate("document.querySelector('[aria-labelledby=weeks]').style.display = 'none'")
    height = browser.evaluate("document.querySelectorAll('[aria-labelledby=costliest] .bar')[3].getBoundingClientRect().bottom + window.scrollY + 12")
    browser.picture(picture, height=height)
    browser.close()
    text = PAGE_KEY + b'\0' + shown(page).encode()
    chunk = b'tEXt' + text
    note = struct.pack('>I', len(text)) + chunk + struct.pack('>I', zlib.crc32(chunk))
    png = picture.read_bytes()
    picture.write_bytes(png[:8] + b''.join((note if kind == b'IEND' else b'') + whole for kind, _, whole in chunks(png)))


def main():
    if sys.argv[1:] == ['--export']:
        sys.stdout.write(export())
        return
    EXPORT.write_text(export())
    page = ROOT / 'build/weekend.html'
    page.parent.mkdir(exist_ok=True)
    write_page(os.environ.get('TRAINWARDEN', ROOT / 'build/release/bin/trainwarden'), page)
    write_picture(page, PICTURE)


if __name__ == '__main__':
    main()
