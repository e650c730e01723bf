#include "handlers/actions/notify.h"

namespace trainwarden::actions {

ActionOutcome notify(const Subject& /*subject*/, const rules::Decision& /*decision*/,
                     const rules::Action& action, std::span<const ActionOutcome> /*done*/) {
  return {action.kind, "logged"};
}

}  // namespace trainwarden::actions
