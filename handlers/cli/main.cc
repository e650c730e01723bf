// The `trainwarden` command.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "awsapi/tls.h"
#include "handlers/actions/setup/policy_source.h"
#include "handlers/cli/aws_session.h"
#include "handlers/cli/check_command.h"
#include "handlers/cli/console.h"
#include "handlers/cli/diagnose_command.h"
#include "handlers/cli/explain_command.h"
#include "handlers/cli/inputs.h"
#include "handlers/cli/lineage_command.h"
#include "handlers/cli/match_command.h"
#include "handlers/cli/policy_schema.h"
#include "handlers/cli/prices_command.h"
#include "handlers/cli/restart_command.h"
#include "runtime/base/build_info.h"
#include "runtime/base/environment.h"
#include "runtime/base/time.h"
#include "runtime/http/curl_transport.h"
#include "runtime/http/resolver.h"
#include "runtime/http/versions.h"

namespace {

using trainwarden::cli::Printed;

constexpr const char* kUsage =
    "usage: trainwarden <command>\n"
    "  check POLICY   tell all mistakes of a policy file, or warn of what is probably\n"
    "                 not meant (- reads standard input)\n"
    "  explain --policy FILE --event FILE [--job FILE] [--tags FILE] [--logs FILE]\n"
    "          [--fleet FILE] [--now TIME] [--json]\n"
    "                 tell what the policy would do about the event and why, without\n"
    "                 asking AWS; the other FILEs hold what AWS would say: --job and\n"
    "                 --tags aws sagemaker describe-training-job and list-tags, --logs\n"
    "                 the end of the log (text, or aws logs filter-log-events), --fleet\n"
    "                 counts such as {\"spot_timeouts_24h\": 3}. A FILE may be - for\n"
    "                 standard input, or JSON in place\n"
    "  schema         print the JSON schema of policies, for editors; policy.schema.json\n"
    "                 is this\n"
    "  match          say of each line {\"pattern\": ..., \"event\": ...} of standard\n"
    "                 input whether the pattern is valid and matches, as EventBridge\n"
    "                 would\n"
    "  diagnose [--why] [--policy FILE] [FILE]\n"
    "                 add to each line {\"failure_reason\": ..., \"log_tail\": [...]} why\n"
    "                 such a job failed and whether to run it again: label, resume\n"
    "                 (yes, once, no) and evidence (standard input without FILE or\n"
    "                 with -). --why adds the line that counts, what it was read as,\n"
    "                 the signature and its reason, and what lost against it;\n"
    "                 --policy lets that policy's `failures` count first\n"
    "  restart JOB [--spot true|false] [--instance-type TYPE] [--limit N] [--dry-run]\n"
    "                 run a job again from its checkpoint, with your own rights: one\n"
    "                 that has ended is copied now, one that runs is stopped first and\n"
    "                 copied when it has ended; interrupted, the same command goes on\n"
    "                 from there. --dry-run writes nothing and prints what\n"
    "                 CreateTrainingJob would be sent. --limit: from which generation on\n"
    "                 to warn of a loop\n"
    "  lineage JOB [--policy FILE]\n"
    "                 a job and its copies with states, hours and, by the policy's\n"
    "                 prices, cost\n"
    "  prices [--region REGION]\n"
    "                 the member `prices` of a policy: what training machines cost in\n"
    "                 the region (AWS_REGION where not given) by AWS's price list\n"
    "  help           this text\n"
    "  --version      version, commit, and the versions of curl and OpenSSL\n"
    "restart, lineage and prices ask AWS: AWS_REGION, AWS_ACCESS_KEY_ID and the\n"
    "others tell where and as whom, AWS_ENDPOINT_URL may name another endpoint\n"
    "(localaws).\n"
    "exit status: 0, 1 where the policy or a line is wrong or a guard refused, 2 where\n"
    "AWS refused or could not be asked, or the arguments are wrong, 130 interrupted\n";

void print(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

int print(const Printed& printed) {
  print(stdout, printed.output);
  print(stderr, printed.error);
  return printed.status;
}

int wrong_usage(std::string_view what) {
  if (!what.empty()) print(stderr, fmt::format("trainwarden: {}\n", what));
  print(stderr, kUsage);
  return 2;
}

bool colorful() {
  return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;  // NOLINT: one thread
}

// A file's text; `-` is standard input, and what begins as JSON does is the text itself.
trainwarden::Result<std::string> text_of(const std::string& argument) {
  if (argument.starts_with('{') || argument.starts_with('[')) return argument;
  return trainwarden::actions::read_file(argument == "-" ? "/dev/stdin" : argument);
}

// --name value pairs into inputs; what is wrong, or empty.
std::string read_options(std::span<char*> arguments, trainwarden::cli::ExplainInputs& inputs,
                         bool& has_policy, bool& has_event) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view option = arguments[i];
    if (option == "--json") {
      inputs.json = true;
      continue;
    }
    std::optional<std::string>* const more = option == "--job"     ? &inputs.job
                                             : option == "--tags"  ? &inputs.tags
                                             : option == "--logs"  ? &inputs.logs
                                             : option == "--fleet" ? &inputs.fleet
                                                                   : nullptr;
    const bool file = more != nullptr || option == "--policy" || option == "--event";
    if (!file && option != "--now") return fmt::format("explain: unknown option `{}`", option);
    if (++i == arguments.size()) return fmt::format("explain: {} needs a value", option);
    if (option == "--now") {
      const auto now = trainwarden::cli::read_now(arguments[i]);
      if (!now) return fmt::format("explain: --now: {}", now.error().message);
      inputs.now = *now;
      continue;
    }
    auto text = text_of(arguments[i]);
    if (!text) return fmt::format("explain: {}: {}", option, text.error().message);
    has_policy = has_policy || option == "--policy";
    has_event = has_event || option == "--event";
    if (option == "--policy")
      inputs.policy = *std::move(text);
    else if (option == "--event")
      inputs.event = *std::move(text);
    else
      *more = *std::move(text);
  }
  return {};
}

