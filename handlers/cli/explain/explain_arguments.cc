#include "handlers/cli/explain/explain_arguments.h"

#include <fmt/core.h>

#include <optional>
#include <string_view>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/terminal/command_line.h"

namespace trainwarden::cli {
namespace {

class ExplainReader {
 public:
  explicit ExplainReader(ExplainArguments& out) : out_(out) {}

  Result<void> read(std::span<char* const> arguments) {
    ExplainInputs& files = out_.files;
    const auto take_policy = [this](const std::string& value) { return this->take_policy(value); };
    const auto take_event = [this, &files](const std::string& value) -> Result<void> {
      TRY(files.event, read_once("--event", value));
      return {};
    };
    const auto take_now = [&files](const std::string& value) -> Result<void> {
      TRY(files.now, read_now(value));
      return {};
    };
    TRY(const GivenOptions given,
        read_arguments(arguments,
                       aws_options(out_.aws, {{"--policy", take_policy},
                                              {"--event", take_event},
                                              file("--job", files.job),
                                              file("--tags", files.tags),
                                              file("--logs", files.logs),
                                              file("--fleet", files.fleet),
                                              {"--now", take_now, kWithoutJob},
                                              {"--json", &files.json}}),
                       {"one job", {&out_.job.job}}));
    return out_.job.job.empty() ? check_files(given) : check_job(given);
  }

 private:
  static constexpr std::string_view kWithoutJob = "use without a job's name";

  Option file(std::string_view name, std::optional<std::string>& text) {
    return {name,
            [this, name, &text](const std::string& value) -> Result<void> {
              TRY(text, read_once(name, value));
              return {};
            },
            kWithoutJob};
  }

  Result<void> take_policy(const std::string& value) {
    if (value.starts_with("ssm:")) {
      out_.job.policy = value;
      return {};
    }
    TRY(out_.files.policy, read_once("--policy", value));
    out_.job.policy = out_.files.policy;
    return {};
  }

  Result<std::string> read_once(std::string_view option, const std::string& value) {
    if (value == "-" && !of_input_.empty())
      return wrong_argument(fmt::format("expected a file: standard input is {}'s", of_input_));
    if (value == "-") of_input_ = option;
    return read_argument(value);
  }

  Result<void> check_files(const GivenOptions& given) const {
    if (!given.has("--policy") || (out_.files.event.empty() && !out_.files.job))
      return wrong_argument(
          "expected the name of a job, or --policy with --event or --job (FILEs, without asking "
          "AWS)");
    if (out_.files.policy.empty())
      return wrong_argument("--policy ssm:NAME is for a job that AWS is asked about");
    return {};
  }

  Result<void> check_job(const GivenOptions& given) {
    CHECK_OK(given.check_form("a job", fmt::format("of `{}` AWS is asked", out_.job.job)));
    out_.job.event = out_.files.event;
    out_.job.json = out_.files.json;
    out_.job.screen = out_.files.screen;
    out_.job.options = out_.aws.text();
    return {};
  }

  ExplainArguments& out_;
  std::string_view of_input_ = {};  // the option that reads standard input
};

}  // namespace

Result<ExplainArguments> read_explain(std::span<char* const> arguments, sys_seconds now,
                                      const Screen& screen) {
  ExplainArguments out;
  out.files.now = now;
  out.files.screen = screen;
  CHECK_OK(ExplainReader(out).read(arguments));
  return out;
}

}  // namespace trainwarden::cli
