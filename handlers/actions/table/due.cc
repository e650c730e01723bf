#include "handlers/actions/table/due.h"

namespace trainwarden::actions {

Result<void> each_due(const std::function<Result<bool>(std::string_view id)>& each,
                      const Apis& apis) {
  return apis.table->query(each, apis.context);
}

}  // namespace trainwarden::actions
