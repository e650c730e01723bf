#include "handlers/cli/terminal/command_line.h"

#include <fmt/core.h>

#include "handlers/rules/patterns/nearest.h"

namespace trainwarden::cli {

std::unexpected<Error> unknown_option(std::string_view found,
                                      std::span<const std::string_view> known) {
  return fail(ErrorCode::kInvalidInput,
              fmt::format("unknown option `{}`{}", found, rules::did_you_mean(found, known)));
}

std::unexpected<Error> needs_value(std::string_view option) {
  return fail(ErrorCode::kInvalidInput, fmt::format("{} needs a value", option));
}

std::unexpected<Error> given_twice(std::string_view option) {
  return fail(ErrorCode::kInvalidInput, fmt::format("{} is given twice", option));
}

std::unexpected<Error> not_for_form(std::string_view option, std::string_view form,
                                    std::string_view instead) {
  return fail(ErrorCode::kInvalidInput, fmt::format("{} is for {}; {}", option, form, instead));
}

std::unexpected<Error> one_too_many(std::string_view expected, std::string_view found) {
  return fail(ErrorCode::kInvalidInput,
              fmt::format("expected {}, found `{}` too", expected, found));
}

std::unexpected<Error> empty_argument(std::string_view expected) {
  return fail(ErrorCode::kInvalidInput,
              fmt::format("expected {}, found an empty argument", expected));
}

std::unexpected<Error> options_only(std::string_view found) {
  return fail(ErrorCode::kInvalidInput, fmt::format("expected options only, found `{}`", found));
}

}  // namespace trainwarden::cli
