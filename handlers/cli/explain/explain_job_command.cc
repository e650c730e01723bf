#include "handlers/cli/explain/explain_job_command.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "awsapi/ssm.h"
#include "handlers/actions/alarms/alarms.h"
#include "handlers/actions/handle/handle_job.h"
#include "handlers/cli/access/aws_session.h"
#include "handlers/cli/explain/explain_command.h"
#include "handlers/cli/explain/explanation.h"
#include "handlers/cli/explain/job_story.h"
#include "handlers/cli/files/inputs.h"
#include "handlers/rules/alarms/described_alarm.h"

namespace trainwarden::cli {
namespace {

Result<std::optional<rules::Policy>> policy_of(const ExplainJobInputs& inputs,
                                               const actions::Apis& apis) {
  if (inputs.policy.empty()) return std::nullopt;
  if (!inputs.policy.starts_with("ssm:")) {
    auto parsed = rules::parse_policy(inputs.policy);
    if (!parsed) return fail(std::move(parsed).error().in("policy"));
    return std::optional<rules::Policy>(*std::move(parsed));
  }
  const auto found =
      aws::Ssm(apis.sagemaker.client())
          .get_parameter(inputs.policy.substr(inputs.policy.find(':') + 1), apis.context);
  // It is the parameter that does not exist, not the job.
  if (!found && found.error().code == ErrorCode::kNotFound)
    return fail(ErrorCode::kInvalidConfig, fmt::format("{}: there is no such parameter: {}",
                                                       inputs.policy, found.error().message));
  if (!found) return fail(Error(found.error()).in(inputs.policy));
  auto parsed = rules::parse_policy(found->value);
  if (!parsed) return fail(std::move(parsed).error().in(inputs.policy));
  return std::optional<rules::Policy>(*std::move(parsed));
}

// What a function would decide about one event of that job at this moment.
class LiveDecision {
 public:
  LiveDecision(const rules::Policy& policy, const aws::JobName& job, const actions::Apis& apis)
      : rules_{policy, rules::Mode::kEnforce}, job_{job, {}}, apis_(apis) {}

  // kNotFound if the job is gone, or a later job has its name.
  Result<Explanation> on(const rules::JobEvent& event) const {
    const actions::Considered considered = actions::consider(rules_, job_, event, apis_);
    using actions::Conclusion;
    const Conclusion conclusion = considered.record.conclusion;
    if (conclusion == Conclusion::kGone || conclusion == Conclusion::kNamesake)
      return fail(ErrorCode::kNotFound, std::string(actions::name(conclusion)));
    return explain_considered(rules_.policy, considered, apis_.now());
  }

  // What the policy decides about each of the job's alarms that is in ALARM.
  Result<std::vector<Explanation>> on_alarms(const rules::JobEvent& event) const {
    std::vector<rules::JobEvent> events;
    CHECK_OK(actions::each_alarm(job_, apis_, [&](const rules::AlarmName& name, json::Value alarm) {
      const rules::DescribedAlarm found = rules::read_alarm(alarm, apis_.config.alarm_prefix);
      if (!found.in_alarm) return;
      rules::JobEvent of_alarm = event;
      of_alarm.trigger = rules::Trigger::kAlarm;
      of_alarm.training_job_status.reset();
      of_alarm.secondary_status.reset();
      of_alarm.alarm = {name.str(), name.watch, std::string(rules::kInAlarm), found.state_since};
      events.push_back(std::move(of_alarm));
    }));
    std::vector<Explanation> out;
    for (const rules::JobEvent& one : events) {
      TRY(Explanation explanation, on(one));
      // The other decisions hold without the alarm and have been shown already.
      std::erase_if(explanation.evaluation.decisions,
                    [](const rules::Decision& decision) { return !decision.rests_on_alarm; });
      out.push_back(std::move(explanation));
    }
    return out;
  }

