#include "handlers/actions/tell/report_item.h"

#include "handlers/actions/tell/claims.h"

namespace trainwarden::actions {
namespace {

constexpr std::string_view kReportPrefix = "report/";

}  // namespace

std::string report_item_id(sys_seconds time) {
  constexpr std::size_t kDay = 10;  // of the time's characters
  return std::string(kReportPrefix) + rfc3339(time).substr(0, kDay);
}

bool is_report_item(std::string_view id) { return id.starts_with(kReportPrefix); }

std::vector<PendingNotice> settle_report(const std::string& id, const Apis& apis) {
  return send_pending(id, {.status = rules::JobLook::Status::kGone}, apis);
}

}  // namespace trainwarden::actions
