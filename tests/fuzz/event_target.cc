#include <variant>

#include "handlers/alarm/event.h"
#include "handlers/state/event.h"
#include "tests/fuzz/targets.h"

namespace trainwarden::fuzz {

void state_event(std::string_view payload) {
  const auto event = state::parse_event(payload);
  if (!event) {
    require(event.error().code == ErrorCode::kInvalidInput, "what is refused is invalid input");
    require(!event.error().message.empty(), "what is refused says why");
    return;
  }
  if (const auto* told = std::get_if<state::StateEvent>(&*event)) {
    require(!told->job.name.view().empty(), "a state change names a job");
    require(told->told.job_name == told->job.name.view(), "and one only");
  }
}

void alarm_event(std::string_view payload) {
  const auto records = alarm::parse_alarm_event(payload);
  if (!records) {
    require(records.error().code == ErrorCode::kInvalidInput, "what is refused is invalid input");
    require(!records.error().message.empty(), "what is refused says why");
    return;
  }
  for (const alarm::SnsRecord& record : *records)
    require(record.message || !record.message.error().message.empty(), "a bad record says why");
}

}  // namespace trainwarden::fuzz
