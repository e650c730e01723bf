#include <fstream>
#include <iterator>
#include <string>

#include "handlers/rules/alarms/alarm_plan.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/decide/nominate.h"
#include "handlers/rules/failure/capacity.h"
#include "handlers/rules/job/lineage.h"
#include "handlers/rules/notices/notice.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "handlers/rules/policy/policy.h"
#include "handlers/rules/restart/copy_request.h"
#include "handlers/rules/restart/guards.h"
#include "tests/fuzz/targets.h"

namespace trainwarden::fuzz {
namespace {

using rules::Source;

constexpr sys_seconds kNow{std::chrono::seconds(1'783'000'600)};
constexpr std::string_view kTopic = "arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms";

// Programs run in the root of the repository.
std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  require(in.good(), path + " is there");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// What the functions do with one job, without their calls.
void apply(const rules::Policy& policy, const rules::Sources& sources) {
  const std::string name = sources.event().job_name;
  const rules::Facts facts = rules::facts_from(sources, policy.prices(), kNow);
  const rules::Evaluation found = rules::decide(policy, facts, rules::Mode::kEnforce);
  const rules::NoticeJob told = rules::notice_job(name, "", sources, policy.prices(), kNow);
  for (const rules::Decision& decision : found.decisions) {
    require(!decision.because.empty(), "whatever holds has a reason");
    for (const rules::NoticeFormat format :
         {rules::NoticeFormat::kText, rules::NoticeFormat::kJson, rules::NoticeFormat::kChat}) {
      const rules::Notice notice =
          rules::notice(format, decision, rules::NoticeOutcome::kNone, {}, told);
      require(!notice.subject.empty() && !notice.message.empty(), "a notice says something");
      if (format != rules::NoticeFormat::kText)
        require(json::Document::parse(notice.message).has_value(),
                "a notice as JSON can be parsed");
    }
  }
  if (sources.job() != nullptr)
    require(!rules::nominate(policy, sources, kNow).look || !policy.rules().empty(),
            "without rules nothing is looked at");
}

void plan(const rules::Policy& policy, const rules::TrainingJob& job) {
  for (const rules::Watch& watch : policy.watches()) {
    const rules::AlarmPlan plan = rules::plan_alarms(watch, "train-1", job, kTopic);
    require(plan.alarms.empty() == plan.none.has_value(), "alarms, or why there are none");
    for (const rules::PlannedAlarm& alarm : plan.alarms) {
      require(alarm.name.size() <= 255, "CloudWatch's limit of names");
      require(json::Document::parse(alarm.body).has_value(), "a request is JSON");
    }
  }
}

void copy(json::Value describe, json::Value tags) {
  const rules::TrainingJob described = rules::read_training_job(describe);
  const rules::JobTags ours = rules::read_job_tags(tags);
  const rules::Lineage lineage = rules::lineage_of(ours, "train-1");
  const rules::RestartCase job{described, ours, lineage, {}, kNow};
  const auto no_copy = rules::why_no_copy(job);
  const auto no_restart = rules::why_no_restart(job, {}, nullptr);
  for (const auto& refusal : {no_copy, no_restart})
    require(!refusal || !rules::text(*refusal).empty(), "whoever is refused is told why");
  require(rules::same_failure(described, described) || !rules::is_capacity_failure(described),
          "a failure is the same as itself");
  const rules::CopyChanges changes = rules::changes_for(described, false, {});
  const auto body = rules::copy_request({describe, tags, lineage, changes, "train-1-r1-01234567"});
  if (!body) {
    require(!rules::text(body.error()).empty(), "a copy that cannot be made says why");
    return;
  }
  const auto request = json::Document::parse(*body);
  require(request.has_value(), "a request is JSON");
  for (const json::Member& member : request->root().members())
    require(!member.value.is_null(), "a request has no null members");
}

}  // namespace

void policy(std::string_view text) {
  const auto parsed = rules::parse_policy(text);
  const auto mistakes = rules::check_policy(text);
  require(parsed.has_value() == mistakes.empty(), "parse_policy and check_policy agree");
  for (const rules::Remark& mistake : mistakes)
    require(!mistake.message.empty(), "a mistake has a name");
  if (!parsed) return;
  static const std::string kJob = read("tests/fuzz/seeds/job/failed.json");
  const auto described = json::Document::parse(kJob);
  for (const bool known : {false, true}) {
    rules::Sources sources({.job_name = "train-1", .training_job_status = "Failed"});
    if (known) {
      sources.set(Source::kDescribe, json::Document::build([&](json::Sink& sink) {
                    sink.value(*described->root().find("describe"));
                  }));
      sources.set(Source::kTags, json::Document::build([&](json::Sink& sink) {
                    sink.value(*described->root().find("tags"));
                  }));
    }
    apply(*parsed, sources);
  }
  plan(*parsed, rules::read_training_job(*described->root().find("describe")));
}

void job(std::string_view text) {
  static const auto kShipped = rules::parse_policy(read("handlers/policy.json")).value();
  static const auto kWatching =
      rules::parse_policy(read("tests/fuzz/seeds/policy/watches.json")).value();
  const auto parsed = json::Document::parse(text);
  const auto describe = parsed ? parsed->root().find("describe") : std::nullopt;
  const auto tags = parsed ? parsed->root().find("tags") : std::nullopt;
  if (!describe || !tags || !describe->is_object() || !tags->is_object()) return;
  rules::Sources sources({.job_name = "train-1"});
  sources.set(Source::kDescribe,
              json::Document::build([&](json::Sink& sink) { sink.value(*describe); }));
  sources.set(Source::kTags, json::Document::build([&](json::Sink& sink) { sink.value(*tags); }));
  for (const rules::Policy* policy : {&kShipped, &kWatching}) {
    apply(*policy, sources);
    plan(*policy, rules::read_training_job(*describe));
  }
  copy(*describe, *tags);
}

}  // namespace trainwarden::fuzz
