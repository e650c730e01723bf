// One day of an export: the jobs that were created on it, oldest first, with all that a policy can
// be decided on again. What is denied is noted in the jobs' lines; what may pass ends the day.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/cli/export_lines.h"
#include "handlers/rules/decide/history_needs.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {

// Why a day was not exported.
struct DayCut {
  Error error;
  bool interrupted = false;
  bool credentials_over = false;
};

struct ExportedDay {
  std::string lines;
  std::size_t jobs = 0;
};

class DayExport {
 public:
  // is_interrupted: asked between calls. progress: told how many jobs of the day are done.
  DayExport(const rules::Policy& policy, const actions::Apis& apis,
            std::function<bool()> is_interrupted, std::function<void(std::size_t)> progress)
      : policy_(policy),
        needs_(rules::history_needs(policy)),
        apis_(apis),
        is_interrupted_(std::move(is_interrupted)),
        progress_(std::move(progress)) {}

  // Of jobs that were created in [begin, end).
  std::expected<ExportedDay, DayCut> run(sys_seconds begin, sys_seconds end);

  // Over all days.
  const std::set<std::string>& types() const { return types_; }  // of machines
  std::size_t metrics_asked() const { return metrics_asked_; }
  // By operation: the services' words.
  const std::map<std::string, std::string>& denied() const { return denied_; }

 private:
  template <class T>
  using OrCut = std::expected<T, DayCut>;

  OrCut<std::vector<rules::Sources>> search(sys_seconds begin, sys_seconds end) const;
  OrCut<void> deepen(ExportedJob& job);
  OrCut<void> describe(ExportedJob& job);
  OrCut<void> read_log(ExportedJob& job);
  OrCut<void> read_metrics(std::vector<ExportedJob>& jobs);
  struct Query;
  OrCut<void> ask(std::vector<ExportedJob>& jobs, std::span<const Query> queries);
  // Notes it where it will not pass.
  OrCut<void> settle(std::string_view what, std::string_view operation, const Error& error,
                     bool credentials_over, ExportedJob& job);

  const rules::Policy& policy_;
  rules::HistoryNeeds needs_;
  const actions::Apis& apis_;
  std::function<bool()> is_interrupted_;
  std::function<void(std::size_t)> progress_;
  std::set<std::string> types_;
  std::size_t metrics_asked_ = 0;
  std::map<std::string, std::string> denied_;
};

}  // namespace trainwarden::cli
