// Which process is at the other end of a loopback connection: by the kernel's tables, so that the
// calls of a function count as its own without any help of the function's, in its init too.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace trainwarden::localaws {

// The index of the process that holds the client's end of the connection from peer_port to
// local_port, both on 127.0.0.1. Entries below 1 are no process.
std::optional<std::size_t> holder_of(int peer_port, int local_port, const std::vector<pid_t>& pids);

}  // namespace trainwarden::localaws
