// A job as AWS shows it: DescribeTrainingJob's answer, a summary of ListTrainingJobs, and the event
// "SageMaker Training Job State Change".
#pragma once

#include <string>
#include <string_view>

#include "runtime/json/json.h"
#include "tests/localaws/sagemaker/emulated_job.h"

namespace trainwarden::localaws {

// Everything that was given at creation, the defaults that AWS adds, and the state; times are epoch
// seconds. Of a placed job its document as it is, but for what happened to it since. No tags: AWS
// gives none here.
void write_description(json::Sink& out, const Job& job);

void write_summary(json::Sink& out, const Job& job);

// The whole EventBridge event. Its detail resembles Describe but is not: times are epoch
// milliseconds, absent members are null, tags are a map, and members such as Environment are
// missing.
std::string state_change_event(const Job& job, std::string_view region, std::string_view account);

}  // namespace trainwarden::localaws
