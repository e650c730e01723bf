// Inputs of about a megabyte, made of the seeds: too big to be kept, and farther than libFuzzer
// gets by itself.
#pragma once

#include <string>
#include <string_view>

namespace trainwarden::fuzz {

// For the target of this name; read in the root of the repository.
std::string large_input(std::string_view target);

}  // namespace trainwarden::fuzz
