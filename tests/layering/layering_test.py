#!/usr/bin/env python3
"""Fails on every #include, call and name that house.py does not allow.

usage: layering_test.py [root of the repository]

Before it judges the repository it judges made-up trees, good and bad, so that a checker that
stopped biting is a failure too.
"""

import pathlib
import re
import sys
import tempfile

from house import (CALLERS, GENERATED, HANDLERS, IMPURE_CODE, IMPURE_HEADERS, IMPURE_PROJECT, LAYERS, ONE_NAME, PRODUCT, PURE,
                   READERS, STANDARD, TESTS, THIRD_PARTIES, WINGS)

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)"|(.*))')


def layer_of(path):
    for name, (folder, _, _) in LAYERS.items():
        if path.startswith(folder + "/"):
            return name
    return None


def wing_of(layer, path):
    """The wing of a file of that layer; None if the layer is one room or the file is in a folder that is no wing."""
    below = path.removeprefix(LAYERS[layer][0] + "/").split("/")
    wing = "/".join(below[:-1])
    return wing if wing in WINGS.get(layer, {}) else None


def judge_table(wings):
    """What is wrong with one layer's table itself: arrows to later wings, to unknown ones or to the wing itself."""
    known, complaints = [], []
    for wing, allowed in wings.items():
        for other in allowed:
            if other not in wings:
                complaints.append(f"{wing} may not include {other}, which is no wing")
            elif other not in known:
                complaints.append(f"{wing} may not include {other}, which does not stand below it")
        known.append(wing)
    return complaints


def keep_lines(match):
    return "\n" * match.group(0).count("\n") + " "


def without_comments(text):
    strings = r'R"(?P<end>\w*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\''
    return re.sub(r'//[^\n]*|/\*.*?\*/|(?P<string>' + strings + ')',
                  lambda match: match.group("string") or keep_lines(match), text, flags=re.S)


def without_comments_and_strings(text):
    text = re.sub(r'R"(\w*)\(.*?\)\1"', keep_lines, text, flags=re.S)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', keep_lines, text, flags=re.S)


def judge_quoted(root, layer, wing, target):
    if target in GENERATED:
        return None if layer in GENERATED[target] else f"{layer} may not include the generated {target}"
    if not target.endswith(".h"):
        return f'"{target}" is no header'
    if not (root / target).is_file():
        return f'"{target}" does not exist: project headers are named from the root of the repository'
    if layer in PURE and target in IMPURE_PROJECT:
        return f'{layer} is pure and may not include "{target}"'
    _, allowed, _ = LAYERS[layer]
    other = layer_of(target)
    if other == layer and wing is not None:
        other_wing = wing_of(layer, target)
        if other_wing == wing or other_wing in WINGS[layer][wing]:
            return None
        return f'{layer}/{wing} may not include {layer}/{other_wing}: "{target}"'
    if other == layer or other in allowed or target in allowed:
        return None
    return f"{layer} may not include {other or 'what belongs to no layer'}: \"{target}\""


def judge_angled(layer, target):
    if layer in PURE and re.fullmatch(IMPURE_HEADERS, target):
        return f"{layer} is pure and may not include <{target}>"
    if re.fullmatch(STANDARD, target):
        return None
    for third, pattern in THIRD_PARTIES.items():
        if re.fullmatch(pattern, target):
            if third in LAYERS[layer][2]:
                return None
            return f"{layer} may not include {third}: <{target}>"
    return f"<{target}> is neither C++'s nor a known third party's"


def judge_readers(layer, path, text, readers):
    """The complaints about what this file reads; adds it to the readers of each row."""
    complaints = []
    code = without_comments(text)
    for what, (pattern, layers, allowed) in READERS.items():
        if layer not in layers:
            continue
        for number, line in enumerate(code.splitlines(), 1):
            found = re.search(pattern, line)
            if not found:
                continue
            readers[what].add(path)
            if path not in allowed:
                complaints.append(f"{path}:{number}: is not among those that may read {what}: `{found.group(0)}`")
    return complaints


class Wing:
    """What is counted of a wing: its files, their lines and its includes of other wings."""

    def __init__(self):
        self.files = self.lines = 0
        self.arrows = {}


