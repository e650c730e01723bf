#!/usr/bin/env python3
"""Turns aws_model.json, AWS's public model as `./dev drift --pin` has read it, and aws_notes.json, what it does not say,
into the C++ tables of aws_tables.h: generate.py MODEL NOTES OUT."""

import json
import re
import sys

LEAF, MAP = -1, -2  # kLeaf and kMap of aws_tables.h
ROOT = "description"
TYPES = {"string": "kString", "number": "kNumber", "boolean": "kBoolean", "time": "kTime"}
DESCRIBE, CREATE, SEARCH = "DescribeTrainingJobResponse", "CreateTrainingJobRequest", "TrainingJob"
# Of Search's records, and of events, where they are a map: nothing of a description.
FREE = ("Tags",)
# Of Create, what a copy does not take from Describe: its name is its own, and so are its tags.
NOT_COPIED = ("TrainingJobName", "Tags")


def structure_of(kind):
    """The structure that a member's type leads to; None for a leaf and a map of leaves."""
    while isinstance(kind, (list, dict)):
        kind = kind[0] if isinstance(kind, list) else kind["*"]
    return kind[1:] if kind.startswith("@") else None


def leaves(shapes, name, path="", in_list=False):
    """(path, type, whether it lies in a list or is one) of each leaf of a structure."""
    for member, kind in shapes[name].items():
        inner, listed = f"{path}{member}", in_list
        while isinstance(kind, list):
            kind, listed = kind[0], True
        if isinstance(kind, dict):
            yield f"{inner}.*", kind["*"], listed
        elif kind.startswith("@"):
            yield from leaves(shapes, kind[1:], f"{inner}.", listed)
        else:
            yield inner, kind, listed


def reachable(shapes, root):
    out, open_ = [], [root]
    while open_:
        name = open_.pop(0)
        if name in out:
            continue
        out.append(name)
        open_ += [below for kind in shapes[name].values() if (below := structure_of(kind))]
    return out


class Machines:
    """GPUs and vCPUs of the types, by the notes."""

    def __init__(self, types, notes):
        self.types, self.notes = sorted(types), notes
        for type_ in notes["gpus"] | notes["vcpus"]:
            if type_ not in types:
                sys.exit(f"aws_notes.json: `{type_}`: expected a type of aws_model.json")
        with_gpus = {self.family(type_) for type_ in notes["gpus"]}
        self.families = sorted({self.family(type_) for type_ in types} | set(notes["families"]))
        self.without_gpus = [family for family in self.families if family not in with_gpus]
        for type_ in self.types:
            if re.match(r"ml\.(p|g|gr)\d", type_) and type_ not in notes["gpus"]:
                sys.exit(f"aws_notes.json: expected the GPUs of `{type_}`, by its family's page, found none")

    @staticmethod
    def family(type_):
        return type_.split(".")[1]

    def vcpus(self, type_):
        size = type_.split(".")[2]
        found = re.fullmatch(r"(\d*)xlarge", size)
        by_size = 4 * int(found[1] or 1) if found else {"medium": 2, "large": 2}.get(size)
        out = self.notes["vcpus"].get(type_, by_size)
        if out is None:
            sys.exit(f"aws_notes.json: expected the vCPUs of `{type_}`, whose size does not tell, found none")
        return out


