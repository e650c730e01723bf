#include "runtime/base/build_info.h"

#include <fmt/core.h>

namespace trainwarden {

std::string product(const BuildInfo& info) {
  return fmt::format("trainwarden/{} (commit {})", info.version, info.commit);
}

}  // namespace trainwarden
