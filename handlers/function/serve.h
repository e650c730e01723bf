// The main program of a function: what a bootstrap does from its start to its end.
#pragma once

#include <unistd.h>

#include <csignal>

#include "awsapi/tls.h"
#include "runtime/base/build_info.h"
#include "runtime/http/curl_transport.h"
#include "runtime/http/plain_transport.h"
#include "runtime/http/versions.h"
#include "runtime/lambda/loop.h"
#include "runtime/lambda/prefault.h"

namespace trainwarden::function {

// Function has start(environment, transport, clock, log), a Result<Function>, and handle(context).
template <class Function>
int serve() {
  std::signal(SIGPIPE, SIG_IGN);  // of a log that nobody reads: jobs are guarded all the same
  lambda::prefault();
  const Environment environment(environ);
  Clock& clock = system_clock();
  lambda::Log log = lambda::Log::from(environment, clock);
  const BuildInfo build = build_info();
  const http::LibraryVersions libraries = http::library_versions();
  log.info("starting", {{"version", build.version},
                        {"commit", build.commit},
                        {"curl", libraries.curl},
                        {"tls", libraries.tls}});
  const auto endpoint = lambda::Endpoint::from(environment);
  if (!endpoint) return lambda::fail_start(log, endpoint.error());
  for (const char* const name : {"HTTPS_PROXY", "https_proxy"})
    if (environment.get(name))
      log.warn(
          "a proxy is named, and not used: what can hold up the guard's calls can keep it from "
          "stopping jobs. Let the function reach AWS directly, or by VPC endpoints",
          {{"variable", name}});

  http::CurlTransport transport(aws::transport_options(environment, product(build)), clock);
  http::PlainTransport runtime_api(clock, product(build));
  const lambda::Runtime runtime{*endpoint, runtime_api, clock, log, true};
  auto function = Function::start(environment, transport, clock, log);
  if (!function) return lambda::fail_init(runtime, function.error());
  return lambda::run(runtime,
                     [&](const lambda::Context& context) { return function->handle(context); });
}

}  // namespace trainwarden::function
