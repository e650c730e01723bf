"""The house as data: which layers and wings there are, which of them may include which, who may
call what, and what may be read where. layering_test.py holds the code to it."""

# Layer -> its folder, the layers it may include (besides itself), and the third parties it may
# include. A layer written with a header allows that header only.
LAYERS = {
    "base":     ("runtime/base",     [],                                                 ["fmt"]),
    "json":     ("runtime/json",     ["base"],                                           ["fmt", "rapidjson"]),
    "http":     ("runtime/http",     ["base"],                                           ["fmt", "curl", "openssl", "posix"]),
    "lambda":   ("runtime/lambda",   ["http", "json", "base"],                           ["fmt", "posix"]),
    "awsapi":   ("awsapi",           ["http", "json", "base"],                           ["fmt", "openssl"]),
    "rules":    ("handlers/rules",   ["json", "base"],                                   ["fmt"]),
    "actions":  ("handlers/actions", ["rules", "awsapi", "json", "base",
                                      "runtime/http/transport.h"],                       ["fmt", "posix"]),
    "function": ("handlers/function", ["lambda", "actions", "rules", "awsapi", "json",
                                      "http", "base"],                                   ["fmt", "posix"]),
    "state":    ("handlers/state",   ["function", "lambda", "actions", "rules", "awsapi", "json",
                                      "http", "base"],                                   ["fmt", "posix"]),
    "alarm":    ("handlers/alarm",   ["function", "lambda", "actions", "rules", "awsapi", "json",
                                      "http", "base"],                                   ["fmt", "posix"]),
    "cli":      ("handlers/cli",     ["actions", "rules", "awsapi", "json", "http",
                                      "base"],                                           ["fmt", "posix"]),
    "localaws": ("tests/localaws",   ["json", "base"],                                   ["fmt", "httplib", "openssl", "posix"]),
}

# Wings of a layer: its folders, from the lowest to the highest, and the wings that each may include. A wing stands
# below those that include it, so that no arrow runs up and none in a circle. "" is the layer's own folder. A layer
# that is not named here is one room. An arrow that nothing uses any more is a complaint too.
WINGS = {
    "rules": {
        "outcome":  [],
        "patterns": [],
        "job":      ["outcome", "patterns"],
        "failure":  ["job"],
        "facts":    ["patterns", "job", "failure"],
        "policy":   ["patterns", "job", "failure", "facts"],
        "alarms":   ["outcome", "job", "facts", "policy"],
        "decide":   ["outcome", "patterns", "job", "failure", "facts", "policy", "alarms"],
        "state":    ["outcome", "job"],
        "restart":  ["outcome", "job", "failure", "policy", "state"],
        "notices":  ["outcome", "job", "facts", "policy", "decide", "state"],
        "weekly":   ["job", "facts", "policy", "notices"],
        "backtest": ["outcome", "job", "failure", "facts", "policy", "decide", "state", "restart", "alarms", "notices"],
    },
    "actions": {
        "setup":    [],
        "context":  ["setup"],
        "table":    ["context"],
        "fetch":    ["context", "table"],
        "tell":     ["context", "table", "fetch"],
        "stop":     ["context", "table", "fetch", "tell"],
        "restart":  ["context", "table", "fetch", "stop", "tell"],
        "release":  ["context", "table", "fetch", "tell"],
        "alarms":   ["context", "table", "fetch"],
        "handle":   ["context", "table", "fetch", "stop", "tell", "restart", "alarms"],
        "sweep":    ["context", "table", "fetch", "tell", "stop", "restart", "handle"],
        "weekly":   ["context", "table", "tell", "sweep"],
    },
    "cli": {
        "terminal": [],
        "files":    [],
        "access":   ["terminal"],
        "schema":   ["terminal"],
        "check":    ["terminal", "files"],
        "explain":  ["terminal", "files", "access"],
        "diagnose": ["terminal", "files", "access", "explain"],
        "lineage":  ["terminal", "access"],
        "restart":  ["terminal", "access"],
        "prices":   ["terminal", "access"],
        "export":   ["terminal", "files", "access", "prices"],
        "test":     ["terminal", "files", "explain", "export"],
        "backtest": ["terminal", "files", "export"],
        "report":   ["terminal", "files", "export", "backtest"],
        "":         ["terminal", "files", "access", "schema", "check", "explain", "diagnose", "lineage", "restart", "prices",
                     "export", "test", "backtest", "report"],
    },
    "localaws": {
        "service":    [],
        "http":       ["service"],
        "sagemaker":  ["service", "http"],
        "cloudwatch": ["service", "sagemaker"],
        "sns":        ["service", "http"],
        "ssm":        ["service", "http"],
        "logs":       ["service"],
        "dynamodb":   ["service", "http"],
        "pricing":    ["service"],
        "quotas":     ["service"],
        "s3":         ["service"],
        "lambda":     ["service"],
        "":           ["service", "http", "sagemaker", "cloudwatch", "sns", "ssm", "logs", "dynamodb", "pricing", "quotas",
                       "s3", "lambda"],
    },
}

