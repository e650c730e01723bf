// What is shown of a failure's text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/failure/failure_text.h"

namespace trainwarden::rules {

// The line around an offset, fit to be shown: at most 200 bytes of valid UTF-8 around it, without
// arguments of a command line, the secrets (whole words of four bytes and more), and whatever looks
// like a credential.
std::string evidence_at(const FailureText& text, std::size_t at,
                        std::span<const std::string_view> secrets);

}  // namespace trainwarden::rules
