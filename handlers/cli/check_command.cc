#include "handlers/cli/check_command.h"

#include <fmt/core.h>

#include <vector>

#include "handlers/actions/setup/policy_source.h"
#include "handlers/cli/sample_jobs.h"
#include "handlers/cli/text.h"
#include "handlers/rules/policy/contradictions.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

Printed check(const std::string& path) {
  const auto text = actions::read_file(path == "-" ? "/dev/stdin" : path);
  if (!text) return {2, {}, fmt::format("trainwarden: {}\n", text.error().message)};
  Printed printed;
  const auto mistakes = rules::check_policy(*text);
  for (const Error& mistake : mistakes)
    printed.output +=
        wrapped(fmt::format("error: {}", printable(mistake.message)), kColumns, 7) + '\n';
  if (!mistakes.empty()) {
    printed.status = 1;
    const bool all = mistakes.size() < rules::kMaxErrors;
    printed.output += fmt::format("{}: {} {}{}\n", path, mistakes.size(),
                                  mistakes.size() == 1 ? "error" : "errors",
                                  all ? "" : " or more: the rest was not read");
    return printed;
  }
  const auto policy = rules::parse_policy(*text);
  if (!policy) return {1, fmt::format("error: {}\n", policy.error().message), {}};
  for (const auto& warnings : {rules::warnings_of(*policy), stops_of_everything(*policy)})
    for (const std::string& warning : warnings)
      printed.output += wrapped(fmt::format("warning: {}", printable(warning)), kColumns, 9) + '\n';
  printed.output += fmt::format(
      "{}: sound; {} {}, mode {}, hash {}\n", path, policy->rules().size(),
      policy->rules().size() == 1 ? "rule" : "rules", rules::name(policy->mode()), policy->hash());
  return printed;
}

}  // namespace trainwarden::cli
