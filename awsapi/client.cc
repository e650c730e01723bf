#include "awsapi/client.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "awsapi/page_walk.h"
#include "awsapi/sigv4.h"
#include "runtime/base/digits.h"

namespace trainwarden::aws {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

std::optional<milliseconds> asked_wait(const http::Response& response) {
  const auto text = response.header("x-amz-retry-after");
  if (!text) return std::nullopt;
  const auto millis = whole_number(*text);
  return millis ? std::optional(milliseconds(*millis)) : std::nullopt;
}

bool succeeded(const http::Response& response) {
  return response.status >= 200 && response.status < 300;
}

std::string_view content_type(Protocol protocol) {
  switch (protocol) {
    case Protocol::kJson10:
    case Protocol::kJson10QueryMode:
      return "application/x-amz-json-1.0";
    case Protocol::kJson11:
      return "application/x-amz-json-1.1";
    case Protocol::kQuery:
      return "application/x-www-form-urlencoded; charset=utf-8";
    case Protocol::kRestXml:
      break;
  }
  return "";
}

http::Headers headers_of(const Call& call) {
  const Service& service = *call.service;
  if (service.protocol == Protocol::kRestXml) return {};
  http::Headers headers{{"Content-Type", std::string(content_type(service.protocol))}};
  if (service.protocol != Protocol::kQuery)
    headers.push_back({"X-Amz-Target", fmt::format("{}{}", service.target_prefix, call.operation)});
  if (service.protocol == Protocol::kJson10QueryMode)
    headers.push_back({"x-amzn-query-mode", "true"});
  return headers;
}

// The service's clock minus ours, measured at the middle of the exchange; a cached answer (Age)
// tells nothing. The Date header is cut off to whole seconds, and clocks that differ by no more
// than that count as equal. Otherwise a call in the first half of a minute would seem to be one of
// the minute before. The known skew stays if the length of the exchange explains the difference,
// since it is not known which way took the time.
std::optional<seconds> skew_of(const http::Response& response, sys_millis sent, sys_millis received,
                               seconds known) {
  constexpr std::chrono::minutes kTooLong{15};
  const auto date = response.header("Date");
  if (!date || response.header("Age") || received - sent > kTooLong) return std::nullopt;
  const auto theirs = parse_http_date(*date);
  if (!theirs) return std::nullopt;
  constexpr std::chrono::milliseconds kCutOff{500};  // on average
  const auto apart = sys_millis(*theirs) + kCutOff - (sent + (received - sent) / 2);
  const auto whole = std::chrono::round<seconds>(apart);
  if (abs(whole) <= seconds(1)) return seconds(0);
  if (abs(apart - known) <= (received - sent) / 2 + kCutOff) return known;
  return whole;
}

Result<json::Document> parse_answer(const Call& call, std::string_view body) {
  auto document = json::Document::parse(body.empty() ? "{}" : body);
  if (document) return document;
  return fail(ErrorCode::kBadResponse, fmt::format("{}: expected a JSON answer: {}", call.operation,
                                                   document.error().message));
}

Error without_endpoint(const Call& call) {
  const Service& service = *call.service;
  return {ErrorCode::kInvalidConfig,
          fmt::format("{}: AWS_USE_FIPS_ENDPOINT is true, and AWS has no FIPS endpoint of {}. What "
                      "to do: set AWS_USE_FIPS_ENDPOINT=false, or name an endpoint by {}",
                      call.operation, service.name, service.endpoint_variable)};
}

}  // namespace

bool CallMade::throttled() const { return is_throttling(outcome); }
// A source of credentials that has run out reports kInvalidConfig, which no other error of a call
// does.
bool CallMade::credentials_over() const {
  return are_credentials_over(outcome) || error == ErrorCode::kInvalidConfig;
}

Result<ClientConfig> ClientConfig::from(const Environment& environment) {
  TRY(std::string region, region_from(environment));
  TRY(Credentials credentials, Credentials::from(environment));
  TRY(const auto max_attempts, max_attempts_from(environment));
  TRY(Endpoints endpoints, Endpoints::from(environment, region));
  return ClientConfig{std::move(credentials), std::move(region), max_attempts, std::move(endpoints),
                      nullptr};
}

