// What is wrong with a command's arguments, in the same words for every command.
#pragma once

#include <expected>
#include <span>
#include <string_view>

#include "runtime/base/result.h"

namespace trainwarden::cli {

// Each returns kInvalidInput.

// Suggests the option that was probably meant.
std::unexpected<Error> unknown_option(std::string_view found,
                                      std::span<const std::string_view> known);
std::unexpected<Error> needs_value(std::string_view option);
std::unexpected<Error> given_twice(std::string_view option);
// form: the form of the command that the option is for; instead: what holds in the one that was
// typed.
std::unexpected<Error> not_for_form(std::string_view option, std::string_view form,
                                    std::string_view instead);
// What is wrong with an argument that is no option. expected: "one job".
std::unexpected<Error> one_too_many(std::string_view expected, std::string_view found);
std::unexpected<Error> empty_argument(std::string_view expected);
std::unexpected<Error> options_only(std::string_view found);

}  // namespace trainwarden::cli
