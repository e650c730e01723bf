#include "handlers/actions/stop/stop_tags.h"

#include <string>

namespace trainwarden::actions {
namespace {

// Why, in a tag's 256 characters: the rule's message, else the facts that made it hold.
std::string reason(const rules::Decision& decision) {
  if (!decision.message.empty()) return decision.message;
  std::string text;
  for (const auto& because : decision.because) {
    if (!text.empty()) text += ' ';
    text += because.path;
    if (!because.value.empty()) text.append("=").append(because.value);
  }
  return text;
}

}  // namespace

std::vector<aws::Tag> reason_tags(std::string_view action, const rules::Decision& decision,
                                  sys_seconds now) {
  return {{"trainwarden:action", std::string(action)},
          {"trainwarden:rule", aws::tag_value(decision.rule)},
          {"trainwarden:reason", aws::tag_value(reason(decision))},
          {"trainwarden:at", rfc3339(now)}};
}

bool refuses_these_tags(const Error& error) {
  return error.code == ErrorCode::kRejected || error.code == ErrorCode::kLimitExceeded;
}

}  // namespace trainwarden::actions
