#include "handlers/cli/restart_command.h"

#include <fmt/core.h>

#include <optional>
#include <string_view>
#include <utility>

#include "handlers/actions/restart/restart.h"
#include "handlers/cli/aws_session.h"
#include "handlers/rules/job/instance_types.h"
#include "handlers/rules/job/intent.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "runtime/base/digits.h"

namespace trainwarden::cli {
namespace {

using actions::JobSnapshot;

std::unexpected<Error> wrong(std::string what) {
  return fail(ErrorCode::kInvalidInput, std::move(what));
}

Result<bool> read_bool(std::string_view option, std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  return wrong(fmt::format("{}: expected true or false, found `{}`", option, text));
}

Result<std::int64_t> read_limit(std::string_view text) {
  if (const auto limit = whole_number(text, 1)) return *limit;
  return wrong(fmt::format("--limit: expected a number of generations, found `{}`", text));
}

Printed not_restarted(const Error& error) {
  return {2, {}, fmt::format("trainwarden: {}\n", printable(error.message))};
}

// Only the names of what may be secret.
json::Document without_values(json::Value body) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    for (const json::Member member : body.members()) {
      if (member.name != "HyperParameters" && member.name != "Environment") {
        sink.member(member.name, member.value);
        continue;
      }
      sink.key(member.name).begin_object();
      for (const json::Member hidden : member.value.members()) sink.member(hidden.name, "(hidden)");
      sink.end_object();
    }
    sink.end_object();
  });
}

// What a person should know before the money is spent.
std::string warnings(const JobSnapshot& original, const RestartInputs& inputs) {
  std::string out;
  for (const std::string& type : inputs.options.instance_types)
    if (const std::string doubt = rules::doubt_of_instance_type(type); !doubt.empty())
      out += fmt::format("--instance-type: {}\n", doubt);
  if (original.job().checkpoint_uri.empty())
    out += fmt::format("{}: it has no CheckpointConfig.S3Uri: the copy begins anew\n",
                       original.job().name);
  return out;
}

Printed rehearse(const JobSnapshot& original, const RestartInputs& inputs,
                 const actions::Apis& apis) {
  const auto wanted = actions::with_intent(original, inputs.options);
  const auto refused = actions::preflight_refusal(original, wanted, apis, true);
  if (!refused) return not_restarted(refused.error());
  if (*refused)
    return {1, fmt::format("{}: refused: {}\n", inputs.job, printable(rules::text(**refused))), {}};
  const auto name = actions::name_of_copy(original);
  if (!name) return not_restarted(name.error());
  const auto changes = rules::changes_for(original.job(), wanted.spot, wanted.instance_types);
  const auto body = original.copy_request(changes, *name);
  if (!body)
    return {
        1, fmt::format("{}: refused: {}\n", inputs.job, printable(rules::text(body.error()))), {}};
  const auto request = json::Document::parse(*body);
  if (!request) return not_restarted(request.error());
  const bool ended = rules::is_terminal(original.status());
  return {0, json::to_text(without_values(request->root()).root()) + '\n',
          fmt::format("{}: {}; the guards allow the copy {}, which would be made {}\n", inputs.job,
                      original.job().status_text, *name,
                      ended ? "now" : "when the job has been stopped and has ended") +
              warnings(original, inputs)};
}

// Whether the copy that the job's tags name is there no more; false where they name none.
Result<bool> is_copy_gone(const JobSnapshot& original, const actions::Apis& apis) {
  const std::string child = original.lineage().child;
  const auto name = aws::JobName::parse(child);
  if (child.empty() || !name) return false;
  const auto describe = apis.sagemaker.describe_training_job(*name, apis.context);
  if (describe) return false;
  if (describe.error().code == ErrorCode::kNotFound) return true;
  return fail(Error(describe.error()).in(child));
}