def judge(root):
    """The number of files read, the complaints, and (layer, wing) -> Wing."""
    complaints, wings, named = [], {}, {}
    called = {header: [] for header in CALLERS}
    readers = {what: set() for what in READERS}
    for layer, table in WINGS.items():
        complaints += [f"{layer}: {complaint}" for complaint in judge_table(table)]
        wings.update({(layer, wing): Wing() for wing in table})
    files = sorted(p for folder in PRODUCT for p in (root / folder).rglob("*")
                   if p.suffix in {".h", ".cc", ".inc", ".cpp", ".hpp", ".c"})
    for file in files:
        path = file.relative_to(root).as_posix()
        layer = layer_of(path)
        if layer is None:
            complaints.append(f"{path}: belongs to no layer")
            continue
        wing = wing_of(layer, path)
        if layer in WINGS and wing is None:
            complaints.append(f"{path}: belongs to no wing of {layer}")
            continue
        text = file.read_text()
        counted = wings.get((layer, wing), Wing())
        counted.files += 1
        counted.lines += text.count("\n")
        if layer in ONE_NAME:
            complaints += judge_name(path, named)
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            angled, quoted, other = match.groups()
            if angled:
                wrong = judge_angled(layer, angled)
            elif quoted:
                wrong = judge_quoted(root, layer, wing, quoted)
                if quoted in CALLERS:
                    called[quoted].append(path)
                    if path not in CALLERS[quoted]:
                        wrong = wrong or f'is not among those that may include "{quoted}"'
                if wing is not None and layer_of(quoted) == layer and wing_of(layer, quoted) != wing:
                    other_wing = wing_of(layer, quoted)
                    counted.arrows[other_wing] = counted.arrows.get(other_wing, 0) + 1
            else:
                wrong = f"expected <header> or \"header\", found `{other}`"
            if wrong:
                complaints.append(f"{path}:{number}: {wrong}")
        complaints += judge_readers(layer, path, text, readers)
        if layer in PURE:
            for number, line in enumerate(without_comments_and_strings(text).splitlines(), 1):
                found = re.search(IMPURE_CODE, line)
                if found:
                    complaints.append(f"{path}:{number}: {layer} is pure and may not use `{found.group(0)}`")
    for file in sorted((root / TESTS).rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.suffix in {".h", ".cc"} and not file.stem.endswith("_test") and layer_of(path) is None:
            complaints += judge_name(path, named)
    return len(files), complaints, wings, called, readers


def judge_name(path, named):
    """Complains of a name that a file in another folder has already; adds it to `named`, name -> path."""
    path = pathlib.PurePath(path)
    first = named.setdefault(path.stem, path)
    if path.stem == "main" or first.parent == path.parent:
        return []
    return [f"{path}: {first} has this name too"]


def unused_arrows(wings):
    return [f"{layer}/{wing} no longer includes {layer}/{other}: take the arrow out of WINGS"
            for (layer, wing), counted in wings.items() for other in WINGS[layer][wing] if other not in counted.arrows]


def unused_callers(called):
    return [f"{caller} does not include {header} any more: take it out of CALLERS"
            for header, callers in CALLERS.items() for caller in callers if caller not in called[header]]


def unused_readers(readers):
    return [f"{reader} does not read {what} any more: take it out of READERS"
            for what, (_, _, allowed) in READERS.items() for reader in allowed if reader not in readers[what]]


def print_readers(readers):
    for what, files in readers.items():
        print(f"{what} is read by " + (", ".join(sorted(files)) or "nobody"))


def print_callers(called):
    for header, callers in called.items():
        print(f"{header} is included by " + ", ".join(callers))


def print_wings(wings):
    print(f"{'wing':<20} {'files':>5} {'lines':>6}  includes (how often)")
    for (layer, wing), counted in wings.items():
        arrows = ", ".join(f"{other} {counted.arrows[other]}" for other in WINGS[layer][wing] if other in counted.arrows)
        print(f"{layer + '/' + wing:<20} {counted.files:>5} {counted.lines:>6}  {arrows or '-'}")


# Text of a file -> the complaint it must lead to (None: none).
SELF_CHECK = [
    ("handlers/rules/policy/good.h", '#include "runtime/json/json.h"\n#include <chrono>\n#include <fmt/core.h>\n', None),
    ("handlers/rules/policy/comment.cc", '// system_clock::now() is the caller\'s\nauto s = "::now()";\n', None),
    ("handlers/actions/stop/good_stop.cc", '#include "runtime/http/transport.h"\n#include "handlers/rules/policy/good.h"\n', None),
    ("awsapi/good.cc", '#include "awsapi/roots.inc"\n#include <openssl/sha.h>\n', None),
    ("tests/localaws/good_server.cc", '#include <httplib.h>\n#include <unistd.h>\n', None),
    ("runtime/json/up.cc", '#include "awsapi/good.h"\n', "json may not include awsapi"),
    ("awsapi/across.cc", '#include "runtime/lambda/loop.h"\n', "awsapi may not include lambda"),
    ("runtime/lambda/across.cc", '#  include "awsapi/good.h"\n', "lambda may not include awsapi"),
    ("handlers/rules/policy/io.cc", '#include "runtime/http/transport.h"\n', "rules may not include http"),
    ("handlers/actions/stop/curl.cc", '#include "runtime/http/curl_transport.h"\n', "actions may not include http"),
    ("handlers/cli/loop.cc", '#include "runtime/lambda/loop.h"\n', "cli may not include lambda"),
    ("handlers/state/other.cc", '#include "handlers/alarm/alarm_event.h"\n', "state may not include alarm"),
    ("tests/localaws/sign.cc", '#include "awsapi/good.h"\n', "localaws may not include awsapi"),
    ("runtime/http/test.cc", '#include "tests/helper.h"\n', "http may not include what belongs to no layer"),
    ("handlers/rules/policy/rapid.cc", '#include <rapidjson/document.h>\n', "rules may not include rapidjson"),
    ("awsapi/curl.cc", '#include <curl/curl.h>\n', "awsapi may not include curl"),
    ("runtime/json/digest.cc", '#include <openssl/sha.h>\n', "json may not include openssl"),
    ("runtime/http/server.cc", '#include <httplib.h>\n', "http may not include httplib"),
    ("runtime/base/boost.cc", '#include <boost/json.hpp>\n', "neither C++'s nor a known third party's"),
    ("handlers/rules/policy/file.cc", '#include <fstream>\n', "rules is pure and may not include <fstream>"),
    ("handlers/rules/policy/posix.cc", '#include <unistd.h>\n', "rules may not include posix"),
    ("handlers/rules/policy/clock.cc", 'auto t = std::chrono::system_clock::now();\n', "may not use `::now(`"),
    ("handlers/rules/policy/env2.cc", '#include "runtime/base/environment.h"\n', "rules is pure and may not include"),
    ("handlers/rules/policy/env.cc", '\nauto e = std::getenv("X");\n', "env.cc:2: rules is pure and may not use `getenv(`"),
    ("runtime/json/relative.cc", '#include "json.h"\n', "does not exist"),
    ("runtime/json/macro.cc", '#include HEADER\n', "expected <header>"),
    ("handlers/util/new.cc", '\n', "belongs to no layer"),
    ("handlers/rules/policy/down.cc", '#include "handlers/rules/patterns/good_pattern.h"\n#include "handlers/rules/policy/good.h"\n', None),
    ("handlers/rules/patterns/up.cc", '#include "handlers/rules/policy/good.h"\n', "rules/patterns may not include rules/policy"),
    ("handlers/rules/policy/beside.cc", '#include "handlers/rules/alarms/good_alarm.h"\n', "rules/policy may not include rules/alarms"),
    ("handlers/actions/stop/up.cc", '#include "handlers/actions/sweep/good_sweep.h"\n', "actions/stop may not include actions/sweep"),
    ("tests/localaws/sns/across.cc", '#include "tests/localaws/ssm/ssm.h"\n', "localaws/sns may not include localaws/ssm"),
    ("tests/localaws/ssm/up.cc", '#include "tests/localaws/emulator.h"\n', "localaws/ssm may not include localaws/"),
    ("handlers/cli/restart/restart_doubts.cc", '#include "handlers/rules/outcome/outcome_text.h"\n', None),
    ("handlers/actions/handle/reads.cc", '#include "handlers/rules/outcome/outcome_text.h"\n', "is not among those that may include"),
    ("handlers/rules/restart/reads.cc", '#include "handlers/rules/outcome/outcome_text.h"\n', "is not among those that may include"),
    ("handlers/rules/job/training_job.cc", 'auto name = string_of(describe, "TrainingJobName");\nauto raw = job.raw;\n', None),
    ("handlers/rules/job/job_tags.h", 'constexpr const char* kRootTag = "trainwarden:root";\n', None),
    ("handlers/rules/restart/comment.cc", '// string_of(describe, "x"), job.raw and "trainwarden:root"\nauto s = "job.rawer";\n', None),
    ("handlers/rules/restart/message.cc", 'auto s = "the tag trainwarden:root of " + name;\n', None),
    ("handlers/rules/restart/string.cc", '\nauto name = string_of(describe, "TrainingJobName");\n', "string.cc:2: is not among those that may read a member of what AWS answered"),
    ("handlers/actions/stop/time.cc", 'auto end = rules::time_of(found->root(), "TrainingEndTime");\n', "is not among those that may read a member of what AWS answered"),
    ("handlers/cli/number.cc", 'auto usd = rules::number_of (cost, "spent_usd");\n', "is not among those that may read a member of what AWS answered"),
    ("handlers/actions/sweep/member.cc", 'auto job = result.find_present("TrainingJob");\n', "is not among those that may read a member of JSON"),
    ("handlers/rules/restart/find.cc", 'auto arn = describe.find("TrainingJobArn")->as_string();\n', "is not among those that may read a member of JSON"),
    ("handlers/rules/restart/whole.cc", 'auto spot = found.job.raw;\n', "is not among those that may read a job's whole JSON"),
    ("handlers/actions/stop/describe.cc", 'auto job = sources.known(rules::Source::kDescribe);\n', "is not among those that may read DescribeTrainingJob's answer as JSON"),
    ("handlers/actions/stop/key.cc", 'auto key = std::string("trainwarden:root");\n', "is not among those that may read a key of our own tags"),
    ("handlers/cli/search_key.cc", 'auto key = "Tags.trainwarden:root";\n', "is not among those that may read a key of our own tags"),
    ("handlers/rules/loose.cc", '\n', "belongs to no wing of rules"),
    ("handlers/rules/policy/source.cc", '#include "handlers/rules/policy/good.cc"\n', "is no header"),
    ("handlers/rules/cellar/new.cc", '\n', "belongs to no wing of rules"),
    ("handlers/actions/stop/good_alarm.h", '\n', "has this name too"),
    ("handlers/cli/good_alarm.cc", '\n', "has this name too"),
    ("handlers/rules/alarms/good_alarm.cc", '\n', None),
    ("tests/localaws/sns/good_alarm.h", '\n', "has this name too"),
    ("tests/support/good_alarm.h", '\n', "has this name too"),
    ("tests/demo/emulator.cc", '\n', "has this name too"),
    ("tests/handlers/rules/alarms/good_alarm_test.cc", '\n', None),
    ("tests/demo/main.cc", '\n', None),
]
SELF_CHECK_HEADERS = ["runtime/base/environment.h", "runtime/json/json.h", "runtime/http/transport.h", "runtime/http/curl_transport.h",
                      "runtime/lambda/loop.h", "awsapi/good.h", "handlers/alarm/alarm_event.h", "tests/helper.h", "handlers/rules/policy/good.h",
                      "handlers/rules/patterns/good_pattern.h", "handlers/rules/alarms/good_alarm.h", "handlers/actions/sweep/good_sweep.h", "handlers/rules/outcome/outcome_text.h",
                      "tests/localaws/ssm/ssm.h", "tests/localaws/emulator.h"]

# A table of wings -> the complaint it must lead to (None: none).
TABLE_CHECK = [
    ({"low": [], "high": ["low"]}, None),
    ({"low": ["high"], "high": []}, "low may not include high, which does not stand below it"),
    ({"one": ["other"], "other": ["one"]}, "one may not include other, which does not stand below it"),
    ({"one": ["one"]}, "one may not include one, which does not stand below it"),
    ({"one": ["gone"]}, "one may not include gone, which is no wing"),
]


def self_check():
    failures = []
    for path, text, expected in SELF_CHECK:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for header in SELF_CHECK_HEADERS:
                (root / header).parent.mkdir(parents=True, exist_ok=True)
                (root / header).write_text("")
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
            complaints = judge(root)[1]
        if expected is None:
            right = not complaints
        else:
            right = len(complaints) == 1 and expected in complaints[0]
        if not right:
            failures.append(f"self-check {path}: expected {expected!r}, found {complaints}")
    for table, expected in TABLE_CHECK:
        complaints = judge_table(table)
        if complaints != ([] if expected is None else [expected]):
            failures.append(f"self-check {table}: expected {expected!r}, found {complaints}")
    return failures


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    failures = self_check()
    count, complaints, wings, called, readers = judge(root)
    complaints += unused_arrows(wings) + unused_callers(called) + unused_readers(readers)
    if count == 0:
        failures.append(f"{root}: no C++ file found")
    for line in failures + complaints:
        print(line)
    print_wings(wings)
    print_callers(called)
    print_readers(readers)
    print(f"layering: {count} files, {len(complaints)} complaints, {len(SELF_CHECK) + len(TABLE_CHECK)} self-checks")
    return 1 if failures or complaints else 0


if __name__ == "__main__":
    sys.exit(main())
