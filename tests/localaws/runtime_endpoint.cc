// The Runtime API on the wire: /_localaws/runtime/<function>/2018-06-01/runtime/…, of a function's
// second process /_localaws/runtime/<function>.2/… and so on. What may follow
// what is decided in runtime_api.cc; here a next waits for work, and answers get AWS's status and
// bodies.
#include <fmt/core.h>

#include <charconv>

#include "tests/localaws/emulator.h"

namespace trainwarden::localaws {
namespace {

constexpr std::string_view kRuntimePrefix = "/_localaws/runtime/";
constexpr std::string_view kVersion = "/2018-06-01/runtime/";
constexpr std::string_view kInvocation = "invocation/";
constexpr std::string_view kInvocationId = "Lambda-Runtime-Invocation-Id";
constexpr std::chrono::milliseconds kLook{200};  // how often a waiting next looks for a lost peer

HttpResponse json_body(int status, std::string body) {
  return {
      .status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

HttpResponse refused(const Refusal& refusal) {
  return json_body(refusal.status, error_body(refusal.type, refusal.message));
}

HttpResponse verdict(const RuntimeApi::Verdict& verdict) {
  return verdict ? json_body(202, "{\"status\":\"OK\"}\n") : refused(verdict.error());
}

HttpResponse not_found() { return json_body(404, error_body("NotFound", "no such path")); }

// "state" is the first, "state.2" the second.
std::size_t session_of(std::string_view whose) {
  const auto dot = whose.find('.');
  if (dot == std::string_view::npos) return 0;
  std::size_t number = 0;
  std::from_chars(whose.data() + dot + 1, whose.data() + whose.size(), number);
  return number - 1;  // of what is no number: beyond all
}

HttpResponse invocation_answer(const Invocation& invocation, const Function& function) {
  return {.status = 200,
          .headers = {{"Lambda-Runtime-Aws-Request-Id", invocation.id},
                      {"Lambda-Runtime-Deadline-Ms",
                       std::to_string(invocation.deadline.time_since_epoch().count())},
                      {"Lambda-Runtime-Invoked-Function-Arn", function.arn()},
                      {"Lambda-Runtime-Trace-Id",
                       fmt::format("Root={};Sampled=0", invocation.trace_root)},
                      {std::string(kInvocationId), invocation.invocation_id},
                      {"Content-Type", "application/json"}},
          .body = invocation.event};
}

}  // namespace

HttpResponse Emulator::handle_runtime(const HttpRequest& request) {
  std::string_view rest = request.path().substr(kRuntimePrefix.size());
  const std::string_view whose = rest.substr(0, rest.find('/'));
  Hosted* hosted = this->hosted(whose.substr(0, whose.find('.')));
  if (hosted == nullptr) return not_found();
  Function& function = hosted->function;
  const std::size_t session = session_of(whose);
  if (session >= function.sessions()) return not_found();
  rest.remove_prefix(whose.size());
  if (!rest.starts_with(kVersion)) return not_found();
  rest.remove_prefix(kVersion.size());
  if (request.method == "GET" && rest == "invocation/next") return next(request, function, session);
  if (request.method == "POST" && rest == "init/error")
    return init_error(request, function, session);
  if (request.method != "POST" || !rest.starts_with(kInvocation)) return not_found();
  rest.remove_prefix(kInvocation.size());
  const std::string_view id = rest.substr(0, rest.find('/'));
  rest.remove_prefix(id.size());
  const Lock lock(mutex_);
  changed_.notify_all();
  const std::string_view delivery = request.header(kInvocationId).value_or("");
  if (rest == "/response")
    return verdict(function.respond(id, request.body, clock_.now(), session, delivery));
  if (rest == "/error")
    return verdict(function.report(id, request.body, clock_.now(), session, delivery));
  return not_found();
}

HttpResponse Emulator::next(const HttpRequest& request, Function& function, std::size_t session) {
  Lock lock(mutex_);
  if (auto ok = function.api(session).next(); !ok) return refused(ok.error());
  changed_.notify_all();
  const std::uint64_t ticket = function.wait_ticket(session);
  while (!stopping_) {
    if (!function.holds(ticket, session))
      return json_body(500, error_body("Superseded", "another next took this one's place"));
    if (request.gone && request.gone()) break;
    if (const Invocation* invocation = function.take(clock_.now(), session))
      return invocation_answer(*invocation, function);
    changed_.wait_for(lock, kLook);
  }
  return json_body(503, error_body("Shutdown", "localaws stops"));
}

HttpResponse Emulator::init_error(const HttpRequest& request, Function& function,
                                  std::size_t session) {
  const Lock lock(mutex_);
  const auto answer = function.api(session).init_error();
  if (answer) {
    const auto error = json::Document::parse(request.body);
    const auto message = error ? error->root().find_present("errorMessage") : std::nullopt;
    log_line(fmt::format(
        "[{}] init error {}: {}", function.name(),
        request.header("Lambda-Runtime-Function-Error-Type").value_or("Runtime.Unknown"),
        message && message->is_string() ? message->as_string() : "(no message)"));
  }
  changed_.notify_all();
  return verdict(answer);
}

}  // namespace trainwarden::localaws
