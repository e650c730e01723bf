#include "handlers/cli/explain/explain_arguments.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/terminal/command_line.h"

namespace trainwarden::cli {
namespace {

std::unexpected<Error> not_for_explain(std::string what) {
  return fail(ErrorCode::kInvalidInput, std::move(what));
}

class ExplainReader {
 public:
  explicit ExplainReader(ExplainArguments& out) : out_(out) {}

  Result<void> read(const std::vector<char*>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string_view option = arguments[i];
      if (option == "--json") {
        out_.files.json = true;
        continue;
      }
      if (!option.starts_with('-')) {
        if (option.empty()) return empty_argument("one job");
        if (!out_.job.job.empty()) return one_too_many("one job", option);
        out_.job.job = option;
        continue;
      }
      if (std::ranges::find(kOptions, option) == kOptions.end())
        return unknown_option(option, kOptions);
      if (++i == arguments.size() || std::string_view(arguments[i]).empty())
        return needs_value(option);
      CHECK_OK(take(option, arguments[i]));
    }
    return out_.job.job.empty() ? check_files() : check_job();
  }

 private:
  static constexpr std::array<std::string_view, 8> kOptions = {
      "--policy", "--event", "--job", "--tags", "--logs", "--fleet", "--now", "--json"};

  Result<void> take(std::string_view option, const std::string& value) {
    if (option == "--now") {
      auto now = read_now(value);
      if (!now) return fail(std::move(now).error().in(option));
      out_.files.now = *now;
      offline_only_ = option;
      return {};
    }
    has_policy_ = has_policy_ || option == "--policy";
    if (option == "--policy" && value.starts_with("ssm:")) {
      out_.job.policy = value;
      return {};
    }
    if (value == "-" && !of_input_.empty())
      return not_for_explain(
          fmt::format("{}: expected a file: standard input is {}'s", option, of_input_));
    if (value == "-") of_input_ = option;
    auto text = read_argument(value);
    if (!text) return fail(std::move(text).error().in(option));
    place(option) = *std::move(text);
    if (option == "--policy") out_.job.policy = out_.files.policy;
    if (option == "--event") out_.job.event = out_.files.event;
    if (option != "--policy" && option != "--event") offline_only_ = option;
    return {};
  }

  std::string& place(std::string_view option) {
    ExplainInputs& files = out_.files;
    if (option == "--policy") return files.policy;
    if (option == "--event") return files.event;
    std::optional<std::string>& more = option == "--job"    ? files.job
                                       : option == "--tags" ? files.tags
                                       : option == "--logs" ? files.logs
                                                            : files.fleet;
    return more.emplace();
  }

  Result<void> check_files() const {
    if (!has_policy_ || (out_.files.event.empty() && !out_.files.job))
      return not_for_explain(
          "expected the name of a job, or --policy with --event or --job (FILEs, without asking "
          "AWS)");
    if (out_.files.policy.empty())
      return not_for_explain("--policy ssm:NAME is for a job that AWS is asked about");
    return {};
  }

  Result<void> check_job() {
    if (!offline_only_.empty())
      return not_for_form(offline_only_, "use without a job's name",
                          fmt::format("of `{}` AWS is asked", out_.job.job));
    out_.job.json = out_.files.json;
    out_.job.screen = out_.files.screen;
    out_.job.options = out_.aws.text();
    return {};
  }

  ExplainArguments& out_;
  bool has_policy_ = false;
  std::string_view offline_only_ = {};  // last option that excludes a job
  std::string_view of_input_ = {};      // the option that reads standard input
};

}  // namespace

Result<ExplainArguments> read_explain(std::vector<char*> arguments, sys_seconds now,
                                      const Screen& screen) {
  ExplainArguments out;
  out.files.now = now;
  out.files.screen = screen;
  TRY(out.aws, take_aws_options(arguments));
  CHECK_OK(ExplainReader(out).read(arguments));
  return out;
}

}  // namespace trainwarden::cli
