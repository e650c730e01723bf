// One day of an export: the jobs that were created on it, oldest first, with everything that a
// policy needs to be decided on again. What AWS denies is noted in the jobs' lines. An error that
// may pass cuts the export off before this day.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/cli/export/export_lines.h"
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
  // is_interrupted: asked between calls. progress: called with the number of the day's jobs that
  // are done.
  DayExport(const rules::Policy& policy, const actions::Apis& apis,
            std::function<bool()> is_interrupted, std::function<void(std::size_t)> progress)
      : policy_(policy),
        needs_(rules::history_needs(policy)),
        apis_(apis),
        is_interrupted_(std::move(is_interrupted)),
        progress_(std::move(progress)) {}

  // Exports the jobs that were created in [begin, end).
  std::expected<ExportedDay, DayCut> run(sys_seconds begin, sys_seconds end);

  // The following cover all days so far.
  const std::set<std::string>& types() const { return types_; }  // of machines
  std::size_t metrics_asked() const { return metrics_asked_; }
  // Denied operations, each with the service's error message.
  const std::map<std::string, std::string>& denied() const { return denied_; }
  // Jobs that are missing, since their descriptions are larger than what is read.
  const std::set<std::string>& too_large() const { return too_large_; }

 private:
  template <class T>
  using OrCut = std::expected<T, DayCut>;

  OrCut<std::vector<rules::Sources>> search(sys_seconds begin, sys_seconds end);
  OrCut<void> deepen(ExportedJob& job);
  OrCut<void> describe(ExportedJob& job);
  OrCut<void> read_log(ExportedJob& job);
  OrCut<void> read_metrics(std::vector<ExportedJob>& jobs);
  struct Query;
  OrCut<void> ask(std::vector<ExportedJob>& jobs, std::span<const Query> queries);
  // Notes the error in the job's line if it is permanent; else returns it, which cuts the day off.
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
  std::set<std::string> too_large_;
};

}  // namespace trainwarden::cli
