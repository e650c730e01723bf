// A signed request to an AWS service: whose it is, whether it is well signed, what is to go wrong
// with it, and the answer in the service's protocol.
#include <fmt/core.h>

#include "tests/localaws/emulator.h"
#include "tests/localaws/http/sigv4_verify.h"

namespace trainwarden::localaws {
namespace {

using std::chrono::floor;
using std::chrono::seconds;

// What is asked for and is not here, for whoever reads the error: boto3 shows its message alone.
std::unexpected<AwsError> lacks(const HttpRequest& request, const Address& address) {
  const bool named = !address.operation.empty();
  std::string message =
      fmt::format("localaws has no {}; see its README",
                  named ? address.operation : fmt::format("{} {}", request.method, request.path()));
  if (address.protocol == Protocol::kRest) return refuse(501, "NotImplemented", std::move(message));
  return refuse(named ? 400 : 404, "UnknownOperationException", std::move(message));
}

// The input's shape, once the request is one that a service here knows.
Answer<const Shape*> shape_of(const HttpRequest& request, const Address& address,
                              const Service* service) {
  if (service == nullptr) return lacks(request, address);
  const Shape* shape = service->input(address.operation);
  if (shape == nullptr) return lacks(request, address);
  if (request.method != "POST" && address.protocol != Protocol::kRest)
    return refuse(400, "UnknownOperationException", "expected the method POST");
  return shape;
}

// The region that a request is signed for: ours, but for what few regions answer.
std::string_view region_of(const HttpRequest& request, const Address& address,
                           std::string_view ours) {
  return address.service->id == ServiceId::kPricing
             ? Pricing::answering_region(request.header("Authorization").value_or(""))
             : ours;
}

}  // namespace

HttpResponse Emulator::handle_aws(const HttpRequest& request) {
  const Address address = address_of(request);
  Lock lock(mutex_);
  const Caller caller = caller_of(request);
  Service* const target = address.service == nullptr ? nullptr : &service(address.service->id);
  const Answer<const Shape*> shape = shape_of(request, address, target);
  const std::string function = caller.hosted == nullptr ? "" : caller.hosted->function.name();
  const std::optional<Fault> fault =
      shape ? faults_.strike(address.operation, function) : std::nullopt;
  const auto kill_if = [&](std::string_view when) {
    if (fault && caller.hosted != nullptr && caller.hosted->supervisor && fault->kill == when)
      caller.hosted->supervisor->kill(caller.session);
  };
  if (fault && fault->delay.count() > 0)
    changed_.wait_for(lock, fault->delay, [this, until = clock_.now() + fault->delay] {
      return stopping_ || clock_.now() >= until;
    });
  const sys_seconds now = floor<seconds>(clock_.now()) + (fault ? fault->skew : seconds(0));

  std::string recorded = request.body;  // as JSON, once it could be read
  const auto decide = [&]() -> Answer<std::string> {
    if (!shape) return std::unexpected(shape.error());
    const Answer<json::Document> input = read_input(address, **shape, request.body);
    if (input) recorded = json::to_text(input->root());
    if (auto wrong = verify_signature(request, credentials_,
                                      {.region = region_of(request, address, options_.region),
                                       .service = address.service->signing_name,
                                       .now = now}))
      return std::unexpected(*wrong);
    if (fault && fault->status != 0) return refuse(fault->status, fault->code, fault->message);
    if (!alarm_quota_.take(address.operation, clock_.now()))
      return refuse(400, "ThrottlingException", "Rate exceeded");
    if (!input) return std::unexpected(input.error());
    if (auto ok = check_input(address, **shape, input->root()); !ok)
      return std::unexpected(ok.error());
    if (address.service->id == ServiceId::kLogs) take_lines();
    return target->call(address.operation, input->root(), clock_.now());
  };
  kill_if("before");
  const Answer<std::string> answer = decide();
  kill_if("after");
  HttpResponse response =
      answer ? write_answer(address, *answer, now) : write_error(address, answer.error(), now);
  response.cut = fault && fault->cut;
  if (caller.hosted != nullptr && request.header("Authorization"))
    calls_.add(request, {.time = request.received,
                         .function = function,
                         .service = std::string(address.service == nullptr ? "unknown"
                                                                           : address.service->name),
                         .operation = shape ? address.operation : "unknown",
                         .request = std::move(recorded),
                         .status = response.status,
                         .code = answer ? "" : as_seen(address, answer.error()).code});
  return response;
}

}  // namespace trainwarden::localaws
