#!/usr/bin/env python3
"""What a stack costs in a month, from the numbers of calls that calls_bench.py counts and AWS's list prices.

usage: bench/month.py [--jobs N] [--machines N] [--hours N] [--stops N]

An upper bound on purpose: no free tier, each metric written in every hour, half a second for each invocation (./dev bench
shows a tenth of that and less), twenty for a stop that waits for tags, five for each sweep. Prices differ by region and change:
https://aws.amazon.com/cloudwatch/pricing/ and the pages of Lambda and DynamoDB have yours. PRICES are those of us-east-1.
"""
import argparse
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
HOURS = 730  # of a month
SWEEPS = HOURS * 4
MEMORY_GB = 0.125
RULES = 3  # with stops: StopsByRule has the rule as its dimension
PRICES = {'alarm': 0.10, 'metric': 0.30, 'dashboard': 3.0, 'thousand metrics read': 0.01, 'million requests': 0.20, 'GB-second': 0.0000166667, 'GB of log': 0.50,
          'million calls of CloudWatch': 10.0, 'million writes': 0.625, 'million reads': 0.125}
PER_JOB = {'invocations': 8, 'cloudwatch': 4, 'reads': 1}  # calls_bench.py; a handful of state changes, and its alarm
PER_STOP = {'writes': 4, 'reads': 4}
# GetMetricData costs by the metric: of a machine the one that an alarm looks at and two that prove that it is heard, once for
# an alarm that is not borne out, and six times for one that leads to a stop (three looks, and the time before each).
METRICS_READ, LOOKS_PER_JOB, LOOKS_PER_STOP = 3, 1, 6
RECORD_KB = 3


def alarms_of_the_stack():
    """Each metric that one looks at costs as one."""
    template = (ROOT / 'template.yaml').read_text()
    return template.count('\n    Type: AWS::CloudWatch::Alarm\n') + template.count('\n          MetricStat:\n') - template.count('\n      Metrics:\n')


def dashboards_of_the_stack():
    return (ROOT / 'template.yaml').read_text().count('\n    Type: AWS::CloudWatch::Dashboard\n')


def metrics():
    """The rows of R2's table."""
    return len(re.findall(r'(?m)^\| \w+ \| (?:Count|None) \|', (ROOT / 'handlers/policy.md').read_text()))


def bill(jobs, machines, hours, stops):
    """(what, how much of it, US dollars) each."""
    watched = jobs * machines * hours / HOURS
    written = metrics() + RULES
    invocations = jobs * PER_JOB['invocations'] + SWEEPS
    gb_seconds = MEMORY_GB * (jobs * PER_JOB['invocations'] * 0.5 + stops * 20 + SWEEPS * 5)
    calls = jobs * PER_JOB['cloudwatch'] + SWEEPS * 3
    writes, reads = stops * PER_STOP['writes'] + SWEEPS, jobs * PER_JOB['reads'] + stops * PER_STOP['reads'] + SWEEPS * 2
    read = METRICS_READ * machines * (jobs * LOOKS_PER_JOB + stops * LOOKS_PER_STOP)
    log_gb = invocations * RECORD_KB / 1e6
    yield 'what it tells of itself', f'{written} metrics', written * PRICES['metric']
    yield 'alarms for operators', f'{alarms_of_the_stack()} metrics of theirs', alarms_of_the_stack() * PRICES['alarm']
    yield 'its dashboard', f'{dashboards_of_the_stack()} dashboard', dashboards_of_the_stack() * PRICES['dashboard']
    yield 'alarms on idle GPUs', f'{watched:,.1f} metrics for a month', watched * PRICES['alarm']
    yield 'both functions', f'{invocations:,} invocations, {gb_seconds:,.0f} GB-seconds', \
        invocations / 1e6 * PRICES['million requests'] + gb_seconds * PRICES['GB-second']
    yield 'calls of CloudWatch', f'{calls:,} calls', calls / 1e6 * PRICES['million calls of CloudWatch']
    yield 'metrics that it reads', f'{read:,} metrics', read / 1e3 * PRICES['thousand metrics read']
    yield 'log', f'{log_gb * 1000:,.0f} MB', log_gb * PRICES['GB of log']
    yield 'the table', f'{writes:,} writes, {reads:,} reads', \
        writes / 1e6 * PRICES['million writes'] + reads / 1e6 * PRICES['million reads']


def lines(jobs, machines, hours, stops):
    rows = list(bill(jobs, machines, hours, stops))
    yield f'{jobs:,} jobs of {machines} machines for {hours} hours, {stops} of them stopped'
    for what, amount, usd in rows:
        yield f'  {what:24}{amount:42}{usd:6.2f}'
    yield f'  {"USD a month, at most":66}{sum(usd for _, _, usd in rows):6.2f}'


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (('jobs', 1000), ('machines', 2), ('hours', 6), ('stops', 20)):
        arguments.add_argument(f'--{name}', type=int, default=default)
    given = arguments.parse_args()
    print('\n'.join(lines(given.jobs, given.machines, given.hours, given.stops)))


if __name__ == '__main__':
    main()
