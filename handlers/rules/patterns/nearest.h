// Suggestions for misspelt names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace trainwarden::rules {

// The known name that was probably meant; empty if none is close. Case is ignored, swapping two
// neighbours counts as one edit, and about one edit per so many letters is allowed.
std::string_view nearest(std::string_view found, std::span<const std::string_view> known,
                         std::size_t letters_per_edit = 3);

// "; did you mean `gpus`?", or empty.
std::string did_you_mean(std::string_view found, std::span<const std::string_view> known);

// "`a`, `b` or `c`"
std::string one_of(std::span<const std::string_view> names);

}  // namespace trainwarden::rules
