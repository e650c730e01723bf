"""Reads AWS's public models out of the npm packages of the AWS SDK for JavaScript, without running anything of them.

extract(read) makes the extract that is committed as aws_model.json: what Describe, Create, Search and Update say of a
training job, the members that AWS only returns, the lists of values, and what goes into and comes out of each call of
ours. read(package, path) returns a file of a package: drift.py takes them from npm, the tests from a folder.
"""

import ast
import re

PACKAGES = ("sagemaker", "cloudwatch", "cloudwatch-logs", "sns", "ssm", "s3", "dynamodb", "service-quotas", "pricing")
# The calls of ours. tests/drift holds this list to what awsapi calls.
CALLS = {
    "sagemaker": ("AddTags", "CreateTrainingJob", "DescribeHyperParameterTuningJob", "DescribeTrainingJob", "ListAutoMLJobs",
                  "ListHyperParameterTuningJobs", "ListTags", "ListTrainingJobs", "Search", "StopAutoMLJob",
                  "StopHyperParameterTuningJob", "StopTrainingJob", "UpdateTrainingJob"),
    "cloudwatch": ("DeleteAlarms", "DescribeAlarms", "GetMetricData", "PutMetricAlarm", "SetAlarmState"),
    "cloudwatch-logs": ("FilterLogEvents",),
    "sns": ("Publish",),
    "ssm": ("GetParameter",),
    "s3": ("ListObjectsV2",),
    "dynamodb": ("GetItem", "PutItem", "Query"),
    "service-quotas": ("ListServiceQuotas",),
    "pricing": ("GetAttributeValues", "GetProducts"),
}
DESCRIBE, CREATE, SEARCH = "DescribeTrainingJobResponse", "CreateTrainingJobRequest", "TrainingJob"
UPDATE = "UpdateTrainingJobRequest"
VALUES = ("TrainingInstanceType", "TrainingJobStatus", "SecondaryStatus", "WarmPoolResourceStatus")
# What AWS writes of a member that it returns and does not take.
READ_ONLY = re.compile(r"read-only and isn't accepted in <code>CreateTrainingJob</code>")
LIST, MAP = 64, 128
TIMES = (4, 5, 6, 7)


class ModelError(Exception):
    pass


def scalar(code):
    if code in TIMES:
        return "time"
    return {1: "number", 2: "boolean"}.get(code, "string")


class Schemas:
    """The shapes and the operations of one package."""

    def __init__(self, text):
        names = dict(re.findall(r'^(?:export )?const (\w+) = "([^"]*)";', text, re.M))
        self.simple = {name: int(a) | int(b)
                       for name, a, b in re.findall(r"^(?:export )?(?:var|let|const) (\w+)\$? = (\d+) \| (\d+);", text, re.M)}
        self.structures, self.lists, self.maps, self.operations = {}, {}, {}, {}
        pattern = r"^(?:export )?(?:var|let|const) (\w+?)\$? = (\[[0-9]+, n\w+, (?:[^\n]*\](?=;$)|.*?^\]));"
        for name, body in re.findall(pattern, text, re.M | re.S):
            self.add(name, self.literal(body, names))
        if not self.structures or not self.operations:
            raise ModelError("expected the shapes and operations of a service, found none: the package has another form")

    @staticmethod
    def literal(body, names):
        body = re.sub(r"\(\) => (\w+?)\$?(?=[,\]\s}])", r'"@\1"', body)
        body = re.sub(r"(\d+) \| (\d+)", lambda m: str(int(m[1]) | int(m[2])), body)
        quoted = r'"(?:[^"\\]|\\.)*"'
        body = re.sub(quoted + r"|\[(\w+)\]:|\b([A-Za-z_]\w*)\b(:?)",
                      lambda m: m[0] if m[0].startswith('"')
                      else f'{names.get(m[1], m[1])!r}:' if m[1]
                      else f"{names.get(m[2], m[2])!r}{m[3]}", body)
        try:
            return ast.literal_eval(body)
        except (SyntaxError, ValueError) as error:
            raise ModelError(f"expected a shape, found {body[:80]!r}: {error}") from error

    def add(self, name, body):
        kind = body[0]
        if kind == 3:
            self.structures[name] = dict(zip(body[4], (one[0] if isinstance(one, list) else one for one in body[5])))
        elif kind == 1:
            self.lists[name] = body[4][0] if isinstance(body[4], list) else body[4]
        elif kind == 2:
            self.maps[name] = body[5][0] if isinstance(body[5], list) else body[5]
        elif kind == 9:
            self.operations[name] = (body[4].lstrip("@"), body[5].lstrip("@"))

    def type_of(self, code):
        """"string", "@Structure", ["@Structure"], {"*": "string"}."""
        if isinstance(code, str):
            name = code.lstrip("@")
            if name in self.structures:
                return f"@{name}"
            if name in self.lists:
                return [self.type_of(self.lists[name])]
            if name in self.maps:
                return {"*": self.type_of(self.maps[name])}
            return self.type_of(self.simple[name]) if name in self.simple else "string"
        if code & MAP:
            return {"*": scalar(code & ~MAP)}
        if code & LIST:
            return [scalar(code & ~LIST)]
        return scalar(code)

    def shapes_below(self, roots):
        """All structures that these reach, by name."""
        out, open_ = {}, list(roots)
        while open_:
            name = open_.pop()
            if name in out:
                continue
            out[name] = {member: self.type_of(code) for member, code in self.structures[name].items()}
            open_ += [one for member in out[name].values() if (one := structure_of(member))]
        return out


