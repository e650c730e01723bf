// A signed request to an AWS service: whose it is, whether it is well signed, what is to go wrong
// with it, and the answer in the service's protocol.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <thread>

#include "tests/localaws/digest.h"
#include "tests/localaws/sigv4_verify.h"
#include "tests/localaws/world.h"

namespace trainwarden::localaws {
namespace {

using std::chrono::floor;
using std::chrono::seconds;

constexpr std::string_view kSageMaker = "SageMaker.";

// Errors with a shape of their own in the model; their text is "Message" there.
constexpr std::array<std::string_view, 4> kModelled = {"ResourceInUse", "ResourceLimitExceeded",
                                                       "ResourceNotFound", "ConflictException"};

// "Fri, 20 Dec 2013 21:10:11 GMT"
std::string http_date(sys_seconds t) {
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = floor<std::chrono::days>(t);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(t - day);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                     kDays[std::chrono::weekday(day).c_encoding()], unsigned(date.day()),
                     kMonths[unsigned(date.month()) - 1], int(date.year()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

HttpResponse json_answer(int status, std::string body, sys_seconds now) {
  return {.status = status,
          .headers = {{"x-amzn-RequestId", random_uuid()},
                      {"Content-Type", "application/x-amz-json-1.1"},
                      {"Date", http_date(now)}},
          .body = std::move(body)};
}

HttpResponse error_answer(const AwsError& error, sys_seconds now) {
  const bool modelled =
      std::find(kModelled.begin(), kModelled.end(), error.code) != kModelled.end();
  json::Writer out;
  out.begin_object().member("__type", error.code);
  if (!error.message.empty()) out.member(modelled ? "Message" : "message", error.message);
  out.end_object();
  return json_answer(error.status, out.take(), now);
}

Answer<json::Document> parse_body(std::string_view body) {
  auto parsed = json::Document::parse(body.empty() ? "{}" : body);
  if (!parsed) return refuse(400, "SerializationException", parsed.error().message);
  if (!parsed->root().is_object())
    return refuse(400, "SerializationException", "Start of structure or map expected.");
  return std::move(*parsed);
}

// The operation, once the request is one that a service here knows.
Answer<std::string> operation_of(const HttpRequest& request, const SageMaker& sagemaker) {
  const auto target = request.header("X-Amz-Target");
  if (!target) return refuse(404, "UnknownOperationException", "");
  if (!target->starts_with(kSageMaker)) return refuse(400, "UnknownOperationException", "");
  std::string operation(target->substr(kSageMaker.size()));
  if (!sagemaker.knows(operation)) return refuse(400, "UnknownOperationException", "");
  if (request.method != "POST")
    return refuse(400, "UnknownOperationException", "expected the method POST");
  return operation;
}

}  // namespace

HttpResponse World::handle_aws(const HttpRequest& request) {
  Lock lock(mutex_);
  Hosted* caller = caller_of(request);
  const Answer<std::string> operation = operation_of(request, sagemaker_);
  const std::string function = caller == nullptr ? "" : caller->function.name();
  const std::optional<Fault> fault =
      operation ? faults_.strike(*operation, function) : std::nullopt;
  const auto kill_if = [&](std::string_view when) {
    if (fault && caller != nullptr && caller->supervisor && fault->kill == when)
      caller->supervisor->kill();
  };
  if (fault && fault->delay.count() > 0)
    changed_.wait_for(lock, fault->delay, [this, until = clock_.now() + fault->delay] {
      return stopping_ || clock_.now() >= until;
    });
  const sys_seconds now = floor<seconds>(clock_.now()) + (fault ? fault->skew : seconds(0));

  const auto decide = [&]() -> Answer<std::string> {
    if (!operation) return std::unexpected(operation.error());
    if (auto wrong = verify_signature(
            request, credentials_, {.region = options_.region, .service = "sagemaker", .now = now}))
      return std::unexpected(*wrong);
    if (fault && fault->status != 0) return refuse(fault->status, fault->code, fault->message);
    const Answer<json::Document> input = parse_body(request.body);
    if (!input) return std::unexpected(input.error());
    return sagemaker_.call(*operation, input->root(), clock_.now());
  };
  kill_if("before");
  const Answer<std::string> answer = decide();
  kill_if("after");
  HttpResponse response =
      answer ? json_answer(200, *answer, now) : error_answer(answer.error(), now);
  response.cut = fault && fault->cut;
  if (caller != nullptr && request.header("Authorization"))
    calls_.add(request, {.time = request.received,
                         .function = function,
                         .service = "sagemaker",
                         .operation = operation.value_or("unknown"),
                         .request = request.body,
                         .status = response.status,
                         .code = answer ? "" : answer.error().code});
  return response;
}

}  // namespace trainwarden::localaws
