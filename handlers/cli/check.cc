#include "handlers/cli/check.h"

#include <fmt/core.h>

#include "handlers/actions/policy_source.h"
#include "handlers/rules/policy.h"

namespace trainwarden::cli {

Printed check(const std::string& path) {
  const auto text = actions::read_file(path == "-" ? "/dev/stdin" : path);
  if (!text) return {2, {}, fmt::format("trainwarden: {}\n", text.error().message)};
  Printed printed;
  const auto mistakes = rules::check_policy(*text);
  for (const Error& mistake : mistakes)
    printed.output += fmt::format("error: {}\n", mistake.message);
  if (!mistakes.empty()) {
    printed.status = 1;
    printed.output += fmt::format("{}: {} {}\n", path, mistakes.size(),
                                  mistakes.size() == 1 ? "error" : "errors");
    return printed;
  }
  const auto policy = rules::parse_policy(*text);
  if (!policy) return {1, fmt::format("error: {}\n", policy.error().message), {}};
  for (const std::string& warning : policy->warnings())
    printed.output += fmt::format("warning: {}\n", warning);
  printed.output += fmt::format(
      "{}: sound; {} {}, mode {}, hash {}\n", path, policy->rules().size(),
      policy->rules().size() == 1 ? "rule" : "rules", rules::name(policy->mode()), policy->hash());
  return printed;
}

}  // namespace trainwarden::cli
