#include "handlers/actions/fetch/log_memory.h"

#include <optional>
#include <string>
#include <utility>

#include "handlers/actions/fetch/job_logs.h"
#include "handlers/actions/table/items.h"
#include "handlers/rules/failure/diagnose.h"

namespace trainwarden::actions {
namespace {

using rules::Source;

// Where the verdict is remembered; nullopt where none is. The item's id is Describe's.
std::optional<std::string> memory_of(const ActivePolicy& rules, const rules::Sources& sources,
                                     const Apis& apis) {
  const rules::TrainingJob* const job = sources.job();
  const auto ended = job != nullptr ? job->ended() : std::nullopt;
  if (!apis.table || !ended || apis.now() - *ended < kLogsSettled || !rules.enforces())
    return std::nullopt;
  const auto id = job_item_id(*job);
  return id ? std::optional(*id) : std::nullopt;
}

bool recall(const std::string& id, const ActivePolicy& rules, rules::Sources& sources,
            const Apis& apis) {
  const auto item = read_job_item(id, apis);
  if (!item || !item->log || item->log->policy != rules.policy.hash()) return false;
  const rules::LogVerdict& log = *item->log;
  if (!log.too_large.empty()) {
    sources.set_unavailable(Source::kLogs, {ErrorCode::kTooLarge, log.too_large});
    return true;
  }
  const auto verdict = rules::verdict_named(log.label, log.resume);
  if (!verdict) return false;  // of another version
  sources.set(Source::kLogs, rules::as_logs({verdict->label, verdict->resume, log.evidence}));
  return true;
}

std::optional<rules::LogVerdict> verdict_of_log(const ActivePolicy& rules,
                                                const rules::Sources& sources, const Apis& apis) {
  rules::LogVerdict out{.policy = rules.policy.hash()};
  const Error* const error = sources.unavailable(Source::kLogs);
  if (error != nullptr && error->code == ErrorCode::kTooLarge && apis.reads.is_too_much()) {
    out.too_large = error->message;
    return out;
  }
  rules::Diagnosis found;
  const auto logs = sources.known(Source::kLogs);
  if (!logs || rules::diagnose(*sources.job(), logs, found, rules.policy.failures()) !=
                   rules::Diagnosed::kDiagnosed)
    return std::nullopt;
  out.label = rules::name(found.label);
  out.resume = rules::name(found.resume);
  out.evidence = std::move(found.evidence);
  return out;
}

}  // namespace

Gathered gather_for(const ActivePolicy& rules, rules::Sources& sources, rules::SourceSet needs,
                    const JobRef& job, const Apis& apis) {
  const auto fetch = [&](rules::SourceSet some) {
    return gather(sources, some, job, apis, rules.policy.silences());
  };
  if (!needs.contains(Source::kLogs)) return fetch(needs);
  // The job's description says which item is its own.
  rules::SourceSet others = needs;
  others.remove(Source::kLogs);
  if (!others.empty())
    if (const Gathered found = fetch(others); found != Gathered::kJob) return found;
  const auto id = memory_of(rules, sources, apis);
  if (id && recall(*id, rules, sources, apis)) return Gathered::kJob;
  const Gathered found = fetch({Source::kLogs});
  if (!id) return found;
  if (const auto verdict = verdict_of_log(rules, sources, apis))
    static_cast<void>(change_job_item(*id, apis, [&](rules::JobItem item, sys_seconds /*now*/) {
      item.log = verdict;
      return item;
    }));
  return found;
}

}  // namespace trainwarden::actions
