#include "tests/localaws/sagemaker/job_history.h"

namespace trainwarden::localaws {
namespace {

Job copy_of(const Job& job) {
  const json::Value document = job.document.root();
  return {.name = job.name,
          .arn = job.arn,
          .document = json::Document::build([&](json::Sink& sink) { sink.value(document); }),
          .tags = job.tags,
          .machine = job.machine,
          .placed = job.placed,
          .pool = job.pool,
          .keep_alive = job.keep_alive};
}

}  // namespace

void JobHistory::changed(const Job& job, sys_millis now) {
  if (lags()) versions_[job.name].push_back({now, copy_of(job)});
}

void JobHistory::gone(const std::string& name, sys_millis now) {
  if (lags()) versions_[name].push_back({now, std::nullopt});
}

std::vector<const Job*> JobHistory::seen(sys_millis now) {
  std::vector<const Job*> out;
  const sys_millis then = now - lag_;
  for (auto& [name, versions] : versions_) {
    while (versions.size() > 1 && versions[1].since <= then) versions.pop_front();
    const Version& oldest = versions.front();
    if (oldest.since <= then && oldest.job) out.push_back(&*oldest.job);
  }
  return out;
}

}  // namespace trainwarden::localaws
