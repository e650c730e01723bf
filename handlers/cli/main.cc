// The `trainwarden` command.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "awsapi/pace.h"
#include "handlers/cli/access/aws_access.h"
#include "handlers/cli/access/aws_session.h"
#include "handlers/cli/backtest/backtest_arguments.h"
#include "handlers/cli/backtest/backtest_command.h"
#include "handlers/cli/check/check_command.h"
#include "handlers/cli/check/match_command.h"
#include "handlers/cli/diagnose/diagnose_arguments.h"
#include "handlers/cli/diagnose/diagnose_command.h"
#include "handlers/cli/diagnose/diagnose_job_command.h"
#include "handlers/cli/explain/explain_arguments.h"
#include "handlers/cli/explain/explain_command.h"
#include "handlers/cli/explain/explain_job_command.h"
#include "handlers/cli/export/export_arguments.h"
#include "handlers/cli/export/export_command.h"
#include "handlers/cli/export/export_file.h"
#include "handlers/cli/files/inputs.h"
#include "handlers/cli/help_pages.h"
#include "handlers/cli/lineage/lineage_command.h"
#include "handlers/cli/prices/prices_command.h"
#include "handlers/cli/report/report_arguments.h"
#include "handlers/cli/report/report_command.h"
#include "handlers/cli/restart/restart_command.h"
#include "handlers/cli/schema/policy_schema.h"
#include "handlers/cli/terminal/command_line.h"
#include "handlers/cli/terminal/console.h"
#include "handlers/cli/test/test_arguments.h"
#include "handlers/cli/test/test_command.h"
#include "handlers/rules/patterns/nearest.h"
#include "runtime/base/build_info.h"
#include "runtime/base/errno_text.h"
#include "runtime/base/time.h"
#include "runtime/http/resolver.h"
#include "runtime/http/versions.h"

namespace {

using trainwarden::cli::Printed;

// Why writing failed first; 0: it did not.
int& write_failure() {
  static int why = 0;
  return why;
}

void print(std::FILE* to, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), to) != text.size() && write_failure() == 0)
    write_failure() = errno;
}

// Escapes control characters, since errors quote text from outside; only our line breaks are kept.
void complain(std::string_view text) { print(stderr, trainwarden::cli::printable_lines(text)); }

int print(const Printed& printed) {
  print(stdout, printed.output);
  complain(printed.error);
  return printed.status;
}

// Standard output is written at last, so that a full disk, say, does not pass for success. A reader
// that has gone, as `| head` does, is no error.
int finish(int status) {
  if (std::fflush(stdout) != 0 && write_failure() == 0) write_failure() = errno;
  const int why = write_failure();
  if (why == 0 || why == EPIPE || status == 2) return status;
  complain(fmt::format("trainwarden: standard output cannot be written: {}\n",
                       trainwarden::errno_text(why)));
  return 2;
}

// Prints the error, then the command's usage.
int wrong_usage(std::string_view command, std::string_view what) {
  complain(fmt::format("trainwarden: {}: {}\n", command, what));
  if (const auto* const page = trainwarden::cli::find_help_page(command))
    print(stderr, trainwarden::cli::usage_of(*page));
  return 2;
}

trainwarden::cli::Screen screen() { return trainwarden::cli::screen_of(stdout); }

int report_error(const trainwarden::Error& error) {
  complain(fmt::format("trainwarden: {}\n", error.message));
  return 2;
}

// Reports why arguments could not be read. The usage helps only if they are wrong themselves.
int not_read(std::string_view command, const trainwarden::Error& error) {
  return error.code == trainwarden::ErrorCode::kInvalidInput
             ? wrong_usage(command, error.message)
             : report_error(trainwarden::Error(error).in(command));
}

trainwarden::Result<std::unique_ptr<trainwarden::cli::AwsAccess>> open_access(
    const trainwarden::cli::AwsOptions& options) {
  auto access = trainwarden::cli::AwsAccess::open(
      environ, options, product(trainwarden::build_info()), trainwarden::system_clock());
  if (access) complain((*access)->remarks());
  return access;
}

// Runs a command that calls AWS.
template <class Command>
int ask(const trainwarden::cli::AwsOptions& options, Command command) {
  trainwarden::Clock& clock = trainwarden::system_clock();
  const auto access = open_access(options);
  if (!access) return report_error(access.error());
  const auto session = trainwarden::cli::AwsSession::open(
      (*access)->environment(), (*access)->credentials(), (*access)->transport(), clock);
  if (!session) return report_error(session.error());
  return print(command(**session));
}

