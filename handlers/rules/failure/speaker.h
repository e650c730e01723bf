// What the prefix of a line tells of who spoke and when, where the order of processes counts: the
// rank, and the time within a year.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trainwarden::rules {

// prefix: what stands before what was said. `[rank3]:`, `[1,mpirank:3,algo-2]<stderr>:`, `3: `
std::optional<int> rank_of(std::string_view prefix);
// On its host: `[default3]:`, `local_rank=3`
std::optional<int> local_rank_of(std::string_view prefix);

// Microseconds in a year whose months have 31 days; nullopt where no date is told. Of several times
// the first, which the line's transport told.
std::optional<std::uint64_t> moment_of(std::string_view prefix);

}  // namespace trainwarden::rules
