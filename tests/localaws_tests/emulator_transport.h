// localaws behind a Transport, without a socket: what aws::Client sends is judged and carried out
// as it is over the wire, signatures and faults included. With TRAINWARDEN_REQUESTS set, requests
// and their answers are added to that file, for dynamodb_requests_test.py.
#pragma once

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/http/transport.h"
#include "runtime/json/json.h"
#include "tests/localaws/emulator.h"

namespace trainwarden::localaws {

class EmulatorTransport final : public http::Transport {
 public:
  EmulatorTransport(Emulator& emulator, trainwarden::Clock& clock)
      : emulator_(emulator), clock_(clock) {}

  // Called before each request: something else may happen meanwhile.
  std::function<void()> meanwhile;

  std::vector<Result<http::Response>> send(std::span<const http::Request> requests,
                                           Deadline /*deadline*/) override {
    std::vector<Result<http::Response>> answers;
    for (const http::Request& request : requests) answers.push_back(answer(request));
    return answers;
  }

 private:
  Result<http::Response> answer(const http::Request& request) {
    if (meanwhile) meanwhile();
    HttpRequest received{.method = request.method,
                         .target = std::string(http::target(request.url)),
                         .headers = {},
                         .body = request.body,
                         .received = clock_.now(),
                         .gone = {}};
    for (const http::Header& header : request.headers)
      received.headers.push_back({header.name, header.value});
    HttpResponse response = emulator_.handle(received);
    record(request, response);
    if (response.cut) return fail(ErrorCode::kConnection, "the answer broke off");
    http::Response out{response.status, {}, std::move(response.body)};
    for (Header& header : response.headers)
      out.headers.push_back({std::move(header.name), std::move(header.value)});
    return out;
  }

  void record(const http::Request& request, const HttpResponse& response) {
    const char* const path = std::getenv("TRAINWARDEN_REQUESTS");
    if (path == nullptr) return;
    json::Writer out;
    out.begin_object().member("method", request.method).member("url", request.url);
    out.member("time", rfc3339(clock_.now())).member("body", request.body);
    out.key("headers").begin_object();
    for (const http::Header& header : request.headers) out.member(header.name, header.value);
    out.end_object();
    out.member("status", response.status).member("answer", response.body).end_object();
    std::ofstream(path, std::ios::app) << out.take() << "\n";
  }

  Emulator& emulator_;
  trainwarden::Clock& clock_;
};

}  // namespace trainwarden::localaws
