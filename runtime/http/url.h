// What may stand in a URL: nothing else is put into a request line or signed.
#pragma once

#include <string>
#include <string_view>

namespace trainwarden::http {

// Whether authority and path, as they follow "http://", can be sent as they are: a host comes
// first, then its port if any (1 to 65535), all is RFC 3986's characters (others percent-encoded),
// and there is no user, query or fragment.
bool valid_authority_and_path(std::string_view text);

// A URL or address as a message may show it: without the user and password before its host, and
// without query and fragment, which may hold a token.
std::string without_secrets(std::string_view url);

}  // namespace trainwarden::http
