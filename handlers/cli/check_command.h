// `trainwarden check POLICY`: all mistakes of a policy file at once; where there is none, warnings
// of what is allowed and probably not meant.
#pragma once

#include <string>

#include "handlers/cli/text.h"

namespace trainwarden::cli {

// path "-" is standard input.
Printed check(const std::string& path);

}  // namespace trainwarden::cli
