// The `trainwarden` command.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/cli/aws_access.h"
#include "handlers/cli/aws_session.h"
#include "handlers/cli/backtest_arguments.h"
#include "handlers/cli/backtest_command.h"
#include "handlers/cli/check_command.h"
#include "handlers/cli/console.h"
#include "handlers/cli/diagnose_arguments.h"
#include "handlers/cli/diagnose_command.h"
#include "handlers/cli/diagnose_job_command.h"
#include "handlers/cli/explain_arguments.h"
#include "handlers/cli/explain_command.h"
#include "handlers/cli/explain_job_command.h"
#include "handlers/cli/export_arguments.h"
#include "handlers/cli/export_command.h"
#include "handlers/cli/export_file.h"
#include "handlers/cli/inputs.h"
#include "handlers/cli/lineage_command.h"
#include "handlers/cli/match_command.h"
#include "handlers/cli/paced_transport.h"
#include "handlers/cli/policy_schema.h"
#include "handlers/cli/prices_command.h"
#include "handlers/cli/report_arguments.h"
#include "handlers/cli/report_command.h"
#include "handlers/cli/restart_command.h"
#include "handlers/cli/test_arguments.h"
#include "handlers/cli/test_command.h"
#include "runtime/base/build_info.h"
#include "runtime/base/time.h"
#include "runtime/http/resolver.h"
#include "runtime/http/versions.h"

