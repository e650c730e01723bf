#include <variant>

#include "handlers/alarm/alarm_event.h"
#include "handlers/state/state_event.h"
#include "tests/fuzz/targets.h"

namespace trainwarden::fuzz {

void state_event(std::string_view payload) {
  const auto event = state::parse_event(payload);
  if (!event) {
    require(event.error().code == ErrorCode::kInvalidInput, "what is refused is invalid input");
    require(!event.error().message.empty(), "what is refused says why");
    return;
  }
  if (const auto* job_event = std::get_if<state::StateEvent>(&*event)) {
    require(!job_event->job.name.view().empty(), "a state change names a job");
    require(job_event->job_event.job_name == job_event->job.name.view(), "and one only");
  }
}

void alarm_event(std::string_view payload) {
  auto records = alarm::SnsRecords::parse(payload);
  if (!records) {
    require(records.error().code == ErrorCode::kInvalidInput, "what is refused is invalid input");
    require(!records.error().message.empty(), "what is refused says why");
    return;
  }
  while (const auto record = records->next())
    require(record->message || !record->message.error().message.empty(), "a bad record says why");
}

}  // namespace trainwarden::fuzz
