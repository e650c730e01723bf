#include "handlers/cli/help_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "handlers/cli/terminal/page.h"

namespace trainwarden::cli {
namespace {

using Text = std::string_view;

constexpr Text kWrite = "Write a policy";
constexpr Text kLook = "Look at jobs";
constexpr Text kAct = "Act";

constexpr std::array<HelpOption, 3> kAwsOptions = {{
    {"--profile NAME", "the profile of ~/.aws whose credentials and region are used"},
    {"--region REGION", "the region that is asked"},
    {"--endpoint-url URL", "another address than AWS's, such as localaws'"},
}};
constexpr Text kAwsAbout =
    "Credentials are the profile's, else those of the environment (AWS_ACCESS_KEY_ID and so on), "
    "of "
    "the container (AWS CloudShell), or of `aws configure export-credentials`. HTTPS_PROXY "
    "and NO_PROXY are heeded. The region is --region's, else AWS_REGION's or the profile's.";

constexpr std::array<Text, 1> kCheckForms = {"check POLICY [--strict] [--json]"};
constexpr std::array<HelpOption, 3> kCheckOptions = {{
    {"POLICY", "the policy's file; - reads standard input"},
    {"--strict", "a warning ends with 1, as a mistake does"},
    {"--json", "one document, {\"errors\": [...], \"warnings\": [...], \"notes\": [...]}"},
}};
constexpr std::array<Text, 2> kCheckExamples = {
    "trainwarden check handlers/policy.json",
    "trainwarden check --strict --json handlers/policy.json"};

constexpr std::array<Text, 1> kTestForms = {"test POLICY CASES [--junit FILE]"};
constexpr std::array<HelpOption, 3> kTestOptions = {{
    {"POLICY", "the policy's file; - reads standard input"},
    {"CASES",
     "a file of JSON lines; - reads standard input. Each has a `name`, what is given (`job`, "
     "`tags`, "
     "`event` and so on, or a line of an export) and what is expected: {\"expect\": {\"rules\": "
     "[...], \"actions\": [...], \"verdicts\": {...}}}"},
    {"--junit FILE", "writes the results for CI as well"},
}};
constexpr std::array<Text, 1> kTestExamples = {
    "trainwarden test tests/examples/policy-repository/policy.json "
    "tests/examples/policy-repository/cases.jsonl"};

constexpr std::array<Text, 2> kExplainForms = {
    "explain JOB [--policy FILE|ssm:NAME] [--event FILE] [--json]",
    "explain --policy FILE [--event FILE] [--job FILE] [--tags FILE] [--logs FILE] [--fleet FILE] "
    "[--now TIME] [--json]"};
constexpr std::array<HelpOption, 9> kExplainOptions = {{
    {"JOB",
     "the name of a job: AWS is asked all that a function would ask, and nothing is changed"},
    {"--policy FILE|ssm:NAME",
     "the policy: a file, or, where AWS is asked, the parameter that a stack reads"},
    {"--event FILE", "the event; without it, the change of state that --job tells"},
    {"--job FILE", "what aws sagemaker describe-training-job printed"},
    {"--tags FILE", "what aws sagemaker list-tags printed"},
    {"--logs FILE", "the end of the job's log: text, or what aws logs filter-log-events printed"},
    {"--fleet FILE", "counts of the account, such as {\"spot_timeouts_24h\": 3}"},
    {"--now TIME", "decide as at that time, such as 2026-11-24T03:00:00Z"},
    {"--json", "for programs"},
}};
constexpr std::array<Text, 3> kExplainExamples = {
    "trainwarden explain my-job", "trainwarden explain my-job --policy my-policy.json",
    "trainwarden explain --policy handlers/policy.json --job '{\"TrainingJobName\": \"a\", "
    "\"TrainingJobStatus\": \"InProgress\", \"SecondaryStatus\": \"Starting\"}' --tags "
    "'{\"Tags\": []}'"};

constexpr std::array<Text, 1> kSchemaForms = {"schema"};
constexpr std::array<Text, 1> kSchemaExamples = {"trainwarden schema"};

constexpr std::array<Text, 1> kMatchForms = {"match"};
constexpr std::array<Text, 1> kMatchExamples = {
    "echo '{\"pattern\": {\"state\": [\"Failed\"]}, \"event\": {\"state\": \"Failed\"}}' | "
    "trainwarden match"};

constexpr std::array<Text, 2> kDiagnoseForms = {"diagnose JOB [--why] [--policy FILE]",
                                                "diagnose [--why] [--policy FILE] [--file FILE]"};
constexpr std::array<HelpOption, 4> kDiagnoseOptions = {{
    {"JOB", "the name of a job that failed: AWS is asked for its reason and the end of its log"},
    {"--why", "adds the line that counts, what it was read as, the signature, and what lost to it"},
    {"--policy FILE", "that policy's own `failures` count first"},
    {"--file FILE",
     "lines of {\"failure_reason\": ..., \"log_tail\": [...]}; without it, standard input"},
}};
constexpr std::array<Text, 2> kDiagnoseExamples = {
    "trainwarden diagnose my-job --why",
    "echo '{\"failure_reason\": \"AlgorithmError: ExitCode 1\", \"log_tail\": [\"KeyError: lr\"]}' "
    "| "
    "trainwarden diagnose --why"};

constexpr std::array<Text, 1> kBacktestForms = {
    "backtest POLICY [EXPORT] [--against OLD] [--max-stopped N|P%] [--max-wrong N] [--html FILE | "
    "--json]"};
constexpr std::array<HelpOption, 7> kBacktestOptions = {{
    {"POLICY", "the policy's file"},
    {"EXPORT", "what trainwarden export wrote; without it, standard input"},
    {"--against OLD", "another policy: only jobs whose decision changes are shown"},
    {"--max-stopped N|P%",
     "ends with 1 where more jobs than N, or P% of them, would have been stopped or restarted; "
     "limits do not count"},
    {"--max-wrong N", "ends with 1 where more stops than N are wrong"},
    {"--html FILE", "writes a page for a browser"},
    {"--json", "for programs"},
}};
constexpr std::array<Text, 2> kBacktestExamples = {
    "trainwarden backtest tests/examples/policy-repository/policy.json "
    "tests/examples/policy-repository/export.jsonl --max-stopped 50% --max-wrong 0",
    "trainwarden backtest my-policy.json jobs.jsonl --against old-policy.json"};

constexpr std::array<Text, 1> kReportForms = {
    "report [--policy POLICY] [--last 90d] [--html FILE | --json] [EXPORT]"};
constexpr std::array<HelpOption, 5> kReportOptions = {{
    {"EXPORT", "what trainwarden export wrote (- reads standard input); without it, AWS is asked"},
    {"--policy POLICY", "what this policy would have done: money kept beside money destroyed"},
    {"--last 90d", "where AWS is asked: jobs that were created within so many days"},
    {"--html FILE", "writes a page for a browser"},
    {"--json", "for programs"},
}};
constexpr std::array<Text, 2> kReportExamples = {"trainwarden report --last 90d --html report.html",
                                                 "trainwarden report tests/report/weekend.jsonl"};

constexpr std::array<Text, 1> kExportForms = {
    "export --for POLICY [--last 90d] [--after DAY | --out FILE [--resume]]"};
constexpr std::array<HelpOption, 5> kExportOptions = {{
    {"--for POLICY", "only what this policy needs to be decided again is asked for"},
    {"--last 90d", "jobs that were created within so many days"},
    {"--out FILE", "writes there, and not to standard output"},
    {"--resume", "goes on with a FILE that was cut"},
    {"--after DAY", "begins with the day after that one, such as 2026-11-01"},
}};
constexpr std::array<Text, 1> kExportExamples = {
    "trainwarden export --for my-policy.json --last 90d --out jobs.jsonl"};

constexpr std::array<Text, 1> kPricesForms = {"prices [--region REGION]"};
constexpr std::array<Text, 1> kPricesExamples = {"trainwarden prices --region eu-central-1"};

constexpr std::array<Text, 1> kLineageForms = {"lineage JOB [--policy FILE]"};
constexpr std::array<HelpOption, 2> kLineageOptions = {{
    {"JOB", "the name of a job, or of a copy of it"},
    {"--policy FILE", "a policy with `prices`, by which the cost is told"},
}};
constexpr std::array<Text, 1> kLineageExamples = {"trainwarden lineage my-job"};

constexpr std::array<Text, 1> kRestartForms = {
    "restart JOB [--spot true|false] [--instance-type TYPE] [--limit N] [--dry-run]"};
constexpr std::array<HelpOption, 5> kRestartOptions = {{
    {"JOB", "the name of a job: one that has ended is copied now, one that runs is stopped first"},
    {"--spot true|false", "whether the copy runs on spot machines; without it, as the job did"},
    {"--instance-type TYPE", "other machines for the copy, such as ml.p5.48xlarge"},
    {"--limit N", "from which generation of copies on to warn of a loop"},
    {"--dry-run", "writes nothing, and prints what CreateTrainingJob would be sent"},
}};
constexpr std::array<Text, 2> kRestartExamples = {"trainwarden restart my-job --dry-run",
                                                  "trainwarden restart my-job --spot false"};

constexpr std::array<HelpPage, 12> kPages = {{
    {.name = "check",
     .group = kWrite,
     .summary = "all mistakes of a policy, and what is probably not meant",
     .synopses = kCheckForms,
     .about = "Tells each mistake with its line and column, and what was expected. Where there is "
              "none, it "
              "warns of what is allowed and probably not meant.",
     .options = kCheckOptions,
     .exit_status =
         "0 no mistake; 1 a mistake, or with --strict a warning; 2 the file cannot be read, "
         "or the arguments are wrong",
     .examples = kCheckExamples},
    {.name = "test",
     .group = kWrite,
     .summary = "whether a policy comes to what you expect, case by case",
     .synopses = kTestForms,
     .about =
         "Decides each case by the code that the functions have, without asking AWS. What a case "
         "does not give counts as unavailable, never as a \"no\".",
     .options = kTestOptions,
     .exit_status = "0 all cases pass; 1 one fails; 2 a mistake in the policy, the cases or the "
                    "arguments",
     .examples = kTestExamples},
    {.name = "backtest",
     .group = kWrite,
     .summary = "what a policy would have done to the jobs of the past, and whether that was right",
     .synopses = kBacktestForms,
     .about =
         "Lets each job of an export live again. Each stop is right, wrong, unknown, or rests on "
         "what the job is; beside it stands the money that it would have kept or destroyed.",
     .options = kBacktestOptions,
     .exit_status =
         "0; 1 more jobs would have been stopped than --max-stopped allows, more stops are wrong "
         "than --max-wrong does, or the policy has mistakes; 2 the files or the arguments are "
         "wrong",
     .examples = kBacktestExamples},
    {.name = "schema",
     .group = kWrite,
     .summary = "the JSON schema of policies, for editors",
     .synopses = kSchemaForms,
     .about = "Prints what handlers/policy.schema.json holds.",
     .options = {},
     .exit_status = "0; 2 the arguments are wrong",
     .examples = kSchemaExamples},
    {.name = "match",
     .group = kWrite,
     .summary = "whether EventBridge's patterns match events",
     .synopses = kMatchForms,
     .about =
         "Reads lines of {\"pattern\": ..., \"event\": ...} from standard input, and says of each "
         "whether the pattern is valid and matches.",
     .options = {},
     .exit_status = "0; 1 a line is wrong; 2 the arguments are wrong",
     .examples = kMatchExamples},
    {.name = "explain",
     .group = kLook,
     .summary = "why a job was stopped or failed, and what a policy says of it",
     .synopses = kExplainForms,
     .about =
         "With a JOB, asks AWS. Without one, decides about the job and the event that the files "
         "hold, and asks nobody. A FILE may be - for standard input, or JSON in place.",
     .options = kExplainOptions,
     .asks_aws = true,
     .exit_status = "0; 1 the policy has mistakes; 2 AWS refused or could not be asked, or the "
                    "arguments are wrong",
     .examples = kExplainExamples},
    {.name = "diagnose",
     .group = kLook,
     .summary = "why jobs failed, and whether to run them again",
     .synopses = kDiagnoseForms,
     .about =
         "Says of a failure its label, whether the job is worth a second run (`resume`: yes, once "
         "or no) and the line of the log that names the cause.",
     .options = kDiagnoseOptions,
     .asks_aws = true,
     .exit_status = "0; 1 a line is wrong; 2 AWS refused or could not be asked, or the file or the "
                    "arguments are wrong",
     .examples = kDiagnoseExamples},
    {.name = "lineage",
     .group = kLook,
     .summary = "a job and its copies, with hours and cost",
     .synopses = kLineageForms,
     .about = "Where a copy goes on, it shows the last values of the job's own metrics beside the "
              "copy's first, so that you see whether it resumed.",
     .options = kLineageOptions,
     .asks_aws = true,
     .exit_status = "0; 2 AWS refused or could not be asked, or the arguments are wrong",
     .examples = kLineageExamples},
    {.name = "report",
     .group = kLook,
     .summary = "what training jobs have cost, and what became of them",
     .synopses = kReportForms,
     .about = "As text, as JSON, or as one page for a browser that loads nothing.",
     .options = kReportOptions,
     .asks_aws = true,
     .exit_status =
         "0; 1 the policy has mistakes; 2 AWS refused or could not be asked, or the files or "
         "the arguments are wrong",
     .examples = kReportExamples},
    {.name = "export",
     .group = kLook,
     .summary = "the jobs of the past in a file, for backtest and report",
     .synopses = kExportForms,
     .about =
         "Writes a JSON line for each job. Only reads, at most five calls a second to a service.",
     .options = kExportOptions,
     .asks_aws = true,
     .exit_status =
         "0; 1 the policy has mistakes; 2 AWS refused or could not be asked, or the files or "
         "the arguments are wrong; 130 interrupted",
     .examples = kExportExamples},
    {.name = "prices",
     .group = kLook,
     .summary = "what training machines cost in a region, for a policy's `prices`",
     .synopses = kPricesForms,
     .about = "Reads AWS's price list.",
     .options = {},
     .asks_aws = true,
     .exit_status = "0; 2 AWS refused or could not be asked, or the arguments are wrong",
     .examples = kPricesExamples},
    {.name = "restart",
     .group = kAct,
     .summary = "run a job again from its checkpoint, with your own rights",
     .synopses = kRestartForms,
     .about =
         "Stops the job if it runs, waits for its end, and makes one copy. If it is interrupted, "
         "the same command goes on from there.",
     .options = kRestartOptions,
     .asks_aws = true,
     .exit_status =
         "0; 1 a guard refused; 2 AWS refused or could not be asked, or the arguments are "
         "wrong; 130 interrupted",
     .examples = kRestartExamples},
}};

void put_options(Page& page, std::span<const HelpOption> options) {
  constexpr std::size_t kIndent = 6;
  for (const HelpOption& one : options) {
    page.line(fmt::format("  {}", Page::bold(one.form)), kIndent);
    page.line(fmt::format("{:{}}{}", "", kIndent, one.what), kIndent);
  }
}

}  // namespace

std::span<const HelpPage> help_pages() { return kPages; }

const HelpPage* find_help_page(std::string_view command) {
  const auto found = std::ranges::find(kPages, command, &HelpPage::name);
  return found == kPages.end() ? nullptr : &*found;
}

std::string help_overview(const Screen& screen) {
  Page page(screen);
  page.line(
      "trainwarden writes and tries policies for SageMaker training jobs, looks at jobs, and runs "
      "them again.");
  for (const Text group : {kWrite, kLook, kAct}) {
    page.gap();
    page.line(Page::bold(group));
    for (const HelpPage& one : kPages)
      if (one.group == group) page.line(fmt::format("  {:<10}{}", one.name, one.summary), 12);
  }
  page.gap();
  page.line("trainwarden help COMMAND (or COMMAND --help) tells its options and shows examples;");
  page.line("trainwarden --version the version, the commit, and the versions of curl and OpenSSL.");
  return page.take();
}

std::string help_page(const HelpPage& help, const Screen& screen) {
  Page page(screen);
  page.line(fmt::format("{}: {}", Page::bold(help.name), help.summary));
  page.gap();
  for (const Text form : help.synopses) page.line(fmt::format("  trainwarden {}", form), 6);
  page.gap();
  page.line(help.about);
  if (!help.options.empty()) {
    page.gap();
    put_options(page, help.options);
  }
  if (help.asks_aws) {
    page.gap();
    page.line(Page::bold("Where AWS is asked"));
    put_options(page, kAwsOptions);
    page.line(kAwsAbout);
  }
  page.gap();
  page.line(fmt::format("Exit status: {}.", help.exit_status));
  page.gap();
  page.line(Page::bold("Examples"));
  for (const Text one : help.examples) page.whole(fmt::format("  {}", one));
  return page.take();
}

std::string usage_of(const HelpPage& page) {
  std::string out;
  for (const Text form : page.synopses)
    out += fmt::format("{}trainwarden {}\n", out.empty() ? "usage: " : "       ", form);
  return out + fmt::format("trainwarden help {} tells more.\n", page.name);
}

}  // namespace trainwarden::cli
