#include "handlers/cli/terminal/command_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "handlers/rules/patterns/nearest.h"

namespace trainwarden::cli {
namespace {

std::unexpected<Error> unknown_option(std::string_view found, const std::vector<Option>& options) {
  std::vector<std::string_view> known;
  known.reserve(options.size());
  for (const Option& option : options) known.push_back(option.name);
  return wrong_argument(
      fmt::format("unknown option `{}`{}", found, rules::did_you_mean(found, known)));
}

Result<void> take_operand(std::string_view argument, const Operands& operands, std::size_t taken) {
  if (operands.sets.empty())
    return wrong_argument(fmt::format("expected options only, found `{}`", argument));
  if (argument.empty())
    return wrong_argument(fmt::format("expected {}, found an empty argument", operands.expected));
  if (taken == operands.sets.size())
    return wrong_argument(fmt::format("expected {}, found `{}` too", operands.expected, argument));
  *operands.sets[taken] = argument;
  return {};
}

// Another option is no value: the option's own was forgotten.
bool can_be_value(std::string_view argument, const std::vector<Option>& options) {
  return !argument.empty() && std::ranges::find(options, argument, &Option::name) == options.end();
}

Result<void> take_value(const Option& option, const std::string& value) {
  if (std::string* const* const text = std::get_if<std::string*>(&option.sets)) {
    **text = value;
    return {};
  }
  auto taken = std::get<Option::Take>(option.sets)(value);
  if (!taken) return fail(std::move(taken).error().in(option.name));
  return {};
}

}  // namespace

std::unexpected<Error> wrong_argument(std::string what) {
  return fail(ErrorCode::kInvalidInput, std::move(what));
}

bool GivenOptions::has(std::string_view name) const {
  return std::ranges::find(options_, name, &Given::name) != options_.end();
}

Result<void> GivenOptions::check_form(std::string_view form, std::string_view instead) const {
  for (const Given& option : options_)
    if (!option.form.empty() && option.form != form)
      return wrong_argument(fmt::format("{} is for {}; {}", option.name, option.form, instead));
  return {};
}

Result<GivenOptions> read_arguments(std::span<char* const> arguments,
                                    const std::vector<Option>& options, const Operands& operands) {
  GivenOptions given;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (!argument.starts_with('-') || (argument == "-" && operands.takes_standard_input)) {
      CHECK_OK(take_operand(argument, operands, taken++));
      continue;
    }
    const auto option = std::ranges::find(options, argument, &Option::name);
    if (option == options.end()) return unknown_option(argument, options);
    const bool is_repeated = given.has(argument);
    given.add(*option);
    if (bool* const* const flag = std::get_if<bool*>(&option->sets)) {
      **flag = true;
      continue;
    }
    if (is_repeated) return wrong_argument(fmt::format("{} is given twice", argument));
    ++i;
    if (i == arguments.size() || !can_be_value(arguments[i], options))
      return wrong_argument(fmt::format("{} needs a value", argument));
    CHECK_OK(take_value(*option, arguments[i]));
  }
  return given;
}

}  // namespace trainwarden::cli
