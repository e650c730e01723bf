#!/usr/bin/env python3
"""./dev drift: our tables are those of the model that is pinned, and what a newer model has is told with what it does."""

import copy
import json
import pathlib
import unittest
from unittest import mock

import aws_model
import drift

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pinned():
    return json.loads((ROOT / drift.MODEL).read_text(encoding="utf-8"))


def notes():
    return json.loads((ROOT / drift.NOTES).read_text(encoding="utf-8"))


class Tables(unittest.TestCase):
    def test_ours_are_those_of_the_pinned_model(self):
        self.assertEqual(drift.check_tables(ROOT, pinned(), notes()), [])

    def test_a_member_of_create_that_a_copy_would_lose_fails(self):
        model = pinned()
        model["shapes"][drift.CREATE]["SecretConfig"] = "string"
        found = drift.check_tables(ROOT, model, notes())
        self.assertTrue(any(line.startswith("CreateTrainingJob takes SecretConfig, which Describe does not return: a copy "
                                            "would lose it") for line in found), found)

    def test_a_member_that_our_own_aws_lacks_fails(self):
        model = pinned()
        model["shapes"]["ResourceConfig"]["FleetArn"] = "string"
        self.assertEqual(drift.check_tables(ROOT, model, notes()),
                         ["tests/localaws/sagemaker/sagemaker_shapes.cc: CreateTrainingJob lacks ResourceConfig.FleetArn, "
                          "which AWS takes"])

    def test_a_type_without_gpus_or_vcpus_in_the_notes_fails(self):
        for type_, what in (("ml.p9.48xlarge", "expected the GPUs of `ml.p9.48xlarge`"),
                            ("ml.m9.metal", "expected the vCPUs of `ml.m9.metal`")):
            model = pinned()
            model["values"]["TrainingInstanceType"].append(type_)
            found = drift.check_tables(ROOT, model, notes())
            self.assertEqual(len(found), 1, found)
            self.assertIn(what, found[0])

    def test_what_search_lacks_and_a_call_that_is_not_looked_at_fail(self):
        model = pinned()
        model["shapes"][drift.SEARCH]["MlflowConfig"] = "@MlflowConfig"
        self.assertTrue(any("job_search.cc: kLacking" in line for line in drift.check_tables(ROOT, model, notes())))
        calls = dict(aws_model.CALLS, sns=())
        with mock.patch.object(aws_model, "CALLS", calls):
            self.assertEqual(drift.check_tables(ROOT, pinned(), notes()),
                             ["tests/drift/aws_model.py: CALLS lacks Publish, which tests/template/rights.json has"])

    def test_every_call_of_awsapi_is_looked_at(self):
        found = set()
        for path in (ROOT / "awsapi").glob("*.cc"):
            found |= drift.quoted(path)
        for service, calls in aws_model.CALLS.items():
            for call in calls:
                if service != "s3":  # REST, whose calls have no name on the wire
                    self.assertIn(call, found, service)


class Differences(unittest.TestCase):
    def setUp(self):
        self.old = pinned()
        self.new = copy.deepcopy(self.old)

    def lines(self):
        return drift.differences(self.old, self.new)

    def test_the_same_model_has_none(self):
        self.assertEqual(self.lines(), [])

    def test_a_member_at_the_top(self):
        self.new["shapes"][drift.DESCRIBE]["ComputeConfig"] = "@ComputeConfig"
        self.new["shapes"]["ComputeConfig"] = {"Type": "string", "Count": "number"}
        line, events = self.lines()
        self.assertEqual(line, "Describe: ComputeConfig (Count, Type) is new. Rules: resources.unknown_members lists it; where "
                               "nothing else tells them, machines, cost and checkpoint are unavailable, and so is "
                               "lineage.child_of of a job that nothing known launched. Copies: a copy is made without it, and "
                               "says so: AWS only returns it.")
        self.assertTrue(events.startswith("Events: "))

    def test_members_inside_what_create_takes_and_inside_what_it_does_not(self):
        self.new["shapes"]["ResourceConfig"]["Fleet"] = "string"
        self.new["shapes"]["InstanceGroup"]["Fleet"] = "string"
        self.new["shapes"]["WarmPoolStatus"]["Since"] = "time"
        lines = self.lines()
        self.assertEqual(len(lines), 3)
        for line, path in zip(lines, ("ResourceConfig.Fleet", "ResourceConfig.InstanceGroups.Fleet", "WarmPoolStatus.Since")):
            self.assertTrue(line.startswith(f"Describe: {path} is new."), line)
        self.assertIn("machines and cost are unavailable where nothing else tells them", lines[1])
        self.assertTrue(lines[1].endswith("Copies: a restart of a job that has it is refused, by its name."), lines[1])
        self.assertTrue(lines[2].endswith("Copies: copies do not have it."), lines[2])

    def test_members_of_create_search_and_update(self):
        self.new["shapes"][drift.CREATE]["SecretConfig"] = "string"
        self.new["shapes"][drift.SEARCH]["MlflowConfig"] = "@MlflowConfig"
        del self.new["shapes"][drift.SEARCH]["RetryStrategy"]
        self.new["shapes"][drift.UPDATE]["RoleArn"] = "string"
        self.assertEqual(self.lines(), [
            "Create: SecretConfig is new, and Describe does not return it. Copies: they lose it. Rules: they never see it.",
            "Search: its records have MlflowConfig now. Rules: a sweep need not look at a job for it.",
            "Search: its records lack RetryStrategy now. Rules: a sweep must look at each job for it.",
            "Update: RoleArn is new. Ours sends KeepAlivePeriodInSeconds alone."])

    def test_types_statuses_and_operations(self):
        self.new["values"]["TrainingInstanceType"].append("ml.p9.48xlarge")
        self.new["values"]["SecondaryStatus"].append("Queued")
        self.new["operations"] += ["CreateEvaluationJob", "ListPlans"]
        self.new["calls"]["ssm.GetParameter"]["input"].append("Region")
        lines = self.lines()
        self.assertEqual(len(lines), 5)
        self.assertTrue(lines[0].startswith("TrainingInstanceType: ml.p9.48xlarge new: GPUs and vCPUs are unknown"))
        self.assertTrue(lines[1].startswith("SecondaryStatus: Queued new: such a status ends nothing"))
        self.assertEqual(lines[2], "ssm.GetParameter: its input has Region now: ours does not send it.")
        self.assertTrue(lines[3].startswith("operation CreateEvaluationJob is new: it may launch or change training jobs."))
        self.assertEqual(lines[4], "operation ListPlans is new.")

    def test_what_is_gone_and_what_has_another_type(self):
        del self.new["shapes"]["ResourceConfig"]["TrainingPlanArn"]
        self.new["shapes"]["ResourceConfig"]["VolumeSizeInGB"] = "string"
        self.assertEqual([line.split(":")[1].split(" ")[1] for line in self.lines()],
                         ["ResourceConfig.TrainingPlanArn", "ResourceConfig.VolumeSizeInGB"])


