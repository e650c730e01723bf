#include "handlers/cli/test/case_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "handlers/actions/fetch/gather.h"
#include "handlers/cli/export/export_reader.h"
#include "handlers/cli/files/inputs.h"
#include "handlers/cli/test/case_facts.h"
#include "handlers/cli/test/case_job.h"
#include "handlers/rules/alarms/alarm_name.h"
#include "handlers/rules/facts/groups.h"
#include "handlers/rules/job/job_at.h"
#include "handlers/rules/job/members.h"
#include "handlers/rules/patterns/nearest.h"
#include "runtime/json/locate.h"

namespace trainwarden::cli {
namespace {

using rules::Source;
using PathStep = rules::JsonPath::Step;

constexpr std::array<std::string_view, 11> kCaseMembers{
    "name", "why", "job", "tags", "logs", "event", "alarm", "facts", "now", "export", "expect"};
// Stands in for a missing name; rules on the job's name are not decided then.
constexpr std::string_view kNamelessJob = "job";

json::Document whole_copy(json::Value value) {
  return json::Document::build([&](json::Sink& sink) { sink.value(value); });
}

class CaseReader {
 public:
  CaseReader(json::Value root, const rules::Policy& policy) : root_(root), policy_(policy) {}

  std::expected<PolicyCase, CaseMistakes> read() {
    reader_.check_members(root_, kCaseMembers);
    const std::string name = read_name();
    const auto now = read_time_of_decision();
    auto sources = read_sources(now);
    if (sources) {
      check_now(*sources, now);
      add_tags(*sources);
      add_logs(*sources);
      if (const auto facts = root_.find("facts")) add_case_facts(*facts, *sources, reader_);
    }
    const auto why = reader_.string(root_, "why");
    CaseExpectation expect;
    if (const auto expected = reader_.require(root_, "expect")) {
      const PathStep step(reader_.where, "expect");
      expect = read_case_expectation(*expected, policy_, reader_);
    }
    if (reader_.diagnostics.any_errors() || !sources) return std::unexpected(mistakes_of(name));
    return PolicyCase{name,
                      std::string(why.value_or("")),
                      *std::move(sources),
                      now,
                      root_.find("export").has_value(),
                      std::move(members_),
                      name_is_given_,
                      std::move(expect)};
  }

 private:
  CaseMistakes mistakes_of(const std::string& name) {
    CaseMistakes out{name, {}};
    for (const rules::Remark& one : reader_.diagnostics.take_errors())
      out.errors.push_back(one.text());
    return out;
  }

  void mistake(std::string_view member, std::string_view what) {
    const PathStep step(reader_.where, member);
    reader_.diagnostics.error(reader_.where, what);
  }

  std::string read_name() {
    const auto name = reader_.require(root_, "name");
    if (!name) return {};
    if (name->is_string() && !name->as_string().empty()) return std::string(name->as_string());
    const PathStep step(reader_.where, "name");
    reader_.unexpected("a name of its own", *name);
    return {};
  }

  std::optional<sys_seconds> read_time_of_decision() {
    const auto value = root_.find("now");
    if (!value) return std::nullopt;
    const auto now = rules::read_time(*value);
    const PathStep step(reader_.where, "now");
    if (!now) reader_.unexpected("a time such as \"2026-11-01T00:00:00Z\"", *value);
    return now;
  }

  // ---- the job and the event

  std::optional<rules::Sources> read_sources(std::optional<sys_seconds> now) {
    const auto job = root_.find("job");
    const auto exported = root_.find("export");
    const auto event = root_.find("event");
    if (exported) {
      for (const std::string_view member : {"job", "tags", "logs"})
        if (root_.find(member)) mistake(member, "expected it in `export` alone");
      return read_exported(*exported, now);
    }
    if (!job && !event) {
      reader_.diagnostics.error(reader_.where, "expected `job`, `event` or `export`, found none");
      return std::nullopt;
    }
    std::optional<json::Document> description;
    if (job) {
      const PathStep step(reader_.where, "job");
      check_case_job(*job, WrittenBy::kPerson, reader_);
      if (!job->is_object()) return std::nullopt;
      remember(*job);
      description = whole_copy(*job);
    }
    return with_description(std::move(description));
  }

  void remember(json::Value job) {
    members_ = given_members(job);
    name_is_given_ = members_.contains("TrainingJobName");
  }

