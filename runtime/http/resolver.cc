#include "runtime/http/resolver.h"

#include <nss.h>

#include <cstdlib>

namespace trainwarden::http {

void set_up_resolver() {
  static const int configured = [] {  // once, by one thread
    setenv("RES_OPTIONS", "timeout:1 attempts:2", 0);
    return __nss_configure_lookup("hosts", "files dns");
  }();
  (void)configured;
}

}  // namespace trainwarden::http