namespace {

using trainwarden::cli::Printed;

constexpr const char* kUsage =
    "usage: trainwarden <command>\n"
    "  check POLICY [--strict] [--json]\n"
    "                 tell all mistakes of a policy file, or warn of what is probably\n"
    "                 not meant, each with its line and column (- reads standard input).\n"
    "                 --strict: a warning ends with 1, as a mistake does; --json: one\n"
    "                 document {\"errors\": [...], \"warnings\": [...], \"notes\": [...]}\n"
    "  test POLICY CASES [--junit FILE]\n"
    "                 whether the policy comes to what each line of CASES expects, {\"name\":\n"
    "                 ..., \"job\": ..., \"tags\": ..., \"expect\": {\"rules\": [...]}}: 0 all\n"
    "                 pass, 1 one fails, 2 a mistake. --junit writes the results for CI\n"
    "  explain JOB [--policy FILE|ssm:NAME] [--event FILE] [--json]\n"
    "                 why the job was stopped or failed and how to go on, and what the\n"
    "                 policy says of it now: asks AWS what a function would, and only\n"
    "                 reads\n"
    "  explain --policy FILE [--event FILE] [--job FILE] [--tags FILE] [--logs FILE]\n"
    "          [--fleet FILE] [--now TIME] [--json]\n"
    "                 tell what the policy would do about the event and why, without\n"
    "                 asking AWS; the other FILEs hold what AWS would say: --job and\n"
    "                 --tags aws sagemaker describe-training-job and list-tags, --logs\n"
    "                 the end of the log (text, or aws logs filter-log-events), --fleet\n"
    "                 counts such as {\"spot_timeouts_24h\": 3}. Without --event it is the\n"
    "                 change of state that --job tells. A FILE may be - for standard\n"
    "                 input, or JSON in place\n"
    "  schema         print the JSON schema of policies, for editors; policy.schema.json\n"
    "                 is this\n"
    "  match          say of each line {\"pattern\": ..., \"event\": ...} of standard\n"
    "                 input whether the pattern is valid and matches, as EventBridge\n"
    "                 would\n"
    "  diagnose JOB [--why] [--policy FILE]\n"
    "                 why the job failed and whether to run it again: label, resume\n"
    "                 (yes, once, no) and evidence, by what AWS tells of it\n"
    "  diagnose [--why] [--policy FILE] [--file FILE]\n"
    "                 add the same to each line {\"failure_reason\": ...,\n"
    "                 \"log_tail\": [...]} of the file, or of standard input. --why adds\n"
    "                 the line that counts, what it was read as, the signature and its\n"
    "                 reason, and what lost against it; --policy lets that policy's\n"
    "                 `failures` count first\n"
    "  restart JOB [--spot true|false] [--instance-type TYPE] [--limit N] [--dry-run]\n"
    "                 run a job again from its checkpoint, with your own rights: one\n"
    "                 that has ended is copied now, one that runs is stopped first and\n"
    "                 copied when it has ended; interrupted, the same command goes on\n"
    "                 from there. --dry-run writes nothing and prints what\n"
    "                 CreateTrainingJob would be sent. --limit: from which generation on\n"
    "                 to warn of a loop\n"
    "  lineage JOB [--policy FILE]\n"
    "                 a job and its copies with states, hours and, by the policy's\n"
    "                 prices, cost; where a copy goes on, the last values of the job's\n"
    "                 own metrics and the copy's first\n"
    "  prices         the member `prices` of a policy: what training machines cost in\n"
    "                 the region by AWS's price list\n"
    "  export --for POLICY [--last 90d] [--after DAY | --out FILE [--resume]]\n"
    "                 what AWS tells of the jobs that were created within that time, as\n"
    "                 far as the policy needs it to be decided on them again: a JSON line\n"
    "                 a job on standard output, or into FILE. --resume goes on with a\n"
    "                 FILE that was cut, --after with the days after DAY. Only reads, at\n"
    "                 most five calls a second to a service\n"
    "  backtest POLICY [EXPORT] [--against OLD] [--max-wrong N] [--html FILE | --json]\n"
    "                 what the policy would have done to the jobs of an EXPORT (standard\n"
    "                 input where none is named): each stop is right, wrong, unknown or a\n"
    "                 rule about what a job is, with the money that it would have kept or\n"
    "                 destroyed. --against shows only jobs whose decision changes;\n"
    "                 --max-wrong ends with 1 where more stops are wrong\n"
    "  report [--policy POLICY] [--last 90d] [--html FILE | --json] [EXPORT]\n"
    "                 what training jobs have cost and what became of them, and with a\n"
    "                 policy what that would have done to them: money kept beside money\n"
    "                 destroyed. As text, as JSON, or as a page for a browser. Of an\n"
    "                 EXPORT (- for standard input), or of what AWS tells now\n"
    "  help           this text\n"
    "  --version      version, commit, and the versions of curl and OpenSSL\n"
    "Those that ask AWS take --profile NAME, --region REGION and --endpoint-url URL\n"
    "(localaws). Else credentials are those of the environment, of the container (AWS\n"
    "CloudShell), or of aws configure export-credentials; the region is AWS_REGION's or\n"
    "the profile's.\n"
    "exit status: 0, 1 where the policy or a line is wrong or a guard refused, 2 where\n"
    "AWS refused or could not be asked, or the arguments are wrong, 130 interrupted\n";

void print(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

// Errors quote what others wrote; lines are ours.
void complain(std::string_view text) { print(stderr, trainwarden::cli::printable_lines(text)); }

int print(const Printed& printed) {
  print(stdout, printed.output);
  complain(printed.error);
  return printed.status;
}

int wrong_usage(std::string_view what) {
  if (!what.empty()) complain(fmt::format("trainwarden: {}\n", what));
  print(stderr, kUsage);
  return 2;
}

bool colorful() {
  return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;  // NOLINT: one thread
}

std::vector<char*> words(std::span<char*> arguments) {
  return {arguments.begin(), arguments.end()};
}

int told(const trainwarden::Error& error) {
  complain(fmt::format("trainwarden: {}\n", error.message));
  return 2;
}

// Of arguments that were read: the usage helps only where they are wrong themselves.
int not_read(std::string_view command, const trainwarden::Error& error) {
  trainwarden::Error where = trainwarden::Error(error).in(command);
  return error.code == trainwarden::ErrorCode::kInvalidInput ? wrong_usage(where.message)
                                                             : told(where);
}

// Runs a command that asks AWS.
template <class Command>
int ask(const trainwarden::cli::AwsOptions& options, Command command) {
  trainwarden::Clock& clock = trainwarden::system_clock();
  const auto access = trainwarden::cli::AwsAccess::open(environ, options,
                                                        product(trainwarden::build_info()), clock);
  if (!access) return told(access.error());
  const auto session = trainwarden::cli::Session::open(
      (*access)->environment(), (*access)->credentials(), (*access)->transport(), clock);
  if (!session) return told(session.error());
  return print(command(**session));
}

int check(std::span<char*> arguments) {
  auto inputs = trainwarden::cli::read_check(words(arguments));
  if (!inputs) return wrong_usage("check: " + inputs.error().message);
  inputs->wrapped = isatty(STDOUT_FILENO) == 1;
  return print(trainwarden::cli::check(*inputs));
}

int explain(std::span<char*> arguments) {
  const auto now = std::chrono::floor<std::chrono::seconds>(trainwarden::system_clock().now());
  const auto given = trainwarden::cli::read_explain(words(arguments), now, colorful());
  if (!given) return not_read("explain", given.error());
  if (given->job.job.empty()) return print(trainwarden::cli::explain(given->files));
  return ask(given->aws, [&](const trainwarden::cli::Session& session) {
    return trainwarden::cli::explain_job(given->job, session.table(), session.apis());
  });
}

int restart(std::span<char*> arguments) {
  std::vector<char*> rest = words(arguments);
  const auto options = trainwarden::cli::take_aws_options(rest);
  if (!options) return wrong_usage("restart: " + options.error().message);
  auto inputs = trainwarden::cli::read_restart(rest);
  if (!inputs) return wrong_usage("restart: " + inputs.error().message);
  inputs->aws = options->text();
  trainwarden::cli::Console console(stderr, isatty(STDERR_FILENO) == 1,
                                    trainwarden::cli::is_interrupted);
  return ask(*options, [&](const trainwarden::cli::Session& session) {
    return trainwarden::cli::restart(*inputs, session.apis(), console);
  });
}

int lineage(std::span<char*> arguments) {
  std::vector<char*> rest = words(arguments);
  const auto options = trainwarden::cli::take_aws_options(rest);
  if (!options) return wrong_usage("lineage: " + options.error().message);
  const auto inputs = trainwarden::cli::read_lineage(rest);
  if (!inputs) return wrong_usage("lineage: " + inputs.error().message);
  trainwarden::rules::Prices prices;
  if (!inputs->policy.empty()) {
    const auto text = trainwarden::cli::read_argument(inputs->policy);
    const auto policy =
        text ? trainwarden::rules::parse_policy(*text)
             : trainwarden::Result<trainwarden::rules::Policy>(trainwarden::fail(text.error()));
    if (!policy) {
      complain(fmt::format("trainwarden: lineage: {}\n", policy.error().message));
      return 2;
    }
    prices = policy->prices();
  }
  return ask(*options, [&](const trainwarden::cli::Session& session) {
    return trainwarden::cli::lineage(*inputs, prices, session.apis());
  });
}

int prices(std::span<char*> arguments) {
  std::vector<char*> rest = words(arguments);
  const auto options = trainwarden::cli::take_aws_options(rest);
  if (!options) return wrong_usage("prices: " + options.error().message);
  // It says more of a region than that the endpoint has no such name.
  std::string region_option = "--region";
  std::string region = options->region;
  if (!region.empty()) rest.insert(rest.end(), {region_option.data(), region.data()});
  const auto inputs = trainwarden::cli::read_prices_arguments(rest);
  if (!inputs) return wrong_usage("prices: " + inputs.error().message);
  trainwarden::Clock& clock = trainwarden::system_clock();
  const auto access = trainwarden::cli::AwsAccess::open(environ, *options,
                                                        product(trainwarden::build_info()), clock);
  if (!access) return told(access.error());
  return print(trainwarden::cli::prices(*inputs, (*access)->environment(), (*access)->credentials(),
                                        (*access)->transport(), clock));
}

// An export that is about to ask AWS.
struct Export {
  std::function<Printed(trainwarden::cli::ExportFile& file)> into;
  bool shows = false;  // what is going on
};

int export_from_aws(const trainwarden::cli::ExportInputs& inputs,
                    const trainwarden::rules::Policy& policy,
                    const std::function<int(Export& run)>& command) {
  trainwarden::Clock& clock = trainwarden::system_clock();
  const auto access = trainwarden::cli::AwsAccess::open(environ, inputs.aws,
                                                        product(trainwarden::build_info()), clock);
  if (!access) return told(access.error());
  trainwarden::cli::PacedTransport paced((*access)->transport(), clock);
  const auto session = trainwarden::cli::Session::open((*access)->environment(),
                                                       (*access)->credentials(), paced, clock);
  if (!session) return told(session.error());
  const trainwarden::actions::Apis& apis = (*session)->apis();
  const bool terminal = isatty(STDERR_FILENO) == 1;
  trainwarden::cli::Console console(stderr, terminal, trainwarden::cli::is_interrupted);
  const auto list = [&] {
    return trainwarden::cli::list_prices(apis.sagemaker.client().region(), (*access)->environment(),
                                         (*access)->credentials(), paced, clock);
  };
  Export run{{}, terminal};
  run.into = [&](trainwarden::cli::ExportFile& file) {
    return trainwarden::cli::export_jobs(inputs, policy, file, apis, {list, console, run.shows});
  };
  return command(run);
}

int export_all(std::span<char*> arguments) {
  const auto given = trainwarden::cli::read_export(words(arguments));
  if (!given) return not_read("export", given.error());
  const auto policy = trainwarden::rules::parse_policy(given->policy);
  if (!policy) {
    told(trainwarden::Error(policy.error()).in("export: --for"));
    return 1;
  }
  return export_from_aws(*given, *policy, [&](Export& run) {
    auto file = given->resume ? trainwarden::cli::ExportFile::resume(given->out)
                              : trainwarden::cli::ExportFile::create(given->out);
    if (!file) return told(trainwarden::Error(file.error()).in("export"));
    // Beside the lines themselves it would be in their way.
    run.shows = run.shows && (!given->out.empty() || isatty(STDOUT_FILENO) == 0);
    return print(run.into(*file));
  });
}

int report(std::span<char*> arguments) {
  auto given = trainwarden::cli::read_report(words(arguments));
  if (!given) return not_read("report", given.error());
  given->form.color = colorful();
  const auto policy = trainwarden::rules::parse_policy(given->wanted.policy);
  if (!policy) {
    told(trainwarden::Error(policy.error()).in("report: --policy"));
    return 1;
  }
  if (!given->file.empty()) return print(trainwarden::cli::report_of_file(*given, *policy));
  return export_from_aws(given->wanted, *policy, [&](Export& run) {
    return print(trainwarden::cli::report_of_aws(
        *given, *policy, [&run](trainwarden::cli::ExportFile& file) { return run.into(file); }));
  });
}

int backtest(std::span<char*> arguments) {
  auto given = trainwarden::cli::read_backtest(words(arguments));
  if (!given) return not_read("backtest", given.error());
  given->form.color = colorful();
  return print(trainwarden::cli::backtest(*given));
}

int test_cases(std::span<char*> arguments) {
  auto given = trainwarden::cli::read_test(words(arguments));
  if (!given) return not_read("test", given.error());
  given->wrapped = isatty(STDOUT_FILENO) == 1;
  return print(trainwarden::cli::test_policy(*given));
}

int cannot_read(const std::string& path) {
  complain(fmt::format("trainwarden: diagnose: cannot read {}: {}\n", path,
                       std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe): one thread
  return 2;
}

int diagnose(std::span<char*> arguments) {
  const auto given = trainwarden::cli::read_diagnose(words(arguments));
  if (!given && given.error().code == trainwarden::ErrorCode::kInvalidPolicy)
    return told(trainwarden::Error(given.error()).in("diagnose"));
  if (!given) return wrong_usage("diagnose: " + given.error().message);
  if (!given->job.empty())
    return ask(given->aws, [&](const trainwarden::cli::Session& session) {
      return trainwarden::cli::diagnose_job({given->job, given->why, isatty(STDOUT_FILENO) == 1},
                                            given->own(), session.apis());
    });
  const std::string& path = given->file;
  if (path == "-")
    return trainwarden::cli::diagnose_lines(stdin, stdout, stderr, given->why, given->own());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) return cannot_read(path);
  const int status =
      trainwarden::cli::diagnose_lines(file.get(), stdout, stderr, given->why, given->own());
  if (std::ferror(file.get()) != 0) cannot_read(path);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  trainwarden::http::use_static_resolver();
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const std::string_view command = arguments.size() > 1 ? arguments[1] : "";
  const bool asks_for_help = std::ranges::any_of(
      arguments.subspan(1), [](std::string_view one) { return one == "--help" || one == "-h"; });
  if (command == "help" || asks_for_help) {
    print(stdout, kUsage);
    return 0;
  }
  if (command == "--version" && arguments.size() == 2) {
    print(stdout, fmt::format("{} {}\n", product(trainwarden::build_info()),
                              product(trainwarden::http::library_versions())));
    return 0;
  }
  if (command == "check") return check(arguments.subspan(2));
  if (command == "schema" && arguments.size() == 2) {
    print(stdout, trainwarden::cli::policy_schema_text());
    return 0;
  }
  if (command == "match" && arguments.size() == 2)
    return trainwarden::cli::match_lines(stdin, stdout, stderr);
  if (command == "diagnose") return diagnose(arguments.subspan(2));
  if (command == "explain") return explain(arguments.subspan(2));
  if (command == "restart") return restart(arguments.subspan(2));
  if (command == "lineage") return lineage(arguments.subspan(2));
  if (command == "prices") return prices(arguments.subspan(2));
  if (command == "export") return export_all(arguments.subspan(2));
  if (command == "backtest") return backtest(arguments.subspan(2));
  if (command == "report") return report(arguments.subspan(2));
  if (command == "test") return test_cases(arguments.subspan(2));
  if (command.empty()) return wrong_usage("");
  if (command == "schema") return wrong_usage("schema: expected no arguments");
  if (command == "match") return wrong_usage("match: expected no arguments");
  if (command == "--version") return wrong_usage("--version: expected no arguments");
  return wrong_usage(fmt::format("expected a command, found `{}`", command));
}
