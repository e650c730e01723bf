#include "runtime/http/resolver.h"

#include <nss.h>

namespace trainwarden::http {

void use_static_resolver() {
  static const int configured =
      __nss_configure_lookup("hosts", "files dns");  // once, by one thread
  (void)configured;
}

}  // namespace trainwarden::http