int check(std::span<char*> arguments) {
  auto inputs = trainwarden::cli::read_check(arguments);
  if (!inputs) return wrong_usage("check", inputs.error().message);
  inputs->screen = screen();
  return print(trainwarden::cli::check(*inputs));
}

int explain(std::span<char*> arguments) {
  const auto now = std::chrono::floor<std::chrono::seconds>(trainwarden::system_clock().now());
  const auto given = trainwarden::cli::read_explain(arguments, now, screen());
  if (!given) return not_read("explain", given.error());
  if (given->job.job.empty()) return print(trainwarden::cli::explain(given->files));
  return ask(given->aws, [&](const trainwarden::cli::AwsSession& session) {
    return trainwarden::cli::explain_job(given->job, session.table(), session.apis());
  });
}

int restart(std::span<char*> arguments) {
  const auto inputs = trainwarden::cli::read_restart(arguments);
  if (!inputs) return wrong_usage("restart", inputs.error().message);
  trainwarden::cli::Console console(stderr, isatty(STDERR_FILENO) == 1,
                                    trainwarden::cli::is_interrupted);
  return ask(inputs->aws, [&](const trainwarden::cli::AwsSession& session) {
    return trainwarden::cli::restart(*inputs, session.apis(), console);
  });
}

int lineage(std::span<char*> arguments) {
  const auto inputs = trainwarden::cli::read_lineage(arguments);
  if (!inputs) return wrong_usage("lineage", inputs.error().message);
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
  return ask(inputs->aws, [&](const trainwarden::cli::AwsSession& session) {
    return trainwarden::cli::lineage(*inputs, prices, session.apis());
  });
}

int prices(std::span<char*> arguments) {
  const auto inputs = trainwarden::cli::read_prices_arguments(arguments);
  if (!inputs) return wrong_usage("prices", inputs.error().message);
  trainwarden::Clock& clock = trainwarden::system_clock();
  const auto access = open_access(inputs->aws);
  if (!access) return report_error(access.error());
  return print(trainwarden::cli::prices(*inputs, (*access)->environment(), (*access)->credentials(),
                                        (*access)->transport(), clock));
}

// An export that is about to call AWS.
struct Export {
  std::function<Printed(trainwarden::cli::ExportFile& file)> into;
  bool shows = false;  // show progress
};

int export_from_aws(const trainwarden::cli::ExportInputs& inputs,
                    const trainwarden::rules::Policy& policy,
                    const std::function<int(Export& run)>& command) {
  trainwarden::Clock& clock = trainwarden::system_clock();
  const auto access = open_access(inputs.aws);
  if (!access) return report_error(access.error());
  trainwarden::aws::Pace pace;
  const auto session = trainwarden::cli::AwsSession::open(
      (*access)->environment(), (*access)->credentials(), (*access)->transport(), clock, &pace);
  if (!session) return report_error(session.error());
  const trainwarden::actions::Apis& apis = (*session)->apis();
  const bool terminal = isatty(STDERR_FILENO) == 1;
  trainwarden::cli::Console console(stderr, terminal, trainwarden::cli::is_interrupted);
  const auto list = [&] {
    return trainwarden::cli::list_prices(apis.sagemaker.client().region(), (*access)->environment(),
                                         (*access)->credentials(), (*access)->transport(), clock,
                                         &pace);
  };
  Export run{{}, terminal};
  run.into = [&](trainwarden::cli::ExportFile& file) {
    return trainwarden::cli::export_jobs(inputs, policy, file, apis, {list, console, run.shows});
  };
  return command(run);
}

int export_all(std::span<char*> arguments) {
  const auto given = trainwarden::cli::read_export(arguments);
  if (!given) return not_read("export", given.error());
  const auto policy = trainwarden::rules::parse_policy(given->policy);
  if (!policy) {
    report_error(trainwarden::Error(policy.error()).in("export: --for"));
    return 1;
  }
  return export_from_aws(*given, *policy, [&](Export& run) {
    auto file = given->resume ? trainwarden::cli::ExportFile::resume(given->out)
                              : trainwarden::cli::ExportFile::create(given->out);
    if (!file) return report_error(trainwarden::Error(file.error()).in("export"));
    // Progress would get in the way of the exported lines on the same terminal.
    run.shows = run.shows && (!given->out.empty() || isatty(STDOUT_FILENO) == 0);
    return print(run.into(*file));
  });
}

