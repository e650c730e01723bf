#include "handlers/actions/stop/stop_tags.h"

#include <array>
#include <string>
#include <utility>

#include "handlers/rules/decide/decision_text.h"
#include "handlers/rules/job/job_tags.h"
#include "runtime/json/one_line.h"

namespace trainwarden::actions {
std::string reason_of(const rules::Decision& decision) {
  if (!decision.message.empty()) return decision.message;
  std::string text;
  for (const auto& because : decision.because) {
    if (!text.empty()) text += ' ';
    text += because.path();
    const std::string value = rules::value_text(because);
    if (!value.empty()) text.append("=").append(value);
  }
  return json::one_line(std::move(text));
}

std::vector<aws::Tag> reason_tags(std::string_view action, const rules::Decision& decision,
                                  sys_seconds now) {
  return {{std::string(rules::kActionTag), std::string(action)},
          {std::string(rules::kRuleTag), aws::tag_value(decision.rule)},
          {std::string(rules::kReasonTag), aws::tag_value(reason_of(decision))},
          {std::string(rules::kAtTag), rfc3339(now)}};
}

Result<void> add_stop_tags(std::string_view arn, const rules::Decision& decision,
                           const Apis& apis) {
  auto all = reason_tags(rules::kStopAction, decision, apis.now());
  const std::array<aws::Tag, 2> plain{all.front(), all.back()};
  auto added = apis.sagemaker.add_tags(arn, all, apis.context);
  if (added || !refuses_these_tags(added.error())) return added;
  if (!apis.sagemaker.add_tags(arn, plain, apis.context)) return added;
  return fail(std::move(added).error().in("rule and reason are not in the tags"));
}

bool refuses_these_tags(const Error& error) {
  return error.code == ErrorCode::kRejected || error.code == ErrorCode::kLimitExceeded;
}

}  // namespace trainwarden::actions
