#include "handlers/rules/backtest/job_summary.h"

#include <algorithm>

#include "handlers/rules/facts/facts.h"
#include "handlers/rules/failure/diagnose.h"
#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/job/spending.h"
#include "handlers/rules/notices/notice_job.h"

namespace trainwarden::rules {
namespace {

void read_tags(const Sources& sources, JobFinding& out) {
  if (const auto tags = sources.known(Source::kTags))
    for (const json::Member tag : tags->members())
      if (tag.value.is_string() && !is_aws_tag(tag.name) && !is_our_tag(tag.name))
        out.tags.emplace_back(tag.name, tag.value.as_string());
  std::ranges::sort(out.tags);
  const JobTags* const ours = sources.tags();
  if (ours == nullptr) return;
  out.did = ours->action.value_or("");
  out.did_rule = ours->rule.value_or("");
  out.parent = ours->parent.value_or("");
}

void read_failure(const KeptJob& from, std::span<const OwnSignature> failures, JobFinding& out) {
  Diagnosis found;
  const TrainingJob& job = *from.sources.job();
  if (job.status != JobStatus::kFailed) return;
  if (diagnose(job, from.sources.known(Source::kLogs), found, failures) != Diagnosed::kDiagnosed)
    return;
  out.failure = Verdict{found.label, found.resume};
  out.failure_evidence = std::move(found.evidence);
}

}  // namespace

JobFinding summary_of(const KeptJob& from, const Prices& prices, sys_seconds until,
                      const Policy* policy) {
  const TrainingJob& job = *from.sources.job();
  const sys_seconds end = job.ended().value_or(until);
  const std::string owner_tag = policy != nullptr ? policy->owner_tag() : std::string();
  const NoticeJob about = notice_job(job.name, job.arn, from.sources, prices, end, owner_tag);
  JobFinding out;
  out.name = job.name;
  out.arn = about.arn;
  out.team = about.team;
  out.owner = about.owner;
  if (out.owner.empty() && !about.people.empty()) out.owner = about.people.front().second;
  out.machines = about.machines;
  out.machine_count = at_most(job, [](const Instances& some) { return some.count; });
  out.spot = job.spot;
  out.status = job.status;
  out.state = about.status;
  out.created = job.created.value_or(sys_seconds());
  out.trained_from = job.training_start;
  out.ended = job.ended();
  const JobBill bill = bill_of(job, prices, until);
  out.paid_hours = bill.hours;
  out.usd = bill.usd;
  out.usd_is_bound = bill.usd_is_bound;
  const auto trained = job_times(job, end).training_seconds;
  if (job.spot && job.has_ended() && job.billable_seconds && trained)
    out.spot_saving = saved_fraction(*job.billable_seconds, *trained);
  if (const auto totals = segment_totals(job, end)) out.interruptions = totals->interruptions;
  out.generation.reset();
  if (about.generation) out.generation = static_cast<int>(*about.generation);
  read_tags(from.sources, out);
  read_failure(from, policy != nullptr ? policy->failures() : std::span<const OwnSignature>(), out);
  return out;
}

}  // namespace trainwarden::rules
