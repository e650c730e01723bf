#include "handlers/cli/explain/job_story.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/table/items.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/job/lineage.h"

namespace trainwarden::cli {
namespace {

using rules::Source;

JobEnd end_of_story(const rules::TrainingJob& job, std::string_view action) {
  using rules::JobStatus;
  if (rules::is_limit(job.secondary)) return JobEnd::kReachedItsLimit;
  const bool stops = job.status == JobStatus::kStopping || job.status == JobStatus::kStopped;
  if (stops && action == rules::kStopAction) return JobEnd::kStoppedByRule;
  if (stops && action == rules::kRestartAction) return JobEnd::kStoppedToGoOn;
  if (stops) return JobEnd::kStoppedBySomebody;
  if (job.status == JobStatus::kFailed) return JobEnd::kFailed;
  return job.status == JobStatus::kCompleted ? JobEnd::kCompleted : JobEnd::kRuns;
}

std::string_view end_in_words(JobEnd end) {
  switch (end) {
    case JobEnd::kRuns:
      return "it has not ended";
    case JobEnd::kCompleted:
      return "it completed";
    case JobEnd::kStoppedByRule:
      return "Trainwarden stopped it";
    case JobEnd::kStoppedToGoOn:
      return "Trainwarden stopped it, to run it again from its checkpoint";
    case JobEnd::kReachedItsLimit:
      return "SageMaker ended it at a limit of its own (StoppingCondition)";
    case JobEnd::kFailed:
      return "it failed";
    case JobEnd::kStoppedBySomebody:
      return "somebody stopped it: Trainwarden says nowhere that a rule did. CloudTrail tells who "
             "called StopTrainingJob";
  }
  return "";
}

// Names for JSON output.
std::string_view end_name(JobEnd end) {
  constexpr std::array<std::string_view, 7> kNames = {
      "runs",          "completed", "stopped by a rule",  "stopped to be run again",
      "reached limit", "failed",    "stopped by somebody"};
  return kNames[static_cast<std::size_t>(end)];
}

void note_unread(std::string_view what, const Error& error, std::string& unread) {
  unread += fmt::format("{}{}: {}", unread.empty() ? "" : "; ", what, error.message);
}

void believe_the_table(JobStory& story) {
  const rules::JobItem& item = *story.item;
  const bool told = story.end == JobEnd::kStoppedByRule || story.end == JobEnd::kStoppedToGoOn;
  const auto tell = [&](JobEnd end, const auto& record) {
    story.end = end;
    story.rule = record.rule;
    story.reason = record.why;
    story.at = rfc3339(record.at);
  };
  if (!told && story.end != JobEnd::kStoppedBySomebody) return;
  if (item.stop && item.stop->accepted)
    tell(JobEnd::kStoppedByRule, *item.stop);
  else if (item.restart && item.restart->accepted)
    tell(JobEnd::kStoppedToGoOn, *item.restart);
}

void print_row(Page& page, std::string_view name, std::string_view text) {
  if (!text.empty()) page.line(fmt::format("  {:<10}{}", name, printable(text)), 12);
}

// "rule no-p5 at 2026-..., carried out"
std::string remembered_stop(std::string_view rule, sys_seconds at, bool accepted) {
  return fmt::format("rule {} at {}, {}", rule, rfc3339(at),
                     accepted ? "carried out" : "not known to be carried out");
}

bool is_in_table(const JobStory& story) {
  return story.item && (story.item->stop || story.item->restart);
}

// Says on whose word the story of Trainwarden's actions rests.
std::string_view whose_word(const JobStory& story) {
  if (is_in_table(story)) return "  by the state table, which only the functions write";
  if (!story.item) return "  according to its tags, which anybody who may tag the job can write";
  return "  according to its tags; the state table knows nothing of it: it was long ago, or "
         "another stack "
         "did it, or somebody else wrote these tags";
}

void print_item(const rules::JobItem& item, Page& page) {
  if (item.stop)
    print_row(page, "stop", remembered_stop(item.stop->rule, item.stop->at, item.stop->accepted));
  if (item.restart)
    print_row(page, "restart",
              remembered_stop(item.restart->rule, item.restart->at, item.restart->accepted));
  if (item.copy)
    print_row(page, "copy",
              fmt::format("{}, {}", item.copy->name, item.copy->made ? "made" : "not made yet"));
  if (item.closed)
    print_row(page, "closed",
              fmt::format("{} at {}", rules::name(item.closed->why), rfc3339(item.closed->at)));
  if (item.refused)
    print_row(page, "refused",
              fmt::format("StopTrainingJob was denied at {}: {}", rfc3339(item.refused->at),
                          item.refused->error));
}

// "0.5 hours", "54 seconds"
std::string paid_text(double hours) {
  constexpr double kShort = 0.1;
  constexpr double kSeconds = 3600;
  if (hours <= 0) return "nothing";
  return hours < kShort ? fmt::format("{:.0f} seconds", hours * kSeconds)
                        : fmt::format("{:.1f} hours", hours);
}

}  // namespace

Result<rules::Sources> look_at_job(const aws::JobName& job,
                                   std::span<const rules::OwnSignature> own,
                                   const actions::Apis& apis) {
  rules::Sources sources({.job_name = job.str()});
  const actions::JobRef ref{job, {}};
  if (actions::gather(sources, {Source::kDescribe, Source::kTags}, ref, apis) !=
      actions::Gathered::kJob)
    return fail(ErrorCode::kNotFound, "the job is gone");
  if (const Error* const why = sources.unavailable(Source::kDescribe)) return fail(*why);
  const rules::Prices none;
  const rules::Facts facts = rules::facts_from(sources, none, apis.now(), own);
  const rules::SourceSet lacking = facts.lacking(rules::Group::kDiagnosis);
  apis.begin_look();
  if (lacking.contains(Source::kLogs))
    actions::gather(sources, rules::SourceSet{Source::kLogs}, ref, apis);
  return sources;
}

std::optional<JobFailure> failure_of(const rules::Sources& sources,
                                     std::span<const rules::OwnSignature> own) {
  rules::Diagnosis found;
  if (rules::diagnose(*sources.job(), sources.known(rules::Source::kLogs), found, own) !=
      rules::Diagnosed::kDiagnosed)
    return std::nullopt;
  return JobFailure{{found.label, found.resume}, std::move(found.evidence)};
}

JobStory story_of(const rules::Sources& sources, std::span<const rules::OwnSignature> own,
                  sys_seconds now) {
  const rules::TrainingJob& job = *sources.job();
  const rules::JobTags tags = sources.tags() != nullptr ? *sources.tags() : rules::JobTags();
  const rules::Lineage lineage = rules::lineage_of(tags, job.name);
  JobStory out{.job = std::string(job.name),
               .state = rules::state_of(sources),
               .machines = rules::instances_text(job),
               .paid_hours = rules::paid_seconds(job, now) / 3600};
  out.end = end_of_story(job, tags.action.value_or(""));
  out.rule = tags.rule.value_or("");
  out.reason = tags.reason.value_or("");
  out.at = tags.at.value_or("");
  out.parent = lineage.parent;
  out.child = lineage.child;
  out.failure_reason = job.failure_reason;
  out.failure = failure_of(sources, own);
  if (const Error* const why = sources.unavailable(Source::kTags))
    note_unread("its tags", *why, out.unread);
  if (const Error* const why = sources.unavailable(Source::kLogs))
    note_unread("its log", *why, out.unread);
  return out;
}

void add_what_is_remembered(const rules::TrainingJob& job, const aws::Table& table,
                            const actions::Apis& apis, JobStory& story) {
  actions::Config config = apis.config;
  config.table = table;
  const actions::Apis with_table(apis.sagemaker.client(), apis.clock, apis.context, config);
  const auto id = actions::job_item_id(job);
  auto item = id ? actions::read_job_item(*id, with_table)
                 : Result<rules::JobItem>(trainwarden::fail(id.error()));
  if (!item) return note_unread("the state table", item.error(), story.unread);
  story.item = *std::move(item);
  believe_the_table(story);
}

std::vector<std::string> next_steps(const JobStory& story, std::string_view options) {
  std::vector<std::string> out;
  if (story.end == JobEnd::kRuns || story.end == JobEnd::kCompleted) return out;
  if (!story.child.empty()) {
    out.push_back(fmt::format("trainwarden lineage {}{}", story.job, options));
    return out;
  }
  out.push_back(fmt::format("trainwarden restart {}{} --dry-run", story.job, options));
  out.push_back(fmt::format("trainwarden restart {}{}", story.job, options));
  return out;
}

void print_story(const JobStory& story, std::string_view options, Page& page) {
  page.line(fmt::format("job {}, {}{}{}, {} paid", page.bold(printable(story.job)),
                        printable(story.state), story.machines.empty() ? "" : ", ",
                        printable(story.machines), paid_text(story.paid_hours)),
            2);
  page.gap();
  const bool ours = story.end == JobEnd::kStoppedByRule || story.end == JobEnd::kStoppedToGoOn;
  page.line(page.bold(fmt::format("{}{}", ours && !is_in_table(story) ? "its tags say that " : "",
                                  end_in_words(story.end))));
  if (ours) {
    print_row(page, "rule", story.rule);
    print_row(page, "because", story.reason);
    print_row(page, "at", story.at);
    page.line(page.faint(whose_word(story)), 2);
  }
  print_row(page, "AWS says", story.failure_reason);
  if (story.failure) {
    print_row(page, "failure",
              fmt::format("{}; run it again: {}", rules::name(story.failure->verdict.label),
                          rules::name(story.failure->verdict.resume)));
    print_row(page, "evidence", story.failure->evidence);
  }
  if (!story.parent.empty()) print_row(page, "copy of", story.parent);
  if (!story.child.empty()) print_row(page, "copied as", story.child);
  if (story.item) {
    page.line(page.faint("  the state table, which only the functions write:"), 2);
    print_item(*story.item, page);
  }
  if (!story.unread.empty()) print_row(page, "not read", story.unread);
  const auto commands = next_steps(story, options);
  if (commands.empty()) return;
  page.gap();
  page.line(page.bold("how to go on"));
  if (story.child.empty() && story.failure && story.failure->verdict.resume == rules::RunAgain::kNo)
    page.line("  mend what it failed of first: it would fail the same way again", 2);
  for (const std::string& command : commands) page.whole("  " + printable(command));
}

void write_story(json::Sink& sink, const JobStory& story, std::string_view options) {
  sink.member("job", story.job).member("state", story.state).member("end", end_name(story.end));
  if (!story.machines.empty()) sink.member("machines", story.machines);
  sink.member("paid_hours", story.paid_hours);
  for (const auto& [name, text] :
       {std::pair("rule", &story.rule), std::pair("reason", &story.reason),
        std::pair("at", &story.at), std::pair("parent", &story.parent),
        std::pair("child", &story.child), std::pair("failure_reason", &story.failure_reason),
        std::pair("not_read", &story.unread)})
    if (!text->empty()) sink.member(name, *text);
  if (story.failure)
    sink.key("failure")
        .begin_object()
        .member("label", rules::name(story.failure->verdict.label))
        .member("resume", rules::name(story.failure->verdict.resume))
        .member("evidence", story.failure->evidence)
        .end_object();
  sink.key("go_on").begin_array();
  for (const std::string& command : next_steps(story, options)) sink.string(command);
  sink.end_array();
}

}  // namespace trainwarden::cli
