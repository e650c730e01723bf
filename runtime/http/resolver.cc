#include "runtime/http/resolver.h"

#include <nss.h>

namespace trainwarden::http {

void use_static_resolver() { __nss_configure_lookup("hosts", "files dns"); }

}  // namespace trainwarden::http
