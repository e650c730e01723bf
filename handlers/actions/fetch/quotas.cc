#include "handlers/actions/fetch/quotas.h"

#include <utility>

#include "handlers/actions/table/items.h"
#include "handlers/rules/restart/machines_in_order.h"

namespace trainwarden::actions {
namespace {

// Asks AWS for the quotas and caches them in the table; nullopt if AWS does not tell.
Result<std::optional<rules::QuotaItem>> ask_for_quotas(const Apis& apis) {
  rules::QuotaItem out{.read = apis.now()};
  aws::CallContext of_account = apis.context;  // it is read once a day, and for all jobs
  of_account.reads = nullptr;
  const auto listed = apis.quotas.list_service_quotas(
      [&](std::string_view name, double value) { rules::add_quota(out.quotas, name, value); },
      of_account);
  if (!listed) return std::nullopt;
  CHECK_OK(keep_quotas(out, apis));
  return out;
}

}  // namespace

Result<std::optional<rules::Reason>> why_quota_refuses(const JobSnapshot& original,
                                                       const rules::Restart& options,
                                                       const Apis& apis) {
  const rules::TrainingJob& job = original.job();
  const auto candidates = rules::machines_in_order(job, rules::asked_by(options));
  if (!rules::is_move(job, candidates.front())) return std::nullopt;
  TRY(const auto kept, read_quotas(apis));
  if (kept && rules::are_known(*kept, apis.now())) {
    auto why = rules::why_never(job, candidates, kept->quotas);
    if (!why || rules::may_refuse(*kept, apis.now())) return why;
  }
  TRY(const auto answer, ask_for_quotas(apis));
  if (!answer) return std::nullopt;
  return rules::why_never(job, candidates, answer->quotas);
}

}  // namespace trainwarden::actions