int report(std::span<char*> arguments) {
  auto given = trainwarden::cli::read_report(arguments);
  if (!given) return not_read("report", given.error());
  given->form.screen = screen();
  const auto policy = trainwarden::rules::parse_policy(given->wanted.policy);
  if (!policy) {
    report_error(trainwarden::Error(policy.error()).in("report: --policy"));
    return 1;
  }
  if (!given->file.empty()) return print(trainwarden::cli::report_of_file(*given, *policy));
  return export_from_aws(given->wanted, *policy, [&](Export& run) {
    return print(trainwarden::cli::report_of_aws(
        *given, *policy, [&run](trainwarden::cli::ExportFile& file) { return run.into(file); }));
  });
}

int backtest(std::span<char*> arguments) {
  auto given = trainwarden::cli::read_backtest(arguments);
  if (!given) return not_read("backtest", given.error());
  given->form.screen = screen();
  return print(trainwarden::cli::backtest(*given));
}

int test_cases(std::span<char*> arguments) {
  auto given = trainwarden::cli::read_test(arguments);
  if (!given) return not_read("test", given.error());
  given->screen = screen();
  return print(trainwarden::cli::test_policy(*given));
}

int cannot_read(const std::string& path) {
  complain(fmt::format("trainwarden: diagnose: cannot read {}: {}\n", path,
                       trainwarden::errno_text(errno)));
  return 2;
}

int diagnose(std::span<char*> arguments) {
  const auto given = trainwarden::cli::read_diagnose(arguments);
  if (!given && given.error().code == trainwarden::ErrorCode::kInvalidPolicy)
    return report_error(trainwarden::Error(given.error()).in("diagnose"));
  if (!given) return wrong_usage("diagnose", given.error().message);
  if (!given->job.empty())
    return ask(given->aws, [&](const trainwarden::cli::AwsSession& session) {
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

int schema(std::span<char*> arguments) {
  if (const auto none = trainwarden::cli::read_arguments(arguments, {}); !none)
    return wrong_usage("schema", none.error().message);
  print(stdout, trainwarden::cli::policy_schema_text());
  return 0;
}

int match(std::span<char*> arguments) {
  if (const auto none = trainwarden::cli::read_arguments(arguments, {}); !none)
    return wrong_usage("match", none.error().message);
  return trainwarden::cli::match_lines(stdin, stdout, stderr);
}

int version() {
  print(stdout, fmt::format("{} {}\n", product(trainwarden::build_info()),
                            product(trainwarden::http::library_versions())));
  return 0;
}

struct Command {
  std::string_view name;
  int (*run)(std::span<char*> arguments);
};
constexpr std::array<Command, 12> kCommands = {{{"check", check},
                                                {"test", test_cases},
                                                {"backtest", backtest},
                                                {"schema", schema},
                                                {"match", match},
                                                {"explain", explain},
                                                {"diagnose", diagnose},
                                                {"lineage", lineage},
                                                {"report", report},
                                                {"export", export_all},
                                                {"prices", prices},
                                                {"restart", restart}}};

int unknown_command(std::string_view name) {
  std::vector<std::string_view> known;
  std::ranges::transform(kCommands, std::back_inserter(known), &Command::name);
  const std::string near = trainwarden::rules::did_you_mean(name, known);
  complain(fmt::format("trainwarden: expected a command, found `{}`{}\n", name, near));
  print(stderr, "trainwarden help lists the commands.\n");
  return 2;
}

int help(std::string_view command) {
  if (command.empty()) {
    print(stdout, trainwarden::cli::help_overview(screen()));
    return 0;
  }
  const auto* const page = trainwarden::cli::find_help_page(command);
  if (page == nullptr) return unknown_command(command);
  print(stdout, trainwarden::cli::help_page(*page, screen()));
  return 0;
}

bool is_help_option(std::string_view word) { return word == "--help" || word == "-h"; }

int run(std::span<char*> arguments) {
  const std::string_view name = arguments.size() > 1 ? arguments[1] : "";
  if (name == "help" || is_help_option(name)) {
    if (arguments.size() > 3) return wrong_usage(name, "expected one command");
    return help(arguments.size() > 2 ? arguments[2] : "");
  }
  if (name == "--version")
    return arguments.size() == 2 ? version() : wrong_usage(name, "expected no arguments");
  if (name.empty()) {
    complain("trainwarden: expected a command\n");
    print(stderr, "trainwarden help lists the commands.\n");
    return 2;
  }
  const auto* const command = std::ranges::find(kCommands, name, &Command::name);
  if (command == kCommands.end()) return unknown_command(name);
  const std::span<char*> rest = arguments.subspan(2);
  if (std::ranges::any_of(rest, is_help_option)) return help(name);
  return command->run(rest);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // finish() knows of a reader that has gone
  trainwarden::http::set_up_resolver();
  return finish(run({argv, static_cast<std::size_t>(argc)}));
}
