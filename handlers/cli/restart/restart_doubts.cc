#include "handlers/cli/restart/restart_doubts.h"

#include <fmt/core.h>

#include "handlers/cli/terminal/text.h"
#include "handlers/rules/job/instance_types.h"
#include "handlers/rules/outcome/outcome_text.h"

namespace trainwarden::cli {
namespace {

std::string doubt_text(const rules::Reason& doubt) {
  if (doubt.why == rules::Why::kStoppedOnPurpose) return "somebody stopped it";
  if (doubt.why != rules::Why::kRuleStopped) return rules::text(doubt);
  return doubt.name.empty() ? "its tags say that a rule stopped it"
                            : fmt::format("its tags say that the rule {} stopped it", doubt.name);
}

}  // namespace

std::vector<std::string> doubt_lines(const RestartInputs& inputs, const rules::TrainingJob& job,
                                     const std::vector<rules::Reason>& doubts) {
  std::vector<std::string> out;
  out.reserve(doubts.size() + 2);
  for (const rules::Reason& doubt : doubts)
    out.push_back(
        fmt::format("{}: to be run again although {}", inputs.job, printable(doubt_text(doubt))));
  for (const std::string& type : inputs.options.instance_types)
    if (const auto doubt = rules::doubt_of_instance_type(type))
      out.push_back(fmt::format("--instance-type: {}", *doubt));
  if (job.checkpoint_uri.empty())
    out.push_back(
        fmt::format("{}: it has no CheckpointConfig.S3Uri: the copy begins anew", inputs.job));
  return out;
}

std::string refusal_line(const RestartInputs& inputs, const rules::Reason& reason) {
  return fmt::format("{}: refused: {}\n", inputs.job, printable(rules::text(reason)));
}

}  // namespace trainwarden::cli