def structure_of(kind):
    """The structure that a member's type leads to; None for a leaf and a map of leaves."""
    while isinstance(kind, (list, dict)):
        kind = kind[0] if isinstance(kind, list) else kind["*"]
    return kind[1:] if kind.startswith("@") else None


def read_only_members(typings, shapes):
    out = []
    for text in typings:
        for name, body in re.findall(r"^export interface (\w+) (?:extends \w+ )?\{\n(.*?)^\}", text, re.M | re.S):
            if name not in shapes:
                continue
            for comment, member in re.findall(r"/\*\*(.*?)\*/\s*(\w+)\??:", body, re.S):
                if READ_ONLY.search(comment):
                    out.append(f"{name}.{member}")
    return sorted(out)


def values_of(enums, name):
    found = re.search(rf"^export const {name} = \{{(.*?)^\}}", enums, re.M | re.S)
    if not found:
        raise ModelError(f"expected the values of {name}, found none")
    return sorted(re.findall(r': "([^"]*)"', found[1]))


def paths_of(schemas, root):
    """The dotted paths of a structure's leaves, sorted; a structure inside itself ends at `…`."""
    out = set()

    def walk(name, path, above):
        for member, code in schemas.structures.get(name, {}).items():
            kind, inner = schemas.type_of(code), f"{path}{member}"
            below = structure_of(kind)
            if below is None:
                out.add(inner + (".*" if isinstance(kind, dict) else ""))
            elif below in above:
                out.add(f"{inner}.…")
            else:
                walk(below, f"{inner}.", above + (below,))

    walk(root, "", (root,))
    return sorted(out)


def extract(read, versions):
    """read(package, path) -> text; versions: package -> version."""
    schemas = {}
    for package in PACKAGES:
        schemas[package] = Schemas(read(package, "dist-es/schemas/schemas_0.js"))
    sagemaker = schemas["sagemaker"]
    shapes = sagemaker.shapes_below((DESCRIBE, CREATE, SEARCH, UPDATE))
    enums = read("sagemaker", "dist-es/models/enums.js")
    operations = {}
    for package, calls in CALLS.items():
        for call in calls:
            if call not in schemas[package].operations:
                raise ModelError(f"{package} has no operation {call}")
            if (package, call) in (("sagemaker", "CreateTrainingJob"), ("sagemaker", "DescribeTrainingJob"),
                                   ("sagemaker", "UpdateTrainingJob")):
                continue  # their shapes are above
            into, out = schemas[package].operations[call]
            operations[f"{package}.{call}"] = {"input": paths_of(schemas[package], into),
                                               "output": [] if call == "Search" else paths_of(schemas[package], out)}
    return {
        "versions": versions,
        "shapes": {name: shapes[name] for name in sorted(shapes)},
        "read_only": read_only_members(typings_of(read), shapes),
        "values": {name: values_of(enums, name) for name in VALUES},
        "calls": operations,
        "operations": sorted(sagemaker.operations),
    }


def typings_of(read):
    out, number = [], 0
    while True:
        text = read("sagemaker", f"dist-types/models/models_{number}.d.ts", missing_ok=True)
        if text is None:
            return out
        out.append(text)
        number += 1
