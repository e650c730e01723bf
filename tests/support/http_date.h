// The Date header of an HTTP answer.
#pragma once

#include <ctime>
#include <string>

#include "runtime/base/time.h"

namespace trainwarden::testing {

inline std::string http_date(sys_seconds t) {
  const std::time_t seconds = t.time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace trainwarden::testing
