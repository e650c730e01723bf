#include "handlers/actions/table/due.h"

#include <utility>

#include "handlers/actions/table/items.h"

namespace trainwarden::actions {

Result<void> each_due(const std::function<Result<bool>(std::string_view id)>& each,
                      const Apis& apis) {
  auto asked = apis.table->query(each, apis.context);
  if (!asked) return fail(state_unavailable(std::move(asked).error()));
  return {};
}

}  // namespace trainwarden::actions
