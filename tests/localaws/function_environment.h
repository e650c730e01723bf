// The environment that a function's process gets: what Lambda sets, where AWS is (here), and of our
// own environment only TRAINWARDEN_*, the logging switches, sanitizer options and PATH.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/environment.h"
#include "tests/localaws/options.h"

namespace trainwarden::localaws {

// name: "state" or "alarm".
std::vector<std::string> function_environment(const std::string& name, const std::string& program,
                                              int port, const Options& options,
                                              const Credentials& credentials,
                                              const Environment& environment);

}  // namespace trainwarden::localaws
