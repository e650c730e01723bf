#include "handlers/actions/tell/report_item.h"

#include "handlers/actions/tell/claims.h"

namespace trainwarden::actions {

std::vector<PendingNotice> settle_report(const std::string& id, const Apis& apis) {
  return send_pending(id, {.status = rules::ObservedJob::Status::kGone}, apis);
}

}  // namespace trainwarden::actions
