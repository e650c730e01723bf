// The words of the system for an error number, such as "No such file or directory".
#pragma once

#include <cstring>
#include <string>

namespace trainwarden {

// For programs with one thread, as ours are.
inline std::string errno_text(int code) {
  return std::strerror(code);  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace trainwarden
