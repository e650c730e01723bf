// The event of an EventBridge rule with a schedule, which makes the state function sweep.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/time.h"

namespace trainwarden::localaws {

std::string scheduled_event(std::string_view region, std::string_view account, sys_millis now);
// The same as the rule of the weekly report sends it on: template.yaml's InputTransformer.
std::string weekly_event(std::string_view region, std::string_view account, sys_millis now);

}  // namespace trainwarden::localaws
