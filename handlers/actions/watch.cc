#include "handlers/actions/watch.h"

namespace trainwarden::actions {

ActionOutcome watch(const Subject& /*subject*/, const rules::Decision& /*decision*/,
                    const rules::Action& action) {
  return {action.kind, "not carried out by this version"};
}

}  // namespace trainwarden::actions