  std::optional<rules::Sources> with_description(std::optional<json::Document> description) {
    std::optional<rules::TrainingJob> job;
    if (description) job = rules::read_training_job(description->root());
    auto event = read_trigger(job ? &*job : nullptr);
    if (!event) return std::nullopt;
    rules::Sources out(*std::move(event));
    for (const auto& [source, what] :
         {std::pair(Source::kDescribe, "the job is not given"),
          std::pair(Source::kTags, "the tags are not given"),
          std::pair(Source::kLogs, "the logs are not given"),
          std::pair(Source::kFleet, "facts.fleet is not given"),
          std::pair(Source::kSilence, "facts.logs is not given"),
          std::pair(Source::kCheckpoint, "facts.checkpoint is not given")})
      out.set_unavailable(source, {ErrorCode::kUnavailable, what});
    if (description) out.set(Source::kDescribe, *std::move(description));
    return out;
  }

  // Reads a line of an export: the job as it was at `now`, else as the export has it.
  std::optional<rules::Sources> read_exported(json::Value line, std::optional<sys_seconds> now) {
    const auto kept = read_kept(line);
    if (!kept) return std::nullopt;
    name_is_given_ = true;
    auto out = with_description(now ? rules::job_at(*kept->sources.job(), *now)
                                    : whole_copy(*line.find("job")));
    if (!out) return out;
    for (const Source source : {Source::kTags, Source::kLogs}) {
      if (const auto known = kept->sources.known(source)) out->set(source, whole_copy(*known));
      if (const Error* const why = kept->sources.unavailable(source))
        out->set_unavailable(source, *why);
    }
    if (!kept->described) out->mark_provisional();
    return out;
  }

  std::optional<rules::KeptJob> read_kept(json::Value line) {
    const PathStep step(reader_.where, "export");
    if (const auto job = line.find("job")) {
      const PathStep inner(reader_.where, "job");
      check_case_job(*job, WrittenBy::kExport, reader_);
    }
    auto kept = read_job_line(json::to_text(line));
    if (kept) return *std::move(kept);
    reader_.diagnostics.error(reader_.where, kept.error().message);
    return std::nullopt;
  }

  // The event that triggers the decision; nullopt after reporting a mistake.
  std::optional<rules::JobEvent> read_trigger(const rules::TrainingJob* job) {
    const auto event = root_.find("event");
    const auto alarm = root_.find("alarm");
    if (event && alarm) {
      mistake("alarm", "expected `event` or `alarm`, not both");
      return std::nullopt;
    }
    if (event && event->is_object()) return read_told_event(*event, job);
    if (event && (!event->is_string() || event->as_string() != "sweep")) {
      const PathStep step(reader_.where, "event");
      reader_.unexpected("an event as Lambda gets it, or \"sweep\"", *event);
      return std::nullopt;
    }
    if (job == nullptr) {
      reader_.diagnostics.error(reader_.where, "expected `job`: the event tells of none");
      return std::nullopt;
    }
    rules::JobEvent out = event_of_job(*job);
    if (out.job_name.empty()) out.job_name = kNamelessJob;
    if (!event && !alarm) return out;
    out.trigger = alarm ? rules::Trigger::kAlarm : rules::Trigger::kSweep;
    out.training_job_status.reset();
    out.secondary_status.reset();
    if (alarm && !read_alarm(*alarm, out)) return std::nullopt;
    return out;
  }

  std::optional<rules::JobEvent> read_told_event(json::Value event, const rules::TrainingJob* job) {
    auto out = read_event(json::to_text(event));
    if (!out) {
      mistake("event", out.error().message);
      return std::nullopt;
    }
    name_is_given_ = true;
    check_statuses(*out);
    if (job == nullptr) return *std::move(out);
    if (!job->name.empty() && job->name != out->job_name)
      mistake("event", fmt::format("expected one of the job `{}`, found one of `{}`", job->name,
                                   out->job_name));
    else if (!actions::same_creation(*out, *job))
      mistake("event",
              "expected the CreationTime of the job: with another the event speaks of "
              "a deleted namesake, and nothing is decided");
    return *std::move(out);
  }

