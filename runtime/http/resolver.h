// Name resolution in a static binary.
#pragma once

namespace trainwarden::http {

// Call before a name is looked up; the transports of this layer do. A static binary would load the
// modules that /etc/nsswitch.conf names, built for another glibc, and crash; with this, getaddrinfo
// uses what is linked in: files and DNS.
void use_static_resolver();

}  // namespace trainwarden::http