def tables(model, notes):
    shapes = model["shapes"]
    root = shapes[DESCRIBE] | shapes[SEARCH]
    described = {member: kind for member, kind in root.items() if member not in FREE}
    structures = [ROOT] + [name for name in reachable(shapes | {ROOT: described}, ROOT) if name != ROOT]
    created = set(reachable(shapes, CREATE))
    machines = Machines(model["values"]["TrainingInstanceType"], notes)

    def in_order(name):
        first = notes["order"][name]
        return sorted(model["values"][name], key=lambda value: (first.index(value) if value in first else len(first), value))

    def is_taken(name, member):
        if name == ROOT:
            return member in shapes[CREATE]
        return name in created and f"{name}.{member}" not in model["read_only"]

    out = ["// Made of aws_model.json and aws_notes.json by generate.py.",
           '#include "handlers/rules/job/aws_tables.h"', "", "#include <array>", "", "namespace trainwarden::rules {",
           "namespace {", "", "using enum LeafType;", ""]

    def array(name, kind, rows):
        out.append(f"constexpr std::array<{kind}, {len(rows)}> {name} = {{{{")
        out.extend(f"    {row}," for row in rows)
        out.append("}};")
        out.append("")

    def texts(name, values):
        array(name, "std::string_view", [f'"{value}"' for value in values])

    array("kLeaves", "Leaf", [f'Leaf{{"{path}", {TYPES[kind]}, {str(listed).lower()}}}'
                              for path, kind, listed in sorted(leaves(shapes, DESCRIBE))])
    members, spans = [], []
    for name in structures:
        begin = len(members)
        for member, kind in sorted((root if name == ROOT else shapes[name]).items()):
            below = structure_of(kind)
            is_map = isinstance(kind, dict) or (name == ROOT and member in FREE)
            where = MAP if is_map else structures.index(below) if below else LEAF
            members.append(f'ModelMember{{"{member}", {where}, {str(is_taken(name, member)).lower()}}}')
        spans.append(f"ModelStructure{{{begin}, {len(members) - begin}}}")
    array("kModelMembers", "ModelMember", members)
    array("kModelStructures", "ModelStructure", spans)
    texts("kCopied", [member for member in shapes[CREATE] if member in shapes[DESCRIBE] and member not in NOT_COPIED])
    texts("kSearchLacks", sorted(set(shapes[DESCRIBE]) - set(shapes[SEARCH])))
    texts("kTrainingJobStatuses", in_order("TrainingJobStatus"))
    texts("kSecondaryStatuses", in_order("SecondaryStatus"))
    texts("kWarmPoolStatuses", in_order("WarmPoolResourceStatus"))
    array("kInstanceTypes", "InstanceTypeRow",
          [f'InstanceTypeRow{{"{type_}", {notes["gpus"].get(type_, 0)}, {machines.vcpus(type_)}}}'
           for type_ in machines.types])
    array("kFamilies", "FamilyRow",
          [f'FamilyRow{{"{family}", {str(family in machines.without_gpus).lower()}}}' for family in machines.families])
    known = {path for path, _, _ in leaves(shapes, DESCRIBE)}
    for path in notes["always_given"]:
        if path not in known:
            sys.exit(f"aws_notes.json: always_given: `{path}`: expected a leaf of DescribeTrainingJob")
    # As a policy writes it: what the leaf holds where nobody set it, and what no such leaf passes.
    forms = {"": ('[""]', '[{"anything-but": ""}]'), False: ("[false]", "[true]"), None: ("", "")}
    array("kAlwaysGiven", "AlwaysGiven",
          [f'AlwaysGiven{{{", ".join(json.dumps(text) for text in (path, *forms[unset]))}}}'
           for path, unset in sorted(notes["always_given"].items())])
    out += ["}  // namespace", "",
            f'std::string_view model_version() {{ return "{model["versions"]["sagemaker"]}"; }}']
    for function, kind, name in (("describe_members", "Leaf", "kLeaves"),
                                 ("model_members", "ModelMember", "kModelMembers"),
                                 ("model_structures", "ModelStructure", "kModelStructures"),
                                 ("copied_members", "std::string_view", "kCopied"),
                                 ("members_search_lacks", "std::string_view", "kSearchLacks"),
                                 ("training_job_statuses", "std::string_view", "kTrainingJobStatuses"),
                                 ("secondary_statuses", "std::string_view", "kSecondaryStatuses"),
                                 ("warm_pool_statuses", "std::string_view", "kWarmPoolStatuses"),
                                 ("instance_type_rows", "InstanceTypeRow", "kInstanceTypes"),
                                 ("family_rows", "FamilyRow", "kFamilies"),
                                 ("always_given_rows", "AlwaysGiven", "kAlwaysGiven")):
        out.append(f"std::span<const {kind}> {function}() {{ return {name}; }}")
    return "\n".join(out + ["", "}  // namespace trainwarden::rules", ""])


def main():
    with open(sys.argv[1], encoding="utf-8") as model, open(sys.argv[2], encoding="utf-8") as notes:
        text = tables(json.load(model), json.load(notes))
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        out.write(text)


if __name__ == "__main__":
    main()