class Statuses(unittest.TestCase):
    def test_a_newer_model_warns_and_another_one_of_the_same_version_fails(self):
        old, new = pinned(), pinned()
        self.assertEqual(drift.compare(old, new), (0, []))
        new["values"]["SecondaryStatus"].append("Queued")
        self.assertEqual(drift.compare(old, new)[0], drift.TABLES_DIFFER)
        new["versions"]["sagemaker"] = "9.0.0"
        status, lines = drift.compare(old, new)
        self.assertEqual(status, drift.NEWER)
        self.assertIn("9.0.0", lines[0])
        self.assertIn("WARNING", lines[-1])

    def test_without_npm_it_only_warns(self):
        with mock.patch.dict("os.environ", {"PATH": "/nowhere", "XDG_CACHE_HOME": "/nowhere"}), \
             mock.patch("sys.argv", ["drift.py"]), mock.patch("builtins.print") as printed:
            self.assertEqual(drift.main(), drift.NEWER)
        self.assertEqual(printed.call_args_list[-1].args[0],
                         "WARNING: the newest model could not be had: npm is not here")


SCHEMA = '''const _A = "A";
const _DTJ = "DescribeTrainingJob";
const _I = "Inner";
const _L = "List";
const _M = "Map";
const _T = "Time";
const n0 = "com.amazonaws.sagemaker";
export var Thing$ = [3, n0, "Thing",
    0,
    [_A, _I, _L, _M, _T],
    [0, () => Inner$, () => InnerList, 128 | 0, 4], 1
];
export var Inner$ = [3, n0, _I,
    { [_A]: 1 },
    [_A, _L],
    [1, 64 | 0]
];
var Secret = [0, n0, "Secret", 8, 0];
var InnerList = [1, n0, _L,
    0, () => Inner$
];
export var DescribeTrainingJob$ = [9, n0, _DTJ,
    0, () => Thing$, () => Inner$
];
'''


class Reader(unittest.TestCase):
    def test_the_schema_of_a_package_is_read_and_not_run(self):
        schemas = aws_model.Schemas(SCHEMA)
        self.assertEqual(schemas.shapes_below(["Thing"]), {
            "Thing": {"A": "string", "Inner": "@Inner", "List": ["@Inner"], "Map": {"*": "string"}, "Time": "time"},
            "Inner": {"A": "number", "List": ["string"]}})
        self.assertEqual(schemas.operations, {"DescribeTrainingJob": ("Thing", "Inner")})
        self.assertEqual(aws_model.paths_of(schemas, "Thing"),
                         ["A", "Inner.A", "Inner.List", "List.A", "List.List", "Map.*", "Time"])

    def test_another_form_is_an_error(self):
        for text in ("", "export const Thing = { a: 1 };", SCHEMA.replace("[_A, _L],", "[require('x')],")):
            with self.assertRaises(aws_model.ModelError):
                aws_model.Schemas(text)

    def test_read_only_members_are_found_by_what_aws_writes(self):
        typings = ['''export interface Inner {
    /**
     * <p>This field is read-only and isn't accepted in <code>CreateTrainingJob</code> requests.</p>
     * @public
     */
    A?: string | undefined;
    /**
     * <p>Taken.</p>
     */
    List?: string[] | undefined;
}
''']
        self.assertEqual(aws_model.read_only_members(typings, {"Inner": {}}), ["Inner.A"])


class Written(unittest.TestCase):
    def test_the_pinned_model_is_written_as_it_stands(self):
        self.assertEqual(drift.written(pinned()), (ROOT / drift.MODEL).read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
