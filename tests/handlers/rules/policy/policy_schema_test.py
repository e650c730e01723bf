#!/usr/bin/env python3
"""policy.schema.json against policy_cases.json, the shipped policy and the cookbook (P2).

What the loader accepts validates; what the schema rejects the loader rejects. The loader's half of the table is tested by
policy_cases_test.cc. Exit status 77 (skipped) without jsonschema.
"""
import json
import re
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("python3-jsonschema is not installed: no policy was validated by the schema")
    sys.exit(77)


def strip(text):
    """JSON without comments and trailing commas."""
    kept = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda m: m.group(1) or " ", text, flags=re.S)
    return re.sub(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', lambda m: m.group(1) or "", kept)


def main():
    with open("handlers/policy.schema.json", encoding="utf-8") as f:
        schema = json.load(f)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    failures = []
    with open("tests/handlers/rules/policy/policy_cases.json", encoding="utf-8") as f:
        cases = json.load(f)
    for case in cases:
        if case["loader"] and not case["schema"]:
            failures.append(f"{case['why']}: the table has the loader accept what the schema rejects")
        found = [e.message for e in validator.iter_errors(case["policy"])]
        if case["schema"] != (not found):
            failures.append(f"{case['why']}: expected {'valid' if case['schema'] else 'invalid'}, found {found or 'valid'}")
    with open("handlers/policy.json", encoding="utf-8") as f:
        shipped = [f.read()]
    with open("handlers/policy.md", encoding="utf-8") as f:
        shipped += re.findall(r"```jsonc\n(.*?)```", f.read(), flags=re.S)
    for text in shipped:
        document = json.loads(strip(text))
        # A block of the cookbook is a rule, or members of a policy beside one.
        if "match" in document:
            document = {"version": 1, "rules": [document]}
        for error in validator.iter_errors(document):
            failures.append(f"{text[:60]!r}: {error.message}")
    print(f"{len(cases)} cases, {len(shipped)} shipped policies and rules, {len(failures)} failures")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
