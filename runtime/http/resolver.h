// Name resolution in a static binary.
#pragma once

namespace trainwarden::http {

// Call before a name is looked up; the transports of this layer do.
//
// A static binary would load the modules that /etc/nsswitch.conf names, built for another glibc,
// and crash; with this, getaddrinfo uses what is linked in: files and DNS.
//
// No time-out of a transport ends getaddrinfo, which waits 5 s for each answer. Where the
// environment does not have RES_OPTIONS, it is set to what bounds that: a server that is silent
// takes some seconds instead of half a minute, and one lost packet one second. resolv.conf(5)
void set_up_resolver();

}  // namespace trainwarden::http
