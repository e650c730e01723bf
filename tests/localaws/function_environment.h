// The environment that a function's process gets: what Lambda sets, where AWS is (here), and of our
// own environment only TRAINWARDEN_*, the logging switches, sanitizer options and PATH.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/environment.h"
#include "tests/localaws/options.h"

namespace trainwarden::localaws {

// The topic of --people.
std::string people_topic(const Options& options);

// Where the parts of localaws are to be reached.
struct Places {
  int port;        // of AWS
  int plain_port;  // of the Runtime API and the control endpoints; the same unless TLS
  std::string root_certificate;  // a file; empty: AWS speaks http
};

// name: "state" or "alarm". session: which of the function's processes it is, from 0 on.
std::vector<std::string> function_environment(const std::string& name, std::size_t session,
                                              const std::string& program, const Places& places,
                                              const Options& options,
                                              const Credentials& credentials,
                                              const Environment& environment);

}  // namespace trainwarden::localaws