int explain(std::span<char*> arguments) {
  trainwarden::cli::ExplainInputs inputs;
  inputs.now = std::chrono::floor<std::chrono::seconds>(trainwarden::system_clock().now());
  inputs.color = colorful();
  bool has_policy = false;
  bool has_event = false;
  const std::string wrong = read_options(arguments, inputs, has_policy, has_event);
  if (!wrong.empty()) {
    print(stderr, fmt::format("trainwarden: {}\n", wrong));
    return 2;
  }
  if (!has_policy || !has_event) return wrong_usage("explain: expected --policy and --event");
  return print(trainwarden::cli::explain(inputs));
}

// Runs a command that asks AWS.
template <class Command>
int ask(Command command) {
  const trainwarden::Environment environment(environ);
  trainwarden::Clock& clock = trainwarden::system_clock();
  trainwarden::http::CurlTransport transport(
      trainwarden::aws::transport_options(environment, product(trainwarden::build_info())), clock);
  const auto session = trainwarden::cli::Session::open(environment, transport, clock);
  if (session) return print(command((*session)->apis()));
  print(stderr, fmt::format("trainwarden: {}\n", session.error().message));
  return 2;
}

int restart(std::span<char*> arguments) {
  const auto inputs = trainwarden::cli::read_restart(arguments);
  if (!inputs) return wrong_usage("restart: " + inputs.error().message);
  trainwarden::cli::Console console(stderr, isatty(STDERR_FILENO) == 1,
                                    trainwarden::cli::is_interrupted);
  return ask([&](const auto& apis) { return trainwarden::cli::restart(*inputs, apis, console); });
}

int lineage(std::span<char*> arguments) {
  const auto inputs = trainwarden::cli::read_lineage(arguments);
  if (!inputs) return wrong_usage("lineage: " + inputs.error().message);
  trainwarden::rules::Prices prices;
  if (!inputs->policy.empty()) {
    const auto text = text_of(inputs->policy);
    const auto policy =
        text ? trainwarden::rules::parse_policy(*text)
             : trainwarden::Result<trainwarden::rules::Policy>(trainwarden::fail(text.error()));
    if (!policy) {
      print(stderr, fmt::format("trainwarden: lineage: {}\n", policy.error().message));
      return 2;
    }
    prices = policy->prices();
  }
  return ask([&](const auto& apis) { return trainwarden::cli::lineage(*inputs, prices, apis); });
}

int prices(std::span<char*> arguments) {
  const auto inputs = trainwarden::cli::read_prices_arguments(arguments);
  if (!inputs) return wrong_usage("prices: " + inputs.error().message);
  const trainwarden::Environment environment(environ);
  trainwarden::Clock& clock = trainwarden::system_clock();
  trainwarden::http::CurlTransport transport(
      trainwarden::aws::transport_options(environment, product(trainwarden::build_info())), clock);
  return print(trainwarden::cli::prices(*inputs, environment, transport, clock));
}

int diagnose(std::span<char*> arguments) {
  std::string path = "-";
  std::optional<trainwarden::rules::Policy> policy;
  bool why = false;
  bool has_path = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--why") {
      why = true;
    } else if (argument == "--policy" && i + 1 < arguments.size() && !policy) {
      const auto text = text_of(arguments[++i]);
      auto parsed =
          text ? trainwarden::rules::parse_policy(*text)
               : trainwarden::Result<trainwarden::rules::Policy>(trainwarden::fail(text.error()));
      if (!parsed) {
        print(stderr, fmt::format("trainwarden: diagnose: {}\n", parsed.error().message));
        return 2;
      }
      policy = std::move(*parsed);
    } else if (!has_path && (argument == "-" || !argument.starts_with('-'))) {
      path = argument;
      has_path = true;
    } else {
      return wrong_usage(fmt::format(
          "diagnose: expected --why, --policy FILE and at most one file, found `{}`", argument));
    }
  }
  const auto own =
      policy ? policy->failures() : std::span<const trainwarden::rules::OwnSignature>();
  if (path == "-") return trainwarden::cli::diagnose_lines(stdin, stdout, stderr, why, own);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) {
    print(stderr, fmt::format("trainwarden: diagnose: cannot read {}: {}\n", path,
                              std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe): one thread
    return 2;
  }
  const int status = trainwarden::cli::diagnose_lines(file.get(), stdout, stderr, why, own);
  if (std::ferror(file.get()) != 0)
    print(stderr, fmt::format("trainwarden: diagnose: cannot read {}: {}\n", path,
                              std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe): one thread
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
  if (command == "check" && arguments.size() == 3)
    return print(trainwarden::cli::check(arguments[2]));
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
  if (command.empty()) return wrong_usage("");
  if (command == "check") return wrong_usage("check: expected one file");
  if (command == "schema") return wrong_usage("schema: expected no arguments");
  if (command == "match") return wrong_usage("match: expected no arguments");
  if (command == "--version") return wrong_usage("--version: expected no arguments");
  return wrong_usage(fmt::format("expected a command, found `{}`", command));
}
