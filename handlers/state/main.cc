// The state function's bootstrap.
#include <unistd.h>

#include "awsapi/tls.h"
#include "handlers/state/function.h"
#include "runtime/http/resolver.h"

int main() {
  using namespace trainwarden;  // NOLINT(google-build-using-namespace)
  http::use_static_resolver();
  const Environment environment(environ);
  Clock& clock = system_clock();
  lambda::Log log = lambda::Log::from(environment, clock);
  const auto endpoint = lambda::Endpoint::from(environment);
  if (!endpoint) return lambda::fail_start(log, endpoint.error());

  http::CurlTransport transport(aws::transport_options(environment), clock);
  const lambda::Runtime runtime{*endpoint, transport, clock, log};
  auto function = state::StateFunction::start(environment, transport, clock, log);
  if (!function) return lambda::fail_init(runtime, function.error());
  return lambda::run(runtime,
                     [&](const lambda::Context& context) { return function->handle(context); });
}
