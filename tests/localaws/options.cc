#include "tests/localaws/options.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "runtime/base/ascii.h"

namespace trainwarden::localaws {
namespace {

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::kInvalidInput, std::move(message));
}

Result<int> number(std::string_view name, std::string_view text, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    return wrong(
        fmt::format("{}: expected a number from {} to {}, found `{}`", name, low, high, text));
  return value;
}

bool small_digit_or_dash(char c) { return is_lower(c) || is_digit(c) || c == '-'; }

Result<std::string> region(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), small_digit_or_dash))
    return wrong(fmt::format("--region: expected a region such as eu-west-1, found `{}`", text));
  return std::string(text);
}

Result<std::string> account(std::string_view text) {
  if (text.size() != 12 || text.find_first_not_of("0123456789") != std::string_view::npos)
    return wrong(fmt::format("--account: expected 12 digits, found `{}`", text));
  return std::string(text);
}

Result<std::string> file(std::string_view name, std::string_view text, int access,
                         std::string_view what) {
  std::error_code error;
  const auto path = std::filesystem::absolute(std::filesystem::path(text), error);
  if (error || !std::filesystem::is_regular_file(path, error) ||
      ::access(path.c_str(), access) != 0)
    return wrong(fmt::format("{}: expected {}, found `{}`", name, what, text));
  return path.lexically_normal().string();
}

Result<void> set_option(Options& options, std::string_view name, std::string_view value) {
  if (name == "--port") {
    TRY(options.port, number(name, value, 0, 65535));
  } else if (name == "--region") {
    TRY(options.region, region(value));
  } else if (name == "--account") {
    TRY(options.account, account(value));
  } else if (name == "--policy") {
    TRY(options.policy, file(name, value, R_OK, "a file that can be read"));
  } else if (name == "--state") {
    TRY(options.state, file(name, value, X_OK, "an executable file"));
  } else if (name == "--alarm") {
    TRY(options.alarm, file(name, value, X_OK, "an executable file"));
  } else if (name == "--record") {
    options.record = value;
  } else if (name == "--concurrency") {
    TRY(const int processes, number(name, value, 1, 16));
    options.concurrency = static_cast<std::size_t>(processes);
  } else if (name == "--sweep") {
    TRY(const int seconds, number(name, value, 1, 86400));
    options.sweep = std::chrono::seconds(seconds);
  } else if (name == "--search-lag") {
    TRY(const int seconds, number(name, value, 0, 3600));
    options.search_lag = std::chrono::seconds(seconds);
  } else if (name == "--index-lag") {
    TRY(const int millis, number(name, value, 0, 3'600'000));
    options.index_lag = std::chrono::milliseconds(millis);
  } else if (name == "--alarm-calls") {
    TRY(options.alarm_calls, number(name, value, 1, 1000));
  } else {
    TRY(const int seconds, number(name, value, 1, 900));
    options.timeout = std::chrono::seconds(seconds);
  }
  return {};
}

constexpr std::array<std::string_view, 13> kNames = {
    "--port",       "--region",    "--account",    "--policy",      "--state",
    "--alarm",      "--record",    "--timeout",    "--concurrency", "--sweep",
    "--search-lag", "--index-lag", "--alarm-calls"};

}  // namespace

std::string_view usage() {
  return R"(usage: localaws serve [options]

An embedded AWS on one local port: SageMaker training jobs, CloudWatch alarms, SNS, SSM parameters and
Logs and a DynamoDB table with signed requests, and Lambda functions with the events about them.

  --port N        listen on 127.0.0.1:N (default 4566; 0: a free port, printed at start)
  --region R      the region it is (default us-east-1)
  --account N     the account it is, 12 digits (default 111122223333)
  --state PATH    the bootstrap of the state function: started, and given each job's state changes
  --alarm PATH    the bootstrap of the alarm function
  --policy FILE   the functions' policy: TRAINWARDEN_POLICY=file:FILE
  --record FILE   write each AWS request of the functions as a JSON line
  --timeout S     seconds that an invocation may take, 1 to 900 (default 60)
  --concurrency N invocations of a function that may run at once, each in its own process, 1 to 16
                  (default 1)
  --sweep S       a scheduled event for the state function every S seconds, as EventBridge sends it
  --search-lag S  Search sees the jobs as they were S seconds ago (default 0)
  --index-lag MS  the table's index sees what was written MS milliseconds ago (default 20)
  --alarm-calls N CloudWatch takes N calls a second of each operation that changes alarms, as AWS
                  takes 3, and throttles the others (default: any number)
  --old-logs      FilterLogEvents refuses startFromHead, as before June 2026
  --fixed-pages   Search refuses a NextToken with other MaxResults than it was given for
  --tls           https on the port, with a certificate made for this run; what the functions and
                  the control endpoints need in the clear is on a second port
  --people        a topic for people, trainwarden-people, which TRAINWARDEN_NOTIFY_TOPIC names
  --quiet         do not print what people would get
  --help

What is published to SNS is printed as people would get it: subject, attributes, text.

Credentials: requests must be signed with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
AWS_SESSION_TOKEN of this program's environment where they are set, else with `test` and `test`
(no token). The functions get the same.
)";
}

Result<Options> parse_options(const std::vector<std::string_view>& arguments) {
  Options options;
  const auto asks = [](std::string_view a) { return a == "--help" || a == "-h" || a == "help"; };
  if (std::any_of(arguments.begin(), arguments.end(), asks)) {
    options.help = true;
    return options;
  }
  if (arguments.empty()) return wrong("expected the command `serve`");
  if (arguments.front() != "serve")
    return wrong(fmt::format("expected the command `serve`, found `{}`", arguments.front()));
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    std::string_view name = arguments[i];
    if (name == "--tls") {
      options.tls = true;
      continue;
    }
    if (name == "--old-logs" || name == "--fixed-pages") {
      (name == "--old-logs" ? options.old_logs : options.fixed_pages) = true;
      continue;
    }
    if (name == "--people") {
      options.people = true;
      continue;
    }
    if (name == "--quiet") {
      options.quiet = true;
      continue;
    }
    std::optional<std::string_view> value;
    if (const auto equals = name.find('='); equals != std::string_view::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
      return wrong(fmt::format("unknown option `{}`", name));
    if (!value) {
      if (++i == arguments.size()) return wrong(fmt::format("{}: expected a value", name));
      value = arguments[i];
    }
    CHECK_OK(set_option(options, name, *value));
  }
  return options;
}

Result<Credentials> credentials_from(const Environment& environment) {
  const auto key = environment.get("AWS_ACCESS_KEY_ID");
  const auto secret = environment.get("AWS_SECRET_ACCESS_KEY");
  if (key.has_value() != secret.has_value())
    return fail(ErrorCode::kInvalidConfig,
                "expected both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither");
  if (!key) return Credentials{"test", Secret("test"), Secret()};
  return Credentials{std::string(*key), Secret(std::string(*secret)),
                     Secret(std::string(environment.get("AWS_SESSION_TOKEN").value_or("")))};
}

}  // namespace trainwarden::localaws