// What is decided already, by what was done before; nullopt where nothing is.
std::optional<Printed> settled(const JobSnapshot& original, const RestartInputs& inputs) {
  if (const std::string child = original.lineage().child; !child.empty())
    return Printed{0, fmt::format("{}: already copied as {}\n", inputs.job, printable(child)), {}};
  if (original.status() != rules::JobStatus::kStopping) return std::nullopt;
  const auto intent = original.tags().intent;
  const auto why_void = intent ? rules::why_void(*intent, original.job(), original.tags())
                               : std::optional(rules::Reason{.why = rules::Why::kNobodyAsked});
  if (!why_void)
    return Printed{
        0, fmt::format("{}: stopping already, to be copied when it has ended\n", inputs.job), {}};
  return Printed{1,
                 fmt::format("{}: refused: it is stopping, and not to be copied: {}\n", inputs.job,
                             printable(rules::text(*why_void))),
                 {}};
}

}  // namespace

Result<RestartInputs> read_restart(std::span<char* const> arguments) {
  RestartInputs inputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--dry-run") {
      inputs.dry_run = true;
    } else if (argument == "--spot" || argument == "--instance-type" || argument == "--limit") {
      if (++i == arguments.size()) return wrong(fmt::format("{} needs a value", argument));
      const std::string_view value = arguments[i];
      if (argument == "--spot") {
        TRY(inputs.options.spot, read_bool(argument, value));
      } else if (argument == "--limit") {
        TRY(inputs.options.limit, read_limit(value));
      } else if (rules::is_instance_type(value)) {
        inputs.options.instance_types = {std::string(value)};
      } else {
        return wrong(fmt::format("--instance-type: expected {}, found `{}`{}",
                                 rules::kInstanceTypeForm, value, rules::did_you_mean_type(value)));
      }
    } else if (argument.starts_with('-')) {
      return wrong(fmt::format("unknown option `{}`", argument));
    } else if (inputs.job.empty()) {
      inputs.job = argument;
    } else {
      return wrong(fmt::format("expected one job, found `{}` too", argument));
    }
  }
  if (inputs.job.empty()) return wrong("expected the name of a training job");
  return inputs;
}

namespace {

Printed restart_original(const JobSnapshot& original, const actions::JobRef& job,
                         const RestartInputs& inputs, const actions::Apis& apis) {
  if (auto printed = settled(original, inputs)) return *std::move(printed);
  if (inputs.dry_run) return rehearse(original, inputs, apis);
  const auto outcome = actions::restart_by_hand(original, job, inputs.options, apis);
  Printed printed{
      0, fmt::format("{}: {}\n", inputs.job, printable(rules::text(outcome.result))), {}};
  using Kind = rules::ActionResult::Kind;
  if (!outcome.result.is(Kind::kStoppingToCopy) && !outcome.result.has_copy()) printed.status = 1;
  if (outcome.error && printed.status == 0) {
    // The copy is there; its original could not be tagged.
    printed.error = fmt::format("trainwarden: {}: give the command again to tag the job: {}\n",
                                inputs.job, printable(outcome.error->message));
  } else if (outcome.error) {
    printed = not_restarted(Error(*outcome.error).in(inputs.job));
  }
  if (printed.status == 0 && !outcome.result.is(Kind::kCopiedBefore))
    printed.error += warnings(original, inputs);
  if (!outcome.note.empty()) printed.error += fmt::format("{}\n", printable(outcome.note));
  return printed;
}

}  // namespace

Printed restart(const RestartInputs& inputs, const actions::Apis& apis) {
  const auto name = aws::JobName::parse(inputs.job);
  if (!name) return not_restarted(name.error());
  const actions::JobRef job{*name, {}};
  const auto original = actions::read_settled_snapshot(job, std::nullopt, apis);
  if (!original) return not_restarted(about_job(original.error(), inputs.job, apis));
  // Of one type there is none among groups, and a restart would silently keep them all.
  if (!inputs.options.instance_types.empty() && original->job().has_instance_groups)
    return {1,
            fmt::format("{}: refused: it has instance groups, and --instance-type does not say "
                        "which of them to change\n",
                        inputs.job),
            {}};
  const auto gone = is_copy_gone(*original, apis);
  if (!gone) return not_restarted(gone.error());
  if (!*gone) return restart_original(*original, job, inputs, apis);
  Printed printed = restart_original(actions::without_copy(*original), job, inputs, apis);
  printed.error.insert(0, fmt::format("{}: its copy {} is gone\n", inputs.job,
                                      printable(original->lineage().child)));
  return printed;
}

}  // namespace trainwarden::cli