# A header -> the files that may include it: those that write a record, a notice or a command's output. What else asked
# for an outcome's sentence could read it back.
CALLERS = {
    "handlers/rules/outcome/outcome_text.h": [
        "handlers/rules/outcome/outcome_text.cc",
        "handlers/rules/alarms/measured_text.cc",
        "handlers/rules/notices/brake_notice.cc",
        "handlers/rules/notices/notice_context.cc",
        "handlers/rules/notices/notice_text.cc",
        "handlers/actions/context/record.cc",
        "handlers/actions/alarms/put_alarms.cc",
        "handlers/cli/test/case_outcome.cc",
        "handlers/cli/explain/explanation.cc",
        "handlers/cli/backtest/findings_words.cc",
        "handlers/cli/restart/restart_doubts.cc",
    ],
    "handlers/rules/alarms/measured_text.h": [
        "handlers/rules/alarms/measured_text.cc",
        "handlers/rules/alarms/alarm_plan.cc",        # an alarm's description
        "handlers/rules/decide/decision_text.cc",
        "handlers/actions/context/record.cc",
        "handlers/cli/explain/explanation.cc",
        "handlers/cli/test/case_outcome.cc",
    ],
    "handlers/rules/decide/decision_text.h": [
        "handlers/rules/decide/decision_text.cc",
        "handlers/rules/notices/notice_reasons.cc",
        "handlers/rules/notices/notice_text.cc",
        "handlers/actions/fetch/recheck.cc",          # an error's message
        "handlers/actions/stop/stop_tags.cc",
        "handlers/actions/context/record.cc",
        "handlers/cli/explain/explanation.cc",
        "handlers/cli/backtest/findings_words.cc",
        "handlers/cli/backtest/findings_json.cc",
    ],
    "handlers/alarm/ignored.h": [
        "handlers/alarm/ignored.cc",
        "handlers/alarm/alarm_function.cc",           # a line of the log
    ],
}