 private:
  actions::ActivePolicy rules_;
  actions::JobRef job_;
  const actions::Apis& apis_;
};

struct Decided {
  std::optional<Explanation> now = {};
  std::vector<Explanation> alarms = {};
  std::string alarms_not_read = {};  // why: the error; alarms is empty then
};

Result<Decided> decide_now(const rules::Policy& policy, const aws::JobName& name,
                           const rules::JobEvent& event, const actions::Apis& apis) {
  Decided out;
  const LiveDecision decision(policy, name, apis);
  TRY(Explanation now, decision.on(event));
  out.now.emplace(std::move(now));
  const bool may_alarm = !event.alarm && !policy.watches().empty() &&
                         !rules::is_terminal(event.training_job_status.value_or(""));
  if (!may_alarm) return out;
  auto alarms = decision.on_alarms(event);
  if (alarms)
    out.alarms = *std::move(alarms);
  else
    out.alarms_not_read = alarms.error().message;
  return out;
}

std::string page_of_job(const ExplainJobInputs& inputs, const JobStory& story,
                        const Decided& decided) {
  Page page(inputs.screen);
  print_story(story, inputs.options, page);
  page.gap();
  if (!decided.now) {
    page.line(page.faint("what a policy says of it now: --policy FILE, or --policy ssm:NAME"), 2);
    return page.take();
  }
  page.line(page.bold(fmt::format("by {}, at {}", rules::name(decided.now->event.trigger),
                                  rfc3339(decided.now->now))));
  print_decisions(*decided.now, page);
  for (const Explanation& alarm : decided.alarms) {
    page.gap();
    page.line(page.bold(fmt::format("its alarm {} is in ALARM", alarm.event.alarm->name)));
    print_decisions(alarm, page);
  }
  if (!decided.alarms_not_read.empty())
    page.line(fmt::format("whether its alarms are in ALARM could not be asked: {}",
                          printable(decided.alarms_not_read)),
              2);
  return page.take();
}

std::string json_of_job(const ExplainJobInputs& inputs, const JobStory& story,
                        const Decided& decided) {
  json::Writer writer;
  writer.begin_object();
  write_story(writer, story, inputs.options);
  if (decided.now) {
    writer.key("decided").begin_object();
    write_members(writer, *decided.now);
    writer.end_object();
  }
  if (!decided.alarms.empty()) {
    writer.key("alarms").begin_array();
    for (const Explanation& alarm : decided.alarms) {
      writer.begin_object().member("alarm", alarm.event.alarm->name);
      write_members(writer, alarm);
      writer.end_object();
    }
    writer.end_array();
  }
  if (!decided.alarms_not_read.empty()) writer.member("alarms_not_read", decided.alarms_not_read);
  writer.end_object();
  return printable(writer.take()) + '\n';
}

Result<std::string> explained(const ExplainJobInputs& inputs, const aws::JobName& name,
                              const std::optional<aws::Table>& table, const actions::Apis& apis) {
  TRY(const auto policy, policy_of(inputs, apis));
  const auto own = policy ? policy->failures() : std::span<const rules::OwnSignature>();
  TRY(const rules::Sources sources, look_at_job(name, own, apis));
  rules::JobEvent event = event_of_job(*sources.job());
  if (!inputs.event.empty()) {
    auto given = read_event(inputs.event);
    if (!given) return fail(std::move(given).error().in("event"));
    if (given->job_name != name.view())
      return fail(
          ErrorCode::kInvalidInput,
          fmt::format("event: expected one of this job, found one of `{}`", given->job_name));
    event = *std::move(given);
  }
  JobStory story = story_of(sources, own, apis.now());
  if (table) add_what_is_remembered(*sources.job(), *table, apis, story);
  Decided decided;
  if (policy) {
    TRY(decided, decide_now(*policy, name, event, apis));
  }
  return inputs.json ? json_of_job(inputs, story, decided) : page_of_job(inputs, story, decided);
}

}  // namespace

Printed explain_job(const ExplainJobInputs& inputs, const std::optional<aws::Table>& table,
                    const actions::Apis& apis) {
  const auto complain = [&](Error error) {
    const int status = error.code == ErrorCode::kInvalidPolicy ? 1 : 2;
    return Printed{status,
                   {},
                   fmt::format("trainwarden: {}\n",
                               printable(about_job(std::move(error), inputs.job, apis).message))};
  };
  const auto name = aws::JobName::parse(inputs.job);
  if (!name) return complain(name.error());
  auto text = explained(inputs, *name, table, apis);
  if (!text) return complain(std::move(text).error());
  return {0, *std::move(text), {}};
}

}  // namespace trainwarden::cli
