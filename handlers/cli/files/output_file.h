// Checks on a file that a command is about to write, so that a slip in the arguments loses nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace trainwarden::cli {

// kInvalidInput if the option would overwrite one of the inputs, whatever path leads to it. `-`
// among the inputs is standard input. Inputs that are no files are ignored.
Result<void> check_not_an_input(std::string_view option, const std::string& output,
                                std::span<const std::string> inputs);

// kInvalidInput if a page would be written to a .json or .jsonl file: such a name is an export's or
// a policy's, and the page's own was forgotten.
Result<void> check_page_name(std::string_view option, const std::string& output);

}  // namespace trainwarden::cli
