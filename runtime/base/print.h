// What a program writes for people. fmt::print throws where the reader has gone, as `| head` does.
#pragma once

#include <cstdio>
#include <string_view>

namespace trainwarden {

// Writes what can be written; the stream remembers a failure (ferror).
inline void print(std::FILE* to, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), to);
}

}  // namespace trainwarden
