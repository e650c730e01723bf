#include "handlers/actions/restart.h"

namespace trainwarden::actions {

ActionOutcome restart(const Subject& /*subject*/, const rules::Decision& /*decision*/,
                      const rules::Action& action) {
  return {action.kind, "not carried out by this version"};
}

}  // namespace trainwarden::actions