// One call that is in flight.
struct Client::Pending {
  std::size_t index;  // of the call
  int attempts = 0;
  std::optional<ErrorCode> last_retry = std::nullopt;
  std::optional<milliseconds> asked = std::nullopt;  // the service's own wish
  milliseconds wait{0};                              // before the next attempt
  seconds signed_with{0};  // the skew that the last attempt was signed with
  seconds learned{0};      // the skew that its answer showed
  std::string outcome = {};
  std::optional<ErrorCode> error = {};
  sys_millis began = {};
  sys_millis ended = {};
  bool unclear = false;  // what became of an attempt before the last one
  bool renewed = false;  // the credentials, for this call
};

Result<json::Document> Client::call(const Call& call, const CallContext& context) {
  auto results = call_all(std::span(&call, 1), context);
  return std::move(results.front());
}

std::vector<Result<json::Document>> Client::call_all(std::span<const Call> calls,
                                                     const CallContext& context) {
  std::vector<Result<json::Document>> documents;
  documents.reserve(calls.size());
  auto replies = carry_out(calls, {}, context);
  for (std::size_t i = 0; i < replies.size(); ++i)
    documents.push_back(replies[i] ? parse_answer(calls[i], replies[i]->body)
                                   : fail(std::move(replies[i]).error()));
  return documents;
}

Result<Answer> Client::call_or_refusal(const Call& call, std::string_view code,
                                       const CallContext& context) {
  auto replies = carry_out(std::span(&call, 1), code, context);
  TRY(const Reply reply, std::move(replies.front()));
  TRY(json::Document body, parse_answer(call, reply.body));
  return Answer{std::move(body), reply.refused};
}

std::vector<Result<std::string>> Client::send_all(std::span<const Call> calls,
                                                  const CallContext& context) {
  std::vector<Result<std::string>> bodies;
  bodies.reserve(calls.size());
  for (auto& reply : carry_out(calls, {}, context))
    bodies.push_back(reply ? Result<std::string>(std::move(reply->body))
                           : fail(std::move(reply).error()));
  return bodies;
}

std::vector<Result<Client::Reply>> Client::carry_out(std::span<const Call> calls,
                                                     std::string_view refusal,
                                                     const CallContext& context) {
  std::vector<Result<Reply>> results;
  std::vector<Pending> pending;
  std::vector<Pending> done;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (config_.endpoints.url(calls[i].service->id).empty()) {
      results.emplace_back(fail(without_endpoint(calls[i])));
      continue;
    }
    results.emplace_back(fail(ErrorCode::kInternal, "not sent"));
    pending.push_back({.index = i});
  }
  while (!pending.empty()) {
    auto responses = exchange(calls, pending, context);
    std::vector<Pending> again;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      Pending& call = pending[i];
      ++call.attempts;
      auto& result = results[call.index];
      result = read(calls[call.index], refusal, std::move(responses[i]), call);
      const bool retry =
          !result && plan_retry(*calls[call.index].service, call, result.error(), context);
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
      context.made->push_back({made.service->name, made.operation, call.attempts,
                               std::move(call.outcome), made.target, call.began + skew_,
                               std::max(call.ended - call.began, milliseconds(0)), call.unclear,
                               call.error});
    }
  }
  return results;
}

Result<std::string> Client::read_page(const Call& call, const CallContext& context,
                                      bool counts_bytes) {
  if (context.reads == nullptr || !context.reads->bounds())
    return std::move(send_all(std::span(&call, 1), context).front());
  ReadBudget& reads = *context.reads;
  if (auto spent = reads.spent(call.operation)) return fail(*std::move(spent));
  const auto begun = clock_.steady_now();
  CallContext bounded = context;
  bounded.deadline = std::min(context.deadline, reads.until(begun));
  auto answer = std::move(send_all(std::span(&call, 1), bounded).front());
  const auto took = std::chrono::ceil<milliseconds>(clock_.steady_now() - begun);
  reads.took(took, answer && counts_bytes ? answer->size() : 0);
  if (answer || bounded.deadline == context.deadline) return answer;
  // The page was given up for the job's sake, not the service's.
  const bool is_late =
      answer.error().code == ErrorCode::kDeadline || answer.error().code == ErrorCode::kTimeout;
  if (auto spent = reads.spent(call.operation); is_late && spent) return fail(*std::move(spent));
  return answer;
}