# What a job's JSON and its tags say is read once, into types (rules/job/training_job.h, job_tags.h). A row: what is
# read, the code that reads it, the layers that the row holds in, and their files that may all the same. A file that no
# longer does is a complaint too.
HANDLERS = ["rules", "actions", "function", "state", "alarm", "cli"]
READERS = {
    "a member of what AWS answered": (
        r"\b(?:string_of|number_of|time_of)\s*\(", HANDLERS, [
            "handlers/rules/job/members.h",
            "handlers/rules/job/members.cc",
            "handlers/rules/job/training_job.cc",
            "handlers/rules/job/job_tags.cc",
            "handlers/rules/job/job_at.cc",               # cuts a description back to an earlier moment
            "handlers/rules/job/tuner.cc",                # a tuning job, an AutoML job
            "handlers/rules/restart/copy_request.cc",     # the copy's request, with members that are unknown here
            "handlers/rules/alarms/described_alarm.cc",   # an alarm
            "handlers/cli/files/inputs.cc",                     # events and files that people give
        ]),
    "a member of JSON": (
        r"\bfind_present\s*\(|(?:\.|->)find\s*\(\s*\"[A-Z]\w*\"\s*\)", ["rules", "actions"], [
            "handlers/rules/job/members.cc",
            "handlers/rules/job/training_job.cc",
            "handlers/rules/job/job_tags.cc",
            "handlers/rules/job/job_at.cc",
            "handlers/rules/job/tuner.cc",
            "handlers/rules/failure/diagnose.cc",         # the end of a log, as it was fetched
            "handlers/rules/failure/json_line.cc",        # a logger's line
            "handlers/rules/restart/copy_request.cc",
            "handlers/rules/alarms/alarm_definition.cc",  # alarms
            "handlers/rules/alarms/described_alarm.cc",
            "handlers/actions/handle/tag.cc",             # the tags that a policy asks for
            "handlers/rules/state/kept_notice.cc",        # a notice, as its claim keeps it
        ]),
    "a job's whole JSON": (
        r"(?:\.|->)raw\b", HANDLERS, [
            "handlers/rules/job/training_job.cc",
            "handlers/rules/job/job_at.cc",
            "handlers/rules/decide/nominate.cc",          # a record of Search becomes a snapshot
            "handlers/actions/fetch/job_snapshot.cc",     # the copy's request
            "handlers/cli/export/export_lines.cc",               # an export keeps members that are unknown here
        ]),
    "DescribeTrainingJob's answer as JSON": (
        r"\bknown\s*\(\s*(?:rules::)?Source::kDescribe\b", HANDLERS, []),
    "a key of our own tags": (
        r"\"(?:Tags\.)?trainwarden:[a-z]+\"", HANDLERS, ["handlers/rules/job/job_tags.h"]),
}

# In the wings of these layers, in the layers themselves, and among what tests share (all below tests that is no test), a
# file's name is given once. Not among runtime and awsapi: localaws calls a service as its client here does.
ONE_NAME = ["rules", "actions", "function", "state", "alarm", "cli", "localaws"]
TESTS = "tests"

# Every C++ file below these belongs to a layer.
PRODUCT = ["runtime", "awsapi", "handlers", "tests/localaws"]

# Third party -> what its headers look like. What matches nothing here and is not C++'s own is
# an unknown third party, and fails.
THIRD_PARTIES = {
    "fmt":       r"fmt/.+",
    "rapidjson": r"rapidjson/.+",
    "curl":      r"curl/.+",
    "openssl":   r"openssl/.+",
    "httplib":   r"(httplib/)?httplib\.h",
    "posix":     r"(sys|net|netinet|arpa|linux)/.+|\w+\.h",
}
STANDARD = r"[a-z_0-9]+"  # <vector>; C's headers as <cstring>

# Made at build time: where they are included from.
GENERATED = {"awsapi/roots.inc": ["awsapi", "function", "state", "alarm", "cli"],
             "awsapi/late_roots.inc": ["awsapi", "function", "state", "alarm", "cli"]}

# What pure layers must not even name: clocks, the environment, chance, and any kind of I/O.
PURE = ["rules"]
IMPURE_HEADERS = r"fstream|iostream|istream|ostream|iomanip|filesystem|cstdio|thread|mutex|shared_mutex|future|condition_variable|random|csignal|ctime"
IMPURE_PROJECT = ["runtime/base/environment.h"]
IMPURE_CODE = r"::now\s*\(|\b(secure_)?getenv\s*\(|\bsetenv\s*\(|\benviron\b|\bclock_gettime\b|\bgettimeofday\b|\btime\s*\(\s*(nullptr|NULL|0|&)|\brand\s*\(|\bsystem\s*\(|\bfopen\s*\(|\bsocket\s*\("
