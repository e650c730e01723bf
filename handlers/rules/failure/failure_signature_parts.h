// The pieces of the table of failure_signatures.h, each in a file of its own.
#pragma once

#include "handlers/rules/failure/failure_signatures.h"

namespace trainwarden::rules {

inline constexpr std::string_view kYes = "yes";
inline constexpr std::string_view kOnce = "once";
inline constexpr std::string_view kNo = "no";

std::span<const Signature> signatures_of_machines();
std::span<const Signature> signatures_of_memory();
std::span<const Signature> signatures_of_access();
std::span<const Signature> signatures_of_program();
std::span<const Signature> signatures_of_remains();

}  // namespace trainwarden::rules