Result<void> Client::pages(Pages pages, const CallContext& context) {
  const bool counts_bytes = !pages.of_account;
  PageWalk walk(std::move(pages));
  const AskPage ask = [&](const Call& call) -> Result<json::Document> {
    TRY(const std::string answer, read_page(call, context, counts_bytes));
    return parse_answer(call, answer);
  };
  for (;;) {
    const Call next = walk.next();
    const auto page = ask(next);
    TRY(const bool more, page ? walk.take(next, page->root()) : walk.mend(page.error(), ask));
    if (!more) return {};
    if (Deadline::at(clock_.steady_now()) >= context.last_page) return fail(no_time_for(next));
  }
}

void Client::note_pace(std::span<const Call> calls, std::span<const Pending> together,
                       std::span<const Result<http::Response>> answers, Pace::Instant sent,
                       Pace& pace) const {
  const auto now = clock_.steady_now();
  for (std::size_t i = 0; i < kServiceCount; ++i) {
    const auto service = static_cast<ServiceId>(i);
    const auto of_service = [&](const Pending& one) {
      return calls[one.index].service->id == service;
    };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(together, of_service));
    if (std::ranges::all_of(answers, &Result<http::Response>::has_value))
      pace.answered(service, count, sent, now - sent);
    else
      pace.reached_by(service, count, now);
  }
}

std::size_t Client::wait_for_pace(std::span<const Call> calls, std::span<const Pending> pending,
                                  const CallContext& context) {
  const std::size_t most = std::min(kMaxConcurrentCalls, pending.size());
  if (context.pace == nullptr) return most;
  Pace& pace = *context.pace;
  std::array<std::size_t, kServiceCount> counts{};
  std::size_t together = 0;
  for (; together < most; ++together) {
    auto& count = counts[static_cast<std::size_t>(calls[pending[together].index].service->id)];
    if (count == Pace::kCalls) break;
    ++count;
  }
  const auto now = clock_.steady_now();
  auto at = now;
  for (std::size_t i = 0; i < kServiceCount; ++i)
    at = std::max(at, pace.ready(static_cast<ServiceId>(i), counts[i]));
  const auto wait = std::min(std::chrono::ceil<milliseconds>(at - now), context.deadline.left(now));
  if (wait > milliseconds(0)) clock_.sleep_for(wait);
  for (std::size_t i = 0; i < kServiceCount; ++i)
    pace.took(static_cast<ServiceId>(i), counts[i], std::max(at, clock_.steady_now()));
  return together;
}

std::vector<Result<http::Response>> Client::exchange(std::span<const Call> calls,
                                                     std::span<Pending> pending,
                                                     const CallContext& context) {
  std::vector<Result<http::Response>> responses;
  responses.reserve(pending.size());
  if (config_.source != nullptr) {
    auto credentials = config_.source->current();
    if (!credentials) {
      for (std::size_t i = 0; i < pending.size(); ++i)
        responses.emplace_back(fail(credentials.error()));
      return responses;
    }
    config_.credentials = *std::move(credentials);
  }
  for (std::size_t begin = 0; begin < pending.size();) {
    const auto together =
        pending.subspan(begin, wait_for_pace(calls, pending.subspan(begin), context));
    begin += together.size();
    std::vector<http::Request> requests;
    requests.reserve(together.size());
    for (Pending& call : together) {
      // A retry uses the skew that its own answer showed.
      call.signed_with = call.attempts > 0 ? call.learned : skew_;
      requests.push_back(signed_request(calls[call.index], call.signed_with, context));
    }
    const sys_millis sent = clock_.now();
    const auto begun = clock_.steady_now();
    auto answers = transport_.send(requests, context.deadline);
    const sys_millis received = clock_.now();
    if (context.pace != nullptr) note_pace(calls, together, answers, begun, *context.pace);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (together[i].attempts == 0) together[i].began = sent;
      together[i].ended = received;
      const auto shown = answers[i] ? skew_of(*answers[i], sent, received, skew_) : std::nullopt;
      together[i].learned = shown.value_or(together[i].signed_with);
      skew_ = shown.value_or(skew_);
      responses.push_back(std::move(answers[i]));
    }
  }
  return responses;
}

