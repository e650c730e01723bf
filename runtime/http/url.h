// What may stand in a URL: nothing else is put into a request line or signed.
#pragma once

#include <string_view>

namespace trainwarden::http {

// Whether authority and path, as they follow "http://", can be sent as they are: a host comes
// first, all is RFC 3986's characters (others percent-encoded), and there is no user, query or
// fragment.
bool valid_authority_and_path(std::string_view text);

}  // namespace trainwarden::http
