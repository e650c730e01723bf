// Reads a command's arguments by a table with a row for each option, so that all commands take them
// alike and say in the same words what is wrong:
//
//   TRY(const GivenOptions given,
//       read_arguments(arguments,
//                      {{"--json", &out.json},
//                       {"--html", &out.html},
//                       {"--last", [&](const std::string& value) { return take_span(value); }}},
//                      {"one export", {&out.file}}));
#pragma once

#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/base/result.h"

namespace trainwarden::cli {

struct Option {
  // Reads the value. The option's name is put in front of its error.
  using Take = std::function<Result<void>(const std::string& value)>;

  std::string_view name;                         // "--json"
  std::variant<bool*, std::string*, Take> sets;  // a bool becomes true: the option has no value
  std::string_view form = {};  // the form of the command that the option is for; empty: any
};

// The arguments that are no options.
struct Operands {
  std::string_view expected = {};       // for errors: "one job"
  std::vector<std::string*> sets = {};  // the first argument, the second …
  bool takes_standard_input = false;    // `-` is one of them
};

class GivenOptions {
 public:
  void add(const Option& option) { options_.push_back({option.name, option.form}); }
  bool has(std::string_view name) const;

  // kInvalidInput for the first option that is for another form of the command than this one.
  // instead: what holds in this form.
  Result<void> check_form(std::string_view form, std::string_view instead) const;

 private:
  struct Given {
    std::string_view name;
    std::string_view form;
  };
  std::vector<Given> options_;
};

// kInvalidInput: what a command says of arguments that the table cannot judge.
std::unexpected<Error> wrong_argument(std::string what);

// kInvalidInput for arguments that the table does not have, and for an option that is given a
// second value. Without a value an option may be repeated.
Result<GivenOptions> read_arguments(std::span<char* const> arguments,
                                    const std::vector<Option>& options,
                                    const Operands& operands = {});

}  // namespace trainwarden::cli
