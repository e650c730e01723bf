#include <unistd.h>

#include "runtime/http/curl_transport.h"
#include "runtime/http/resolver.h"
#include "runtime/lambda/loop.h"

using namespace trainwarden;

int main() {
  http::set_up_resolver();
  const Environment environment(environ);
  Clock& clock = system_clock();
  lambda::Log log = lambda::Log::from(environment, clock);
  const auto endpoint = lambda::Endpoint::from(environment);
  if (!endpoint) return lambda::fail_start(log, endpoint.error());
  http::CurlTransport transport({}, clock);
  return lambda::run({*endpoint, transport, clock, log},
                     [](const lambda::Context& context) -> Result<std::string> {
                       return context.invocation.payload;
                     });
}
