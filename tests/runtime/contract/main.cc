// A function on our runtime that does what it is told: the contract tests drive the runtime with
// it. Payloads: {"do": "size", "bytes": N} answers with N bytes, "fail" returns an error, "throw"
// throws, "context" tells what it was given; anything else is answered with its own length. Its
// argument says by which transport: plain or curl.
#include <fmt/core.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>
#include <utility>

#include "runtime/http/curl_transport.h"
#include "runtime/http/plain_transport.h"
#include "runtime/json/json.h"
#include "runtime/lambda/loop.h"

namespace {

using namespace trainwarden;

Result<std::string> handle(const lambda::Context& context) {
  const auto payload = json::Document::parse(context.invocation.payload);
  const auto wish = payload ? payload->root().find_present("do") : std::nullopt;
  const std::string_view what = wish && wish->is_string() ? wish->as_string() : "";
  if (what == "fail") return fail(ErrorCode::kInvalidInput, "told to fail: größe");
  if (what == "throw") throw std::runtime_error("told to throw");
  if (what == "size") {
    const auto bytes = payload->root().find("bytes");
    return std::string(static_cast<std::size_t>(bytes->as_integer().value_or(0)), '7');
  }
  if (what == "context") {
    json::Writer writer;
    const lambda::Invocation& invocation = context.invocation;
    writer.begin_object()
        .member("request_id", invocation.request_id.view())
        .member("function_arn", invocation.function_arn)
        .member("trace_id", invocation.trace_id)
        .member("client_context", invocation.client_context)
        .member("cognito_identity", invocation.cognito_identity)
        .member("tenant_id", invocation.tenant_id)
        .member("has_deadline", invocation.deadline.has_value())
        .end_object();
    return writer.take();
  }
  return fmt::format("{}", context.invocation.payload.size());
}

}  // namespace

int main(int count, char** arguments) {
  const Environment environment(environ);
  Clock& clock = system_clock();
  lambda::Log log = lambda::Log::from(environment, clock);
  const auto endpoint = lambda::Endpoint::from(environment);
  if (!endpoint) return lambda::fail_start(log, endpoint.error());
  http::PlainTransport plain(clock, "contract/1");
  http::CurlOptions options;
  options.user_agent = "contract/1";
  http::CurlTransport curl(std::move(options), clock);
  const bool by_curl = count == 2 && std::string_view(arguments[1]) == "curl";
  http::Transport& transport = by_curl ? static_cast<http::Transport&>(curl) : plain;
  return lambda::run({*endpoint, transport, clock, log}, handle);
}