  void check_statuses(const rules::JobEvent& event) {
    for (const auto& [member, text] : {std::pair("TrainingJobStatus", &event.training_job_status),
                                       std::pair("SecondaryStatus", &event.secondary_status)}) {
      const auto known = rules::known_values(rules::Group::kJob, member);
      if (!*text || std::ranges::find(known, **text) != known.end()) continue;
      mistake("event",
              fmt::format("detail.{}: expected {}, found `{}`{}", member, rules::one_of(known),
                          **text, rules::did_you_mean(**text, known)));
    }
  }

  bool read_alarm(json::Value alarm, rules::JobEvent& out) {
    const PathStep step(reader_.where, "alarm");
    if (!reader_.check_object(alarm, "the alarm that calls")) return false;
    constexpr std::array<std::string_view, 2> kAlarmMembers{"watch", "state"};
    reader_.check_members(alarm, kAlarmMembers);
    if (!reader_.require(alarm, "watch")) return false;
    std::vector<std::string_view> watches;
    for (const rules::Watch& watch : policy_.watches()) watches.push_back(watch.name);
    if (watches.empty()) {
      reader_.diagnostics.error(reader_.where, "the policy has no watches");
      return false;
    }
    const auto watch = reader_.choice(alarm, "watch", watches);
    const auto states = rules::known_values(rules::Group::kAlarm, "state");
    const auto state = reader_.choice(alarm, "state", states);
    if (!watch) return false;
    const std::string_view state_name = state ? states[*state] : std::string_view("ALARM");
    out.alarm = {rules::AlarmName{out.job_name, std::string(watches[*watch])}.str(),
                 std::string(watches[*watch]), std::string(state_name)};
    return true;
  }

  void check_now(const rules::Sources& sources, std::optional<sys_seconds> now) {
    const auto created = sources.event().creation_time;
    if (now && created && *now < *created)
      mistake("now", fmt::format("expected a time after the job's creation ({}), found {}",
                                 rfc3339(*created), rfc3339(*now)));
    const rules::TrainingJob* const job = sources.job();
    // An export's job is looked at as it was at that time.
    if (!now || job == nullptr || root_.find("export")) return;
    for (const auto& [member, at] : {std::pair("TrainingStartTime", job->training_start),
                                     std::pair("TrainingEndTime", job->training_end),
                                     std::pair("LastModifiedTime", job->last_modified)})
      if (at && *now < *at)
        mistake("now", fmt::format("expected a time that is not before job.{} ({}), found {}",
                                   member, rfc3339(*at), rfc3339(*now)));
  }

  // ---- what else AWS would say

  void add_tags(rules::Sources& sources) {
    const auto value = root_.find("tags");
    if (!value || root_.find("export")) return;
    auto tags = read_tags(json::to_text(*value));
    if (tags)
      sources.set(Source::kTags, *std::move(tags));
    else
      mistake("tags", tags.error().message);
  }

  void add_logs(rules::Sources& sources) {
    const auto value = root_.find("logs");
    if (!value || root_.find("export")) return;
    const PathStep step(reader_.where, "logs");
    if (!value->is_array()) {
      reader_.unexpected("the last lines of the job's log, a list of texts", *value);
      return;
    }
    std::size_t i = 0;
    for (const json::Value line : value->elements()) {
      const PathStep inner(reader_.where, i++);
      if (!line.is_string()) reader_.unexpected("a line of the log", line);
    }
    sources.set(Source::kLogs, json::Document::build([&](json::Sink& sink) {
                  sink.begin_object().key("tail").value(*value).end_object();
                }));
  }

  json::Value root_;
  const rules::Policy& policy_;
  rules::Reader reader_ = {};
  GivenMembers members_ = {};
  bool name_is_given_ = false;
};

// A case is a single line, so the parser's line number is always 1 and says nothing.
std::string why_no_json(std::string_view line, const Error& error) {
  const auto fault = json::fault_of(line, json::Syntax::kStrict);
  return fault && fault->at
             ? fmt::format("not valid JSON, column {}: {}", fault->at->column, fault->detail)
             : error.message;
}

}  // namespace

std::expected<PolicyCase, CaseMistakes> read_case(std::string_view line,
                                                  const rules::Policy& policy) {
  const auto document = json::Document::parse(line);
  if (!document) return std::unexpected(CaseMistakes{{}, {why_no_json(line, document.error())}});
  if (!document->root().is_object())
    return std::unexpected(CaseMistakes{
        {}, {fmt::format("expected a case, an object, found `{}`", document->root().excerpt())}});
  return CaseReader(document->root(), policy).read();
}

}  // namespace trainwarden::cli