http::Request Client::signed_request(const Call& call, seconds skew, const CallContext& context) {
  const Service& service = *call.service;
  const bool rest = service.protocol == Protocol::kRestXml;
  http::Request request{rest ? "GET" : "POST", config_.endpoints.url(service.id), headers_of(call),
                        call.body};
  if (rest)
    request.url = fmt::format("{}?{}", config_.endpoints.bucket_url(call.bucket), call.query);
  request = sign(std::move(request), config_.credentials,
                 {config_.region, std::string(service.signing_name)},
                 std::chrono::floor<seconds>(clock_.now() + skew),
                 rest ? kS3Signing : SigningOptions{}, &signing_keys_);
  if (!context.trace_id.empty()) request.headers.push_back({"X-Amzn-Trace-Id", context.trace_id});
  return request;
}

Result<Client::Reply> Client::read(const Call& call, std::string_view refusal,
                                   Result<http::Response> response, Pending& pending) {
  pending.asked.reset();
  if (!response) {
    pending.error = response.error().code;
    pending.outcome = name(*pending.error);
    return fail(std::move(response).error().in(call.operation));
  }
  if (!succeeded(*response)) {
    const ServiceError error = parse_service_error(*response, call.scrub);
    Error as_ours = to_error(call.operation, error);
    pending.error = as_ours.code;
    pending.outcome = error.code;
    pending.asked = asked_wait(*response);
    if (refusal.empty() || error.code != refusal) return fail(std::move(as_ours));
    budget_.give_back(pending.last_retry);
    return Reply{std::move(response->body), true};
  }
  budget_.give_back(pending.last_retry);
  pending.error.reset();
  pending.outcome = "ok";
  return Reply{std::move(response->body), false};
}

// Error codes that a wrong clock causes, if the attempt was signed far from the service's time.
bool Client::skew_explains(const Pending& pending) const {
  constexpr std::array<std::string_view, 5> kCodes{"InvalidSignatureException",
                                                   "SignatureDoesNotMatch", "AuthFailure",
                                                   "RequestTimeTooSkewed", "AccessDeniedException"};
  constexpr std::chrono::minutes kHarmless{4};
  return std::chrono::abs(pending.learned - pending.signed_with) > kHarmless &&
         std::ranges::find(kCodes, pending.outcome) != kCodes.end();
}

bool Client::renews(Pending& pending) {
  if (config_.source == nullptr || pending.renewed || !are_credentials_over(pending.outcome))
    return false;
  pending.renewed = true;
  pending.wait = milliseconds(0);
  return config_.source->renew();
}

bool Client::plan_retry(const Service& service, Pending& pending, Error& error,
                        const CallContext& context) {
  if (renews(pending)) return true;
  const bool skewed = skew_explains(pending);
  if (!retryable(error.code) && !skewed) return false;
  if (pending.attempts >= config_.max_attempts.value_or(service.attempts)) {
    if (pending.attempts > 1) error.message += fmt::format(", after {} attempts", pending.attempts);
    return false;
  }
  pending.wait = skewed ? milliseconds(0)
                        : backoff(error.code, pending.attempts - 1, jitter_(), pending.asked,
                                  service.transient_delay);
  if (context.deadline.left(clock_.steady_now()) <= pending.wait) {
    error.message += ", not tried again: no time is left";
    return false;
  }
  if (!budget_.take(error.code)) {
    error.message += ", not tried again: too many calls have failed";
    return false;
  }
  pending.last_retry = error.code;
  // Of the errors that are retried, only throttling means that nothing was done.
  pending.unclear = pending.unclear || (error.code != ErrorCode::kThrottled && !skewed);
  return true;
}

}  // namespace trainwarden::aws
