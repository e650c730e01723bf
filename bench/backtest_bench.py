#!/usr/bin/env python3
"""Replays made-up exports: CPU time and peak memory of `trainwarden backtest`, a fresh process each.

usage: bench/backtest_bench.py [--keep FILE] [JOBS...]        (15000 100000)

The jobs are those of ninety days: eight teams, six machine types, spot and on demand, runs of minutes to days, completed,
failed, stopped and at their limits. The policy (bench/backtest_policy.json) looks at tags, machines, run time and cost, and
so at every sweep too; --watches N gives the last N days' jobs the metrics of a watch in periods of 300 s.
"""

import argparse
import datetime
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
POLICY = ROOT / "bench/backtest_policy.json"
UNTIL = 1_795_392_000  # 2026-11-23
DAYS = 90
TYPES = [("ml.g5.xlarge", 1.408), ("ml.g5.12xlarge", 7.09), ("ml.p4d.24xlarge", 37.688), ("ml.p5.48xlarge", 98.32),
         ("ml.m5.xlarge", 0.23), ("ml.c5.9xlarge", 1.836)]
TEAMS = ["vision", "speech", "research", "ranking", "ads", "maps", "robotics", ""]
ENDS = ["Completed"] * 62 + ["Failed"] * 22 + ["Stopped"] * 12 + ["Limit"] * 4
REASONS = ["AlgorithmError: ExecuteUserScriptError: ExitCode 1 ErrorMessage \"KeyError: 'lr'\"",
           "InternalServerError: We encountered an internal error. Please try again.",
           "CapacityError: Unable to provision requested ML compute capacity.",
           "AlgorithmError: torch.cuda.OutOfMemoryError: CUDA out of memory."]


def rfc3339(at):
    return datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def made_up_job(i, created, dice, with_metrics):
    name = f"job-{i:06d}"
    machine, _ = dice.choice(TYPES)
    count = dice.choice([1, 1, 1, 2, 4, 8])
    length = int(dice.lognormvariate(8.6, 1.4)) + 60  # seconds of training: 90 minutes at the median
    limit = 5 * 86400
    end = dice.choice(ENDS)
    if end == "Limit" or length > limit:
        end, length = "Limit", min(length, 86400) if end == "Limit" else limit
        limit = length
    started = created + dice.randint(120, 900)
    spot = dice.random() < 0.3
    transitions = [("Starting", created, created + 60), ("Downloading", created + 60, started)]
    at = started
    if spot and dice.random() < 0.3 and length > 1200:
        first = length // 3
        transitions += [("Training", at, at + first), ("Interrupted", at + first, at + first + 600)]
        at += first + 600
        length -= first
    transitions.append(("Training", at, at + length))
    over = min(at + length + 60, UNTIL - 1)
    if end != "Limit":
        transitions.append(("Uploading" if end != "Stopped" else "Stopping", at + length, over))
    status = {"Completed": "Completed", "Failed": "Failed", "Stopped": "Stopped", "Limit": "Stopped"}[end]
    secondary = {"Limit": "MaxRuntimeExceeded"}.get(end, status)
    transitions.append((secondary, over, over))
    job = {"TrainingJobName": name, "TrainingJobArn": f"arn:aws:sagemaker:eu-central-1:111122223333:training-job/{name}",
           "TrainingJobStatus": status, "SecondaryStatus": secondary, "RoleArn": "arn:aws:iam::111122223333:role/train",
           "AlgorithmSpecification": {"TrainingImage": "111122223333.dkr.ecr.eu-central-1.amazonaws.com/train:latest",
                                      "TrainingInputMode": "File"},
           "InputDataConfig": [{"ChannelName": "train", "DataSource": {"S3DataSource": {
               "S3DataType": "S3Prefix", "S3Uri": "s3://data/train", "S3DataDistributionType": "FullyReplicated"}}}],
           "OutputDataConfig": {"S3OutputPath": "s3://models/out"},
           "ResourceConfig": {"InstanceType": machine, "InstanceCount": count, "VolumeSizeInGB": 100},
           "StoppingCondition": {"MaxRuntimeInSeconds": limit}, "EnableManagedSpotTraining": spot,
           "CreationTime": created, "TrainingStartTime": started, "TrainingEndTime": over, "LastModifiedTime": over,
           "TrainingTimeInSeconds": length, "BillableTimeInSeconds": int(length * (0.4 if spot else 1)),
           "SecondaryStatusTransitions": [{"Status": s, "StartTime": b, "EndTime": e} for s, b, e in transitions]}
    if status == "Failed":
        job["FailureReason"] = dice.choice(REASONS)
    line = {"job": job, "tags": {"project": dice.choice("abcdef"), "owner": f"person-{dice.randint(1, 60)}"}}
    team = dice.choice(TEAMS)
    if team:
        line["tags"]["team"] = team
    if with_metrics:
        begin, finish = started - started % 300, over - over % 300 + 300
        idle_from = dice.randint(0, 400) if dice.random() < 0.2 else 10**9
        values = [3.0 if slot > idle_from else 20 + dice.random() * 70 for slot in range((finish - begin) // 300)]
        line["metrics"] = [{"metric": "GPUUtilization", "statistic": "Average", "period_seconds": 300, "from": rfc3339(begin),
                            "until": rfc3339(finish), "series": {f"algo-{host + 1}": values for host in range(count)}}]
    return line


def write_export(path, jobs, watched_days=0, seed=1):
    dice = random.Random(seed)
    since = UNTIL - DAYS * 86400
    with open(path, "w", encoding="utf-8") as out:
        print(json.dumps({"export": {"version": 1, "since": rfc3339(since), "until": rfc3339(UNTIL), "region": "eu-central-1",
                                     "policy": "0" * 16}}), file=out)
        created = sorted(dice.randint(since, UNTIL - 3600) for _ in range(jobs))
        for i, at in enumerate(created):
            print(json.dumps(made_up_job(i, at, dice, at > UNTIL - watched_days * 86400)), file=out)
        print(json.dumps({"prices": {"region": "eu-central-1", "currency": "USD", "published": "2026-11-20",
                                     "asked": rfc3339(UNTIL), "usd_per_hour": dict(TYPES)}}), file=out)
        print(json.dumps({"end": {"jobs": jobs}}), file=out)


def run(program, path):
    """CPU seconds, wall seconds, peak MB, and how many jobs a page of text says it looked at."""
    command = [str(program), "backtest", str(POLICY), str(path)]
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output, subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begin
        output.seek(0)
        text = output.read().decode()
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: {text}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, text


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("jobs", nargs="*", type=int, default=[15_000, 100_000])
    arguments.add_argument("--watches", type=int, default=0, metavar="DAYS")
    arguments.add_argument("--keep", help="keep the last export here")
    arguments.add_argument("--program", default=ROOT / "build/release/bin/trainwarden")
    given = arguments.parse_args()
    if not os.path.exists(given.program):
        sys.exit(f"{given.program}: expected a program that was built, found none: run `./dev build` first")
    for jobs in given.jobs:
        with tempfile.TemporaryDirectory() as folder:
            path = given.keep or os.path.join(folder, "jobs.jsonl")
            write_export(path, jobs, given.watches)
            cpu, wall, peak, text = run(given.program, path)
            if f"{jobs:,} training jobs" not in text.replace("\n", " "):
                sys.exit(f"expected a backtest of {jobs:,} jobs, found: {text[:300]}")
            print(f"  {jobs:,} jobs ({os.path.getsize(path) / 1e6:.0f} MB): {cpu:.2f} s of CPU time, {wall:.2f} s, peak {peak:.0f} MB")


if __name__ == "__main__":
    main()
