// Where the policy comes from (policy.md P5): a file, or the variable's own text.
#pragma once

#include <string>
#include <string_view>

#include "handlers/rules/policy/policy.h"
#include "runtime/base/result.h"

namespace trainwarden::actions {

// source: `file:PATH`, the policy itself (it begins with `{` or a comment), or empty: `policy.json`
// in `folder`. kInvalidPolicy or kInvalidConfig; the message says where the text came from.
Result<rules::Policy> load_policy(std::string_view source, std::string_view folder);

// The folder of the running program: what Lambda unpacked. Empty if it cannot be determined.
std::string program_folder();

// kInvalidConfig where it cannot be read or is larger than 16 MiB.
Result<std::string> read_file(const std::string& path);

}  // namespace trainwarden::actions
