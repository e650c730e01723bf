#include <unistd.h>

#include "awsapi/sagemaker.h"
#include "awsapi/tls.h"
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
  http::CurlTransport transport(aws::transport_options(environment, "tags/1.0"), clock);
  const lambda::Runtime runtime{*endpoint, transport, clock, log};
  auto config = aws::ClientConfig::from(environment);
  if (!config) return lambda::fail_init(runtime, config.error());
  aws::Client client(*std::move(config), transport, clock, aws::random_jitter());
  const aws::SageMaker sagemaker(client);
  return lambda::run(runtime, [&](const lambda::Context& context) -> Result<std::string> {
    TRY(const json::Document event, json::Document::parse(context.invocation.payload));
    TRY(const json::Value member, event.root().member("arn", "the event"));
    TRY(const std::string_view arn, member.string("arn"));
    TRY(const json::Document tags,
        sagemaker.list_tags(arn, {context.deadline, context.invocation.trace_id}));
    return json::to_text(tags.root());
  });
}
