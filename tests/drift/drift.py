#!/usr/bin/env python3
"""What AWS's newest public model has that this version does not know, and whether our tables are those of the model that is
pinned (handlers/rules/job/aws_model.json).

usage: drift.py            both; asks npm for the newest packages of the AWS SDK for JavaScript, which hold the models
       drift.py --tables   the tables alone, without a network
       drift.py --pin      writes the newest model to aws_model.json

Exit status: 0 nothing to say; 1 our tables differ from the model that is pinned; 3 there is a newer model with something
new, or none could be had, which is no more than a warning.
"""

import argparse
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

import aws_model
from aws_model import CREATE, DESCRIBE, SEARCH, UPDATE, ModelError

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOB = "handlers/rules/job"
MODEL = f"{JOB}/aws_model.json"
NOTES = f"{JOB}/aws_notes.json"
TABLES_DIFFER, NEWER = 1, 3
# Members of CreateTrainingJob that no copy has: what it has instead, or why it is lost (policy.md A3).
NOT_COPIED = {"TrainingJobName": "a name of its own", "Tags": "from ListTags",
              "SessionChainingConfig": "lost, since Describe does not return it"}


# -- the tables -------------------------------------------------------------------------------------------------------------

def generator(root):
    spec = importlib.util.spec_from_file_location("generate", root / JOB / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leaves(model, root):
    """Path -> type of each leaf below a shape."""
    out = {}

    def walk(name, path):
        for member, kind in model["shapes"].get(name, {}).items():
            below = aws_model.structure_of(kind)
            if below is None:
                out[f"{path}{member}" + (".*" if isinstance(kind, dict) else "")] = json.dumps(kind)
            else:
                walk(below, f"{path}{member}.")

    walk(root, "")
    return out


def quoted(path):
    return set(re.findall(r'"(\w+)"', path.read_text(encoding="utf-8")))


def table_of(text, name):
    found = re.search(rf"\b{name}\b[^=;]*= \{{(.*?)\}};", text, re.S)
    return set(re.findall(r'"([^"]+)"', found[1])) if found else None


def check_tables(root, model, notes):
    """Where our tables differ from the model that is pinned, as sentences."""
    out = []
    shapes = model["shapes"]
    generate = generator(root)
    try:
        generate.tables(model, notes)
    except SystemExit as error:
        out.append(str(error))
    for member in shapes[CREATE]:
        if member not in shapes[DESCRIBE] and member not in NOT_COPIED:
            out.append(f"CreateTrainingJob takes {member}, which Describe does not return: a copy would lose it. Say in "
                       "drift.py and in policy.md (A3) what becomes of it")
    out += [f"drift.py: NOT_COPIED has {name}, which CreateTrainingJob does not take"
            for name in NOT_COPIED if name not in shapes[CREATE]]
    # Our own AWS takes what AWS takes, and its Search lacks what AWS's lacks.
    emulated = root / "tests/localaws/sagemaker"
    known = quoted(emulated / "sagemaker_shapes.cc")
    out += [f"tests/localaws/sagemaker/sagemaker_shapes.cc: CreateTrainingJob lacks {path}, which AWS takes"
            for path in leaves(model, CREATE) if not set(path.removesuffix(".*").split(".")) <= known]
    search = (emulated / "job_search.cc").read_text(encoding="utf-8")
    lacking = set(shapes[DESCRIBE]) - set(shapes[SEARCH])
    if table_of(search, "kLacking") != lacking:
        out.append("tests/localaws/sagemaker/job_search.cc: kLacking: expected the members of Describe that Search has not, "
                   + ", ".join(sorted(lacking)))
    at = (root / JOB / "job_at.cc").read_text(encoding="utf-8")
    out += [f"{JOB}/job_at.cc: kOfLater has {name}, which Describe does not return"
            for name in sorted((table_of(at, "kOfLater") or {"nothing"}) - set(shapes[DESCRIBE]))]
    # Every call of ours is looked at.
    calls = {call for of_service in aws_model.CALLS.values() for call in of_service}
    rights = set(json.loads((root / "tests/template/rights.json").read_text(encoding="utf-8"))["calls"])
    out += [f"tests/drift/aws_model.py: CALLS lacks {call}, which tests/template/rights.json has" for call in
            sorted(rights - calls)]
    out += [f"tests/drift/aws_model.py: CALLS has {call}, which tests/template/rights.json lacks" for call in
            sorted(calls - rights)]
    return out


# -- what is new ------------------------------------------------------------------------------------------------------------

def new_paths(old, new):
    """The topmost new paths: a new structure, and not each of its leaves. Path -> the leaves below."""
    known = set()
    for path in old:
        parts = path.split(".")
        known |= {".".join(parts[:i + 1]) for i in range(len(parts))}
    out = {}
    for path in sorted(new):
        parts = path.split(".")
        for i in range(len(parts)):
            if ".".join(parts[:i + 1]) not in known:
                out.setdefault(".".join(parts[:i + 1]), []).append(path)
                break
    return out


def effect_on_rules(path):
    top = path.split(".")[0]
    unknown = "resources.unknown_members lists it"
    if "." not in path:
        return (f"{unknown}; where nothing else tells them, machines, cost and checkpoint are unavailable, and so is "
                "lineage.child_of of a job that nothing known launched")
    if top == "ResourceConfig":
        return f"{unknown}; machines and cost are unavailable where nothing else tells them"
    if top == "CheckpointConfig":
        return f"{unknown}; the checkpoint is unavailable where S3Uri does not tell it"
    return f"{unknown}; no rule can name it"


def effect_on_copies(path, new, created):
    if "." not in path:
        return ("a copy is made without it, and says so" + ("" if path in new["shapes"][CREATE] else ": AWS only returns it"))
    if path.split(".")[0] not in new["shapes"][CREATE] or path not in created:
        return "copies do not have it"
    return "a restart of a job that has it is refused, by its name"


def prefixes(paths):
    return {".".join(path.split(".")[:i + 1]) for path in paths for i in range(path.count(".") + 1)}


def differences(old, new):
    """What the new model has that the old one has not, each with what that does; and what is gone."""
    out = []
    described = (leaves(old, DESCRIBE), leaves(new, DESCRIBE))
    created = prefixes(leaves(new, CREATE))
    returned = {f"{one}" for one in new["read_only"]} - set(old["read_only"])
    for path, below in new_paths(*described).items():
        more = "" if below == [path] else f" ({', '.join(one[len(path) + 1:] for one in below)})"
        note = "; AWS says that it is read-only" if any(one.split(".")[-1] == path.split(".")[-1] for one in returned) else ""
        out.append(f"Describe: {path}{more} is new. Rules: {effect_on_rules(path)}. Copies: "
                   f"{effect_on_copies(path, new, created)}{note}.")
    for path in sorted(described[0].keys() - described[1].keys()):
        out.append(f"Describe: {path} is gone: a rule that names it finds it absent.")
    for path in sorted(described[0].keys() & described[1].keys()):
        if described[0][path] != described[1][path]:
            out.append(f"Describe: {path} was {described[0][path]} and is {described[1][path]} now: a rule that compares it "
                       "may never match.")
    for path in new_paths(leaves(old, CREATE), leaves(new, CREATE)):
        if path.split(".")[0] not in new["shapes"][DESCRIBE]:
            out.append(f"Create: {path} is new, and Describe does not return it. Copies: they lose it. Rules: they never see "
                       "it.")
    for path in new_paths(leaves(old, SEARCH), leaves(new, SEARCH)):
        if "." not in path:
            out.append(f"Search: its records have {path} now. Rules: a sweep need not look at a job for it.")
    for member in sorted(set(old["shapes"][SEARCH]) - set(new["shapes"][SEARCH])):
        out.append(f"Search: its records lack {member} now. Rules: a sweep must look at each job for it.")
    for path in new_paths(leaves(old, UPDATE), leaves(new, UPDATE)):
        out.append(f"Update: {path} is new. Ours sends KeepAlivePeriodInSeconds alone.")
    top = [path for path in new_paths(*described) if "." not in path]
    if top:
        out.append(f"Events: AWS has no public model of them, and they carry members of Describe: {', '.join(top)} may come "
                   "too. Only names, statuses and times of events are read.")
    effects = {
        "TrainingInstanceType": "GPUs and vCPUs are unknown to rules until aws_notes.json has them",
        "TrainingJobStatus": "such a job counts as running, and `check` takes the status for misspelt",
        "SecondaryStatus": "such a status ends nothing, and `check` takes it for misspelt",
        "WarmPoolResourceStatus": "such a pool is not released, and `check` takes the status for misspelt",
    }
    for name, effect in effects.items():
        before, after = set(old["values"][name]), set(new["values"][name])
        if after - before:
            out.append(f"{name}: {', '.join(sorted(after - before))} new: {effect}.")
        if before - after:
            out.append(f"{name}: {', '.join(sorted(before - after))} gone.")
    for call in sorted(new["calls"]):
        before = old["calls"].get(call, {"input": [], "output": []})
        for side, what in (("input", "ours does not send it"), ("output", "it is not read")):
            out += [f"{call}: its {side} has {path} now: {what}." for path in new_paths(before[side], new["calls"][call][side])]
            out += [f"{call}: its {side} has {path} no more. Look whether ours needs it." for path in
                    sorted(set(before[side]) - set(new["calls"][call][side]))]
    for name in sorted(set(new["operations"]) - set(old["operations"])):
        launches = re.match(r"(Create|Start|Update|Batch)\w*Job", name)
        out.append(f"operation {name} is new" + (": it may launch or change training jobs. Rules: lineage.child_of may need its "
                                                 "mark. Copies: a guard may." if launches else "."))
    out += [f"operation {name} is gone." for name in sorted(set(old["operations"]) - set(new["operations"]))]
    return out


# -- npm --------------------------------------------------------------------------------------------------------------------

class Unreachable(Exception):
    pass


def npm(*arguments, cwd=None):
    try:
        done = subprocess.run(["npm", *arguments], capture_output=True, text=True, timeout=120, cwd=cwd, check=False)
    except FileNotFoundError as error:
        raise Unreachable("npm is not here") from error
    except subprocess.TimeoutExpired as error:
        raise Unreachable(f"npm {arguments[0]} did not end within 120 s") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no reason told"]
        raise Unreachable(f"npm {arguments[0]} failed: {lines[0]}")
    return done.stdout.strip()


class Packages:
    """The packages of the models, kept in a folder by name and version, and read without being unpacked."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.versions, self.open = {}, {}

    @staticmethod
    def newest(package):
        return npm("view", f"@aws-sdk/client-{package}", "version")

    def get(self, package, version):
        path = self.folder / f"aws-sdk-client-{package}-{version}.tgz"
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.folder) as own:
                npm("pack", "--silent", f"@aws-sdk/client-{package}@{version}", cwd=own)
                os.replace(next(pathlib.Path(own).glob("*.tgz")), path)
        self.versions[package] = version
        self.open[package] = path

    def read(self, package, path, missing_ok=False):
        with tarfile.open(self.open[package]) as archive:
            try:
                return archive.extractfile(f"package/{path}").read().decode()
            except KeyError as error:
                if missing_ok:
                    return None
                raise ModelError(f"{package} {self.versions[package]} has no {path}: it has another form") from error


def newest_model(folder):
    packages = Packages(folder)
    with concurrent.futures.ThreadPoolExecutor() as threads:
        list(threads.map(lambda package: packages.get(package, packages.newest(package)), aws_model.PACKAGES))
    packages.versions = {package: packages.versions[package] for package in aws_model.PACKAGES}
    return aws_model.extract(packages.read, packages.versions)


def written(model):
    """One line a shape, a call and a list of values, so that a diff shows what has changed."""
    out = ["{"]
    for i, (name, value) in enumerate(model.items()):
        end = "," if i < len(model) - 1 else ""
        if name in ("shapes", "calls", "values"):
            rows = [f"    {json.dumps(one)}: {json.dumps(row, ensure_ascii=False)}" for one, row in value.items()]
            out += [f'  "{name}": {{', ",\n".join(rows), f"  }}{end}"]
        else:
            out.append(f'  "{name}": {json.dumps(value, ensure_ascii=False)}{end}')
    return "\n".join(out + ["}", ""])


def cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "trainwarden" / "models"


def compare(pinned, newest):
    """The status and the lines to print."""
    same = {name: pinned[name] for name in pinned if name != "versions"}
    found = {name: newest[name] for name in newest if name != "versions"}
    if pinned["versions"] == newest["versions"]:
        if same != found:
            return TABLES_DIFFER, [f"{MODEL}: is not what the models say whose versions it names: run ./dev drift --pin"]
        return 0, []
    lines = differences(pinned, newest)
    newer = ", ".join(f"{name} {pinned['versions'].get(name)} -> {version}" for name, version in newest["versions"].items()
                      if pinned["versions"].get(name) != version)
    if not lines:
        return 0, [f"newer, with nothing new in it: {newer}"]
    return NEWER, [f"newer: {newer}"] + lines + [f"WARNING: {len(lines)} differences. Read them, then ./dev drift --pin"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], add_help=False)
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--pin", action="store_true")
    arguments = parser.parse_args()
    pinned = json.loads((ROOT / MODEL).read_text(encoding="utf-8"))
    notes = json.loads((ROOT / NOTES).read_text(encoding="utf-8"))
    complaints = check_tables(ROOT, pinned, notes)
    for line in complaints:
        print(line)
    print(f"our tables and the model of {pinned['versions']['sagemaker']}: {len(complaints)} differences")
    status = TABLES_DIFFER if complaints else 0
    if arguments.tables:
        return status
    try:
        newest = newest_model(cache())
    except (Unreachable, ModelError, tarfile.TarError, OSError) as error:
        print(f"WARNING: the newest model could not be had: {error}")
        return status or NEWER
    if arguments.pin:
        for line in compare(pinned, newest)[1]:
            print(line)
        (ROOT / MODEL).write_text(written(newest), encoding="utf-8")
        print(f"{MODEL}: {newest['versions']['sagemaker']}")
        return 0
    found, lines = compare(pinned, newest)
    print("\n".join(lines) if lines else "the newest model of each service is the one that is pinned")
    return status or found


if __name__ == "__main__":
    sys.exit(main())
