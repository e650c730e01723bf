#include "awsapi/client.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "awsapi/sigv4.h"

namespace trainwarden::aws {

using std::chrono::milliseconds;

namespace {

std::optional<milliseconds> asked_wait(const http::Response& response) {
  const auto text = response.header("x-amz-retry-after");
  if (!text) return std::nullopt;
  long millis = 0;
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), millis);
  if (parsed.ec != std::errc() || parsed.ptr != text->data() + text->size()) return std::nullopt;
  return milliseconds(millis);
}

bool succeeded(const http::Response& response) {
  return response.status >= 200 && response.status < 300;
}

}  // namespace

Result<ClientConfig> ClientConfig::from(const Environment& environment) {
  TRY(std::string region, region_from(environment));
  TRY(Credentials credentials, Credentials::from(environment));
  TRY(const int max_attempts, max_attempts_from(environment));
  TRY(std::string sagemaker_url, endpoint(kSageMaker, region, environment));
  return ClientConfig{std::move(credentials), std::move(region), max_attempts,
                      std::move(sagemaker_url)};
}

// One call on its way.
struct Client::Pending {
  std::size_t index;  // of the call
  int attempts = 0;
  std::optional<ErrorCode> last_retry = std::nullopt;
  std::optional<milliseconds> asked = std::nullopt;  // the service's own wish
  milliseconds wait{0};                              // before the next attempt
  std::string outcome = {};
};

Result<json::Document> Client::call(const Call& call, const CallContext& context) {
  auto results = call_all(std::span(&call, 1), context);
  return std::move(results.front());
}

std::vector<Result<json::Document>> Client::call_all(std::span<const Call> calls,
                                                     const CallContext& context) {
  std::vector<Result<json::Document>> results;
  std::vector<Pending> pending;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    results.emplace_back(fail(ErrorCode::kInternal, "not sent"));
    pending.push_back({.index = i});
  }
  std::vector<Pending> done;
  while (!pending.empty()) {
    std::vector<http::Request> requests;
    requests.reserve(pending.size());
    for (const Pending& call : pending)
      requests.push_back(signed_request(calls[call.index], context));
    auto responses = transport_.send(requests, context.deadline);

    std::vector<Pending> again;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      Pending& call = pending[i];
      ++call.attempts;
      auto& result = results[call.index];
      result = read(calls[call.index], std::move(responses[i]), call);
      const bool retry = !result && plan_retry(call, result.error(), context);
      (retry ? again : done).push_back(std::move(call));
    }
    pending = std::move(again);
    if (pending.empty()) break;
    clock_.sleep_for(std::ranges::max(pending, {}, &Pending::wait).wait);
  }
  if (context.made != nullptr) {
    std::ranges::sort(done, {}, &Pending::index);
    for (Pending& call : done) {
      const Call& made = calls[call.index];
      context.made->push_back(
          {made.service->name, made.operation, call.attempts, std::move(call.outcome)});
    }
  }
  return results;
}

http::Request Client::signed_request(const Call& call, const CallContext& context) const {
  http::Request request{
      "POST",
      config_.sagemaker_url,
      {{"Content-Type", std::string(call.service->content_type)},
       {"X-Amz-Target", fmt::format("{}{}", call.service->target_prefix, call.operation)}},
      call.body};
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.now());
  request = sign(std::move(request), config_.credentials,
                 {config_.region, std::string(call.service->signing_name)}, now);
  if (!context.trace_id.empty()) request.headers.push_back({"X-Amzn-Trace-Id", context.trace_id});
  return request;
}

Result<json::Document> Client::read(const Call& call, Result<http::Response> response,
                                    Pending& pending) {
  pending.asked.reset();
  if (!response) {
    pending.outcome = name(response.error().code);
    return fail(std::move(response).error().in(call.operation));
  }
  if (!succeeded(*response)) {
    const ServiceError error = parse_service_error(*response);
    pending.outcome = error.code;
    pending.asked = asked_wait(*response);
    return fail(to_error(call.operation, error));
  }
  budget_.give_back(pending.last_retry);
  auto document = json::Document::parse(response->body.empty() ? "{}" : response->body);
  if (!document) {
    pending.outcome = name(ErrorCode::kBadResponse);
    return fail(ErrorCode::kBadResponse,
                fmt::format("{}: expected JSON: {}", call.operation, document.error().message));
  }
  pending.outcome = "ok";
  return document;
}

bool Client::plan_retry(Pending& pending, const Error& error, const CallContext& context) {
  if (!retryable(error.code) || pending.attempts >= config_.max_attempts) return false;
  const milliseconds wait = backoff(error.code, pending.attempts - 1, jitter_(), pending.asked);
  if (context.deadline.left(clock_.steady_now()) <= wait || !budget_.take(error.code)) return false;
  pending.last_retry = error.code;
  pending.wait = wait;
  return true;
}

}  // namespace trainwarden::aws
