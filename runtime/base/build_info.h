// What a program was built from. build_info() is defined in the one file that build_info.cmake
// writes, in a library of its own: a new commit compiles that file and links the programs again,
// and nothing else.
#pragma once

#include <string>
#include <string_view>

namespace trainwarden {

struct BuildInfo {
  std::string_view version;
  // The commit's first digits, with "+changes" where files differed from it; "unknown" where the
  // sources are no git checkout.
  std::string_view commit;
};

BuildInfo build_info();

// As in a User-Agent: "trainwarden/1.2.3 (commit 0123456789ab)".
std::string product(const BuildInfo& info);

}  // namespace trainwarden
